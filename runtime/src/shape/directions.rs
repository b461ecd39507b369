//! The directions along which a shape and a triangle may be separated.
//!
//! Based on: Gottschalk, Lin, Manocha, "OBBTree", 1996, section 5: two polytopes that are apart are separated along a
//! normal of a face of either or along the cross product of an edge of each.

use super::{Corners, Shape};
use crate::math::vector::{cross, sub};

/// The most normals and edges of a shape that are looked at.
pub(crate) const MOST: usize = 8;

/// Calls `offer` with each direction: complete for shapes that name their normals and edges. First the triangle's
/// normal. A direction may be zero, and its length has no meaning.
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
}
