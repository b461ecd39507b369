//! The walk of a ray: nearest boxes first, by stored orders.
//!
//! Based on: Fuetterling, Lojewski, Pfreundt, Ebert, "Accelerated Single Ray Tracing for Wide Vector
//! Units", 2017 (one stored permutation an octant instead of a sort). Departure: with one box hit the
//! walk goes straight on, with two it compares, and only from three on it reorders.

use core::ops::ControlFlow;

use bvhc_format::record::{Block, NODE_WIDTH, WideNode};
use fearless_simd::{Bytes, SimdBase, SimdFloat, SimdMask, f32x8, i32x8, mask32x8};

use super::{Budget, Probe, Visit, as_block, prefetch_child};
use crate::blocks::BlockSource;
use crate::model::Model;
use crate::ray::Frame;
use crate::simd::Kernel;
use crate::stack::Stack;

/// Calls `visit` with each block whose box the ray meets between `frame.t_min` and the limit, which
/// starts at `frame.t_max` and becomes what `visit` returns.
///
/// Where a hit ends the walk there is nothing to gain from the nearest, and without `NEAREST_FIRST` the limit may not
/// change: there is no order to find out and none to guess wrongly.
#[inline(always)]
pub(crate) fn walk<S: Kernel, P: Probe, const NEAREST_FIRST: bool>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    frame: &Frame,
    probe: &mut P,
    visit: impl FnMut(Visit<'_>, &mut P) -> ControlFlow<(), f32>,
) {
    walk_from::<S, P, NEAREST_FIRST>(simd, model, blocks, 0, frame, &mut Budget::of(model), probe, visit);
}

/// The same for the subtree that a child reference leads to.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the walk's state, which is the caller's")]
pub(crate) fn walk_from<S: Kernel, P: Probe, const NEAREST_FIRST: bool>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    mut child: u32,
    frame: &Frame,
    budget: &mut Budget,
    probe: &mut P,
    mut visit: impl FnMut(Visit<'_>, &mut P) -> ControlFlow<(), f32>,
) {
    let mut stack: Stack = Stack::new();
    let mut room = Block::EMPTY;
    let boxes = Boxes::<S>::new(simd, frame);
    let mut limit = boxes.limit(frame.t_max);
    loop {
        if !budget.spend() {
            return;
        }
        if let Some(reference) = as_block(child) {
            if let Some(block) = blocks.fetch(simd, reference, &mut room) {
                match visit(Visit::new(model, reference, block, probe), probe) {
                    ControlFlow::Continue(closer) => limit = boxes.limit(closer),
                    ControlFlow::Break(()) => return,
                }
            }
        } else if let Some(node) = model.nodes().get(child as usize) {
            probe.visits_node();
            let prefetch = |waiting| prefetch_child(model, &blocks, waiting);
            let next = if NEAREST_FIRST {
                boxes.descend(simd, node, limit, &mut stack, prefetch)
            } else {
                boxes.descend_anyhow(simd, node, limit, &mut stack, prefetch)
            };
            if let Some(next) = next {
                child = next;
                continue;
            }
        }
        child = loop {
            match stack.pop() {
                Some((next, entry)) if !NEAREST_FIRST || entry <= limit => break next,
                Some(_) => {}
                None => return,
            }
        };
    }
}

/// The slab test of one ray against eight boxes.
///
/// Numbers that are not negative compare as their bits do, in a quarter of the time. So the boxes count t from
/// `t_min` where that is negative, and none that is met is met before 0. Where a box ends before, its exit may come
/// out as any negative number.
pub(crate) struct Boxes<S: Kernel> {
    inverse: [f32x8<S>; 3],
    near: [f32x8<S>; 3],
    far: [f32x8<S>; 3],
    t_min: f32x8<S>,
    /// How much more t is than the ray's own.
    shift: f32,
    /// On each axis, which side of a box the ray meets first: 0 the lower, 1 the upper.
    near_sides: [usize; 3],
    octant: u32,
}

impl<S: Kernel> Boxes<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, frame: &Frame) -> Self {
        let splat = |values: &[f32; 4]| {
            [f32x8::splat(simd, values[0]), f32x8::splat(simd, values[1]), f32x8::splat(simd, values[2])]
        };
        let octant = frame.octant as usize;
        let mut boxes = Self {
            inverse: splat(&frame.inverse),
            near: splat(&frame.near),
            far: splat(&frame.far),
            t_min: f32x8::splat(simd, frame.t_min + 0.0),
            shift: 0.0,
            near_sides: [octant & 1, octant >> 1 & 1, octant >> 2 & 1],
            octant: frame.octant,
        };
        if frame.t_min < 0.0 {
            let shifted = frame.shifted();
            boxes.near = splat(&shifted.near);
            boxes.far = splat(&shifted.far);
            boxes.t_min = f32x8::splat(simd, 0.0);
            boxes.shift = shifted.shift;
        }
        boxes
    }

    /// A limit of the ray's as the boxes count.
    #[inline(always)]
    pub(super) fn limit(&self, t: f32) -> f32 {
        t + self.shift
    }

    /// Where the ray enters each box, and whether it does before `limit`.
    #[inline(always)]
    fn test(&self, simd: S, node: &WideNode, limit: f32) -> (f32x8<S>, mask32x8<S>) {
        let (axes, _) = node.planes.as_chunks::<2>();
        let plane = |axis: usize, side: usize| f32x8::load_array_ref(simd, &axes[axis][side & 1]);
        let enter = |axis: usize| {
            bits(plane(axis, self.near_sides[axis]).mul_add(self.inverse[axis], self.near[axis]))
        };
        let leave = |axis: usize| {
            bits(plane(axis, self.near_sides[axis] ^ 1).mul_add(self.inverse[axis], self.far[axis]))
        };
        let limit = bits(f32x8::splat(simd, limit));
        let entry = enter(0).max(enter(1)).max(enter(2).max(bits(self.t_min)));
        let exit = leave(0).min(leave(1)).min(leave(2).min(limit));
        (entry.bitcast(), entry.simd_le(exit))
    }

    /// The slots of a node whose boxes the ray meets at its `t` or before.
    #[inline(always)]
    pub(crate) fn meets(&self, simd: S, node: &WideNode, t: f32) -> u32 {
        self.test(simd, node, self.limit(t)).1.to_bitmask() as u32
    }

    /// The child to go on with, if that is clear; others that are hit go on the stack. Of two `prefetch` gets the second;
    /// of more it would be too many at once.
    #[inline(always)]
    pub(super) fn descend(
        &self,
        simd: S,
        node: &WideNode,
        limit: f32,
        stack: &mut Stack,
        prefetch: impl Fn(u32),
    ) -> Option<u32> {
        let (entries, hit) = self.test(simd, node, limit);
        let bits = hit.to_bitmask() as u32;
        let first = bits.trailing_zeros() as usize % 8;
        match bits.count_ones() {
            0 => None,
            1 => Some(node.children[first]),
            2 => {
                let second = (bits & (bits - 1)).trailing_zeros() as usize % 8;
                let entries = entries.to_array();
                // Told apart by a branch: a guess runs ahead of the boxes, a selection would wait for them.
                if entries[second] < entries[first] {
                    stack.push(node.children[first], entries[first]);
                    prefetch(node.children[first]);
                    Some(node.children[second])
                } else {
                    stack.push(node.children[second], entries[second]);
                    prefetch(node.children[second]);
                    Some(node.children[first])
                }
            }
            _ => {
                simd.push_in_order(stack, &node.children, entries, hit, &node.order, self.octant);
                None
            }
        }
    }

    /// The same without regard to which box is nearer.
    #[inline(always)]
    pub(super) fn descend_anyhow(
        &self,
        simd: S,
        node: &WideNode,
        limit: f32,
        stack: &mut Stack,
        prefetch: impl Fn(u32),
    ) -> Option<u32> {
        let mut left = self.test(simd, node, limit).1.to_bitmask() as u32;
        let next = move |left: u32| node.children[left.trailing_zeros() as usize % NODE_WIDTH];
        if left == 0 {
            return None;
        }
        let first = next(left);
        left &= left - 1;
        while left != 0 {
            stack.push(next(left), 0.0);
            prefetch(next(left));
            left &= left - 1;
        }
        Some(first)
    }
}

#[inline(always)]
fn bits<S: Kernel>(numbers: f32x8<S>) -> i32x8<S> {
    numbers.bitcast()
}
