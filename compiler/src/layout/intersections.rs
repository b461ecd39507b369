//! The triangles that intersect others of the same mesh.
//!
//! Of two triangles that share a corner and nothing else, the part in common is a convex set with that corner. If it has another
//! point, the way there from the corner leaves one of the two through the edge opposite to it, in the other: so the two intersect
//! exactly if the opposite edge of one meets the other one. Two that share an edge intersect if they are on the same side of it in
//! one plane.

use std::ops::ControlFlow;

use bvhc_runtime::{Aabb, Model, segment_meets_triangle, triangles_meet};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use robust::{Coord, Coord3D, orient2d, orient3d};

type Point = [f64; 3];
type Corners = [[f32; 3]; 3];

/// The numbers of the triangles that intersect others, ascending; triangles without an area do not count. `model` is a file of these
/// triangles.
pub fn intersecting_triangles(corners: &[Corners], model: &Model<'_>) -> Vec<u32> {
    let intersects = |own: &u32| {
        let triangle = &corners[*own as usize];
        let end = |of: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|axis| triangle.iter().map(|corner| corner[axis]).reduce(of).unwrap_or(0.0))
        };
        let bounds = Aabb::new(end(f32::min), end(f32::max));
        let search = |other: &Corners| match has_area(other) && intersect(triangle, other) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        has_area(triangle)
            && model
                .overlap_box(&bounds, |found| match found.triangle == *own {
                    true => ControlFlow::Continue(()),
                    false => search(&found.corners),
                })
                .is_break()
    };
    (0..corners.len() as u32).into_par_iter().filter(intersects).collect()
}

/// Whether two triangles with an area have a point in common beside corners and edges of both, or all corners.
pub fn intersect(a: &Corners, b: &Corners) -> bool {
    let shared = [(a, b), (b, a)].map(|(own, other)| own.map(|corner| other.contains(&corner)));
    let [a, b] = [a, b].map(exact);
    let shares = |count: usize| shared[0].into_iter().filter(|shared| *shared).count() == count;
    // From the only corner of a triangle that is shared, or that is not.
    let from = |of: [Point; 3], shared: [bool; 3], which: bool| {
        let first = shared.into_iter().position(|shared| shared == which).unwrap_or(0);
        [0, 1, 2].map(|k| of[(first + k) % 3])
    };
    if shares(0) {
        return triangles_meet(&a, &b);
    }
    if shares(1) {
        let opposite = |of: [Point; 3], shared: [bool; 3]| {
            let [_, p, q] = from(of, shared, true);
            [p, q]
        };
        return segment_meets_triangle(&opposite(a, shared[0]), &b)
            || segment_meets_triangle(&opposite(b, shared[1]), &a);
    }
    if shares(2) {
        let [apex, p, q] = from(a, shared[0], false);
        let [other, ..] = from(b, shared[1], false);
        return is_folded([&p, &q], &apex, &other);
    }
    true
}

fn exact(corners: &Corners) -> [Point; 3] {
    corners.map(|corner| corner.map(f64::from))
}

/// Whether two points are in one plane with an edge, and on the same side of it.
fn is_folded([p, q]: [&Point; 2], a: &Point, b: &Point) -> bool {
    let in_space = |[x, y, z]: &Point| Coord3D { x: *x, y: *y, z: *z };
    orient3d(in_space(p), in_space(q), in_space(a), in_space(b)) == 0.0
        && VIEWS.into_iter().any(|view| turn(view, [p, q, a]) * turn(view, [p, q, b]) > 0.0)
}

/// The projections along the axes.
const VIEWS: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

/// The sign of the area of three points in a projection.
fn turn([x, y]: [usize; 2], points: [&Point; 3]) -> f64 {
    let [a, b, c] = points.map(|point| Coord { x: point[x], y: point[y] });
    let area = orient2d(a, b, c);
    if area == 0.0 { 0.0 } else { area.signum() }
}

fn has_area(corners: &Corners) -> bool {
    let [a, b, c] = &exact(corners);
    VIEWS.into_iter().any(|view| turn(view, [a, b, c]) != 0.0)
}
