//! The walk of a ray: nearest boxes first, in stored orders.
//!
//! Based on: Fuetterling, Lojewski, Pfreundt, Ebert, "Accelerated Single Ray Tracing for Wide Vector Units", 2017 (one
//! stored permutation per octant instead of a sort). Departures: the children of a node that are met are stacked
//! together, as a bit mask; levels without AVX2 pick the nearest of them instead of the first by the permutation.

pub(crate) mod interleaved;
pub(crate) mod packet;
pub(crate) mod question;

use core::hint::select_unpredictable;
use core::ops::ControlFlow;

use bvhc_format::record::{Block, NODE_WIDTH, WideNode};

use crate::math::vector::Map3;
use crate::model::Model;
use crate::ray::Frame;
use crate::simd::Kernel;
use crate::simd::sixteen::{Bits, Sixteen, SixteenBits};
use crate::stack::{NodeGroup, NodeGroupScratch, NodeGroupStack};
use crate::walk::probe::Sink;
use crate::walk::{Budget, Visit, as_block, prefetch_child};

/// The order in which a walk visits boxes.
pub(crate) trait Order {
    /// The children of a node in that order.
    type NodeGroup<'n, S: Kernel>: NodeGroup<S>;

    /// The children of a node that the ray meets, as a bit mask.
    fn arrange<'n, S: Kernel>(
        simd: S,
        boxes: &SlabTest<S>,
        node: &'n WideNode,
        limit: f32,
    ) -> (Self::NodeGroup<'n, S>, u32);
}

/// Where a walk continues.
pub(crate) struct Next {
    pub(crate) child: u32,
    /// The next candidate after that, if another child of the same node is stacked; otherwise the same.
    pub(crate) second: u32,
}

/// Nearer boxes first, approximately.
pub(crate) struct NearestFirst;

/// The cheapest order. If the first hit ends the walk, visiting the nearest first gains nothing; the limit must not
/// change.
pub(crate) struct AnyOrder;

/// As [`AnyOrder`], but leaves before nodes: in a tree over boxes of all sizes the largest ones are leaves near its root, and
/// those most rays hit.
pub(crate) struct LeavesFirst;

/// Calls `visit` with each block below a child reference whose box the ray meets between `frame.t_min` and the limit, which starts at
/// `frame.t_max`; `visit` returns the new limit.
#[inline(always)]
pub(crate) fn walk<S: Kernel, P: Sink, O: Order>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    frame: &Frame,
    sink: &mut P,
    visit: impl FnMut(Visit<'_>, &mut P) -> ControlFlow<(), f32>,
) {
    walk_from::<S, P, O>(simd, model, child, frame, &mut Budget::of(model), sink, visit);
}

/// The same with a budget that several walks share.
#[inline(always)]
pub(crate) fn walk_from<S: Kernel, P: Sink, O: Order>(
    simd: S,
    model: &Model<'_>,
    mut child: u32,
    frame: &Frame,
    budget: &mut Budget,
    sink: &mut P,
    mut visit: impl FnMut(Visit<'_>, &mut P) -> ControlFlow<(), f32>,
) {
    let mut waiting = NodeGroupScratch::new();
    let mut stack = NodeGroupStack::new(&mut waiting);
    let mut scratch = Block::EMPTY;
    let boxes = SlabTest::<S>::new(simd, frame);
    let mut limit = boxes.limit(frame.t_max);
    loop {
        if !budget.spend() {
            return;
        }
        if let Some(reference) = as_block(child) {
            if let Some(block) = model.sections().blocks().fetch(simd, reference, &mut scratch) {
                match visit(Visit::new(model, reference, block, sink), sink) {
                    ControlFlow::Continue(closer) => limit = boxes.limit(closer),
                    ControlFlow::Break(()) => return,
                }
            }
        } else if let Some(node) = model.sections().nodes().get(child as usize) {
            sink.visits_node();
            if let Some(next) = descend::<S, O>(simd, &boxes, node, limit, &mut stack) {
                prefetch_child(model, next.second);
                child = next.child;
                continue;
            }
        }
        match stack.take(simd, limit.to_bits() as i32) {
            Some(next) => child = next,
            None => return,
        }
    }
}

impl Order for NearestFirst {
    type NodeGroup<'n, S: Kernel> = S::NodeGroup<'n>;

    #[inline(always)]
    fn arrange<'n, S: Kernel>(
        simd: S,
        boxes: &SlabTest<S>,
        node: &'n WideNode,
        limit: f32,
    ) -> (Self::NodeGroup<'n, S>, u32) {
        let (entries, exits) = boxes.intervals(simd, node, limit);
        simd.arrange(node, entries, exits, boxes.octant)
    }
}

impl Order for AnyOrder {
    type NodeGroup<'n, S: Kernel> = &'n WideNode;

    #[inline(always)]
    fn arrange<'n, S: Kernel>(
        simd: S,
        boxes: &SlabTest<S>,
        node: &'n WideNode,
        limit: f32,
    ) -> (Self::NodeGroup<'n, S>, u32) {
        let (entries, exits) = boxes.intervals(simd, node, limit);
        (node, entries.at_most(exits))
    }
}

impl Order for LeavesFirst {
    type NodeGroup<'n, S: Kernel> = WithLeaves<'n>;

    #[inline(always)]
    fn arrange<'n, S: Kernel>(
        simd: S,
        boxes: &SlabTest<S>,
        node: &'n WideNode,
        limit: f32,
    ) -> (WithLeaves<'n>, u32) {
        let (node, met) = AnyOrder::arrange(simd, boxes, node, limit);
        // The bit of blocks is the sign.
        let children = Bits::<S>::load(simd, &node.children.map(u32::cast_signed));
        (WithLeaves { node, leaves: children.at_most(Bits::<S>::splat(simd, -1)) }, met)
    }
}

/// The children of a node by slot, without keys, and which are leaves, a bit each.
#[derive(Clone, Copy)]
pub(crate) struct WithLeaves<'n> {
    node: &'n WideNode,
    leaves: u32,
}

impl<S> NodeGroup<S> for WithLeaves<'_> {
    #[inline(always)]
    fn first(&self, waiting: u32) -> usize {
        let leaves = waiting & self.leaves;
        select_unpredictable(leaves != 0, leaves, waiting).trailing_zeros() as usize % NODE_WIDTH
    }

    #[inline(always)]
    fn child(&self, rank: usize) -> u32 {
        self.node.children[rank % NODE_WIDTH]
    }
}

/// Where to continue after a node; the other children that are met are stacked.
///
/// A single box takes the same path as several: a branch on whether there are more would be mispredicted, which costs
/// more than the ordering.
#[inline(always)]
pub(crate) fn descend<'n, S: Kernel, O: Order>(
    simd: S,
    boxes: &SlabTest<S>,
    node: &'n WideNode,
    limit: f32,
    stack: &mut NodeGroupStack<'_, O::NodeGroup<'n, S>>,
) -> Option<Next> {
    let (siblings, met) = O::arrange(simd, boxes, node, limit);
    if met == 0 {
        return None;
    }
    let first = siblings.first(met);
    let others = met & !(1 << first);
    let second = select_unpredictable(others == 0, first, others.trailing_zeros() as usize);
    let siblings = stack.push(siblings, others)?;
    Some(Next { child: siblings.child(first), second: siblings.child(second) })
}

/// The slab test of one ray against the boxes of a node.
///
/// Non-negative floats compare like their bits, in a quarter of the time. So if `t_min` is negative, t is counted from
/// there, and no box that is met is entered before 0. If a box ends before that, its exit may be any negative number.
pub(crate) struct SlabTest<S: Kernel> {
    inverse: [S::Sixteen; 3],
    near: [S::Sixteen; 3],
    far: [S::Sixteen; 3],
    t_min: S::Sixteen,
    /// What is added to the ray's own t.
    shift: f32,
    /// For each axis, where the near planes start in a node: 0 for the lower, [`NODE_WIDTH`] for the upper planes.
    near_sides: [usize; 3],
    octant: u32,
}

impl<S: Kernel> SlabTest<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, frame: &Frame) -> Self {
        let octant = frame.octant as usize;
        let (near, far, t_min, shift) = if frame.t_min < 0.0 {
            let shifted = frame.shifted();
            (shifted.near, shifted.far, 0.0, shifted.shift)
        } else {
            (frame.near, frame.far, frame.t_min + 0.0, 0.0)
        };
        Self {
            inverse: splat(simd, &frame.inverse),
            near: splat(simd, &near),
            far: splat(simd, &far),
            t_min: S::Sixteen::splat(simd, t_min),
            shift,
            near_sides: [0, 1, 2].map3(|axis| (octant >> axis & 1) * NODE_WIDTH),
            octant: frame.octant,
        }
    }

    /// Converts a limit of the ray to the shifted t of the test.
    #[inline(always)]
    pub(crate) fn limit(&self, t: f32) -> f32 {
        t + self.shift
    }

    /// Where the ray enters each box and where it leaves it, clamped to `limit`, as bits. It meets the boxes that it
    /// does not leave before it enters them.
    #[inline(always)]
    fn intervals(&self, simd: S, node: &WideNode, limit: f32) -> (Bits<S>, Bits<S>) {
        let limit = S::Sixteen::splat(simd, limit).bits();
        let z = self.enter(simd, node, 2).max(self.t_min.bits());
        let entry = self.enter(simd, node, 0).max(self.enter(simd, node, 1)).max(z);
        let z = self.leave(simd, node, 2).min(limit);
        let exit = self.leave(simd, node, 0).min(self.leave(simd, node, 1)).min(z);
        (entry, exit)
    }

    #[inline(always)]
    fn enter(&self, simd: S, node: &WideNode, axis: usize) -> Bits<S> {
        let planes = planes(simd, node, axis, self.near_sides[axis]);
        planes.mul_add(self.inverse[axis], self.near[axis]).bits()
    }

    #[inline(always)]
    fn leave(&self, simd: S, node: &WideNode, axis: usize) -> Bits<S> {
        let side = self.near_sides[axis] ^ NODE_WIDTH;
        planes(simd, node, axis, side).mul_add(self.inverse[axis], self.far[axis]).bits()
    }

    /// The slots of a node whose boxes the ray meets at `t` or before.
    #[inline(always)]
    pub(crate) fn meets(&self, simd: S, node: &WideNode, t: f32) -> u32 {
        let (entries, exits) = self.intervals(simd, node, self.limit(t));
        entries.at_most(exits)
    }
}

/// The planes of an axis from index `first`, which is 0 or [`NODE_WIDTH`].
#[inline(always)]
fn planes<S: Kernel>(simd: S, node: &WideNode, axis: usize, first: usize) -> S::Sixteen {
    let (axes, _) = node.planes.as_flattened().as_chunks::<{ 2 * NODE_WIDTH }>();
    let planes = &axes[axis][first & NODE_WIDTH..];
    S::Sixteen::load(simd, planes.first_chunk().expect("there are two sides"))
}

#[inline(always)]
fn splat<S: Kernel>(simd: S, values: &[f32; 4]) -> [S::Sixteen; 3] {
    [
        S::Sixteen::splat(simd, values[0]),
        S::Sixteen::splat(simd, values[1]),
        S::Sixteen::splat(simd, values[2]),
    ]
}
