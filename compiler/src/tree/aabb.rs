//! Axis-aligned boxes as the builders use them.

use crate::math::vector::{step_up, two_sum};

/// A box that may be empty: then its lower corner is above its upper one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub lower: [f32; 3],
    /// The corner with the largest coordinates.
    pub upper: [f32; 3],
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Self = Self { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };

    /// The smallest box around points.
    #[inline(always)]
    pub fn around(points: impl IntoIterator<Item = [f32; 3]>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, point| all.union(Self { lower: point, upper: point }))
    }

    /// Lower x, y, z, upper x, y, z.
    pub fn planes(&self) -> [f32; 6] {
        let ([a, b, c], [d, e, f]) = (self.lower, self.upper);
        [a, b, c, d, e, f]
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self {
            lower: [0, 1, 2].map(|axis| lesser(self.lower[axis], other.lower[axis])),
            upper: [0, 1, 2].map(|axis| greater(self.upper[axis], other.upper[axis])),
        }
    }

    /// The box of what is in both: empty where they are disjoint.
    #[inline]
    pub fn intersection(self, other: Self) -> Self {
        let common = Self {
            lower: [0, 1, 2].map(|axis| greater(self.lower[axis], other.lower[axis])),
            upper: [0, 1, 2].map(|axis| lesser(self.upper[axis], other.upper[axis])),
        };
        if common.is_empty() { Self::EMPTY } else { common }
    }

    /// Whether it holds nothing.
    #[inline]
    pub fn is_empty(&self) -> bool {
        (0..3).any(|axis| self.lower[axis] > self.upper[axis])
    }

    /// Half the surface, to which a random ray's probability of hitting the box is proportional. 0 where it is empty.
    #[inline]
    pub fn half_area(&self) -> f64 {
        let extent = |axis: usize| f64::from(self.upper[axis]) - f64::from(self.lower[axis]);
        let (x, y, z) = (extent(0), extent(1), extent(2));
        if x >= 0.0 { x * y + y * z + z * x } else { 0.0 }
    }

    /// The centre, rounded.
    pub fn centre(&self) -> [f32; 3] {
        [0, 1, 2].map(|axis| 0.5 * self.lower[axis] + 0.5 * self.upper[axis])
    }

    /// The sum of the edges along the axes.
    pub fn extents(&self) -> f64 {
        (0..3).map(|axis| f64::from(self.upper[axis]) - f64::from(self.lower[axis])).sum()
    }

    /// Twice the centre.
    #[inline]
    pub fn doubled_centre(&self) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.lower[axis] + self.upper[axis])
    }

    /// The largest edge, rounded up.
    #[inline(always)]
    pub fn largest_extent(&self) -> f64 {
        (0..3).map(|axis| difference_up(self.upper[axis], self.lower[axis])).fold(0.0, f64::max)
    }

    /// The box with `by` more on every side, rounded outward.
    #[inline(always)]
    pub fn grown(&self, by: f64) -> Self {
        Self { lower: self.lower.map(|x| sub_down(x, by)), upper: self.upper.map(|x| -sub_down(-x, by)) }
    }
}

/// `a - b`, rounded up.
#[inline(always)]
fn difference_up(a: f32, b: f32) -> f64 {
    let [difference, rest] = two_sum(f64::from(a), -f64::from(b));
    if rest > 0.0 { difference.next_up() } else { difference }
}

/// The lesser of two numbers, and of equals the first: one instruction on x86, where `f32::min` takes four to leave out NaN.
#[inline]
pub(crate) fn lesser(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The greater of two numbers, and of equals the first.
#[inline]
pub(crate) fn greater(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// The largest f32 that is not above `x - by`.
#[inline(always)]
fn sub_down(x: f32, by: f64) -> f32 {
    let [difference, rest] = two_sum(f64::from(x), -by);
    let rounded = difference as f32;
    let error = f64::from(rounded) - difference;
    // A difference rounded to +0 is above neither.
    -step_up(-rounded, (error > 0.0) | ((error == 0.0) & (rest < 0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_rounded_up() {
        let extent = |lower, upper| Aabb { lower: [lower; 3], upper: [upper; 3] }.largest_extent();
        assert_eq!(extent(-1e-30, 1.0), 1f64.next_up());
        assert_eq!(extent(1e-30, 1.0), 1.0);
        assert_eq!(extent(-1.0, 1e-30), 1f64.next_up());
        assert_eq!(extent(-0.25, 1.0), 1.25);
        // All of it is in the rest.
        assert_eq!(extent(f32::MIN_POSITIVE, f32::MIN_POSITIVE), 0.0);
    }

    #[test]
    fn growing_rounds_outward() {
        let unit = Aabb { lower: [1.0; 3], upper: [1.0; 3] };
        let grown = unit.grown(1e-12);
        assert_eq!(grown.lower, [1.0f32.next_down(); 3]);
        assert_eq!(grown.upper, [1.0f32.next_up(); 3]);
    }

    #[test]
    fn differences_are_rounded_down() {
        let numbers = [0.0, f32::from_bits(1), 1e-30, 1.0, 1.0f32.next_down(), 1.0f32.next_up(), 3e18];
        let signed = numbers.into_iter().flat_map(|x| [x, -x]);
        let by = [0.0, 1e-60, 2f64.powi(-150), 2f64.powi(-25), 3.0 * 2f64.powi(-26), 1e-7, 1.0, 1e9];
        for (x, by) in signed.flat_map(|x| by.map(|by| (x, by))) {
            let [difference, rest] = two_sum(f64::from(x), -by);
            let below = |y: f32| f64::from(y) < difference || (f64::from(y) == difference && rest >= 0.0);
            let found = sub_down(x, by);
            assert!(below(found) && !below(found.next_up()), "{x:e} - {by:e} is not {found:e}");
        }
    }

    #[test]
    fn growth_too_small_for_f64_still_grows() {
        let point = Aabb { lower: [1.0; 3], upper: [1.0; 3] };
        let grown = point.grown(1e-30);
        assert!(grown.lower[0] < 1.0 && grown.upper[0] > 1.0);
    }

    #[test]
    fn an_empty_box_has_no_area() {
        assert_eq!(Aabb::EMPTY.half_area(), 0.0);
    }
}
