//! Tables of NEON: sixteen numbers are the 64 bytes that one look-up takes.

use core::arch::aarch64::*;

use bvhc_format::record::BLOCK_WIDTH;
use fearless_simd::aarch64::Neon;
use fearless_simd::{SimdFrom, SimdInto, f32x4, f32x16, kernel, u8x16};

/// Numbers as bytes.
pub(super) type Table = uint8x16x4_t;

/// For each part of four lanes, its lanes, four times each.
static LANES: [[u8; 16]; BLOCK_WIDTH / 4] = [
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    [4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7],
    [8, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10, 10, 11, 11, 11, 11],
    [12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15, 15],
];

/// The bytes of four numbers.
static BYTES: [u8; 16] = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3];

kernel!(
    #[inline(always)]
    fn as_bytes(token: Neon, numbers: float32x4x4_t) -> uint8x16x4_t {
        let float32x4x4_t(a, b, c, d) = numbers;
        uint8x16x4_t(
            vreinterpretq_u8_f32(a),
            vreinterpretq_u8_f32(b),
            vreinterpretq_u8_f32(c),
            vreinterpretq_u8_f32(d),
        )
    }
);

kernel!(
    /// Where the numbers of four lanes lie in tables, byte by byte; of a slot only the bits of `mask` count.
    #[inline(always)]
    fn places(
        token: Neon,
        slots: u8x16<Neon>,
        lanes: u8x16<Neon>,
        bytes: u8x16<Neon>,
        mask: u8,
    ) -> uint8x16_t {
        let slots = vandq_u8(vqtbl1q_u8(slots.into(), lanes.into()), vdupq_n_u8(mask));
        vorrq_u8(vshlq_n_u8::<2>(slots), bytes.into())
    }
);

kernel!(
    #[inline(always)]
    fn look_up_at(token: Neon, table: uint8x16x4_t, places: uint8x16_t) -> float32x4_t {
        vreinterpretq_f32_u8(vqtbl4q_u8(table, places))
    }
);

kernel!(
    /// What lies beyond the first table is found in the second.
    #[inline(always)]
    fn look_up_in_two_at(token: Neon, tables: [uint8x16x4_t; 2], places: uint8x16_t) -> float32x4_t {
        let in_first = vqtbl4q_u8(tables[0], places);
        vreinterpretq_f32_u8(vqtbx4q_u8(in_first, tables[1], vsubq_u8(places, vdupq_n_u8(64))))
    }
);

#[inline(always)]
pub(super) fn table(simd: Neon, values: f32x16<Neon>) -> Table {
    as_bytes(simd, values.into())
}

#[inline(always)]
pub(super) fn look_up(simd: Neon, table: Table, slots: &[u8; BLOCK_WIDTH], first: usize) -> f32x4<Neon> {
    look_up_at(simd, table, places_of(simd, slots, first, 15)).simd_into(simd)
}

#[inline(always)]
pub(super) fn look_up_in_two(
    simd: Neon,
    tables: [Table; 2],
    slots: &[u8; BLOCK_WIDTH],
    first: usize,
) -> f32x4<Neon> {
    look_up_in_two_at(simd, tables, places_of(simd, slots, first, 31)).simd_into(simd)
}

#[inline(always)]
fn places_of(simd: Neon, slots: &[u8; BLOCK_WIDTH], first: usize, mask: u8) -> uint8x16_t {
    let load = |bytes: [u8; 16]| u8x16::simd_from(simd, bytes);
    places(simd, load(*slots), load(LANES[first / 4 % LANES.len()]), load(BYTES), mask)
}
