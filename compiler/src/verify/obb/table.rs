//! The tree of oriented boxes as the rules see it: whole records, however the file holds them.

use std::borrow::Cow;

use bvhc_format::obb::{ObbNode, PAIR_WIDTH, PackedObbNode, PackedPairLeaf, PairLeaf, PairRef};
use bvhc_format::section::ArchivedObbTree;

use super::leaf::{Source, exact_corners};
use super::{ObbFault, ObbLeafFault, ObbNodeFault};

/// A tree, unpacked.
pub(in crate::verify) struct ObbTable<'a> {
    pub(super) root: &'a ArchivedObbTree<'static>,
    pub(in crate::verify) nodes: Cow<'a, [ObbNode]>,
    /// Of a packed tree, with the triangles that blocks hold at their places.
    pub(super) leaves: Cow<'a, [PairLeaf]>,
}

impl<'a> ObbTable<'a> {
    /// B17, and of packed leaves B13.
    pub(super) fn of(root: &'a ArchivedObbTree<'static>, source: &Source<'_>) -> Result<Self, ObbFault> {
        let leaves = root.packed_leaves.get();
        if root.packed_nodes.is_empty() && leaves.is_empty() {
            let (nodes, leaves) = (Cow::Borrowed(root.nodes.get()), Cow::Borrowed(root.leaves.get()));
            return Ok(Self { root, nodes, leaves });
        }
        if !(root.nodes.is_empty() && root.leaves.is_empty()) {
            return Err(ObbFault::TwoForms);
        }
        for (node, record) in root.packed_nodes.get().iter().enumerate() {
            check_node(record).map_err(|fault| ObbFault::Node { node, fault })?;
        }
        let of_leaf = |(leaf, record): (usize, &PackedPairLeaf)| {
            unpack_leaf(record, source).map_err(|fault| ObbFault::Leaf { leaf, fault })
        };
        let leaves = leaves.iter().enumerate().map(of_leaf).collect::<Result<_, _>>()?;
        Ok(Self { root, nodes: unpacked_nodes(root), leaves: Cow::Owned(leaves) })
    }
}

/// The nodes of a tree, in either form.
pub(in crate::verify) fn unpacked_nodes<'a>(root: &'a ArchivedObbTree<'static>) -> Cow<'a, [ObbNode]> {
    if root.packed_nodes.is_empty() {
        return Cow::Borrowed(root.nodes.get());
    }
    Cow::Owned(root.packed_nodes.get().iter().map(PackedObbNode::unpack).collect())
}

/// B17 of a node.
fn check_node(node: &PackedObbNode) -> Result<(), ObbNodeFault> {
    for slot in (0..PAIR_WIDTH).filter(|slot| node.children[*slot] == PairRef::EMPTY.0) {
        let turned = node.rotation.iter().any(|part| part[slot] != 0);
        if turned || node.centre.iter().chain(&node.half_extents).any(|part| part[slot] != 0) {
            return Err(ObbNodeFault::PackedEmpty { slot });
        }
    }
    match node.reserved {
        [0, 0, 0] => Ok(()),
        [a, b, c] => Err(ObbNodeFault::Reserved { found: [a, b, c, 0] }),
    }
}

fn unpack_leaf(record: &PackedPairLeaf, source: &Source<'_>) -> Result<PairLeaf, ObbLeafFault> {
    let mut leaf = PairLeaf { places: record.places, ..PairLeaf::EMPTY };
    for (lane, &found) in record.places.iter().enumerate() {
        leaf.triangles[lane] = source.triangle_at(found).ok_or(ObbLeafFault::NoTriangle { lane, found })?;
        for (k, corner) in exact_corners(&leaf, lane, source.table).into_iter().enumerate() {
            for (axis, along) in corner.into_iter().enumerate() {
                leaf.corners[k][axis][lane] = along;
                leaf.radius = leaf.radius.max(along.abs());
            }
        }
    }
    Ok(leaf)
}
