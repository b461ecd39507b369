//! The closest point of the model.

use bvhc_format::MAX_COORDINATE;

use crate::blocks::BlockSource;
use crate::model::Model;
use crate::query::candidates::{Best, Candidates};
use crate::simd::{Kernel, dispatch_model, square_root};
use crate::walk::{self, Erased, Probe};

/// The point of a model that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// Distance from the query point, rounded from f64.
    pub distance: f32,
    /// The closest point, rounded from f64.
    pub point: [f32; 3],
    /// The number of the triangle it lies on; [`Model::source_of`] tells its face and material.
    pub triangle: u32,
}

impl<'a> Model<'a> {
    /// The closest point within `max_distance` of `point`, inclusive; may be infinite.
    ///
    /// Of triangles at the same distance, computed in f64, the one with the lowest number is named. `None`
    /// where nothing is within reach, or where `point` is not finite or beyond 2^60. Bit-identical on
    /// every CPU. Neither allocates nor panics.
    pub fn closest_point(&self, point: impl Into<[f32; 3]>, max_distance: f32) -> Option<ClosestPoint> {
        self.nearest(point.into(), max_distance)
    }

    /// As [`closest_point`](Self::closest_point), among the triangles that `probe` accepts.
    pub fn closest_point_with<P: Probe>(
        &self,
        point: impl Into<[f32; 3]>,
        max_distance: f32,
        probe: &mut P,
    ) -> Option<ClosestPoint> {
        self.nearest_erased(point.into(), max_distance, &mut Erased::new(probe))
    }

    /// The closest point to each of `points` within `max_distance`, as [`closest_point`](Self::closest_point) finds it, bit
    /// for bit.
    ///
    /// `answers[i]` answers `points[i]`; where the slices are not of one length, the rest of the longer one is left alone. In
    /// models of more than 24 MiB eight points are on their way at a time, up to 1.6 times as fast as one by one; in others
    /// they go one by one. Neither allocates nor panics.
    pub fn closest_points(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
    ) {
        self.nearest_of_each(points, max_distance, answers, &mut ());
    }

    /// As [`closest_points`](Self::closest_points), among the triangles that `probe` accepts.
    pub fn closest_points_with<P: Probe>(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut P,
    ) {
        self.nearest_of_each_erased(points, max_distance, answers, &mut Erased::new(probe));
    }

    /// As [`closest_points_with`](Self::closest_points_with), by turns however large the model is: for tests.
    #[doc(hidden)]
    pub fn closest_points_interleaved<P: Probe>(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut P,
    ) {
        self.nearest_by_turns_erased(points, max_distance, answers, &mut Erased::new(probe));
    }

    fn nearest(&self, point: [f32; 3], max_distance: f32) -> Option<ClosestPoint> {
        self.nearest_probed(point, max_distance, &mut ())
    }

    fn nearest_erased(&self, point: [f32; 3], reach: f32, probe: &mut Erased<'_>) -> Option<ClosestPoint> {
        self.nearest_probed(point, reach, probe)
    }

    fn nearest_of_each_erased(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut Erased<'_>,
    ) {
        self.nearest_of_each(points, max_distance, answers, probe);
    }

    fn nearest_by_turns_erased(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut Erased<'_>,
    ) {
        self.nearest_interleaved(points, max_distance, answers, probe);
    }

    #[inline(always)]
    fn nearest_probed<P: Probe>(
        &self,
        point: [f32; 3],
        max_distance: f32,
        probe: &mut P,
    ) -> Option<ClosestPoint> {
        if !is_answerable(point, max_distance) {
            return None;
        }
        if self.is_large() {
            dispatch_model!(self, simd, blocks => {
                closest_point::<_, P, true>(simd, self, blocks, point, max_distance, probe)
            })
        } else {
            dispatch_model!(self, simd, blocks => {
                closest_point::<_, P, false>(simd, self, blocks, point, max_distance, probe)
            })
        }
    }

    #[inline(always)]
    fn nearest_of_each<P: Probe>(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut P,
    ) {
        if self.is_large() {
            self.nearest_interleaved(points, max_distance, answers, probe);
        } else {
            for (point, answer) in points.iter().zip(answers) {
                *answer = self.nearest_probed(*point, max_distance, probe);
            }
        }
    }

    #[inline(never)]
    fn nearest_interleaved<P: Probe>(
        &self,
        points: &[[f32; 3]],
        max_distance: f32,
        answers: &mut [Option<ClosestPoint>],
        probe: &mut P,
    ) {
        let count = points.len().min(answers.len());
        let (points, answers) = (&points[..count], &mut answers[..count]);
        answers.fill(None);
        dispatch_model!(self, simd, blocks => {
            closest_points(simd, self, blocks, points, max_distance, answers, probe);
        });
    }
}

fn is_answerable(point: [f32; 3], max_distance: f32) -> bool {
    point.iter().all(|x| x.abs() <= MAX_COORDINATE) && max_distance >= 0.0
}

#[inline(always)]
fn closest_point<S: Kernel, P: Probe, const AHEAD: bool>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    point: [f32; 3],
    max_distance: f32,
    probe: &mut P,
) -> Option<ClosestPoint> {
    let mut candidates = Candidates::new(max_distance);
    walk::nearest::walk::<S, P, AHEAD>(
        simd,
        model,
        blocks,
        point,
        candidates.limit(),
        probe,
        #[inline(always)]
        |visit, probe| candidates.visit(simd, model, blocks, point, visit, probe),
    );
    candidates.decide_all(simd, model, blocks, point, probe);
    describe(simd, point, candidates.best())
}

#[inline(always)]
fn closest_points<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    points: &[[f32; 3]],
    max_distance: f32,
    answers: &mut [Option<ClosestPoint>],
    probe: &mut P,
) {
    walk::nearest::walk_interleaved(
        simd,
        model,
        blocks,
        points,
        probe,
        #[inline(always)]
        |point| {
            let candidates = Candidates::new(max_distance);
            let limit = candidates.limit();
            is_answerable(point, max_distance).then_some((candidates, limit))
        },
        #[inline(always)]
        |point, visit, candidates, probe| candidates.visit(simd, model, blocks, point, visit, probe),
        #[inline(always)]
        |number, mut candidates, probe| {
            candidates.decide_all(simd, model, blocks, points[number], probe);
            answers[number] = describe(simd, points[number], candidates.best());
        },
    );
}

#[inline(always)]
fn describe<S: Kernel>(simd: S, point: [f32; 3], best: &Best) -> Option<ClosestPoint> {
    let absolute = |axis: usize| (f64::from(point[axis]) + best.offset[axis]) as f32;
    Some(ClosestPoint {
        distance: square_root(simd, best.square) as f32,
        point: [0, 1, 2].map(absolute),
        triangle: best.triangle?,
    })
}
