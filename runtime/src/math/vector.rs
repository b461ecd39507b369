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

/// Arrays of three that are mapped without a loop. `[T; 3]::map` gives the compiler ten times as much to read, and inlined into
/// kernels, or compiled for many types, that is a twentieth of a build.
pub(crate) trait Map3<T> {
    /// As `map`.
    fn map3<U>(self, f: impl FnMut(T) -> U) -> [U; 3];
}

impl<T> Map3<T> for [T; 3] {
    #[inline(always)]
    fn map3<U>(self, mut f: impl FnMut(T) -> U) -> [U; 3] {
        let [x, y, z] = self;
        [f(x), f(y), f(z)]
    }
}
