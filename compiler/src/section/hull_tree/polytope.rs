//! The convex hull of a few points, and distances from it.

use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::math::vector::{Vector, dot, length_squared, offset, subtract};

/// The convex hull of at least one point.
pub(super) struct Polytope {
    points: Vec<Vector>,
    /// The triangles of the hull, counter-clockwise from outside; of points in a plane, all triangles, and of points on
    /// a line, all segments, as triangles that repeat a corner.
    faces: Vec<[usize; 3]>,
    /// Whether all points are in a plane.
    is_flat: bool,
}

impl Polytope {
    /// Cost: the fourth power of the number of points.
    pub(super) fn of(points: Vec<Vector>) -> Self {
        let count = points.len();
        let (mut faces, mut is_flat) = (Vec::new(), true);
        for (i, j, k) in triples(count) {
            let face = [i, j, k];
            if is_on_a_line(face.map(|index| points[index])) {
                continue;
            }
            let mut sides = [false; 2];
            for point in &points {
                let side = side(&points, face, *point);
                sides = [sides[0] || side > 0.0, sides[1] || side < 0.0];
            }
            match sides {
                [true, true] => is_flat = false,
                [false, false] => faces.push(face),
                [outside, _] => {
                    is_flat = false;
                    faces.push(if outside { [i, k, j] } else { face });
                }
            }
        }
        if faces.is_empty() {
            faces = (0..count).flat_map(|i| (i..count).map(move |j| [i, j, j])).collect();
        }
        Self { points, faces, is_flat }
    }

    /// The distance of a point, or a number that is more by rounding: that from a point that is in the hull.
    pub(super) fn distance(&self, point: Vector) -> f64 {
        let is_visible = |face: &&[usize; 3]| self.is_flat || side(&self.points, **face, point) > 0.0;
        let visible = self.faces.iter().filter(is_visible);
        // Nothing is visible from inside.
        let squares = visible.map(|face| square_from(face.map(|index| self.points[index]), point));
        squares.reduce(f64::min).map_or(0.0, f64::sqrt)
    }
}

fn triples(count: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..count).flat_map(move |i| (i + 1..count).flat_map(move |j| (j + 1..count).map(move |k| (i, j, k))))
}

/// Whether three points are exactly on a line.
fn is_on_a_line(points: [Vector; 3]) -> bool {
    [[0, 1], [1, 2], [2, 0]].iter().all(|[x, y]| {
        let [a, b, c] = points.map(|point| Coord { x: point[*x], y: point[*y] });
        orient2d(a, b, c) == 0.0
    })
}

/// Positive on the side from which a face is counter-clockwise, exactly.
fn side(points: &[Vector], face: [usize; 3], point: Vector) -> f64 {
    let coordinates = |[x, y, z]: Vector| Coord3D { x, y, z };
    let [a, b, c] = face.map(|index| coordinates(points[index]));
    // Positive where the corners are clockwise from the point.
    -orient3d(a, b, c, coordinates(point))
}

/// The squared distance of a point from a triangle, which may be flat.
///
/// Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1.5. Departure: all edges are tried, so that
/// rounding in a thin triangle cannot choose a wrong one.
fn square_from([a, b, c]: [Vector; 3], point: Vector) -> f64 {
    let edges = [[a, b], [b, c], [c, a]].map(|[from, to]| {
        let (along, ahead) = (subtract(to, from), subtract(point, from));
        let length2 = length_squared(along);
        let share = if length2 > 0.0 { (dot(along, ahead) / length2).clamp(0.0, 1.0) } else { 0.0 };
        length_squared(subtract(point, offset(from, along, share)))
    });
    let (u, v, w) = (subtract(b, a), subtract(c, a), subtract(point, a));
    let (uu, uv, vv, wu, wv) = (dot(u, u), dot(u, v), dot(v, v), dot(w, u), dot(w, v));
    let whole = uu * vv - uv * uv;
    let (s, t) = ((vv * wu - uv * wv) / whole, (uu * wv - uv * wu) / whole);
    // False for NaN, where the triangle has no area.
    let within = if s >= 0.0 && t >= 0.0 && s + t <= 1.0 {
        length_squared(subtract(point, offset(offset(a, u, s), v, t)))
    } else {
        f64::INFINITY
    };
    edges.into_iter().fold(within, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(points: &[Vector], cases: &[(Vector, f64)]) {
        // In any order, and with points repeated.
        for turn in 0..points.len() {
            let mut points: Vec<Vector> = points.to_vec();
            points.rotate_left(turn);
            points.push(points[0]);
            let hull = Polytope::of(points);
            for (point, expected) in cases {
                assert!((hull.distance(*point) - expected).abs() < 1e-12, "{point:?}: {expected}");
            }
        }
    }

    #[test]
    fn points_and_lines() {
        check(&[[1.0, 2.0, 3.0]], &[([1.0, 2.0, 3.0], 0.0), ([1.0, 2.0, 7.0], 4.0)]);
        let line = [[0.0; 3], [1.0, 1.0, 0.0], [3.0, 3.0, 0.0]];
        check(
            &line,
            &[
                ([2.0, 2.0, 0.0], 0.0),
                ([2.0, 2.0, 5.0], 5.0),
                ([3.0, 4.0, 0.0], 1.0),
                ([-3.0, 0.0, 4.0], 5.0),
            ],
        );
    }

    #[test]
    fn flat_ones() {
        let square = [[0.0; 3], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0], [1.0, 1.0, 0.0]];
        check(
            &square,
            &[
                ([0.5, 1.5, 0.0], 0.0),
                ([0.5, 1.5, -2.0], 2.0),
                ([3.0, 1.0, 0.0], 1.0),
                ([5.0, 1.0, 4.0], 5.0),
            ],
        );
    }

    #[test]
    fn solid_ones() {
        let cube: Vec<Vector> =
            (0..8).map(|corner| [0, 1, 2].map(|axis| f64::from(corner >> axis & 1))).collect();
        check(
            &cube,
            &[([0.5; 3], 0.0), ([1.0, 0.3, 0.2], 0.0), ([0.5, 0.5, 3.0], 2.0), ([4.0, 5.0, 0.5], 5.0)],
        );
        let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.1, 0.1]];
        check(&corner, &[([0.2; 3], 0.0), ([1.0; 3], 2.0 / 3f64.sqrt()), ([-1.0, 0.2, 0.2], 1.0)]);
    }
}
