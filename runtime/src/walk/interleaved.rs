//! The walks of rays that have nothing in common, a step of each by turns.
//!
//! A walk waits for memory, and for the outcome of its tests before it knows where to go on. What one comes to next is on
//! its way while the others take their steps. Where a model fits into the caches it is no faster than walk by walk:
//! what is known of each ray is in memory, and branches are harder to guess.

use core::ops::ControlFlow;

use bvhc_format::record::Block;

use super::ray::{Order, SlabTest, descend};
use super::{Budget, INTERLEAVED, Probe, Visit, as_block, prefetch_child};
use crate::blocks::BlockSource;
use crate::model::Model;
use crate::ray::{Class, Frame, Ray};
use crate::simd::Kernel;
use crate::stack::{NodeGroupScratch, NodeGroupStack};

/// A ray on its way.
struct Walker<S: Kernel, T> {
    /// Its number.
    ray: usize,
    frame: Frame,
    boxes: SlabTest<S>,
    /// What it visits at its turn.
    child: u32,
    limit: f32,
    /// What is known of it.
    found: T,
}

impl<S: Kernel, T> Walker<S, T> {
    /// The first of the rays, from number `next` on, that has a class; `next` becomes the number of the one after it.
    #[inline(always)]
    fn start(
        simd: S,
        model: &Model<'_>,
        rays: &[Ray],
        next: &mut usize,
        start: impl Fn(&Ray) -> T,
    ) -> Option<Self> {
        while let Some(ray) = rays.get(*next) {
            *next += 1;
            if let Some(class) = Class::of(ray) {
                let frame = Frame::new(simd, ray, class, model.reach());
                let boxes = SlabTest::new(simd, &frame);
                let limit = boxes.limit(frame.t_max);
                return Some(Self { ray: *next - 1, frame, boxes, child: 0, limit, found: start(ray) });
            }
        }
        None
    }
}

/// Walks with each ray that has a class, as [`walk`](super::ray::walk) does with one. `visit` gets what is known of a ray,
/// which is what `start` says at first; `done` gets it in the end, with the ray's number.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the walk's state, which is the caller's")]
pub(crate) fn walk<S: Kernel, P: Probe, T, O: Order>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    rays: &[Ray],
    probe: &mut P,
    start: impl Fn(&Ray) -> T,
    mut visit: impl FnMut(&Frame, Visit<'_>, &mut T, &mut P) -> ControlFlow<(), f32>,
    mut done: impl FnMut(usize, &T),
) {
    let mut budget = Budget::of_many(model, rays.len() as u64);
    let mut room = Block::EMPTY;
    let mut waiting: [NodeGroupScratch<O::NodeGroup<'_, S>>; INTERLEAVED] =
        core::array::from_fn(|_| NodeGroupScratch::new());
    let mut stacks = waiting.each_mut().map(NodeGroupStack::new);
    let mut walkers: [Option<Walker<S, T>>; INTERLEAVED] = [const { None }; INTERLEAVED];
    let (mut next, mut turn, mut idle) = (0, 0, 0);
    while idle < INTERLEAVED {
        turn = (turn + 1) % INTERLEAVED;
        let (place, stack) = (&mut walkers[turn], &mut stacks[turn]);
        let Some(walker) = place else {
            stack.clear();
            *place = Walker::start(simd, model, rays, &mut next, &start);
            idle = if place.is_some() { 0 } else { idle + 1 };
            continue;
        };
        idle = 0;
        if !budget.spend() {
            break;
        }
        let mut child = None;
        let mut ended = false;
        if let Some(reference) = as_block(walker.child) {
            if let Some(block) = blocks.fetch(simd, reference, &mut room) {
                let visited = Visit::new(model, reference, block, probe);
                match visit(&walker.frame, visited, &mut walker.found, probe) {
                    ControlFlow::Continue(closer) => walker.limit = walker.boxes.limit(closer),
                    ControlFlow::Break(()) => ended = true,
                }
            }
        } else if let Some(node) = model.nodes().get(walker.child as usize) {
            probe.visits_node();
            child = descend::<S, O>(simd, &walker.boxes, node, walker.limit, stack).map(|next| next.child);
        }
        if child.is_none() && !ended {
            child = stack.take(simd, walker.limit.to_bits() as i32);
        }
        match child {
            Some(child) => {
                walker.child = child;
                prefetch_child(model, &blocks, child);
            }
            None => {
                done(walker.ray, &walker.found);
                *place = None;
            }
        }
    }
    // In a corrupt file the visits may run out: what was found until then is told.
    for walker in walkers.iter().flatten() {
        done(walker.ray, &walker.found);
    }
}
