//! What the reports of `compile` and `inspect` have in common.

use bvhc_format::record::TreeStatistics;
use bvhc_format::section::{KindName, SectionKind};
use serde_json::{Value, json};

use super::text::tell;
use crate::count::{counted, counted_plural, grouped};
use crate::layout::EdgeCounts;

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

/// What is other than in the source.
pub(super) struct Changes<'a> {
    /// How many things of each kind, named in the plural, are no faces.
    pub(super) ignored: Vec<(&'a str, u64)>,
    /// Dropped triangles, dropped faces, and faces whose triangles are a fan.
    pub(super) triangles: u64,
    pub(super) faces: u64,
    pub(super) fans: u64,
}

pub(super) fn tell_changes(changes: &Changes<'_>) {
    for (what, count) in &changes.ignored {
        tell(&format!("ignored {}", counted_plural(*count, what)));
    }
    if changes.triangles != 0 {
        tell(&format!("dropped {} of zero area", counted(changes.triangles, "triangle")));
    }
    if changes.faces != 0 {
        tell(&format!("dropped {} of fewer than three corners", counted(changes.faces, "face")));
    }
    if changes.fans != 0 {
        let faces = counted(changes.fans, "face");
        tell(&format!("{faces} with edges that cross or touch: their triangles are a fan, and may overlap"));
    }
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

/// How triangles share their edges.
pub(super) fn edges(edges: &EdgeCounts) -> Value {
    json!({
        "all": edges.edges,
        "open": edges.open,
        "flipped": edges.flipped,
        "branching": edges.branching,
        "boundary": edges.boundary,
        "closed": edges.is_closed(),
    })
}

/// The same in words: whether the surface is closed, and what is unusual.
pub(super) fn surface(edges: &EdgeCounts) -> String {
    let mut text = match edges.boundary {
        0 => "closed".to_owned(),
        boundary => format!("open, with a boundary of {}", counted(boundary, "edge")),
    };
    let kinds = [
        (edges.open, "of one triangle"),
        (edges.flipped, "of two triangles that face different ways"),
        (edges.branching, "of more than two triangles"),
    ];
    for (count, which) in kinds.into_iter().filter(|(count, _)| *count != 0) {
        text += &format!("; {} {which}", counted(count, "edge"));
    }
    text
}

/// How many triangles intersect others, in words.
pub(super) fn intersections(triangles: u64) -> String {
    match triangles {
        0 => "no triangle intersects another".to_owned(),
        1 => "1 triangle intersects others".to_owned(),
        _ => format!("{} triangles intersect others", grouped(triangles)),
    }
}
