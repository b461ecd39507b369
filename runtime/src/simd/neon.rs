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
    /// Shifts that leave the lowest four bits of a slot, times four, say where its number starts.
    #[inline(always)]
    fn look_up_4(
        token: Neon,
        table: uint8x16x4_t,
        slots: u8x16<Neon>,
        lanes: u8x16<Neon>,
        bytes: u8x16<Neon>,
    ) -> float32x4_t {
        let slots = vqtbl1q_u8(slots.into(), lanes.into());
        let starts = vshrq_n_u8::<2>(vshlq_n_u8::<4>(slots));
        vreinterpretq_f32_u8(vqtbl4q_u8(table, vorrq_u8(starts, bytes.into())))
    }
);

kernel!(
    /// The same with five bits: a look-up beyond the first table finds nothing there, and replaces it by the second's.
    #[inline(always)]
    fn look_up_4_in_two(
        token: Neon,
        tables: [uint8x16x4_t; 2],
        slots: u8x16<Neon>,
        lanes: u8x16<Neon>,
        bytes: u8x16<Neon>,
    ) -> float32x4_t {
        let slots = vqtbl1q_u8(slots.into(), lanes.into());
        let starts = vshrq_n_u8::<1>(vshlq_n_u8::<3>(slots));
        let at = vorrq_u8(starts, bytes.into());
        let in_first = vqtbl4q_u8(tables[0], at);
        vreinterpretq_f32_u8(vqtbx4q_u8(in_first, tables[1], vsubq_u8(at, vdupq_n_u8(64))))
    }
);

#[inline(always)]
pub(super) fn table(simd: Neon, values: f32x16<Neon>) -> Table {
    as_bytes(simd, values.into())
}

#[inline(always)]
pub(super) fn look_up(simd: Neon, table: Table, slots: &[u8; BLOCK_WIDTH], first: usize) -> f32x4<Neon> {
    let [slots, lanes, bytes] = operands(simd, slots, first);
    look_up_4(simd, table, slots, lanes, bytes).simd_into(simd)
}

#[inline(always)]
pub(super) fn look_up_in_two(
    simd: Neon,
    tables: [Table; 2],
    slots: &[u8; BLOCK_WIDTH],
    first: usize,
) -> f32x4<Neon> {
    let [slots, lanes, bytes] = operands(simd, slots, first);
    look_up_4_in_two(simd, tables, slots, lanes, bytes).simd_into(simd)
}

#[inline(always)]
fn operands(simd: Neon, slots: &[u8; BLOCK_WIDTH], first: usize) -> [u8x16<Neon>; 3] {
    let lanes = LANES[first / 4 % LANES.len()];
    [u8x16::simd_from(simd, *slots), u8x16::simd_from(simd, lanes), u8x16::simd_from(simd, BYTES)]
}
