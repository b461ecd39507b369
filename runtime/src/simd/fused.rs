//! Products of vectors of lanes, fused where the level fuses: for what may differ by a rounding from level to level.

use fearless_simd::{Simd, SimdFloat};

/// The dot product.
#[inline(always)]
pub(crate) fn dot<S: Simd, L: SimdFloat<S>>(a: [L; 3], b: [L; 3]) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// The cross product.
#[inline(always)]
pub(crate) fn cross<S: Simd, L: SimdFloat<S>>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[1].mul_sub(b[2], a[2] * b[1]), a[2].mul_sub(b[0], a[0] * b[2]), a[0].mul_sub(b[1], a[1] * b[0])]
}

/// The projections of vectors in lanes on one vector.
#[inline(always)]
pub(crate) fn along<S: Simd, L: SimdFloat<S, Element = f32>>(vectors: [L; 3], [x, y, z]: [f32; 3]) -> L {
    vectors[0].mul_add(x, vectors[1].mul_add(y, vectors[2] * z))
}
