//! Walks through two trees at once: each step opens both nodes of a pair. Collision walks go down in one tree only while its boxes are
//! much larger.

mod beam;
pub(crate) mod collide;
pub(crate) mod distance;

use bvhc_format::obb::PAIR_WIDTH;

use super::tree::{Link, PairTree};

/// A step leaves at most fifteen pairs on the stack and goes down a level in both trees; or, if the boxes of one are much larger, seven
/// pairs (a row or column of each slot) and a level in one; or, of a leaf, three pairs and a level in one. Of two trees with d levels that is
/// at most 15 d + 3 d in all: two steps that leave seven go down as far as one that leaves fifteen. For OBB trees d is 40; for AABB
/// trees, whose levels are each read as two and blocks as one more, 193.
pub(super) const CAPACITY: usize = 3584;

/// More steps than a walk of two trees takes. It ends walks in corrupt files, where nodes may have many parents. A step is of a node or a
/// leaf of each tree, and a tree of n nodes has at most 3 n + 1 leaves.
pub(super) fn most_steps(a: &PairTree<'_>, b: &PairTree<'_>) -> u64 {
    let parts = |tree: &PairTree<'_>| tree.size().saturating_mul(PAIR_WIDTH as u64).saturating_add(1);
    parts(a).saturating_mul(parts(b))
}

/// B's node of a pair, and a mask of its child pairs to test.
#[derive(Clone, Copy)]
pub(super) struct With {
    pub(super) b: u32,
    pub(super) mask: u16,
}

/// Targets of a node's child references.
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

    /// The slots that hold leaves or are empty: a bit each.
    #[inline(always)]
    pub(super) fn leaves(&self) -> u32 {
        let [a, b, c, d] = self.children;
        a >> 31 | b >> 31 << 1 | c >> 31 << 2 | d >> 31 << 3
    }
}
