//! Small sets, split down to their leaves after one look at their triangles.
//!
//! The triangles are measured in one frame and put into order along each candidate axis once. Each part then inherits the
//! measures and the orders: what a split costs is found by one pass over each order, and both halves' orders are those of
//! the whole, divided. (Measured: against a frame and an order of its own for each part, splitting takes half of the instructions,
//! larger sets included, and walks of two trees take as many to 1.6 % more; a new frame for sets of 16 would save up to 0.9 %.)
//!
//! Based on: Wald, Havran, "On building fast kd-trees for ray tracing, and on doing that in O(N log N)", 2006 (orders that
//! are divided instead of sorted again).

use crate::math::vector::{Vector, dot};

use super::bounds::Bounds;
use super::build::DEEPEST_CHOICE;
use super::kinematic::{AXES, BestSplit};
use super::part::{PartPlan, Parts};
use super::sample::Sample;
use super::split::{Triangle, by_offset};

/// Sets of at most this many triangles are small: they are split into whole leaves and a remainder, so that leaves are full.
/// (Measured: 32 fills 94 % of them instead of 97, and saves as many pairs of leaves; 128 fills 98 and costs 3 % more.)
pub(super) const SMALL: usize = 64;

/// Indices of triangles, of which there are at most [`SMALL`].
type Order = [u8; SMALL];

/// Reused memory.
#[derive(Debug)]
pub(super) struct Small {
    bounds: [Bounds; SMALL],
    /// Along each axis. A part has the same range of all of them.
    orders: [Order; AXES],
    sorted: Vec<((f64, u32), u8)>,
    moved: Vec<Triangle>,
    leaves: Leaves,
}

impl Default for Small {
    fn default() -> Self {
        let (sorted, moved) = (Vec::with_capacity(SMALL), Vec::with_capacity(SMALL));
        Self {
            bounds: [Bounds::EMPTY; SMALL],
            orders: [[0; SMALL]; AXES],
            sorted,
            moved,
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

impl Leaves {
    fn of_size(size: usize) -> Self {
        let needed = std::array::from_fn(|count| count.div_ceil(size) as f64);
        Self { size, needed, full: (0..SMALL).step_by(size).fold(0, |full, count| full | 1 << count) }
    }

    /// A bit for each number of triangles to the left, below `count`, with which one side fills its leaves.
    const fn whole_cuts(&self, count: usize) -> u64 {
        let mirrored = (self.full.reverse_bits() as u128) << 1;
        self.full | (mirrored >> (SMALL - count)) as u64
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
        samples: &[Sample],
        axes: &[Vector; AXES],
        level: u32,
        leaf_size: usize,
        parts: &mut Parts,
    ) -> PartPlan {
        if self.leaves.size != leaf_size {
            self.leaves = Leaves::of_size(leaf_size);
        }
        for (bounds, sample) in self.bounds.iter_mut().zip(samples) {
            *bounds = sample.bounds;
        }
        for (axis, order) in axes.iter().zip(&mut self.orders) {
            let key = |(index, sample): (u8, &Sample)| ((dot(*axis, sample.centre), sample.number), index);
            self.sorted.clear();
            self.sorted.extend((0..).zip(samples).map(key));
            self.sorted.sort_unstable_by(|a, b| by_offset(&a.0, &b.0));
            for (place, (_, index)) in order.iter_mut().zip(&self.sorted) {
                *place = *index;
            }
        }
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
        let (axis, left) =
            if level < DEEPEST_CHOICE { self.best_split([first, end]) } else { (0, self.leaves.half(count)) };
        let whole = self.union(&self.orders[0][first..end]);
        let middle = first + left;
        self.divide([first, middle, end], axis);
        let (left, right) = ([first, middle], [middle, end]);
        let [left, right] = [left, right].map(|half| self.build(half, level + 1, parts));
        parts.add_inner(whole.measure(), [&left, &right])
    }

    fn union(&self, members: &[u8]) -> Bounds {
        members.iter().fold(Bounds::EMPTY, |union, member| union.union(self.bounds_of(*member)))
    }

    /// The axis and the number of triangles to the left of the best split that leaves whole leaves on one side.
    fn best_split(&self, [first, end]: [usize; 2]) -> (usize, usize) {
        let Leaves { needed, .. } = &self.leaves;
        let count = end - first;
        let cuts = self.leaves.whole_cuts(count);
        let is_cut = |left: usize| cuts >> left & 1 == 1;
        let mut best = BestSplit::new((0, self.leaves.half(count)));
        let mut of_right = [0.0; SMALL];
        for (axis, order) in self.orders.iter().enumerate() {
            let members = &order[first..end];
            let mut bounds = Bounds::EMPTY;
            for left in (1..count).rev() {
                bounds = bounds.union(self.bounds_of(members[left]));
                if is_cut(left) {
                    of_right[left] = bounds.measure() * needed[count - left];
                }
            }
            let mut bounds = Bounds::EMPTY;
            for left in 1..count {
                bounds = bounds.union(self.bounds_of(members[left - 1]));
                if is_cut(left) {
                    let cost = bounds.measure() * needed[left] + of_right[left];
                    best.take(cost, [left, count - left], (axis, left));
                }
            }
        }
        best.split()
    }

    #[inline]
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
