//! How deep a shape is in a triangle that it touches.

use super::directions::offer_each;
use super::gjk::{Nearest, gap};
use super::{Corners, Shape};
use crate::math::vector::{dot, scale};

/// The way out of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayOut {
    /// The unit direction.
    pub(super) direction: [f64; 3],
    /// How far the shape must move along it to be just in contact.
    pub(super) depth: f64,
    /// A point of the triangle that it touches.
    pub(super) point: [f64; 3],
}

/// The shortest way out, for a shape that touches the triangle.
///
/// Where the core is apart from the triangle, that is straight away from the nearest point. Where it is not, it is the
/// shortest of those along separating [`directions`](super::directions): the shortest there is for boxes, triangles and
/// segments, and an upper bound for shapes that do not name their faces and edges.
pub(super) fn shortest_way_out<T: Shape + ?Sized>(shape: &T, triangle: &Corners, tolerance: f64) -> WayOut {
    let nearest = Nearest::of(shape, triangle, [0.0; 3]);
    let distance = nearest.distance();
    if distance > tolerance {
        let direction = scale(nearest.offset, 1.0 / distance);
        return WayOut { direction, depth: (shape.radius() - distance).max(0.0), point: nearest.on_triangle };
    }
    let mut best = WayOut { direction: [0.0; 3], depth: f64::INFINITY, point: nearest.on_triangle };
    let mut offer = |direction: [f64; 3]| {
        let square = dot(direction, direction);
        if square.is_nan() || square <= f64::MIN_POSITIVE {
            return;
        }
        for sign in [1.0, -1.0] {
            let direction = scale(direction, sign / libm::sqrt(square));
            let depth = -gap(shape, triangle, [0.0; 3], direction);
            // The first of equals stays: the triangle's normal, on the side that it points to.
            if depth < best.depth - tolerance {
                best = WayOut { direction, depth, ..best };
            }
        }
    };
    offer_each(shape, triangle, &mut offer);
    if best.depth == f64::INFINITY {
        // A triangle without extent.
        best = WayOut { depth: 0.0, ..best };
    }
    WayOut { depth: best.depth.max(0.0), ..best }
}
