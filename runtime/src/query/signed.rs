//! Signed distances: negative inside.

use crate::model::Model;
use crate::query::inside::{Found, InsideRule, Place};
use crate::query::point::ClosestPoint;

/// The distance of a point from the surface, negative inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedDistance {
    /// The distance from the closest point; negative if the point is inside. If the place is unsure, the sign is that of
    /// the winding number's most likely value.
    pub distance: f32,
    /// Where the point is.
    pub place: Place,
    /// The closest point of the surface, with its distance and triangle.
    pub nearest: ClosestPoint,
}

/// How many points of a batch are searched at once; their answers are kept on the stack.
const RUN: usize = 32;

impl Model<'_> {
    /// The distance of a point from the surface, negative where it is inside by a rule.
    ///
    /// The distance is that of [`closest_point`](Self::closest_point), the sign that of [`contains`](Self::contains): both
    /// the same on every CPU. So of a point on the surface the distance may be a rounding error above 0.
    /// Signs of closed surfaces are exact. `None` if the point is not finite or beyond 2^60. Does not allocate or panic. Cost: both
    /// queries.
    ///
    /// ```
    /// use bvhc_runtime::{InsideRule, Model, Place, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?;
    /// let found = model.signed_distance([1.0, -3.0, 0.0], InsideRule::NonZero).expect("a finite point");
    /// assert_eq!((found.distance, found.place), (3.0, Place::Out));
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn signed_distance(&self, point: impl Into<[f32; 3]>, rule: InsideRule) -> Option<SignedDistance> {
        let point = point.into();
        let nearest = self.closest_point(point, f32::INFINITY)?;
        Some(signed(self.found(point, rule), nearest))
    }

    /// The signed distance of each of `points`, as [`signed_distance`](Self::signed_distance) gives it: `answers[i]` is of
    /// `points[i]`. If the slices differ in length, the rest of the longer one is ignored.
    ///
    /// Closest points and winding numbers are found as by [`closest_points`](Self::closest_points) and
    /// [`windings`](Self::windings), interleaved in large models.
    pub fn signed_distances(
        &self,
        points: &[[f32; 3]],
        rule: InsideRule,
        answers: &mut [Option<SignedDistance>],
    ) {
        for (points, answers) in points.chunks(RUN).zip(answers.chunks_mut(RUN)) {
            let (mut nearest, mut found) = ([None; RUN], [Found::certain(Place::Out); RUN]);
            self.closest_points(points, f32::INFINITY, &mut nearest);
            self.found_each(points, rule, |number, of_point| found[number] = of_point);
            let found = nearest.into_iter().zip(found).take(points.len());
            for (answer, (nearest, found)) in answers.iter_mut().zip(found) {
                *answer = nearest.map(|nearest| signed(found, nearest));
            }
        }
    }
}

fn signed(found: Found, nearest: ClosestPoint) -> SignedDistance {
    let distance = if found.is_in { -nearest.distance } else { nearest.distance };
    SignedDistance { distance, place: found.place, nearest }
}
