//! Splits by centre: every one on every axis is tried.

use rayon::slice::ParallelSliceMut;

use super::{Reference, Sides};
use crate::tree::aabb::Aabb;
use crate::tree::build::{PARALLEL_SIZE, sortable};

/// A split of references sorted on `axis`: the first `left` go left.
pub(super) struct Split {
    pub(super) cost: f64,
    axis: usize,
    left: usize,
    bounds: [Aabb; 2],
}

impl Split {
    /// The half area of the intersection of both sides' boxes.
    pub(super) fn overlap(&self) -> f64 {
        let [left, right] = self.bounds;
        left.intersection(right).half_area()
    }
}

/// The best split of at least two references, which it leaves sorted on that split's axis.
pub(super) fn best(references: &mut [Reference]) -> Split {
    let mut rights = vec![Aabb::EMPTY; references.len()];
    let mut best = None;
    for axis in 0..3 {
        sort(references, axis);
        let split = sweep(references, axis, &mut rights);
        if best.as_ref().is_none_or(|best: &Split| split.cost < best.cost) {
            best = Some(split);
        }
    }
    let best = best.expect("there are three axes");
    if best.axis != 2 {
        sort(references, best.axis);
    }
    best
}

/// Divides references that are sorted on the split's axis.
pub(super) fn divide(mut references: Vec<Reference>, split: &Split) -> Sides {
    let right = references.split_off(split.left);
    Sides { left: references, right }
}

/// Sorts by centre, then by number.
fn sort(references: &mut [Reference], axis: usize) {
    let key = |reference: &Reference| {
        let centre = reference.part.lower[axis] + reference.part.upper[axis];
        u64::from(sortable(centre)) << 32 | u64::from(reference.primitive)
    };
    if references.len() < PARALLEL_SIZE {
        references.sort_unstable_by_key(key);
    } else {
        references.par_sort_unstable_by_key(key);
    }
}

/// The best split of sorted references; the halves where every cost is infinite.
fn sweep(sorted: &[Reference], axis: usize, rights: &mut [Aabb]) -> Split {
    let count = sorted.len();
    let mut right = Aabb::EMPTY;
    for count_left in (0..count).rev() {
        right = right.union(sorted[count_left].part);
        rights[count_left] = right;
    }
    let middle = count / 2;
    let mut best = Split { cost: f64::INFINITY, axis, left: middle, bounds: [rights[0], rights[middle]] };
    let mut left = Aabb::EMPTY;
    for count_left in 1..count {
        left = left.union(sorted[count_left - 1].part);
        let right = rights[count_left];
        let cost = left.half_area() * count_left as f64 + right.half_area() * (count - count_left) as f64;
        if cost < best.cost {
            best = Split { cost, axis, left: count_left, bounds: [left, right] };
        }
    }
    best
}
