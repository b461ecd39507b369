//! Nodes of oriented boxes: as stored, unpacked, or made from axis-aligned ones.

use bvhc_format::obb::{ObbNode, PackedObbNode};

use super::aabb::AabbNodes;
use crate::model::Model;

/// The nodes of a tree.
#[derive(Clone, Copy)]
pub(crate) enum ObbNodes<'a> {
    Plain(&'a [ObbNode]),
    Packed(&'a [PackedObbNode]),
    Aabb(AabbNodes<'a>),
}

impl<'a> ObbNodes<'a> {
    /// The nodes of the OBB tree or, in a file without one, of the AABB tree.
    #[inline(always)]
    pub(crate) fn of(model: &'a Model<'a>) -> Self {
        match model.sections().obb_tree() {
            Some(tree) if tree.packed_nodes.is_empty() => Self::Plain(tree.nodes.get()),
            Some(tree) => Self::Packed(tree.packed_nodes.get()),
            None => Self::of_aabbs(model),
        }
    }

    /// The nodes of the AABB tree.
    #[inline(always)]
    pub(crate) fn of_aabbs(model: &'a Model<'a>) -> Self {
        Self::Aabb(AabbNodes::of(model))
    }

    /// A node, in the file or built in `scratch`.
    #[inline(always)]
    pub(crate) fn get<'n>(&self, id: u32, scratch: &'n mut Option<ObbNode>) -> Option<&'n ObbNode>
    where
        'a: 'n,
    {
        match self {
            Self::Plain(nodes) => nodes.get(id as usize),
            Self::Packed(nodes) => Some(scratch.insert(nodes.get(id as usize)?.unpack())),
            Self::Aabb(nodes) => nodes.make(id, scratch),
        }
    }
}
