//! Sixteen numbers as four vectors of four.

use core::ops::{Add, Mul, Sub};

use bvhc_format::record::NODE_WIDTH;
use fearless_simd::{Bytes, Select, Simd, SimdBase, SimdFloat, SimdMask, f32x4, i32x4};

use super::sixteen::{Sixteen, SixteenBits};

/// Four vectors of four.
#[derive(Clone, Copy)]
pub(crate) struct Quarters<T>([T; 4]);

impl<T: Copy> Quarters<T> {
    #[inline(always)]
    fn each<R>(self, of: impl Fn(T) -> R) -> Quarters<R> {
        let [a, b, c, d] = self.0;
        Quarters([of(a), of(b), of(c), of(d)])
    }

    #[inline(always)]
    fn with<R>(self, other: Self, of: impl Fn(T, T) -> R) -> Quarters<R> {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Quarters([of(a, e), of(b, f), of(c, g), of(d, h)])
    }
}

impl<M: Copy> Quarters<M> {
    /// A bit for each lane that is set.
    #[inline(always)]
    fn bitmask<S: Simd>(self) -> u32
    where
        M: SimdMask<S>,
    {
        let Quarters([a, b, c, d]) = self.each(|mask| mask.to_bitmask() as u32);
        a | b << 4 | c << 8 | d << 12
    }
}

#[inline(always)]
fn quarters_of<T>(numbers: &[T; NODE_WIDTH]) -> [&[T; 4]; 4] {
    let (quarters, _) = numbers.as_chunks::<4>();
    [&quarters[0], &quarters[1], &quarters[2], &quarters[3]]
}

#[inline(always)]
fn joined<T: Copy>([a, b, c, d]: [[T; 4]; 4]) -> [T; NODE_WIDTH] {
    let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = (a, b);
    let ([c0, c1, c2, c3], [d0, d1, d2, d3]) = (c, d);
    [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3]
}

/// Implements operators of two vectors, and of a vector and a number, by quarters.
macro_rules! by_quarters {
    ($($operator:ident $call:ident),*) => { $(
        impl<S: Simd> $operator for Quarters<f32x4<S>> {
            type Output = Self;

            #[inline(always)]
            fn $call(self, other: Self) -> Self {
                self.with(other, $operator::$call)
            }
        }

        impl<S: Simd> $operator<f32> for Quarters<f32x4<S>> {
            type Output = Self;

            #[inline(always)]
            fn $call(self, number: f32) -> Self {
                self.each(|part| $operator::$call(part, number))
            }
        }
    )* };
}

by_quarters!(Add add, Sub sub, Mul mul);

impl<S: Simd> Sixteen<S> for Quarters<f32x4<S>> {
    type Bits = Quarters<i32x4<S>>;

    #[inline(always)]
    fn splat(simd: S, number: f32) -> Self {
        Self([f32x4::splat(simd, number); 4])
    }

    #[inline(always)]
    fn load(simd: S, numbers: &[f32; NODE_WIDTH]) -> Self {
        Quarters(quarters_of(numbers)).each(|part| f32x4::load_array_ref(simd, part))
    }

    #[inline(always)]
    fn of_quarters(_: S, quarters: [f32x4<S>; 4]) -> Self {
        Self(quarters)
    }

    #[inline(always)]
    fn to_array(self) -> [f32; NODE_WIDTH] {
        joined(self.each(|part| part.to_array()).0)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, summand: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) = (self.0, factor.0, summand.0);
        Self([a.mul_add(e, i), b.mul_add(f, j), c.mul_add(g, k), d.mul_add(h, l)])
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.each(|part| part.abs())
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, |own, other| own.max(other))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.with(other, |own, other| own.min(other))
    }

    #[inline(always)]
    fn bits(self) -> Self::Bits {
        self.each(|part| part.bitcast())
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> u32 {
        self.with(limit, |own, limit| own.simd_le(limit)).bitmask()
    }

    #[inline(always)]
    fn all_at_most<const PAIRS: usize>(pairs: [[Self; 2]; PAIRS]) -> u32 {
        pairs.iter().fold(u32::MAX, |all, [number, limit]| all & number.at_most(*limit))
    }

    #[inline(always)]
    fn above(self, limit: Self) -> u32 {
        self.with(limit, |own, limit| own.simd_gt(limit)).bitmask()
    }

    #[inline(always)]
    fn choose_above(self, limit: Self, yes: Self, no: Self) -> Self {
        let Quarters([a, b, c, d]) = self.with(limit, |own, limit| own.simd_gt(limit));
        let ([e, f, g, h], [i, j, k, l]) = (yes.0, no.0);
        Self([a.select(e, i), b.select(f, j), c.select(g, k), d.select(h, l)])
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        let [a, b, c, d] = self.0;
        a.max(b).max(c.max(d)).reduce_max()
    }

    #[inline(always)]
    fn least_lane(self) -> usize {
        let [a, b, c, d] = self.0;
        let least = a.min(b).min(c.min(d)).reduce_min();
        self.each(|part| part.simd_eq(least)).bitmask().trailing_zeros() as usize
    }
}

impl<S: Simd> SixteenBits<S> for Quarters<i32x4<S>> {
    #[inline(always)]
    fn load(simd: S, numbers: &[i32; NODE_WIDTH]) -> Self {
        Quarters(quarters_of(numbers)).each(|part| i32x4::load_array_ref(simd, part))
    }

    #[inline(always)]
    fn splat(simd: S, number: i32) -> Self {
        Self([i32x4::splat(simd, number); 4])
    }

    #[inline(always)]
    fn to_array(self) -> [i32; NODE_WIDTH] {
        joined(self.each(|part| part.to_array()).0)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, |own, other| own.max(other))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.with(other, |own, other| own.min(other))
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> u32 {
        self.with(limit, |own, limit| own.simd_le(limit)).bitmask()
    }
}
