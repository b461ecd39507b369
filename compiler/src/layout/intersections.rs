//! The triangles that intersect others of the same mesh.
//!
//! Of two triangles that share a corner and nothing else, the part in common is a convex set with that corner. If it has another
//! point, the way there from the corner leaves one of the two through the edge opposite to it, in the other: so the two intersect
//! exactly if the opposite edge of one meets the other one. Two that share an edge intersect if they are on the same side of it in
//! one plane.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use bvhc_runtime::{Aabb, Counters, Model, segment_meets_triangle, triangles_meet};
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use robust::{Coord, Coord3D, orient2d, orient3d};

use crate::clean::is_flat;

type Point = [f64; 3];
type Corners = [[f32; 3]; 3];

/// The most that a search may take: nodes visited, triangles in blocks visited, and [`TEST`] for each pair that is tested; or so much
/// for each triangle, if that is more. (The bunny takes some 200 for each.)
const MOST_WORK: u64 = 1 << 35;
const WORK_OF_TRIANGLE: u64 = 1 << 14;

/// What a pair's exact test counts.
const TEST: u64 = 8;

/// The numbers of the triangles that intersect others, ascending; triangles without an area do not count. `model` is a file of these
/// triangles. `None` if that takes too long, as where a hundred thousand triangles share a corner.
pub fn intersecting_triangles(corners: &[Corners], model: &Model<'_>) -> Option<Vec<u32>> {
    let search = Search {
        corners,
        model,
        have_area: corners.par_iter().map(|corners| !is_flat(*corners)).collect(),
        work: AtomicU64::new(0),
        most: MOST_WORK.max(WORK_OF_TRIANGLE * corners.len() as u64),
    };
    search.all()
}

struct Search<'a> {
    corners: &'a [Corners],
    model: &'a Model<'a>,
    have_area: Vec<bool>,
    work: AtomicU64,
    most: u64,
}

impl Search<'_> {
    fn all(&self) -> Option<Vec<u32>> {
        let triangles = 0..self.corners.len() as u32;
        let found = triangles.into_par_iter().filter(|triangle| self.intersects(*triangle)).collect();
        (self.work.load(Ordering::Relaxed) <= self.most).then_some(found)
    }

    /// Whether a triangle intersects another one; false once there was too much work.
    fn intersects(&self, own: u32) -> bool {
        let triangle = &self.corners[own as usize];
        if !self.have_area[own as usize] || self.work.load(Ordering::Relaxed) > self.most {
            return false;
        }
        let end = |of: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|axis| triangle.iter().map(|corner| corner[axis]).reduce(of).unwrap_or(0.0))
        };
        let bounds = Aabb::new(end(f32::min), end(f32::max));
        let (mut counters, mut tests) = (Counters::default(), 0);
        let found = self.model.overlap_box_with(&bounds, &mut counters, |other| {
            let number = other.triangle;
            if number == own || !self.have_area.get(number as usize).is_some_and(|has_area| *has_area) {
                return ControlFlow::Continue(());
            }
            tests += TEST;
            match intersect(triangle, &other.corners) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        self.work.fetch_add(counters.nodes + counters.triangles + tests, Ordering::Relaxed);
        found.is_break()
    }
}

/// Whether two triangles with an area have a point in common that is neither a corner of both nor on an edge between two corners of
/// both, or have all corners in common.
fn intersect(a: &Corners, b: &Corners) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Options, compile};

    #[test]
    fn work_has_a_limit() {
        let rim = |k: u32| format!("v {} {} 0\n", f64::from(k % 10), f64::from(k / 10) + 1.0);
        let source: String = (0..100).map(rim).collect::<String>()
            + &(1..100)
                .filter(|k| k % 10 != 0)
                .map(|k| format!("f {k} {} {}\n", k + 1, (k + 10).min(100)))
                .collect::<String>();
        let bytes = compile(source.as_bytes(), "a.obj", &Options::default(), &()).unwrap().bytes;
        let model = Model::from_bytes(&bytes).unwrap();
        let mut corners = vec![[[0.0; 3]; 3]; model.triangle_count() as usize];
        model.triangles().for_each(|(triangle, its)| corners[triangle as usize] = its);
        let search = |most: u64| {
            let have_area = vec![true; corners.len()];
            Search { corners: &corners, model: &model, have_area, work: AtomicU64::new(0), most }.all()
        };
        assert_eq!(search(MOST_WORK), intersecting_triangles(&corners, &model));
        assert!(search(MOST_WORK).is_some() && search(1000).is_none());
    }
}
