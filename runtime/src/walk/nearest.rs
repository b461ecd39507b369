//! The walk of a closest-point query: always on to the nearest box of a node; the others wait.
//!
//! What comes after a block is chosen before the block is visited, of sixteen that wait at once: nothing has to be guessed but
//! that the visit changes nothing, and the prefetch is of what is visited indeed.
//!
//! Tried: sorting all children by distance saves 2 % of the visits, since most that wait are never visited, and
//! costs a third more instructions; a way of its own for a single child that may be within the limit (mispredicted);
//! raising the limit instead of lowering the bounds (no difference); choosing after the visit (what comes next then waits for
//! its result), or visiting all blocks of a node in a loop of its own (likewise); the halves' nearest children compared
//! without a branch (4 to 10 % slower near the surface: what a guess may begin with is worth more).

use bvhc_format::record::{Block, ChildRef, NODE_WIDTH, WideNode};
use fearless_simd::{SimdBase, SimdMask, f32x16};

use super::{Budget, INTERLEAVED, Probe, Visit, as_block, prefetch_child};
use crate::blocks::BlockSource;
use crate::model::Model;
use crate::simd::Kernel;
use crate::stack::Stack;

/// The square of a box's distance is rounded by at most 8 units; bounds are taken off by that much. Squares that underflow
/// are nothing to the smallest limit there is.
const ROUNDING: f32 = 1.0 - 8.0 * f32::EPSILON;

/// Calls `visit` with each block whose box may be within the limit, a finite squared distance, which
/// starts at `limit` and becomes what `visit` returns. Empty slots are infinitely far away.
///
/// With `AHEAD`, all that may be visited is brought near as soon as it waits: it pays where the model is in no cache.
#[inline(always)]
pub(crate) fn walk<S: Kernel, P: Probe, const AHEAD: bool>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    point: [f32; 3],
    mut limit: f32,
    probe: &mut P,
    mut visit: impl FnMut(Visit<'_>, &mut P) -> f32,
) {
    let mut stack: Stack = Stack::grounded();
    let mut room = Block::EMPTY;
    let mut budget = Budget::of(model);
    let mut child = ChildRef::node(0).0;
    while budget.spend() {
        let next = step::<S, P, AHEAD>(
            simd,
            model,
            blocks,
            point,
            child,
            &mut limit,
            &mut stack,
            &mut room,
            probe,
            // Itself, as a reference, would not be inlined.
            #[inline(always)]
            |visited, probe| visit(visited, probe),
        );
        let Some(next) = next else { return };
        child = next;
    }
}

/// A point on its way.
struct Walker<T> {
    /// Its number.
    point: usize,
    /// What it visits at its turn.
    child: u32,
    limit: f32,
    /// What is known of it.
    found: T,
}

/// Walks with many points, a step of each by turns: what one comes to next is on its way while the others take their steps.
///
/// `start` tells what is known of a point at first and its limit, or that there is nothing to find; `visit` gets what is
/// known, and `done` gets it in the end, with the point's number.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the walk's state, which is the caller's")]
pub(crate) fn walk_interleaved<S: Kernel, P: Probe, T>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    points: &[[f32; 3]],
    probe: &mut P,
    start: impl Fn([f32; 3]) -> Option<(T, f32)>,
    mut visit: impl FnMut([f32; 3], Visit<'_>, &mut T, &mut P) -> f32,
    mut done: impl FnMut(usize, T, &mut P),
) {
    let mut budget = Budget::of_many(model, points.len() as u64);
    let mut room = Block::EMPTY;
    let mut stacks: [Stack; INTERLEAVED] = [const { Stack::new() }; INTERLEAVED];
    let mut walkers: [Option<Walker<T>>; INTERLEAVED] = [const { None }; INTERLEAVED];
    let mut waiting = points.iter().enumerate().filter_map(|(point, place)| {
        let (found, limit) = start(*place)?;
        Some(Walker { point, child: ChildRef::node(0).0, limit, found })
    });
    let (mut turn, mut idle) = (0, 0);
    while idle < INTERLEAVED {
        turn = (turn + 1) % INTERLEAVED;
        let (place, stack) = (&mut walkers[turn], &mut stacks[turn]);
        let Some(walker) = place else {
            stack.ground();
            *place = waiting.next();
            idle = if place.is_some() { 0 } else { idle + 1 };
            continue;
        };
        idle = 0;
        if !budget.spend() {
            break;
        }
        let Walker { point: number, child, limit, found } = walker;
        let point = points[*number % points.len()];
        let next = step::<S, P, false>(
            simd,
            model,
            blocks,
            point,
            *child,
            limit,
            stack,
            &mut room,
            probe,
            #[inline(always)]
            |visited, probe| visit(point, visited, found, probe),
        );
        if let Some(next) = next {
            *child = next;
            prefetch_child(model, &blocks, next);
        } else if let Some(walker) = place.take() {
            done(walker.point, walker.found, probe);
        }
    }
    // In a corrupt file the visits may run out: what was found until then is told.
    for walker in walkers.into_iter().flatten() {
        done(walker.point, walker.found, probe);
    }
}

/// Visits a child; what is to be visited next, if anything.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the walk's state, which is the caller's")]
fn step<S: Kernel, P: Probe, const AHEAD: bool>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    point: [f32; 3],
    child: u32,
    limit: &mut f32,
    stack: &mut Stack,
    room: &mut Block,
    probe: &mut P,
    visit: impl FnOnce(Visit<'_>, &mut P) -> f32,
) -> Option<u32> {
    if let Some(reference) = as_block(child) {
        // Chosen before the visit, which seldom changes it and need not be waited for then.
        let next = stack.pop_up_to(simd, *limit);
        if let Some((next, _)) = next {
            prefetch_child(model, &blocks, next);
        }
        if let Some(block) = blocks.fetch(simd, reference, room) {
            *limit = visit(Visit::new(model, reference, block, probe), probe);
        }
        let (next, bound) = next?;
        if bound <= *limit {
            return Some(next);
        }
    } else if let Some(node) = model.nodes().get(child as usize) {
        probe.visits_node();
        let (nearest, others) = descend(simd, node, point, *limit, stack);
        if AHEAD {
            prefetch_children(model, &blocks, node, others);
        }
        if nearest.is_some() {
            return nearest;
        }
    }
    stack.pop_up_to(simd, *limit).map(|(next, _)| next)
}

/// The child whose box is nearest, if one may be within the limit; others that may go on the stack, and have a bit each.
#[inline(always)]
fn descend<S: Kernel>(
    simd: S,
    node: &WideNode,
    point: [f32; 3],
    limit: f32,
    stack: &mut Stack,
) -> (Option<u32>, u32) {
    let (x, y, z) = (gap(simd, node, point, 0), gap(simd, node, point, 1), gap(simd, node, point, 2));
    let bounds = (x * x + y * y + z * z) * ROUNDING;
    let within = bounds.simd_le(limit);
    let bits = within.to_bitmask();
    if bits == 0 {
        return (None, 0);
    }
    let nearest = simd.least(bounds) % NODE_WIDTH;
    let others = bits as u32 & !(1 << nearest);
    simd.push_some(stack, node, bounds, others);
    (Some(node.children[nearest]), others)
}

#[inline(always)]
fn prefetch_children(model: &Model<'_>, blocks: &impl BlockSource, node: &WideNode, mut slots: u32) {
    while slots != 0 {
        prefetch_child(model, blocks, node.children[slots.trailing_zeros() as usize % NODE_WIDTH]);
        slots &= slots - 1;
    }
}

/// How far the boxes are from the point along an axis.
#[inline(always)]
fn gap<S: Kernel>(simd: S, node: &WideNode, point: [f32; 3], axis: usize) -> f32x16<S> {
    let lower = f32x16::load_array_ref(simd, &node.planes[2 * axis]) - point[axis];
    let upper = f32x16::splat(simd, point[axis]) - f32x16::load_array_ref(simd, &node.planes[2 * axis + 1]);
    lower.max(upper).max(f32x16::splat(simd, 0.0))
}
