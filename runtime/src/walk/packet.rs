//! The walk of a packet: boxes are tested against the frustum, then against the rays, a lane a ray; where few rays
//! are left in a subtree they go on alone.

use core::ops::ControlFlow;

use bvhc_format::record::{Block, NODE_WIDTH, WideNode};
use fearless_simd::SimdBase;

use super::ray::{self, NearestFirst};
use super::{Budget, Probe, Visit, as_block};
use crate::blocks::BlockSource;
use crate::model::Model;
use crate::packet::{MAX_RAYS, Packet};
use crate::simd::{Kernel, lanes};
use crate::stack::Stack;
use crate::triangle::ray::{Candidate, Places, hits_in_block, hits_of_rays};

/// Rays that go on alone: so many or fewer. With 3, shadow rays of the bunny take a tenth longer; between 6 and 12, all change
/// by less than 3 %.
const FEW: u32 = 8;

/// What a packet's rays may still hit: the largest t of each.
///
/// A ray whose limit is below every t, as of lanes without a ray, meets no box any more.
pub(crate) struct Limits {
    each: [f32; MAX_RAYS],
    largest: f32,
}

impl Limits {
    pub(crate) const NONE: f32 = f32::NEG_INFINITY;

    pub(crate) fn new(limits: impl Iterator<Item = f32>) -> Self {
        let mut each = [Self::NONE; MAX_RAYS];
        for (place, limit) in each.iter_mut().zip(limits) {
            *place = limit;
        }
        Self { each, largest: f32::INFINITY }
    }

    #[inline(always)]
    fn of_group<S: Kernel>(&self, simd: S, group: usize) -> S::Lanes {
        S::Lanes::from_slice(simd, &self.each[group * lanes::<S>()..][..lanes::<S>()])
    }

    /// Finds the largest limit anew.
    #[inline(always)]
    fn update<S: Kernel>(&mut self, simd: S, groups: usize) {
        let mut largest = self.of_group(simd, 0);
        for group in 1..groups {
            largest = largest.max(self.of_group(simd, group));
        }
        self.largest = largest.reduce_max();
    }
}

/// A subtree that waits: no ray meets its box before `bound`, and only `rays` may meet it.
#[derive(Clone, Copy)]
struct Waiting {
    bound: f32,
    rays: u64,
}

/// Calls `hit` with each hit of a ray within its limit, which becomes what `hit` returns.
#[inline(always)]
pub(crate) fn walk<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    packet: &Packet<S>,
    limits: &mut Limits,
    probe: &mut P,
    mut hit: impl FnMut(usize, Visit<'_>, Candidate, &mut P) -> f32,
) {
    let mut stack = Stack::new();
    let mut room = Block::EMPTY;
    let mut places = Places::new(simd);
    let mut budget = Budget::of_many(model, 1 + MAX_RAYS as u64);
    limits.update(simd, packet.groups().len());
    stack.push(
        0,
        Waiting { bound: f32::NEG_INFINITY, rays: u64::MAX >> (64 - packet.groups().len() * lanes::<S>()) },
    );
    while let Some((child, Waiting { bound, rays })) = stack.pop() {
        if bound > limits.largest {
            continue;
        }
        if !budget.spend() {
            return;
        }
        if rays.count_ones() <= FEW {
            let mut left = rays;
            while left != 0 {
                let ray = left.trailing_zeros() as usize % MAX_RAYS;
                left &= left - 1;
                let frame = packet.frame(ray, limits.each[ray]);
                ray::walk_from::<S, P, NearestFirst>(
                    simd,
                    model,
                    blocks,
                    child,
                    &frame,
                    &mut budget,
                    probe,
                    #[inline(always)]
                    |visit, probe| {
                        hits_in_block::<S, true>(
                            simd,
                            visit.block,
                            &frame,
                            limits.each[ray],
                            #[inline(always)]
                            |found| limits.each[ray] = hit(ray, visit, found, probe),
                        );
                        ControlFlow::Continue(limits.each[ray])
                    },
                );
            }
            limits.update(simd, packet.groups().len());
        } else if let Some(reference) = as_block(child) {
            let Some(block) = blocks.fetch(simd, reference, &mut room) else { continue };
            let visit = Visit::new(model, reference, block, probe);
            for (index, group) in packet.groups().iter().enumerate() {
                let first = index * lanes::<S>();
                let active = rays >> first & (u64::MAX >> (64 - lanes::<S>()));
                if active.count_ones() <= FEW {
                    let mut left = active;
                    while left != 0 {
                        let ray = (first + left.trailing_zeros() as usize) % MAX_RAYS;
                        left &= left - 1;
                        hits_in_block::<S, true>(
                            simd,
                            block,
                            &packet.frame(ray, limits.each[ray]),
                            limits.each[ray],
                            #[inline(always)]
                            |found| limits.each[ray] = hit(ray, visit, found, probe),
                        );
                    }
                    continue;
                }
                hits_of_rays(
                    simd,
                    block,
                    packet.class,
                    group,
                    active,
                    &mut places,
                    limits.of_group(simd, index),
                    #[inline(always)]
                    |lane, found| {
                        let ray = (first + lane) % MAX_RAYS;
                        if found.t <= limits.each[ray] {
                            limits.each[ray] = hit(ray, visit, found, probe);
                        }
                    },
                );
            }
            limits.update(simd, packet.groups().len());
        } else if let Some(node) = model.nodes().get(child as usize) {
            probe.visits_node();
            push_children(simd, node, packet, limits, rays, &mut stack);
        }
    }
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
    // The opposite octant's order is this one's, reversed. Put in order before they are gone through, since which of
    // sixteen may be met is not to be guessed.
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
