//! The sections of the output, each in a file of its own: its options, stage, bytes and checks.
//!
//! A new kind of section is one file here, one line in [`ALL`], and its declaration in `bvhc-format`.

mod aabb_tree;
mod geometry;
mod hull;
mod kdop_tree;
mod metadata;
mod obb_tree;
mod output;
mod packed_blocks;
mod samples;
mod splits;
mod swept_tree;

pub(crate) use metadata::metadata;
pub(crate) use output::{Made, Output};

/// All sections but metadata, which is made of what these are, in the order in which they are made and checked.
pub(crate) static ALL: [&dyn Output; 9] = [
    &geometry::Geometry,
    &packed_blocks::PackedBlocks,
    &aabb_tree::AabbTree,
    &splits::Splits,
    &obb_tree::ObbTree,
    &samples::Samples,
    &kdop_tree::KdopTree,
    &hull::Hull,
    &swept_tree::SweptTree,
];
