//! The sections of the output, one source file each: its options, stage, bytes and checks.
//!
//! A new kind of section takes one file here, one line in [`ALL`], and its declaration in `bvhc-format`.

mod aabb_tree;
mod edges;
mod field;
mod geometry;
mod hull;
mod hull_tree;
mod intersections;
mod kdop_tree;
mod metadata;
mod obb_tree;
mod output;
mod packed_blocks;
mod samples;
mod solid;
mod splits;
mod swept_tree;

pub(crate) use metadata::{NameTable, metadata};
pub(crate) use output::{Made, Output};

/// All sections except metadata, which describes the others, in the order in which they are checked.
pub(crate) static ALL: &[&dyn Output] = &[
    &geometry::Geometry,
    &packed_blocks::PackedBlocks,
    &aabb_tree::AabbTree,
    &splits::Splits,
    &obb_tree::ObbTree,
    &samples::Samples,
    &solid::Solid,
    &edges::Edges,
    &intersections::Intersections,
    &field::Field,
    &kdop_tree::KdopTree,
    &hull::Hull,
    &swept_tree::SweptTree,
    &hull_tree::HullTree,
];

/// The section with this name in `--trees`.
#[cfg(feature = "cli")]
pub(crate) fn by_tree_name(name: &str) -> Option<&'static dyn Output> {
    ALL.iter().copied().find(|section| section.tree_names().iter().any(|(its, _)| *its == name))
}

/// The sections in the order in which they are made: those for pairs of models, while there is a tree of oriented boxes, then
/// others, and last geometry, which holds the leaves of all trees.
pub(crate) fn in_order_of_making() -> [Vec<&'static dyn Output>; 3] {
    let (geometry, others) = ALL.split_at(1);
    let (of_pairs, others) = others.iter().partition(|section| section.is_of_pairs());
    [of_pairs, others, geometry.to_vec()]
}
