//! Vectors of three numbers: scalars or one per lane.

use core::ops::{Add, Mul, Sub};

/// a - b
#[inline(always)]
pub(crate) fn sub<T: Copy + Sub<Output = T>>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a + b
#[inline(always)]
pub(crate) fn add<T: Copy + Add<Output = T>>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// The vector times a number.
#[inline(always)]
pub(crate) fn scale<T: Copy + Mul<Output = T>>(a: [T; 3], factor: T) -> [T; 3] {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// The dot product.
#[inline(always)]
pub(crate) fn dot<T: Copy + Add<Output = T> + Mul<Output = T>>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product.
#[inline(always)]
pub(crate) fn cross<T: Copy + Sub<Output = T> + Mul<Output = T>>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
