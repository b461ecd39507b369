//! Arithmetic that never gives a wrong sign.
//!
//! Based on: Jonathan Richard Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
//! Predicates", 1997. Departure: a predicate is written once, over any [`Number`]: [`Approx`] answers or reports that
//! it cannot, [`Exact`] always answers.
//!
//! Every polynomial of degree 7 or less in finite `f32` numbers of at most 2^128 in magnitude is exact here: its
//! value is a multiple of 2^(-7 * 149) and below 2^896 times its number of terms, both within the range of `f64`.
//! So is every polynomial of degree 3 or less in `f64` numbers that are 0 or between 2^-300 and 2^300 in magnitude.

use std::cmp::Ordering;

/// What a predicate computes with.
pub trait Number: Clone {
    /// The number that a finite `f32` or `f64` is.
    fn new(value: impl Into<f64>) -> Self;
    /// The sum.
    fn plus(&self, other: &Self) -> Self;
    /// The difference.
    fn minus(&self, other: &Self) -> Self;
    /// The product.
    fn times(&self, other: &Self) -> Self;
    /// How the number compares with 0; `None` where the arithmetic is too coarse to tell.
    fn sign(&self) -> Option<Ordering>;
    /// The number to about 1e-14 of its value; `None` where the arithmetic is too coarse for that.
    fn value(&self) -> Option<f64>;
}

/// A vector of numbers.
pub type Vector<N> = [N; 3];

/// Answers with [`Approx`] where that is certain, otherwise with [`Exact`].
///
/// Called with both as `decide!(predicate(arguments))`, where the predicate has one type parameter, the number.
macro_rules! decide {
    ($($predicate:ident)::+($($argument:expr),* $(,)?)) => {
        $($predicate)::+::<$crate::oracle::number::Approx>($($argument),*)
            .or_else(|| $($predicate)::+::<$crate::oracle::number::Exact>($($argument),*))
            .expect("exact arithmetic always answers")
    };
}
pub(crate) use decide;

/// `a - b`.
pub fn difference<N: Number>(a: [impl Into<f64> + Copy; 3], b: [impl Into<f64> + Copy; 3]) -> Vector<N> {
    std::array::from_fn(|axis| N::new(a[axis]).minus(&N::new(b[axis])))
}

/// The dot product.
pub fn dot<N: Number>(a: &Vector<N>, b: &Vector<N>) -> N {
    let [x, y, z]: [N; 3] = std::array::from_fn(|axis| a[axis].times(&b[axis]));
    x.plus(&y).plus(&z)
}

/// The cross product.
pub fn cross<N: Number>(a: &Vector<N>, b: &Vector<N>) -> Vector<N> {
    std::array::from_fn(|axis| {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        a[next].times(&b[last]).minus(&a[last].times(&b[next]))
    })
}

/// The normal `(b - a) x (c - a)` of a triangle; its length is twice the area.
pub fn normal<N: Number>([a, b, c]: [[impl Into<f64> + Copy; 3]; 3]) -> Vector<N> {
    cross(&difference(b, a), &difference(c, a))
}

/// Whether the corners lie on one line, exactly.
pub fn is_degenerate(corners: [[f32; 3]; 3]) -> bool {
    fn flat<N: Number>(corners: [[f32; 3]; 3]) -> Option<bool> {
        let mut flat = true;
        for component in normal::<N>(corners) {
            flat &= component.sign()? == Ordering::Equal;
        }
        Some(flat)
    }
    decide!(flat(corners))
}

/// A value in `f64`, and a bound of its distance from the exact one.
#[derive(Clone, Copy, Debug)]
pub struct Approx {
    value: f64,
    error: f64,
}

impl Approx {
    /// More than half a unit in the last place, relatively.
    const ROUNDING: f64 = f64::EPSILON;
    /// Covers the rounding of the error terms themselves.
    const MARGIN: f64 = 1.000_001;

    /// A computed value: `tail` is the rounding error, `inherited` the error of the operands.
    fn rounded(value: f64, tail: f64, inherited: f64) -> Self {
        let rounding = if tail == 0.0 { 0.0 } else { value.abs() * Self::ROUNDING };
        Self { value, error: (inherited + rounding) * Self::MARGIN }
    }
}

impl Number for Approx {
    fn new(value: impl Into<f64>) -> Self {
        Self { value: value.into(), error: 0.0 }
    }

    fn plus(&self, other: &Self) -> Self {
        let (sum, tail) = two_sum(self.value, other.value);
        Self::rounded(sum, tail, self.error + other.error)
    }

    fn minus(&self, other: &Self) -> Self {
        self.plus(&Self { value: -other.value, error: other.error })
    }

    fn times(&self, other: &Self) -> Self {
        let (product, tail) = two_product(self.value, other.value);
        let inherited = self.value.abs() * other.error + self.error * (other.value.abs() + other.error);
        Self::rounded(product, tail, inherited)
    }

    fn sign(&self) -> Option<Ordering> {
        (self.error == 0.0 || self.value.abs() > self.error).then(|| self.value.total_cmp(&0.0)).map(
            |order| {
                if self.value == 0.0 { Ordering::Equal } else { order }
            },
        )
    }

    fn value(&self) -> Option<f64> {
        (self.error <= 1e-14 * self.value.abs()).then_some(self.value)
    }
}

/// A number as the sum of floating-point components that do not overlap, smallest first, none of them 0.
#[derive(Clone, Debug, Default)]
pub struct Exact(Vec<f64>);

impl Exact {
    /// Adds one component (Shewchuk's Grow-Expansion with zero elimination).
    fn grow(&mut self, component: f64) {
        let mut carry = component;
        let mut kept = 0;
        for index in 0..self.0.len() {
            let (sum, tail) = two_sum(carry, self.0[index]);
            carry = sum;
            if tail != 0.0 {
                self.0[kept] = tail;
                kept += 1;
            }
        }
        self.0.truncate(kept);
        if carry != 0.0 {
            self.0.push(carry);
        }
    }
}

impl Number for Exact {
    fn new(value: impl Into<f64>) -> Self {
        let mut number = Self::default();
        number.grow(value.into());
        number
    }

    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        other.0.iter().for_each(|&component| sum.grow(component));
        sum
    }

    fn minus(&self, other: &Self) -> Self {
        let mut difference = self.clone();
        other.0.iter().for_each(|&component| difference.grow(-component));
        difference
    }

    fn times(&self, other: &Self) -> Self {
        let mut sum = Self::default();
        for &a in &self.0 {
            for &b in &other.0 {
                let (product, tail) = two_product(a, b);
                sum.grow(tail);
                sum.grow(product);
            }
        }
        sum
    }

    fn sign(&self) -> Option<Ordering> {
        Some(self.0.last().map_or(Ordering::Equal, |largest| largest.total_cmp(&0.0)))
    }

    fn value(&self) -> Option<f64> {
        Some(self.0.iter().sum())
    }
}

/// The rounded sum, and its rounding error.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// The rounded product, and its rounding error.
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn determinant<N: Number>([a, b, c, d]: [[f32; 3]; 4]) -> Option<Ordering> {
        dot(&difference::<N>(a, d), &cross(&difference(b, d), &difference(c, d))).sign()
    }

    fn robust_determinant(points: [[f32; 3]; 4]) -> Ordering {
        let [a, b, c, d] = points.map(|[x, y, z]| robust::Coord3D { x, y, z });
        robust::orient3d(a, b, c, d).partial_cmp(&0.0).expect("finite")
    }

    /// Nearly coplanar points: far from the origin, near one plane.
    fn nearly_coplanar(random: &mut Random) -> [[f32; 3]; 4] {
        std::array::from_fn(|_| {
            let (x, y) = (random.f32(-100.0, 100.0), random.f32(-100.0, 100.0));
            [x, y, 0.3 * x + 0.7 * y]
        })
    }

    #[test]
    fn signs_agree_with_another_exact_predicate() {
        let mut random = Random::new(1);
        let mut unsure = 0;
        for _ in 0..20_000 {
            let points = nearly_coplanar(&mut random);
            let expected = robust_determinant(points);
            assert_eq!(determinant::<Exact>(points), Some(expected));
            match determinant::<Approx>(points) {
                Some(sign) => assert_eq!(sign, expected),
                None => unsure += 1,
            }
        }
        assert!(unsure < 20_000);
    }

    /// Small integers stay exact in `f64`, so that even zeros are certain.
    #[test]
    fn integers_need_no_second_look() {
        let mut random = Random::new(2);
        for _ in 0..10_000 {
            let points = std::array::from_fn(|_| std::array::from_fn(|_| random.integer(-4, 4) as f32));
            assert_eq!(determinant::<Approx>(points), determinant::<Exact>(points));
        }
    }

    #[test]
    fn smallest_and_largest_numbers_stay_exact() {
        let tiny = Exact::new(f32::from_bits(1));
        let huge = Exact::new(f32::MAX);
        let power = |base: &Exact| (0..6).fold(base.clone(), |product, _| product.times(base));
        let sum = power(&huge).plus(&power(&tiny));
        let rest = sum.minus(&power(&huge));
        assert_eq!(rest.sign(), Some(Ordering::Greater));
        assert_eq!(rest.minus(&power(&tiny)).sign(), Some(Ordering::Equal));
        assert_eq!(power(&tiny).value(), Some(2f64.powi(-149 * 7)));
    }

    #[test]
    fn coarse_numbers_admit_it() {
        let third = Approx::new(1.0e8).times(&Approx::new(1.1)).times(&Approx::new(1.3));
        let off = third.plus(&Approx::new(1.0e-20)).minus(&third);
        assert_eq!(off.sign(), None);
        assert_eq!(off.value(), None);
    }

    #[test]
    fn degenerate_is_exact() {
        assert!(is_degenerate([[0.0; 3], [1.0, 2.0, 3.0], [3.0, 6.0, 9.0]]));
        assert!(!is_degenerate([[0.0; 3], [1.0, 2.0, 3.0], [3.0, 6.0, 9.0f32.next_up()]]));
    }
}
