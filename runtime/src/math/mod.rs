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

/// Half the distance from 1 to the next f32: the largest relative error of one rounding.
pub(crate) const UNIT_ROUNDOFF: f32 = f32::EPSILON / 2.0;
