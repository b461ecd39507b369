//! All triangles that touch a box or a sphere.

use core::ops::ControlFlow;

use bvhc_format::record::Block;

use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::model::Model;
use crate::simd::{Kernel, dispatch};
use crate::triangle::{FoundLanes, corners, touch_box, touch_sphere};
use crate::walk::ROOT;
use crate::walk::duplicates::DuplicateElimination;
use crate::walk::probe::{Erased, Probe, Sink};
use crate::walk::region::{self, BEYOND_MODELS, Region};

/// A triangle that an overlap query found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The triangle's number; [`Model::source_of`] gives its face and material.
    pub triangle: u32,
    /// Its corners, in the source's winding.
    pub corners: [[f32; 3]; 3],
}

impl<'a> Model<'a> {
    /// Calls `visit` once with every triangle that shares a point with the closed box, in no particular order, until it
    /// returns `Break`, which is then returned.
    ///
    /// Exact: touching counts, and rounding never affects the answer. An empty box touches nothing; its bounds may be
    /// infinite. Does not allocate or panic. Cost: the triangle tests of all blocks whose boxes touch it.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use bvhc_runtime::{Aabb, Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?;
    /// let mut triangles = Vec::new();
    /// let _ = model.overlap_box(&Aabb::new([-1.0; 3], [0.1; 3]), |found| {
    ///     triangles.push(found.triangle);
    ///     ControlFlow::Continue(())
    /// });
    /// triangles.sort();
    /// assert_eq!(triangles, [0, 1]);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn overlap_box(
        &self,
        query_box: &Aabb,
        visit: impl FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_box_with(query_box, &mut (), visit)
    }

    /// As [`overlap_box`](Self::overlap_box), among the triangles that `probe` accepts.
    pub fn overlap_box_with<P: Probe>(
        &self,
        query_box: &Aabb,
        probe: &mut P,
        mut visit: impl FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_box_erased(query_box, &mut Erased::new(probe), &mut visit)
    }

    fn overlap_box_erased(
        &self,
        query_box: &Aabb,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if query_box.is_empty() {
            return ControlFlow::Continue(());
        }
        // The triangle test needs finite boxes. No model extends beyond this, so the answer is the same.
        let within = |x: f32| x.clamp(-BEYOND_MODELS, BEYOND_MODELS);
        let query_box = &Aabb { min: query_box.min.map3(within), max: query_box.max.map3(within) };
        let touches = |corners: &_| touch_box::touches(corners, query_box.min, query_box.max);
        self.overlap_below(ROOT, &Region::of_box(*query_box), &touches, probe, visit)
    }

    /// Calls `visit` once with every triangle within `radius` of `centre`, in no particular order, until it returns
    /// `Break`, which is then returned.
    ///
    /// Exact: touching counts, and rounding never affects the answer. A sphere with a negative or NaN radius, or with a
    /// centre that is not finite, is empty and touches nothing; one with an infinite radius touches everything. Does
    /// not allocate or panic.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use bvhc_runtime::{Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?;
    /// // `Break` ends the search and is returned; here it says whether anything is within 2 of the point.
    /// let found = model.overlap_sphere([0.5, 0.5, 1.0], 2.0, |_| ControlFlow::Break(()));
    /// assert!(found.is_break());
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn overlap_sphere(
        &self,
        centre: impl Into<[f32; 3]>,
        radius: f32,
        visit: impl FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_sphere_with(centre, radius, &mut (), visit)
    }

    /// As [`overlap_sphere`](Self::overlap_sphere), among the triangles that `probe` accepts.
    pub fn overlap_sphere_with<P: Probe>(
        &self,
        centre: impl Into<[f32; 3]>,
        radius: f32,
        probe: &mut P,
        mut visit: impl FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_sphere_below(ROOT, centre.into(), radius, &mut Erased::new(probe), &mut visit)
    }

    /// The same among the triangles below a child reference of the tree.
    pub(crate) fn overlap_sphere_below(
        &self,
        child: u32,
        centre: [f32; 3],
        radius: f32,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let is_empty = radius.is_nan() || radius < 0.0;
        if is_empty || !centre.iter().all(|x| x.is_finite()) {
            return ControlFlow::Continue(());
        }
        let touches = |corners: &_| radius == f32::INFINITY || touch_sphere::touches(corners, centre, radius);
        self.overlap_below(child, &Region::around(centre, [radius; 3], radius), &touches, probe, visit)
    }

    /// Reports the triangles below a child reference that a shape touches, which lies in `region`. Compiled once for all
    /// shapes.
    pub(crate) fn overlap_below(
        &self,
        child: u32,
        region: &Region,
        touches: &dyn Fn(&[[f32; 3]; 3]) -> bool,
        probe: &mut Erased<'_>,
        report: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let below = Below { model: self, child, region, touches };
        dispatch!(self.level().inner(), simd => overlap(
            simd,
            &below,
            #[inline(always)]
            |_, found| found(u32::MAX, 0),
            probe,
            report,
        ))
    }
}

/// What an overlap query asks of the triangles below a child reference.
pub(crate) struct Below<'a, 'm> {
    pub(crate) model: &'a Model<'m>,
    pub(crate) child: u32,
    pub(crate) region: &'a Region,
    pub(crate) touches: &'a dyn Fn(&[[f32; 3]; 3]) -> bool,
}

/// Reports the triangles that touch, of those in the lanes of blocks that `filter` leaves; it may know that some of them do.
#[inline(always)]
pub(crate) fn overlap<S: Kernel>(
    simd: S,
    below: &Below<'_, '_>,
    filter: impl Fn(&Block, FoundLanes<'_>) -> ControlFlow<()>,
    probe: &mut Erased<'_>,
    report: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Below { model, child, region, touches } = *below;
    let mut duplicates = DuplicateElimination::new(model);
    region::walk(
        simd,
        model,
        child,
        region,
        probe,
        #[inline(always)]
        |visit, probe| {
            let used = ((1u64 << visit.lanes()) - 1) as u32;
            filter(visit.block, &mut |maybe, surely| {
                let (mut left, mut surely) = (maybe & used, surely & used);
                while left != 0 {
                    // What is known first: it may be enough.
                    let is_known = surely != 0;
                    let lane = if is_known { surely } else { left }.trailing_zeros() as usize;
                    left &= !(1 << lane);
                    surely &= left;
                    let corners = corners(visit.block, lane);
                    if (is_known || touches(&corners))
                        && probe.accepts(&visit, lane)
                        && let Some(triangle) = visit.triangle(lane)
                        && duplicates.reports(&visit, lane, triangle, probe, |node| region.meets(simd, node))
                    {
                        report(Overlap { triangle, corners })?;
                    }
                }
                ControlFlow::Continue(())
            })
        },
    )
}
