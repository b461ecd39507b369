//! The operations of [`Kernel`](super::Kernel) with the permutes of AVX2 and AVX-512.

mod avx2;
mod avx512;

/// The lane of the least of sixteen numbers, given the least of each half: its upper 16 bits in the low half, and the
/// lane in the high half.
#[inline(always)]
fn lesser(low: i32, high: i32) -> usize {
    let lane = |least: i32| least as usize >> 16 & 7;
    if (high as u16) < low as u16 { 8 + lane(high) } else { lane(low) }
}
