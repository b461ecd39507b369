//! Small sets, split down to their leaves after one look at their triangles.
//!
//! The triangles are measured in one frame and put into order along each candidate axis once. Each part then inherits the
//! measures and the orders: what a split costs is found by one pass over each order, and both halves' orders are those of
//! the whole, divided. (Measured: against a frame and an order of its own for each part, splitting takes half of the instructions,
//! larger sets included, and walks of two trees take as many to 1.6 % more; a new frame for sets of 16 would save up to 0.9 %.)
//!
//! Based on: Wald, Havran, "On building fast kd-trees for ray tracing, and on doing that in O(N log N)", 2006 (orders that
//! are divided instead of sorted again).

use crate::math::vector::Vector;
use crate::simd::dispatch;

use super::bounds::Bounds;
use super::build::DEEPEST_CHOICE;
use super::kinematic::{AXES, BestSplit};
use super::part::{PartPlan, Parts};
use super::samples::Samples;
use super::split::Triangle;

/// Sets of at most this many triangles are small: they are split into whole leaves and a remainder, so that leaves are full.
/// (Measured: 32 fills 94 % of them instead of 97, and saves as many pairs of leaves; 128 fills 98 and costs 3 % more.)
pub(super) const SMALL: usize = 64;

/// Places along an axis, from the first triangle to the last, that an order tells apart.
const PLACES: i32 = 1 << 24;

/// Indices of triangles, of which there are at most [`SMALL`].
type Order = [u8; SMALL];

/// Reused memory.
#[derive(Debug)]
pub(super) struct Small {
    bounds: [Bounds; SMALL],
    /// Along each axis. A part has the same range of all of them.
    orders: [Order; AXES],
    offsets: Vec<f64>,
    moved: Vec<Triangle>,
    leaves: Leaves,
}

impl Default for Small {
    fn default() -> Self {
        Self {
            bounds: [Bounds::EMPTY; SMALL],
            orders: [[0; SMALL]; AXES],
            offsets: Vec::with_capacity(SMALL),
            moved: Vec::with_capacity(SMALL),
            leaves: Leaves::of_size(1),
        }
    }
}

/// How sets of up to [`SMALL`] triangles fill leaves of one size.
#[derive(Debug)]
struct Leaves {
    size: usize,
    /// How many leaves so many triangles need.
    needed: [f64; SMALL + 1],
    /// A bit for each count of triangles that fill their leaves.
    full: u64,
}

/// How a part is split.
#[derive(Clone, Copy)]
struct Cut {
    /// The number of the order.
    axis: usize,
    /// Triangles to the left.
    left: usize,
    /// The measure of the part's box.
    measure: f64,
}

impl Leaves {
    fn of_size(size: usize) -> Self {
        let needed = std::array::from_fn(|count| count.div_ceil(size) as f64);
        Self { size, needed, full: (0..SMALL).step_by(size).fold(0, |full, count| full | 1 << count) }
    }

    /// A bit for each number of triangles to the left, from 1 and below `count`, with which one side fills its leaves.
    const fn whole_cuts(&self, count: usize) -> u64 {
        let mirrored = (self.full.reverse_bits() as u128) << 1;
        let inside = (1u128 << count) - 2;
        (self.full | (mirrored >> (SMALL - count)) as u64) & inside as u64
    }

    /// Half of the triangles, in whole leaves.
    const fn half(&self, count: usize) -> usize {
        count.div_ceil(self.size) / 2 * self.size
    }
}

impl Small {
    /// Splits a set again and again, and puts its triangles into the order of the leaves. The samples are of all of them.
    pub(super) fn partition(
        &mut self,
        triangles: &mut [Triangle],
        samples: &Samples,
        axes: &[Vector; AXES],
        level: u32,
        leaf_size: usize,
        parts: &mut Parts,
    ) -> PartPlan {
        if self.leaves.size != leaf_size {
            self.leaves = Leaves::of_size(leaf_size);
        }
        self.bounds[..samples.len()].copy_from_slice(&samples.bounds);
        // The same operations, and so the same bits, on every level.
        dispatch!(_ => self.sort(samples, axes));
        let plan = self.build([0, triangles.len()], level, parts);
        self.moved.clear();
        self.moved.extend_from_slice(triangles);
        for (to, from) in triangles.iter_mut().zip(&self.orders[0]) {
            *to = self.moved[usize::from(*from)];
        }
        plan
    }

    /// Adds the part that has this range of the orders, and those below. Afterwards the first order is that of the leaves.
    fn build(&mut self, [first, end]: [usize; 2], level: u32, parts: &mut Parts) -> PartPlan {
        let count = end - first;
        if count <= self.leaves.size {
            // By number.
            self.orders[0][first..end].sort_unstable();
            return parts.add_leaf(count);
        }
        let Cut { axis, left, measure } = dispatch!(_ => self.best_cut([first, end], level < DEEPEST_CHOICE));
        let middle = first + left;
        self.divide([first, middle, end], axis);
        let (left, right) = ([first, middle], [middle, end]);
        let [left, right] = [left, right].map(|half| self.build(half, level + 1, parts));
        parts.add_inner(measure, [&left, &right])
    }

    /// Puts the triangles into order along each axis, by number where they are in the same place.
    #[inline(always)]
    fn sort(&mut self, samples: &Samples, axes: &[Vector; AXES]) {
        for (axis, order) in axes.iter().zip(&mut self.orders) {
            let [low, high] = samples.project(*axis, &mut self.offsets);
            let scale = if high > low { f64::from(PLACES) / (high - low) } else { 0.0 };
            let mut keys = [i32::MAX; SMALL];
            for (index, (key, offset)) in keys.iter_mut().zip(&self.offsets).enumerate() {
                let place = (((offset - low) * scale) as i32).min(PLACES);
                *key = place * SMALL as i32 + index as i32;
            }
            // Their number is small enough for each to count those before it.
            for (index, key) in (0..).zip(&keys[..samples.len()]) {
                let before = keys.iter().map(|other| i32::from(other < key)).sum::<i32>();
                order[before as usize % SMALL] = index;
            }
        }
    }

    /// The best split of a range of the orders that leaves whole leaves on one side, or half of them where there is no choice,
    /// and the measure of the range.
    #[inline(always)]
    fn best_cut(&self, [first, end]: [usize; 2], has_choice: bool) -> Cut {
        let Leaves { needed, .. } = &self.leaves;
        let count = end - first;
        let whole = self.union(&self.orders[0][first..end]).measure();
        let half = Cut { axis: 0, left: self.leaves.half(count), measure: whole };
        if !has_choice {
            return half;
        }
        let cuts = self.leaves.whole_cuts(count);
        let is_cut = |left: usize| cuts >> left & 1 == 1;
        let (least, most) = (cuts.trailing_zeros() as usize, cuts.ilog2() as usize);
        let mut best = BestSplit::new(half);
        let mut of_right = [0.0; SMALL];
        for (axis, order) in self.orders.iter().enumerate() {
            let members = &order[first..end];
            let mut bounds = Bounds::EMPTY;
            for left in (least..count).rev() {
                bounds = bounds.union(self.bounds_of(members[left]));
                if is_cut(left) {
                    of_right[left] = bounds.measure() * needed[count - left];
                }
            }
            let mut bounds = Bounds::EMPTY;
            for left in 1..=most {
                bounds = bounds.union(self.bounds_of(members[left - 1]));
                if is_cut(left) {
                    let cost = bounds.measure() * needed[left] + of_right[left];
                    best.take(cost, [left, count - left], Cut { axis, left, measure: whole });
                }
            }
        }
        best.split()
    }

    #[inline(always)]
    fn union(&self, members: &[u8]) -> Bounds {
        members.iter().fold(Bounds::EMPTY, |union, member| union.union(self.bounds_of(*member)))
    }

    #[inline(always)]
    fn bounds_of(&self, member: u8) -> &Bounds {
        // The remainder is there for the compiler, which then knows the index to be in range.
        &self.bounds[usize::from(member) % SMALL]
    }

    /// Divides every order's range: first what is left of `middle` in the order along `axis`, then the others.
    fn divide(&mut self, [first, middle, end]: [usize; 3], axis: usize) {
        let left = self.orders[axis][first..middle].iter().fold(0u64, |set, index| set | 1 << index);
        for order in &mut self.orders {
            let mut right = [0; SMALL];
            let (mut to_left, mut to_right) = (first, 0);
            for at in first..end {
                let index = order[at];
                // Both are written, and one counts.
                let is_left = (left >> index & 1) as usize;
                order[to_left] = index;
                right[to_right] = index;
                to_left += is_left;
                to_right += 1 - is_left;
            }
            order[middle..end].copy_from_slice(&right[..end - middle]);
        }
    }
}
