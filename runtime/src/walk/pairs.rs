//! The walk through two trees at once: sixteen pairs of boxes a step, sixteen pairs of triangles a pair of leaves.
//!
//! Based on: Gottschalk, "Collision Queries using Oriented Bounding Boxes", 2000. Departures: both nodes are opened at
//! once; a leaf against a node goes on as a part of its parent's step; where any pair will do, the walk goes on with the
//! boxes that are deepest into each other.

use core::ops::ControlFlow;

use bvhc_format::obb::{PAIR_WIDTH, PairLeaf};

use crate::pair_tree::{Leaf, LeafScratch, Link, PairTree};
use crate::query::{Exhausted, Pair, WorkBudget};
use crate::simd::Kernel;
use crate::stack::{FixedStack, Stack};
use crate::triangle::meet::meet;
use crate::triangle::pair::classify;
use crate::volume::Volume;
use crate::volume::obb::{Motion, PAIRS};
use crate::walk::grid::{
    ALL, CAPACITY, Links, With, column_of, columns, columns_of, lanes, row_of, rows, rows_of,
};

/// How many pairs of leaves wait until they are tested in one go.
const QUEUE: usize = 64;

/// What a walk is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Any pair: the deepest boxes first, leaves at once.
    Any,
    /// All pairs, in any order.
    All,
}

/// The state of a walk.
struct Walk<'a, 'v, S: Kernel, V: Volume> {
    simd: S,
    a: PairTree<'a>,
    b: PairTree<'a>,
    volume: &'v V,
    motion: Motion,
    budget: &'v mut WorkBudget,
    visit: &'v mut dyn FnMut(Pair) -> ControlFlow<()>,
}

/// Calls `visit` with pairs of triangles that meet, each once, until it says `Break`.
#[inline(always)]
pub(crate) fn walk<S: Kernel, V: Volume>(
    simd: S,
    [a, b]: [PairTree<'_>; 2],
    volume: &V,
    motion: Motion,
    aim: Aim,
    budget: &mut WorkBudget,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Exhausted> {
    // In corrupt files, where nodes may have many parents, this is what ends the walk.
    let most = a.size().saturating_mul(b.size()).saturating_mul(PAIRS as u64);
    let kept = budget.left.saturating_sub(most);
    budget.left -= kept;
    let mut walk = Walk { simd, a, b, volume, motion, budget, visit };
    let result = walk.run(aim);
    budget.left += kept;
    result
}

impl<S: Kernel, V: Volume> Walk<'_, '_, S, V> {
    #[inline(always)]
    fn run(&mut self, aim: Aim) -> Result<ControlFlow<()>, Exhausted> {
        let mut agenda = Agenda::new(self.a.root(), self.b.root());
        let mut nodes = [V::room(), V::room()];
        let mut leaves = [LeafScratch::EMPTY; 2];
        while agenda.has_nodes() {
            if let Some((a, with)) = agenda.next() {
                self.budget.spend()?;
                self.budget.node_pairs += 1;
                self.open(a, with, &mut nodes, &mut agenda);
            }
            if aim == Aim::Any || agenda.queue.len() > QUEUE - PAIRS || !agenda.has_nodes() {
                while let Some((a, b)) = agenda.queue.pop() {
                    if self.test_leaves(a, b, &mut leaves)?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Puts the pairs of children that may touch on the agenda.
    #[inline(always)]
    fn open(&self, a: u32, With { b, mask }: With, rooms: &mut [V::Room; 2], agenda: &mut Agenda) {
        let [room_a, room_b] = rooms;
        let (Some(node_a), Some(node_b)) = (V::node(&self.a, a, room_a), V::node(&self.b, b, room_b)) else {
            return;
        };
        let found = self.volume.overlaps(self.simd, node_a, node_b, &self.motion, u32::from(mask));
        let pairs = found.pairs;
        let (links_a, links_b) = (Links::of::<V>(&self.a, a, node_a), Links::of::<V>(&self.b, b, node_b));
        let (in_a, in_b) = (rows(links_a.leaves()), columns(links_b.leaves()));
        for lane in lanes(pairs & in_a & in_b) {
            if let (Link::Leaf(a), Link::Leaf(b)) = (links_a.get(row_of(lane)), links_b.get(column_of(lane)))
            {
                agenda.queue.push((a, b));
            }
        }
        for lane in lanes(pairs & !in_a & !in_b) {
            if let (Link::Node(a), Link::Node(b)) = (links_a.get(row_of(lane)), links_b.get(column_of(lane)))
            {
                agenda.offer(a, With { b, mask: ALL }, found.depths[lane]);
            }
        }
        if pairs & (in_a ^ in_b) == 0 {
            return;
        }
        // Leaves go on as rows or columns of their parent: all that may touch the same node, in one step.
        for column in 0..PAIR_WIDTH {
            let same = pairs & in_a & !in_b & columns(1 << column);
            if same != 0
                && let Link::Node(b) = links_b.get(column)
            {
                let (mask, lane) = (rows_of(same), same.trailing_zeros() as usize % PAIRS);
                agenda.offer(a, With { b, mask }, found.depths[lane]);
            }
        }
        for row in 0..PAIR_WIDTH {
            let same = pairs & !in_a & in_b & rows(1 << row);
            if same != 0
                && let Link::Node(a) = links_a.get(row)
            {
                let (mask, lane) = (columns_of(same), same.trailing_zeros() as usize % PAIRS);
                agenda.offer(a, With { b, mask }, found.depths[lane]);
            }
        }
    }

    /// Tells of the pairs of two leaves that meet.
    #[inline(always)]
    fn test_leaves(
        &mut self,
        leaf_a: Leaf,
        leaf_b: Leaf,
        rooms: &mut [LeafScratch; 2],
    ) -> Result<ControlFlow<()>, Exhausted> {
        let [room_a, room_b] = rooms;
        self.budget.spend()?;
        self.budget.leaf_pairs += 1;
        let (Some(a), Some(b)) = (self.a.leaf(leaf_a, room_a), self.b.leaf(leaf_b, room_b)) else {
            return Ok(ControlFlow::Continue(()));
        };
        let classification = classify(self.simd, a, b, &self.motion);
        let rows = (1u32 << (PAIR_WIDTH as u32 * leaf_a.triangles)) - 1;
        let used = rows & (0x1111 * ((1 << leaf_b.triangles) - 1));
        for lane in lanes((classification.meet | classification.unsure) & used) {
            let (i, j) = (row_of(lane), column_of(lane));
            if classification.unsure & 1 << lane != 0 && !self.decide((leaf_a, a, i), (leaf_b, b, j)) {
                continue;
            }
            let pair = Pair { a: a.triangles[i], b: b.triangles[j] };
            if self.is_reporting_reference((leaf_a, a, i), (leaf_b, b, j)) && (self.visit)(pair).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Whether two triangles meet, exactly.
    #[cold]
    #[inline(never)]
    fn decide(&mut self, a: Lane<'_>, b: Lane<'_>) -> bool {
        self.budget.exact_tests += 1;
        let (Some(a), Some(b)) = (self.a.corners(a.0, a.1, a.2), self.b.corners(b.0, b.1, b.2)) else {
            return false;
        };
        let pose = self.motion.pose();
        meet(&a.map(|corner| corner.map(f64::from)), &b.map(|corner| pose.apply(corner.map(f64::from))))
    }

    /// Whether these are the leaves for which the walk speaks of a pair that it may come to several times.
    #[inline(always)]
    fn is_reporting_reference(&self, a: Lane<'_>, b: Lane<'_>) -> bool {
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
type Lane<'a> = (Leaf, &'a PairLeaf, usize);

/// What is left to do.
struct Agenda {
    stack: Stack<With, CAPACITY>,
    /// The nodes that come before the stack, and how deep their boxes are in each other.
    first: Option<(u32, With)>,
    deepest: f32,
    /// Leaves to test.
    queue: FixedStack<(Leaf, Leaf), QUEUE>,
}

impl Agenda {
    /// The roots.
    #[inline(always)]
    fn new(a: u32, b: u32) -> Self {
        let roots = (a, With { b, mask: ALL });
        Self { stack: Stack::new(), first: Some(roots), deepest: 0.0, queue: FixedStack::new() }
    }

    #[inline(always)]
    fn has_nodes(&self) -> bool {
        self.first.is_some() || !self.stack.is_empty()
    }

    /// The deepest nodes since the last call, or those on the stack.
    #[inline(always)]
    fn next(&mut self) -> Option<(u32, With)> {
        self.deepest = f32::INFINITY;
        match self.first.take() {
            None => self.stack.pop(),
            first => first,
        }
    }

    #[inline(always)]
    fn offer(&mut self, a: u32, with: With, depth: f32) {
        if depth < self.deepest {
            self.deepest = depth;
            if let Some((a, with)) = self.first.replace((a, with)) {
                self.stack.push(a, with);
            }
        } else {
            self.stack.push(a, with);
        }
    }
}
