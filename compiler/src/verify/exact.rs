//! Grows boxes in exact arithmetic.
//!
//! Based on: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates",
//! 1997 (two-sum, and sums as expansions). All terms are f32 numbers, or 2^-17 times differences of two, so
//! f64 neither overflows nor underflows.

use crate::math::vector::two_sum;
use crate::tree::aabb::Aabb;

/// A triangle's box is grown by this much, relative to its largest extent (T10).
const GROWTH: f64 = 1.0 / (1 << 17) as f64;

/// The smallest f32 box that satisfies T10 around a triangle with these exact bounds.
pub(super) fn grown(bounds: &Aabb) -> Aabb {
    let growth = largest_extent(bounds).map(|part| part * GROWTH);
    Aabb {
        lower: bounds.lower.map(|x| floor_difference(x, growth)),
        upper: bounds.upper.map(|x| -floor_difference(-x, growth)),
    }
}

/// The largest extent among the axes, as an unevaluated sum of two numbers; the first is the rounded sum.
fn largest_extent(bounds: &Aabb) -> [f64; 2] {
    let extents =
        [0, 1, 2].map(|axis| two_sum(f64::from(bounds.upper[axis]), -f64::from(bounds.lower[axis])));
    extents.into_iter().fold([0.0; 2], |a, b| if (a[0], a[1]) < (b[0], b[1]) { b } else { a })
}

/// The largest f32 that is not above `x - (growth[0] + growth[1])`.
fn floor_difference(x: f32, growth: [f64; 2]) -> f32 {
    let x = f64::from(x);
    // Rounded once in f64 and once in f32: the answer is at most one f32 step away on either side.
    let mut floor = (x - growth[0]) as f32;
    let is_above = |candidate: f32| sign([x, -growth[0], -growth[1], -f64::from(candidate)]) < 0.0;
    while is_above(floor) {
        floor = floor.next_down();
    }
    while !is_above(floor.next_up()) {
        floor = floor.next_up();
    }
    floor
}

/// A number with the sign of the exact sum of the terms.
fn sign(terms: [f64; 4]) -> f64 {
    let mut expansion = [0.0; 4];
    for (count, term) in terms.into_iter().enumerate() {
        let mut carry = term;
        for part in &mut expansion[..count] {
            [carry, *part] = two_sum(carry, *part);
        }
        expansion[count] = carry;
    }
    // The components do not overlap and increase in magnitude, so the last nonzero one determines the sign.
    expansion.into_iter().rev().find(|part| *part != 0.0).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_parts_decide_where_large_ones_cancel() {
        assert!(sign([1e15, 1e-40, -1e15, 0.0]) > 0.0);
        assert!(sign([1e15, -1e-40, -1e15, 1e-41]) < 0.0);
        assert_eq!(sign([3.0, -1.0, -1.0, -1.0]), 0.0);
    }

    #[test]
    fn a_growth_too_small_for_f64_still_counts() {
        // At x = 1 the growth of 2^-57 is lost in f64, but the plane must still move.
        let tiny = 2f32.powi(-40);
        let bounds = Aabb { lower: [1.0, 0.0, 0.0], upper: [1.0, tiny, 0.0] };
        let grown = grown(&bounds);
        assert_eq!(grown.lower[0], 1.0f32.next_down());
        assert_eq!(grown.upper[0], 1.0f32.next_up());
        assert_eq!(grown.lower[1], -(2f32.powi(-57)));
    }

    #[test]
    fn planes_that_are_exact_stay() {
        let bounds = Aabb { lower: [0.0; 3], upper: [1.0; 3] };
        let growth = 2f32.powi(-17);
        assert_eq!(grown(&bounds), Aabb { lower: [-growth; 3], upper: [1.0 + growth; 3] });
    }
}
