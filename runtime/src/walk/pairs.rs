//! The walk through two trees at once: sixteen pairs of boxes a step, sixteen pairs of triangles a pair of leaves.
//!
//! Based on: Gottschalk, "Collision Queries using Oriented Bounding Boxes", 2000. Departures: both nodes are opened at
//! once; a leaf against a node goes on as a part of its parent's step; where any pair will do, the walk goes on with the
//! boxes that are deepest into each other.

use core::ops::ControlFlow;

use bvhc_format::obb::{OBB_WIDTH, ObbLeaf, ObbNode};

use crate::pair_tree::{Leaf, Link, PairTree};
use crate::query::{Effort, Exhausted, Pair};
use crate::simd::Kernel;
use crate::stack::Stack;
use crate::triangle::meet::meet;
use crate::triangle::pair::judge;
use crate::volume::obb::{Motion, PAIRS, overlaps};

/// A step leaves at most fifteen pairs behind and goes down a level in both trees, or three and a level in one. Of
/// OBB trees that is at most 40 * 15 + 40 * 3 in all, of AABB trees, every other of whose levels has nodes of two,
/// at most 97 * 18 + 194 * 3.
pub(super) const CAPACITY: usize = 2560;

/// How many pairs of leaves wait until they are tested in one go.
const QUEUE: usize = 64;

/// All pairs of children.
pub(super) const ALL: u16 = 0xffff;

/// The other node of a pair, and which pairs of children are of interest.
#[derive(Clone, Copy)]
pub(super) struct With {
    pub(super) b: u32,
    pub(super) mask: u16,
}

/// What a walk is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Any pair: the deepest boxes first, leaves at once.
    Any,
    /// All pairs, in any order.
    All,
}

/// The state of a walk.
struct Walk<'a, 'v, S: Kernel> {
    simd: S,
    a: PairTree<'a>,
    b: PairTree<'a>,
    motion: Motion,
    effort: &'v mut Effort,
    visit: &'v mut dyn FnMut(Pair) -> ControlFlow<()>,
}

/// Calls `visit` with pairs of triangles that meet, each once, until it says `Break`.
#[inline(always)]
pub(crate) fn walk<S: Kernel>(
    simd: S,
    a: PairTree<'_>,
    b: PairTree<'_>,
    motion: Motion,
    aim: Aim,
    effort: &mut Effort,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Exhausted> {
    // In corrupt files, where nodes may have many parents, this is what ends the walk.
    let most = a.size().saturating_mul(b.size()).saturating_mul(PAIRS as u64);
    let kept = effort.left.saturating_sub(most);
    effort.left -= kept;
    let mut walk = Walk { simd, a, b, motion, effort, visit };
    let result = walk.run(aim);
    effort.left += kept;
    result
}

impl<S: Kernel> Walk<'_, '_, S> {
    #[inline(always)]
    fn run(&mut self, aim: Aim) -> Result<ControlFlow<()>, Exhausted> {
        let mut stack = Stack::<With, CAPACITY>::new();
        let mut queue = [(Leaf::NONE, Leaf::NONE); QUEUE];
        let mut queued = 0;
        let (mut room_a, mut room_b) = (ObbNode::EMPTY, ObbNode::EMPTY);
        let mut rooms = [ObbLeaf::EMPTY; 2];
        let mut next = Some((0, With { b: 0, mask: ALL }));
        loop {
            if let Some((a, with)) = next {
                self.effort.spend()?;
                self.effort.node_pairs += 1;
                next = None;
                if let (Some(node_a), Some(node_b)) =
                    (self.a.node(a, &mut room_a), self.b.node(with.b, &mut room_b))
                {
                    let found = overlaps(self.simd, node_a, node_b, &self.motion);
                    let mut left = found.pairs & u32::from(with.mask);
                    let mut deepest = f32::INFINITY;
                    while left != 0 {
                        let lane = left.trailing_zeros() as usize % PAIRS;
                        left &= left - 1;
                        match lead([&self.a, &self.b], a, node_a, &with, node_b, lane) {
                            Lead::Nowhere => {}
                            Lead::Leaves(leaf_a, leaf_b) => {
                                queue[queued % QUEUE] = (leaf_a, leaf_b);
                                queued += 1;
                            }
                            Lead::Nodes(a, with) if found.depths[lane] < deepest => {
                                deepest = found.depths[lane];
                                if let Some((a, with)) = next.replace((a, with)) {
                                    stack.push(a, with);
                                }
                            }
                            Lead::Nodes(a, with) => stack.push(a, with),
                        }
                    }
                }
            }
            next = next.or_else(
                #[inline(always)]
                || stack.pop(),
            );
            if aim == Aim::Any || queued > QUEUE - PAIRS || next.is_none() {
                for (leaf_a, leaf_b) in &queue[..queued.min(QUEUE)] {
                    if self.test_leaves(*leaf_a, *leaf_b, &mut rooms)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                queued = 0;
            }
            if next.is_none() {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }

    /// Tells of the pairs of two leaves that meet.
    #[inline(always)]
    fn test_leaves(
        &mut self,
        leaf_a: Leaf,
        leaf_b: Leaf,
        rooms: &mut [ObbLeaf; 2],
    ) -> Result<ControlFlow<()>, Exhausted> {
        let [room_a, room_b] = rooms;
        self.effort.spend()?;
        self.effort.leaf_pairs += 1;
        let (Some(a), Some(b)) = (self.a.leaf(leaf_a, room_a), self.b.leaf(leaf_b, room_b)) else {
            return Ok(ControlFlow::Continue(()));
        };
        let verdict = judge(self.simd, a, b, &self.motion);
        let rows = (1u32 << (OBB_WIDTH as u32 * leaf_a.triangles)) - 1;
        let used = rows & (0x1111 * ((1 << leaf_b.triangles) - 1));
        let mut left = (verdict.meet | verdict.unsure) & used;
        while left != 0 {
            let lane = left.trailing_zeros() as usize % PAIRS;
            left &= left - 1;
            let (i, j) = (lane / OBB_WIDTH, lane % OBB_WIDTH);
            if verdict.unsure & 1 << lane != 0 && !self.decide((leaf_a, a, i), (leaf_b, b, j)) {
                continue;
            }
            let pair = Pair { a: a.triangles[i], b: b.triangles[j] };
            if self.speaks_for((leaf_a, a, i), (leaf_b, b, j)) && (self.visit)(pair).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether two triangles meet, exactly.
    #[cold]
    #[inline(never)]
    fn decide(&mut self, a: Lane<'_>, b: Lane<'_>) -> bool {
        self.effort.exact_tests += 1;
        let (Some(a), Some(b)) = (self.a.corners(a.0, a.1, a.2), self.b.corners(b.0, b.1, b.2)) else {
            return false;
        };
        let pose = self.motion.pose();
        meet(&a.map(|corner| corner.map(f64::from)), &b.map(|corner| pose.apply(corner.map(f64::from))))
    }

    /// Whether these are the leaves for which the walk speaks of a pair that it may come to several times.
    #[inline(always)]
    fn speaks_for(&self, a: Lane<'_>, b: Lane<'_>) -> bool {
        !(self.a.repeats() || self.b.repeats()) || self.are_first(a, b)
    }

    /// A split triangle is in several blocks, whose boxes hold a part of it each. Where a part of one touches a part of
    /// the other, or all of it, the walk comes to the blocks of both, since all volumes around them touch. Of two
    /// triangles that meet, some parts do; the first two have the word.
    #[cold]
    #[inline(never)]
    fn are_first(&self, a: Lane<'_>, b: Lane<'_>) -> bool {
        for (block_a, part_a) in self.a.parts_of(a.0, a.1, a.2) {
            for (block_b, part_b) in self.b.parts_of(b.0, b.1, b.2) {
                if part_a.touches(&part_b.moved(self.motion.pose())) {
                    return block_a == self.a.block_of(a.0) && block_b == self.b.block_of(b.0);
                }
            }
        }
        true
    }
}

/// A leaf, its record and a lane of it.
type Lane<'a> = (Leaf, &'a ObbLeaf, usize);

/// Where a pair of children leads.
#[inline(always)]
pub(super) fn lead(
    trees: [&PairTree<'_>; 2],
    a: u32,
    node_a: &ObbNode,
    with: &With,
    node_b: &ObbNode,
    lane: usize,
) -> Lead {
    let (i, j) = (lane / OBB_WIDTH, lane % OBB_WIDTH);
    match (trees[0].link(a, node_a.children[i]), trees[1].link(with.b, node_b.children[j])) {
        (Link::Empty, _) | (_, Link::Empty) => Lead::Nowhere,
        (Link::Node(a), Link::Node(b)) => Lead::Nodes(a, With { b, mask: ALL }),
        // A leaf goes on as a row or a column of its parent.
        (Link::Leaf(_), Link::Node(b)) => Lead::Nodes(a, With { b, mask: 0xf << (OBB_WIDTH * i) }),
        (Link::Node(a), Link::Leaf(_)) => Lead::Nodes(a, With { b: with.b, mask: 0x1111 << j }),
        (Link::Leaf(a), Link::Leaf(b)) => Lead::Leaves(a, b),
    }
}

/// Where a pair of children leads.
pub(super) enum Lead {
    Nowhere,
    Leaves(Leaf, Leaf),
    Nodes(u32, With),
}
