//! The sixteen pairs of the children of two nodes, number `4 * row + column` for A's and B's slots, as bits.

use bvhc_format::obb::PAIR_WIDTH;

use crate::pair_tree::{Link, PairTree};
use crate::volume::Volume;
use crate::volume::obb::PAIRS;

/// A step leaves at most fifteen pairs behind and goes down a level in both trees, or three and a level in one. Of
/// OBB trees that is at most 40 * 15 + 40 * 3 in all; of AABB trees, each of whose levels is read as two and blocks as one
/// more, at most 193 * 15 + 193 * 3.
pub(super) const CAPACITY: usize = 3584;

/// All pairs of children.
pub(super) const ALL: u16 = 0xffff;

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
    pub(super) fn of<V: Volume>(tree: &'a PairTree<'a>, id: u32, node: V::Node<'_>) -> Self {
        let child = |slot| V::child(tree, node, slot);
        let children = [child(0), child(1), child(2), child(3)];
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

/// The pairs of A's children in these slots.
#[inline(always)]
pub(super) fn rows(slots: u32) -> u32 {
    ((slots | slots << 3 | slots << 6 | slots << 9) & 0x1111) * 0xf
}

/// The pairs of B's children in these slots.
#[inline(always)]
pub(super) fn columns(slots: u32) -> u32 {
    slots * 0x1111
}

/// The rows of pairs that are all in one column.
#[inline(always)]
pub(super) fn rows_of(pairs: u32) -> u16 {
    let first = (pairs | pairs >> 1 | pairs >> 2 | pairs >> 3) & 0x1111;
    (first * 0xf) as u16
}

/// The columns of pairs that are all in one row.
#[inline(always)]
pub(super) fn columns_of(pairs: u32) -> u16 {
    columns((pairs | pairs >> 4 | pairs >> 8 | pairs >> 12) & 0xf) as u16
}

#[inline(always)]
pub(super) fn row_of(lane: usize) -> usize {
    lane / PAIR_WIDTH
}

#[inline(always)]
pub(super) fn column_of(lane: usize) -> usize {
    lane % PAIR_WIDTH
}

/// The numbers of the bits that are set.
#[inline(always)]
pub(super) fn lanes(mut pairs: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(
        #[inline(always)]
        move || {
            let lane = (pairs != 0).then(|| pairs.trailing_zeros() as usize % PAIRS);
            pairs &= pairs.wrapping_sub(1);
            lane
        },
    )
}
