//! All hits of a ray.

use core::ops::ControlFlow;

use crate::model::Model;
use crate::ray::{Class, Frame, Hit, Ray, Scaled};
use crate::simd::{Kernel, dispatch};
use crate::triangle::ray::{describe_hit, hits_in_block};
use crate::walk::ROOT;
use crate::walk::duplicates::DuplicateElimination;
use crate::walk::probe::{Erased, Probe, Sink};
use crate::walk::ray::{NearestFirst, SlabTest, walk};

/// What a visitor returns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VisitControl {
    /// Continue.
    Continue,
    /// Continue, but only up to this `t`, in lengths of the ray's direction.
    UpTo(f32),
    /// Stop.
    Stop,
}

impl Model<'_> {
    /// Calls `visit` with every hit, once per triangle, in no particular order.
    ///
    /// The visitor may stop the search or shrink the ray's range.
    ///
    /// ```
    /// use bvhc_runtime::{Model, Ray, VisitControl, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../../tests/golden/quad.bvh"))?;
    /// let ray = Ray::new([0.25, 0.5, 1.0], [0.0, 0.0, -1.0]);
    /// let mut hits = Vec::new();
    /// model.all_hits(&ray, |hit| {
    ///     hits.push(*hit);
    ///     VisitControl::Continue
    /// });
    /// hits.sort_by(|a, b| a.t.total_cmp(&b.t));
    /// assert_eq!(hits[0].t, 1.0);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
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
        self.all_hits_below(ROOT, ray, &mut Erased::new(probe), &mut visit);
    }

    /// The same among the triangles below a child reference of the tree.
    pub(crate) fn all_hits_below(
        &self,
        child: u32,
        ray: &Ray,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(&Hit) -> VisitControl,
    ) {
        if let Some(class) = Class::of(ray) {
            dispatch!(self.level().inner(), simd => {
                all_hits(simd, self, child, &Frame::new(simd, ray, class, self.extent()), probe, visit)
            });
        } else if let Some(scaled) = Scaled::of(ray) {
            self.all_hits_below(child, &scaled.ray, probe, &mut |hit| match visit(&scaled.unscale(*hit)) {
                VisitControl::UpTo(closer) => VisitControl::UpTo(scaled.scale(closer)),
                other => other,
            });
        }
    }
}

#[inline(always)]
fn all_hits<S: Kernel>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    frame: &Frame,
    probe: &mut Erased<'_>,
    report: &mut dyn FnMut(&Hit) -> VisitControl,
) {
    let (mut limit, mut stopped) = (frame.t_max, false);
    let boxes = SlabTest::new(simd, frame);
    let mut duplicates = DuplicateElimination::new(model);
    walk::<S, _, NearestFirst>(
        simd,
        model,
        child,
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
                    if !probe.accepts(&visit, found.lane) {
                        return;
                    }
                    let Some(triangle) = visit.triangle(found.lane) else { return };
                    // Boxes that the ray enters beyond the hit need not be visited.
                    let reports = duplicates.reports(
                        &visit,
                        found.lane,
                        triangle,
                        probe,
                        #[inline(always)]
                        |node| boxes.meets(simd, node, found.t),
                    );
                    if !reports {
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
