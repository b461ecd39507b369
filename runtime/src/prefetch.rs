//! Records on their way to the cache before they are needed.
//!
//! Unsafe room: the instruction takes a pointer. It reads nothing and cannot fail.
#![allow(unsafe_code)]

/// Bytes that come at a time.
const LINE: usize = 64;

/// Has four lines brought into the first cache, and the four that start so many bytes behind them; where Rust cannot ask
/// for that, nothing happens.
#[inline(always)]
pub(crate) fn lines_at(start: *const i8, offset: usize) {
    for line in 0..4 {
        line_at(start.wrapping_add(LINE * line));
        line_at(start.wrapping_add(LINE * line + offset));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn line_at(address: *const i8) {
    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a warm_start; the CPU ignores addresses that it cannot read.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address) };
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn line_at(_: *const i8) {}
