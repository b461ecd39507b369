//! The sections of the output, one source file each: its options, stage, bytes and checks.
//!
//! A new kind of section takes one file here, one line in [`ALL`], and its declaration in `bvhc-format`.

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

/// All sections except metadata, which describes the others, in the order in which they are made and checked.
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
