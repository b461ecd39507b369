//! Winding numbers as sums of solid angles, in f64, with a bound of their error.
//!
//! Based on: Van Oosterom, Strackee, "The Solid Angle of a Plane Triangle", 1983.

use bvhc::mesh::Mesh;

/// A winding number, and a bound of its error. Near a triangle, or in the plane of one, that is large.
pub fn winding(mesh: &Mesh, point: [f32; 3]) -> (f64, f64) {
    let point = point.map(f64::from);
    let (mut angle, mut error) = (0.0, 0.0);
    for triangle in 0..mesh.triangles.len() as u32 {
        let [a, b, c] =
            mesh.corners(triangle).map(|corner| [0, 1, 2].map(|axis| f64::from(corner[axis]) - point[axis]));
        let [la, lb, lc] = [&a, &b, &c].map(|corner| dot(corner, corner).sqrt());
        let size = la * lb * lc;
        if size == 0.0 {
            return (0.0, f64::INFINITY);
        }
        let sine = a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        let cosine = size + dot(&a, &b) * lc + dot(&b, &c) * la + dot(&c, &a) * lb;
        angle += 2.0 * sine.atan2(cosine);
        // Where the number is negative its angle jumps from half a turn to minus half a turn.
        let is_unsure = cosine < 1e-9 * size && sine.abs() < 1e-12 * size;
        error += if is_unsure { f64::INFINITY } else { 1e-13 * size / sine.hypot(cosine).max(1e-300) };
    }
    (angle / (4.0 * std::f64::consts::PI), error + 1e-15)
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::grid;

    #[test]
    fn a_cube_winds_once_around_its_inside() {
        let cube = grid::cubes([1, 1, 1]);
        for (point, expected) in [([0.3, 0.4, 0.6], 1.0), ([0.99, 0.5, 0.01], 1.0), ([1.3, 0.2, 0.1], 0.0)] {
            let (value, error) = winding(&cube, point);
            assert!((value - expected).abs() <= error && error < 1e-9, "{point:?}: {value} {error}");
        }
    }
}
