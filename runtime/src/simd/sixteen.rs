//! Sixteen numbers at once: one per box of a node, or per vertex of a block.
//!
//! Levels with instructions have fearless_simd's vectors of sixteen. Its scalar level splits and combines those by
//! copies of arrays, which take longer than the arithmetic, and rustc many times as long; so there, they are four
//! vectors of four.

use core::ops::{Add, Mul, Sub};

use bvhc_format::record::NODE_WIDTH;
use fearless_simd::{
    Bytes, ExtractToken, Select, Simd, SimdBase, SimdFloat, SimdMask, f32x4, f32x16, i32x16,
};

/// A level with vectors of sixteen numbers.
pub(crate) trait Wide: Simd {
    type Sixteen: Sixteen<Self>;
}

/// The bits of sixteen numbers.
pub(crate) type Bits<S> = <<S as Wide>::Sixteen as Sixteen<S>>::Bits;

/// Sixteen numbers.
pub(crate) trait Sixteen<S>:
    Copy
    + Add<Output = Self>
    + Add<f32, Output = Self>
    + Sub<Output = Self>
    + Sub<f32, Output = Self>
    + Mul<Output = Self>
    + Mul<f32, Output = Self>
{
    type Bits: SixteenBits<S>;

    fn splat(simd: S, number: f32) -> Self;
    fn load(simd: S, numbers: &[f32; NODE_WIDTH]) -> Self;
    fn of_quarters(simd: S, quarters: [f32x4<S>; 4]) -> Self
    where
        S: Simd;
    fn to_array(self) -> [f32; NODE_WIDTH];

    /// `self * factor + summand`, fused where the level can.
    fn mul_add(self, factor: Self, summand: Self) -> Self;
    fn abs(self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn bits(self) -> Self::Bits;

    /// A bit for each lane that is at most the limit's.
    fn at_most(self, limit: Self) -> u32;
    /// A bit for each lane that is so in every pair of numbers and limits: one mask is moved instead of one a pair.
    fn all_at_most<const PAIRS: usize>(pairs: [[Self; 2]; PAIRS]) -> u32;
    /// A bit for each lane that is greater than the limit's.
    fn above(self, limit: Self) -> u32;
    /// The lanes of `yes` where this is greater than the limit, those of `no` elsewhere.
    fn choose_above(self, limit: Self, yes: Self, no: Self) -> Self;
    fn largest(self) -> f32;
    /// The first lane with the least number.
    fn least_lane(self) -> usize;
}

/// Sixteen integers.
pub(crate) trait SixteenBits<S>: Copy {
    fn load(simd: S, numbers: &[i32; NODE_WIDTH]) -> Self;
    fn splat(simd: S, number: i32) -> Self;
    fn to_array(self) -> [i32; NODE_WIDTH];
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    /// A bit for each lane that is at most the limit's.
    fn at_most(self, limit: Self) -> u32;
}

impl<S: Simd> Sixteen<S> for f32x16<S> {
    type Bits = i32x16<S>;

    #[inline(always)]
    fn splat(simd: S, number: f32) -> Self {
        SimdBase::splat(simd, number)
    }

    #[inline(always)]
    fn load(simd: S, numbers: &[f32; NODE_WIDTH]) -> Self {
        Self::load_array_ref(simd, numbers)
    }

    #[inline(always)]
    fn of_quarters(simd: S, [a, b, c, d]: [f32x4<S>; 4]) -> Self {
        simd.combine_f32x8(simd.combine_f32x4(a, b), simd.combine_f32x4(c, d))
    }

    #[inline(always)]
    fn to_array(self) -> [f32; NODE_WIDTH] {
        SimdBase::to_array(self)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, summand: Self) -> Self {
        <Self as SimdFloat<S>>::mul_add(self, factor, summand)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        <Self as SimdBase<S>>::abs(self)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        <Self as SimdBase<S>>::max(self, other)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        <Self as SimdBase<S>>::min(self, other)
    }

    #[inline(always)]
    fn bits(self) -> i32x16<S> {
        self.bitcast()
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> u32 {
        self.simd_le(limit).to_bitmask() as u32
    }

    #[inline(always)]
    fn all_at_most<const PAIRS: usize>(pairs: [[Self; 2]; PAIRS]) -> u32 {
        let mut all = pairs[0][0].simd_le(pairs[0][1]);
        for [number, limit] in &pairs[1..] {
            all &= number.simd_le(*limit);
        }
        all.to_bitmask() as u32
    }

    #[inline(always)]
    fn above(self, limit: Self) -> u32 {
        self.simd_gt(limit).to_bitmask() as u32
    }

    #[inline(always)]
    fn choose_above(self, limit: Self, yes: Self, no: Self) -> Self {
        self.simd_gt(limit).select(yes, no)
    }

    #[inline(always)]
    fn largest(self) -> f32 {
        let simd = self.token();
        let (lower, upper) = simd.split_f32x16(self);
        let (lower, upper) = simd.split_f32x8(lower.max(upper));
        simd.reduce_max_f32x4(lower.max(upper))
    }

    #[inline(always)]
    fn least_lane(self) -> usize {
        self.simd_eq(self.reduce_min()).to_bitmask().trailing_zeros() as usize
    }
}

impl<S: Simd> SixteenBits<S> for i32x16<S> {
    #[inline(always)]
    fn load(simd: S, numbers: &[i32; NODE_WIDTH]) -> Self {
        Self::load_array_ref(simd, numbers)
    }

    #[inline(always)]
    fn splat(simd: S, number: i32) -> Self {
        SimdBase::splat(simd, number)
    }

    #[inline(always)]
    fn to_array(self) -> [i32; NODE_WIDTH] {
        SimdBase::to_array(self)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        <Self as SimdBase<S>>::max(self, other)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        <Self as SimdBase<S>>::min(self, other)
    }

    #[inline(always)]
    fn at_most(self, limit: Self) -> u32 {
        self.simd_le(limit).to_bitmask() as u32
    }
}
