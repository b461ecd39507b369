//! Arithmetic shared by volumes and triangle tests.

pub(crate) mod double;
pub(crate) mod exact;
pub(crate) mod vector;

/// As `max` of floats, but without its handling of NaN, which costs four instructions.
#[inline(always)]
pub(crate) fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// As `min` of floats, but without its handling of NaN.
#[inline(always)]
pub(crate) fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

/// Half the distance from 1 to the next f32: the largest relative error of one rounding.
pub(crate) const UNIT_ROUNDOFF: f32 = f32::EPSILON / 2.0;
