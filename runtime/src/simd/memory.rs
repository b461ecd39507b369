//! Tables in memory, for levels without permutes.

use bvhc_format::record::BLOCK_WIDTH;
use fearless_simd::{Simd, SimdBase, f32x4};

use super::sixteen::{Sixteen, Wide};

pub(super) type Table = [f32; BLOCK_WIDTH];

#[inline(always)]
pub(super) fn table<S: Wide>(_: S, values: S::Sixteen) -> Table {
    values.to_array()
}

#[inline(always)]
pub(super) fn look_up<S: Simd>(simd: S, table: Table, slots: &[u8; BLOCK_WIDTH], first: usize) -> f32x4<S> {
    f32x4::from_fn(simd, |lane| table[usize::from(slots[(first + lane) % BLOCK_WIDTH]) % BLOCK_WIDTH])
}

#[inline(always)]
pub(super) fn look_up_in_two<S: Simd>(
    simd: S,
    tables: [Table; 2],
    slots: &[u8; BLOCK_WIDTH],
    first: usize,
) -> f32x4<S> {
    let numbers = tables.as_flattened();
    f32x4::from_fn(simd, |lane| numbers[usize::from(slots[(first + lane) % BLOCK_WIDTH]) % (2 * BLOCK_WIDTH)])
}
