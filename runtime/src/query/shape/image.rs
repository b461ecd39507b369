//! Triangles as shapes meet them: a mesh's own, or their images in the world.
//!
//! Corners are transformed by [`Similarity::apply`] in f64; from there on everything is as exact as for the mesh's own.

use bvhc_format::MAX_COORDINATE;
use bvhc_format::edges::TriangleEdges;

use crate::bounds::Aabb;
use crate::shape::first_touch::Feature;
use crate::shape::{Corners, corners_of};
use crate::similarity::Similarity;

/// Coordinates of images below this are taken as 0: 2^-240. Others are multiples of 2^-292: `shape/exact.rs` has the capacity for
/// multiples of 2^-298, and so has `shape/cylinder.rs`.
const SMALLEST_COORDINATE: f64 = f64::from_bits((1023 - 240) << 52);

/// The corners of a triangle's image. A mirrored one has its last two exchanged, so that its front is the mesh's front by the
/// right-hand rule, too. `None` in a corrupt file: a coordinate is beyond 2^60.
#[inline(always)]
pub(super) fn image(at: &Similarity, corners: &[[f32; 3]; 3]) -> Option<Corners> {
    let own = corners_of(corners)?;
    if at.is_identity() { Some(own) } else { moved(at, &own) }
}

fn moved(at: &Similarity, own: &Corners) -> Option<Corners> {
    let flushed = |x: f64| if x.abs() < SMALLEST_COORDINATE { 0.0 } else { x };
    let [a, b, c] = own.map(|corner| at.apply(corner).map(flushed));
    let image = if at.mirrors() { [a, c, b] } else { [a, b, c] };
    let is_valid = image.as_flattened().iter().all(|x| x.abs() <= f64::from(MAX_COORDINATE));
    is_valid.then_some(image)
}

/// What a feature of an image is of the mesh's triangle.
pub(super) fn feature_of(at: &Similarity, feature: Feature) -> Feature {
    match feature {
        Feature::Edge(edge) if at.mirrors() => Feature::Edge(2 - edge % 3),
        Feature::Vertex(vertex) if at.mirrors() => Feature::Vertex((3 - vertex % 3) % 3),
        same => same,
    }
}

/// What is across the edges of an image.
pub(super) fn edges_of(at: &Similarity, own: &TriangleEdges) -> TriangleEdges {
    if !at.mirrors() {
        return *own;
    }
    let ([p, q, r], of_slots) = (own.neighbours, |[a, b, c, d, e, f]: [u16; 6]| [c, b, a, d, f, e]);
    let mut edges = *own;
    edges.neighbours = [r, q, p];
    (edges.convex, edges.concave) = (of_slots(own.convex), of_slots(own.concave));
    edges
}

/// Whether a triangle is beside a box.
#[inline(always)]
pub(super) fn is_beside(corners: &[[f32; 3]; 3], bounds: &Aabb) -> bool {
    (0..3).any(|axis| {
        let [a, b, c] = corners.map(|corner| corner[axis]);
        a.max(b).max(c) < bounds.min[axis] || a.min(b).min(c) > bounds.max[axis]
    })
}
