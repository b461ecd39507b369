//! The first triangle that a moving shape touches.

mod first;
mod walk;

pub(crate) use first::by_contact;

use core::ops::ControlFlow;

use bvhc_format::NONE;

use self::first::First;
use self::walk::{Plan, Wanted};
use crate::math::vector::Map3;
use crate::model::Model;
use crate::ray::Sides;
use crate::shape::first_touch::{Feature, Limit, Touch, TouchTime, unit_normal};
use crate::shape::{Corners, Shape};
use crate::similarity::Similarity;
use crate::walk::ROOT;
use crate::walk::probe::{Erased, Probe};

/// What a cast reports of triangles that its shape touches from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartContact {
    /// All, at `t = 0`, with their depth.
    #[default]
    Report,
    /// Those that the shape moves deeper into.
    IfClosing,
    /// None: the shape passes through them.
    Ignore,
}

/// A shape that moves in a straight line: at time `t` it is displaced by `t * displacement`.
#[derive(Debug)]
pub struct ShapeCast<'a, T: ?Sized> {
    pub(crate) shape: &'a T,
    pub(crate) displacement: [f32; 3],
    pub(crate) t_max: f64,
    sides: Sides,
    pub(crate) start: StartContact,
}

impl<T: ?Sized> Copy for ShapeCast<'_, T> {}

impl<T: ?Sized> Clone for ShapeCast<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, T: Shape> ShapeCast<'a, T> {
    /// The shape from where it is, by the displacement: `t` is from 0 to 1.
    ///
    /// A cast with a displacement that is not finite, or an empty shape, touches nothing. A displacement of zero leaves
    /// what the shape touches from the start.
    pub fn new(shape: &'a T, displacement: impl Into<[f32; 3]>) -> Self {
        let (sides, start) = (Sides::Both, StartContact::Report);
        Self { shape, displacement: displacement.into(), t_max: 1.0, sides, start }
    }

    /// The same cast up to another time, inclusive, which may be infinite.
    pub fn with_t_max(self, t_max: f64) -> Self {
        Self { t_max, ..self }
    }

    /// The same cast, touching only these sides of triangles: their fronts, if they are approached against their normals.
    pub fn with_sides(self, sides: Sides) -> Self {
        Self { sides, ..self }
    }

    /// The same cast with another choice for contacts at the start.
    pub fn with_start(self, start: StartContact) -> Self {
        Self { start, ..self }
    }

    pub(crate) fn erased(&self) -> ShapeCast<'a, dyn Shape + 'a> {
        let Self { shape, displacement, t_max, sides, start } = *self;
        ShapeCast { shape, displacement, t_max, sides, start }
    }
}

/// Where a moving shape touches a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// The time, in lengths of the displacement, rounded down: the shape, displaced by exactly `t` times the
    /// displacement, does not touch the triangle, and is within 1e-6 of the model's size of doing so, or within 2^-30 of the
    /// largest coordinate of the two, if that is more. 0 if it touches from the start.
    pub t: f64,
    /// A point of the triangle that is as near to the shape at that time as any, but for less than 2^-28 of the model's size or of the
    /// largest coordinate.
    pub point: [f32; 3],
    /// The unit normal of the contact, from the triangle to the shape.
    pub normal: [f32; 3],
    /// The unit normal of the triangle, by the right-hand rule over its corners; zero if it has no area.
    pub face_normal: [f32; 3],
    /// Which part of the triangle is touched.
    pub feature: Feature,
    /// How far the shape would have to move along `normal` to be just in contact, if it touches the triangle from the
    /// start; `None` if it does not. The shortest such way for boxes, triangles and capsules, and an upper bound for others whose cores
    /// reach through the triangle: they are apart after it, but may be so before.
    pub depth: Option<f32>,
    /// The only triangle across the edge, if an edge is touched and the file says it (section edges, `--edges`).
    pub across: Option<u32>,
    /// The triangle's number; [`Model::source_of`] tells its face and material.
    pub triangle: u32,
    /// Its corners, in the source's winding.
    pub corners: [[f32; 3]; 3],
}

impl CastHit {
    /// Of a triangle that has no number.
    pub(crate) fn of(touch: &Touch, triangle: &Corners) -> Self {
        Self {
            t: touch.t,
            point: touch.point.map3(|x| x as f32),
            normal: touch.from.normal.map3(|x| x as f32 + 0.0),
            face_normal: unit_normal(triangle).map3(|x| x as f32 + 0.0),
            feature: touch.from.feature,
            depth: touch.from.depth.map(|depth| depth as f32),
            across: None,
            triangle: NONE,
            corners: [[0.0; 3]; 3],
        }
    }
}

impl Model<'_> {
    /// What the moving shape touches first.
    ///
    /// Of contacts at the same time, the deepest is returned, then one of a face before edges and corners, then the
    /// lowest triangle number. A shape that touches the model at some time is never missed, and at `t` it does not touch
    /// yet: exact for the shapes of this crate but the cylinder. That may pass a triangle that it grazes, if f64 leaves open whether the two
    /// touch: it is asked at seven times, when it has closed in by 2^-32 to 2^-26 of the model's size after it came within 2^-32 of the triangle, and the
    /// triangle is passed if it is touched at none of these. Bit-identical on every CPU. Does not allocate or panic. Cost: that of a ray through boxes grown by
    /// the shape, and about a microsecond for each triangle that may be the first.
    ///
    /// ```
    /// use bvhc_runtime::{Ball, Model, ShapeCast, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../../tests/golden/quad.bvh"))?;
    /// let ball = Ball::new([0.5, 0.25, 3.0], 1.0);
    /// let hit = model.cast(&ShapeCast::new(&ball, [0.0, 0.0, -4.0])).expect("it falls on the quad");
    /// assert!(hit.t <= 0.5 && hit.t > 0.5 - 1e-6);
    /// assert_eq!((hit.normal, hit.depth), ([0.0, 0.0, 1.0], None));
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn cast<T: Shape>(&self, cast: &ShapeCast<'_, T>) -> Option<CastHit> {
        self.cast_with(cast, &mut ())
    }

    /// As [`cast`](Self::cast), among the triangles that `probe` accepts.
    pub fn cast_with<T: Shape, P: Probe>(&self, cast: &ShapeCast<'_, T>, probe: &mut P) -> Option<CastHit> {
        self.cast_below(ROOT, &Similarity::IDENTITY, &cast.erased(), f64::INFINITY, &mut Erased::new(probe))
    }

    /// Whether the moving shape touches anything. Faster than [`cast`](Self::cast).
    pub fn cast_any<T: Shape>(&self, cast: &ShapeCast<'_, T>) -> bool {
        self.cast_any_with(cast, &mut ())
    }

    /// As [`cast_any`](Self::cast_any), among the triangles that `probe` accepts.
    pub fn cast_any_with<T: Shape, P: Probe>(&self, cast: &ShapeCast<'_, T>, probe: &mut P) -> bool {
        self.cast_any_below(ROOT, &Similarity::IDENTITY, &cast.erased(), &mut Erased::new(probe))
    }

    /// Calls `visit` once with the first contact of each triangle that the moving shape touches, in no particular
    /// order, until it returns `Break`, which is then returned.
    pub fn all_casts<T: Shape>(
        &self,
        cast: &ShapeCast<'_, T>,
        visit: impl FnMut(&CastHit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.all_casts_with(cast, &mut (), visit)
    }

    /// As [`all_casts`](Self::all_casts), among the triangles that `probe` accepts.
    pub fn all_casts_with<T: Shape, P: Probe>(
        &self,
        cast: &ShapeCast<'_, T>,
        probe: &mut P,
        mut visit: impl FnMut(&CastHit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (whole, erased) = (Similarity::IDENTITY, cast.erased());
        self.all_casts_below(ROOT, &whole, &erased, &mut Erased::new(probe), &mut visit)
    }

    /// As [`cast_with`](Self::cast_with), up to a time, among the triangles below a child reference, of a mesh that is somewhere
    /// in the shape's space. Corners of hits are the mesh's, everything else is as the shape is.
    pub(crate) fn cast_below(
        &self,
        child: u32,
        at: &Similarity,
        cast: &ShapeCast<'_, dyn Shape + '_>,
        limit: f64,
        probe: &mut Erased<'_>,
    ) -> Option<CastHit> {
        let plan = Plan::new(self, child, at, cast)?;
        let mut first = First::default();
        plan.visit(self, limit, false, probe, &mut |found| {
            first.offer(found, &plan);
            let TouchTime { t, normal, .. } = found.time;
            Some(Wanted { limit: Limit { t, normal }, deepest: first.depth() })
        });
        first.hit(&plan)
    }

    /// As [`cast_any_with`](Self::cast_any_with), likewise.
    pub(crate) fn cast_any_below(
        &self,
        child: u32,
        at: &Similarity,
        cast: &ShapeCast<'_, dyn Shape + '_>,
        probe: &mut Erased<'_>,
    ) -> bool {
        let Some(plan) = Plan::new(self, child, at, cast) else { return false };
        let mut is_found = false;
        plan.visit(self, f64::INFINITY, false, probe, &mut |_| {
            is_found = true;
            None
        });
        is_found
    }

    /// As [`all_casts_with`](Self::all_casts_with), likewise.
    pub(crate) fn all_casts_below(
        &self,
        child: u32,
        at: &Similarity,
        cast: &ShapeCast<'_, dyn Shape + '_>,
        probe: &mut Erased<'_>,
        visit: &mut dyn FnMut(&CastHit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(plan) = Plan::new(self, child, at, cast) else { return ControlFlow::Continue(()) };
        let mut stopped = false;
        plan.visit(self, f64::INFINITY, true, probe, &mut |found| {
            let from = plan.motion.mover.contact_normal(&found.exact, &found.time);
            stopped = visit(&plan.describe(found, from)).is_break();
            (!stopped).then_some(Wanted { limit: Limit::NONE, deepest: None })
        });
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
