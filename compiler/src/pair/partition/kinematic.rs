//! Splits where the halves are least likely to be met by others like them.
//!
//! The candidate axes are the three of the set's approximate box, the six diagonals of their planes and the four of
//! their cube, and the three of the covariance of the centres. A split costs, for each half, its measure times the
//! leaves that it will need. (Tried: powers of that number from 0.5 to 1.25, a cost for the nodes, and fitted boxes in
//! place of approximate ones for sets of up to 60 triangles; none made walks more than 1 % cheaper.)
//!
//! Based on: MacDonald, Booth, "Heuristics for ray tracing using space subdivision", 1990, and Wald, "On fast
//! construction of SAH-based bounding volume hierarchies", 2007 (bins). Departures: the probability that two boxes
//! at random poses meet, by the principal kinematic formula, takes the place of the surface, and the axes are many.

use crate::fit::{self, Frame};
use crate::math::vector::{Vector, add, subtract};
use crate::simd::dispatch;

use super::bounds::Bounds;
use super::samples::Samples;
use super::split::{Bins, Split};

/// Bins along an axis. (Measured: with 16 for sets of at most 256 samples, walks of two trees take 1 % more steps.)
const BINS: usize = 32;

/// The candidate axes.
pub(super) const AXES: usize = 16;

/// Costs that differ by less than this, relatively, count as equal: bounds are rounded to f32.
const TIE: f64 = 1e-6;

/// Reused memory of the search.
#[derive(Debug, Default)]
pub(super) struct Kinematic {
    offsets: Vec<f64>,
    /// The bin of each.
    bins: Vec<u8>,
}

/// A split and its cost.
pub(super) struct BestSplit<T> {
    cost: f64,
    /// Samples on the side that has more.
    larger: usize,
    split: T,
}

impl Kinematic {
    /// The best split of a set of which these are samples; none where all centres are one.
    pub(super) fn split(&mut self, samples: &Samples, frame: &Frame) -> Option<Split> {
        let mut best = BestSplit::new(None);
        for direction in axes(samples, frame) {
            // The same operations, and so the same bits, on every level.
            dispatch!(_ => self.try_bins(samples, direction, &mut best));
        }
        best.split()
    }

    /// Tries the offsets between bins.
    #[inline(always)]
    fn try_bins(&mut self, samples: &Samples, direction: Vector, best: &mut BestSplit<Option<Split>>) {
        let [low, high] = samples.project(direction, &mut self.offsets);
        if low == high {
            return;
        }
        let bins = Bins { direction, low, scale: BINS as f64 / (high - low), count: BINS as i32 };
        self.bins.resize(samples.len(), 0);
        for (bin, offset) in self.bins.iter_mut().zip(&self.offsets) {
            *bin = bins.bin(*offset) as u8;
        }
        let mut filled = [(Bounds::EMPTY, 0); BINS];
        for (bin, sample) in self.bins.iter().zip(&samples.bounds) {
            let (bounds, count) = &mut filled[usize::from(*bin) % BINS];
            *bounds = bounds.union(sample);
            *count += 1;
        }
        let mut of_right = [0.0; BINS];
        let (mut bounds, mut right) = (Bounds::EMPTY, 0usize);
        for bin in (1..BINS).rev() {
            bounds = bounds.union(&filled[bin].0);
            right += filled[bin].1;
            // The last bin has the greatest offset, and the first the least: no side is empty.
            of_right[bin] = bounds.measure() * right as f64;
        }
        let (mut bounds, mut left) = (Bounds::EMPTY, 0);
        for bin in 1..BINS {
            bounds = bounds.union(&filled[bin - 1].0);
            left += filled[bin - 1].1;
            let cost = bounds.measure() * left as f64 + of_right[bin];
            let split = Some(Split::Bins { bins, left: bin as i32 });
            best.take(cost, [left, samples.len() - left], split);
        }
    }
}

impl<T: Copy> BestSplit<T> {
    /// Any split is better than this one.
    pub(super) const fn new(split: T) -> Self {
        Self { cost: f64::INFINITY, larger: usize::MAX, split }
    }

    /// Takes a cheaper split, or a more even one that costs the same: equal triangles are halved.
    #[inline(always)]
    pub(super) fn take(&mut self, cost: f64, sides: [usize; 2], split: T) {
        let larger = sides[0].max(sides[1]);
        if cost < self.cost * (1.0 - TIE) || (cost <= self.cost * (1.0 + TIE) && larger < self.larger) {
            *self = Self { cost, larger, split };
        }
    }

    pub(super) const fn split(&self) -> T {
        self.split
    }
}

/// The candidate axes. They need not be unit vectors.
pub(super) fn axes(samples: &Samples, frame: &Frame) -> [Vector; AXES] {
    let [x, y, z] = frame.axes;
    let origin = samples.centres().next().unwrap_or_default();
    let [u, v, w] = fit::principal_axes(samples.centres().map(|centre| subtract(centre, origin))).axes;
    let [sum, difference] = [add(x, y), subtract(x, y)];
    [
        x,
        y,
        z,
        sum,
        difference,
        add(y, z),
        subtract(y, z),
        add(z, x),
        subtract(z, x),
        add(sum, z),
        subtract(sum, z),
        add(difference, z),
        subtract(difference, z),
        u,
        v,
        w,
    ]
}
