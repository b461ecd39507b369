//! The first triangle that a moving shape touches.

use core::cmp::Ordering;
use core::ops::ControlFlow;

use bvhc_format::NONE;
use bvhc_format::edges::TriangleEdges;
use bvhc_format::record::BLOCK_WIDTH;

use super::image::{feature_of, image};
use super::sweep::{Motion, Sweep};
use crate::math::vector::{Map3, dot};
use crate::model::Model;
use crate::ray::Sides;
use crate::shape::filter::{Entries, deep_in_block, entries_in_block};
use crate::shape::first_touch::{Feature, Touch, TouchTime, unit_normal};
use crate::shape::{Corners, Shape};
use crate::simd::{Kernel, dispatch};
use crate::similarity::Similarity;
use crate::triangle::corners;
use crate::walk::duplicates::DuplicateElimination;
use crate::walk::probe::{Erased, Probe};
use crate::walk::ray::{NearestFirst, SlabTest, walk};
use crate::walk::{ROOT, Visit};

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
    /// displacement, does not touch the triangle, and is within 1e-6 of the model's size of doing so. 0 if it touches
    /// from the start.
    pub t: f64,
    /// The point of the triangle nearest to the shape at that time.
    pub point: [f32; 3],
    /// The unit normal of the contact, from the triangle to the shape.
    pub normal: [f32; 3],
    /// The unit normal of the triangle, by the right-hand rule over its corners; zero if it has no area.
    pub face_normal: [f32; 3],
    /// Which part of the triangle is touched.
    pub feature: Feature,
    /// How far the shape would have to move along `normal` to be just in contact, if it touches the triangle from the
    /// start; `None` if it does not.
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
            normal: touch.normal.map3(|x| x as f32 + 0.0),
            face_normal: unit_normal(triangle).map3(|x| x as f32 + 0.0),
            feature: touch.feature,
            depth: touch.depth.map(|depth| depth as f32),
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
    /// yet: exact for the shapes of this crate but the cylinder. That may pass a triangle that it grazes: it is asked at seven
    /// times, when it has closed in by 2^-32 to 2^-26 of the model's size after it came within 2^-32 of the triangle, and the
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
        self.visit_casts(&plan, limit, false, probe, &mut |found| {
            first.offer(found, &plan);
            Next::UpTo(found.time.t, first.depth())
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
        self.visit_casts(&plan, f64::INFINITY, false, probe, &mut |_| {
            is_found = true;
            Next::Stop
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
        self.visit_casts(&plan, f64::INFINITY, true, probe, &mut |found| {
            stopped = visit(&plan.describe(found)).is_break();
            if stopped { Next::Stop } else { Next::UpTo(f64::INFINITY, None) }
        });
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Compiled once for all shapes and questions. Contacts up to `limit` are wanted at first. `once`: triangles in several
    /// blocks are reported once.
    fn visit_casts(
        &self,
        plan: &Plan<'_>,
        limit: f64,
        once: bool,
        probe: &mut Erased<'_>,
        report: &mut dyn FnMut(&Found) -> Next,
    ) {
        dispatch!(self.level().inner(), simd => run(simd, self, plan, limit, once, probe, report));
    }
}

/// A triangle that the shape touches, and when. How it does is looked at only where that matters.
#[derive(Clone, Copy)]
struct Found {
    time: TouchTime,
    triangle: u32,
    corners: [[f32; 3]; 3],
    exact: Corners,
}

/// The first contact so far, described if another one came at the same time.
#[derive(Default)]
struct First {
    best: Option<(Found, Option<CastHit>)>,
}

impl First {
    fn offer(&mut self, found: &Found, plan: &Plan<'_>) {
        // The depth is of use for those that come.
        let described = || found.time.from_start.then(|| plan.describe(found));
        let Some((held, hit)) = &self.best else {
            self.best = Some((*found, described()));
            return;
        };
        if found.time.t < held.time.t {
            self.best = Some((*found, described()));
        } else if found.time.t == held.time.t {
            let held = (*held, hit.unwrap_or_else(|| plan.describe(held)));
            let other = (*found, plan.describe(found));
            let (found, hit) = if comes_before(&other.1, &held.1) { other } else { held };
            self.best = Some((found, Some(hit)));
        }
    }

    /// How deep it is, if it is from the start.
    fn depth(&self) -> Option<f32> {
        self.best.as_ref()?.1?.depth
    }

    fn hit(self, plan: &Plan<'_>) -> Option<CastHit> {
        self.best.map(|(found, hit)| hit.unwrap_or_else(|| plan.describe(&found)))
    }
}

/// How a cast goes on after a contact.
enum Next {
    /// Contacts up to this time are wanted; and of those at the start, if there is a depth, only as deep ones.
    UpTo(f64, Option<f32>),
    Stop,
}

/// Whether a contact is the better answer.
fn comes_before(a: &CastHit, b: &CastHit) -> bool {
    by_contact(a, b).then(a.triangle.cmp(&b.triangle)).is_lt()
}

/// The order of contacts, but for what is touched.
pub(crate) fn by_contact(a: &CastHit, b: &CastHit) -> Ordering {
    let depth = |hit: &CastHit| hit.depth.unwrap_or(-1.0);
    let by_time = a.t.total_cmp(&b.t).then(depth(b).total_cmp(&depth(a)));
    let rank = |feature: Feature| match feature {
        Feature::Face => 0,
        Feature::Edge(_) => 1,
        Feature::Vertex(_) => 2,
    };
    by_time.then(rank(a.feature).cmp(&rank(b.feature)))
}

/// A cast, prepared for a mesh.
struct Plan<'a> {
    motion: Motion<'a>,
    /// In the mesh's space.
    sweep: Sweep<'a>,
    child: u32,
    at: Similarity,
    edges: Option<&'a [TriangleEdges]>,
    sides: Sides,
    start: StartContact,
}

impl<'a> Plan<'a> {
    /// For the triangles below a child reference of a mesh that is somewhere in the shape's space; `None` if the cast touches
    /// nothing of it.
    fn new(
        model: &Model<'a>,
        child: u32,
        at: &Similarity,
        cast: &ShapeCast<'a, dyn Shape + 'a>,
    ) -> Option<Self> {
        let bounds = model.bounds();
        let motion = Motion::of(cast, at.image_of(&[bounds.min, bounds.max].map(|end| end.map3(f64::from))))?;
        let sweep = motion.sweep(at, model.extent());
        let edges = model.sections().edges();
        Some(Self { motion, sweep, child, at: *at, edges, sides: cast.sides, start: cast.start })
    }

    /// When a triangle is touched, if that is up to `limit`, from a side that counts, and not a contact at the start that
    /// does not count.
    fn touch(&self, corners: &Corners, limit: f64) -> Option<TouchTime> {
        let direction = self.motion.mover.direction.map3(f64::from);
        if self.sides != Sides::Both {
            let along = dot(unit_normal(corners), direction);
            let seen = if self.sides == Sides::Front { along < 0.0 } else { along > 0.0 };
            if !seen {
                return None;
            }
        }
        let time = self.motion.mover.first_touch(corners, limit).filter(|time| time.t <= limit)?;
        let counts = match self.start {
            _ if !time.from_start => true,
            StartContact::Report => true,
            StartContact::IfClosing => {
                dot(self.motion.mover.describe(corners, &time).normal, direction) < 0.0
            }
            StartContact::Ignore => false,
        };
        counts.then_some(time)
    }

    /// The triangle across the edge that is touched.
    fn across(&self, triangle: u32, feature: Feature) -> Option<u32> {
        let Feature::Edge(edge) = feature else { return None };
        let neighbours = self.edges?.get(triangle as usize)?.neighbours;
        Some(neighbours[usize::from(edge % 3)]).filter(|number| *number != NONE)
    }

    fn describe(&self, found: &Found) -> CastHit {
        let touch = self.motion.mover.describe(&found.exact, &found.time);
        let feature = feature_of(&self.at, touch.feature);
        let (across, triangle) = (self.across(found.triangle, feature), found.triangle);
        CastHit { feature, across, triangle, corners: found.corners, ..CastHit::of(&touch, &found.exact) }
    }
}

#[inline(always)]
fn run<S: Kernel>(
    simd: S,
    model: &Model<'_>,
    plan: &Plan<'_>,
    limit: f64,
    once: bool,
    probe: &mut Erased<'_>,
    report: &mut dyn FnMut(&Found) -> Next,
) {
    let Some(frame) = plan.sweep.frame(simd, model.extent(), limit) else { return };
    let shape = plan.sweep.moving_shape(&frame);
    let boxes = SlabTest::new(simd, &frame);
    let mut duplicates = DuplicateElimination::new(model);
    let mut limit = (frame.t_max, limit);
    // Depths are the world's; the filter bounds those in the mesh's space.
    let bounds_depths = plan.at.is_identity() && plan.motion.mover.shape.fills_core_axes();
    let mut depth = None;
    let mut stopped = false;
    let mut entries: Entries = [f32::INFINITY; BLOCK_WIDTH];
    walk::<S, NearestFirst>(
        simd,
        model,
        plan.child,
        &frame,
        probe,
        #[inline(always)]
        |visit, probe| {
            let mut met = entries_in_block(simd, visit.block, &shape, limit.0, &mut entries);
            if let Some(depth) = depth
                && met != 0
            {
                met &= deep_in_block(simd, visit.block, &shape, depth);
            }
            while met != 0 && !stopped {
                let lane = least(&entries, met);
                met &= !(1 << lane);
                if entries[lane] > limit.0 {
                    break;
                }
                let Some(found) = touch_in_lane(plan, &visit, lane, limit.1, probe) else { continue };
                let is_duplicate = once
                    && !duplicates.reports(
                        &visit,
                        lane,
                        found.triangle,
                        probe,
                        #[inline(always)]
                        |node| boxes.meets(simd, node, frame.t_max),
                    );
                if is_duplicate {
                    continue;
                }
                match report(&found) {
                    Next::UpTo(t, deepest) => {
                        limit = (plan.sweep.in_ray_units(t), t);
                        depth = deepest.filter(|_| bounds_depths);
                    }
                    Next::Stop => stopped = true,
                }
            }
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(limit.0) }
        },
    );
}

/// The lane with the least entry.
#[inline(always)]
fn least(entries: &Entries, mut lanes: u32) -> usize {
    let mut best = lanes.trailing_zeros() as usize % BLOCK_WIDTH;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize % BLOCK_WIDTH;
        lanes &= lanes - 1;
        if entries[lane] < entries[best] {
            best = lane;
        }
    }
    best
}

/// Compiled once, outside of the levels' code: it is f64 and the same on all.
#[inline(never)]
fn touch_in_lane(
    plan: &Plan<'_>,
    visit: &Visit<'_>,
    lane: usize,
    limit: f64,
    probe: &mut Erased<'_>,
) -> Option<Found> {
    if !probe.accepts(visit, lane) {
        return None;
    }
    let corners = corners(visit.block, lane);
    let exact = image(&plan.at, &corners)?;
    let time = plan.touch(&exact, limit)?;
    Some(Found { time, triangle: visit.triangle(lane)?, corners, exact })
}
