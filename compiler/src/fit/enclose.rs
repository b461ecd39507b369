//! Boxes around points, few or very many.

use crate::math::vector::dot;

use super::{Method, Obb, Objective, Scratch, fit, fit_part};

/// Searches look at all of at most this many points. (Measured: a smooth sphere of 50,000 triangles takes a third of
/// the time, and the volumes' sum grows by less than a part in a thousand; models of other shapes have no node with so
/// many vertices on its hull, or a few. With descents alone, a sphere of 1.3 million triangles takes nine tenths of the time.)
pub(crate) const MANY: usize = 2048;

/// Along how many directions, and their opposites, the farthest are found of more.
const DIRECTIONS: usize = 512;

/// Fits a box to at least one point, and returns it with the points that decide it or any other around them.
///
/// A search for the orientation would take minutes for the many points on the hull of a smooth shape. There it
/// is that for those which are farthest along some directions; the box holds all.
pub(crate) fn enclose(
    method: &Method,
    objective: Objective,
    mut points: Vec<[f32; 3]>,
    scratch: &mut Scratch,
) -> (Obb, Vec<[f32; 3]>) {
    let searches =
        matches!(method, Method::Descent | Method::Genetic(_) | Method::Memetic(_) | Method::Exact);
    if searches && points.len() > MANY {
        let frame = fit(method, objective, &farthest(&points), scratch).frame;
        let around = points.iter().map(|point| point.map(f64::from));
        return (Obb::around(&frame, around).sorted(), points);
    }
    let obb = fit_part(method, objective, &points, scratch);
    let vertices = scratch.hull_vertices();
    // They ascend, so none is overwritten before it has been moved.
    for (to, from) in vertices.iter().enumerate() {
        points[to] = points[*from as usize];
    }
    points.truncate(vertices.len());
    // Most sets are small, and many are kept at once.
    points.shrink_to_fit();
    (obb, points)
}

/// Of many points, those that are farthest along directions spread evenly over the sphere, each once.
fn farthest(points: &[[f32; 3]]) -> Vec<[f32; 3]> {
    let mut few = Vec::with_capacity(2 * DIRECTIONS);
    for index in 0..DIRECTIONS {
        let direction = direction(index);
        let (mut low, mut high) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0));
        for (at, point) in points.iter().enumerate() {
            let along = dot(direction, point.map(f64::from));
            low = if along < low.0 { (along, at) } else { low };
            high = if along > high.0 { (along, at) } else { high };
        }
        few.extend([points[low.1], points[high.1]]);
    }
    sort_and_dedup(&mut few);
    few
}

/// A direction of Fibonacci's lattice on one half of the sphere: equal steps in height, golden angles around.
fn direction(index: usize) -> [f64; 3] {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;
    let z = (index as f64 + 0.5) / DIRECTIONS as f64;
    let radius = (1.0 - z * z).sqrt();
    let (s, c) = libm::sincos(GOLDEN_ANGLE * index as f64);
    [radius * c, radius * s, z]
}

/// Sorts points by their bits, and keeps one of equals.
pub(crate) fn sort_and_dedup(points: &mut Vec<[f32; 3]>) {
    // One number, which is compared without branches.
    let bits = |point: &[f32; 3]| {
        let [x, y, z] = point.map(|x| u128::from(x.to_bits()));
        x << 64 | y << 32 | z
    };
    points.sort_unstable_by_key(bits);
    points.dedup_by_key(|point| bits(point));
}
