//! Whether a triangle and an axis-aligned box share a point, decided exactly.
//!
//! Based on: Akenine-Möller, Fast 3D Triangle-Box Overlap Testing, 2001 (the separating axes), and Shewchuk, Adaptive
//! Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates, 1997. Departure from the first: no sign is
//! used that rounding may have changed. The box axes are comparisons. The plane and the edges are tried in `f64` with
//! an error bound; what remains undecided is an exact orientation of four (plane) or three (edge) input points.
//!
//! Why the answer is exact:
//! - The orientations are exact: coordinates are `f32`, hence multiples of 2^-149 below 2^128, and products of three of
//!   their differences neither overflow nor underflow an `f64`.
//! - The two are only classified as disjoint if all of the triangle lies strictly on the other side of a plane from all
//!   of the box. Which corner of the box is extreme along a normal depends on the signs of the normal's components, and
//!   those are exact as well: a component of the plane's normal is the orientation of the projected triangle, one of an
//!   edge's normal is a comparison of coordinates.
//! - Disjoint pairs are always separated. If triangle T and box B are disjoint, so are T and B grown by some small
//!   amount, B', which is never degenerate. T - B' is then a solid that does not contain the origin, so the plane of
//!   one of its facets strictly separates T from B', and thus from B. A facet of T - B' is spanned by a face of B' (a
//!   box axis), by all of T (its normal), or by an edge of B' and an edge of T not parallel to it. The last normal is
//!   axis x edge. T then supports the facet with that edge alone, so it suffices to test the side of the edge opposite
//!   to the third vertex. An edge that projects to a point has no normal; its orientations are zero and prove nothing.
//!   A triangle seen edge-on, or a collinear one, has no such side; but its edges run in both directions, so testing
//!   the right of each edge tests both sides.

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::math::vector::Map3;
use crate::math::{larger, smaller};

/// A number that the exact tests take.
trait Coordinate: Copy + PartialOrd + Into<f64> {}

impl<T: Copy + PartialOrd + Into<f64>> Coordinate for T {}

/// The relative error bound of a difference of two products of differences, which has 4 roundings.
const EDGE_ERROR: f64 = 4.0 * f64::EPSILON;

/// The relative error bound of a triple product of differences, which has 8 roundings.
const PLANE_ERROR: f64 = 8.0 * f64::EPSILON;

/// Whether the closed triangle and the closed box share a point: exact, touching counts.
///
/// Needs finite coordinates and `lower <= upper`; the box may be a point, a segment or a rectangle.
pub(crate) fn touches(corners: &[[f32; 3]; 3], lower: [f32; 3], upper: [f32; 3]) -> bool {
    if beside_a_face(corners, &lower, &upper) {
        return false;
    }
    if corners.iter().fold(false, |any, v| any | contains(v, &lower, &upper)) {
        return true;
    }
    decided_quickly(corners, &lower, &upper).unwrap_or_else(|| decided_exactly(corners, &lower, &upper))
}

/// Coordinates in f64 are 0 or greater in magnitude: 2^-300.
pub(crate) const SMALLEST: f64 = f64::from_bits((1023 - 300) << 52);

/// The same for coordinates in f64, of which each is 0 or between 2^-300 and 2^300 in magnitude, and as well exact: products
/// of three of their differences neither overflow nor underflow.
pub(crate) fn touches_exactly(corners: &[[f64; 3]; 3], lower: &[f64; 3], upper: &[f64; 3]) -> bool {
    !beside_a_face(corners, lower, upper)
        && (corners.iter().any(|corner| contains(corner, lower, upper))
            || decided_exactly(corners, lower, upper))
}

/// Counts instead of branching, as `contains` does: branches on random data are mispredicted.
fn beside_a_face<T: Coordinate>(corners: &[[T; 3]; 3], lower: &[T; 3], upper: &[T; 3]) -> bool {
    let [a, b, c] = corners;
    let faces = [0, 1, 2].map3(|k| {
        let below = (a[k] < lower[k]) & (b[k] < lower[k]) & (c[k] < lower[k]);
        let above = (a[k] > upper[k]) & (b[k] > upper[k]) & (c[k] > upper[k]);
        u32::from(below) + u32::from(above)
    });
    faces[0] + faces[1] + faces[2] > 0
}

fn contains<T: Coordinate>(point: &[T; 3], lower: &[T; 3], upper: &[T; 3]) -> bool {
    let inside = [0, 1, 2].map3(|k| u32::from((lower[k] <= point[k]) & (point[k] <= upper[k])));
    inside[0] + inside[1] + inside[2] == 3
}

/// The other two axes, in the order that keeps orientations right-handed.
fn others(axis: usize) -> (usize, usize) {
    ((axis + 1) % 3, (axis + 2) % 3)
}

/// Positive where `c` is left of the line from `a` to `b`, seen against the direction of `axis`.
fn turn<T: Coordinate>(axis: usize, a: &[T; 3], b: &[T; 3], c: &[T; 3]) -> f64 {
    let (i, j) = others(axis);
    let [a, b, c] = [a, b, c].map3(|point| Coord { x: point[i], y: point[j] });
    orient2d(a, b, c)
}

/// What a computed extent of the box proves, given its error bound. The error is always smaller than the bound, unless
/// everything is zero; then the extent is exact, and contact is classified as clear, not apart.
#[derive(Clone, Copy)]
struct Classification {
    apart: bool,
    clear: bool,
}

/// The result for the plane and the edges if `f64` proves it; branchless on random data.
///
/// Nothing overflows or underflows: see the module documentation.
fn decided_quickly(corners: &[[f32; 3]; 3], lower: &[f32; 3], upper: &[f32; 3]) -> Option<bool> {
    let lows = corners.map3(|v| difference(lower, &v));
    let highs = corners.map3(|v| difference(upper, &v));
    let edges = [0, 1, 2].map3(|k| difference(&corners[(k + 1) % 3], &corners[k]));
    let (normal, size) = normal(&edges);
    let plane = plane_verdict(&normal, &size, &lows[0], &highs[0]);
    if plane.apart {
        return Some(false);
    }
    let winding = winding(&normal, &size)?;
    let mut all = plane;
    for (axis, sign) in winding.iter().enumerate() {
        for k in 0..3 {
            let edge = edge_verdict(axis, *sign, &edges[k], &lows[k], &highs[k]);
            all.apart |= edge.apart;
            all.clear &= edge.clear;
        }
    }
    (all.apart || all.clear).then_some(!all.apart)
}

fn difference(a: &[f32; 3], b: &[f32; 3]) -> [f64; 3] {
    [0, 1, 2].map3(|axis| f64::from(a[axis]) - f64::from(b[axis]))
}

/// The normal, and the sizes that its components' errors are relative to: each has an error of at most 4 roundings of
/// its size.
fn normal(edges: &[[f64; 3]; 3]) -> ([f64; 3], [f64; 3]) {
    let (mut normal, mut size) = ([0.0; 3], [0.0; 3]);
    for axis in 0..3 {
        let (i, j) = others(axis);
        let (left, right) = (edges[0][i] * edges[1][j], edges[0][j] * edges[1][i]);
        (normal[axis], size[axis]) = (left - right, left.abs() + right.abs());
    }
    (normal, size)
}

/// The signs of the normal's components; `None` if uncertain, or if there is no normal.
fn winding(normal: &[f64; 3], size: &[f64; 3]) -> Option<[f64; 3]> {
    let sure = (0..3).all(|axis| normal[axis].abs() > EDGE_ERROR * size[axis] || size[axis] == 0.0);
    let signs = normal.map3(|x| f64::from(i8::from(x > 0.0) - i8::from(x < 0.0)));
    (sure && signs != [0.0; 3]).then_some(signs)
}

/// Whether the box is on one side of the plane, from the box's offsets from one vertex.
fn plane_verdict(normal: &[f64; 3], size: &[f64; 3], low: &[f64; 3], high: &[f64; 3]) -> Classification {
    let (mut top, mut bottom, mut bound) = (0.0, 0.0, 0.0);
    for axis in 0..3 {
        let (a, b) = (normal[axis] * low[axis], normal[axis] * high[axis]);
        top += larger(a, b);
        bottom += smaller(a, b);
        bound += size[axis] * larger(low[axis].abs(), high[axis].abs());
    }
    bound *= PLANE_ERROR;
    Classification { apart: top < -bound || bottom > bound, clear: top >= bound && bottom <= -bound }
}

/// Whether the box is beyond an edge seen along `axis`, from the box's offsets from the edge's start.
///
/// Clear if the edge has no length in this view, since it then has no axis, and if the triangle has no `winding`: seen
/// edge-on, its only axis is that of its plane.
fn edge_verdict(
    axis: usize,
    winding: f64,
    edge: &[f64; 3],
    low: &[f64; 3],
    high: &[f64; 3],
) -> Classification {
    let (i, j) = others(axis);
    let (along, across) = (winding * edge[i], winding * edge[j]);
    let left = larger(along * low[j], along * high[j]);
    let right = smaller(across * low[i], across * high[i]);
    let (overlap, bound) = (left - right, EDGE_ERROR * (left.abs() + right.abs()));
    Classification { apart: overlap < -bound, clear: overlap >= bound }
}

/// The result for the plane and the edges, exactly, for any input.
#[cold]
#[inline(never)]
fn decided_exactly<T: Coordinate>(corners: &[[T; 3]; 3], lower: &[T; 3], upper: &[T; 3]) -> bool {
    let normal = [0, 1, 2].map3(|axis| turn(axis, &corners[0], &corners[1], &corners[2]));
    !beside_the_plane(corners, normal, lower, upper)
        && !(0..3).any(|axis| beside_an_edge(axis, corners, normal[axis], lower, upper))
}

fn beside_the_plane<T: Coordinate>(
    corners: &[[T; 3]; 3],
    normal: [f64; 3],
    lower: &[T; 3],
    upper: &[T; 3],
) -> bool {
    let (mut lowest, mut highest) = (*lower, *upper);
    for axis in 0..3 {
        if normal[axis] < 0.0 {
            core::mem::swap(&mut lowest[axis], &mut highest[axis]);
        }
    }
    height(corners, &highest) < 0.0 || height(corners, &lowest) > 0.0
}

/// Positive if `point` is on the side of the triangle from which its corners run counter-clockwise.
fn height<T: Coordinate>(corners: &[[T; 3]; 3], point: &[T; 3]) -> f64 {
    let [a, b, c, point] =
        [&corners[0], &corners[1], &corners[2], point].map(|&[x, y, z]| Coord3D { x, y, z });
    -orient3d(a, b, c, point)
}

/// Whether the box lies beyond an edge of the triangle, seen along `axis`.
///
/// `winding` is the orientation of the triangle in that view.
fn beside_an_edge<T: Coordinate>(
    axis: usize,
    corners: &[[T; 3]; 3],
    winding: f64,
    lower: &[T; 3],
    upper: &[T; 3],
) -> bool {
    (0..3).any(|start| {
        let (a, b) = (&corners[start], &corners[(start + 1) % 3]);
        let (a, b) = if winding < 0.0 { (b, a) } else { (a, b) };
        right_of(axis, a, b, lower, upper)
    })
}

/// Whether all of the box is strictly right of the line from `a` to `b`; tests its leftmost corner.
fn right_of<T: Coordinate>(axis: usize, a: &[T; 3], b: &[T; 3], lower: &[T; 3], upper: &[T; 3]) -> bool {
    let (i, j) = others(axis);
    let mut leftmost = *lower;
    if b[j] < a[j] {
        leftmost[i] = upper[i];
    }
    if b[i] > a[i] {
        leftmost[j] = upper[j];
    }
    turn(axis, a, b, &leftmost) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::exact::{self, Vector, Whole};
    use crate::triangle::testing::{Random, SCALES, float};

    fn gcd(a: i128, b: i128) -> i128 {
        if b == 0 { a.abs() } else { gcd(b, a % b) }
    }

    /// A polygon in homogeneous integer coordinates; a triangle clipped by six planes has at most nine corners.
    #[derive(Clone, Copy)]
    struct Polygon {
        points: [[i128; 4]; 12],
        count: usize,
    }

    impl Polygon {
        fn push(&mut self, point: [i128; 4]) {
            let divisor = point.iter().fold(0, |divisor, x| gcd(divisor, *x));
            self.points[self.count] = point.map(|x| x / divisor);
            self.count += 1;
        }

        /// Keeps the part with `sign * (x[axis] - at) >= 0`.
        fn cut(&self, axis: usize, sign: i128, at: i128) -> Self {
            let mut out = Self { count: 0, ..*self };
            let side = |point: &[i128; 4]| sign * (point[axis] - at * point[3]);
            for index in 0..self.count {
                let (p, q) = (self.points[index], self.points[(index + 1) % self.count]);
                let (f, g) = (side(&p), side(&q));
                if f >= 0 {
                    out.push(p);
                }
                if (f > 0 && g < 0) || (f < 0 && g > 0) {
                    // The weight stays positive: f and g have opposite signs.
                    out.push([0, 1, 2, 3].map(|c| f.signum() * (f * q[c] - g * p[c])));
                }
            }
            out
        }
    }

    /// The oracle: clips the triangle by the box's six half-spaces, in fractions, and tests whether anything is left.
    fn oracle(corners: [[i128; 3]; 3], lower: [i128; 3], upper: [i128; 3]) -> bool {
        let mut polygon = Polygon { points: [[0; 4]; 12], count: 0 };
        for [x, y, z] in corners {
            polygon.push([x, y, z, 1]);
        }
        for axis in 0..3 {
            polygon = polygon.cut(axis, 1, lower[axis]).cut(axis, -1, upper[axis]);
        }
        polygon.count > 0
    }

    fn agree_on_a_grid(size: i128, rounds: usize, seed: u64) {
        let mut random = Random(seed);
        let mut touching = 0;
        for round in 0..rounds {
            let corners = [0, 1, 2].map(|_| random.point(size));
            let (p, q) = (random.point(size), random.point(size));
            let lower = [0, 1, 2].map(|k| p[k].min(q[k]));
            let mut upper = [0, 1, 2].map(|k| p[k].max(q[k]));
            // On each axis every second box is flat.
            for axis in 0..3 {
                if ((round / 4) >> axis) & 1 == 1 {
                    upper[axis] = lower[axis];
                }
            }
            let expected = oracle(corners, lower, upper);
            touching += usize::from(expected);
            let scale = SCALES[round % 4];
            let [low, high] = [lower, upper].map(|grid| float(grid, scale));
            let floats = corners.map(|v| float(v, scale));
            let found = touches(&floats, low, high);
            assert_eq!(found, expected, "{corners:?} {lower:?} {upper:?} {scale}");
            if !beside_a_face(&floats, &low, &high) {
                assert_eq!(decided_exactly(&floats, &low, &high), expected, "{floats:?} {low:?} {high:?}");
            }
        }
        assert!(touching > rounds / 50 && touching < rounds - rounds / 50);
    }

    #[test]
    fn agrees_with_clipping_on_small_grids() {
        // 4 gives many contacts, collinear triangles and flat boxes; 40 gives general positions.
        agree_on_a_grid(4, 60_000, 1);
        agree_on_a_grid(7, 60_000, 2);
        agree_on_a_grid(40, 60_000, 3);
    }

    #[test]
    fn agrees_with_clipping_on_slivers() {
        let mut random = Random(4);
        for _ in 0..40_000 {
            let start = random.point(5);
            let along = [0, 1, 2].map(|_| random.below(400) - 200);
            let [m, n] = [0, 1].map(|_| 1 + random.below(4));
            let end = [0, 1, 2].map(|k| start[k] + m * along[k] + random.below(3) - 1);
            let third = [0, 1, 2].map(|k| start[k] - n * along[k] + random.below(3) - 1);
            let lower = random.point(6);
            let upper = [0, 1, 2].map(|k| lower[k] + random.below(3));
            let corners = [start, end, third];
            let [low, high] = [lower, upper].map(|grid| float(grid, 1.0));
            assert_eq!(
                touches(&corners.map(|v| float(v, 1.0)), low, high),
                oracle(corners, lower, upper),
                "{corners:?} {lower:?} {upper:?}"
            );
        }
    }

    /// Tests every axis with every corner of the box, in integers: slow, and shares no predicate.
    fn separable(corners: &[[f32; 3]; 3], lower: [f32; 3], upper: [f32; 3]) -> bool {
        let floats = corners.iter().chain([&lower, &upper]).flatten();
        let unit = exact::unit(floats);
        let whole = |point: [f32; 3]| point.map(|x| Whole::new(x, unit));
        let [a, b, c] = corners.map(whole);
        let box_corners = [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|bits| whole([0, 1, 2].map(|k| if (bits >> k) & 1 == 1 { upper[k] } else { lower[k] })));
        let apart = |axis: &Vector| {
            let interval = |points: &[Vector]| {
                let along = points.iter().map(|point| exact::dot(axis, point));
                let highest = along.clone().max().unwrap();
                (along.min().unwrap(), highest)
            };
            let (ours, theirs) = (interval(&[a, b, c]), interval(&box_corners));
            ours.1 < theirs.0 || theirs.1 < ours.0
        };
        let edges = [exact::sub(&b, &a), exact::sub(&c, &b), exact::sub(&a, &c)];
        let (zero, one) = (Whole::new(0.0, 0), Whole::new(1.0, 0));
        let axes = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
        axes.iter().any(|axis| apart(axis) || edges.iter().any(|edge| apart(&exact::cross(axis, edge))))
            || apart(&exact::cross(&edges[0], &edges[1]))
    }

    #[test]
    fn agrees_with_whole_numbers_on_mixed_scales() {
        let mut random = Random(5);
        let mut touching = 0;
        for _ in 0..20_000 {
            let corners = [0, 1, 2].map(|_| [0, 1, 2].map(|_| random.float()));
            let [p, q] = [0, 1].map(|_| [0, 1, 2].map(|_| random.float()));
            let lower = [0, 1, 2].map(|k| p[k].min(q[k]));
            let upper = [0, 1, 2].map(|k| p[k].max(q[k]));
            let found = touches(&corners, lower, upper);
            touching += usize::from(found);
            let expected = !separable(&corners, lower, upper);
            assert_eq!(found, expected, "{corners:?} {lower:?} {upper:?}");
        }
        assert!(touching > 1000 && touching < 19_000);
    }

    #[test]
    fn the_quick_answer_is_never_wrong_beside_a_line() {
        // The first edge runs through the origin, and the box is a tiny distance away: the deciding digits are lost as
        // soon as they are added to the corners.
        let mut random = Random(7);
        let (mut touching, mut quick) = (0, 0);
        for round in 0..40_000 {
            let along = [0, 1, 2].map(|_| (random.below(1 << 24) - (1 << 23)) as f32);
            let third = [0, 1, 2].map(|k| (random.below(1 << 24) - (1 << 23)) as f32 - along[k]);
            let corners = [along, along.map(|x| x * -4.0), third];
            let tiny = f32::from_bits((127 - 30 - (round % 40)) << 23);
            let lower = random.point(17).map(|x| (x - 8) as f32 * tiny);
            let upper = lower.map(|x| x + random.below(3) as f32 * tiny);
            let exact = !separable(&corners, lower, upper);
            assert_eq!(decided_exactly(&corners, &lower, &upper), exact, "{corners:?} {lower:?} {upper:?}");
            if let Some(answer) = decided_quickly(&corners, &lower, &upper) {
                assert_eq!(answer, exact, "{corners:?} {lower:?} {upper:?}");
                quick += 1;
            }
            touching += usize::from(exact);
        }
        assert!(touching > 1000 && touching < 39_000 && quick > 100, "{touching} {quick}");
    }

    #[test]
    fn one_ulp_decides_at_the_plane_and_at_an_edge() {
        // x + y + z = 3 through the corner (1, 1, 1).
        let face = [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
        // x + y = 2 through the box's upright edge at (1, 1); the rest of the triangle leans outward.
        let edge = [[2.0, 0.0, -1.0], [0.0, 2.0, 1.0], [4.0, 4.0, 5.0]];
        for scale in [1.0, 1e-30, 1e17_f32] {
            for corners in [face, edge].map(|corners| corners.map(|v| v.map(|x: f32| x * scale))) {
                let lower = [-scale; 3];
                assert!(touches(&corners, lower, [scale; 3]));
                for axis in 0..2 {
                    let mut upper = [scale; 3];
                    upper[axis] = scale.next_down();
                    assert!(!touches(&corners, lower, upper));
                }
            }
        }
    }

    #[test]
    fn one_ulp_decides_at_a_vertex_and_at_a_face() {
        let corners = [[0.0, 0.0, 1.0], [5.0, 1.0, 4.0], [1.0, 5.0, 4.0]];
        let mut upper = [1.0; 3];
        assert!(touches(&corners, [-1.0; 3], upper));
        upper[2] = 1.0_f32.next_down();
        assert!(!touches(&corners, [-1.0; 3], upper));
    }

    #[test]
    fn garbage_does_not_panic() {
        let odd = [f32::NAN, f32::INFINITY, f32::MIN, 0.0, 1.0];
        let mut random = Random(6);
        for _ in 0..20_000 {
            let [a, b, c, p, q] = [0; 5].map(|_| [0; 3].map(|_: i32| odd[random.below(5) as usize]));
            touches(&[a, b, c], p, q);
        }
    }
}
