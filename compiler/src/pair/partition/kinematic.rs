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
use crate::math::vector::{Vector, add, dot, subtract};

use super::bounds::Bounds;
use super::sample::{SMALL, Sample};
use super::split::{Bins, Split, by_offset};

const BINS: usize = 32;

/// Costs that differ by less than this, relatively, count as equal.
const TIE: f64 = 1e-9;

/// Reused memory of the search.
#[derive(Debug, Default)]
pub(super) struct Kinematic {
    /// Places and numbers, and where the samples are.
    sorted: Vec<((f64, u32), usize)>,
    /// Measures of what is right of each offset.
    right: Vec<f64>,
    offsets: Vec<f64>,
}

/// A split and its cost.
struct BestSplit {
    cost: f64,
    /// Samples on the side that has more.
    larger: usize,
    split: Option<Split>,
}

impl Kinematic {
    /// The best split of a set of `count` triangles of which these are samples; none where all centres are one.
    pub(super) fn split(
        &mut self,
        samples: &[Sample],
        frame: &Frame,
        count: usize,
        leaf_size: usize,
    ) -> Option<Split> {
        let mut best = BestSplit { cost: f64::INFINITY, larger: usize::MAX, split: None };
        for direction in directions(samples, frame) {
            if count <= SMALL {
                self.try_offsets(samples, direction, leaf_size, &mut best);
            } else {
                self.try_bins(samples, direction, &mut best);
            }
        }
        best.split
    }

    /// Tries every offset that leaves whole leaves on one side.
    fn try_offsets(&mut self, samples: &[Sample], direction: Vector, leaf_size: usize, best: &mut BestSplit) {
        let key = |(at, sample): (usize, &Sample)| ((dot(direction, sample.centre), sample.number), at);
        self.sorted.clear();
        self.sorted.extend(samples.iter().enumerate().map(key));
        self.sorted.sort_unstable_by(|a, b| by_offset(&a.0, &b.0));
        let count = samples.len();
        let is_whole =
            |left: usize| left.is_multiple_of(leaf_size) || (count - left).is_multiple_of(leaf_size);
        self.right.clear();
        self.right.resize(count, 0.0);
        let mut bounds = Bounds::EMPTY;
        for left in (1..count).rev() {
            bounds = bounds.union(samples[self.sorted[left].1].bounds);
            if is_whole(left) {
                self.right[left] = bounds.measure();
            }
        }
        let mut bounds = Bounds::EMPTY;
        for left in 1..count {
            bounds = bounds.union(samples[self.sorted[left - 1].1].bounds);
            if !is_whole(left) {
                continue;
            }
            let leaves = |count: usize| count.div_ceil(leaf_size) as f64;
            let cost = bounds.measure() * leaves(left) + self.right[left] * leaves(count - left);
            best.take(cost, [left, count - left], Split::First { direction, left });
        }
    }

    /// Tries the offsets between bins.
    fn try_bins(&mut self, samples: &[Sample], direction: Vector, best: &mut BestSplit) {
        self.offsets.clear();
        self.offsets.extend(samples.iter().map(|sample| dot(direction, sample.centre)));
        let (low, high) =
            self.offsets.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), offset| {
                (low.min(*offset), high.max(*offset))
            });
        if low == high {
            return;
        }
        let bins = Bins { direction, low, scale: BINS as f64 / (high - low), count: BINS };
        let mut filled = [(Bounds::EMPTY, 0); BINS];
        for (offset, sample) in self.offsets.iter().zip(samples) {
            let (bounds, count) = &mut filled[bins.bin(*offset)];
            *bounds = bounds.union(sample.bounds);
            *count += 1;
        }
        let mut of_right = [0.0; BINS];
        let (mut bounds, mut right) = (Bounds::EMPTY, 0usize);
        for bin in (1..BINS).rev() {
            bounds = bounds.union(filled[bin].0);
            right += filled[bin].1;
            // The last bin has the greatest offset, and the first the least: no side is empty.
            of_right[bin] = bounds.measure() * right as f64;
        }
        let (mut bounds, mut left) = (Bounds::EMPTY, 0);
        for bin in 1..BINS {
            bounds = bounds.union(filled[bin - 1].0);
            left += filled[bin - 1].1;
            let cost = bounds.measure() * left as f64 + of_right[bin];
            best.take(cost, [left, samples.len() - left], Split::Bins { bins, left: bin });
        }
    }
}

impl BestSplit {
    /// Takes a cheaper split, or a more even one that costs the same: equal triangles are halved.
    fn take(&mut self, cost: f64, sides: [usize; 2], split: Split) {
        let larger = sides[0].max(sides[1]);
        if cost < self.cost * (1.0 - TIE) || (cost <= self.cost * (1.0 + TIE) && larger < self.larger) {
            *self = Self { cost, larger, split: Some(split) };
        }
    }
}

/// The candidate axes. They need not be unit vectors.
fn directions(samples: &[Sample], frame: &Frame) -> [Vector; 16] {
    let [x, y, z] = frame.axes;
    let origin = samples[0].centre;
    let [u, v, w] = fit::principal_axes(samples.iter().map(|sample| subtract(sample.centre, origin))).axes;
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
