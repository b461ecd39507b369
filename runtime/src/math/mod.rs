//! Arithmetic shared by volumes and triangle tests.

pub(crate) mod double;
pub(crate) mod exact;
pub(crate) mod vector;

/// As `f32::max`, but without its handling of NaN, which costs four instructions.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// As `f32::min`, but without its handling of NaN.
#[inline(always)]
pub(crate) fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Half the distance from 1 to the next f32: the largest relative error of one rounding.
pub(crate) const UNIT_ROUNDOFF: f32 = f32::EPSILON / 2.0;
