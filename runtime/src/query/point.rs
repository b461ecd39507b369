//! The closest point of the model.

use bvhc_format::MAX_COORDINATE;

use crate::blocks::BlockSource;
use crate::model::Model;
use crate::simd::{Kernel, dispatch_model, square_root};
use crate::triangle::{self, point::near_in_block};
use crate::walk::{self, Probe};

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
        self.closest_point_with(point, max_distance, &mut ())
    }

    /// As [`closest_point`](Self::closest_point), among the triangles that `probe` accepts.
    pub fn closest_point_with<P: Probe>(
        &self,
        point: impl Into<[f32; 3]>,
        max_distance: f32,
        probe: &mut P,
    ) -> Option<Nearest> {
        let point = point.into();
        let valid = point.iter().all(|x| x.abs() <= MAX_COORDINATE) && max_distance >= 0.0;
        if !valid {
            return None;
        }
        dispatch_model!(self, simd, blocks => closest_point(simd, self, blocks, point, max_distance, probe))
    }
}

struct Best {
    /// Squared distance.
    square: f64,
    offset: [f64; 3],
    triangle: Option<u32>,
}

impl Best {
    fn offer(&mut self, offset: [f64; 3], square: f64, triangle: u32) {
        let closer = match self.triangle {
            None => square <= self.square,
            Some(held) => square < self.square || square == self.square && triangle < held,
        };
        if closer {
            *self = Self { square, offset, triangle: Some(triangle) };
        }
    }

    /// The squared distance, not below the f64 one, and finite: no point of a model is farther away.
    fn limit(&self) -> f32 {
        (self.square as f32).next_up().min(f32::MAX)
    }
}

#[inline(always)]
fn closest_point<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    point: [f32; 3],
    max_distance: f32,
    probe: &mut P,
) -> Option<Nearest> {
    let reach = f64::from(max_distance);
    let mut best = Best { square: reach * reach, offset: [0.0; 3], triangle: None };
    let limit = best.limit();
    walk::nearest::walk(
        simd,
        model,
        blocks,
        point,
        limit,
        probe,
        #[inline(always)]
        |visit, probe| {
            near_in_block(
                simd,
                visit.block,
                point,
                best.limit(),
                #[inline(always)]
                |lane| {
                    if let Some(triangle) = visit.accepted(lane, probe) {
                        let (offset, square) =
                            triangle::point::closest(&triangle::corners(visit.block, lane), point);
                        best.offer(offset, square, triangle);
                    }
                    best.limit()
                },
            );
            best.limit()
        },
    );
    let absolute = |axis: usize| (f64::from(point[axis]) + best.offset[axis]) as f32;
    Some(Nearest {
        distance: square_root(simd, best.square) as f32,
        point: [0, 1, 2].map(absolute),
        triangle: best.triangle?,
    })
}
