//! The closest point of a triangle: a filter over a block in f32, and the decision in f64.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1, and Eberly, "Distance Between Point
//! and Triangle in 3D", 1999 (the filter: everything from six dot products). Departure: instead of finding
//! the Voronoi region first, which rounding gets wrong on slivers, the smallest of three segment
//! distances is taken, or the plane's distance where the projection lies inside.

use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask, f32x16};

use crate::simd::{Kernel, lanes};

/// A triangle is thin where the product of two edges is more than this many times twice its area.
const THIN: f32 = 8.0;

/// How far the filter's squared distance may be above the true one, relative to the reach: the sum of the squares
/// of the first corner's distance and two edges.
///
/// The sums of products below are off by at most 12 units of that; the plane's distance, for triangles that are
/// not thin, by at most `THIN`^2 times as much, since it divides by the squared area. A reciprocal that is off by
/// a share `r`, at most 2^-8, adds at most `1.01 r^2` times the square of an edge, at most 520 units.
const FILTER_ERROR: f32 = 12.0 * THIN * THIN * f32::EPSILON / 2.0;

/// No area is relied on whose square is less: products of six edges, over it, are then off by less than 2^-69,
/// which is nothing to the error above, as the reach is at least 2^-40.
const SMALLEST_AREA: f32 = 1.0 / (1u128 << 80) as f32;

/// No area is relied on where the reach is more: products of four lengths could be infinite.
const LARGEST_REACH: f32 = (1u64 << 60) as f32;

/// Calls `near` with each lane of the block whose triangle may be within `limit`, a squared distance, of `point`, and
/// a lower bound of its squared distance, which may be no number; returns the limit from then on.
///
/// Where `accepts_all`, that is lowered to what f64 cannot exceed for the closest of them.
#[inline(always)]
pub(crate) fn near_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    point: [f32; 3],
    limit: f32,
    accepts_all: bool,
    mut near: impl FnMut(usize, f32),
) -> f32 {
    let offset = |axis: usize| f32x16::load_array_ref(simd, &block.positions[axis]) - point[axis];
    let tables = [simd.table(offset(0)), simd.table(offset(1)), simd.table(offset(2))];
    // Unrolled, for in a loop the tables would have to be kept in memory.
    let mut limit = near_in_lanes(simd, block, &tables, 0, limit, accepts_all, &mut near);
    if lanes::<S>() < BLOCK_WIDTH && usize::from(block.triangles) > lanes::<S>() {
        limit = near_in_lanes(simd, block, &tables, lanes::<S>(), limit, accepts_all, &mut near);
    }
    limit
}

/// The same for the triangles in the lanes from `first` on.
#[inline(always)]
fn near_in_lanes<S: Kernel>(
    simd: S,
    block: &Block,
    tables: &[S::Table; 3],
    first: usize,
    mut limit: f32,
    accepts_all: bool,
    near: &mut impl FnMut(usize, f32),
) -> f32 {
    let count = usize::from(block.triangles).saturating_sub(first).min(lanes::<S>());
    let used = (1 << count) - 1;
    let look_up = |axis: usize, k: usize| simd.look_up(tables[axis], &block.corners[k], first);
    let corner = |k: usize| [look_up(0, k), look_up(1, k), look_up(2, k)];
    let bounds = Bounds::<S>::new(simd, corner(0), corner(1), corner(2), used);
    // What is no number stays in.
    let within = |limit: f32| used & !bounds.lower.simd_gt(limit).to_bitmask();
    let mut left = within(limit);
    if left == 0 {
        return limit;
    }
    if accepts_all {
        limit = bounds.lowered(simd, limit, used);
        left = within(limit);
    }
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        near(first + lane, simd.pick(bounds.lower, lane));
    }
    limit
}

/// What f32 says of the squares of the distances from the origin to triangles.
struct Bounds<S: Kernel> {
    /// At most the squared distance, unless no number.
    lower: S::Lanes,
    /// The squared distance, give or take the error.
    distance: S::Lanes,
    reach: S::Lanes,
    area2: S::Lanes,
    /// The square of the longest edge.
    longest: S::Lanes,
}

impl<S: Kernel> Bounds<S> {
    #[inline(always)]
    fn new(simd: S, a: [S::Lanes; 3], b: [S::Lanes; 3], c: [S::Lanes; 3], used: u64) -> Self {
        let zero = S::Lanes::splat(simd, 0.0);
        let one = S::Lanes::splat(simd, 1.0);
        let (ab, ac) = (sub::<S>(b, a), sub::<S>(c, a));
        let (aa, abab, acac) = (dot::<S>(a, a), dot::<S>(ab, ab), dot::<S>(ac, ac));
        let abac = dot::<S>(ab, ac);
        let (to_b, to_c) = (-dot::<S>(a, ab), -dot::<S>(a, ac));
        // Squared distance to the segment whose start is at `start2`, with length `edge2`; `along` is how far the
        // origin lies along it, times its length. Where an edge has no length, the product is no number or
        // infinite; whatever is made of it, the distance is that of the start, or no number.
        let segment = |start2: S::Lanes, along: S::Lanes, edge2: S::Lanes| {
            let t = (along * edge2.approximate_recip()).max(zero).min(one);
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
        let reach = aa + abab + acac;
        let error = reach * FILTER_ERROR;
        let distance = inside.select(plane, segments);
        let longest = abab.max(acac).max(bcbc);
        let bounds = Self { lower: distance - error, distance, reach, area2, longest };
        let thick = (area2 * (THIN * THIN)).simd_gt((abab * acac).max(S::Lanes::splat(simd, SMALLEST_AREA)))
            & reach.simd_lt(LARGEST_REACH);
        // Lanes without triangles hold points, which would be thin.
        if used & !thick.to_bitmask() == 0 {
            return bounds;
        }
        // No point of a triangle is farther from its longest edge than its height over that edge, which is
        // at most 1 / THIN of that edge for these; `area2` may be off by more than its value.
        let height2 = (area2.max(zero) + abab * acac * FILTER_ERROR) / longest;
        let reduced = ((segments - error).max(zero).sqrt() - height2.sqrt()).max(zero);
        let lower = thick.select(bounds.lower, reduced * reduced * (1.0 - FILTER_ERROR));
        Self { lower, distance: thick.select(distance, segments), ..bounds }
    }

    /// The limit, or what f64 cannot exceed for the closest triangle in the lanes that are used, if that is less.
    ///
    /// Segments and planes are as far off upwards as downwards. Where a projection passes for inside but is not, each
    /// of its weights is off by at most `10 THIN^2` units of `|a|` over the shortest edge, which is at least 1 / 16
    /// of the longest for the triangles looked at: it is outside by less than 2^-9 of `|a|`, and the square
    /// of that is less than another error. f64 is exact to far less than either, for the triangle itself is as good
    /// as what f32 sees of it: rounding moves corners by two units of the reach's root, which changes the area by
    /// less than half where the squared area is more than 2^-41 of the reach times the longest edge's square.
    #[inline(always)]
    fn lowered(&self, simd: S, limit: f32, used: u64) -> f32 {
        const LONGEST: f32 = 1.0 / (1 << 8) as f32;
        const REACH: f32 = 1.0 / (1u64 << 41) as f32;
        /// Products of six lengths are finite.
        const LARGEST_REACH: f32 = (1u64 << 40) as f32;
        let upper = self.reach.mul_add(S::Lanes::splat(simd, 2.0 * FILTER_ERROR), self.distance);
        let least_area2 = self.longest * (self.longest * LONGEST).max(self.reach * REACH);
        let sound = self.area2.simd_gt(least_area2.max(S::Lanes::splat(simd, SMALLEST_AREA)))
            & self.reach.simd_lt(LARGEST_REACH)
            & upper.simd_lt(limit)
            & <S::Lanes as SimdBase<S>>::Mask::from_bitmask(simd, used);
        sound.select(upper, S::Lanes::splat(simd, limit)).reduce_min()
    }
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
