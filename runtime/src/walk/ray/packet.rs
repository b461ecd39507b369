//! The walk of a packet: boxes are tested against the frustum, then against the rays, one per lane. Where few rays
//! remain in a subtree, they continue alone.

use core::marker::PhantomData;
use core::ops::ControlFlow;

use bvhc_format::record::{Block, NODE_WIDTH, WideNode};
use fearless_simd::SimdBase;

use super::question::Question;
use super::{NearestFirst, walk_from};
use crate::model::Model;
use crate::packet::{MAX_RAYS, Packet};
use crate::ray::{Frame, Ray};
use crate::simd::{Kernel, lanes};
use crate::stack::Stack;
use crate::triangle::ray::{Candidate, Vertices, hits_in_block, hits_of_rays};
use crate::walk::probe::Sink;
use crate::walk::{Budget, Visit, as_block};

/// At most this many rays continue alone. With 3, shadow rays of the bunny take a tenth longer; between 6 and 12 all
/// change by less than 3 %.
const FEW: u32 = 8;

/// The limits of a packet's rays: the largest t of each.
///
/// A ray whose limit is below every t, as in unused lanes, meets no further box.
pub(crate) struct Limits {
    each: [f32; MAX_RAYS],
    largest: f32,
}

impl Limits {
    pub(crate) const NONE: f32 = f32::NEG_INFINITY;

    pub(crate) fn new(limits: impl Iterator<Item = f32>) -> Self {
        let mut each = [Self::NONE; MAX_RAYS];
        for (entry, limit) in each.iter_mut().zip(limits) {
            *entry = limit;
        }
        Self { each, largest: f32::INFINITY }
    }

    #[inline(always)]
    fn of_group<S: Kernel>(&self, simd: S, group: usize) -> S::Lanes {
        S::Lanes::from_slice(simd, &self.each[group * lanes::<S>()..][..lanes::<S>()])
    }

    /// Recomputes the largest limit.
    #[inline(always)]
    fn update<S: Kernel>(&mut self, simd: S, groups: usize) {
        let mut largest = self.of_group(simd, 0);
        for group in 1..groups {
            largest = largest.max(self.of_group(simd, group));
        }
        self.largest = largest.reduce_max();
    }
}

/// A stacked subtree: no ray meets its box before `bound`, and only `rays` may meet it.
#[derive(Clone, Copy)]
struct Waiting {
    bound: f32,
    rays: u64,
}

/// Answers the question for the rays of a packet. `rays` are those that have a lane of their own.
#[inline(always)]
pub(crate) fn walk<S: Kernel, Q: Question>(
    simd: S,
    model: &Model<'_>,
    packet: &Packet<S>,
    rays: &[Ray],
    sink: &mut impl Sink,
) -> [Q::Found; MAX_RAYS] {
    let mut found = [Q::start(Q::NEVER); MAX_RAYS];
    for (found, ray) in found.iter_mut().zip(rays) {
        *found = Q::start(ray.t_max);
    }
    let mut limits = Limits::new(rays.iter().map(|ray| ray.t_max));
    let walk = Walk::<S, Q> { simd, model, packet, question: PhantomData };
    // One ray for visits that rays share.
    let budget = Budget::of_many(model, 1 + rays.len() as u64);
    walk.run(&mut limits, &mut found, budget, sink);
    found
}

/// What a walk asks. What it finds is apart: next to it, the compiler would keep all of it in memory.
#[derive(Clone, Copy)]
struct Walk<'a, S: Kernel, Q: Question> {
    simd: S,
    model: &'a Model<'a>,
    packet: &'a Packet<S>,
    question: PhantomData<Q>,
}

/// What is found of each ray.
type Found<Q> = [<Q as Question>::Found; MAX_RAYS];

impl<S: Kernel, Q: Question> Walk<'_, S, Q> {
    #[inline(always)]
    fn run<P: Sink>(&self, limits: &mut Limits, found: &mut Found<Q>, mut budget: Budget, sink: &mut P) {
        let (simd, model, groups) = (self.simd, self.model, self.packet.groups().len());
        let mut stack = Stack::new();
        let mut scratch = Block::EMPTY;
        let mut vertices = Vertices::new(simd);
        limits.update(simd, groups);
        let rays = u64::MAX >> (64 - groups * lanes::<S>());
        stack.push(0, Waiting { bound: f32::NEG_INFINITY, rays });
        while let Some((child, Waiting { bound, rays })) = stack.pop() {
            if bound > limits.largest {
                continue;
            }
            if !budget.spend() {
                return;
            }
            if rays.count_ones() <= FEW {
                self.go_on_alone(child, rays, limits, found, &mut budget, sink);
                limits.update(simd, groups);
            } else if let Some(reference) = as_block(child) {
                let Some(block) = model.sections().blocks().fetch(simd, reference, &mut scratch) else {
                    continue;
                };
                let visit = Visit::new(model, reference, block, sink);
                self.test_block(visit, rays, limits, found, &mut vertices, sink);
                limits.update(simd, groups);
            } else if let Some(node) = model.sections().nodes().get(child as usize) {
                sink.visits_node();
                push_children(simd, node, self.packet, limits, rays, &mut stack);
            }
        }
    }

    /// Walks a subtree with each of a few rays.
    #[inline(always)]
    fn go_on_alone<P: Sink>(
        &self,
        child: u32,
        rays: u64,
        limits: &mut Limits,
        found: &mut Found<Q>,
        budget: &mut Budget,
        sink: &mut P,
    ) {
        for ray in set_bits(rays) {
            let frame = self.packet.frame(ray, limits.each[ray]);
            walk_from::<S, P, NearestFirst>(
                self.simd,
                self.model,
                child,
                &frame,
                budget,
                sink,
                #[inline(always)]
                |visit, sink| {
                    self.test_ray(&frame, ray, visit, limits, found, sink);
                    ControlFlow::Continue(limits.each[ray])
                },
            );
        }
    }

    /// Tests a block's triangles against each of these rays.
    #[inline(always)]
    fn test_block(
        &self,
        visit: Visit<'_>,
        rays: u64,
        limits: &mut Limits,
        found: &mut Found<Q>,
        vertices: &mut Vertices<S>,
        sink: &mut impl Sink,
    ) {
        let packet = self.packet;
        for (index, group) in packet.groups().iter().enumerate() {
            let first = index * lanes::<S>();
            let active = rays >> first & (u64::MAX >> (64 - lanes::<S>()));
            if active.count_ones() <= FEW {
                for lane in set_bits(active) {
                    let ray = (first + lane) % MAX_RAYS;
                    let frame = packet.frame(ray, limits.each[ray]);
                    self.test_ray(&frame, ray, visit, limits, found, sink);
                }
                continue;
            }
            hits_of_rays(
                self.simd,
                visit.block,
                packet.class,
                group,
                active,
                vertices,
                limits.of_group(self.simd, index),
                #[inline(always)]
                |lane, hit| {
                    let ray = (first + lane) % MAX_RAYS;
                    if hit.t <= limits.each[ray] {
                        self.take(ray, visit, hit, limits, found, sink);
                    }
                },
            );
        }
    }

    #[inline(always)]
    fn test_ray(
        &self,
        frame: &Frame,
        ray: usize,
        visit: Visit<'_>,
        limits: &mut Limits,
        found: &mut Found<Q>,
        sink: &mut impl Sink,
    ) {
        hits_in_block::<S, true>(
            self.simd,
            visit.block,
            frame,
            limits.each[ray],
            #[inline(always)]
            |hit| self.take(ray, visit, hit, limits, found, sink),
        );
    }

    #[inline(always)]
    fn take(
        &self,
        ray: usize,
        visit: Visit<'_>,
        hit: Candidate,
        limits: &mut Limits,
        found: &mut Found<Q>,
        sink: &mut impl Sink,
    ) {
        if sink.accepts(&visit, hit.lane) {
            limits.each[ray] = Q::take(self.model, visit, hit, &mut found[ray]);
        }
    }
}

/// The indices of the rays whose bits are set.
#[inline(always)]
fn set_bits(mut rays: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(
        #[inline(always)]
        move || {
            let ray = (rays != 0).then(|| rays.trailing_zeros() as usize % MAX_RAYS);
            rays &= rays.wrapping_sub(1);
            ray
        },
    )
}

/// Pushes the children that rays meet, the nearest last.
#[inline(always)]
fn push_children<S: Kernel>(
    simd: S,
    node: &WideNode,
    packet: &Packet<S>,
    limits: &Limits,
    rays: u64,
    stack: &mut Stack<Waiting>,
) {
    let (bounds, may_meet) = packet.may_meet(simd, node, limits.largest);
    let octant = packet.class.octant;
    // The opposite octant's order is this one reversed. Sorted before the loop, since a branch on which of the sixteen
    // may be met would be mispredicted.
    let (mut slots, mut left) = ([0; NODE_WIDTH], 0);
    for (rank, slot) in slots.iter_mut().enumerate() {
        *slot = node.order[rank] >> (4 * (octant ^ 7)) & 15;
        left |= (may_meet >> *slot & 1) << rank;
    }
    while left != 0 {
        let slot = slots[left.trailing_zeros() as usize % NODE_WIDTH] as usize % NODE_WIDTH;
        left &= left - 1;
        let mut meet = 0;
        for (index, group) in packet.groups().iter().enumerate() {
            let first = index * lanes::<S>();
            meet |= group.meet(simd, octant, node, slot, limits.of_group(simd, index)) << first;
        }
        if meet & rays != 0 {
            stack.push(node.children[slot], Waiting { bound: bounds[slot], rays: meet & rays });
        }
    }
}
