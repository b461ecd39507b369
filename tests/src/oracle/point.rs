//! The closest point of a mesh, in `f64` from exact fractions.

use super::distance::{Part, candidates};
use super::number::{Exact, Number, decide, difference, dot, normal};
use bvhc::mesh::Mesh;

/// Triangles whose distances differ by less than this, relatively, count as equally near.
pub const TIE: f64 = 1e-12;

/// Relative slack of the rough lower bound, well above its rounding and [`TIE`].
const SLACK: f64 = 1e-11;

/// The nearest triangles of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// Distance to the mesh, to about 1e-14 of its value.
    pub distance: f64,
    /// All triangles at that distance, ascending, and the closest point of each.
    pub ties: Vec<(u32, [f64; 3])>,
}

/// The closest point of the mesh to `point`; `None` for a mesh without triangles.
pub fn closest(mesh: &Mesh, point: [f32; 3]) -> Option<Nearest> {
    let mut squares = Vec::new();
    let mut least = f64::INFINITY;
    for triangle in 0..mesh.triangles.len() as u32 {
        let corners = mesh.corners(triangle);
        if box_square(corners, point) * (1.0 - SLACK) <= least {
            let (square, part) = nearest(corners, point);
            least = least.min(square);
            squares.push((triangle, square, part));
        }
    }
    let near = squares.iter().filter(|(_, square, _)| *square <= least * (1.0 + 2.0 * TIE));
    let ties: Vec<_> =
        near.map(|&(triangle, _, part)| (triangle, foot(mesh.corners(triangle), point, part))).collect();
    (!ties.is_empty()).then(|| Nearest { distance: least.sqrt(), ties })
}

/// Distance of a triangle from `point`, and its closest point (to rounding in `f64`).
pub fn on_triangle(corners: [[f32; 3]; 3], point: [f32; 3]) -> (f64, [f64; 3]) {
    let (square, part) = nearest(corners, point);
    (square.sqrt(), foot(corners, point, part))
}

/// Squared distance of the triangle's bounding box from `point`.
fn box_square(corners: [[f32; 3]; 3], point: [f32; 3]) -> f64 {
    (0..3)
        .map(|axis| {
            let [a, b, c] = corners.map(|corner| corner[axis]);
            let nearest = point[axis].clamp(a.min(b).min(c), a.max(b).max(c));
            (f64::from(nearest) - f64::from(point[axis])).powi(2)
        })
        .sum()
}

/// Squared distance of a triangle from `point`, and the part that it is measured to.
pub fn nearest(corners: [[f32; 3]; 3], point: [f32; 3]) -> (f64, Part) {
    fn least<N: Number>(corners: [[f32; 3]; 3], point: [f32; 3]) -> Option<(f64, Part)> {
        let mut least = (f64::INFINITY, Part::Face);
        for candidate in candidates::<N>(corners, point)? {
            let square = candidate.numerator.value()? / candidate.denominator.value()?;
            if square < least.0 {
                least = (square, candidate.part);
            }
        }
        Some(least)
    }
    decide!(least(corners, point))
}

/// The closest point of one part of a triangle.
fn foot(corners: [[f32; 3]; 3], point: [f32; 3], part: Part) -> [f64; 3] {
    let value = |number: Exact| number.value().expect("exact arithmetic always answers");
    let ratio = |above, below| value(above) / value(below);
    match part {
        Part::Corner(index) => corners[index].map(f64::from),
        Part::Edge(index) => {
            let start = corners[index];
            let along = difference::<Exact>(corners[(index + 1) % 3], start);
            let step = ratio(dot(&along, &difference(point, start)), dot(&along, &along));
            offset(start, along.map(value), step)
        }
        Part::Face => {
            let normal = normal::<Exact>(corners);
            let step = ratio(dot(&normal, &difference(corners[0], point)), dot(&normal, &normal));
            offset(point, normal.map(value), step)
        }
    }
}

fn offset(start: [f32; 3], along: [f64; 3], step: f64) -> [f64; 3] {
    std::array::from_fn(|axis| f64::from(start[axis]) + step * along[axis])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::scene::{grid, soup};

    #[test]
    fn every_side_of_a_cube() {
        let cube = grid::cubes([1, 1, 1]);
        let near = |point| closest(&cube, point).expect("a cube has triangles");
        assert_eq!(near([0.5, 0.25, 3.0]).distance, 2.0);
        assert_eq!(near([0.5, 0.25, 3.0]).ties.len(), 1);
        assert_eq!(near([4.0, 5.0, 0.5]).distance, 5.0);
        assert_eq!(near([4.0, 5.0, 0.25]).ties[0].1, [1.0, 1.0, 0.25]);
        assert!(near([2.0, 2.0, 2.0]).ties.iter().all(|tie| tie.1 == [1.0; 3]));
        assert_eq!(near([0.5, 0.5, 0.5]).distance, 0.5);
        assert_eq!(near([0.5, 0.5, 0.5]).ties.len(), 12);
        assert_eq!(near([1.0, 0.5, 0.25]).distance, 0.0);
    }

    #[test]
    fn nothing_is_nearest_in_an_empty_mesh() {
        assert_eq!(closest(&Mesh::default(), [0.0; 3]), None);
    }

    /// A needle whose normal is far below the rounding of its edges' product.
    #[test]
    fn needles_are_measured_exactly() {
        let far = 16_777_216.0;
        let needle = [[0.0, 0.0, 0.0], [far, far - 1.0, 0.0], [far - 1.0, far - 2.0, 0.0]];
        assert_eq!(on_triangle(needle, [0.0, 0.0, 3.0]).0, 3.0);
        let (distance, point) = on_triangle(needle, [8_388_608.0, 8_388_607.5, 2.0]);
        assert_eq!((distance, point[2]), (2.0, 0.0));
    }

    #[test]
    fn no_sampled_point_is_nearer() {
        let mut random = Random::new(3);
        let mesh = soup::triangles(50, 0.5, 4);
        for _ in 0..50 {
            let point = random.point([-1.5; 3], [1.5; 3]);
            let distance = closest(&mesh, point).expect("triangles").distance;
            for _ in 0..500 {
                let [a, b, c] = mesh.corners(random.below(50)).map(|corner| corner.map(f64::from));
                let (u, v) = (random.unit(), random.unit());
                let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                let square: f64 = (0..3)
                    .map(|x| a[x] * (1.0 - u - v) + b[x] * u + c[x] * v - f64::from(point[x]))
                    .map(|x| x * x)
                    .sum();
                assert!(square.sqrt() >= distance - 1e-12);
            }
        }
    }

    #[test]
    fn the_rough_bound_hides_nothing() {
        let mut random = Random::new(9);
        let mesh = soup::needles(200, 10);
        for _ in 0..50 {
            let point = random.point([-2.0; 3], [2.0; 3]);
            let all = (0..200).map(|triangle| on_triangle(mesh.corners(triangle), point).0);
            let least = all.min_by(f64::total_cmp).expect("triangles");
            assert_eq!(closest(&mesh, point).expect("triangles").distance, least);
        }
    }
}
