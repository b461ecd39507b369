//! The tree of oriented boxes for checking the rules: unpacked nodes, whichever form the file has.

use std::borrow::Cow;

use bvhc_format::obb::{ObbNode, PAIR_WIDTH, PackedObbNode, PairRef};
use bvhc_format::section::ArchivedObbTree;

use super::{ObbFault, ObbNodeFault};

/// A tree, unpacked.
pub(in crate::verify) struct ObbTable<'a> {
    pub(super) root: &'a ArchivedObbTree<'static>,
    pub(in crate::verify) nodes: Cow<'a, [ObbNode]>,
}

impl<'a> ObbTable<'a> {
    /// B17
    pub(super) fn of(root: &'a ArchivedObbTree<'static>) -> Result<Self, ObbFault> {
        if !(root.nodes.is_empty() || root.packed_nodes.is_empty()) {
            return Err(ObbFault::TwoForms);
        }
        for (node, record) in root.packed_nodes.get().iter().enumerate() {
            check_node(record).map_err(|fault| ObbFault::Node { node, fault })?;
        }
        Ok(Self { root, nodes: unpacked_nodes(root) })
    }
}

/// The nodes of a tree, in either form.
pub(in crate::verify) fn unpacked_nodes<'a>(root: &'a ArchivedObbTree<'static>) -> Cow<'a, [ObbNode]> {
    if root.packed_nodes.is_empty() {
        return Cow::Borrowed(root.nodes.get());
    }
    Cow::Owned(root.packed_nodes.get().iter().map(PackedObbNode::unpack).collect())
}

/// B17 for a node.
fn check_node(node: &PackedObbNode) -> Result<(), ObbNodeFault> {
    for slot in (0..PAIR_WIDTH).filter(|slot| node.children[*slot] == PairRef::EMPTY.0) {
        if node.rotation[slot] != 0
            || node.centre.iter().chain(&node.half_extents).any(|part| part[slot] != 0)
        {
            return Err(ObbNodeFault::PackedEmpty { slot });
        }
    }
    Ok(())
}
