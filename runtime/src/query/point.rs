//! The closest point of the model.

use bvhc_format::MAX_COORDINATE;
use bvhc_format::record::{BLOCK_WIDTH, Block};

use crate::blocks::BlockSource;
use crate::model::Model;
use crate::simd::{Kernel, dispatch_model, square_root};
use crate::triangle;
use crate::triangle::point::{SMALLEST_LIMIT, near_in_block};
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
        (self.square as f32).next_up().clamp(SMALLEST_LIMIT, f32::MAX)
    }
}

/// How many triangles may wait for their decision; there is always room for another block's.
const WAITING: usize = 2 * BLOCK_WIDTH;

/// A candidate with a lower bound below this share of the limit is decided at once: f32 knows little of it, and
/// the limit could be much lower.
const SETTLED: f32 = 0.99;

/// A triangle that may be the closest, with a lower bound of its squared distance, which may be no number.
#[derive(Clone, Copy, Default)]
struct Candidate {
    block: u32,
    lane: u32,
    bound: f32,
}

/// A search under way: the best triangle that was decided in f64, and those that wait for it.
///
/// Most of those that wait are never decided, since closer ones are found in the meantime.
struct Search {
    best: Best,
    /// At least the square of the least distance, as f64 computes it.
    limit: f32,
    waiting: [Candidate; WAITING],
    count: usize,
}

impl Search {
    fn new(max_distance: f32) -> Self {
        let reach = f64::from(max_distance);
        let best = Best { square: reach * reach, offset: [0.0; 3], triangle: None };
        Self { limit: best.limit(), best, waiting: [Candidate::default(); WAITING], count: 0 }
    }

    /// Decides all that wait, the latest, which are the closest, first.
    #[inline(always)]
    fn decide<S: Kernel, P: Probe>(
        &mut self,
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        point: [f32; 3],
        probe: &mut P,
    ) {
        let mut room = Block::EMPTY;
        while let Some(candidate) = self.take() {
            if candidate.bound > self.limit {
                continue;
            }
            let Some(block) = blocks.fetch(simd, candidate.block, &mut room) else { continue };
            let lane = candidate.lane as usize;
            let accepted = model
                .triangle_at(block.first, lane)
                .filter(|triangle| !P::FILTERS || probe.accepts(*triangle));
            if let Some(triangle) = accepted {
                let (offset, square) = triangle::point::closest(&triangle::corners(block, lane), point);
                self.best.offer(offset, square, triangle);
                self.limit = self.limit.min(self.best.limit());
            }
        }
    }

    #[inline(always)]
    fn take(&mut self) -> Option<Candidate> {
        self.count = self.count.checked_sub(1)?;
        self.waiting.get(self.count).copied()
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
    let mut search = Search::new(max_distance);
    walk::nearest::walk(
        simd,
        model,
        blocks,
        point,
        search.limit,
        probe,
        #[inline(always)]
        |visit, probe| {
            let mut lowest = f32::INFINITY;
            let (waiting, count) = (&mut search.waiting, &mut search.count);
            search.limit = near_in_block(
                simd,
                visit.block,
                point,
                search.limit,
                !P::FILTERS,
                #[inline(always)]
                |lane, bound| {
                    lowest = lowest.min(bound);
                    if let Some(place) = waiting.get_mut(*count) {
                        *place = Candidate { block: visit.reference, lane: lane as u32, bound };
                        *count += 1;
                    }
                },
            );
            if P::FILTERS || search.count > WAITING - BLOCK_WIDTH || lowest < SETTLED * search.limit {
                search.decide(simd, model, blocks, point, probe);
            }
            search.limit
        },
    );
    search.decide(simd, model, blocks, point, probe);
    let best = search.best;
    let absolute = |axis: usize| (f64::from(point[axis]) + best.offset[axis]) as f32;
    Some(Nearest {
        distance: square_root(simd, best.square) as f32,
        point: [0, 1, 2].map(absolute),
        triangle: best.triangle?,
    })
}
