//! The collision walk: sixteen box pairs per step, sixteen triangle pairs per leaf pair.
//!
//! Based on: Gottschalk, "Collision Queries using Oriented Bounding Boxes", 2000. Departures: both nodes are opened at
//! once, unless the boxes of one are much larger; a leaf or much smaller box against a node is tested again as a row or column of its
//! parent's step; if any pair will do, the walk continues with the boxes that overlap most deeply.

use core::ops::ControlFlow;

use bvhc_format::obb::PAIR_WIDTH;

use super::{CAPACITY, Links, With, most_steps};
use crate::math::vector::Map3;
use crate::pair::answers::{EXACT_STEPS, Exhausted, Pair, WorkBudget};
use crate::pair::leaf::{Leaf, LeafCache, LeafScratch, Triangles};
use crate::pair::relative_pose::RelativePose;
use crate::pair::sets::{
    ALL, PAIRS, column_of, columns, columns_of, first_pairs, lanes, row_of, rows, rows_of,
};
use crate::pair::tree::{Link, PairTree};
use crate::pair::triangle::classify::classify;
use crate::pair::triangle::meet::meet;
use crate::pair::volumes::{Opened, Side, Volumes};
use crate::simd::Kernel;
use crate::stack::{FixedStack, Stack};

/// How many leaf pairs are queued before they are tested in one go.
const QUEUE: usize = 64;

/// What a walk is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Any pair: deepest overlaps first, leaves tested immediately.
    Any,
    /// All pairs, in any order.
    All,
}

/// State of a walk.
struct Walk<'a, 'v, S: Kernel> {
    simd: S,
    a: PairTree<'a>,
    b: PairTree<'a>,
    pose: RelativePose,
    budget: &'v mut WorkBudget,
    /// What the budget has beyond the bound that ends walks in corrupt files: for steps that are no visits.
    beyond: u64,
    /// How many pairs may still be reported. More than there are triangles to pair are a sign of a corrupt file.
    reports: u64,
    visit: &'v mut dyn FnMut(Pair) -> ControlFlow<()>,
}

/// Calls `visit` with pairs of triangles that meet, each once, until it returns `Break`.
#[inline(always)]
pub(crate) fn walk<S: Kernel>(
    simd: S,
    [a, b]: [PairTree<'_>; 2],
    volumes: &mut (impl Volumes<S> + ?Sized),
    pose: RelativePose,
    aim: Aim,
    budget: &mut WorkBudget,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Exhausted> {
    let beyond = budget.left.saturating_sub(most_steps(&a, &b));
    budget.left -= beyond;
    let reports = a.triangle_count().saturating_mul(b.triangle_count());
    let mut walk = Walk { simd, a, b, pose, budget, beyond, reports, visit };
    let result = walk.run(volumes, aim);
    walk.budget.left += walk.beyond;
    result
}

impl<S: Kernel> Walk<'_, '_, S> {
    #[inline(always)]
    fn run(
        &mut self,
        volumes: &mut (impl Volumes<S> + ?Sized),
        aim: Aim,
    ) -> Result<ControlFlow<()>, Exhausted> {
        let mut agenda = Agenda::new(self.a.root(), self.b.root());
        let pose = self.pose;
        let (mut of_a, mut of_b) = (LeafScratch::new(), LeafScratch::new());
        let mut leaves = [LeafCache::of_a(&mut of_a), LeafCache::of_b(&mut of_b, &pose)];
        while agenda.has_nodes() {
            if let Some((a, with)) = agenda.next() {
                self.budget.spend()?;
                self.budget.node_pairs += 1;
                self.open(volumes, a, with, &mut agenda);
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

    /// Puts the child pairs that may touch on the agenda.
    #[inline(always)]
    fn open(
        &self,
        volumes: &mut (impl Volumes<S> + ?Sized),
        a: u32,
        With { b, mask }: With,
        agenda: &mut Agenda,
    ) {
        let opened = volumes.overlaps(self.simd, [a, b], &self.pose, u32::from(mask));
        let Some(Opened { children: [of_a, of_b], found }) = opened else { return };
        let pairs = found.pairs;
        let (links_a, links_b) = (Links::of(&self.a, a, of_a), Links::of(&self.b, b, of_b));
        let (in_a, in_b) = (rows(links_a.leaves()), columns(links_b.leaves()));
        for lane in lanes(pairs & in_a & in_b) {
            if let (Link::Leaf(a), Link::Leaf(b)) = (links_a.get(row_of(lane)), links_b.get(column_of(lane)))
            {
                agenda.queue.push((a, b));
            }
        }
        // What is not gone down: leaves, and the smaller boxes, unless the others are leaves.
        let (stays_a, stays_b) = match found.larger {
            Some(Side::A) => (in_a, in_b | !in_a),
            Some(Side::B) => (in_a | !in_b, in_b),
            None => (in_a, in_b),
        };
        for lane in lanes(pairs & !stays_a & !stays_b) {
            if let (Link::Node(a), Link::Node(b)) = (links_a.get(row_of(lane)), links_b.get(column_of(lane)))
            {
                agenda.offer(a, With { b, mask: ALL }, found.depths[lane]);
            }
        }
        if pairs & (stays_a ^ stays_b) == 0 {
            return;
        }
        // They continue as rows or columns of their parent: all those that may touch the same node, in one step.
        for column in 0..PAIR_WIDTH {
            let same = pairs & stays_a & !stays_b & columns(1 << column);
            if same != 0
                && let Link::Node(b) = links_b.get(column)
            {
                agenda.offer(a, With { b, mask: rows_of(same) }, deepest(&found.depths, same));
            }
        }
        for row in 0..PAIR_WIDTH {
            let same = pairs & !stays_a & stays_b & rows(1 << row);
            if same != 0
                && let Link::Node(a) = links_a.get(row)
            {
                agenda.offer(a, With { b, mask: columns_of(same) }, deepest(&found.depths, same));
            }
        }
    }

    /// Reports the pairs of triangles of two leaves that meet.
    #[inline(always)]
    fn test_leaves(
        &mut self,
        leaf_a: Leaf,
        leaf_b: Leaf,
        [cache_a, cache_b]: &mut [LeafCache<'_>; 2],
    ) -> Result<ControlFlow<()>, Exhausted> {
        self.budget.spend()?;
        self.budget.leaf_pairs += 1;
        let (Some(a), Some(b)) =
            (self.a.triangles(self.simd, leaf_a, cache_a), self.b.triangles(self.simd, leaf_b, cache_b))
        else {
            return Ok(ControlFlow::Continue(()));
        };
        let classification = classify(self.simd, a, b, &self.pose);
        let used = first_pairs(leaf_a.triangles, leaf_b.triangles);
        for lane in lanes((classification.meet | classification.unsure) & used) {
            let (of_a, of_b) = ((leaf_a, a, row_of(lane)), (leaf_b, b, column_of(lane)));
            if classification.unsure & 1 << lane != 0 && !self.decide(of_a, of_b)? {
                continue;
            }
            if self.is_reporting_reference(of_a, of_b)? && self.report(of_a, of_b)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    #[inline(always)]
    fn report(&mut self, a: Lane<'_>, b: Lane<'_>) -> Result<ControlFlow<()>, Exhausted> {
        self.reports = self.reports.checked_sub(1).ok_or(Exhausted)?;
        Ok(match (self.a.number(a.1, a.2), self.b.number(b.1, b.2)) {
            (Some(a), Some(b)) => (self.visit)(Pair { a, b }),
            _ => ControlFlow::Continue(()),
        })
    }

    /// Whether two triangles meet, exactly.
    #[cold]
    #[inline(never)]
    fn decide(&mut self, a: Lane<'_>, b: Lane<'_>) -> Result<bool, Exhausted> {
        self.budget.triangle_pairs += 1;
        self.budget.exact_tests += 1;
        self.budget.spend_beyond(1 + EXACT_STEPS, &mut self.beyond)?;
        let (Some(a), Some(b)) = (self.a.corners(a.1, a.2), self.b.corners(b.1, b.2)) else {
            return Ok(false);
        };
        let pose = self.pose.pose();
        Ok(meet(
            &a.map3(|corner| corner.map3(f64::from)),
            &b.map3(|corner| pose.apply(corner.map3(f64::from))),
        ))
    }

    /// Whether these leaves are the reporting reference of a pair that the walk may find several times.
    #[inline(always)]
    fn is_reporting_reference(&mut self, a: Lane<'_>, b: Lane<'_>) -> Result<bool, Exhausted> {
        if self.a.repeats() || self.b.repeats() { self.are_first(a, b) } else { Ok(true) }
    }

    /// A split triangle is in several blocks, whose boxes each hold a part of it. Where a part of one triangle touches
    /// a part of the other (or an unsplit one), the walk finds both, since all volumes around parts hold them whole.
    /// If two triangles meet, some of their parts do; the first two parts that touch report the pair.
    /// A step for each two parts that are compared.
    #[cold]
    #[inline(never)]
    fn are_first(&mut self, a: Lane<'_>, b: Lane<'_>) -> Result<bool, Exhausted> {
        for (block_a, part_a) in self.a.parts_of(a.0, a.1, a.2) {
            for (block_b, part_b) in self.b.parts_of(b.0, b.1, b.2) {
                self.budget.part_tests += 1;
                self.budget.spend_beyond(1, &mut self.beyond)?;
                if part_a.touches(&part_b.transformed(self.pose.pose())) {
                    return Ok(block_a == self.a.block_of(a.0) && block_b == self.b.block_of(b.0));
                }
            }
        }
        Ok(true)
    }
}

/// The depth of the deepest of these pairs.
#[inline(always)]
fn deepest(depths: &[f32; PAIRS], pairs: u32) -> f32 {
    lanes(pairs).fold(f32::INFINITY, |least, lane| least.min(depths[lane]))
}

/// A leaf, its triangles and a lane.
type Lane<'a> = (Leaf, &'a Triangles, usize);

/// Work still to do.
struct Agenda {
    stack: Stack<With, CAPACITY>,
    /// The node pair to open next, before the stack, and its depth (the smaller, the deeper).
    first: Option<(u32, With)>,
    deepest: f32,
    /// Leaf pairs to test.
    queue: FixedStack<(Leaf, Leaf), QUEUE>,
}

impl Agenda {
    /// Starts with the roots.
    #[inline(always)]
    fn new(a: u32, b: u32) -> Self {
        let roots = (a, With { b, mask: ALL });
        Self { stack: Stack::new(), first: Some(roots), deepest: 0.0, queue: FixedStack::new() }
    }

    #[inline(always)]
    fn has_nodes(&self) -> bool {
        self.first.is_some() || !self.stack.is_empty()
    }

    /// The deepest node pair offered since the last call, else the top of the stack.
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
