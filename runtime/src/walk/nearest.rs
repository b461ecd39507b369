//! The walk of a closest-point query: the nearest boxes first, sorted by distance.

use bvhc_format::record::{ChildRef, NODE_WIDTH, WideNode};
use fearless_simd::{Select, SimdBase, SimdMask, f32x8};

use super::{Budget, Probe, Visit, as_block};
use crate::model::Model;
use crate::simd::Kernel;
use crate::stack::Stack;

/// The square of a box's distance is rounded by at most 8 units; bounds are taken off by that much.
const ROUNDING: f32 = 1.0 - 8.0 * f32::EPSILON;

/// Calls `visit` with each block whose box may be within the limit, a finite squared distance, which
/// starts at `limit` and becomes what `visit` returns. Empty slots are infinitely far away.
#[inline(always)]
pub(crate) fn walk<'a, S: Kernel, P: Probe>(
    simd: S,
    model: &'a Model<'a>,
    point: [f32; 3],
    mut limit: f32,
    probe: &mut P,
    mut visit: impl FnMut(Visit<'a>, &mut P) -> f32,
) {
    let mut stack = Stack::new();
    let mut budget = Budget::of(model);
    stack.push(ChildRef::node(0).0, 0.0);
    while let Some((child, bound)) = stack.pop() {
        if bound > limit {
            continue;
        }
        if !budget.spend() {
            return;
        }
        if let Some(index) = as_block(child) {
            if let Some(found) = Visit::new(model, index, probe) {
                limit = visit(found, probe);
            }
        } else if let Some(node) = model.nodes().get(child as usize) {
            probe.visits_node();
            push_near_children(simd, node, point, limit, &mut stack);
        }
    }
}

/// Pushes the children whose boxes may be within the limit, the nearest last.
#[inline(always)]
fn push_near_children<S: Kernel>(simd: S, node: &WideNode, point: [f32; 3], limit: f32, stack: &mut Stack) {
    let zero = f32x8::splat(simd, 0.0);
    let gap = |axis: usize| {
        let lower = f32x8::load_array_ref(simd, &node.planes[2 * axis]) - point[axis];
        let upper = f32x8::splat(simd, point[axis]) - f32x8::load_array_ref(simd, &node.planes[2 * axis + 1]);
        lower.max(upper).max(zero)
    };
    let (x, y, z) = (gap(0), gap(1), gap(2));
    let bounds = (x * x + y * y + z * z) * ROUNDING;
    let near = bounds.simd_le(limit);
    let count = near.to_bitmask().count_ones() as usize;
    if count == 0 {
        return;
    }
    // Each child's place is the number of those farther away; of equals, the lower slot comes first.
    let keys = near.select(bounds, f32x8::splat(simd, OUT_OF_REACH));
    let values = keys.to_array();
    let mut sorted = [(ChildRef::EMPTY.0, 0.0); NODE_WIDTH];
    let mut left = near.to_bitmask();
    while left != 0 {
        let slot = left.trailing_zeros() as usize % NODE_WIDTH;
        left &= left - 1;
        let farther = keys.simd_gt(values[slot]).to_bitmask();
        let equal = keys.simd_eq(values[slot]).to_bitmask() & ((1 << slot) - 1);
        let place = (farther | equal).count_ones() as usize % NODE_WIDTH;
        sorted[place] = (node.children[slot], values[slot]);
    }
    for (child, bound) in sorted.into_iter().take(count) {
        stack.push(child, bound);
    }
}

/// Sorts behind every squared distance.
const OUT_OF_REACH: f32 = -1.0;
