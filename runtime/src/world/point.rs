//! The closest point of a world.

use core::ops::ControlFlow;

use bvhc_format::MAX_COORDINATE;

use super::filter::{WorldFilter, with_probe};
use super::things::{Seen, Things};
use super::walk::BOX_MARGIN;
use super::{World, solid_box};
use crate::bounds::Aabb;
use crate::query::ClosestPoint;
use crate::simd::{dispatch, square_root};
use crate::similarity::Similarity;

/// The point of a world that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldPoint {
    /// The instance that it lies on.
    pub instance: u32,
    /// Distance from the query point in the world, rounded from f64.
    pub distance: f32,
    /// The closest point in the world, rounded from f64.
    pub point: [f32; 3],
    /// The answer of the instance's mesh, in the mesh's space: the triangle, its corners, and what
    /// [`surface_at`](crate::Model::surface_at) takes.
    pub local: ClosestPoint,
}

/// Finds the point of a box that is closest to a point.
pub(super) type OfBox = fn(&Aabb, [f32; 3]) -> ClosestPoint;

/// An answer, and the square of its distance by which answers are compared.
struct Best {
    square: f64,
    answer: Option<(u32, f64, ClosestPoint)>,
}

impl World<'_> {
    /// The closest point within `max_distance` of `point`, inclusive; `max_distance` may be infinite.
    ///
    /// The point is transformed into the space of each instance that may be near, in f64 and rounded once; the distance there
    /// is computed in f64 and multiplied by the scale. Of equal ones the lowest instance's is the answer, then the lowest
    /// triangle's. `None` as of [`Model::closest_point`](crate::Model::closest_point). The same bits on every CPU. Does not
    /// allocate or panic.
    pub fn closest_point(&self, point: impl Into<[f32; 3]>, max_distance: f32) -> Option<WorldPoint> {
        self.closest_point_with(point, max_distance, &mut ())
    }

    /// As [`closest_point`](Self::closest_point), among what `filter` accepts.
    pub fn closest_point_with(
        &self,
        point: impl Into<[f32; 3]>,
        max_distance: f32,
        filter: &mut dyn WorldFilter,
    ) -> Option<WorldPoint> {
        let found = self.things.closest_point(point.into(), max_distance, filter, solid_box::closest_point);
        found.map(|(_, found)| found)
    }

    /// The closest point to each of `points` within `max_distance`, bit-identical to
    /// [`closest_point`](Self::closest_point).
    ///
    /// `answers[i]` answers `points[i]`; if the slices differ in length, the rest of the longer one is ignored.
    pub fn closest_points(&self, points: &[[f32; 3]], max_distance: f32, answers: &mut [Option<WorldPoint>]) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.closest_point(*point, max_distance);
        }
    }
}

/// The walk.
impl Things<'_> {
    /// The closest point, and the square of its distance by which answers are compared. `of_box` finds that of a box.
    pub(super) fn closest_point(
        &self,
        point: [f32; 3],
        max_distance: f32,
        filter: &mut dyn WorldFilter,
        of_box: OfBox,
    ) -> Option<(f64, WorldPoint)> {
        let is_answerable = point.iter().all(|x| x.abs() <= MAX_COORDINATE) && max_distance >= 0.0;
        if !is_answerable {
            return None;
        }
        let limit = f64::from(max_distance);
        let mut best = Best { square: limit * limit, answer: None };
        let margin = margin(point);
        self.around_box(&Aabb { min: point, max: point }, widened(best.square, margin), &mut |leaf| {
            let seen = self.seen(leaf, filter);
            if let Some(Seen::Box(bounds)) = &seen {
                best.offer(leaf.instance, 1.0, of_box(bounds, point));
            } else if let Some(Seen::Mesh(part)) = &seen {
                let scale = part.similarity().scale();
                let local = part.similarity().inverse_apply(point.map(f64::from)).map(|x| x as f32);
                // Rounded up twice: no answer that is as close in f64 may be missed.
                let limit = ((self.root(best.square) / scale) as f32).next_up().next_up();
                let found = with_probe(filter, part.instance, |probe| {
                    part.model.closest_point_below(part.child, local, limit, probe)
                });
                if let Some(found) = found {
                    best.offer(part.instance, scale, found);
                }
            }
            ControlFlow::Continue(widened(best.square, margin))
        });
        let (instance, scale, local) = best.answer?;
        let similarity = Similarity::of(self.record(instance)?);
        let distance = (self.root(local.square()) * scale) as f32;
        let point = similarity.apply(local.exact_point()).map(|x| x as f32);
        Some((best.square, WorldPoint { instance, distance, point, local }))
    }

    fn root(&self, square: f64) -> f64 {
        dispatch!(self.level.inner(), simd => square_root(simd, square))
    }
}

impl Best {
    fn offer(&mut self, instance: u32, scale: f64, found: ClosestPoint) {
        let square = found.square() * (scale * scale);
        let is_closer = match &self.answer {
            None => square <= self.square,
            // The scale may round different squares of an instance to equal ones.
            Some((held, _, other)) => {
                let held = (self.square, *held, other.square(), other.triangle);
                (square, instance, found.square(), found.triangle) < held
            }
        };
        if is_closer {
            *self = Self { square, answer: Some((instance, scale, found)) };
        }
    }
}

/// How far the transformation may move a point.
fn margin(point: [f32; 3]) -> f64 {
    f64::from(point.iter().fold(0.0f32, |most, x| most.max(x.abs())) * BOX_MARGIN)
}

/// At least the square of a distance plus a margin, without a square root: (d + m)^2 <= (1 + h) d^2 + (1 + 1 / h) m^2.
fn widened(square: f64, margin: f64) -> f64 {
    const H: f64 = 1.0 / 1024.0;
    square * (1.0 + H) + margin * margin * (1.0 + 1.0 / H)
}
