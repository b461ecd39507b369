//! Which triangles touch a closed axis-aligned box, exactly.
//!
//! By incidence instead of separating axes: a triangle touches a box exactly if one of its edges meets the box, or one
//! of the box's edges meets the triangle. (If no edge of the triangle meets the box, their intersection is the box's
//! section with the triangle's plane, and the section's corners lie on edges of the box.)

use super::number::{Number, decide, difference, dot, normal};
use bvhc::mesh::Mesh;
use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A closed box: from `min` to `max`.
type Bounds = ([f32; 3], [f32; 3]);

/// The triangles that touch the closed box from `min` to `max`, ascending.
///
/// Infinite bounds are allowed; a box with `min` above `max`, or NaN, touches nothing.
pub fn all(mesh: &Mesh, min: [f32; 3], max: [f32; 3]) -> Vec<u32> {
    let count = mesh.triangles.len() as u32;
    (0..count).filter(|&triangle| touches(mesh.corners(triangle), min, max)).collect()
}

/// Whether a triangle has a point in the closed box from `min` to `max`; as [`all`] otherwise.
pub fn touches(corners: [[f32; 3]; 3], min: [f32; 3], max: [f32; 3]) -> bool {
    let ordered = (0..3).all(|axis| min[axis] <= max[axis]);
    let apart = (0..3).any(|axis| {
        let all = |beyond: &dyn Fn(f32) -> bool| corners.iter().all(|corner| beyond(corner[axis]));
        all(&|x| x < min[axis]) || all(&|x| x > max[axis])
    });
    let clamp = |bound: [f32; 3]| bound.map(|x| x.clamp(f32::MIN, f32::MAX));
    ordered && !apart && decide!(meets(corners, (clamp(min), clamp(max))))
}

fn meets<N: Number>(corners: [[f32; 3]; 3], bounds: Bounds) -> Option<bool> {
    for index in 0..3 {
        if segment_meets_box::<N>(corners[index], corners[(index + 1) % 3], bounds)? {
            return Some(true);
        }
    }
    for axis in 0..3 {
        for corner in 0..4 {
            if edge_meets_triangle::<N>(corners, bounds, axis, corner)? {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// A fraction with a positive denominator.
struct Fraction<N> {
    numerator: N,
    denominator: N,
}

impl<N: Number> Fraction<N> {
    fn above(&self, other: &Self) -> Option<bool> {
        let left = self.numerator.times(&other.denominator);
        Some(left.minus(&other.numerator.times(&self.denominator)).sign()? == Greater)
    }
}

/// Whether the parameters in 0..=1 at which the segment is between each pair of planes have a common value.
fn segment_meets_box<N: Number>(start: [f32; 3], end: [f32; 3], (min, max): Bounds) -> Option<bool> {
    let whole = |value| Fraction { numerator: N::new(value), denominator: N::new(1.0) };
    let (mut entries, mut exits) = (vec![whole(0.0)], vec![whole(1.0)]);
    for axis in 0..3 {
        let (low, high) = (min[axis], max[axis]);
        let (near, far) = if start[axis] <= end[axis] { (low, high) } else { (high, low) };
        if start[axis] == end[axis] {
            if start[axis] < low || start[axis] > high {
                return Some(false);
            }
            continue;
        }
        entries.push(crossing(start[axis], end[axis], near));
        exits.push(crossing(start[axis], end[axis], far));
    }
    for entry in &entries {
        for exit in &exits {
            if entry.above(exit)? {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// Where between `start` (0) and `end` (1), which differ, `plane` lies.
fn crossing<N: Number>(start: f32, end: f32, plane: f32) -> Fraction<N> {
    let (from, to) = if start < end { (start, plane) } else { (plane, start) };
    let (low, high) = if start < end { (start, end) } else { (end, start) };
    let minus = |a, b| N::new(a).minus(&N::new(b));
    Fraction { numerator: minus(to, from), denominator: minus(high, low) }
}

/// Whether the triangle meets the edge of the box that is parallel to `axis`, at the `corner`-th corner of the other
/// two axes.
///
/// False where the edge is parallel to the triangle's plane: an edge along another axis, or one of the triangle's
/// edges, then has the same points.
fn edge_meets_triangle<N: Number>(
    corners: [[f32; 3]; 3],
    (min, max): Bounds,
    axis: usize,
    corner: usize,
) -> Option<bool> {
    let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut low = min;
    low[next] = if corner & 1 == 0 { min[next] } else { max[next] };
    low[last] = if corner & 2 == 0 { min[last] } else { max[last] };
    let mut high = low;
    high[axis] = max[axis];
    Some(line_meets_triangle::<N>(corners, low, next, last)? && crosses_plane::<N>(corners, low, high)?)
}

/// Whether `point` is inside or on the triangle, both projected along the axis that is neither `next` nor `last`.
fn line_meets_triangle<N: Number>(
    corners: [[f32; 3]; 3],
    point: [f32; 3],
    next: usize,
    last: usize,
) -> Option<bool> {
    let side = |from: [f32; 3], to: [f32; 3], point: [f32; 3]| -> Option<Ordering> {
        let (along, offset) = (difference::<N>(to, from), difference::<N>(point, from));
        along[next].times(&offset[last]).minus(&along[last].times(&offset[next])).sign()
    };
    let [a, b, c] = corners;
    let outside = side(a, b, c)?.reverse();
    if outside == Equal {
        return Some(false);
    }
    Some(side(a, b, point)? != outside && side(b, c, point)? != outside && side(c, a, point)? != outside)
}

/// Whether `low` and `high` are not strictly on one side of the triangle's plane.
fn crosses_plane<N: Number>(corners: [[f32; 3]; 3], low: [f32; 3], high: [f32; 3]) -> Option<bool> {
    let normal = normal::<N>(corners);
    let side = |point| dot(&normal, &difference(point, corners[0])).sign();
    Some(!matches!((side(low)?, side(high)?), (Less, Less) | (Greater, Greater)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const UNIT: Bounds = ([0.0; 3], [1.0; 3]);

    #[test]
    fn faces_edges_and_corners_belong_to_the_box() {
        let over_face = [[-9.0, -9.0, 1.0], [9.0, -9.0, 1.0], [0.0, 9.0, 1.0]];
        let at_corner = [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]];
        let across_corner = [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0]];
        let beyond_corner =
            across_corner.map(|corner: [f32; 3]| corner.map(|x| if x > 0.0 { x.next_up() } else { x }));
        assert!(touches(over_face, UNIT.0, UNIT.1));
        assert!(!touches(over_face.map(|[x, y, z]: [f32; 3]| [x, y, z.next_up()]), UNIT.0, UNIT.1));
        assert!(touches(at_corner, UNIT.0, UNIT.1));
        assert!(touches(across_corner, UNIT.0, UNIT.1));
        assert!(!touches(beyond_corner, UNIT.0, UNIT.1));
    }

    #[test]
    fn flat_empty_and_infinite_boxes() {
        let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        assert!(touches(corners, [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]));
        assert!(!touches(corners, [3.0, 3.0, 0.0], [3.0, 3.0, 0.0]));
        assert!(!touches(corners, [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]));
        assert!(!touches(corners, [f32::NAN, 1.0, -1.0], [2.0, 2.0, 1.0]));
        assert!(touches(corners, [f32::NEG_INFINITY; 3], [f32::INFINITY; 3]));
        assert!(!touches(corners, [f32::NEG_INFINITY; 3], [f32::INFINITY, f32::INFINITY, -1.0]));
    }

    fn cross(a: [i64; 3], b: [i64; 3]) -> [i64; 3] {
        std::array::from_fn(|x| a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3])
    }

    fn spread(points: &[[i64; 3]], axis: [i64; 3]) -> (i64, i64) {
        let along = points.iter().map(|point| (0..3).map(|x| point[x] * axis[x]).sum::<i64>());
        (along.clone().min().expect("points"), along.max().expect("points"))
    }

    /// The classic separating-axis test, in integers.
    fn separated(corners: [[i64; 3]; 3], min: [i64; 3], max: [i64; 3]) -> bool {
        let units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let edges: [[i64; 3]; 3] =
            std::array::from_fn(|i| std::array::from_fn(|x| corners[(i + 1) % 3][x] - corners[i][x]));
        let mut axes = vec![cross(edges[0], edges[1])];
        axes.extend(units);
        axes.extend(units.iter().flat_map(|&unit| edges.map(|edge| cross(unit, edge))));
        let vertices: Vec<[i64; 3]> =
            (0..8).map(|i| std::array::from_fn(|x| if i >> x & 1 == 0 { min[x] } else { max[x] })).collect();
        axes.iter().any(|&axis| {
            let (a, b) = (spread(&corners, axis), spread(&vertices, axis));
            a.1 < b.0 || b.1 < a.0
        })
    }

    #[test]
    fn agrees_with_separating_axes_on_the_integer_grid() {
        let mut random = Random::new(7);
        let mut touching = 0;
        for _ in 0..20_000 {
            let mut point = |low, high| std::array::from_fn(|_| i64::from(random.integer(low, high)));
            let corners: [[i64; 3]; 3] = std::array::from_fn(|_| point(-4, 4));
            let (min, size): ([i64; 3], [i64; 3]) = (point(-3, 2), point(0, 3));
            let max = std::array::from_fn(|x| min[x] + size[x]);
            let float = |point: [i64; 3]| point.map(|x| x as f32);
            let answer = touches(corners.map(float), float(min), float(max));
            assert_eq!(answer, !separated(corners, min, max), "{corners:?} {min:?} {max:?}");
            touching += u32::from(answer);
        }
        assert!((2000..18_000).contains(&touching));
    }
}
