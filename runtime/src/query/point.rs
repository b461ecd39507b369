//! The closest point of the model.

use bvhc_format::MAX_COORDINATE;

use crate::blocks::BlockSource;
use crate::model::Model;
use crate::query::candidates::Candidates;
use crate::simd::{Kernel, dispatch_model, square_root};
use crate::walk::{self, Erased, Probe};

/// The point of a model that is closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
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
    pub fn closest_point(&self, point: impl Into<[f32; 3]>, max_distance: f32) -> Option<Nearest> {
        self.nearest(point.into(), max_distance)
    }

    /// As [`closest_point`](Self::closest_point), among the triangles that `probe` accepts.
    pub fn closest_point_with<P: Probe>(
        &self,
        point: impl Into<[f32; 3]>,
        max_distance: f32,
        probe: &mut P,
    ) -> Option<Nearest> {
        self.nearest_erased(point.into(), max_distance, &mut Erased::new(probe))
    }

    fn nearest(&self, point: [f32; 3], max_distance: f32) -> Option<Nearest> {
        self.nearest_probed(point, max_distance, &mut ())
    }

    fn nearest_erased(&self, point: [f32; 3], reach: f32, probe: &mut Erased<'_>) -> Option<Nearest> {
        self.nearest_probed(point, reach, probe)
    }

    #[inline(always)]
    fn nearest_probed<P: Probe>(&self, point: [f32; 3], max_distance: f32, probe: &mut P) -> Option<Nearest> {
        let valid = point.iter().all(|x| x.abs() <= MAX_COORDINATE) && max_distance >= 0.0;
        if !valid {
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
}

#[inline(always)]
fn closest_point<S: Kernel, P: Probe, const AHEAD: bool>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    point: [f32; 3],
    max_distance: f32,
    probe: &mut P,
) -> Option<Nearest> {
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
    let best = candidates.best();
    let absolute = |axis: usize| (f64::from(point[axis]) + best.offset[axis]) as f32;
    Some(Nearest {
        distance: square_root(simd, best.square) as f32,
        point: [0, 1, 2].map(absolute),
        triangle: best.triangle?,
    })
}
