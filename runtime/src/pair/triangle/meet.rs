//! Exact test whether two triangles have a point in common.
//!
//! Based on: Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", 1997,
//! through the crate `robust`. Two closed triangles meet where an edge of one meets the other: this also holds for
//! coplanar triangles, and for triangles degenerated to a segment or a point.

use core::cmp::Ordering::{self, Equal, Greater, Less};

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::math::vector::Map3;

pub(crate) type Point = [f64; 3];
pub(crate) type Triangle = [Point; 3];

/// Whether two closed triangles have a point in common.
///
/// Exact, as long as no coordinate is beyond 2^300 and none but 0 below 2^-300. Either may have no area: it is then the segment or the
/// point that is left of it. Does not allocate or panic. Cost: some 100 ns, more where they nearly touch.
///
/// ```
/// use bvhc_runtime::triangles_meet;
///
/// let floor = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
/// assert!(triangles_meet(&floor, &[[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]]));
/// ```
pub fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    meet(a, b)
}

/// The same, where it is rare that f32 leaves it open.
#[cold]
pub(crate) fn meet(a: &Triangle, b: &Triangle) -> bool {
    let sides_of_b = b.map3(|corner| side(a, &corner));
    if sides_of_b == [Greater; 3] || sides_of_b == [Less; 3] {
        return false;
    }
    let sides_of_a = a.map3(|corner| side(b, &corner));
    if sides_of_a == [Greater; 3] || sides_of_a == [Less; 3] {
        return false;
    }
    let edge = |triangle: &Triangle, k: usize| [triangle[k], triangle[(k + 1) % 3]];
    let edge_pierces = |of: &Triangle, sides: &[Ordering; 3], k: usize, other: &Triangle| {
        pierces(&edge(of, k), [sides[k], sides[(k + 1) % 3]], other)
    };
    (0..3).any(|k| edge_pierces(a, &sides_of_a, k, b)) || (0..3).any(|k| edge_pierces(b, &sides_of_b, k, a))
}

/// Whether a closed segment and a closed triangle have a point in common; as exact as [`triangles_meet`], and cheaper.
pub fn segment_meets_triangle(segment: &[Point; 2], triangle: &Triangle) -> bool {
    pierces(segment, segment.map(|end| side(triangle, &end)), triangle)
}

/// On which side of a triangle's plane a point lies; always `Equal` where the triangle has no area.
fn side([a, b, c]: &Triangle, point: &Point) -> Ordering {
    sign(orient3d(coordinates(a), coordinates(b), coordinates(c), coordinates(point)))
}

fn coordinates([x, y, z]: &Point) -> Coord3D<f64> {
    Coord3D { x: *x, y: *y, z: *z }
}

/// The sign of a number that is not NaN.
fn sign(x: f64) -> Ordering {
    x.partial_cmp(&0.0).unwrap_or(Equal)
}

/// `sides`: on which sides of the triangle's plane the segment's ends are.
fn pierces(segment: &[Point; 2], sides: [Ordering; 2], triangle: &Triangle) -> bool {
    match sides {
        [Equal, Equal] => flat_segment_meets_triangle(segment, triangle),
        [start, end] if start == end => false,
        _ => {
            let [p, q] = segment;
            let [a, b, c] = triangle;
            let around = [side(&[*p, *q, *a], b), side(&[*p, *q, *b], c), side(&[*p, *q, *c], a)];
            !(around.contains(&Greater) && around.contains(&Less))
        }
    }
}

/// For a segment in the triangle's plane, or a triangle without area.
fn flat_segment_meets_triangle(segment: &[Point; 2], triangle: &Triangle) -> bool {
    let [a, b, c] = triangle;
    holds(triangle, &segment[0]) || [[a, b], [b, c], [c, a]].iter().any(|edge| segments_meet(segment, edge))
}

/// The projections along the axes. For coplanar points, at least one is injective; a property that holds in all of them
/// holds in space.
const VIEWS: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// The orientation of three points in a projection.
fn turn(view: [usize; 2], points: [&Point; 3]) -> Ordering {
    let [a, b, c] = points.map3(|point| Coord { x: point[view[0]], y: point[view[1]] });
    sign(orient2d(a, b, c))
}

/// Whether the triangle contains a point of its plane; false if it has no area.
fn holds([a, b, c]: &Triangle, point: &Point) -> bool {
    let mut has_area = false;
    for view in VIEWS {
        if turn(view, [a, b, c]) == Equal {
            continue;
        }
        has_area = true;
        let turns = [[a, b], [b, c], [c, a]].map3(|[from, to]| turn(view, [from, to, point]));
        if turns.contains(&Greater) && turns.contains(&Less) {
            return false;
        }
    }
    has_area
}

/// Whether two segments have a point in common.
fn segments_meet([p, q]: &[Point; 2], [a, b]: &[&Point; 2]) -> bool {
    side(&[*p, *q, **a], b) == Equal && VIEWS.iter().all(|view| are_seen_to_meet(*view, [p, q], [a, b]))
}

fn are_seen_to_meet(view: [usize; 2], [p, q]: [&Point; 2], [a, b]: [&Point; 2]) -> bool {
    let overlap = |axis: usize| {
        p[axis].min(q[axis]) <= a[axis].max(b[axis]) && a[axis].min(b[axis]) <= p[axis].max(q[axis])
    };
    let apart = |line: [&Point; 2], ends: [&Point; 2]| {
        let sides = ends.map(|end| turn(view, [line[0], line[1], end]));
        sides == [Greater; 2] || sides == [Less; 2]
    };
    overlap(view[0]) && overlap(view[1]) && !apart([p, q], [a, b]) && !apart([a, b], [p, q])
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOOR: Triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    fn check(other: Triangle, wanted: bool) {
        for turn in 0..3 {
            let turned = [0, 1, 2].map(|k| other[(k + turn) % 3]);
            assert_eq!(meet(&FLOOR, &turned), wanted, "{turned:?}");
            assert_eq!(meet(&turned, &FLOOR), wanted, "{turned:?}");
        }
    }

    #[test]
    fn across() {
        check([[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]], true);
        check([[3.0, 3.0, -1.0], [3.0, 3.0, 1.0], [9.0, 9.0, 1.0]], false);
    }

    #[test]
    fn segments() {
        let meets = |from, to| segment_meets_triangle(&[from, to], &FLOOR);
        assert!(meets([1.0, 1.0, 1.0], [1.0, 1.0, 0.0]) && meets([1.0, 1.0, 1.0], [1.0, 1.0, -1.0]));
        assert!(meets([3.0, 1.0, 1.0], [3.0, 1.0, -1.0]) && !meets([3.0, 1.5, 1.0], [3.0, 1.5, -1.0]));
        assert!(meets([-1.0, 1.0, 0.0], [9.0, 1.0, 0.0]) && !meets([-1.0, 5.0, 0.0], [9.0, 5.0, 0.0]));
        assert!(meets([1.0, 1.0, 0.0], [1.0, 1.0, 0.0]) && !meets([1.0, 1.0, 1.0], [1.0, 1.0, 0.5]));
    }

    #[test]
    fn touching() {
        check([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0], [9.0, 9.0, 1.0]], true);
        check([[2.0, 2.0, -1.0], [2.0, 2.0, 1.0], [9.0, 9.0, 0.0]], true);
        check([[4.0, 0.0, 0.0], [9.0, 0.0, 1.0], [9.0, 1.0, 1.0]], true);
        check([[4.0, 0.0, f64::MIN_POSITIVE], [9.0, 0.0, 1.0], [9.0, 1.0, 1.0]], false);
    }

    #[test]
    fn in_one_plane() {
        check([[1.0, 1.0, 0.0], [1.5, 1.0, 0.0], [1.0, 1.5, 0.0]], true);
        check([[-9.0, -9.0, 0.0], [90.0, -9.0, 0.0], [-9.0, 90.0, 0.0]], true);
        check([[2.0, 2.0, 0.0], [9.0, 2.0, 0.0], [9.0, 9.0, 0.0]], true);
        check([[2.0, 2.000001, 0.0], [9.0, 2.0, 0.0], [9.0, 9.0, 0.0]], false);
    }

    #[test]
    fn without_area() {
        check([[1.0, 1.0, -1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]], true);
        check([[1.0, 1.0, 0.0], [3.0, 3.0, 0.0], [2.0, 2.0, 0.0]], true);
        check([[3.0, 3.0, 0.0], [5.0, 5.0, 0.0], [4.0, 4.0, 0.0]], false);
        check([[1.0, 1.0, 0.0]; 3], true);
        check([[1.0, 1.0, 1.0]; 3], false);
        check([[0.0, 0.0, 1.0], [4.0, 4.0, 1.0], [1.0, 1.0, 1.0]], false);
        let needle = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 0.5]];
        assert!(meet(&needle, &[[0.0, 1.0, 0.0], [2.0, 1.0, 0.0], [1.0, 1.0, 0.0]]));
        assert!(!meet(&needle, &[[0.0, 2.0, 0.0], [2.0, 2.0, 0.0], [1.0, 2.0, 0.0]]));
        assert!(!meet(&needle, &[[0.0, 1.0, 2.0], [2.0, 1.0, 2.0], [1.0, 1.0, 2.0]]));
    }
}
