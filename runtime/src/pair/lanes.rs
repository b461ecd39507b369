//! Vectors and rotations of several child or triangle pairs at once, one pair per lane.

use bvhc_format::obb::PAIR_WIDTH;
use fearless_simd::{SimdBase, SimdFloat};

use super::sets::PAIRS;
use crate::simd::{Kernel, fused};

/// One vector per pair.
pub(crate) type Vector<S> = [<S as Kernel>::Pairs; 3];
pub(crate) type Matrix<S> = [Vector<S>; 3];
pub(crate) type Quaternion<S> = [<S as Kernel>::Pairs; 4];

/// How many pairs level `S` tests at once.
pub(crate) const fn lanes<S: Kernel>() -> usize {
    size_of::<S::Pairs>() / size_of::<f32>()
}

/// Calls `test` with the first pair of each vector of pairs. Two calls are compiled twice, and not as a loop: as a loop, what
/// both have in common is made before it, for the branches that are rarely taken, too, and kept in memory. (Measured at AVX2, all
/// pairs: boxes and triangles together 6 % less time.)
#[inline(always)]
pub(crate) fn for_each_vector<S: Kernel>(mut test: impl FnMut(usize)) {
    if 2 * lanes::<S>() == PAIRS {
        test(0);
        test(PAIRS / 2);
    } else {
        for first in (0..PAIRS).step_by(lanes::<S>()) {
            test(first);
        }
    }
}

#[inline(always)]
pub(crate) fn tile<S: Kernel>(simd: S, [x, y, z]: &[[f32; PAIR_WIDTH]; 3]) -> Vector<S> {
    [simd.tile(x), simd.tile(y), simd.tile(z)]
}

#[inline(always)]
pub(crate) fn spread<S: Kernel>(simd: S, [x, y, z]: &[[f32; PAIR_WIDTH]; 3], row: usize) -> Vector<S> {
    [simd.spread(x, row), simd.spread(y, row), simd.spread(z, row)]
}

#[inline(always)]
pub(crate) fn add<S: Kernel>(a: &Vector<S>, b: &Vector<S>) -> Vector<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(crate) fn sub<S: Kernel>(a: &Vector<S>, b: &Vector<S>) -> Vector<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// R p + t
#[inline(always)]
pub(crate) fn transform<S: Kernel>(
    simd: S,
    p: &Vector<S>,
    rotation: &[[f32; 3]; 3],
    translation: &[f32; 3],
) -> Vector<S> {
    [
        transform_along(simd, p, &rotation[0], translation[0]),
        transform_along(simd, p, &rotation[1], translation[1]),
        transform_along(simd, p, &rotation[2], translation[2]),
    ]
}

#[inline(always)]
fn transform_along<S: Kernel>(simd: S, p: &Vector<S>, row: &[f32; 3], start: f32) -> S::Pairs {
    let [x, y, z] = *row;
    let (x, y, z) = (S::Pairs::splat(simd, x), S::Pairs::splat(simd, y), S::Pairs::splat(simd, z));
    x.mul_add(p[0], y.mul_add(p[1], z.mul_add(p[2], S::Pairs::splat(simd, start))))
}

/// p q
#[inline(always)]
pub(crate) fn product<S: Kernel>(p: &Quaternion<S>, q: &Quaternion<S>) -> Quaternion<S> {
    let [px, py, pz, pw] = *p;
    let [qx, qy, qz, qw] = *q;
    [
        pw.mul_add(qx, px.mul_add(qw, py.mul_sub(qz, pz * qy))),
        pw.mul_add(qy, py.mul_add(qw, pz.mul_sub(qx, px * qz))),
        pw.mul_add(qz, pz.mul_add(qw, px.mul_sub(qy, py * qx))),
        pw.mul_sub(qw, px.mul_add(qx, py.mul_add(qy, pz * qz))),
    ]
}

/// The inverse of p, times q.
#[inline(always)]
pub(crate) fn relative<S: Kernel>(p: &Quaternion<S>, q: &Quaternion<S>) -> Quaternion<S> {
    let [px, py, pz, pw] = *p;
    let [qx, qy, qz, qw] = *q;
    [
        pw.mul_sub(qx, px.mul_add(qw, py.mul_sub(qz, pz * qy))),
        pw.mul_sub(qy, py.mul_add(qw, pz.mul_sub(qx, px * qz))),
        pw.mul_sub(qz, pz.mul_add(qw, px.mul_sub(qy, py * qx))),
        pw.mul_add(qw, px.mul_add(qx, py.mul_add(qy, pz * qz))),
    ]
}

/// v, rotated by the inverse of p.
#[inline(always)]
pub(crate) fn rotate_inverse<S: Kernel>(p: &Quaternion<S>, v: &Vector<S>) -> Vector<S> {
    let [x, y, z, w] = *p;
    // 2 (v x p).
    let c = [v[1].mul_sub(z, v[2] * y), v[2].mul_sub(x, v[0] * z), v[0].mul_sub(y, v[1] * x)];
    let c = [c[0] + c[0], c[1] + c[1], c[2] + c[2]];
    [
        w.mul_add(c[0], c[1].mul_add(z, neg_mul_add::<S>(v[0], c[2], y))),
        w.mul_add(c[1], c[2].mul_add(x, neg_mul_add::<S>(v[1], c[0], z))),
        w.mul_add(c[2], c[0].mul_add(y, neg_mul_add::<S>(v[2], c[1], x))),
    ]
}

/// The rows of the rotation matrix.
#[inline(always)]
pub(crate) fn matrix<S: Kernel>(simd: S, q: &Quaternion<S>) -> Matrix<S> {
    let [x, y, z, w] = *q;
    let one = S::Pairs::splat(simd, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let (of_x, of_y) = (neg_mul_add::<S>(one, x, x2), neg_mul_add::<S>(one, y, y2));
    [
        [neg_mul_add::<S>(of_y, z, z2), x.mul_sub(y2, wz), x.mul_add(z2, wy)],
        [x.mul_add(y2, wz), neg_mul_add::<S>(of_x, z, z2), y.mul_sub(z2, wx)],
        [x.mul_sub(z2, wy), y.mul_add(z2, wx), neg_mul_add::<S>(of_x, y, y2)],
    ]
}

#[inline(always)]
pub(crate) fn absolute<S: Kernel>(m: &Matrix<S>) -> Matrix<S> {
    [
        [m[0][0].abs(), m[0][1].abs(), m[0][2].abs()],
        [m[1][0].abs(), m[1][1].abs(), m[1][2].abs()],
        [m[2][0].abs(), m[2][1].abs(), m[2][2].abs()],
    ]
}

#[inline(always)]
pub(crate) fn column<S: Kernel>(m: &Matrix<S>, j: usize) -> Vector<S> {
    [m[0][j], m[1][j], m[2][j]]
}

/// c - a b
#[inline(always)]
pub(crate) fn neg_mul_add<S: Kernel>(c: S::Pairs, a: S::Pairs, b: S::Pairs) -> S::Pairs {
    (-a).mul_add(b, c)
}

/// `from` - a . b
#[inline(always)]
pub(crate) fn sub_dot<S: Kernel>(from: S::Pairs, a: &Vector<S>, b: &Vector<S>) -> S::Pairs {
    neg_mul_add::<S>(neg_mul_add::<S>(neg_mul_add::<S>(from, a[2], b[2]), a[1], b[1]), a[0], b[0])
}

#[inline(always)]
pub(crate) fn dot<S: Kernel>(a: &Vector<S>, b: &Vector<S>) -> S::Pairs {
    fused::dot(*a, *b)
}

#[inline(always)]
pub(crate) fn cross<S: Kernel>(a: &Vector<S>, b: &Vector<S>) -> Vector<S> {
    fused::cross(*a, *b)
}
