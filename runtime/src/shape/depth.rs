//! How deep a shape is in a triangle that it touches.

use super::directions::offer_each;
use super::gjk::Nearest;
use super::{Corners, Shape};
use crate::math::vector::{dot, scale};
use crate::math::{larger, smaller};

/// The way out of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    /// The unit direction; zero where coordinates are too small for f64.
    pub(super) direction: [f64; 3],
    /// How far the shape must move along it to be just in contact.
    pub(super) depth: f64,
}

/// The shortest way out, for a shape that touches the triangle.
///
/// Where the core is apart from the triangle, that is straight away from the nearest point. Where it is not, it is the
/// shortest of those along separating [`directions`](super::directions): the shortest there is for boxes, triangles and
/// segments, and an upper bound for shapes that do not name their faces and edges.
pub(super) fn shortest_way_out<T: Shape + ?Sized>(shape: &T, triangle: &Corners, tolerance: f64) -> WayOut {
    // A core with nothing around it is not apart from what it touches.
    let away = if shape.radius() > 0.0 { straight_away(shape, triangle, tolerance) } else { None };
    away.unwrap_or_else(|| shortest_of_each(shape, triangle, tolerance))
}

/// The way straight away from the nearest point, if the core is apart from the triangle.
fn straight_away<T: Shape + ?Sized>(shape: &T, triangle: &Corners, tolerance: f64) -> Option<WayOut> {
    let nearest = Nearest::of(shape, triangle, [0.0; 3]);
    let distance = nearest.distance();
    (distance > tolerance).then(|| WayOut {
        direction: scale(nearest.offset, 1.0 / distance),
        depth: larger(shape.radius() - distance, 0.0),
    })
}

/// The shortest way along a separating direction.
fn shortest_of_each<T: Shape + ?Sized>(shape: &T, triangle: &Corners, tolerance: f64) -> WayOut {
    let radius = shape.radius();
    let mut best = WayOut { direction: [0.0; 3], depth: f64::INFINITY };
    offer_each(shape, triangle, |direction: [f64; 3]| {
        let square = dot(direction, direction);
        if square.is_nan() || square <= f64::MIN_POSITIVE {
            return;
        }
        let unit = scale(direction, 1.0 / libm::sqrt(square));
        let [first, last] = shape.core_extent(unit);
        let [p, q, r] = triangle.map(|corner| dot(corner, unit));
        let [low, high] = [smaller(smaller(p, q), r), larger(larger(p, q), r)];
        for (sign, depth) in [(1.0, high - first + radius), (-1.0, last - low + radius)] {
            // The first of equals stays: the triangle's normal, on the side that it points to.
            if depth < best.depth - tolerance {
                best = WayOut { direction: scale(unit, sign), depth };
            }
        }
    });
    // No direction is known where coordinates are too small for f64.
    let depth = if best.depth == f64::INFINITY { 0.0 } else { larger(best.depth, 0.0) };
    WayOut { depth, ..best }
}
