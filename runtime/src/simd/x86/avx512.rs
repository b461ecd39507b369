//! With the permutes of AVX-512: sixteen lanes per vector.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use bvhc_format::record::{BLOCK_WIDTH, NODE_WIDTH, WideNode};
use fearless_simd::x86::Avx512;
use fearless_simd::{
    Bytes, SimdBase, SimdFrom, SimdInto, SimdMask, f32x4, f32x16, f64x8, i32x16, kernel, u8x16, u8x32, u32x16,
};

use super::lesser;
use crate::simd::Kernel;
use crate::simd::sixteen::Wide;
use crate::stack::{NodeGroup, Stack};

kernel!(
    #[inline(always)]
    fn look_up_16(token: Avx512, table: __m512, slots: [u8; BLOCK_WIDTH]) -> __m512 {
        let slots = _mm512_cvtepu8_epi32(u8x16::simd_from(token, slots).into());
        _mm512_permutexvar_ps(slots, table)
    }
);

kernel!(
    #[inline(always)]
    fn look_up_16_in_two(token: Avx512, lower: __m512, upper: __m512, slots: [u8; BLOCK_WIDTH]) -> __m512 {
        let slots = _mm512_cvtepu8_epi32(u8x16::simd_from(token, slots).into());
        _mm512_permutex2var_ps(lower, slots, upper)
    }
);

kernel!(
    /// Each of the four numbers, repeated over one quarter.
    #[inline(always)]
    fn spread_4(token: Avx512, numbers: &[f32; 4]) -> __m512 {
        let quarters = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
        _mm512_permutevar_ps(tile_4(token, numbers), quarters)
    }
);

kernel!(
    #[inline(always)]
    fn tile_4(token: Avx512, numbers: &[f32; 4]) -> __m512 {
        _mm512_broadcast_f32x4(f32x4::simd_from(token, *numbers).into())
    }
);

kernel!(
    #[inline(always)]
    fn pick_16(token: Avx512, numbers: __m512, lane: i32) -> f32 {
        _mm512_cvtss_f32(_mm512_permutexvar_ps(_mm512_set1_epi32(lane), numbers))
    }
);

kernel!(
    /// As at level AVX2, for the lower and the upper half.
    #[inline(always)]
    fn least_16(token: Avx512, numbers: __m512) -> [i32; 2] {
        let halves = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(_mm512_castps_si512(numbers)));
        let (low, high) = (_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        [_mm_cvtsi128_si32(_mm_minpos_epu16(low)), _mm_cvtsi128_si32(_mm_minpos_epu16(high))]
    }
);

kernel!(
    /// As at level AVX2.
    #[inline(always)]
    fn spread_nibbles(token: Avx512, bytes: [u8; 8]) -> u8x16<Avx512> {
        let pairs = _mm_cvtepu8_epi16(_mm_set_epi64x(0, i64::from_le_bytes(bytes)));
        let spread = _mm_or_si128(pairs, _mm_slli_epi16::<4>(pairs));
        _mm_and_si128(spread, _mm_set1_epi8(15)).simd_into(token)
    }
);

kernel!(
    #[inline(always)]
    fn on_lattice_16(token: Avx512, offsets: u8x32<Avx512>, origin: f32, step: f32) -> f32x16<Avx512> {
        let offsets = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(offsets.into()));
        let coordinates = _mm512_add_ps(_mm512_set1_ps(origin), _mm512_mul_ps(_mm512_set1_ps(step), offsets));
        coordinates.simd_into(token)
    }
);

kernel!(
    /// The children, their keys, and a bit for each that is hit, in visiting order.
    #[inline(always)]
    fn arrange_16(
        token: Avx512,
        node: &WideNode,
        keys: __m512i,
        ends: __m512i,
        octant: u32,
    ) -> (u32x16<Avx512>, i32x16<Avx512>, u32) {
        let shift = _mm_cvtsi32_si128((4 * octant) as i32);
        let order: __m512i = u32x16::simd_from(token, node.order).into();
        let slots = _mm512_srl_epi32(order, shift);
        let children: __m512i = u32x16::simd_from(token, node.children).into();
        let children = _mm512_permutexvar_epi32(slots, children);
        let (keys, ends) = (_mm512_permutexvar_epi32(slots, keys), _mm512_permutexvar_epi32(slots, ends));
        let met = _mm512_cmple_epi32_mask(keys, ends);
        (children.simd_into(token), keys.simd_into(token), u32::from(met))
    }
);

kernel!(
    #[inline(always)]
    fn compress_16(token: Avx512, numbers: __m512i, lanes: u16) -> u32x16<Avx512> {
        _mm512_maskz_compress_epi32(lanes, numbers).simd_into(token)
    }
);

/// Children and keys in visiting order.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Permuted {
    children: [u32; NODE_WIDTH],
    keys: [i32; NODE_WIDTH],
}

impl NodeGroup<Avx512> for Permuted {
    #[inline(always)]
    fn child(&self, rank: usize) -> u32 {
        self.children[rank % NODE_WIDTH]
    }

    #[inline(always)]
    fn key(&self, rank: usize) -> i32 {
        self.keys[rank % NODE_WIDTH]
    }

    #[inline(always)]
    fn up_to(&self, simd: Avx512, limit: i32) -> u32 {
        i32x16::load_array_ref(simd, &self.keys).simd_le(limit).to_bitmask() as u32
    }
}

impl Wide for Avx512 {
    type Sixteen = f32x16<Self>;
}

impl Kernel for Avx512 {
    type Lanes = f32x16<Self>;
    type Pairs = f32x16<Self>;
    type Doubles = f64x8<Self>;
    type Table = f32x16<Self>;
    type NodeGroup<'n> = Permuted;

    const PACKETS: bool = true;

    #[inline(always)]
    fn table(self, values: f32x16<Self>) -> Self::Table {
        values
    }

    #[inline(always)]
    fn look_up(self, table: Self::Table, slots: &[u8; BLOCK_WIDTH], _: usize) -> Self::Lanes {
        look_up_16(self, table.into(), *slots).simd_into(self)
    }

    #[inline(always)]
    fn look_up_in_two(
        self,
        [lower, upper]: [Self::Table; 2],
        slots: &[u8; BLOCK_WIDTH],
        _: usize,
    ) -> Self::Lanes {
        look_up_16_in_two(self, lower.into(), upper.into(), *slots).simd_into(self)
    }

    #[inline(always)]
    fn pick(self, numbers: Self::Lanes, lane: usize) -> f32 {
        pick_16(self, numbers.into(), lane as i32)
    }

    #[inline(always)]
    fn spread_nibbles(self, bytes: &[u8; BLOCK_WIDTH / 2]) -> [u8; BLOCK_WIDTH] {
        spread_nibbles(self, *bytes).into()
    }

    #[inline(always)]
    fn on_lattice(self, offsets: &[u8; 2 * BLOCK_WIDTH], origin: f32, step: f32) -> [f32; BLOCK_WIDTH] {
        on_lattice_16(self, u8x32::simd_from(self, *offsets), origin, step).into()
    }

    #[inline(always)]
    fn spread(self, numbers: &[f32; 4], _: usize) -> Self::Pairs {
        spread_4(self, numbers).simd_into(self)
    }

    #[inline(always)]
    fn tile(self, numbers: &[f32; 4]) -> Self::Pairs {
        tile_4(self, numbers).simd_into(self)
    }

    #[inline(always)]
    fn least(self, numbers: f32x16<Self>) -> usize {
        let [low, high] = least_16(self, numbers.into());
        lesser(low, high)
    }

    #[inline(always)]
    fn arrange(
        self,
        node: &WideNode,
        keys: i32x16<Self>,
        ends: i32x16<Self>,
        octant: u32,
    ) -> (Permuted, u32) {
        let (children, keys, met) = arrange_16(self, node, keys.into(), ends.into(), octant);
        (Permuted { children: children.to_array(), keys: keys.to_array() }, met)
    }

    #[inline(always)]
    fn push_some(self, stack: &mut Stack, node: &WideNode, keys: f32x16<Self>, slots: u32) {
        let children: u32x16<Self> =
            compress_16(self, u32x16::simd_from(self, node.children).into(), slots as u16);
        let keys: u32x16<Self> = keys.bitcast();
        let keys: f32x16<Self> = compress_16(self, keys.into(), slots as u16).bitcast();
        stack.push_many(children.to_array(), keys.to_array(), slots.count_ones() as usize);
    }
}
