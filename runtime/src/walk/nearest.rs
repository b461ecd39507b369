//! The walk of a closest-point query: continues with the nearest box of a node and stacks the others.
//!
//! The node or block after a block is chosen before the block is visited, from the sixteen on top of the stack. The
//! only branch to predict is whether the visit changes the choice, and the prefetch is of what is in fact visited next.
//!
//! Tried: sorting all children by distance (saves 2 % of the visits, since most stacked children are never visited, and
//! costs a third more instructions); a special case for a single child within the limit (mispredicted); raising the
//! limit instead of lowering the bounds (no difference); choosing after the visit (the next step then waits for its
//! result), or visiting all blocks of a node in an inner loop (the same); comparing the nearest children of the halves
//! without a branch (4 to 10 % slower near the surface: starting speculatively on the predicted child is worth more).

use bvhc_format::record::{Block, NODE_WIDTH, WideNode};

use super::interleaved::{INTERLEAVED, Walks, run};
use super::probe::Sink;
use super::{Budget, ROOT, Visit, as_block, prefetch_child, prefetch_children};
use crate::model::Model;
use crate::simd::Kernel;
use crate::simd::sixteen::Sixteen;
use crate::stack::Stack;

/// The squared distance to a box has an error of at most 8 units; bounds are lowered by that much. Squares that
/// underflow are negligible against the smallest possible limit.
const ROUNDING: f32 = 1.0 - 8.0 * f32::EPSILON;

/// What is searched for around a point.
pub(crate) trait Search {
    /// The squared distance beyond which nothing matters; finite.
    fn limit(&self) -> f32;

    /// Visits a block's triangles; returns the limit from then on.
    fn visit<S: Kernel>(
        &mut self,
        simd: S,
        model: &Model<'_>,
        point: [f32; 3],
        visit: Visit<'_>,
        sink: &mut impl Sink,
    ) -> f32;
}

/// Passes `search` each block below a child reference whose box may be within its limit. Empty slots are infinitely far away.
///
/// In a large model all children that may be visited are prefetched when they are stacked. This pays off if the model is in no
/// cache.
#[inline(always)]
pub(crate) fn walk<S: Kernel>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    point: [f32; 3],
    search: &mut impl Search,
    sink: &mut impl Sink,
) {
    let mut stack: Stack = Stack::new();
    stack.reset_to_sentinels();
    let mut scratch = Block::EMPTY;
    let mut budget = Budget::of(model);
    let mut walker = Walker { point, child, limit: search.limit(), search };
    let ahead = model.is_large();
    while budget.spend() {
        if !walker.step(simd, model, ahead, &mut stack, &mut scratch, sink) {
            return;
        }
    }
}

/// The walk of one point.
struct Walker<'p, T> {
    point: [f32; 3],
    /// What is visited next.
    child: u32,
    limit: f32,
    search: &'p mut T,
}

impl<T: Search> Walker<'_, T> {
    /// Makes a visit and chooses the next one; returns whether there is one.
    #[inline(always)]
    fn step<S: Kernel>(
        &mut self,
        simd: S,
        model: &Model<'_>,
        ahead: bool,
        stack: &mut Stack,
        scratch: &mut Block,
        sink: &mut impl Sink,
    ) -> bool {
        if let Some(reference) = as_block(self.child) {
            // Chosen before the visit, so as not to wait for it; the visit rarely changes the choice.
            let next = stack.pop_up_to(simd, self.limit);
            if let Some((next, _)) = next {
                prefetch_child(model, next);
            }
            if let Some(block) = model.sections().blocks().fetch(simd, reference, scratch) {
                let visit = Visit::new(model, reference, block, sink);
                self.limit = self.search.visit(simd, model, self.point, visit, sink);
            }
            let Some((next, bound)) = next else { return false };
            if bound <= self.limit {
                self.child = next;
                return true;
            }
        } else if let Some(node) = model.sections().nodes().get(self.child as usize) {
            sink.visits_node();
            let (nearest, others) = descend(simd, node, self.point, self.limit, stack);
            if ahead {
                prefetch_children(model, node, others);
            }
            if let Some(nearest) = nearest {
                self.child = nearest;
                return true;
            }
        }
        let next = stack.pop_up_to(simd, self.limit);
        self.child = next.map_or(self.child, |(next, _)| next);
        next.is_some()
    }
}

/// Interleaves the walks of many points. `start` creates the search of a point, if there is anything to find; `finish`
/// gets the point's index and the search.
#[inline(always)]
pub(crate) fn walk_interleaved<S: Kernel, P: Sink, T: Search>(
    simd: S,
    model: &Model<'_>,
    points: &[[f32; 3]],
    sink: &mut P,
    start: impl Fn([f32; 3]) -> Option<T>,
    finish: impl FnMut(usize, T, &mut P),
) {
    let stacks = [const { Stack::new() }; INTERLEAVED];
    let mut walks =
        Points { simd, model, points, next: 0, stacks, scratch: Block::EMPTY, sink, start, finish };
    run(&mut walks, model);
}

struct Points<'a, S, P, F, G> {
    simd: S,
    model: &'a Model<'a>,
    points: &'a [[f32; 3]],
    /// The index of the next point to start.
    next: usize,
    stacks: [Stack; INTERLEAVED],
    scratch: Block,
    sink: &'a mut P,
    start: F,
    finish: G,
}

/// The state of a walk while others take their turns.
struct Paused<T> {
    number: usize,
    child: u32,
    limit: f32,
    search: T,
}

impl<S, P, T, F, G> Walks for Points<'_, S, P, F, G>
where
    S: Kernel,
    P: Sink,
    T: Search,
    F: Fn([f32; 3]) -> Option<T>,
    G: FnMut(usize, T, &mut P),
{
    type Walker = Paused<T>;

    #[inline(always)]
    fn start(&mut self, slot: usize) -> Option<Paused<T>> {
        self.stacks[slot].reset_to_sentinels();
        while let Some(point) = self.points.get(self.next) {
            self.next += 1;
            if let Some(search) = (self.start)(*point) {
                let (child, limit) = (ROOT, search.limit());
                return Some(Paused { number: self.next - 1, child, limit, search });
            }
        }
        None
    }

    #[inline(always)]
    fn step(&mut self, slot: usize, paused: &mut Paused<T>) -> bool {
        let point = self.points[paused.number % self.points.len()];
        let mut walker =
            Walker { point, child: paused.child, limit: paused.limit, search: &mut paused.search };
        let goes_on =
            walker.step(self.simd, self.model, false, &mut self.stacks[slot], &mut self.scratch, self.sink);
        (paused.child, paused.limit) = (walker.child, walker.limit);
        if goes_on {
            prefetch_child(self.model, paused.child);
        }
        goes_on
    }

    #[inline(always)]
    fn finish(&mut self, paused: Paused<T>) {
        (self.finish)(paused.number, paused.search, self.sink);
    }
}

/// The child with the nearest box, if it may be within the limit. Other children that may be are stacked, and returned as a bit
/// mask.
#[inline(always)]
fn descend<S: Kernel>(
    simd: S,
    node: &WideNode,
    point: [f32; 3],
    limit: f32,
    stack: &mut Stack,
) -> (Option<u32>, u32) {
    let bounds = squares(simd, node, point);
    let within = bounds.at_most(S::Sixteen::splat(simd, limit));
    if within == 0 {
        return (None, 0);
    }
    let nearest = simd.least(bounds) % NODE_WIDTH;
    let others = within & !(1 << nearest);
    simd.push_some(stack, node, bounds, others);
    (Some(node.children[nearest]), others)
}

/// Lower bounds of the squared distances of a node's boxes from the point.
#[inline(always)]
fn squares<S: Kernel>(simd: S, node: &WideNode, point: [f32; 3]) -> S::Sixteen {
    let (x, y, z) = (gap(simd, node, point, 0), gap(simd, node, point, 1), gap(simd, node, point, 2));
    (x * x + y * y + z * z) * ROUNDING
}

/// The distances of the boxes from the point along an axis.
#[inline(always)]
pub(super) fn gap<S: Kernel>(simd: S, node: &WideNode, point: [f32; 3], axis: usize) -> S::Sixteen {
    let lower = S::Sixteen::load(simd, &node.planes[2 * axis]) - point[axis];
    let upper = S::Sixteen::splat(simd, point[axis]) - S::Sixteen::load(simd, &node.planes[2 * axis + 1]);
    lower.max(upper).max(S::Sixteen::splat(simd, 0.0))
}
