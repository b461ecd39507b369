//! Integers of a fixed capacity and a sign, for the few decisions that rounding leaves open.
//!
//! Based on: Knuth, The Art of Computer Programming, volume 2, 1997, section 4.3.1, algorithms A, S and M. Departures:
//! a fixed capacity (no allocation) and a tracked length, so that small numbers are cheap.
//!
//! Why the default capacity of 1728 bits is enough: every `f32` is a multiple of 2^-149 and below 2^129 (so are the bit patterns of
//! infinities and NaN, read as if they were finite), which is 278 bits. A difference has 279 bits, and the largest
//! polynomial in use, the square of a triple product of differences (degree six), is below
//! (3 * 2 * 2^(3 * 279))^2 < 2^1680. Beyond the capacity the arithmetic would wrap; it never panics.

use core::cmp::Ordering;
use core::ops::{Add, Mul, Neg, Sub};

/// The limbs that polynomials of degree six in `f32` numbers need.
const OF_FLOATS: usize = 27;

/// An integer: a sign and `length` limbs in use, lowest first.
///
/// The limbs from `length` on are zero, the last used one is not, and zero is not negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole<const LIMBS: usize = OF_FLOATS> {
    negative: bool,
    length: usize,
    limbs: [u64; LIMBS],
}

/// Three integers: a point or a direction in space.
pub(crate) type Vector<const LIMBS: usize = OF_FLOATS> = [Whole<LIMBS>; 3];

/// A binary floating-point number.
pub(crate) trait Binary: Copy {
    /// The magnitude as an odd (or zero) mantissa times a power of two, and whether the number is negative.
    fn decode(self) -> (u64, i32, bool);
}

impl Binary for f32 {
    fn decode(self) -> (u64, i32, bool) {
        let bits = self.to_bits();
        let (field, fraction) = ((bits >> 23) & 0xff, bits & 0x7f_ffff);
        let mantissa = if field == 0 { fraction } else { fraction | 0x80_0000 };
        odd(u64::from(mantissa), field.max(1).cast_signed() - 150, self < 0.0)
    }
}

impl Binary for f64 {
    fn decode(self) -> (u64, i32, bool) {
        let bits = self.to_bits();
        let (field, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
        let mantissa = if field == 0 { fraction } else { fraction | 1 << 52 };
        odd(mantissa, field.max(1) as i32 - 1075, self < 0.0)
    }
}

fn odd(mantissa: u64, exponent: i32, negative: bool) -> (u64, i32, bool) {
    if mantissa == 0 {
        return (0, 0, false);
    }
    let zeros = mantissa.trailing_zeros();
    (mantissa >> zeros, exponent + zeros.cast_signed(), negative)
}

/// The bits that numbers take: each is a multiple of 2^`unit` and below 2^`end` in magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) unit: i32,
    pub(crate) end: i32,
}

impl Span {
    /// The least span of all `values`; `None` if all are zero.
    pub(crate) fn of<'a, T: Binary + 'a>(values: impl IntoIterator<Item = &'a T>) -> Option<Self> {
        let of_one = |value: &T| {
            let (mantissa, unit, _) = value.decode();
            let length = 64 - mantissa.leading_zeros().cast_signed();
            (mantissa != 0).then_some(Self { unit, end: unit + length })
        };
        Self::of_all(values.into_iter().map(of_one))
    }

    /// The least span that holds all of these.
    pub(crate) fn of_all(spans: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        let joined = |a: Self, b: Self| Self { unit: a.unit.min(b.unit), end: a.end.max(b.end) };
        spans.into_iter().flatten().reduce(joined)
    }

    /// That of products of a number of each.
    pub(crate) fn product(self, other: Self) -> Self {
        Self { unit: self.unit + other.unit, end: self.end + other.end }
    }

    /// How many bits that is.
    pub(crate) fn bits(&self) -> i32 {
        self.end - self.unit
    }
}

/// The exponent of the largest power of two that divides every one of `values`; 0 if all are zero.
pub(crate) fn unit<'a, T: Binary + 'a>(values: impl IntoIterator<Item = &'a T>) -> i32 {
    Span::of(values).map_or(0, |span| span.unit)
}

impl<const LIMBS: usize> Whole<LIMBS> {
    pub(crate) const ZERO: Self = Self { negative: false, length: 0, limbs: [0; LIMBS] };

    /// `value` in units of 2^`unit`, which must divide it.
    #[inline(never)]
    pub(crate) fn new(value: impl Binary, unit: i32) -> Self {
        let (mantissa, exponent, negative) = value.decode();
        let shift = (exponent - unit).max(0).unsigned_abs();
        let wide = u128::from(mantissa) << (shift % 64);
        let mut out = Self::ZERO;
        // The shifted number is far within the capacity; `zip` only avoids indexing that could panic.
        let first = (shift / 64) as usize;
        for (limb, part) in out.limbs.iter_mut().skip(first).zip([wide, wide >> 64]) {
            *limb = part as u64;
        }
        out.trimmed(first + 2, negative)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.length == 0
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    pub(crate) fn is_positive(&self) -> bool {
        !self.negative && !self.is_zero()
    }

    fn used(&self) -> &[u64] {
        self.limbs.get(..self.length).unwrap_or(&self.limbs)
    }

    /// Restores the invariants after limbs from `length` on were left zero.
    fn trimmed(mut self, length: usize, negative: bool) -> Self {
        self.length = length.min(LIMBS);
        while self.used().last() == Some(&0) {
            self.length -= 1;
        }
        self.negative = negative && self.length > 0;
        self
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        let longer = self.length.cmp(&other.length);
        longer.then_with(|| self.used().iter().rev().cmp(other.used().iter().rev()))
    }

    fn add_magnitude(&self, other: &Self, negative: bool) -> Self {
        let mut out = Self::ZERO;
        let length = self.length.max(other.length) + 1;
        let pairs = self.limbs.iter().zip(&other.limbs).take(length);
        let mut carry = 0;
        for (limb, (a, b)) in out.limbs.iter_mut().zip(pairs) {
            let sum = u128::from(*a) + u128::from(*b) + carry;
            (*limb, carry) = (sum as u64, sum >> 64);
        }
        out.trimmed(length, negative)
    }

    /// The magnitude must not be below the other's.
    fn sub_magnitude(&self, other: &Self, negative: bool) -> Self {
        let mut out = Self::ZERO;
        let pairs = self.limbs.iter().zip(&other.limbs).take(self.length);
        let mut borrow = false;
        for (limb, (a, b)) in out.limbs.iter_mut().zip(pairs) {
            let (difference, first) = a.overflowing_sub(*b);
            let (difference, second) = difference.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (difference, first || second);
        }
        out.trimmed(self.length, negative)
    }
}

impl<const LIMBS: usize> Neg for Whole<LIMBS> {
    type Output = Self;

    fn neg(self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self }
    }
}

impl<const LIMBS: usize> Add for Whole<LIMBS> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.negative == other.negative {
            return self.add_magnitude(&other, self.negative);
        }
        match self.cmp_magnitude(&other) {
            Ordering::Less => other.sub_magnitude(&self, other.negative),
            _ => self.sub_magnitude(&other, self.negative),
        }
    }
}

impl<const LIMBS: usize> Sub for Whole<LIMBS> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<const LIMBS: usize> Mul for Whole<LIMBS> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let mut out = Self::ZERO;
        for (index, a) in self.used().iter().enumerate() {
            let mut carry = 0;
            let mut row = out.limbs.iter_mut().skip(index);
            for (b, limb) in other.used().iter().zip(&mut row) {
                let sum = u128::from(*a) * u128::from(*b) + u128::from(*limb) + carry;
                (*limb, carry) = (sum as u64, sum >> 64);
            }
            if let Some(limb) = row.next() {
                *limb = carry as u64;
            }
        }
        out.trimmed(self.length + other.length, self.negative != other.negative)
    }
}

impl<const LIMBS: usize> PartialEq for Whole<LIMBS> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<const LIMBS: usize> Eq for Whole<LIMBS> {}

impl<const LIMBS: usize> PartialOrd for Whole<LIMBS> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const LIMBS: usize> Ord for Whole<LIMBS> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (false, false) => self.cmp_magnitude(other),
            (true, true) => other.cmp_magnitude(self),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}

/// `a - b`.
#[inline(never)]
pub(crate) fn sub<const LIMBS: usize>(a: &Vector<LIMBS>, b: &Vector<LIMBS>) -> Vector<LIMBS> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The dot product.
#[inline(never)]
pub(crate) fn dot<const LIMBS: usize>(a: &Vector<LIMBS>, b: &Vector<LIMBS>) -> Whole<LIMBS> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product.
#[inline(never)]
pub(crate) fn cross<const LIMBS: usize>(a: &Vector<LIMBS>, b: &Vector<LIMBS>) -> Vector<LIMBS> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(value: i32) -> Whole {
        // Small enough to be exact in f32.
        Whole::new(value as f32, 0)
    }

    fn whole_of(value: f32, unit: i32) -> Whole {
        Whole::new(value, unit)
    }

    #[test]
    fn small_numbers_behave_as_integers_do() {
        for a in -12..=12 {
            for b in -12..=12 {
                assert_eq!(whole(a) + whole(b), whole(a + b));
                assert_eq!(whole(a) - whole(b), whole(a - b));
                assert_eq!(whole(a) * whole(b), whole(a * b));
                assert_eq!(whole(a).cmp(&whole(b)), a.cmp(&b));
            }
            assert_eq!(whole(a).is_zero(), a == 0);
            assert_eq!(whole(a).is_negative(), a < 0);
            assert_eq!(whole(a).is_positive(), a > 0);
        }
    }

    #[test]
    fn carries_and_borrows_cross_limbs() {
        // (2^64 - 1) and (2^128 - 1) have only ones, so every limb carries.
        let power = |exponent: i32| whole_of(1.0, -exponent);
        let one = power(0);
        for exponent in [63, 64, 65, 127, 128, 129, 191, 192] {
            let ones = power(exponent) - one;
            assert_eq!(ones + one, power(exponent));
            assert_eq!(ones * ones, power(2 * exponent) - power(exponent + 1) + one, "{exponent}");
            assert!(ones < power(exponent) && -ones > -power(exponent));
        }
    }

    #[test]
    fn the_binomial_formula_holds_for_any_floats() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..2000 {
            let [a, b] = [0, 1].map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                f32::from_bits(state as u32)
            });
            let unit = unit(&[a, b]);
            let [a, b] = [a, b].map(|value| whole_of(value, unit));
            let two = whole(2);
            assert_eq!((a + b) * (a + b), a * a + two * (a * b) + b * b);
            assert_eq!((a + b) * (a - b), a * a - b * b);
        }
    }

    #[test]
    fn the_unit_divides_every_value_and_is_the_largest() {
        assert_eq!(unit(&[0.0f32, -0.0]), 0);
        assert_eq!(unit(&[0.0f32, 12.0, 40.0]), 2);
        assert_eq!(unit(&[0.75f64, 3.0, f64::from_bits(1 << 51)]), -1023);
        assert_eq!(unit(&[f32::from_bits(1), 1.0]), -149);
        assert_eq!(unit(&[f32::MAX]), 104);
        assert_eq!(Span::of(&[0.0f32]), None);
        assert_eq!(Span::of(&[0.75f64, -12.0, 0.0]), Some(Span { unit: -2, end: 4 }));
        let parts = [Span::of(&[12.0f32]), None, Span::of(&[0.75f32])];
        assert_eq!(Span::of_all(parts), Some(Span { unit: -2, end: 4 }));
    }

    #[test]
    fn the_largest_polynomial_fits_and_more_does_not_panic() {
        let wide = whole_of(f32::from_bits(0x7fff_ffff), -149);
        let difference = wide + wide;
        let minor = difference * difference + difference * difference;
        let triple = minor * difference + minor * difference + minor * difference;
        let square = triple * triple;
        // 36 * difference^6, multiplied in another order: nothing was lost.
        let six = difference * difference * difference * whole(6);
        assert_eq!(square, six * six);
        assert!(square.length <= OF_FLOATS && (square - six).is_positive());
        let _ = square * square + square;
    }
}
