//! Frames along the principal axes of points, or of the surface of their hull.
//!
//! Based on: Gottschalk, Lin, Manocha, "OBBTree: A hierarchical structure for rapid interference detection", 1996
//! (the covariances), and Jacobi's eigenvalue method, 1846. No departures.

use super::frame::Frame;
use super::hull::Hull;
use crate::math::vector::{Vector, add, cross, length_squared, scale, subtract};

/// Sweeps of Jacobi's method at most; a 3x3 matrix takes about five.
const SWEEPS: usize = 16;

/// What is off the diagonal of a matrix whose largest element was 1 is rounding, below this.
const OFF_DIAGONAL: f64 = 1e-18;

/// The first two moments of a distribution of mass.
#[derive(Default)]
struct Moments {
    mass: f64,
    first: Vector,
    second: [Vector; 3],
}

impl Moments {
    /// Adds points of which each has the mass `each`.
    fn add_points(&mut self, points: &[Vector], each: f64) {
        for point in points {
            self.mass += each;
            self.first = add(self.first, scale(*point, each));
            for (row, x) in self.second.iter_mut().zip(point) {
                *row = add(*row, scale(*point, x * each));
            }
        }
    }

    fn covariance(&self) -> [Vector; 3] {
        let mean = scale(self.first, 1.0 / self.mass);
        [0, 1, 2].map(|i| {
            let of_mean = scale(mean, mean[i]);
            subtract(scale(self.second[i], 1.0 / self.mass), of_mean)
        })
    }
}

/// The principal axes of points.
pub(crate) fn of_points(points: impl Iterator<Item = Vector> + Clone) -> Frame {
    let Some(origin) = points.clone().next() else {
        return Frame::IDENTITY;
    };
    let mut moments = Moments::default();
    for point in points {
        moments.add_points(&[subtract(point, origin)], 1.0);
    }
    principal_axes(moments.covariance())
}

/// The principal axes of the surface of a hull.
pub(super) fn of_surface(hull: &Hull) -> Frame {
    let points = hull.points();
    let Some(origin) = hull.corners().next() else {
        return Frame::IDENTITY;
    };
    let mut moments = Moments::default();
    for triangle in hull.triangles() {
        let [a, b, c] = triangle.map(|corner| subtract(points[corner as usize], origin));
        let area = length_squared(cross(subtract(b, a), subtract(c, a))).sqrt();
        // A triangle's moments are those of its corners with a twelfth of its mass each, and three quarters in
        // the middle.
        let middle = scale(add(add(a, b), c), 1.0 / 3.0);
        moments.add_points(&[a, b, c], area / 12.0);
        moments.add_points(&[middle], area * 0.75);
    }
    if moments.mass > 0.0 { principal_axes(moments.covariance()) } else { Frame::IDENTITY }
}

/// The eigenvectors of a symmetric matrix.
fn principal_axes(matrix: [Vector; 3]) -> Frame {
    let largest = matrix.as_flattened().iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest == 0.0 {
        return Frame::IDENTITY;
    }
    let mut matrix = matrix.map(|row| scale(row, 1.0 / largest));
    let mut axes = Frame::IDENTITY.axes;
    for _ in 0..SWEEPS {
        if matrix[0][1].abs().max(matrix[0][2].abs()).max(matrix[1][2].abs()) < OFF_DIAGONAL {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut matrix, &mut axes, p, q);
        }
    }
    Frame { axes: [axes[0], axes[1], cross(axes[0], axes[1])] }.squared()
}

/// One rotation of Jacobi's method: makes the element (p, q) zero.
fn rotate(matrix: &mut [Vector; 3], axes: &mut [Vector; 3], p: usize, q: usize) {
    let off = matrix[p][q];
    if off.abs() < 1e-300 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
    let t = f64::copysign(1.0, theta) / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let turn = |a: f64, b: f64| (c * a - s * b, s * a + c * b);
    for row in matrix.iter_mut() {
        (row[p], row[q]) = turn(row[p], row[q]);
    }
    for i in 0..3 {
        (matrix[p][i], matrix[q][i]) = turn(matrix[p][i], matrix[q][i]);
        (axes[p][i], axes[q][i]) = turn(axes[p][i], axes[q][i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::frame::Frame;
    use crate::fit::random::Random;
    use crate::math::vector::dot;

    #[test]
    fn a_stretched_ball_has_its_axes() {
        let mut random = Random::new(3);
        for _ in 0..50 {
            let frame = Frame::from_quaternion(random.rotation());
            let [x, y, z] = frame.axes;
            let point = |a, b, c| add(add(scale(x, 3.0 * a), scale(y, 2.0 * b)), scale(z, c));
            let points: Vec<_> = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
                .into_iter()
                .flat_map(|(a, b, c)| [point(a, b, c), point(-a, -b, -c)])
                .collect();
            for axis in of_points(points.iter().copied()).axes {
                assert!(frame.axes.iter().any(|other| dot(axis, *other).abs() > 1.0 - 1e-12));
            }
        }
    }

    #[test]
    fn points_inside_do_not_turn_the_hull_s_axes() {
        let corner =
            |i: u32| [0, 1, 2].map(|axis| if i >> axis & 1 == 1 { [4.0, 2.0, 1.0][axis] } else { 0.0 });
        let cuboid: Vec<[f32; 3]> = (0..8).map(corner).collect();
        // Many points on a diagonal.
        let inner = (1..100).map(|i| [4.0, 2.0, 1.0].map(|x| x * i as f32 / 100.0));
        let mut hull = Hull::default();
        hull.build(&cuboid.iter().copied().chain(inner).collect::<Vec<_>>());
        let of_surface = of_surface(&hull);
        assert!(of_surface.axes.iter().flatten().all(|x| x.abs() < 1e-9 || x.abs() > 1.0 - 1e-9));
        let of_points = of_points(hull.points().iter().copied());
        assert!(of_points.axes.iter().flatten().any(|x| x.abs() > 0.01 && x.abs() < 0.99));
    }
}
