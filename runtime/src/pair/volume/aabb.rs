//! Axis-aligned boxes of two models against each other, in f64.

use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::pose::Pose;

/// Slack of every axis, relative to the coordinates and extents: about 256 f64 roundings.
const SLACK: f64 = 1.0 / (1u64 << 44) as f64;

/// Whether a box of A and one of B touch, or are separated by no more than rounding.
///
/// Tests the six face axes, which are the same for all boxes of two models: so if two boxes touch, any two that contain
/// them do, too. (The first step of a walk separates more, in less time than nine more axes take here.)
#[inline(always)]
pub(crate) fn touch(a: &Aabb, b: &Aabb, pose: &Pose) -> bool {
    let (ca, ha) = centred(a);
    let (cb, hb) = centred(b);
    let r = pose.rotation();
    let transformed = pose.apply(cb);
    let t = [transformed[0] - ca[0], transformed[1] - ca[1], transformed[2] - ca[2]];
    let size = |v: [f64; 3]| v[0].abs() + v[1].abs() + v[2].abs();
    let slack = SLACK * (size(ca) + size(cb) + size(ha) + size(hb) + size(pose.translation()));
    let s = r.map3(|row| row.map3(f64::abs));
    let of_b = |i: usize| s[i][0] * hb[0] + s[i][1] * hb[1] + s[i][2] * hb[2];
    if (0..3).any(|i| t[i].abs() > ha[i] + of_b(i) + slack) {
        return false;
    }
    let along = |j: usize| t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
    let of_a = |j: usize| s[0][j] * ha[0] + s[1][j] * ha[1] + s[2][j] * ha[2];
    (0..3).all(|j| along(j).abs() <= hb[j] + of_a(j) + slack)
}

/// Centre and half extents.
fn centred(bounds: &Aabb) -> ([f64; 3], [f64; 3]) {
    let (lower, upper) = (bounds.min.map3(f64::from), bounds.max.map3(f64::from));
    let centre = [0, 1, 2].map3(|axis| 0.5 * (lower[axis] + upper[axis]));
    (centre, [0, 1, 2].map3(|axis| 0.5 * (upper[axis] - lower[axis])))
}
