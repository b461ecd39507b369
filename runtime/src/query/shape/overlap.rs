//! The triangles that a shape touches.

use core::ops::ControlFlow;

use super::image::image;
use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::model::Model;
use crate::query::overlap::{Below, Overlap, overlap};
use crate::shape::filter::{MovingShape, Place, SeenPoints, touched_in_block};
use crate::shape::{Bounds, Displacement, Shape};
use crate::simd::dispatch;
use crate::similarity::Similarity;
use crate::walk::ROOT;
use crate::walk::probe::{Erased, Probe};
use crate::walk::region::{BEYOND_MODELS, Region};

impl Model<'_> {
    /// Whether the shape touches the model.
    ///
    /// Exact for the shapes of this crate: touching counts, and rounding never affects the answer. An empty shape
    /// touches nothing, and a shape that is wholly inside a closed model does not touch it: models are surfaces. Does
    /// not allocate or panic.
    ///
    /// ```
    /// use bvhc_runtime::{Capsule, Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../../tests/golden/quad.bvh"))?;
    /// assert!(model.overlaps(&Capsule::new([0.5, 0.5, 0.25], [0.5, 0.5, 2.0], 0.25)));
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn overlaps(&self, shape: &impl Shape) -> bool {
        self.overlap(shape, |_| ControlFlow::Break(())).is_break()
    }

    /// As [`overlaps`](Self::overlaps), among the triangles that `probe` accepts.
    pub fn overlaps_with<P: Probe>(&self, shape: &impl Shape, probe: &mut P) -> bool {
        self.overlap_with(shape, probe, |_| ControlFlow::Break(())).is_break()
    }

    /// Calls `visit` once with every triangle that shares a point with the shape, in no particular order, until it
    /// returns `Break`, which is then returned. As exact as [`overlaps`](Self::overlaps).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use bvhc_runtime::{Cuboid, Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../../tests/golden/quad.bvh"))?;
    /// let mut triangles = Vec::new();
    /// let _ = model.overlap(&Cuboid::new([0.0, 0.0, 0.0], [0.1, 0.1, 0.1]), |found| {
    ///     triangles.push(found.triangle);
    ///     ControlFlow::Continue(())
    /// });
    /// triangles.sort();
    /// assert_eq!(triangles, [0, 1]);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn overlap(
        &self,
        shape: &impl Shape,
        visit: impl FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_with(shape, &mut (), visit)
    }

    /// As [`overlap`](Self::overlap), among the triangles that `probe` accepts.
    pub fn overlap_with<P: Probe>(
        &self,
        shape: &impl Shape,
        probe: &mut P,
        mut visit: impl FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.overlap_erased(shape, &mut Erased::new(probe), &mut visit)
    }

    fn overlap_erased(
        &self,
        shape: &dyn Shape,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(placed) = Placed::of(shape) else { return ControlFlow::Continue(()) };
        self.overlap_shape_below(ROOT, &Similarity::IDENTITY, &placed, probe, visit)
    }

    /// The same among the triangles below a child reference, of a mesh that is somewhere in the shape's space.
    pub(crate) fn overlap_shape_below(
        &self,
        child: u32,
        at: &Similarity,
        placed: &Placed<'_>,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(Overlap) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Placed { shape, bounds } = placed;
        let touches = |corners: &[[f32; 3]; 3]| {
            image(at, corners).is_some_and(|corners| shape.touches(&corners, &Displacement::NONE))
        };
        let place = Place { at, middle: bounds.centre(), slack: 0.0, largest: self.extent().largest };
        let filter = MovingShape::new(*shape, bounds, &place);
        let mut points = SeenPoints::new();
        filter.see_points(&mut points);
        let region = Region::around(filter.origin, [0, 1, 2].map3(|axis| filter.reach(axis)), filter.span());
        let below = Below { model: self, child, region: &region, touches: &touches };
        dispatch!(self.level().inner(), simd => overlap(
            simd,
            &below,
            #[inline(always)]
            |block, found| touched_in_block(simd, block, &filter, &points, found),
            probe,
            visit,
        ))
    }
}

/// A shape that is not empty.
pub(crate) struct Placed<'a> {
    shape: &'a dyn Shape,
    bounds: Bounds,
}

impl<'a> Placed<'a> {
    /// `None` if the shape is empty.
    pub(crate) fn of(shape: &'a dyn Shape) -> Option<Self> {
        Some(Self { shape, bounds: Bounds::of(shape)? })
    }

    /// A box that holds the shape, or all of it that is where a model may be.
    pub(crate) fn query_box(&self) -> Aabb {
        rounded_out(&self.bounds)
    }
}

/// A box that holds the shape, or all of it that is where a model may be.
pub(super) fn rounded_out(bounds: &Bounds) -> Aabb {
    // A sum and its conversion are off by little more than half a unit in the last place of f32; this adds one or two.
    let slack = |x: f32| x.abs() * f32::EPSILON + f32::MIN_POSITIVE;
    let down = |x: f32| (x - slack(x)).max(-BEYOND_MODELS);
    let up = |x: f32| (x + slack(x)).min(BEYOND_MODELS);
    Aabb {
        min: bounds.lower.map3(|x| down((x - bounds.radius) as f32)),
        max: bounds.upper.map3(|x| up((x + bounds.radius) as f32)),
    }
}
