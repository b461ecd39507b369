//! Numbers with about twice the precision of f64, for decisions by very small differences.
//!
//! Based on: Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971, and Hida, Li, Bailey,
//! "Algorithms for Quad-Double Precision Floating Point Arithmetic", 2001 (double-double). No step is fused, so every
//! CPU gives the same bits.

use core::cmp::Ordering;
use core::ops::{Add, Div, Mul, Sub};

/// The exact sign of a sum, if no step overflows. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast
/// Robust Geometric Predicates", 1997, theorem 10: each number is added to the expansion of the sum so far; the last
/// nonzero component of the expansion has the sign of the sum.
#[cold]
pub(crate) fn sign_of_sum(numbers: [f64; 6]) -> Ordering {
    let mut parts = [0.0; 6];
    for (count, number) in numbers.into_iter().enumerate() {
        let mut sum = number;
        for part in &mut parts[..count] {
            let Double { high, low } = Double::sum(sum, *part);
            (sum, *part) = (high, low);
        }
        parts[count] = sum;
    }
    let last = parts.into_iter().rev().find(|part| *part != 0.0);
    last.and_then(|part| part.partial_cmp(&0.0)).unwrap_or(Ordering::Equal)
}

/// The number type of a triangle test.
pub(crate) trait Real:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// Bounds the relative error of each operation.
    const UNIT_ROUNDOFF: f64;
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;

    /// a - b
    fn difference(a: f64, b: f64) -> Self;

    /// The nearest f64.
    fn value(self) -> f64;
}

impl Real for f64 {
    const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    #[inline(always)]
    fn difference(a: f64, b: f64) -> Self {
        a - b
    }

    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
}

/// The unevaluated sum of two numbers; the first is the rounded sum.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    /// `high` must not be smaller than `low` in magnitude.
    fn normalised(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }

    /// high + low
    fn sum(high: f64, low: f64) -> Self {
        let sum = high + low;
        let part = sum - high;
        Self { high: sum, low: (high - (sum - part)) + (low - part) }
    }

    /// The exact product of two numbers.
    fn product(a: f64, b: f64) -> Self {
        let product = a * b;
        let ([a, a_low], [b, b_low]) = (halves(a), halves(b));
        Self { high: product, low: a_low * b_low - (((product - a * b) - a_low * b) - a * b_low) }
    }

    fn scaled(self, factor: f64) -> Self {
        let product = Self::product(self.high, factor);
        Self::normalised(product.high, product.low + self.low * factor)
    }
}

/// The upper 26 bits of a number, and the rest.
fn halves(x: f64) -> [f64; 2] {
    const SPLITTER: f64 = ((1u64 << 27) + 1) as f64;
    let large = SPLITTER * x;
    let high = large - (large - x);
    [high, x - high]
}

impl Real for Double {
    const UNIT_ROUNDOFF: f64 = 1.0 / (1u128 << 100) as f64;
    const ZERO: Self = Self { high: 0.0, low: 0.0 };
    const ONE: Self = Self { high: 1.0, low: 0.0 };

    fn difference(a: f64, b: f64) -> Self {
        Self::sum(a, -b)
    }

    fn value(self) -> f64 {
        self.high
    }
}

impl Add for Double {
    type Output = Self;

    // As `mul`.
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let sum = Self::normalised(high.high, high.low + low.high);
        Self::normalised(sum.high, sum.low + low.low)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + Self { high: -other.high, low: -other.low }
    }
}

impl Mul for Double {
    type Output = Self;

    // A call each: they are many and rare.
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::normalised(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other.scaled(first);
        let second = rest.high / other.high;
        let rest = rest - other.scaled(second);
        Self::normalised(first, second) + Self { high: rest.high / other.high, low: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(x: f64) -> Double {
        Double::difference(x, 0.0)
    }

    /// The error is relative to what remains after everything large has cancelled.
    #[test]
    fn operations_keep_their_precision() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        for _ in 0..10_000 {
            let [x, y, z] = [0; 3].map(|_| double(next()) + double(next() * 1e-17));
            let off = ((x + y) * (x - y) - (x * x - y * y)).value().abs();
            assert!(off < 8.0 * Double::UNIT_ROUNDOFF, "{off:e}");
            let off = (x / z * z - x).value().abs();
            assert!(off < 4.0 * Double::UNIT_ROUNDOFF * x.value().abs(), "{off:e}");
            let off = (x + y - x - y).value().abs();
            assert!(off < 4.0 * Double::UNIT_ROUNDOFF, "{off:e}");
        }
    }

    #[test]
    fn small_parts_count() {
        let (one, tiny) = (double(1.0), double(1e-25));
        assert!(one + tiny > one && one - tiny < one);
        assert_eq!((one + tiny - one).value(), 1e-25);
        assert_eq!(((one + tiny) * (one - tiny) - one).value().abs(), 0.0);
    }
}
