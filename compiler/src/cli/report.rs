//! What the reports of `compile` and `inspect` have in common.

use bvhc_format::record::TreeStatistics;
use bvhc_format::section::{KindName, SectionKind};
use serde_json::{Value, json};

/// The name of a section's kind; the number of a kind unknown to this version.
pub(super) fn kind_name(kind: u32) -> String {
    KindName(kind).to_string()
}

/// What the leaves of a tree of this kind are called.
pub(super) fn leaf_noun(kind: u32) -> &'static str {
    if refers_to_leaves(kind) { "leaf" } else { "block" }
}

/// The same in the plural.
pub(super) fn leaf_nouns(kind: u32) -> &'static str {
    if refers_to_leaves(kind) { "leaves" } else { "blocks" }
}

fn refers_to_leaves(kind: u32) -> bool {
    kind != SectionKind::AabbTree as u32
}

/// The statistics of one tree, whose size is `bytes`.
pub(super) fn tree(tree: &TreeStatistics, bytes: u64, triangles: u64) -> Value {
    json!({
        "kind": tree.kind,
        "name": kind_name(tree.kind),
        "nodes": tree.nodes,
        "depth": tree.depth,
        "leaves": tree.leaves,
        "references": tree.references,
        "sah_cost": tree.sah_cost,
        "node_fill": tree.node_fill,
        "block_fill": tree.block_fill,
        "bytes": bytes,
        "bytes_per_triangle": bytes as f64 / triangles as f64,
    })
}
