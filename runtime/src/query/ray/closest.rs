//! The closest hit.

use core::ops::ControlFlow;

use bvhc_format::record::Block;

use super::Answer;
use crate::model::Model;
use crate::ray::{Frame, Hit, Scaled};
use crate::simd::Kernel;
use crate::triangle::ray::{Candidate, describe_hit, hits_in_block};
use crate::walk::Visit;
use crate::walk::probe::Sink;
use crate::walk::ray::NearestFirst;
use crate::walk::ray::question::Question;

pub(super) struct Closest;

impl Question for Closest {
    type Found = BestHit;
    type Order = NearestFirst;

    #[inline(always)]
    fn start(t_max: f32) -> BestHit {
        BestHit::up_to(t_max)
    }

    #[inline(always)]
    fn visit<S: Kernel>(
        simd: S,
        model: &Model<'_>,
        frame: &Frame,
        visit: Visit<'_>,
        best: &mut BestHit,
        sink: &mut impl Sink,
    ) -> ControlFlow<(), f32> {
        hits_in_block::<S, true>(
            simd,
            visit.block,
            frame,
            best.t,
            #[inline(always)]
            |hit| {
                if sink.accepts(&visit, hit.lane) {
                    best.offer(visit, hit, model);
                }
            },
        );
        ControlFlow::Continue(best.t)
    }

    #[inline(always)]
    fn take(model: &Model<'_>, visit: Visit<'_>, hit: Candidate, best: &mut BestHit) -> f32 {
        best.offer(visit, hit, model);
        best.t
    }
}

impl Answer for Closest {
    type Answer = Option<Hit>;

    const MISS: Option<Hit> = None;

    #[inline(always)]
    fn answer<S: Kernel>(simd: S, model: &Model<'_>, best: &BestHit) -> Option<Hit> {
        best.describe(simd, model)
    }

    fn unscale(scaled: &Scaled, hit: Option<Hit>) -> Option<Hit> {
        hit.map(|hit| scaled.unscale(hit))
    }
}

/// The best hit so far. The triangle's number is looked up only to break ties.
#[derive(Clone, Copy)]
pub(super) struct BestHit {
    t: f32,
    address: Option<HitAddress>,
}

/// Where a hit was found: the block, its first number's position, and the rest.
#[derive(Clone, Copy)]
struct HitAddress {
    reference: u32,
    first: u32,
    found: Candidate,
}

impl BestHit {
    /// No hit up to `t_max`.
    #[inline(always)]
    fn up_to(t: f32) -> Self {
        Self { t, address: None }
    }

    /// Takes a hit that is closer, or as close with a lower number.
    #[inline(always)]
    fn offer(&mut self, visit: Visit<'_>, found: Candidate, model: &Model<'_>) {
        let closer = match &self.address {
            None => found.t <= self.t,
            Some(held) => {
                found.t < self.t
                    || found.t == self.t
                        && visit.triangle(found.lane) < model.triangle_at(held.first, held.found.lane)
            }
        };
        if closer {
            model.prefetch_triangle_at(visit.block.first, found.lane);
            let address = HitAddress { reference: visit.reference, first: visit.block.first, found };
            *self = Self { t: found.t, address: Some(address) };
        }
    }

    /// The hit as returned to the caller.
    #[inline(always)]
    fn describe<S: Kernel>(&self, simd: S, model: &Model<'_>) -> Option<Hit> {
        let HitAddress { reference, first, found } = self.address.as_ref()?;
        let mut scratch = Block::EMPTY;
        let block = model.sections().blocks().fetch(simd, *reference, &mut scratch)?;
        let triangle = model.triangle_at(*first, found.lane)?;
        Some(describe_hit(simd, block, found, triangle))
    }
}
