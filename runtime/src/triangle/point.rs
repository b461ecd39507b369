//! The closest point of a triangle: a filter over a block in f32, and the decision in f64.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1. Departure: instead of finding
//! the Voronoi region first, which rounding gets wrong on slivers, the smallest of three segment
//! distances is taken, or the plane's distance where the projection lies inside.

use bvhc_format::record::Block;
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask, f32x16};

use crate::simd::{Kernel, lanes};

/// How far, relative to the farthest corner, the filter's distance of a triangle that is not thin may be
/// off: the roundings are at most 8 units, times the triangle's `THIN` where they divide by its area.
const FILTER_ERROR: f32 = 8.0 * THIN * f32::EPSILON / 2.0;

/// A triangle is thin where the product of two edges is more than this many times twice its area.
const THIN: f32 = 64.0;

/// Calls `near` with each lane of the block whose triangle may be closer to `point` than
/// `distance`, or as close; it returns the distance from which on the others are of no interest.
#[inline(always)]
pub(crate) fn near_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    point: [f32; 3],
    mut distance: f32,
    mut near: impl FnMut(usize) -> f32,
) {
    let offset = |axis: usize| f32x16::load_array_ref(simd, &block.positions[axis]) - point[axis];
    let (x, y, z) = (offset(0), offset(1), offset(2));
    let square = x * x + y * y + z * z;
    let error = libm::sqrtf(simd.reduce_max_f32x16(square)) * FILTER_ERROR;
    let (x, y, z) = (simd.table(x), simd.table(y), simd.table(z));
    let count = usize::from(block.triangles);
    let mut first = 0;
    while first < count {
        let step = lanes::<S>();
        let used = u64::MAX >> (64 - (count - first).min(step));
        let look_up = |table, k: usize| simd.look_up(table, &block.corners[k], first);
        let corner = |k: usize| [look_up(x, k), look_up(y, k), look_up(z, k)];
        let bound = squared_lower_bound(simd, [corner(0), corner(1), corner(2)]);
        let reach = |distance: f32| {
            let reach = distance + error;
            bound.simd_le(S::Lanes::splat(simd, reach * reach * (1.0 + FILTER_ERROR))).to_bitmask()
        };
        let mut left = reach(distance) & used;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let closer = near(first + lane);
            if closer < distance {
                distance = closer;
                left &= reach(distance);
            }
        }
        first += step;
    }
}

/// The square of a distance that is at most [`FILTER_ERROR`] above the true one.
#[inline(always)]
fn squared_lower_bound<S: Kernel>(simd: S, [a, b, c]: [[S::Lanes; 3]; 3]) -> S::Lanes {
    let (ab, bc, ca) = (sub::<S>(b, a), sub::<S>(c, b), sub::<S>(a, c));
    let normal = cross::<S>(ab, ca);
    let (ab2, bc2, ca2) = (dot::<S>(ab, ab), dot::<S>(bc, bc), dot::<S>(ca, ca));
    let area2 = dot::<S>(normal, normal);
    let segments = segment::<S>(simd, a, ab, ab2)
        .min(segment::<S>(simd, b, bc, bc2))
        .min(segment::<S>(simd, c, ca, ca2));
    // The normal is ab x ca, the opposite of ab x ac.
    let side = |corner, edge| dot::<S>(normal, cross::<S>(corner, edge));
    let inside = side(a, ab).max(side(b, bc)).max(side(c, ca)).simd_le(S::Lanes::splat(simd, 0.0));
    let height = dot::<S>(normal, a);
    let bound = inside.select(height * height / area2, segments);
    let thin = (area2 * (THIN * THIN)).simd_le(ab2 * ca2);
    if !thin.any_true() {
        return bound;
    }
    // No point of a triangle is farther from its longest edge than its height over that edge.
    let height = (area2 / ab2.max(bc2).max(ca2)).sqrt();
    let reduced = (segments.sqrt() - height * (1.0 + FILTER_ERROR)).max(S::Lanes::splat(simd, 0.0));
    thin.select(reduced * reduced, bound)
}

/// Squared distance from the origin to the segment from `start` along `edge`.
#[inline(always)]
fn segment<S: Kernel>(simd: S, start: [S::Lanes; 3], edge: [S::Lanes; 3], edge2: S::Lanes) -> S::Lanes {
    let (zero, one) = (S::Lanes::splat(simd, 0.0), S::Lanes::splat(simd, 1.0));
    // The quotient first: where an edge has no length it is no number, and `max` then takes the zero.
    let t = (-dot::<S>(start, edge) / edge2).max(zero).min(one);
    let along = |axis: usize| edge[axis].mul_add(t, start[axis]);
    let to = [along(0), along(1), along(2)];
    dot::<S>(to, to)
}

#[inline(always)]
fn sub<S: Kernel>(a: [S::Lanes; 3], b: [S::Lanes; 3]) -> [S::Lanes; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<S: Kernel>(a: [S::Lanes; 3], b: [S::Lanes; 3]) -> S::Lanes {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

#[inline(always)]
fn cross<S: Kernel>(a: [S::Lanes; 3], b: [S::Lanes; 3]) -> [S::Lanes; 3] {
    [a[1].mul_sub(b[2], a[2] * b[1]), a[2].mul_sub(b[0], a[0] * b[2]), a[0].mul_sub(b[1], a[1] * b[0])]
}

/// The point of the triangle closest to `point`, relative to `point`, with the square of its distance.
pub(crate) fn closest(corners: &[[f32; 3]; 3], point: [f32; 3]) -> ([f64; 3], f64) {
    let [px, py, pz] = [f64::from(point[0]), f64::from(point[1]), f64::from(point[2])];
    let from_point = |v: &[f32; 3]| [f64::from(v[0]) - px, f64::from(v[1]) - py, f64::from(v[2]) - pz];
    let (a, b, c) = (from_point(&corners[0]), from_point(&corners[1]), from_point(&corners[2]));
    let edge = |p: [f64; 3], q: [f64; 3]| [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let (ab, bc, ca) = (edge(a, b), edge(b, c), edge(c, a));
    let normal = cross_f64(ab, ca);
    let side = |corner, edge| dot_f64(normal, cross_f64(corner, edge));
    if side(a, ab) <= 0.0 && side(b, bc) <= 0.0 && side(c, ca) <= 0.0 {
        let scale = dot_f64(normal, a) / dot_f64(normal, normal);
        let foot = [normal[0] * scale, normal[1] * scale, normal[2] * scale];
        return (foot, dot_f64(foot, foot));
    }
    let nearer = |one: ([f64; 3], f64), other: ([f64; 3], f64)| if other.1 < one.1 { other } else { one };
    nearer(nearer(closest_on_segment(a, ab), closest_on_segment(b, bc)), closest_on_segment(c, ca))
}

#[inline(always)]
fn closest_on_segment(start: [f64; 3], edge: [f64; 3]) -> ([f64; 3], f64) {
    let t = (-dot_f64(start, edge) / dot_f64(edge, edge)).clamp(0.0, 1.0);
    let to = [start[0] + edge[0] * t, start[1] + edge[1] * t, start[2] + edge[2] * t];
    (to, dot_f64(to, to))
}

fn dot_f64(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross_f64(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
