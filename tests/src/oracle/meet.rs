//! Whether two triangles meet, exactly.
//!
//! By incidence instead of intervals or separating axes: two triangles meet exactly if an edge of one meets the other.
//! (Their intersection is convex, so it has an extreme point. Such a point lies on an edge: around a point inside both
//! triangles, the intersection extends in at least one direction and its opposite.) A triangle with collinear corners
//! is the union of its edges, and no special case.

use super::number::{Number, cross, decide, difference, dot};
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A point in the space that both triangles are in.
pub type Point = [f64; 3];

/// The corners of a triangle, of a segment or of a point: a closed set.
pub type Corners = [Point; 3];

/// The coordinates for which the arithmetic is exact are 0 or have magnitudes between these.
pub const MAGNITUDES: [f64; 2] = [f64::from_bits((1023 - 300) << 52), f64::from_bits((1023 + 300) << 52)];

/// Whether two triangles have a point in common. Panics where a coordinate is out of the range of [`MAGNITUDES`].
pub fn meet(a: Corners, b: Corners) -> bool {
    assert!(is_in_range(a) && is_in_range(b), "{a:?} {b:?}: too small or too large to be exact");
    let apart = (0..3).any(|axis| is_apart(&a.map(|corner| corner[axis]), &b.map(|corner| corner[axis])));
    !apart && closed_sets_meet(a, b)
}

fn is_in_range(corners: Corners) -> bool {
    let [least, greatest] = MAGNITUDES;
    corners.as_flattened().iter().all(|&x| x == 0.0 || (least..=greatest).contains(&x.abs()))
}

/// Whether the intervals around these numbers are disjoint.
fn is_apart(a: &[f64], b: &[f64]) -> bool {
    let low = |numbers: &[f64]| numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = |numbers: &[f64]| numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    high(a) < low(b) || high(b) < low(a)
}

fn closed_sets_meet(a: Corners, b: Corners) -> bool {
    let b_over_a = sides(a, b);
    if is_beyond(b_over_a) {
        return false;
    }
    let a_over_b = sides(b, a);
    !is_beyond(a_over_b) && (an_edge_meets(b, b_over_a, a) || an_edge_meets(a, a_over_b, b))
}

/// On which side of the plane of a triangle the points are; [`Equal`] throughout where it has no area.
fn sides(plane: Corners, points: Corners) -> [Ordering; 3] {
    points.map(|point| orientation([plane[0], plane[1], plane[2], point]))
}

fn is_beyond(sides: [Ordering; 3]) -> bool {
    sides == [Greater; 3] || sides == [Less; 3]
}

/// Whether an edge of `a`, whose corners are on these sides of the plane of `b`, meets `b`.
fn an_edge_meets(a: Corners, sides: [Ordering; 3], b: Corners) -> bool {
    (0..3).any(|index| {
        let next = (index + 1) % 3;
        let edge = [a[index], a[next]];
        match (sides[index], sides[next]) {
            (Greater, Greater) | (Less, Less) => false,
            (Equal, Equal) => segment_in_plane_meets(edge, b),
            _ => line_meets(edge, b),
        }
    })
}

/// Whether the line, which crosses the triangle's plane in one point, does so inside the triangle.
fn line_meets([start, end]: [Point; 2], triangle: Corners) -> bool {
    is_on_no_two_sides(|index| orientation([start, end, triangle[index], triangle[(index + 1) % 3]]))
}

/// Whether a segment in the triangle's plane meets it: meets its border, or is inside.
fn segment_in_plane_meets(segment: [Point; 2], triangle: Corners) -> bool {
    (0..3).any(|index| segments_meet(segment, [triangle[index], triangle[(index + 1) % 3]]))
        || is_inside(segment[0], triangle)
}

/// Whether a point in the triangle's plane is inside it, projected along an axis along which the triangle has an area.
/// False where it has none.
fn is_inside(point: Point, [a, b, c]: Corners) -> bool {
    let axis = (0..3).find(|&axis| turn(axis, [a, b, c]) != Equal);
    axis.is_some_and(|axis| {
        is_on_no_two_sides(|index| turn(axis, [[a, b, point], [b, c, point], [c, a, point]][index]))
    })
}

fn is_on_no_two_sides(side: impl Fn(usize) -> Ordering) -> bool {
    let sides = [side(0), side(1), side(2)];
    !(sides.contains(&Less) && sides.contains(&Greater))
}

/// Whether two segments, possibly points, meet: whether they are in one plane and, projected along each axis, meet.
/// (Along at least one axis, different points of a plane have different projections.)
fn segments_meet(a: [Point; 2], b: [Point; 2]) -> bool {
    let apart = (0..3).any(|axis| is_apart(&a.map(|end| end[axis]), &b.map(|end| end[axis])));
    !apart && orientation([a[0], a[1], b[0], b[1]]) == Equal && (0..3).all(|axis| seen_straddle(axis, a, b))
}

/// Whether no segment is strictly on one side of the line through the other, projected along an axis. If their boxes
/// meet, too, they meet.
fn seen_straddle(axis: usize, a: [Point; 2], b: [Point; 2]) -> bool {
    let strictly_beside = |line: [Point; 2], ends: [Point; 2]| {
        let [one, other] = ends.map(|end| turn(axis, [line[0], line[1], end]));
        one != Equal && one == other
    };
    !strictly_beside(a, b) && !strictly_beside(b, a)
}

/// On which side of the plane through the first three points the fourth is.
fn orientation(points: [Point; 4]) -> Ordering {
    fn sign<N: Number>([a, b, c, d]: [Point; 4]) -> Option<Ordering> {
        dot(&difference::<N>(d, a), &cross(&difference(b, a), &difference(c, a))).sign()
    }
    decide!(sign(points))
}

/// Which way the path along the points turns at the second, projected along an axis.
fn turn(axis: usize, points: Corners) -> Ordering {
    fn sign<N: Number>(axis: usize, [a, b, c]: Corners) -> Option<Ordering> {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        let (along, offset) = (difference::<N>(b, a), difference::<N>(c, a));
        along[next].times(&offset[last]).minus(&along[last].times(&offset[next])).sign()
    }
    decide!(sign(axis, points))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const PERMUTATIONS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

    /// In the plane z = 0.
    const FLOOR: Corners = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]];

    /// Whether triangles meet, the same in either order, for each order of corners, and after affine maps that keep
    /// numbers exact, but not their products.
    fn checked(a: Corners, b: Corners) -> bool {
        let answer = meet(a, b);
        for order in PERMUTATIONS {
            let turned = order.map(|index| b[index]);
            assert_eq!((meet(a, turned), meet(turned, a)), (answer, answer), "{a:?} {b:?}");
        }
        let skewed = |[x, y, z]: Point| {
            [
                3e7 * x + 5.0 * y - 7e6 * z + 1e9,
                11.0 * x - 2e7 * y + 13.0 * z - 3e8,
                17.0 * x + 19e6 * y + 23e6 * z,
            ]
        };
        assert_eq!(meet(a.map(skewed), b.map(skewed)), answer, "{a:?} {b:?} skewed");
        let small = |point: Point| point.map(|x| x * 2f64.powi(-290));
        assert_eq!(meet(a.map(small), b.map(small)), answer, "{a:?} {b:?} made small");
        answer
    }

    #[track_caller]
    fn expect(answer: bool, cases: &[Corners]) {
        for &case in cases {
            assert_eq!(checked(FLOOR, case), answer, "{case:?}");
        }
    }

    #[test]
    fn corners_count() {
        let above = [[1.0, 1.0, 5.0], [3.0, 1.0, 5.0]];
        let standing_on = |point| [point, above[0], above[1]];
        expect(true, &[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [2.0, 2.0, 0.0]].map(standing_on));
        let beside = [[0.0, 0.0, MAGNITUDES[0]], [4.0, -1e-80, 0.0], [4.0, 4.0 + 1e-15, 0.0]];
        for case in beside.map(standing_on) {
            assert!(!meet(FLOOR, case) && !meet(case, FLOOR), "{case:?}");
        }
    }

    #[test]
    fn edges_count() {
        let through = |x: f64, y: f64| [[x, y, -1.0], [x, y, 1.0], [x + 9.0, y + 9.0, 0.5]];
        expect(true, &[through(1.0, 1.0), through(4.0, 4.0), through(8.0, 0.0), through(-2.0, -2.0)]);
        expect(false, &[through(5.0, 4.0), through(9.0, 0.0)]);
        // Crossing an edge, from above and below, and past its end.
        let across = |x: f64| [[x, -1.0, -1.0], [x, 1.0, 1.0], [x, -5.0, 5.0]];
        expect(true, &[across(0.0), across(3.0), across(8.0)]);
        expect(false, &[across(-1.0), across(9.0)]);
    }

    #[test]
    fn edges_on_one_line_count() {
        let along = |from: f64, to: f64| [[from, 0.0, 0.0], [to, 0.0, 0.0], [0.0, -3.0, 2.0]];
        expect(
            true,
            &[along(2.0, 3.0), along(-2.0, 0.0), along(8.0, 9.0), along(-1.0, 9.0), along(0.0, 8.0)],
        );
        expect(false, &[along(9.0, 11.0), along(-2.0, -1.0)]);
    }

    #[test]
    fn triangles_in_one_plane() {
        let at = |x: f64, y: f64, size: f64| [[x, y, 0.0], [x + size, y, 0.0], [x, y + size, 0.0]];
        expect(true, &[at(1.0, 1.0, 2.0), at(-9.0, -9.0, 90.0), at(5.0, -1.0, 3.0), FLOOR]);
        expect(true, &[at(8.0, 0.0, 3.0), at(4.0, 4.0, 1.0), at(-3.0, 0.0, 3.0), at(-4.0, 4.0, 4.0)]);
        expect(false, &[at(5.0, 4.0, 1.0), at(9.0, 0.0, 3.0), at(-3.0, 0.0, 2.0), at(7.0, 7.0, 9.0)]);
        // A star of David: no corner in the other.
        expect(true, &[[[5.0, 5.0, 0.0], [5.0, -3.0, 0.0], [-3.0, 5.0, 0.0]]]);
        let lifted = FLOOR.map(|[x, y, _]| [x, y, 1.0]);
        expect(false, &[lifted]);
    }

    #[test]
    fn neighbours_meet() {
        expect(true, &[[FLOOR[1], FLOOR[0], [3.0, -3.0, 1.0]], [FLOOR[1], FLOOR[0], [3.0, 3.0, 1.0]]]);
        expect(
            true,
            &[[FLOOR[2], [9.0, 9.0, 9.0], [-1.0, 9.0, 9.0]], [FLOOR[2], [0.0, 9.0, 0.0], [1.0, 9.0, 0.0]]],
        );
    }

    #[test]
    fn segments_and_points_count() {
        let point = |x: f64, y: f64, z: f64| [[x, y, z]; 3];
        expect(
            true,
            &[point(0.0, 0.0, 0.0), point(4.0, 0.0, 0.0), point(1.0, 2.0, 0.0), point(4.0, 4.0, 0.0)],
        );
        expect(false, &[point(1.0, 2.0, 1.0), point(5.0, 4.0, 0.0), point(9.0, 0.0, 0.0)]);
        let segment =
            |from: Point, to: Point| [from, [0, 1, 2].map(|axis| (from[axis] + to[axis]) / 2.0), to];
        expect(
            true,
            &[segment([1.0, 1.0, -4.0], [1.0, 1.0, 4.0]), segment([-2.0, 2.0, 0.0], [10.0, 2.0, 0.0])],
        );
        expect(
            true,
            &[segment([-2.0, 0.0, 0.0], [0.0, 0.0, 0.0]), segment([1.0, 1.0, 0.0], [2.0, 2.0, 0.0])],
        );
        expect(
            false,
            &[segment([5.0, 5.0, -4.0], [5.0, 5.0, 4.0]), segment([-2.0, -1.0, 0.0], [10.0, -1.0, 0.0])],
        );
        expect(
            false,
            &[segment([10.0, 0.0, 0.0], [12.0, 0.0, 0.0]), segment([1.0, 1.0, 2.0], [2.0, 2.0, 4.0])],
        );
        let rod = segment([0.0, 0.0, 0.0], [2.0, 4.0, 6.0]);
        assert!(
            checked(rod, segment([0.0, 4.0, 6.0], [2.0, 0.0, 0.0])) && checked(rod, point(1.0, 2.0, 3.0))
        );
        assert!(checked(rod, segment([2.0, 4.0, 6.0], [4.0, 8.0, 12.0])) && checked(rod, rod));
        assert!(
            !checked(rod, segment([4.0, 8.0, 12.0], [6.0, 12.0, 18.0]))
                && !checked(rod, point(3.0, 6.0, 9.0))
        );
        assert!(
            !checked(rod, point(1.0, 2.0, 4.0)) && !checked(rod, segment([0.0, 4.0, 6.0], [2.0, 0.0, 2.0]))
        );
        assert!(
            checked(point(1.0, 2.0, 4.0), point(1.0, 2.0, 4.0))
                && !checked(point(1.0, 2.0, 4.0), point(1.0, 2.0, 2.0))
        );
    }

    #[test]
    #[should_panic(expected = "to be exact")]
    fn numbers_out_of_range_are_refused() {
        meet(FLOOR, [[1e-200, 1.0, 1.0], [1.0; 3], [2.0; 3]]);
    }

    type Whole = [i64; 3];

    fn dot(a: Whole, b: Whole) -> i64 {
        (0..3).map(|axis| a[axis] * b[axis]).sum()
    }

    fn cross(a: Whole, b: Whole) -> Whole {
        std::array::from_fn(|x| a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3])
    }

    fn minus(a: Whole, b: Whole) -> Whole {
        std::array::from_fn(|axis| a[axis] - b[axis])
    }

    /// Triangles meet where the origin is a difference of their points, which are the hull of nine. By Carathéodory's
    /// theorem, it is then in a segment, a triangle or a tetrahedron of these.
    fn meet_by_differences(a: [Whole; 3], b: [Whole; 3]) -> bool {
        let points: [Whole; 9] = std::array::from_fn(|i| minus(a[i / 3], b[i % 3]));
        (0..9).any(|i| {
            (0..=i).any(|j| {
                let (p, q) = (points[i], points[j]);
                segment_has_origin(p, q)
                    || (0..j).any(|k| {
                        let r = points[k];
                        triangle_has_origin([p, q, r])
                            || (0..k).any(|l| tetrahedron_has_origin([p, q, r, points[l]]))
                    })
            })
        })
    }

    fn segment_has_origin(p: Whole, q: Whole) -> bool {
        cross(p, q) == [0; 3] && dot(p, q) <= 0
    }

    fn triangle_has_origin([p, q, r]: [Whole; 3]) -> bool {
        let normal = cross(minus(q, p), minus(r, p));
        let within = [cross(p, q), cross(q, r), cross(r, p)].iter().all(|&weight| dot(weight, normal) >= 0);
        normal != [0; 3] && dot(normal, p) == 0 && within
    }

    fn tetrahedron_has_origin([p, q, r, s]: [Whole; 4]) -> bool {
        let volume = dot(cross(minus(q, p), minus(r, p)), minus(s, p));
        let weights = [dot(cross(q, r), s), -dot(cross(p, r), s), dot(cross(p, q), s), -dot(cross(p, q), r)];
        volume != 0 && weights.iter().all(|&weight| weight * volume.signum() >= 0)
    }

    /// How many pairs meet, all of which are checked.
    fn agreement(pairs: impl IntoIterator<Item = [[Whole; 3]; 2]>) -> usize {
        let float = |triangle: [Whole; 3]| triangle.map(|corner| corner.map(|x| x as f64));
        let agreed = pairs.into_iter().filter(|&[a, b]| {
            let answer = meet(float(a), float(b));
            assert_eq!(answer, meet_by_differences(a, b), "{a:?} {b:?}");
            answer
        });
        agreed.count()
    }

    /// Every triangle, segment and point with corners in a block of the lattice.
    fn every_pair(size: Whole) -> impl Iterator<Item = [[Whole; 3]; 2]> {
        let count = size.iter().product::<i64>();
        let point = move |i: i64| [i % size[0], i / size[0] % size[1], i / size[0] / size[1]];
        let triples = (0..count).flat_map(move |i| {
            (i..count).flat_map(move |j| (j..count).map(move |k| [point(i), point(j), point(k)]))
        });
        let triangles: Vec<_> = triples.collect();
        let others = triangles.clone();
        (0..triangles.len()).flat_map(move |i| {
            let a = triangles[i];
            others[..=i].iter().map(|&b| [a, b]).collect::<Vec<_>>()
        })
    }

    /// All pairs on a cube, in a plane of nine points, and, where `BVHC_LONG` is 1, on 27 points.
    #[test]
    fn agrees_with_differences_on_every_small_triangle() {
        assert!(agreement(every_pair([2, 2, 2])) > 1000);
        assert!(agreement(every_pair([3, 1, 3])) > 1000);
        if crate::support::is_long() {
            assert!(agreement(every_pair([3, 3, 3])) > 1_000_000);
        }
    }

    #[test]
    fn agrees_with_differences_on_the_lattice() {
        let mut random = Random::new(1);
        for size in [1, 2, 3, 5, 100, 10_000] {
            let mut point = || std::array::from_fn(|_| i64::from(random.integer(-size, size)));
            let pairs: Vec<_> = (0..20_000).map(|_| [0; 2].map(|_| [0; 3].map(|_| point()))).collect();
            let met = agreement(pairs);
            assert!((1000..19_000).contains(&met), "{size}: {met}");
        }
    }
}
