//! The triangles of a block that may be the closest to a point: a filter in f32. `closest.rs` makes the decision.
//!
//! Based on: Eberly, "Distance Between Point and Triangle in 3D", 1999: everything from six dot products. Departure:
//! the smallest of three segment distances, or the plane's distance if the projection lies inside.

use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask};

use crate::math::vector::sub;
use crate::simd::fused::dot;
use crate::simd::sixteen::Sixteen;
use crate::simd::{Kernel, lanes};

/// Limits are at least this squared distance. Above it, squares that underflow are negligible against the errors below,
/// and all triangles closer than this are decided in f64.
pub(crate) const SMALLEST_LIMIT: f32 = 1.0 / (1u128 << 80) as f32;

/// The largest error of the filter's squared distance, relative to the span and, for planes, multiplied by the
/// thinness; see [`Bounds`].
const FILTER_ERROR: f32 = 768.0 * f32::EPSILON / 2.0;

/// The plane of a triangle is not used if its thinness, the product of two squared edges over the squared area, is
/// greater.
const THINNEST: f32 = 4096.0;

/// Nor if the squared area is smaller: squared edges could be subnormal.
const SMALLEST_AREA: f32 = 1.0 / (1u128 << 80) as f32;

/// Nor if the span is greater: products of six lengths could be infinite.
const LARGEST_SPAN: f32 = (1u64 << 42) as f32;

/// Below this, the product of two squared edges is inaccurate because of underflow.
const SMALLEST_PRODUCT: f32 = 1.0 / (1u128 << 100) as f32;

/// Calls `near` with each lane of the block whose triangle may be within `limit`, a squared distance, of `point`, and
/// with a lower bound of its squared distance, which may be NaN. Returns the new limit.
///
/// If `accepts_all`, the new limit is an upper bound of the f64 squared distance of the closest of them, if that is
/// lower.
#[inline(always)]
pub(crate) fn near_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    point: [f32; 3],
    limit: f32,
    accepts_all: bool,
    mut near: impl FnMut(usize, f32),
) -> f32 {
    let offset = |axis: usize| S::Sixteen::load(simd, &block.positions[axis]) - point[axis];
    let offsets = [offset(0), offset(1), offset(2)];
    if are_beyond(simd, block, offsets, point, limit) {
        return limit;
    }
    let tables = [simd.table(offsets[0]), simd.table(offsets[1]), simd.table(offsets[2])];
    // A corrupt file may say more.
    let count = usize::from(block.triangles).min(BLOCK_WIDTH);
    let used = (1 << count) - 1;
    if 2 * lanes::<S>() < BLOCK_WIDTH {
        let mut limit = limit;
        for first in (0..count).step_by(lanes::<S>()) {
            limit = near_in_lanes(simd, block, &tables, (first, used), limit, accepts_all, &mut near);
        }
        return limit;
    }
    // Unrolled; in a loop the tables would be kept in memory.
    let mut limit = near_in_lanes(simd, block, &tables, (0, used), limit, accepts_all, &mut near);
    if count > lanes::<S>() {
        limit = near_in_lanes(simd, block, &tables, (lanes::<S>(), used), limit, accepts_all, &mut near);
    }
    limit
}

/// Whether all vertices lie beyond a plane that is farther away than the limit, perpendicular to the direction of the
/// first vertex.
///
/// `offsets` are the vertices relative to the point, each coordinate with a relative error of u. Let n be the first
/// vertex and v any; `height` is n·v within 3.01 u |n| |v|. So the true height of v above the plane through the point
/// is greater than `height / |n| - 4.1 u |v|`. That exceeds the square root L of the limit if `height`^2 exceeds |n|^2
/// (L + 4.1 u |v|)^2, which is less than |n|^2 (1.001 L^2 + 2^-33 |v|^2). The rest of the factor 1.002, and 2^-48,
/// cover the roundings of the sums and underflow: the first vertex passes only if |n|^2 itself is more than 2^-48.
#[inline(always)]
fn are_beyond<S: Kernel>(
    simd: S,
    block: &Block,
    offsets: [S::Sixteen; 3],
    point: [f32; 3],
    limit: f32,
) -> bool {
    const RELATIVE: f32 = 1.0 / (1u64 << 33) as f32;
    const ABSOLUTE: f32 = 1.0 / (1u64 << 48) as f32;
    let [x, y, z] = offsets;
    let normal = |axis: usize| block.positions[axis][0] - point[axis];
    let [nx, ny, nz] = [normal(0), normal(1), normal(2)];
    let normal2 = nx * nx + ny * ny + nz * nz;
    let [by_x, by_y] = [S::Sixteen::splat(simd, nx), S::Sixteen::splat(simd, ny)];
    let height = x.mul_add(by_x, y.mul_add(by_y, z * nz));
    let square = x.mul_add(x, y.mul_add(y, z * z));
    let least = S::Sixteen::splat(simd, normal2 * (limit * 1.002 + ABSOLUTE));
    let farthest = square.mul_add(S::Sixteen::splat(simd, normal2 * RELATIVE), least);
    let beyond = height.above(S::Sixteen::splat(simd, 0.0)) & (height * height).above(farthest);
    let unused = u32::MAX.checked_shl(u32::from(block.vertices)).unwrap_or(0);
    (beyond | unused) as u16 == u16::MAX
}

/// As [`near_in_block`], for the lanes from `first`; `used` has a bit for each lane of the block with a triangle.
#[inline(always)]
fn near_in_lanes<S: Kernel>(
    simd: S,
    block: &Block,
    tables: &[S::Table; 3],
    (first, used): (usize, u64),
    mut limit: f32,
    accepts_all: bool,
    near: &mut impl FnMut(usize, f32),
) -> f32 {
    let used = used >> first & ((1 << lanes::<S>()) - 1);
    let look_up = |axis: usize, k: usize| simd.look_up(tables[axis], &block.corners[k], first);
    let corner = |k: usize| [look_up(0, k), look_up(1, k), look_up(2, k)];
    let bounds = Bounds::<S>::of(simd, [corner(0), corner(1), corner(2)], used);
    // A NaN is kept.
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

/// Bounds in f32 of the squared distances from the origin to triangles.
///
/// # Why no triangle is lost
///
/// Let u = 2^-24, a the first corner, e and f the edges from it, p, E and F their squared lengths and R the sum of the
/// three, the span. D is the true squared distance, at most p. Corners relative to the point have a relative error of
/// u, and edges another u. That moves the triangle such that D changes by less than 4 u R. For the moved triangle:
///
/// - A dot product x·y has an error of at most 3.01 u |x| |y|, with or without FMA. So the three coefficients of the
///   squared distance along an edge from a have a total error of 6 u R, and its value is rounded by 8 u R; for the
///   third edge these are 48 and 26 u R. The reciprocal may have a relative error r <= 2^-8, which moves the minimum by
///   r^2 times the squared edge, at most 512 u R. If rounding makes the third edge's square negative, or too small for
///   a reciprocal, its least value is that at an end, which belongs to another edge too. So the error for edges is less
///   than 640 u R.
/// - v and w have errors of 17 u F √(pE) and 17 u E √(pF), the squared area N one of 15.1 u EF. With the thinness
///   K = EF / N, which is at least 1, the error of the plane's distance is at most 68 u K p from these, 260 u K p from
///   the reciprocal, whose error after one Newton step is r^2 + 3 u, and 14 u R from the rest.
/// - If a projection inside the triangle is classified as outside, the errors of v, w and N - v - w, over √N and the
///   edge, are its distance from that edge: less than 60 u K √R. Its square is less than u K R, as K is at most 2^12.
///
/// So D is at least `distance - error`, where the error is taken as 768 u K R.
///
/// Products that underflow have an additional error of 2^-150. Where the area is used, E and F are at least
/// 2^-80 / 2^42 and R is at least 2^-39, so this is less than another u. Elsewhere it matters only for D of at least
/// half the smallest limit, since for smaller D `distance - error` cannot exceed D by that much. Then it is less than
/// 2^-60 p, and an edge whose square has no reciprocal is so short that D changes by 2^-62 √p along it, less than
/// 6 u p.
struct Bounds<S: Kernel> {
    /// A lower bound of the squared distance, or NaN.
    lower: S::Lanes,
    /// The squared distance if the plane is used, otherwise that to the nearest edge.
    distance: S::Lanes,
    /// The squared distance to the nearest edge.
    segments: S::Lanes,
    /// Upper bounds of the errors of these.
    error: S::Lanes,
    span: S::Lanes,
    area2: S::Lanes,
    /// The squared edges from the first corner to the second, to the third, and between those.
    edges: [S::Lanes; 3],
    /// Where the plane is used.
    thick: Mask<S>,
}

impl<S: Kernel> Bounds<S> {
    /// Triangles classified as thin are computed again with their widest angle first; then hardly any is thin.
    #[inline(always)]
    fn of(simd: S, mut corners: [[S::Lanes; 3]; 3], used: u64) -> Self {
        let mut turned = false;
        loop {
            let bounds = Self::new(simd, &corners);
            // Lanes without triangles hold points, which are thin.
            if used & !bounds.thick.to_bitmask() == 0 {
                return bounds;
            }
            if turned {
                return bounds.with_thin(simd);
            }
            corners = bounds.turned(&corners);
            turned = true;
        }
    }

    /// The triangles, starting with the corner opposite to the longest edge.
    #[inline(always)]
    fn turned(&self, [a, b, c]: &[[S::Lanes; 3]; 3]) -> [[S::Lanes; 3]; 3] {
        let [ab, ac, bc] = self.edges;
        let (is_b, is_c) = (ac.simd_gt(ab.max(bc)), ab.simd_gt(ac.max(bc)));
        let first = |axis: usize| is_b.select(b[axis], is_c.select(c[axis], a[axis]));
        let second = |axis: usize| is_b.select(a[axis], b[axis]);
        let third = |axis: usize| is_c.select(a[axis], c[axis]);
        [[first(0), first(1), first(2)], [second(0), second(1), second(2)], [third(0), third(1), third(2)]]
    }

    #[inline(always)]
    fn new(simd: S, &[a, b, c]: &[[S::Lanes; 3]; 3]) -> Self {
        let zero = S::Lanes::splat(simd, 0.0);
        let (ab, ac) = (sub(b, a), sub(c, a));
        let (aa, abab, acac) = (dot(a, a), dot(ab, ab), dot(ac, ac));
        let abac = dot(ab, ac);
        let (to_b, to_c) = (-dot(a, ab), -dot(a, ac));
        let bcbc = abab + acac - abac - abac;
        let bb = aa - to_b - to_b + abab;
        let along_bc = to_c - to_b - abac + abab;
        let segments = segment2(simd, aa, to_b, abab).min(segment2(simd, aa, to_c, acac));
        let segments = segments.min(segment2(simd, bb, along_bc, bcbc));
        let (v, w) = (acac * to_b - abac * to_c, abab * to_c - abac * to_b);
        let product = abab * acac;
        let area2 = product - abac * abac;
        let inverse = area2.approximate_recip();
        let inverse = inverse * (S::Lanes::splat(simd, 2.0) - area2 * inverse);
        // A NaN is not thick.
        let thinness = product * inverse;
        let span = aa + abab + acac;
        let thick = area2.simd_gt(SMALLEST_AREA) & thinness.simd_lt(THINNEST) & span.simd_lt(LARGEST_SPAN);
        let inside = v.min(w).min(area2 - v - w).simd_ge(zero) & thick;
        let distance = inside.select(aa - (v * to_b + w * to_c) * inverse, segments);
        let error = span * FILTER_ERROR * thinness;
        let edges = [abab, acac, bcbc];
        Self { lower: distance - error, distance, segments, error, span, area2, edges, thick }
    }

    /// Adds bounds for triangles that are not thick.
    ///
    /// No point of a triangle is farther from its longest edge than its height over that edge, which is at most as long
    /// as any other edge. The squared height is the squared area, which has an error of up to 15.1 u of the product,
    /// over the longest edge's square.
    #[inline(always)]
    fn with_thin(self, simd: S) -> Self {
        let zero = S::Lanes::splat(simd, 0.0);
        let [ab, ac, bc] = self.edges;
        let (product, shortest, longest) = (ab * ac, ab.min(ac), ab.max(ac).max(bc));
        let error = self.thick.select(self.error, self.span * FILTER_ERROR);
        let height2 = ((self.area2.max(zero) + product * FILTER_ERROR) / longest).min(shortest);
        let height2 = product.simd_lt(SMALLEST_PRODUCT).select(shortest, height2);
        let reduced = ((self.distance - error).max(zero).sqrt() - height2.sqrt()).max(zero);
        let lower = self.thick.select(self.lower, reduced * reduced * (1.0 - FILTER_ERROR));
        Self { lower, error, ..self }
    }

    /// The limit, or an upper bound of the f64 result for the closest triangle in the used lanes, if that is lower.
    ///
    /// The errors for edges and planes are the same upwards as downwards. But a projection outside of the triangle that
    /// is classified as inside is at most 60 u K √R outside of an edge, and at most 1 / sin(half the angle) times that
    /// from the triangle. Where angles are at least 1 / 16, the square of that is less than 60 u K R; elsewhere only
    /// edges are used. Also, the triangle as f32 sees it must be nearly as good as the triangle itself, or f64 could be
    /// inaccurate too. Rounding moves corners by 2 u √R, which changes the area by less than half if its square is more
    /// than 2^-40 R times the longest edge's square. Then f64's normal has an error of at most 2^-28, and f64's plane,
    /// where f64 classifies the projection as inside, is farther than any edge by at most 2^-28 of the longest: 2^-26 R
    /// in squares.
    #[inline(always)]
    fn lowered(&self, simd: S, limit: f32, used: u64) -> f32 {
        const ANGLE: f32 = 1.0 / (1 << 8) as f32;
        const ROUNDED: f32 = 1.0 / (1u64 << 40) as f32;
        let [ab, ac, bc] = self.edges;
        let longest = ab.max(ac).max(bc);
        let least_area2 = (longest * self.span * ROUNDED).max(S::Lanes::splat(simd, SMALLEST_AREA));
        let sturdy = self.thick & self.area2.simd_gt(least_area2);
        let blunt = self.area2.simd_gt(longest * longest * ANGLE);
        let upper = blunt.select(self.distance, self.segments) + self.error;
        let lower = sturdy & upper.simd_lt(limit) & Mask::<S>::from_bitmask(simd, used);
        lower.select(upper, S::Lanes::splat(simd, limit)).reduce_min().max(SMALLEST_LIMIT)
    }
}

type Mask<S> = <<S as Kernel>::Lanes as SimdBase<S>>::Mask;

/// The squared distance to a segment whose start is at the squared distance `start2` and whose squared length is
/// `edge2`; `along` is the origin's position along it, times its length.
///
/// If the edge has no length, the product is NaN or infinite; in either case the result is the distance to the start,
/// or NaN.
#[inline(always)]
fn segment2<S: Kernel>(simd: S, start2: S::Lanes, along: S::Lanes, edge2: S::Lanes) -> S::Lanes {
    let t =
        (along * edge2.approximate_recip()).max(S::Lanes::splat(simd, 0.0)).min(S::Lanes::splat(simd, 1.0));
    (t * edge2 - along - along).mul_add(t, start2)
}

#[cfg(test)]
mod tests {
    use bvhc_format::MAX_COORDINATE;

    use super::*;
    use crate::level::Level;
    use crate::simd::dispatch;
    use crate::triangle::closest::{closest, closest_of_each};
    use crate::triangle::corners;
    use crate::triangle::testing::Random;

    /// Exponents of the block's size, of one axis relative to it, and of its distance: from where squares underflow to
    /// zero to where products of four lengths are infinite, and from flat blocks to needles.
    const SIZES: [i32; 9] = [-120, -74, -60, -45, -39, -20, 0, 20, 56];
    const FLAT: [i32; 5] = [0, -3, -6, -11, -30];
    const AWAY: [i32; 5] = [-12, -2, 0, 3, 11];

    fn power_of_two(exponent: i32) -> f32 {
        2f32.powi(exponent)
    }

    /// A block of random triangles of one size, around a random centre or the origin, and a point.
    fn random(random: &mut Random) -> (Block, [f32; 3]) {
        let mut pick = |from: &[i32]| power_of_two(from[random.below(from.len() as i128) as usize]);
        let (size, mut shape, away) = (pick(&SIZES), [pick(&FLAT), pick(&FLAT), 1.0], pick(&AWAY));
        shape.rotate_left(random.below(3) as usize);
        let mut within = |size: f32| size * (random.below(1 << 20) as f32 * power_of_two(-19) - 1.0);
        let centre = [within(size), within(size), within(size)];
        let point =
            [0, 1, 2].map(|axis| (centre[axis] + within(size * away)).clamp(-MAX_COORDINATE, MAX_COORDINATE));
        let mut block = Block { triangles: 16, vertices: 16, ..Block::EMPTY };
        for slot in 0..BLOCK_WIDTH {
            for axis in 0..3 {
                block.positions[axis][slot] = centre[axis] + within(size * shape[axis]);
            }
        }
        for lane in 0..BLOCK_WIDTH {
            for k in 0..3 {
                block.corners[k][lane] = random.below(BLOCK_WIDTH as i128) as u8;
            }
        }
        (block, point)
    }

    /// Checks that the new limit is not below the least square, and that all triangles that have it are reported.
    fn check<S: Kernel>(simd: S, block: &Block, point: [f32; 3], context: (Level, u32)) {
        let squares: [f64; BLOCK_WIDTH] =
            core::array::from_fn(|lane| closest(&corners(block, lane), point).1);
        let least = squares.iter().copied().fold(f64::INFINITY, f64::min);
        let tight = (least as f32).next_up().max(SMALLEST_LIMIT);
        for limit in [f32::MAX, tight * 1.5, tight] {
            let mut bounds = [f32::INFINITY; BLOCK_WIDTH];
            let limit = near_in_block(simd, block, point, limit, true, |lane, bound| bounds[lane] = bound);
            assert!(f64::from(limit) >= least, "{context:?}: {limit:e} {least:e}");
            for (lane, (bound, square)) in bounds.iter().zip(squares).enumerate() {
                let lost = square == least && *bound > limit;
                assert!(
                    !lost,
                    "{context:?} {point:?} {lane} {:?}: {bound:e} > {limit:e}, {square:e}",
                    corners(block, lane)
                );
            }
        }
    }

    /// Checks that deciding many gives the same bits as deciding one.
    fn check_each<S: Kernel>(simd: S, block: &Block, point: [f32; 3], context: (Level, u32)) {
        for first in (0..BLOCK_WIDTH).step_by(S::Doubles::LEN) {
            let coordinate = |lane: usize, k: usize, axis: usize| f64::from(corners(block, lane)[k][axis]);
            let from_point = |k: usize, axis: usize| {
                S::Doubles::from_fn(simd, |lane| coordinate(first + lane, k, axis)) - f64::from(point[axis])
            };
            let corner = |k: usize| [from_point(k, 0), from_point(k, 1), from_point(k, 2)];
            let ([x, y, z], square) = closest_of_each(simd, [corner(0), corner(1), corner(2)]);
            for lane in 0..S::Doubles::LEN {
                let found = [x[lane], y[lane], z[lane], square[lane]].map(f64::to_bits);
                let ([x, y, z], square) = closest(&corners(block, first + lane), point);
                assert_eq!(found, [x, y, z, square].map(f64::to_bits), "{context:?} {lane}");
            }
        }
    }

    #[test]
    fn many_are_decided_as_one_is() {
        let mut numbers = Random(11);
        for round in 0..5_000 {
            let (block, point) = random(&mut numbers);
            for level in Level::available() {
                dispatch!(level.inner(), simd => check_each(simd, &block, point, (level, round)));
            }
        }
    }

    #[test]
    fn the_filter_loses_no_triangle() {
        let mut numbers = Random(7);
        for round in 0..20_000 {
            let (block, point) = random(&mut numbers);
            for level in Level::available() {
                dispatch!(level.inner(), simd => check(simd, &block, point, (level, round)));
            }
        }
    }
}
