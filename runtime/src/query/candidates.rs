//! Candidates for the closest triangle: they are queued for the decision in f64, and most are dropped before it.
//!
//! If the closest point is a vertex or lies on an edge, all triangles there have the same distance and must be decided,
//! since the lowest number is returned. So the candidates that remain at the end are decided together, one per lane. A
//! single one is faster in scalar code, whose branches are predicted well.

use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{Select, SimdBase, SimdMask};

use crate::math::vector::Map3;
use crate::model::Model;
use crate::simd::Kernel;
use crate::triangle;
use crate::triangle::closest::{closest, closest_of_each};
use crate::triangle::point::{SMALLEST_LIMIT, near_in_block};
use crate::walk::Visit;
use crate::walk::nearest::Search;
use crate::walk::probe::Sink;

/// The capacity of the queue; there is always space for another block's triangles.
const WAITING: usize = 2 * BLOCK_WIDTH;

/// A block's candidate with the lowest bound is decided at once if the bound is below this share of the limit: f32 is
/// then inaccurate, and the limit could drop a lot. (0.05 and 0.3 take the same time; 0.99 takes up to a tenth longer;
/// never deciding at once takes a fifth longer in the town.)
const SETTLED: f32 = 0.25;

/// The largest number of triangles that are decided together.
const TOGETHER: usize = 8;

/// The closest triangle decided so far.
pub(crate) struct Best {
    /// The squared distance.
    pub(crate) square: f64,
    /// The closest point, relative to the query point.
    pub(crate) offset: [f64; 3],
    /// Its number.
    pub(crate) triangle: Option<u32>,
    /// Its corners.
    pub(crate) corners: [[f32; 3]; 3],
}

impl Best {
    #[inline(always)]
    fn offer(&mut self, offset: [f64; 3], square: f64, triangle: u32, corners: [[f32; 3]; 3]) {
        let closer = match self.triangle {
            None => square <= self.square,
            Some(held) => square < self.square || square == self.square && triangle < held,
        };
        if closer {
            *self = Self { square, offset, triangle: Some(triangle), corners };
        }
    }

    /// An upper bound of the f64 squared distance; finite, since no point of a model is farther away.
    fn limit(&self) -> f32 {
        (self.square as f32).next_up().clamp(SMALLEST_LIMIT, f32::MAX)
    }
}

/// A triangle that may be the closest, with a lower bound of its squared distance, which may be NaN.
#[derive(Clone, Copy, Default)]
struct Candidate {
    block: u32,
    lane: u32,
    bound: f32,
}

/// The state of a search: the best triangle decided in f64, and the queue.
pub(crate) struct Candidates {
    best: Best,
    /// An upper bound of the least squared distance as f64 computes it.
    limit: f32,
    waiting: [Candidate; WAITING],
    count: usize,
}

impl Candidates {
    pub(crate) fn new(max_distance: f32) -> Self {
        let limit = f64::from(max_distance);
        let best = Best { square: limit * limit, offset: [0.0; 3], triangle: None, corners: [[0.0; 3]; 3] };
        Self { limit: best.limit(), best, waiting: [Candidate::default(); WAITING], count: 0 }
    }

    /// The best triangle, once all are decided.
    pub(crate) fn best(&self) -> &Best {
        &self.best
    }

    /// Decides all that are queued.
    #[inline(always)]
    pub(crate) fn decide_all<S: Kernel>(
        &mut self,
        simd: S,
        model: &Model<'_>,
        point: [f32; 3],
        sink: &mut impl Sink,
    ) {
        self.forget_beyond_limit();
        if self.count < 2 {
            self.decide_one(simd, model, point, sink);
        } else {
            self.decide_together(simd, model, point, sink);
        }
    }

    /// A separate call, compiled for the level: it would be in each walk twice.
    #[inline(always)]
    fn decide_together<S: Kernel>(
        &mut self,
        simd: S,
        model: &Model<'_>,
        point: [f32; 3],
        sink: &mut impl Sink,
    ) {
        simd.vectorize(
            #[inline(always)]
            || {
                while self.count > 0 {
                    let mut group = Group::new();
                    while group.count < S::Doubles::LEN {
                        let Some(candidate) = self.take() else { break };
                        if let Some((corners, triangle)) = triangle_of(simd, model, candidate, sink) {
                            group.add(&corners, triangle);
                        }
                    }
                    group.decide(simd, point, &mut self.best);
                }
                self.limit = self.limit.min(self.best.limit());
            },
        );
    }

    #[inline(always)]
    fn forget_beyond_limit(&mut self) {
        let mut kept = 0;
        for index in 0..self.count.min(WAITING) {
            let candidate = self.waiting[index];
            self.waiting[kept % WAITING] = candidate;
            // A NaN is kept.
            let is_beyond = candidate.bound > self.limit;
            kept += usize::from(!is_beyond);
        }
        self.count = kept;
    }

    /// Decides the last in the queue, if any: a separate call, too.
    #[inline(always)]
    fn decide_one<S: Kernel>(&mut self, simd: S, model: &Model<'_>, point: [f32; 3], sink: &mut impl Sink) {
        simd.vectorize(
            #[inline(always)]
            || {
                let Some(candidate) = self.take() else { return };
                if let Some((corners, triangle)) = triangle_of(simd, model, candidate, sink) {
                    let (offset, square) = closest(&corners, point);
                    self.best.offer(offset, square, triangle, corners);
                    self.limit = self.limit.min(self.best.limit());
                }
            },
        );
    }

    #[inline(always)]
    fn take(&mut self) -> Option<Candidate> {
        self.count = self.count.checked_sub(1)?;
        self.waiting.get(self.count).copied()
    }
}

impl Search for Candidates {
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn visit<S: Kernel>(
        &mut self,
        simd: S,
        model: &Model<'_>,
        point: [f32; 3],
        visit: Visit<'_>,
        sink: &mut impl Sink,
    ) -> f32 {
        let (mut lowest, mut place_of_lowest) = (f32::INFINITY, 0);
        let (waiting, count) = (&mut self.waiting, &mut self.count);
        self.limit = near_in_block(
            simd,
            visit.block,
            point,
            self.limit,
            !sink.filters(),
            #[inline(always)]
            |lane, bound| {
                if bound < lowest {
                    (lowest, place_of_lowest) = (bound, *count);
                }
                if let Some(entry) = waiting.get_mut(*count) {
                    *entry = Candidate { block: visit.reference, lane: lane as u32, bound };
                    *count += 1;
                }
            },
        );
        if sink.filters() || self.count > WAITING - BLOCK_WIDTH {
            self.decide_all(simd, model, point, sink);
        } else if lowest < SETTLED * self.limit {
            self.waiting.swap(place_of_lowest % WAITING, (self.count - 1) % WAITING);
            self.decide_one(simd, model, point, sink);
        }
        self.limit
    }
}

/// The corners and the number of a candidate, if the probe accepts it.
#[inline(always)]
fn triangle_of<S: Kernel>(
    simd: S,
    model: &Model<'_>,
    candidate: Candidate,
    sink: &mut impl Sink,
) -> Option<([[f32; 3]; 3], u32)> {
    let mut scratch = Block::EMPTY;
    let block = model.sections().blocks().fetch(simd, candidate.block, &mut scratch)?;
    let lane = candidate.lane as usize;
    let triangle = model.triangle_at(block.first, lane)?;
    sink.accepts_number(triangle).then(|| (triangle::corners(block, lane), triangle))
}

/// Triangles that are decided together.
struct Group {
    /// Indexed by corner, axis and triangle.
    corners: [[[f32; TOGETHER]; 3]; 3],
    triangles: [u32; TOGETHER],
    count: usize,
}

impl Group {
    #[inline(always)]
    fn new() -> Self {
        Self { corners: [[[0.0; TOGETHER]; 3]; 3], triangles: [0; TOGETHER], count: 0 }
    }

    #[inline(always)]
    fn add(&mut self, corners: &[[f32; 3]; 3], triangle: u32) {
        let index = self.count % TOGETHER;
        for (rows, corner) in self.corners.iter_mut().zip(corners) {
            for (row, coordinate) in rows.iter_mut().zip(corner) {
                row[index] = *coordinate;
            }
        }
        self.triangles[index] = triangle;
        self.count += 1;
    }

    /// Updates the best with the closest of these triangles; among equals, the lowest number.
    #[inline(always)]
    fn decide<S: Kernel>(&self, simd: S, point: [f32; 3], best: &mut Best) {
        if self.count == 0 {
            return;
        }
        let (offsets, squares) = closest_of_each(
            simd,
            [self.corner(simd, 0, point), self.corner(simd, 1, point), self.corner(simd, 2, point)],
        );
        let infinite = S::Doubles::splat(simd, f64::INFINITY);
        let used = <S::Doubles as SimdBase<S>>::Mask::from_bitmask(simd, (1 << self.count) - 1);
        let squares = used.select(squares, infinite);
        let least = squares.reduce_min();
        let numbers = S::Doubles::from_fn(
            simd,
            #[inline(always)]
            |lane| f64::from(self.triangles[lane % TOGETHER]),
        );
        let numbers = squares.simd_le(least).select(numbers, infinite);
        let lane =
            numbers.simd_le(numbers.reduce_min()).to_bitmask().trailing_zeros() as usize % S::Doubles::LEN;
        let [x, y, z] = &offsets;
        let corners = self.corners.map3(|[x, y, z]| [x, y, z].map3(|row| row[lane % TOGETHER]));
        best.offer([x[lane], y[lane], z[lane]], least, self.triangles[lane % TOGETHER], corners);
    }

    /// One corner of each triangle, relative to the point.
    #[inline(always)]
    fn corner<S: Kernel>(&self, simd: S, k: usize, point: [f32; 3]) -> [S::Doubles; 3] {
        [self.offset(simd, k, 0, point), self.offset(simd, k, 1, point), self.offset(simd, k, 2, point)]
    }

    #[inline(always)]
    fn offset<S: Kernel>(&self, simd: S, k: usize, axis: usize, point: [f32; 3]) -> S::Doubles {
        let row = &self.corners[k][axis];
        let numbers = S::Doubles::from_fn(
            simd,
            #[inline(always)]
            |lane| f64::from(row[lane % TOGETHER]),
        );
        numbers - f64::from(point[axis])
    }
}
