//! With the permutes of AVX2: eight lanes per vector.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use bvhc_format::record::{BLOCK_WIDTH, NODE_WIDTH, WideNode};
use fearless_simd::x86::Avx2;
use fearless_simd::{
    Bytes, Simd, SimdBase, SimdFrom, SimdInto, f32x4, f32x8, f32x16, f64x4, i32x16, kernel, u8x16, u32x8,
    u64x2,
};

use super::lesser;
use crate::simd::Kernel;
use crate::simd::sixteen::Wide;
use crate::stack::{NodeGroup, Stack};

/// For each set of lanes, the indices of its lanes, lowest first, a byte each.
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
        _mm256_cvtepu8_epi32(_mm_set_epi64x(0, i64::from_le_bytes(bytes)))
    }
);

kernel!(
    /// Each 8-lane permute uses the lowest three bits of a slot; the fourth selects between the two.
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
    /// Selects between look-ups in two tables by the fifth bit.
    #[inline(always)]
    fn choose_8(token: Avx2, first: __m256, second: __m256, slots: [u8; 8]) -> __m256 {
        let which = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(widen_8(token, slots)));
        _mm256_blendv_ps(first, second, which)
    }
);

kernel!(
    #[inline(always)]
    fn spread_nibbles(token: Avx2, bytes: [u8; 8]) -> u8x16<Avx2> {
        let pairs = _mm_cvtepu8_epi16(_mm_set_epi64x(0, i64::from_le_bytes(bytes)));
        let spread = _mm_or_si128(pairs, _mm_slli_epi16::<4>(pairs));
        _mm_and_si128(spread, _mm_set1_epi8(15)).simd_into(token)
    }
);

kernel!(
    /// Eight coordinates.
    #[inline(always)]
    fn on_lattice_8(token: Avx2, offsets: u8x16<Avx2>, origin: f32, step: f32) -> f32x8<Avx2> {
        let offsets = _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(offsets.into()));
        let coordinates = _mm256_add_ps(_mm256_set1_ps(origin), _mm256_mul_ps(_mm256_set1_ps(step), offsets));
        coordinates.simd_into(token)
    }
);

kernel!(
    /// Two of the four numbers, from `first` on, each repeated four times.
    #[inline(always)]
    fn spread_2(token: Avx2, numbers: &[f32; 4], first: i32) -> __m256 {
        let indices = _mm256_add_epi32(_mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1), _mm256_set1_epi32(first));
        _mm256_permutevar_ps(tile_2(token, numbers), indices)
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
    /// Compares the upper halves of the numbers, which have the same order.
    #[inline(always)]
    fn least_8(token: Avx2, numbers: __m256) -> i32 {
        let halves = _mm256_srli_epi32::<16>(_mm256_castps_si256(numbers));
        let halves = _mm_packus_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        _mm_cvtsi128_si32(_mm_minpos_epu16(halves))
    }
);

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

kernel!(
    /// The slots of a node in its order for an octant.
    #[inline(always)]
    fn slots_16(token: Avx2, node: &WideNode, octant: u32) -> u8x16<Avx2> {
        let shift = _mm_cvtsi32_si128((4 * octant) as i32);
        let (order, _) = node.order.as_chunks::<8>();
        let (low, high): (__m256i, __m256i) =
            (u32x8::simd_from(token, order[0]).into(), u32x8::simd_from(token, order[1]).into());
        let nibble = _mm256_set1_epi32(15);
        let low = _mm256_and_si256(_mm256_srl_epi32(low, shift), nibble);
        let high = _mm256_and_si256(_mm256_srl_epi32(high, shift), nibble);
        _mm_shuffle_epi32::<0b11_01_10_00>(narrow_16(token, low, high)).simd_into(token)
    }
);

kernel!(
    /// Which of sixteen numbers are at most their limits, a bit each, in the order of these slots: each is looked up
    /// where [`narrow_16`] puts it, since the slots are known before the numbers are.
    #[inline(always)]
    fn at_most_16(token: Avx2, low: [__m256i; 2], high: [__m256i; 2], slots: __m128i) -> u32 {
        let (low, high) = (_mm256_cmpgt_epi32(low[0], low[1]), _mm256_cmpgt_epi32(high[0], high[1]));
        let indices =
            _mm_shuffle_epi8(_mm_setr_epi8(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15), slots);
        let more = _mm_shuffle_epi8(narrow_16(token, low, high), indices);
        !_mm_movemask_epi8(more) as u32 & 0xFFFF
    }
);

kernel!(
    /// Sixteen small numbers as bytes, by quarters: first, third, second and fourth.
    #[inline(always)]
    fn narrow_16(token: Avx2, low: __m256i, high: __m256i) -> __m128i {
        let halves = _mm256_packs_epi32(low, high);
        _mm_packs_epi16(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves))
    }
);

kernel!(
    /// Sixteen bytes below 16, packed to four bits each.
    #[inline(always)]
    fn nibbles_16(token: Avx2, bytes: __m128i) -> u64 {
        let pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(0x1001));
        let pairs: u64x2<Avx2> = _mm_packus_epi16(pairs, pairs).simd_into(token);
        pairs.as_slice()[0]
    }
);

/// Children of a node with their slots in visiting order.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct Ranked<'n> {
    /// In slot order.
    keys: [i32; NODE_WIDTH],
    /// Four bits each, the first in the lowest.
    slots: u64,
    node: &'n WideNode,
}

impl Ranked<'_> {
    #[inline(always)]
    fn slot(&self, rank: usize) -> usize {
        (self.slots >> (4 * (rank % NODE_WIDTH))) as usize % NODE_WIDTH
    }
}

impl NodeGroup<Avx2> for Ranked<'_> {
    #[inline(always)]
    fn child(&self, rank: usize) -> u32 {
        self.node.children[self.slot(rank)]
    }

    #[inline(always)]
    fn key(&self, rank: usize) -> i32 {
        self.keys[self.slot(rank)]
    }

    #[inline(always)]
    fn up_to(&self, simd: Avx2, limit: i32) -> u32 {
        let keys = i32x16::load_array_ref(simd, &self.keys);
        at_most(simd, keys, i32x16::splat(simd, limit), spread_nibbles(simd, self.slots.to_le_bytes()))
    }
}

#[inline(always)]
fn at_most(simd: Avx2, numbers: i32x16<Avx2>, limits: i32x16<Avx2>, slots: u8x16<Avx2>) -> u32 {
    let ((low, high), (low_limit, high_limit)) = (simd.split_i32x16(numbers), simd.split_i32x16(limits));
    at_most_16(simd, [low.into(), low_limit.into()], [high.into(), high_limit.into()], slots.into())
}

impl Wide for Avx2 {
    type Sixteen = f32x16<Self>;
}

impl Kernel for Avx2 {
    type Lanes = f32x8<Self>;
    type Pairs = f32x8<Self>;
    type Doubles = f64x4<Self>;
    type Table = (f32x8<Self>, f32x8<Self>);
    type NodeGroup<'n> = Ranked<'n>;

    const PACKETS: bool = true;

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
        let on_lattice = |half: usize| on_lattice_8(self, u8x16::simd_from(self, halves[half]), origin, step);
        self.combine_f32x8(on_lattice(0), on_lattice(1)).into()
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
    fn arrange<'n>(
        self,
        node: &'n WideNode,
        keys: i32x16<Self>,
        ends: i32x16<Self>,
        octant: u32,
    ) -> (Ranked<'n>, u32) {
        let slots = slots_16(self, node, octant);
        let met = at_most(self, keys, ends, slots);
        (Ranked { node, keys: keys.to_array(), slots: nibbles_16(self, slots.into()) }, met)
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
