//! The walk of winding numbers: every block whose box touches a box, in any order.

use core::ops::ControlFlow;

use bvhc_format::record::{Block, ChildRef, NODE_WIDTH, WideNode};

use super::probe::Sink;
use super::{Budget, Visit, as_block};
use crate::bounds::Aabb;
use crate::model::Model;
use crate::simd::Kernel;
use crate::simd::sixteen::Sixteen;
use crate::stack::Stack;

/// Calls `visit` with each block below a child reference whose box touches `query_box`; the box test is exact.
#[inline(always)]
pub(crate) fn walk<S: Kernel, P: Sink>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    query_box: &Aabb,
    sink: &mut P,
    mut visit: impl FnMut(Visit<'_>, &mut P) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut stack: Stack = Stack::new();
    let mut scratch = Block::EMPTY;
    let mut budget = Budget::of(model);
    stack.push(child, 0.0);
    while let Some((child, _)) = stack.pop() {
        if !budget.spend() {
            break;
        }
        if let Some(reference) = as_block(child) {
            if let Some(block) = model.sections().blocks().fetch(simd, reference, &mut scratch) {
                visit(Visit::new(model, reference, block, sink), sink)?;
            }
            continue;
        }
        let Some(node) = model.sections().nodes().get(child as usize) else { continue };
        sink.visits_node();
        push_touched(simd, node, query_box, &mut stack);
    }
    ControlFlow::Continue(())
}

/// Pushes the children of a node whose boxes touch `query_box`.
#[inline(always)]
pub(crate) fn push_touched<S: Kernel>(simd: S, node: &WideNode, query_box: &Aabb, stack: &mut Stack) {
    let mut touched = meets(simd, node, query_box);
    while touched != 0 {
        let child = node.children[touched.trailing_zeros() as usize % NODE_WIDTH];
        touched &= touched - 1;
        // A box that extends beyond 1e30 touches the planes of empty slots.
        if child != ChildRef::EMPTY.0 {
            stack.push(child, 0.0);
        }
    }
}

/// The slots of a node whose boxes touch `query_box`.
#[inline(always)]
pub(crate) fn meets<S: Kernel>(simd: S, node: &WideNode, query_box: &Aabb) -> u32 {
    let mut touched = (1 << NODE_WIDTH) - 1;
    for axis in 0..3 {
        let lower = S::Sixteen::load(simd, &node.planes[2 * axis]);
        let upper = S::Sixteen::load(simd, &node.planes[2 * axis + 1]);
        touched &= lower.at_most(S::Sixteen::splat(simd, query_box.max[axis]));
        touched &= S::Sixteen::splat(simd, query_box.min[axis]).at_most(upper);
    }
    touched
}
