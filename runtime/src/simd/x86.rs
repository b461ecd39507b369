//! The steps of [`Kernel`](super::Kernel) with the permutes of AVX2 and AVX-512.

mod avx2;
mod avx512;

/// The lane of the least of sixteen numbers, by what is least in each half: the upper half of that number, and the lane
/// above it.
#[inline(always)]
fn lesser(low: i32, high: i32) -> usize {
    let lane = |least: i32| least as usize >> 16 & 7;
    if (high as u16) < low as u16 { 8 + lane(high) } else { lane(low) }
}
