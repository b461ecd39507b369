//! The closest point of a triangle: a filter over a block in f32, and the decision in f64.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1, and Eberly, "Distance Between Point
//! and Triangle in 3D", 1999 (the filter: everything from six dot products). Departure: instead of finding
//! the Voronoi region first, which rounding gets wrong on slivers, the smallest of three segment
//! distances is taken, or the plane's distance where the projection lies inside.

use bvhc_format::record::Block;
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask, f32x16};

use crate::simd::{Kernel, lanes};

/// A triangle is thin where the product of two edges is more than this many times twice its area.
const THIN: f32 = 8.0;

/// Where the product of two edges' squares lies outside of this range, the products that tell inside from outside may
/// have been lost to underflow or overflow.
const SAFE_PRODUCTS: [f32; 2] = [1.0 / (1u128 << 100) as f32, (1u128 << 100) as f32];

/// How far the filter's squared distance may be above the true one, relative to the sum of the squares of
/// the first corner's distance and two edges.
///
/// The sums of products below are off by at most 12 units of that; the plane's distance, for triangles
/// that are not thin, by at most `THIN`^2 times as much, since it divides by the squared area.
const FILTER_ERROR: f32 = 12.0 * THIN * THIN * f32::EPSILON / 2.0;

/// Calls `near` with each lane of the block whose triangle may be within `limit`, a squared distance, of
/// `point`, the closest first; `near` returns the limit from then on.
#[inline(always)]
pub(crate) fn near_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    point: [f32; 3],
    mut limit: f32,
    mut near: impl FnMut(usize) -> f32,
) {
    let offset = |axis: usize| f32x16::load_array_ref(simd, &block.positions[axis]) - point[axis];
    let (x, y, z) = (simd.table(offset(0)), simd.table(offset(1)), simd.table(offset(2)));
    let count = usize::from(block.triangles);
    let mut first = 0;
    while first < count {
        let step = lanes::<S>();
        let used = u64::MAX >> (64 - (count - first).min(step));
        let look_up = |table, k: usize| simd.look_up(table, &block.corners[k], first);
        let corner = |k: usize| [look_up(x, k), look_up(y, k), look_up(z, k)];
        let bounds = squared_lower_bound(simd, corner(0), corner(1), corner(2));
        let mut left = within::<S>(bounds, limit) & used;
        if left != 0 {
            let among = <S::Lanes as SimdBase<S>>::Mask::from_bitmask(simd, left)
                .select(bounds, S::Lanes::splat(simd, f32::INFINITY));
            let least = among.simd_eq(among.reduce_min()).to_bitmask() & left;
            // Where all bounds are no numbers, none is the least.
            let closest = if least != 0 { least } else { left }.trailing_zeros() as usize;
            limit = near(first + closest);
            left &= within::<S>(bounds, limit) & !(1 << closest);
        }
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            limit = near(first + lane);
            left &= within::<S>(bounds, limit) & !(1 << lane);
        }
        first += step;
    }
}

/// The lanes whose bound is not above the limit: that of a triangle without area may be no number.
#[inline(always)]
fn within<S: Kernel>(bounds: S::Lanes, limit: f32) -> u64 {
    !bounds.simd_gt(limit).to_bitmask()
}

/// At most the square of the distance from the origin to the triangle, or, for one without area, no number.
#[inline(always)]
fn squared_lower_bound<S: Kernel>(simd: S, a: [S::Lanes; 3], b: [S::Lanes; 3], c: [S::Lanes; 3]) -> S::Lanes {
    let zero = S::Lanes::splat(simd, 0.0);
    let one = S::Lanes::splat(simd, 1.0);
    let (ab, ac) = (sub::<S>(b, a), sub::<S>(c, a));
    let (aa, abab, acac) = (dot::<S>(a, a), dot::<S>(ab, ab), dot::<S>(ac, ac));
    let abac = dot::<S>(ab, ac);
    let (to_b, to_c) = (-dot::<S>(a, ab), -dot::<S>(a, ac));
    // Squared distance to the segment whose start is at `start2`, with length `edge2`; `along` is how far the
    // origin lies along it, times its length. Where an edge has no length, the quotient is no number or
    // infinite; whatever is made of it, the distance is that of the start.
    let segment = |start2: S::Lanes, along: S::Lanes, edge2: S::Lanes| {
        let t = (along / edge2).max(zero).min(one);
        (t * edge2 - along - along).mul_add(t, start2)
    };
    let bcbc = abab + acac - abac - abac;
    let bb = aa - to_b - to_b + abab;
    let segments = segment(aa, to_b, abab).min(segment(aa, to_c, acac)).min(segment(
        bb,
        to_c - to_b - abac + abab,
        bcbc,
    ));
    let (v, w) = (acac * to_b - abac * to_c, abab * to_c - abac * to_b);
    let area2 = abab * acac - abac * abac;
    let inside = v.min(w).min(area2 - v - w).simd_ge(zero);
    let plane = aa - (v * to_b + w * to_c) / area2;
    // Squares may be subnormal, and off by more than their value.
    let error = (aa + abab + acac) * FILTER_ERROR + f32::MIN_POSITIVE;
    let bound = inside.select(plane, segments) - error;
    let product = abab * acac;
    let unsafe_product = product.simd_lt(SAFE_PRODUCTS[0]) | product.simd_gt(SAFE_PRODUCTS[1]);
    let thin = (area2 * (THIN * THIN)).simd_le(product) | unsafe_product;
    if !thin.any_true() {
        return bound;
    }
    // No point of a triangle is farther from its longest edge than its height over that edge, which is
    // at most 1 / THIN of that edge for thin ones; `area2` may be off by more than its value. The height is
    // at most as long as the other edges, whatever the products are.
    let longest = abab.max(acac).max(bcbc);
    let height2 = (area2.max(zero) + product * FILTER_ERROR) / longest;
    let height2 = unsafe_product.select(abab.min(acac), height2);
    let reduced = ((segments - error).max(zero).sqrt() - height2.sqrt()).max(zero);
    thin.select(reduced * reduced * (1.0 - FILTER_ERROR), bound)
}

#[inline(always)]
fn sub<S: Kernel>(a: [S::Lanes; 3], b: [S::Lanes; 3]) -> [S::Lanes; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<S: Kernel>(a: [S::Lanes; 3], b: [S::Lanes; 3]) -> S::Lanes {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// The point of the triangle closest to `point`, relative to `point`, with the square of its distance.
#[inline(always)]
pub(crate) fn closest(corners: &[[f32; 3]; 3], point: [f32; 3]) -> ([f64; 3], f64) {
    let [px, py, pz] = [f64::from(point[0]), f64::from(point[1]), f64::from(point[2])];
    let from_point = |v: &[f32; 3]| [f64::from(v[0]) - px, f64::from(v[1]) - py, f64::from(v[2]) - pz];
    let (a, b, c) = (from_point(&corners[0]), from_point(&corners[1]), from_point(&corners[2]));
    let edge = |p: [f64; 3], q: [f64; 3]| [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let (ab, bc, ca) = (edge(a, b), edge(b, c), edge(c, a));
    let normal = cross_f64(ab, ca);
    let side = |corner, edge| dot_f64(normal, cross_f64(corner, edge));
    let square = dot_f64(normal, normal);
    // Packed blocks may hold triangles without any area: those are their edges.
    if square > 0.0 && side(a, ab) <= 0.0 && side(b, bc) <= 0.0 && side(c, ca) <= 0.0 {
        let scale = dot_f64(normal, a) / square;
        let foot = [normal[0] * scale, normal[1] * scale, normal[2] * scale];
        return (foot, dot_f64(foot, foot));
    }
    let nearer = |one: ([f64; 3], f64), other: ([f64; 3], f64)| if other.1 < one.1 { other } else { one };
    nearer(nearer(closest_on_segment(a, ab), closest_on_segment(b, bc)), closest_on_segment(c, ca))
}

#[inline(always)]
fn closest_on_segment(start: [f64; 3], edge: [f64; 3]) -> ([f64; 3], f64) {
    let square = dot_f64(edge, edge);
    let t = if square > 0.0 { (-dot_f64(start, edge) / square).clamp(0.0, 1.0) } else { 0.0 };
    let to = [start[0] + edge[0] * t, start[1] + edge[1] * t, start[2] + edge[2] * t];
    (to, dot_f64(to, to))
}

#[inline(always)]
fn dot_f64(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross_f64(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
