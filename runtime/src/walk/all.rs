//! The walk of winding numbers: every block whose box touches a box, in any order.

use core::ops::ControlFlow;

use bvhc_format::record::{Block, ChildRef, NODE_WIDTH, WideNode};

use super::probe::Sink;
use super::{Budget, Visit, as_block};
use crate::bounds::Aabb;
use crate::math::vector::Map3;
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
        step(
            simd,
            model,
            child,
            query_box,
            (&mut stack, &mut scratch),
            sink,
            // Not `&mut visit`: its call is not inlined where crates are compiled in several units, as is usual.
            #[inline(always)]
            |found, sink| visit(found, sink),
        )?;
    }
    ControlFlow::Continue(())
}

/// Visits a child: calls `visit` with a block, or pushes the children of a node.
#[inline(always)]
pub(crate) fn step<S: Kernel, P: Sink>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    query_box: &Aabb,
    (stack, scratch): (&mut Stack, &mut Block),
    sink: &mut P,
    mut visit: impl FnMut(Visit<'_>, &mut P) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if let Some(reference) = as_block(child) {
        if let Some(block) = model.sections().blocks().fetch(simd, reference, scratch) {
            visit(Visit::new(model, reference, block, sink), sink)?;
        }
    } else if let Some(node) = model.sections().nodes().get(child as usize) {
        sink.visits_node();
        push_touched(simd, node, query_box, stack);
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
    let [x, y, z] = [0, 1, 2].map3(
        #[inline(always)]
        |axis| {
            let lower = S::Sixteen::load(simd, &node.planes[2 * axis]);
            let upper = S::Sixteen::load(simd, &node.planes[2 * axis + 1]);
            let [min, max] = [query_box.min[axis], query_box.max[axis]];
            [[lower, S::Sixteen::splat(simd, max)], [S::Sixteen::splat(simd, min), upper]]
        },
    );
    S::Sixteen::all_at_most([x[0], x[1], y[0], y[1], z[0], z[1]])
}
