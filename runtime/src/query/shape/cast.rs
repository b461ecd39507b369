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
use crate::shape::filter::{Directions, Entries, deep_in_block, entries_in_block};
use crate::shape::first_touch::{ContactNormal, Feature, Touch, TouchTime, unit_normal};
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
            Some(Wanted { until: found.time.t, deepest: first.depth() })
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
        self.visit_casts(&plan, f64::INFINITY, true, probe, &mut |found| {
            let from = plan.motion.mover.contact_normal(&found.exact, &found.time);
            stopped = visit(&plan.describe(found, from)).is_break();
            (!stopped).then_some(Wanted { until: f64::INFINITY, deepest: None })
        });
        if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Compiled once for all shapes and questions. Contacts up to `limit` are wanted at first, and after each what `report`
    /// returns; it ends at `None`. `once`: triangles in several blocks are reported once.
    fn visit_casts(
        &self,
        plan: &Plan<'_>,
        limit: f64,
        once: bool,
        probe: &mut Erased<'_>,
        report: &mut dyn FnMut(&Found) -> Option<Wanted>,
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

/// The first contact so far.
#[derive(Default)]
struct First {
    best: Option<Held>,
}

struct Held {
    found: Found,
    /// Looked at only if the contact is from the start, or another one is as early.
    from: Option<ContactNormal>,
}

impl First {
    fn offer(&mut self, found: &Found, plan: &Plan<'_>) {
        let mut other = Held { found: *found, from: None };
        if found.time.from_start {
            other.contact_normal(plan);
        }
        if self.best.as_mut().is_none_or(|held| other.compare(held, plan).is_lt()) {
            self.best = Some(other);
        }
    }

    /// How deep it is, if it is from the start.
    fn depth(&self) -> Option<f32> {
        self.best.as_ref()?.depth()
    }

    fn hit(self, plan: &Plan<'_>) -> Option<CastHit> {
        self.best.map(|mut held| {
            let from = held.contact_normal(plan);
            plan.describe(&held.found, from)
        })
    }
}

impl Held {
    fn contact_normal(&mut self, plan: &Plan<'_>) -> ContactNormal {
        *self
            .from
            .get_or_insert_with(|| plan.motion.mover.contact_normal(&self.found.exact, &self.found.time))
    }

    fn depth(&self) -> Option<f32> {
        Some(self.from?.depth? as f32)
    }

    /// The order of contacts: by what of them is touched only if nothing else tells.
    fn compare(&mut self, held: &mut Self, plan: &Plan<'_>) -> Ordering {
        let order = by_time_and_depth((self.found.time.t, self.depth()), (held.found.time.t, held.depth()));
        order.then_with(|| {
            let number = self.found.triangle.cmp(&held.found.triangle);
            let theirs = rank(held.contact_normal(plan).feature);
            // No rank is better than a face's.
            if number.is_ge() && theirs == 0 {
                return Ordering::Greater;
            }
            rank(self.contact_normal(plan).feature).cmp(&theirs).then(number)
        })
    }
}

/// Which contacts are still wanted.
#[derive(Clone, Copy)]
struct Wanted {
    until: f64,
    /// If any, only those from the start, and at least this deep.
    deepest: Option<f32>,
}

/// The order of contacts, but for what is touched.
pub(crate) fn by_contact(a: &CastHit, b: &CastHit) -> Ordering {
    let by_feature = rank(a.feature).cmp(&rank(b.feature));
    by_time_and_depth((a.t, a.depth), (b.t, b.depth)).then(by_feature)
}

/// The earlier first, and of those at the start the deeper.
fn by_time_and_depth(a: (f64, Option<f32>), b: (f64, Option<f32>)) -> Ordering {
    let depth = |depth: Option<f32>| depth.unwrap_or(-1.0);
    a.0.total_cmp(&b.0).then(depth(b.1).total_cmp(&depth(a.1)))
}

/// Faces come before edges, and these before corners.
fn rank(feature: Feature) -> u8 {
    match feature {
        Feature::Face => 0,
        Feature::Edge(_) => 1,
        Feature::Vertex(_) => 2,
    }
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

    /// When a triangle is touched, if that contact is wanted, from a side that counts, and not at the start if that does not
    /// count.
    fn touch(&self, corners: &Corners, wanted: &Wanted) -> Option<TouchTime> {
        let direction = self.motion.mover.direction.map3(f64::from);
        if self.sides != Sides::Both {
            let along = dot(unit_normal(corners), direction);
            let seen = if self.sides == Sides::Front { along < 0.0 } else { along > 0.0 };
            if !seen {
                return None;
            }
        }
        let mover = &self.motion.mover;
        let time = match wanted.deepest {
            Some(_) => mover.touch_at_start(corners)?,
            None => mover.first_touch(corners, wanted.until).filter(|time| time.t <= wanted.until)?,
        };
        let counts = match self.start {
            _ if !time.from_start => true,
            StartContact::Report => true,
            StartContact::IfClosing => dot(mover.contact_normal(corners, &time).normal, direction) < 0.0,
            StartContact::Ignore => false,
        };
        counts.then_some(time)
    }

    /// Along which directions the filter may bound depths; `None` where they are the world's, and the filter sees the mesh's
    /// space.
    fn depths(&self) -> Option<Directions> {
        let fills = self.motion.mover.shape.fills_core_axes();
        self.at.is_identity().then_some(if fills { Directions::All } else { Directions::Normals })
    }

    /// The triangle across the edge that is touched.
    fn across(&self, triangle: u32, feature: Feature) -> Option<u32> {
        let Feature::Edge(edge) = feature else { return None };
        let neighbours = self.edges?.get(triangle as usize)?.neighbours;
        Some(neighbours[usize::from(edge % 3)]).filter(|number| *number != NONE)
    }

    fn describe(&self, found: &Found, from: ContactNormal) -> CastHit {
        let touch = self.motion.mover.describe(&found.exact, &found.time, from);
        let feature = feature_of(&self.at, from.feature);
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
    report: &mut dyn FnMut(&Found) -> Option<Wanted>,
) {
    let Some(frame) = plan.sweep.frame(simd, model.extent(), limit) else { return };
    let shape = plan.sweep.moving_shape(&frame);
    let boxes = SlabTest::new(simd, &frame);
    let mut duplicates = DuplicateElimination::new(model);
    let (mut wanted, mut until) = (Wanted { until: limit, deepest: None }, frame.t_max);
    let depths = plan.depths();
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
            let deep = match (wanted.deepest, depths) {
                (Some(deepest), Some(depths)) => deep_in_block(simd, visit.block, &shape, depths, deepest),
                _ => u32::MAX,
            };
            // Those that may be deep along all directions have no later times.
            let mut met = if wanted.deepest.is_some() && depths == Some(Directions::All) || deep == 0 {
                entries = [0.0; BLOCK_WIDTH];
                deep
            } else {
                entries_in_block(simd, visit.block, &shape, until, &mut entries) & deep
            };
            while met != 0 && !stopped {
                let lane = least(&entries, met);
                met &= !(1 << lane);
                if entries[lane] > until {
                    break;
                }
                let Some(found) = touch_in_lane(plan, &visit, lane, &wanted, probe) else { continue };
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
                    Some(next) => (wanted, until) = (next, plan.sweep.in_ray_units(next.until)),
                    None => stopped = true,
                }
            }
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(until) }
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
    wanted: &Wanted,
    probe: &mut Erased<'_>,
) -> Option<Found> {
    if !probe.accepts(visit, lane) {
        return None;
    }
    let corners = corners(visit.block, lane);
    let exact = image(&plan.at, &corners)?;
    let time = plan.touch(&exact, wanted)?;
    Some(Found { time, triangle: visit.triangle(lane)?, corners, exact })
}
