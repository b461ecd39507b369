//! The SIMD level of the kernels.
//!
//! Unsafe code is allowed here because, where the standard library cannot detect CPU features, `cpuid` does, and
//! fearless_simd's tokens must be created from its result.

use fearless_simd::Level as Inner;

/// A SIMD level that this CPU supports. All levels give bit-identical answers; models use the best one.
///
/// ```
/// use bvhc_runtime::{Level, Model, include_aligned};
///
/// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad.bvh"))?;
/// assert_eq!(Some(model.level().name()), Level::detect().map(Level::name));
/// for level in Level::available() {
///     let nearest = model.with_level(level).closest_point([0.5, 0.5, 3.0], f32::INFINITY);
///     assert_eq!(nearest, model.closest_point([0.5, 0.5, 3.0], f32::INFINITY));
/// }
/// # Ok::<(), bvhc_runtime::OpenError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Level(Inner);

impl Level {
    /// The best level of this CPU; `None` on an x86 CPU without SSE4.2. Cost: an atomic load after the first call.
    pub fn detect() -> Option<Self> {
        let best = best();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Inner::Sse2(_) = best {
            return scalar().map(Self);
        }
        Some(Self(best))
    }

    /// All levels of this CPU, from the lowest to the best.
    ///
    /// Includes the scalar level if the feature `scalar` is on, or if it is the only one.
    pub fn available() -> impl Iterator<Item = Self> {
        lower_levels(best()).into_iter().flatten().map(Self)
    }

    /// The level's name: `scalar`, `sse4.2`, `avx2`, `avx512`, `neon` or `simd128`.
    ///
    /// `avx512` is that of Ice Lake and Zen 4 and all since, with VBMI. Older CPUs with AVX-512 (Skylake-X, Cascade Lake) use
    /// `avx2`.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Inner::Sse4_2(_) => "sse4.2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Inner::Avx2(_) => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Inner::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Inner::Neon(_) => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Inner::WasmSimd128(_) => "simd128",
            _ => "scalar",
        }
    }

    /// The argument for `fearless_simd::dispatch!`.
    pub(crate) fn inner(self) -> Inner {
        self.0
    }
}

#[cfg(any(feature = "mmap", target_arch = "wasm32"))]
fn best() -> Inner {
    Inner::new()
}

#[cfg(not(any(feature = "mmap", target_arch = "wasm32")))]
fn best() -> Inner {
    bare::detect()
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn lower_levels(best: Inner) -> [Option<Inner>; 4] {
    [
        scalar(),
        best.as_sse4_2().map(Inner::Sse4_2),
        best.as_avx2().map(Inner::Avx2),
        best.as_avx512().map(Inner::Avx512),
    ]
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn lower_levels(best: Inner) -> [Option<Inner>; 2] {
    [scalar(), (!best.is_fallback()).then_some(best)]
}

#[cfg(feature = "scalar")]
fn scalar() -> Option<Inner> {
    Some(Inner::Fallback(fearless_simd::Fallback::new()))
}

#[cfg(not(feature = "scalar"))]
fn scalar() -> Option<Inner> {
    let baseline = Inner::baseline();
    baseline.is_fallback().then_some(baseline)
}

#[cfg(all(not(feature = "mmap"), any(target_arch = "x86", target_arch = "x86_64")))]
mod bare {
    //! Detection without the standard library.
    #![allow(unsafe_code)]

    #[cfg(target_arch = "x86")]
    use core::arch::x86::__cpuid;
    #[cfg(target_arch = "x86_64")]
    use core::arch::x86_64::__cpuid;

    use fearless_simd::{Avx2, Level, Sse4_2, x86::Avx512};

    cpufeatures::new!(sse4_2, "sse4.2", "popcnt");
    cpufeatures::new!(avx2, "avx2", "bmi1", "bmi2", "fma", "popcnt", "sse4.2");
    cpufeatures::new!(
        avx512,
        "adx",
        "aes",
        "avx512bitalg",
        "avx512bw",
        "avx512cd",
        "avx512dq",
        "avx512f",
        "avx512ifma",
        "avx512vbmi",
        "avx512vbmi2",
        "avx512vl",
        "avx512vpopcntdq",
        "gfni",
        "pclmulqdq",
        "rdrand",
        "rdseed",
        "sha",
        "vaes",
        "vpclmulqdq"
    );

    /// FXSR, CMPXCHG16B, MOVBE, XSAVE, F16C and LZCNT, which `cpufeatures` does not know.
    fn has_v3_remainder() -> bool {
        let basic = __cpuid(1);
        let extended = __cpuid(0x8000_0001);
        let wanted = 1 << 13 | 1 << 22 | 1 << 26 | 1 << 29;
        basic.edx & 1 << 24 != 0 && basic.ecx & wanted == wanted && extended.ecx & 1 << 5 != 0
    }

    /// AVX512-VNNI, and the variants of XSAVE.
    fn has_avx512_remainder() -> bool {
        #[cfg(target_arch = "x86")]
        use core::arch::x86::__cpuid_count;
        #[cfg(target_arch = "x86_64")]
        use core::arch::x86_64::__cpuid_count;
        let saves = 1 << 0 | 1 << 1 | 1 << 3;
        __cpuid_count(7, 0).ecx & 1 << 11 != 0 && __cpuid_count(13, 1).eax & saves == saves
    }

    /// Compiles only as long as the features detected here, and those that they imply, are all that the token stands
    /// for.
    #[target_feature(
        enable = "adx,aes,avx512bitalg,avx512bw,avx512cd,avx512dq,avx512f,avx512ifma,avx512vbmi,avx512vbmi2,avx512vl,\
                  avx512vnni,avx512vpopcntdq,bmi1,bmi2,cmpxchg16b,fma,fxsr,gfni,lzcnt,movbe,pclmulqdq,popcnt,rdrand,\
                  rdseed,sha,vaes,vpclmulqdq,xsave,xsavec,xsaveopt,xsaves"
    )]
    fn avx512_token() -> Avx512 {
        Avx512::assume_supported()
    }

    pub(super) fn detect() -> Level {
        if avx2::get() && has_v3_remainder() {
            if avx512::get() && has_avx512_remainder() {
                // SAFETY: every feature that `avx512_token` asks for was just detected.
                return Level::Avx512(unsafe { avx512_token() });
            }
            // SAFETY: every feature that the token stands for was just detected.
            return Level::Avx2(unsafe { Avx2::assume_supported() });
        }
        if sse4_2::get() && has_cmpxchg16b_and_fxsr() {
            // SAFETY: every feature that the token stands for was just detected.
            return Level::Sse4_2(unsafe { Sse4_2::assume_supported() });
        }
        Level::baseline()
    }

    fn has_cmpxchg16b_and_fxsr() -> bool {
        let basic = __cpuid(1);
        basic.edx & 1 << 24 != 0 && basic.ecx & 1 << 13 != 0
    }
}

#[cfg(all(
    not(feature = "mmap"),
    not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "wasm32"))
))]
mod bare {
    //! Other architectures have no levels to detect.

    pub(super) fn detect() -> fearless_simd::Level {
        fearless_simd::Level::baseline()
    }
}
