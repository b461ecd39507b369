//! Lower and upper bounds, in f32, of the distances of the sixteen pairs of four triangles and four others.
//!
//! Witness points are found as in `distance.rs`, but all nine edge pairs and six corner-face pairs are handled the same
//! way in all lanes. The bounds hold however close those points come to the nearest: points of both triangles are no
//! nearer than the triangles, and along any direction n, the triangles are at least as far apart as their corners.
//! Three directions are tried first, which suffices for most leaves: between nearly parallel surfaces, the normals give
//! nearly exact bounds.
//!
//! # Why no bound is wrong
//!
//! With u, m and e of `classify.rs`: A's corners are off by e and B's by 8 e on each axis, 16 e of length in all. Along
//! n, a corner's coordinate is rounded by 6 u m |n|; twice that, their difference and the division by |n| add less than
//! 32 e: the lower bound is off by less than 48 e. On each axis the witness points are off by 27 e from the corners and
//! edges they are computed from, and by 16 u m from rounding, in all less than 80 e of length, and |n| is rounded by 14
//! u m: the upper bound is off by less than 96 e.

use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask};

use super::classify::{SIZES, between, corners_of_a, corners_of_b, edges};
use crate::math::{UNIT_ROUNDOFF, larger};
use crate::pair::lanes::{Vector, cross, dot, for_each_vector, lanes, sub};
use crate::pair::leaf::Triangles;
use crate::pair::relative_pose::RelativePose;
use crate::pair::sets::PAIRS;
use crate::simd::Kernel;

/// Bounds of sixteen pairs; pair `4 * i + j` is A's triangle i and B's triangle j.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// A bit for each pair that may be within the limit.
    pub(crate) pairs: u32,
    /// A bit for each pair that has an upper bound; includes all of `pairs`.
    pub(crate) bounded: u32,
    /// Lower bounds of the distances; negative or NaN where the triangles may meet.
    pub(crate) lower: [f32; PAIRS],
    /// Upper bounds of the distances.
    pub(crate) upper: [f32; PAIRS],
}

/// Error subtracted from lower bounds, in units of e.
const LOWER: f32 = 64.0;

/// Error added to upper bounds, in units of e.
const UPPER: f32 = 128.0;

/// Bounds of the distances. For pairs beyond the limit, the limit may be the only bound.
#[inline(always)]
pub(crate) fn bounds<S: Kernel>(
    simd: S,
    a: &Triangles,
    b: &Triangles,
    pose: &RelativePose,
    limit: f32,
) -> Bounds {
    let (lower, upper) = ([f32::NEG_INFINITY; PAIRS], [f32::INFINITY; PAIRS]);
    let mut found = Bounds { pairs: 0xffff, bounded: 0xffff, lower, upper };
    let (t, m) = between(a, b);
    if !SIZES.contains(&m) {
        return found;
    }
    let e = m * UNIT_ROUNDOFF + pose.noise();
    (found.pairs, found.bounded) = (0, 0);
    // NaN counts as near.
    let beyond = |lower: S::Pairs| lower.simd_gt(S::Pairs::splat(simd, limit)).to_bitmask() as u32;
    let all = (1u32 << lanes::<S>()) - 1;
    let pb = corners_of_b(simd, b, &t);
    for_each_vector::<S>(
        #[inline(always)]
        |first| {
            let pa = corners_of_a(simd, a, first);
            let range = first..first + lanes::<S>();
            if are_beyond(simd, &pa, &pb, limit + LOWER * e) == all {
                found.lower[range].fill(limit);
                return;
            }
            let (normal, square) = nearest(simd, &pa, &pb);
            let lower = lower_bound(simd, &pa, &pb, &normal, e);
            lower.store_slice(&mut found.lower[range.clone()]);
            found.pairs |= (!beyond(lower) & all) << first;
            found.bounded |= all << first;
            let upper = square.sqrt() + S::Pairs::splat(simd, UPPER * e);
            upper.store_slice(&mut found.upper[range]);
        },
    );
    found
}

/// Which pairs are farther apart than `limit`, which includes the error, along one of three directions: between the
/// centroids, and perpendicular to either triangle.
#[inline(always)]
fn are_beyond<S: Kernel>(simd: S, pa: &[Vector<S>; 3], pb: &[Vector<S>; 3], limit: f32) -> u32 {
    let middles = between_middles::<S>(pa, pb);
    let square = larger(limit * limit * ROUNDED, LEAST_LIMIT);
    let square = S::Pairs::splat(simd, square);
    let all = (1u32 << lanes::<S>()) - 1;
    let mut beyond = are_beyond_along(simd, pa, pb, &upright(simd, pa, &middles), square);
    if beyond != all {
        beyond |= are_beyond_along(simd, pa, pb, &middles, square);
    }
    if beyond != all {
        beyond |= are_beyond_along(simd, pa, pb, &upright(simd, pb, &middles), square);
    }
    beyond
}

/// Which pairs are farther apart along n than the square root of `square`.
#[inline(always)]
fn are_beyond_along<S: Kernel>(
    simd: S,
    pa: &[Vector<S>; 3],
    pb: &[Vector<S>; 3],
    n: &Vector<S>,
    square: S::Pairs,
) -> u32 {
    let apart = apart_along::<S>(pa, pb, n);
    let length = dot::<S>(n, n).max(S::Pairs::splat(simd, LEAST_NORMAL));
    (apart * apart.abs()).simd_gt(length * square).to_bitmask() as u32
}

/// A triangle's normal, on the side that `ahead` points to.
#[inline(always)]
fn upright<S: Kernel>(simd: S, corners: &[Vector<S>; 3], ahead: &Vector<S>) -> Vector<S> {
    let n = cross::<S>(&sub::<S>(&corners[1], &corners[0]), &sub::<S>(&corners[2], &corners[0]));
    let back = dot::<S>(&n, ahead).simd_lt(S::Pairs::splat(simd, 0.0));
    [back.select(-n[0], n[0]), back.select(-n[1], n[1]), back.select(-n[2], n[2])]
}

/// Exceeds 1 by more than the rounding of squares.
const ROUNDED: f32 = 1.0 + 1.0 / (1 << 20) as f32;

/// Minimum for squares of limits and of directions: so underflow errs on the safe side, and their product does not
/// underflow.
const LEAST_LIMIT: f32 = 1.0 / (1u64 << 48) as f32;
const LEAST_NORMAL: f32 = 1.0 / (1u128 << 76) as f32;

/// How far the triangles are apart along n, less the error.
#[inline(always)]
fn lower_bound<S: Kernel>(
    simd: S,
    pa: &[Vector<S>; 3],
    pb: &[Vector<S>; 3],
    n: &Vector<S>,
    e: f32,
) -> S::Pairs {
    // Where the square underflows, it is replaced by a larger one, which lowers the bound.
    let square = dot::<S>(n, n).max(S::Pairs::splat(simd, LEAST_NORMAL));
    apart_along::<S>(pa, pb, n) / square.sqrt() - S::Pairs::splat(simd, LOWER * e)
}

/// By how much B's least corner along n is beyond A's greatest, times the length of n.
#[inline(always)]
fn apart_along<S: Kernel>(pa: &[Vector<S>; 3], pb: &[Vector<S>; 3], n: &Vector<S>) -> S::Pairs {
    let from_a = dot::<S>(n, &pa[0]).max(dot::<S>(n, &pa[1])).max(dot::<S>(n, &pa[2]));
    let to_b = dot::<S>(n, &pb[0]).min(dot::<S>(n, &pb[1])).min(dot::<S>(n, &pb[2]));
    to_b - from_a
}

/// Three times the vector from A's centroid to B's.
#[inline(always)]
fn between_middles<S: Kernel>(pa: &[Vector<S>; 3], pb: &[Vector<S>; 3]) -> Vector<S> {
    let along =
        |axis: usize| (pb[0][axis] - pa[0][axis]) + (pb[1][axis] - pa[1][axis]) + (pb[2][axis] - pa[2][axis]);
    [along(0), along(1), along(2)]
}

/// The vector from a point of A's triangle to one of B's, approximately the witness points, and its squared length.
#[inline(always)]
fn nearest<S: Kernel>(simd: S, pa: &[Vector<S>; 3], pb: &[Vector<S>; 3]) -> (Vector<S>, S::Pairs) {
    let (ea, eb) = (edges::<S>(pa), edges::<S>(pb));
    let edges_b =
        [Edge::new(simd, &pb[0], &eb[0]), Edge::new(simd, &pb[1], &eb[1]), Edge::new(simd, &pb[2], &eb[2])];
    let n = sub::<S>(&pb[0], &pa[0]);
    let mut best = (n, dot::<S>(&n, &n));
    for i in 0..3 {
        let edge = Edge::new(simd, &pa[i], &ea[i]);
        keep::<S>(&mut best, between_edges(simd, &edge, &edges_b[0]));
        keep::<S>(&mut best, between_edges(simd, &edge, &edges_b[1]));
        keep::<S>(&mut best, between_edges(simd, &edge, &edges_b[2]));
    }
    keep::<S>(&mut best, to_nearest_corner(simd, pa, &ea, pb));
    let n = to_nearest_corner(simd, pb, &eb, pa);
    keep::<S>(&mut best, [-n[0], -n[1], -n[2]]);
    best
}

#[inline(always)]
fn keep<S: Kernel>(best: &mut (Vector<S>, S::Pairs), n: Vector<S>) {
    let square = dot::<S>(&n, &n);
    let nearer = square.simd_lt(best.1);
    let of_axis = |axis: usize| nearer.select(n[axis], best.0[axis]);
    *best = ([of_axis(0), of_axis(1), of_axis(2)], nearer.select(square, best.1));
}

/// An edge.
struct Edge<S: Kernel> {
    start: Vector<S>,
    along: Vector<S>,
    square: S::Pairs,
    inverse: S::Pairs,
}

impl<S: Kernel> Edge<S> {
    #[inline(always)]
    fn new(simd: S, start: &Vector<S>, along: &Vector<S>) -> Self {
        let square = dot::<S>(along, along);
        let inverse = inverse(simd, square);
        Self { start: *start, along: *along, square, inverse }
    }
}

/// 1 / x, with one Newton step; finite where x is not positive.
#[inline(always)]
fn inverse<S: Kernel>(simd: S, x: S::Pairs) -> S::Pairs {
    let x = x.max(S::Pairs::splat(simd, f32::MIN_POSITIVE));
    let inverse = x.approximate_recip();
    inverse * (S::Pairs::splat(simd, 2.0) - x * inverse)
}

/// The vector between the nearest points of two edges, as in `distance.rs`.
#[inline(always)]
fn between_edges<S: Kernel>(simd: S, a: &Edge<S>, b: &Edge<S>) -> Vector<S> {
    let (zero, one) = (S::Pairs::splat(simd, 0.0), S::Pairs::splat(simd, 1.0));
    let offset = sub::<S>(&b.start, &a.start);
    let both = dot::<S>(&a.along, &b.along);
    let (of_a, of_b) = (dot::<S>(&a.along, &offset), dot::<S>(&b.along, &offset));
    let free = inverse(simd, a.square.mul_sub(b.square, both * both));
    let s = (of_a.mul_sub(b.square, both * of_b) * free).max(zero).min(one);
    let t = (both.mul_sub(s, of_b) * b.inverse).max(zero).min(one);
    let s = (both.mul_add(t, of_a) * a.inverse).max(zero).min(one);
    let along = |axis: usize| b.along[axis].mul_add(t, offset[axis] - a.along[axis] * s);
    [along(0), along(1), along(2)]
}

/// From a point of the face to the other triangle's corner that is nearest to the face's plane.
#[inline(always)]
fn to_nearest_corner<S: Kernel>(
    simd: S,
    face: &[Vector<S>; 3],
    edges: &[Vector<S>; 3],
    corners: &[Vector<S>; 3],
) -> Vector<S> {
    let (zero, one) = (S::Pairs::splat(simd, 0.0), S::Pairs::splat(simd, 1.0));
    let f = [-edges[2][0], -edges[2][1], -edges[2][2]];
    let normal = cross::<S>(&edges[0], &f);
    let offsets =
        [sub::<S>(&corners[0], &face[0]), sub::<S>(&corners[1], &face[0]), sub::<S>(&corners[2], &face[0])];
    let heights = [
        dot::<S>(&normal, &offsets[0]).abs(),
        dot::<S>(&normal, &offsets[1]).abs(),
        dot::<S>(&normal, &offsets[2]).abs(),
    ];
    let second = heights[1].simd_lt(heights[0]);
    let third = heights[2].simd_lt(heights[0].min(heights[1]));
    let pick =
        |axis: usize| third.select(offsets[2][axis], second.select(offsets[1][axis], offsets[0][axis]));
    let p = [pick(0), pick(1), pick(2)];
    let inverse = inverse(simd, dot::<S>(&normal, &normal));
    let v = (dot::<S>(&cross::<S>(&p, &f), &normal) * inverse).max(zero).min(one);
    let w = (dot::<S>(&cross::<S>(&edges[0], &p), &normal) * inverse).max(zero).min(one - v);
    let along = |axis: usize| p[axis] - edges[0][axis].mul_add(v, f[axis] * w);
    [along(0), along(1), along(2)]
}

#[cfg(test)]
mod tests {
    use bvhc_format::obb::PAIR_WIDTH;

    use super::*;
    use crate::level::Level;
    use crate::pair::relative_pose::TreeFrame;
    use crate::pair::triangle::distance::gap;
    use crate::pose::Pose;
    use crate::simd::dispatch;
    use crate::triangle::testing::Random;

    type Corners = [[[f32; 3]; 3]; PAIR_WIDTH];

    /// The corners of four triangles of any shape near a point.
    fn leaf(random: &mut Random, centre: [f64; 3], size: f64) -> Corners {
        let corner = |random: &mut Random| {
            let offset = random.offset(3);
            [0, 1, 2].map(|axis| (centre[axis] + size * offset[axis]) as f32)
        };
        [0; PAIR_WIDTH].map(|_| [0; 3].map(|_| corner(random)))
    }

    /// The frame of a tree that has only these triangles.
    fn frame(leaf: &Corners) -> TreeFrame {
        let origin = leaf[0][0];
        let away =
            |corner: &[f32; 3]| [0, 1, 2].map(|axis| f64::from(corner[axis]) - f64::from(origin[axis]));
        let length = |corner: &[f32; 3]| away(corner).map(|x| x * x).iter().sum::<f64>().sqrt();
        let radius = leaf.as_flattened().iter().map(length).fold(0.0, f64::max);
        TreeFrame { origin, radius: (radius as f32).next_up() }
    }

    fn bounds_of<S: Kernel>(simd: S, a: &Corners, b: &Corners, pose: &Pose, limit: f32) -> Bounds {
        let relative = RelativePose::new(simd, pose, &frame(a), &frame(b));
        let (a, b) = (Triangles::of(simd, a, None), Triangles::of(simd, b, Some(&relative)));
        bounds(simd, &a, &b, &relative, limit)
    }

    fn check<S: Kernel>(simd: S, a: &Corners, b: &Corners, pose: &Pose, context: (Level, u32)) {
        for limit in [f32::INFINITY, 0.3, 0.0] {
            let found = bounds_of(simd, a, b, pose, limit);
            for pair in 0..PAIRS {
                let (i, j) = (pair / PAIR_WIDTH, pair % PAIR_WIDTH);
                let corners_a = a[i].map(|corner| corner.map(f64::from));
                let corners_b = b[j].map(|corner| pose.apply(corner.map(f64::from)));
                let distance = gap(&corners_a, &corners_b, &mut 0).square.sqrt();
                let (lower, upper) = (f64::from(found.lower[pair]), f64::from(found.upper[pair]));
                assert!(lower <= distance && distance <= upper, "{context:?}: {lower} {distance} {upper}");
                let is_near = found.pairs & 1 << pair != 0;
                assert!(is_near || distance > f64::from(limit), "{context:?}: {distance}");
                assert!(!is_near || upper < f64::INFINITY, "{context:?}: {lower} {upper}");
            }
        }
    }

    #[test]
    fn distances_are_between_the_bounds() {
        let mut random = Random(11);
        for round in 0..4000 {
            let size = 10f64.powi(random.below(9) as i32 - 4);
            let away = random.offset(4).map(|x| 4.0 * size * x);
            let centre = random.offset(0).map(|x| [0.0, 1.0, 300.0][round as usize % 3] * size * x);
            let translation = random.offset(2).map(|x| size * x);
            let pose = random.pose(translation);
            let a = leaf(&mut random, centre, size);
            let at = pose.inverse().apply([0, 1, 2].map(|axis| centre[axis] + away[axis]));
            let b = leaf(&mut random, at, size);
            for level in Level::available() {
                dispatch!(level.inner(), simd => check(simd, &a, &b, &pose, (level, round)));
            }
        }
    }

    #[test]
    fn bounds_are_tight() {
        let mut random = Random(12);
        let (mut loose, mut count) = (0, 0);
        for _ in 0..1000 {
            let (a, b) = (leaf(&mut random, [0.0; 3], 1.0), leaf(&mut random, [1.2, 0.0, 0.0], 1.0));
            let level = Level::detect().expect("a level");
            let found =
                dispatch!(level.inner(), simd => bounds_of(simd, &a, &b, &Pose::IDENTITY, f32::INFINITY));
            for pair in 0..PAIRS {
                let (lower, upper) = (found.lower[pair], found.upper[pair]);
                count += u32::from(lower > 0.01);
                loose += u32::from(lower > 0.01 && upper - lower > 1e-3 * upper);
            }
        }
        assert!(count > 8000 && loose < count / 100, "{loose} of {count}");
    }
}
