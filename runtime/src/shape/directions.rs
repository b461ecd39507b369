//! The directions along which a shape and a triangle may be separated.
//!
//! Based on: Gottschalk, Lin, Manocha, "OBBTree", 1996, section 5: two polytopes that are apart are separated along a
//! normal of a face of either or along the cross product of an edge of each.

use super::moving_ball::LEAST_SINE;
use super::{Corners, Shape};
use crate::math::vector::{cross, dot, sub};

/// The most normals and edges of a shape that are looked at.
pub(crate) const MOST: usize = 8;

const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Calls `offer` with each direction: complete for shapes that name their normals and edges. First the triangle's
/// normal. A direction may be zero, and its length has no meaning.
///
/// The normal of a triangle that is nearly a segment or a point is rounding alone. For these, there are the axes, and
/// directions that are perpendicular to an edge of either.
pub(super) fn offer_each<T: Shape + ?Sized>(shape: &T, triangle: &Corners, mut offer: impl FnMut([f64; 3])) {
    let [a, b, c] = *triangle;
    let edges = [sub(b, a), sub(c, b), sub(a, c)];
    let normal = cross(edges[0], edges[1]);
    offer(normal);
    for own in (0..MOST).map_while(|index| shape.normal(index)) {
        offer(own);
    }
    for edge in edges {
        // For flat and single shapes in the triangle's plane.
        offer(cross(edge, normal));
        for own in (0..MOST).map_while(|index| shape.edge(index)) {
            offer(cross(own, edge));
        }
    }
    let product = dot(edges[0], edges[0]) * dot(edges[1], edges[1]);
    if dot(normal, normal) > product * (LEAST_SINE * LEAST_SINE) {
        return;
    }
    for axis in AXES {
        offer(axis);
        for edge in edges.into_iter().chain((0..MOST).map_while(|index| shape.edge(index))) {
            let across = cross(edge, axis);
            offer(across);
            offer(cross(edge, across));
        }
    }
}
