//! Loops that are compiled for AVX2 beside what every CPU of the target has.
//!
//! fearless_simd's `dispatch!` compiles four levels for x86, and a fifth where tests ask for the scalar one, which takes the build
//! longer. (Measured: AVX-512 is no faster than AVX2 here; vectors have 256 bits at most.)

/// Runs an expression as it is compiled for the CPU, with its level as the pattern. Functions in it are compiled for the level
/// where they are `#[inline(always)]`. The operations are the same on every level, and so are the bits.
macro_rules! dispatch {
    ($simd:pat => $run:expr) => {{
        let level = fearless_simd::Level::new();
        #[cfg(target_arch = "x86_64")]
        match level.as_avx2() {
            Some(avx2) => $crate::simd::vectorize!(avx2, $simd => $run),
            None => {
                let sse2 = level.as_sse2().expect("every x86-64 CPU has SSE2");
                $crate::simd::vectorize!(sse2, $simd => $run)
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        fearless_simd::dispatch!(level, $simd => $run)
    }};
}

#[cfg(target_arch = "x86_64")]
macro_rules! vectorize {
    ($level:ident, $simd:pat => $run:expr) => {
        fearless_simd::Simd::vectorize(
            $level,
            #[inline(always)]
            || {
                let $simd = $level;
                $run
            },
        )
    };
}

pub(crate) use dispatch;
#[cfg(target_arch = "x86_64")]
pub(crate) use vectorize;
