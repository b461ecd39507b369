//! The closest point of the model.

use bvhc_format::MAX_COORDINATE;

use crate::math::vector::{Map3, dot, sub};
use crate::model::Model;
use crate::query::candidates::{Best, Candidates};
use crate::simd::{Kernel, dispatch, square_root};
use crate::triangle::closest::Weights;
use crate::triangle::ray::unit_normal;
use crate::walk::probe::{Erased, Probe};
use crate::walk::{ROOT, nearest};

/// The point of a model that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Distance from the query point, rounded from f64.
    pub distance: f32,
    /// The closest point, rounded from f64.
    pub point: [f32; 3],
    /// The number of the triangle it lies on; [`Model::source_of`] tells its face and material.
    pub triangle: u32,
    /// That triangle's corners, in the source's winding.
    pub corners: [[f32; 3]; 3],
    query: [f32; 3],
    /// From the query point to this one.
    offset: [f64; 3],
}

impl ClosestPoint {
    /// Of something that has no triangles.
    pub(crate) fn without_triangle(query: [f32; 3], offset: [f64; 3]) -> Self {
        let (triangle, corners) = (bvhc_format::NONE, [[0.0; 3]; 3]);
        let mut found = Self { distance: 0.0, point: query, triangle, corners, query, offset };
        found.point = found.exact_point().map3(|x| x as f32);
        found
    }

    /// The point before rounding.
    pub(crate) fn exact_point(&self) -> [f64; 3] {
        [0, 1, 2].map3(|axis| f64::from(self.query[axis]) + self.offset[axis])
    }

    /// The square of the distance before rounding, by which the closest triangle was chosen.
    pub(crate) fn square(&self) -> f64 {
        dot(self.offset, self.offset)
    }
}

/// The surface at a closest point, as [`Hit`](crate::Hit) has it of a ray's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Weight of the triangle's second corner; the first one's is `1 - u - v`.
    pub u: f32,
    /// Weight of the triangle's third corner.
    pub v: f32,
    /// The unit normal of the triangle; zero where it has no area.
    pub normal: [f32; 3],
    /// Whether the query point is on the side of the triangle's plane that the normal points away from, computed in
    /// f64. If the closest point is on an edge or a corner, this is not an inside/outside test: it refers to the
    /// triangle with the lowest number among those that meet there.
    pub back: bool,
}

impl<'a> Model<'a> {
    /// The closest point within `max_distance` of `point`, inclusive; `max_distance` may be infinite.
    ///
    /// Computed in f64: the point is off by a few roundings of coordinates as seen from `point`, divided, in the face of a sliver, by the
    /// sine of its angle. Among triangles at the same distance, the one with the lowest number is returned: so are those that share the
    /// edge or the corner that is closest, unless the projection is within roundings of a face or another edge. `None` if
    /// nothing is within `max_distance`, if that is negative or NaN, or if `point` is not finite or beyond 2^60.
    /// A distance in an answer is rounded: the next f32 up, as a `max_distance`, surely finds it again.
    /// Bit-identical on every CPU. Does not allocate or panic.
    ///
    /// ```
    /// use bvhc_runtime::{Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?;
    /// let nearest = model.closest_point([0.25, 0.25, 2.0], f32::INFINITY).expect("no limit");
    /// assert_eq!((nearest.distance, nearest.point), (2.0, [0.25, 0.25, 0.0]));
    /// let surface = model.surface_at(&nearest);
    /// assert_eq!((surface.normal, surface.back), ([0.0, 0.0, 1.0], false));
    /// assert!(model.closest_point([0.25, 0.25, 2.0], 1.0).is_none());
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn closest_point(&self, point: impl Into<[f32; 3]>, max_distance: f32) -> Option<ClosestPoint> {
        self.closest_point_below(ROOT, point.into(), max_distance, &mut Erased::new(&mut ()))
    }

    /// Barycentrics, normal and side of a closest point: apart from it, since most who ask for a distance need none.
    pub fn surface_at(&self, nearest: &ClosestPoint) -> SurfacePoint {
        dispatch!(self.level().inner(), simd => surface_at(simd, nearest))
    }

    /// As [`closest_point`](Self::closest_point), among the triangles that `probe` accepts.
    pub fn closest_point_with<P: Probe>(
        &self,
        point: impl Into<[f32; 3]>,
        max_distance: f32,
        probe: &mut P,
    ) -> Option<ClosestPoint> {
        self.closest_point_below(ROOT, point.into(), max_distance, &mut Erased::new(probe))
    }

    /// The closest point to each of `points` within `max_distance`, bit-identical to
    /// [`closest_point`](Self::closest_point).
    ///
    /// `answers[i]` answers `points[i]`; if the slices differ in length, the rest of the longer one is ignored. In
    /// models of more than 24 MiB eight points are interleaved, up to 1.6 times as fast as one by one; in others they
    /// are searched one by one. Does not allocate or panic.
    pub fn closest_points(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
    ) {
        self.nearest_of_each(points, max_distance, answers, &mut Erased::new(&mut ()));
    }

    /// As [`closest_points`](Self::closest_points), among the triangles that `probe` accepts.
    pub fn closest_points_with<P: Probe>(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut P,
    ) {
        self.nearest_of_each(points, max_distance, answers, &mut Erased::new(probe));
    }

    /// As [`closest_points_with`](Self::closest_points_with), but interleaved for any model size; for tests.
    #[doc(hidden)]
    pub fn closest_points_interleaved<P: Probe>(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut P,
    ) {
        self.nearest_interleaved(points, max_distance, answers, &mut Erased::new(probe));
    }

    /// As [`closest_point_with`](Self::closest_point_with), among the triangles below a child reference of the tree.
    pub(crate) fn closest_point_below(
        &self,
        child: u32,
        point: [f32; 3],
        max_distance: f32,
        probe: &mut Erased<'_>,
    ) -> Option<ClosestPoint> {
        if !is_answerable(point, max_distance) {
            return None;
        }
        dispatch!(self.level().inner(), simd => closest_point(simd, self, child, point, max_distance, probe))
    }

    fn nearest_of_each(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut Erased<'_>,
    ) {
        if self.is_large() {
            self.nearest_interleaved(points, max_distance, answers, probe);
        } else {
            for (point, answer) in points.iter().zip(answers) {
                *answer = self.closest_point_below(ROOT, *point, max_distance, probe);
            }
        }
    }

    fn nearest_interleaved(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut Erased<'_>,
    ) {
        let count = points.len().min(answers.len());
        let (points, answers) = (&points[..count], &mut answers[..count]);
        answers.fill(None);
        dispatch!(self.level().inner(), simd => {
            closest_points(simd, self, points, max_distance, answers, probe);
        });
    }
}

fn is_answerable(point: [f32; 3], max_distance: f32) -> bool {
    point.iter().all(|x| x.abs() <= MAX_COORDINATE) && max_distance >= 0.0
}

#[inline(always)]
fn closest_point<S: Kernel>(
    simd: S,
    model: &Model<'_>,
    child: u32,
    point: [f32; 3],
    max_distance: f32,
    probe: &mut Erased<'_>,
) -> Option<ClosestPoint> {
    let mut candidates = Candidates::new(max_distance);
    nearest::walk(simd, model, child, point, &mut candidates, probe);
    candidates.decide_all(simd, model, point, probe);
    describe(simd, point, candidates.best())
}

#[inline(always)]
fn closest_points<S: Kernel>(
    simd: S,
    model: &Model<'_>,
    points: &[[f32; 3]],
    max_distance: f32,
    answers: &mut [Option<ClosestPoint>],
    probe: &mut Erased<'_>,
) {
    nearest::walk_interleaved(
        simd,
        model,
        points,
        probe,
        #[inline(always)]
        |point| is_answerable(point, max_distance).then(|| Candidates::new(max_distance)),
        #[inline(always)]
        |number, mut candidates: Candidates, probe| {
            candidates.decide_all(simd, model, points[number], probe);
            answers[number] = describe(simd, points[number], candidates.best());
        },
    );
}

#[inline(always)]
fn describe<S: Kernel>(simd: S, query: [f32; 3], best: &Best) -> Option<ClosestPoint> {
    let absolute = |axis: usize| (f64::from(query[axis]) + best.offset[axis]) as f32;
    Some(ClosestPoint {
        distance: square_root(simd, best.square) as f32,
        point: [absolute(0), absolute(1), absolute(2)],
        triangle: best.triangle?,
        corners: best.corners,
        query,
        offset: best.offset,
    })
}

#[inline(always)]
fn surface_at<S: Kernel>(simd: S, nearest: &ClosestPoint) -> SurfacePoint {
    let query = nearest.query.map3(f64::from);
    let [a, b, c] = nearest.corners.map3(|corner| corner.map3(f64::from));
    let Weights { weights: [u, v], back } =
        Weights::new(sub(a, query), [sub(b, a), sub(c, a)], nearest.offset);
    // Adding zero makes a negative zero positive.
    let (u, v) = (u as f32 + 0.0, v as f32 + 0.0);
    SurfacePoint { u, v, normal: unit_normal(simd, &nearest.corners), back }
}
