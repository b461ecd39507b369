//! The walk of a cast: the triangles that its shape may touch, and when.

use core::ops::ControlFlow;

use bvhc_format::NONE;
use bvhc_format::edges::TriangleEdges;
use bvhc_format::record::{BLOCK_WIDTH, Block};

use super::super::image::{feature_of, image};
use super::super::sweep::{Motion, Sweep};
use super::{CastHit, ShapeCast, StartContact};
use crate::math::vector::{Map3, cross, dot, sub};
use crate::model::Model;
use crate::ray::Sides;
use crate::shape::filter::{Directions, Entries, MovingShape, SeenPoints, deep_in_block, entries_in_block};
use crate::shape::first_touch::{ContactNormal, Feature, Limit, TouchTime};
use crate::shape::{Corners, Shape};
use crate::simd::{Kernel, dispatch};
use crate::similarity::Similarity;
use crate::triangle::corners;
use crate::walk::Visit;
use crate::walk::duplicates::DuplicateElimination;
use crate::walk::probe::{Erased, Sink};
use crate::walk::ray::{NearestFirst, SlabTest, walk};

/// A triangle that the shape touches, and when. How it does is looked at only where that matters.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) time: TouchTime,
    pub(super) triangle: u32,
    corners: [[f32; 3]; 3],
    pub(super) exact: Corners,
}

/// Which contacts are still wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) limit: Limit,
    /// If any, only those from the start, and at least this deep.
    pub(super) deepest: Option<f32>,
}

/// A cast, prepared for a mesh.
pub(super) struct Plan<'a> {
    pub(super) motion: Motion<'a>,
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
    pub(super) fn new(
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

    /// Compiled once for all shapes and questions. Contacts up to `limit` are wanted at first, and after each what `report`
    /// returns; it ends at `None`. `once`: triangles in several blocks are reported once.
    pub(super) fn visit(
        &self,
        model: &Model<'_>,
        limit: f64,
        once: bool,
        probe: &mut Erased<'_>,
        report: &mut dyn FnMut(&Found) -> Option<Wanted>,
    ) {
        dispatch!(model.level().inner(), simd => run(simd, model, self, limit, once, probe, report));
    }

    /// When a triangle is touched, if that contact is wanted, from a side that counts, and not at the start if that does not
    /// count.
    fn touch(&self, corners: &Corners, wanted: &Wanted) -> Option<TouchTime> {
        let direction = self.motion.mover.direction.map3(f64::from);
        if self.sides != Sides::Both {
            let [a, b, c] = *corners;
            // Not divided by its length: of small whole numbers, the sign is exact.
            let along = dot(cross(sub(b, a), sub(c, a)), direction);
            let seen = if self.sides == Sides::Front { along < 0.0 } else { along > 0.0 };
            if !seen {
                return None;
            }
        }
        let mover = &self.motion.mover;
        let time = match wanted.deepest {
            Some(_) => mover.touch_at_start(corners)?,
            None => mover.first_touch(corners, wanted.limit).filter(|time| time.t <= wanted.limit.t)?,
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
        self.at.is_identity().then_some(if fills { Directions::All } else { Directions::OfTriangles })
    }

    /// The normal of the plane that a limit names, in the mesh's space. Of boxes all directions are looked along in less time than planes
    /// save.
    fn plane(&self, limit: &Limit) -> Option<[f32; 3]> {
        let tells = self.motion.mover.solid.is_none() && limit.normal != [0.0; 3];
        tells.then(|| self.at.inverse_direction(limit.normal).map3(|x| x as f32))
    }

    /// The triangle across the edge that is touched.
    fn across(&self, triangle: u32, feature: Feature) -> Option<u32> {
        let Feature::Edge(edge) = feature else { return None };
        let neighbours = self.edges?.get(triangle as usize)?.neighbours;
        Some(neighbours[usize::from(edge % 3)]).filter(|number| *number != NONE)
    }

    pub(super) fn describe(&self, found: &Found, from: ContactNormal) -> CastHit {
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
    let mut points = SeenPoints::new();
    shape.see_points(&mut points);
    let boxes = SlabTest::new(simd, &frame);
    let mut duplicates = DuplicateElimination::new(model);
    let (mut wanted, mut until) =
        (Wanted { limit: Limit { t: limit, ..Limit::NONE }, deepest: None }, frame.t_max);
    let mut plane = None;
    let depths = plan.depths();
    let mut stopped = false;
    let (mut times, mut negated_depths) = ([f32::INFINITY; BLOCK_WIDTH], [f32::INFINITY; BLOCK_WIDTH]);
    walk::<S, _, NearestFirst>(
        simd,
        model,
        plan.child,
        &frame,
        probe,
        #[inline(always)]
        |visit, probe| {
            let deep = deep_ones(simd, visit.block, &shape, &points, &wanted, depths, &mut negated_depths);
            // Those that may be deep along all directions have no later times.
            let mut met = if wanted.deepest.is_some() && depths == Some(Directions::All) || deep == 0 {
                times = [0.0; BLOCK_WIDTH];
                deep
            } else {
                entries_in_block(simd, visit.block, &shape, &points, until, plane.as_ref(), &mut times) & deep
            };
            while met != 0 {
                let (entries, last) = match wanted.deepest.filter(|_| depths.is_some()) {
                    Some(deepest) => (&negated_depths, -deepest),
                    None => (&times, until),
                };
                let lane = least(entries, met);
                met &= !(1 << lane);
                if entries[lane] > last {
                    break;
                }
                if times[lane] > until {
                    continue;
                }
                let Some(found) = touch_in_lane(plan, &visit, lane, &wanted, probe) else {
                    continue;
                };
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
                let Some(next) = report(&found) else {
                    stopped = true;
                    break;
                };
                let is_first_deep = wanted.deepest.is_none() && next.deepest.is_some();
                (wanted, until) = (next, plan.sweep.in_ray_units(next.limit.t));
                plane = plan.plane(&next.limit).map(|normal| shape.seen_plane(&points, normal));
                if is_first_deep {
                    met &=
                        deep_ones(simd, visit.block, &shape, &points, &wanted, depths, &mut negated_depths);
                }
            }
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(until) }
        },
    );
}

/// The lanes that may be as deep as is wanted, with bounds of their depths, negated: all, while later contacts are wanted, too.
#[inline(always)]
fn deep_ones<S: Kernel>(
    simd: S,
    block: &Block,
    shape: &MovingShape<'_>,
    points: &SeenPoints,
    wanted: &Wanted,
    depths: Option<Directions>,
    negated_depths: &mut Entries,
) -> u32 {
    match wanted.deepest.zip(depths) {
        Some((least, along)) => deep_in_block(simd, block, shape, points, along, least, negated_depths),
        None => u32::MAX,
    }
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
