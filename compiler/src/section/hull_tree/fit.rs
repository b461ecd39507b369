//! A few of given points whose convex hull leaves the others as little outside as a greedy choice can.

use bvhc_format::hulls::HULL_VERTICES;

use super::polytope::Polytope;
use crate::math::vector::{Vector, add, length_squared, round_up, scale, subtract};

/// Vertices, of which unused ones repeat the first, and the radius by which their hull must be grown to hold at least one
/// point. `slack` is added to it.
///
/// The first two vertices are far apart. Each other one is the point farthest from the hull of those before it, while
/// any is outside.
pub(super) fn fit(mut points: Vec<Vector>, slack: f64) -> ([[f32; 3]; HULL_VERTICES], f32) {
    points.sort_unstable_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    points.dedup();
    let sum = points.iter().fold([0.0; 3], |sum, point| add(sum, *point));
    let mean = scale(sum, 1.0 / points.len() as f64);
    let first = farthest(&points, |point| length_squared(subtract(*point, mean))).0;
    let mut vertices = vec![points[first].map(|x| x as f32)];
    loop {
        let hull = Polytope::of(vertices.iter().map(|vertex| vertex.map(f64::from)).collect());
        // What is inside stays inside.
        points.retain(|point| hull.distance(*point) > 0.0);
        let (next, radius) = farthest(&points, |point| hull.distance(*point));
        let vertex = points.get(next).map(|point| point.map(|x| x as f32));
        match vertex.filter(|vertex| vertices.len() < HULL_VERTICES && !vertices.contains(vertex)) {
            Some(vertex) => vertices.push(vertex),
            None => {
                vertices.resize(HULL_VERTICES, vertices[0]);
                let vertices = vertices.try_into().expect("it has as many as it was resized to");
                return (vertices, round_up(radius + slack));
            }
        }
    }
}

/// The index of the point with the greatest measure, and the measure; the first of equal ones.
fn farthest(points: &[Vector], measure: impl Fn(&Vector) -> f64) -> (usize, f64) {
    points
        .iter()
        .map(measure)
        .enumerate()
        .fold((0, 0.0), |best, (index, measure)| if measure > best.1 { (index, measure) } else { best })
}
