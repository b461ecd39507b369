//! Arithmetic that the volumes and the triangle tests share.

pub(crate) mod double;
pub(crate) mod exact;

/// As `f32::max`, but for NaN, which costs that four instructions more.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// As `f32::min`, but for NaN.
#[inline(always)]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}
