//! The steps of [`Kernel`] with the permutes of AVX2 and AVX-512.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use bvhc_format::record::{BLOCK_WIDTH, NODE_WIDTH, WideNode};
use fearless_simd::x86::{Avx2, Avx512};
use fearless_simd::{
    Bytes, Simd, SimdBase, SimdFrom, SimdInto, f32x4, f32x8, f32x16, i32x16, kernel, u8x16, u8x32, u32x8,
    u32x16,
};

use super::Kernel;
use crate::stack::{Siblings, Stack};

/// For each set of lanes, the numbers of its lanes, lowest first, a byte each.
static COMPRESS: [[u8; 8]; 256] = compress_table();

const fn compress_table() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut set = 0;
    while set < table.len() {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if set & 1 << lane != 0 {
                table[set][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
}

kernel!(
    /// Eight bytes as eight 32-bit numbers.
    #[inline(always)]
    fn widen_8(token: Avx2, bytes: [u8; 8]) -> __m256i {
        _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)))
    }
);

kernel!(
    /// Each 8-lane permute looks at the lowest three bits of a slot; the fourth picks between the two.
    #[inline(always)]
    fn look_up_8(token: Avx2, low: __m256, high: __m256, slots: [u8; 8]) -> __m256 {
        let slots = widen_8(token, slots);
        let picked_low = _mm256_permutevar8x32_ps(low, slots);
        let picked_high = _mm256_permutevar8x32_ps(high, slots);
        let upper_half = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(slots));
        _mm256_blendv_ps(picked_low, picked_high, upper_half)
    }
);

kernel!(
    /// As many from two tables, by the fifth bit.
    #[inline(always)]
    fn choose_8(token: Avx2, first: __m256, second: __m256, slots: [u8; 8]) -> __m256 {
        let which = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(widen_8(token, slots)));
        _mm256_blendv_ps(first, second, which)
    }
);

kernel!(
    #[inline(always)]
    fn spread_nibbles(token: Avx2, bytes: [u8; 8]) -> u8x16<Avx2> {
        let pairs = _mm_cvtepu8_epi16(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)));
        let spread = _mm_or_si128(pairs, _mm_slli_epi16::<4>(pairs));
        _mm_and_si128(spread, _mm_set1_epi8(15)).simd_into(token)
    }
);

kernel!(
    /// Eight places.
    #[inline(always)]
    fn on_lattice_8(token: Avx2, offsets: u8x16<Avx2>, origin: f32, step: f32) -> f32x8<Avx2> {
        let offsets = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(offsets.into()));
        let places = _mm256_add_ps(_mm256_set1_ps(origin), _mm256_mul_ps(_mm256_set1_ps(step), offsets));
        places.simd_into(token)
    }
);

kernel!(
    /// Two of four numbers, from `first` on, four times each.
    #[inline(always)]
    fn spread_2(token: Avx2, numbers: &[f32; 4], first: i32) -> __m256 {
        let numbers: __m128 = f32x4::simd_from(token, *numbers).into();
        let places = _mm256_add_epi32(_mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1), _mm256_set1_epi32(first));
        _mm256_permutevar8x32_ps(_mm256_castps128_ps256(numbers), places)
    }
);

kernel!(
    #[inline(always)]
    fn tile_2(token: Avx2, numbers: &[f32; 4]) -> __m256 {
        let numbers: __m128 = f32x4::simd_from(token, *numbers).into();
        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(numbers), numbers)
    }
);

kernel!(
    #[inline(always)]
    fn pick_8(token: Avx2, numbers: __m256, lane: i32) -> f32 {
        _mm256_cvtss_f32(_mm256_permutevar8x32_ps(numbers, _mm256_set1_epi32(lane)))
    }
);

kernel!(
    /// The upper halves of the numbers, which are in the same order, are compared.
    #[inline(always)]
    fn least_8(token: Avx2, numbers: __m256) -> i32 {
        let halves = _mm256_srli_epi32::<16>(_mm256_castps_si256(numbers));
        let halves = _mm_packus_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        _mm_cvtsi128_si32(_mm_minpos_epu16(halves))
    }
);

/// The lane of the least of sixteen numbers, by what is least in each half: the upper half of that number, and the lane
/// above it.
#[inline(always)]
fn lesser(low: i32, high: i32) -> usize {
    let lane = |least: i32| least as usize >> 16 & 7;
    if (high as u16) < low as u16 { 8 + lane(high) } else { lane(low) }
}

/// Eight slots from `first`, which is 0 or 8.
#[inline(always)]
fn half(slots: &[u8; BLOCK_WIDTH], first: usize) -> [u8; 8] {
    let (halves, _) = slots.as_chunks::<8>();
    halves[(first / 8) % 2]
}

kernel!(
    #[inline(always)]
    fn compress_8(token: Avx2, numbers: __m256i, lanes: u32) -> u32x8<Avx2> {
        let lanes = widen_8(token, COMPRESS[lanes as usize % COMPRESS.len()]);
        _mm256_permutevar8x32_epi32(numbers, lanes).simd_into(token)
    }
);

impl Kernel for Avx2 {
    type Lanes = f32x8<Self>;
    type Pairs = f32x8<Self>;
    type Table = (f32x8<Self>, f32x8<Self>);

    const BUNDLES: bool = true;

    #[inline(always)]
    fn table(self, values: f32x16<Self>) -> Self::Table {
        self.split_f32x16(values)
    }

    #[inline(always)]
    fn look_up(self, (low, high): Self::Table, slots: &[u8; BLOCK_WIDTH], first: usize) -> Self::Lanes {
        look_up_8(self, low.into(), high.into(), half(slots, first)).simd_into(self)
    }

    #[inline(always)]
    fn look_up_in_two(
        self,
        [first_table, second_table]: [Self::Table; 2],
        slots: &[u8; BLOCK_WIDTH],
        first: usize,
    ) -> Self::Lanes {
        let in_first = self.look_up(first_table, slots, first);
        let in_second = self.look_up(second_table, slots, first);
        choose_8(self, in_first.into(), in_second.into(), half(slots, first)).simd_into(self)
    }

    #[inline(always)]
    fn pick(self, numbers: Self::Lanes, lane: usize) -> f32 {
        pick_8(self, numbers.into(), lane as i32)
    }

    #[inline(always)]
    fn spread_nibbles(self, bytes: &[u8; BLOCK_WIDTH / 2]) -> [u8; BLOCK_WIDTH] {
        spread_nibbles(self, *bytes).into()
    }

    #[inline(always)]
    fn on_lattice(self, offsets: &[u8; 2 * BLOCK_WIDTH], origin: f32, step: f32) -> [f32; BLOCK_WIDTH] {
        let (halves, _) = offsets.as_chunks::<16>();
        let places = |half: usize| on_lattice_8(self, u8x16::simd_from(self, halves[half]), origin, step);
        self.combine_f32x8(places(0), places(1)).into()
    }

    #[inline(always)]
    fn spread(self, numbers: &[f32; 4], first: usize) -> Self::Pairs {
        spread_2(self, numbers, first as i32).simd_into(self)
    }

    #[inline(always)]
    fn tile(self, numbers: &[f32; 4]) -> Self::Pairs {
        tile_2(self, numbers).simd_into(self)
    }

    #[inline(always)]
    fn least(self, numbers: f32x16<Self>) -> usize {
        let (low, high) = self.split_f32x16(numbers);
        lesser(least_8(self, low.into()), least_8(self, high.into()))
    }

    #[inline(always)]
    fn push_some(self, stack: &mut Stack, node: &WideNode, keys: f32x16<Self>, slots: u32) {
        let (children, _) = node.children.as_chunks::<8>();
        let (low, high) = self.split_f32x16(keys);
        for (half, keys) in [low, high].into_iter().enumerate() {
            let slots = slots >> (8 * half) & 255;
            let chosen = compress_8(self, u32x8::simd_from(self, children[half]).into(), slots);
            let keys: u32x8<Self> = keys.bitcast();
            let keys: f32x8<Self> = compress_8(self, keys.into(), slots).bitcast();
            stack.push_many(chosen.to_array(), keys.to_array(), slots.count_ones() as usize);
        }
    }
}

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
    /// Of the four numbers in each quarter, each quarter keeps its own.
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
    /// As [`least_8`], of the lower and of the upper half.
    #[inline(always)]
    fn least_16(token: Avx512, numbers: __m512) -> [i32; 2] {
        let halves = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(_mm512_castps_si512(numbers)));
        let (low, high) = (_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        [_mm_cvtsi128_si32(_mm_minpos_epu16(low)), _mm_cvtsi128_si32(_mm_minpos_epu16(high))]
    }
);

kernel!(
    /// As [`spread_nibbles`].
    #[inline(always)]
    fn spread_nibbles_512(token: Avx512, bytes: [u8; 8]) -> u8x16<Avx512> {
        let pairs = _mm_cvtepu8_epi16(_mm_cvtsi64_si128(i64::from_le_bytes(bytes)));
        let spread = _mm_or_si128(pairs, _mm_slli_epi16::<4>(pairs));
        _mm_and_si128(spread, _mm_set1_epi8(15)).simd_into(token)
    }
);

kernel!(
    #[inline(always)]
    fn on_lattice_16(token: Avx512, offsets: u8x32<Avx512>, origin: f32, step: f32) -> f32x16<Avx512> {
        let offsets = _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(offsets.into()));
        let places = _mm512_add_ps(_mm512_set1_ps(origin), _mm512_mul_ps(_mm512_set1_ps(step), offsets));
        places.simd_into(token)
    }
);

kernel!(
    /// The children, their keys, and which are met, in visiting order.
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

impl Kernel for Avx512 {
    type Lanes = f32x16<Self>;
    type Pairs = f32x16<Self>;
    type Table = f32x16<Self>;

    const BUNDLES: bool = true;

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
        spread_nibbles_512(self, *bytes).into()
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
    ) -> (Siblings<i32>, u32) {
        let (children, keys, met) = arrange_16(self, node, keys.into(), ends.into(), octant);
        (Siblings { children: children.to_array(), keys: keys.to_array() }, met)
    }

    #[inline(always)]
    fn first(self, _: &[i32; NODE_WIDTH], met: u32) -> usize {
        met.trailing_zeros() as usize % NODE_WIDTH
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
