//! The walks through two trees at once: both nodes of a pair are opened in one step.

mod beam;
pub(crate) mod collide;
pub(crate) mod distance;

use bvhc_format::obb::PAIR_WIDTH;

use super::tree::{Link, PairTree};

/// A step leaves at most fifteen pairs behind and goes down a level in both trees, or three and a level in one. Of
/// OBB trees that is at most 40 * 15 + 40 * 3 in all; of AABB trees, each of whose levels is read as two and blocks as one
/// more, at most 193 * 15 + 193 * 3.
pub(super) const CAPACITY: usize = 3584;

/// The other node of a pair, and which pairs of children are of interest.
#[derive(Clone, Copy)]
pub(super) struct With {
    pub(super) b: u32,
    pub(super) mask: u16,
}

/// Where the children of a node lead.
pub(super) struct Links<'a> {
    tree: &'a PairTree<'a>,
    id: u32,
    children: [u32; PAIR_WIDTH],
}

impl<'a> Links<'a> {
    #[inline(always)]
    pub(super) fn of(tree: &'a PairTree<'a>, id: u32, children: [u32; PAIR_WIDTH]) -> Self {
        Self { tree, id, children }
    }

    #[inline(always)]
    pub(super) fn get(&self, slot: usize) -> Link {
        self.tree.link(self.id, self.children[slot % PAIR_WIDTH])
    }

    /// The slots that hold leaves, or nothing: a bit each.
    #[inline(always)]
    pub(super) fn leaves(&self) -> u32 {
        let [a, b, c, d] = self.children;
        a >> 31 | b >> 31 << 1 | c >> 31 << 2 | d >> 31 << 3
    }
}
