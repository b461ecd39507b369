//! Closest hit, any hit, all hits.

use core::ops::ControlFlow;

use bvhc_format::record::Block;

use crate::blocks::BlockSource;
use crate::model::Model;
use crate::ray::{Class, Frame, Hit, Ray, Scaled};
use crate::simd::{Kernel, dispatch_model};
use crate::triangle::ray::{Candidate, describe_hit, hits_in_block};
use crate::walk::ray::{AnyOrder, NearestFirst, SlabTest};
use crate::walk::{self, Erased, Probe, Visit};

/// What the visitor of a search wants next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VisitControl {
    /// Go on.
    Continue,
    /// Go on, but only as far as this `t`, in lengths of the ray's direction.
    UpTo(f32),
    /// Stop.
    Stop,
}

impl<'a> Model<'a> {
    /// The hit with the smallest `t`; of equals, the one with the lowest triangle number.
    ///
    /// A miss is `None`. Bit-identical on every CPU. Neither allocates nor panics; a ray that meets an
    /// edge or a corner of a closed mesh does not slip through. Cost: logarithmic in the triangles, mostly.
    pub fn closest_hit(&self, ray: &Ray) -> Option<Hit> {
        self.closest_hit_probed(ray, &mut ())
    }

    /// As [`closest_hit`](Self::closest_hit), among the triangles that `probe` accepts.
    pub fn closest_hit_with<P: Probe>(&self, ray: &Ray, probe: &mut P) -> Option<Hit> {
        self.closest_hit_erased(ray, &mut Erased::new(probe))
    }

    fn closest_hit_erased(&self, ray: &Ray, probe: &mut Erased<'_>) -> Option<Hit> {
        self.closest_hit_probed(ray, probe)
    }

    #[inline(always)]
    fn closest_hit_probed<P: Probe>(&self, ray: &Ray, probe: &mut P) -> Option<Hit> {
        dispatch_model!(@by dispatch_as_is, self, simd, blocks => closest_hit(simd, self, blocks, ray, probe))
    }

    /// Of a ray that has no class.
    #[cold]
    #[inline(never)]
    pub(super) fn closest_hit_scaled<P: Probe>(&self, ray: &Ray, probe: &mut P) -> Option<Hit> {
        let scaled = Scaled::of(ray)?;
        self.closest_hit_probed(&scaled.ray, probe).map(|hit| scaled.unscale(hit))
    }

    /// Whether the ray hits anything in its range. Faster than asking for the closest hit.
    pub fn any_hit(&self, ray: &Ray) -> bool {
        self.any_hit_probed(ray, &mut ())
    }

    /// As [`any_hit`](Self::any_hit), among the triangles that `probe` accepts.
    pub fn any_hit_with<P: Probe>(&self, ray: &Ray, probe: &mut P) -> bool {
        self.any_hit_erased(ray, &mut Erased::new(probe))
    }

    fn any_hit_erased(&self, ray: &Ray, probe: &mut Erased<'_>) -> bool {
        self.any_hit_probed(ray, probe)
    }

    #[inline(always)]
    fn any_hit_probed<P: Probe>(&self, ray: &Ray, probe: &mut P) -> bool {
        dispatch_model!(@by dispatch_as_is, self, simd, blocks => any_hit(simd, self, blocks, ray, probe))
    }

    /// Of a ray that has no class.
    #[cold]
    #[inline(never)]
    pub(super) fn any_hit_scaled<P: Probe>(&self, ray: &Ray, probe: &mut P) -> bool {
        Scaled::of(ray).is_some_and(|scaled| self.any_hit_probed(&scaled.ray, probe))
    }

    /// Calls `visit` with every hit, each triangle once, in no particular order.
    ///
    /// The visitor may stop the search or shrink the ray's range.
    pub fn all_hits(&self, ray: &Ray, visit: impl FnMut(&Hit) -> VisitControl) {
        self.all_hits_with(ray, &mut (), visit);
    }

    /// As [`all_hits`](Self::all_hits), among the triangles that `probe` accepts.
    pub fn all_hits_with<P: Probe>(
        &self,
        ray: &Ray,
        probe: &mut P,
        mut visit: impl FnMut(&Hit) -> VisitControl,
    ) {
        self.all_hits_erased(ray, &mut Erased::new(probe), &mut visit);
    }

    fn all_hits_erased(
        &self,
        ray: &Ray,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(&Hit) -> VisitControl,
    ) {
        if let Some(class) = Class::of(ray) {
            self.all_hits_of_class(ray, class, probe, visit);
        } else if let Some(scaled) = Scaled::of(ray) {
            self.all_hits_erased(&scaled.ray, probe, &mut |hit| match visit(&scaled.unscale(*hit)) {
                VisitControl::UpTo(closer) => VisitControl::UpTo(scaled.scale(closer)),
                other => other,
            });
        }
    }

    fn all_hits_of_class(
        &self,
        ray: &Ray,
        class: Class,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(&Hit) -> VisitControl,
    ) {
        dispatch_model!(self, simd, blocks => {
            all_hits(simd, self, blocks, &Frame::new(simd, ray, class, self.reach()), probe, visit)
        });
    }
}

/// The best hit so far. The triangle's number is looked up where it decides, not at every step.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub(super) t: f32,
    place: Option<Place>,
}

/// Where a hit was found: the block, where its numbers begin, and the rest.
#[derive(Clone, Copy)]
struct Place {
    reference: u32,
    first: u32,
    found: Candidate,
}

impl Best {
    /// None up to there.
    #[inline(always)]
    pub(super) fn up_to(t: f32) -> Self {
        Self { t, place: None }
    }

    /// Takes a hit that is closer, or as close and of a lower number.
    #[inline(always)]
    pub(super) fn offer(&mut self, visit: Visit<'_>, found: Candidate, model: &Model<'_>) {
        let closer = match &self.place {
            None => found.t <= self.t,
            Some(held) => {
                found.t < self.t
                    || found.t == self.t
                        && visit.triangle(found.lane) < model.triangle_at(held.first, held.found.lane)
            }
        };
        if closer {
            model.prefetch_triangle_at(visit.block.first, found.lane);
            let place = Place { reference: visit.reference, first: visit.block.first, found };
            *self = Self { t: found.t, place: Some(place) };
        }
    }

    /// What the caller is told.
    #[inline(always)]
    pub(super) fn describe<S: Kernel>(
        &self,
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
    ) -> Option<Hit> {
        let Place { reference, first, found } = self.place.as_ref()?;
        let mut room = Block::EMPTY;
        let block = blocks.fetch(simd, *reference, &mut room)?;
        let triangle = model.triangle_at(*first, found.lane)?;
        Some(describe_hit(simd, block, found, triangle))
    }
}

/// Takes what a ray hits in a block that it has come to; returns how far it is of interest from there on.
#[inline(always)]
pub(super) fn closest_in_block<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    frame: &Frame,
    visit: Visit<'_>,
    best: &mut Best,
    probe: &mut P,
) -> f32 {
    hits_in_block::<S, true>(
        simd,
        visit.block,
        frame,
        best.t,
        #[inline(always)]
        |found| {
            if !P::FILTERS || visit.accepted(found.lane, probe).is_some() {
                best.offer(visit, found, model);
            }
        },
    );
    best.t
}

/// Whether a ray hits anything in a block that it has come to.
#[inline(always)]
pub(super) fn any_in_block<S: Kernel, P: Probe>(
    simd: S,
    frame: &Frame,
    visit: Visit<'_>,
    probe: &mut P,
) -> bool {
    let mut found = false;
    hits_in_block::<S, false>(
        simd,
        visit.block,
        frame,
        frame.t_max,
        #[inline(always)]
        |hit| {
            found |= !P::FILTERS || visit.accepted(hit.lane, probe).is_some();
        },
    );
    found
}

/// One ray's closest hit, compiled for the level.
#[inline(always)]
fn closest_hit<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    ray: &Ray,
    probe: &mut P,
) -> Option<Hit> {
    simd.vectorize(
        #[inline(always)]
        || {
            let Some(class) = Class::of(ray) else { return model.closest_hit_scaled(ray, probe) };
            closest_hit_of(simd, model, blocks, &Frame::new(simd, ray, class, model.reach()), probe)
        },
    )
}

/// The same of a ray whose frame is known.
#[inline(always)]
pub(super) fn closest_hit_of<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    frame: &Frame,
    probe: &mut P,
) -> Option<Hit> {
    let mut best = Best::up_to(frame.t_max);
    walk::ray::walk::<S, P, NearestFirst>(
        simd,
        model,
        blocks,
        frame,
        probe,
        #[inline(always)]
        |visit, probe| ControlFlow::Continue(closest_in_block(simd, model, frame, visit, &mut best, probe)),
    );
    best.describe(simd, model, blocks)
}

/// As [`closest_hit`], whether there is any.
#[inline(always)]
fn any_hit<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    ray: &Ray,
    probe: &mut P,
) -> bool {
    simd.vectorize(
        #[inline(always)]
        || {
            let Some(class) = Class::of(ray) else { return model.any_hit_scaled(ray, probe) };
            any_hit_of(simd, model, blocks, &Frame::new(simd, ray, class, model.reach()), probe)
        },
    )
}

/// The same of a ray whose frame is known.
#[inline(always)]
pub(super) fn any_hit_of<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    frame: &Frame,
    probe: &mut P,
) -> bool {
    let mut found = false;
    walk::ray::walk::<S, P, AnyOrder>(
        simd,
        model,
        blocks,
        frame,
        probe,
        #[inline(always)]
        |visit, probe| {
            found = any_in_block(simd, frame, visit, probe);
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(frame.t_max) }
        },
    );
    found
}

#[inline(always)]
fn all_hits<S: Kernel>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    frame: &Frame,
    probe: &mut Erased<'_>,
    report: &mut dyn FnMut(&Hit) -> VisitControl,
) {
    let (mut limit, mut stopped) = (frame.t_max, false);
    let boxes = SlabTest::new(simd, frame);
    walk::ray::walk::<S, _, NearestFirst>(
        simd,
        model,
        blocks,
        frame,
        probe,
        #[inline(always)]
        |visit, probe| {
            hits_in_block::<S, true>(
                simd,
                visit.block,
                frame,
                limit,
                #[inline(always)]
                |found| {
                    if stopped || found.t > limit {
                        return;
                    }
                    let Some(triangle) = visit.accepted(found.lane, probe) else { return };
                    // SlabTest that the ray enters beyond the hit need not be visited.
                    let speaks = visit.is_reporting_reference(
                        found.lane,
                        triangle,
                        #[inline(always)]
                        |node| boxes.meets(simd, node, found.t),
                    );
                    if !speaks {
                        return;
                    }
                    match report(&describe_hit(simd, visit.block, &found, triangle)) {
                        VisitControl::Continue => {}
                        VisitControl::UpTo(closer) => limit = limit.min(closer),
                        VisitControl::Stop => stopped = true,
                    }
                },
            );
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(limit) }
        },
    );
}
