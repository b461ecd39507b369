//! Clips triangles at planes, for builders that put the parts of a triangle into several leaves.
//!
//! Based on: Stich, Friedrich, Dietrich, "Spatial splits in bounding volume hierarchies", 2009 (section 4.1: clip the
//! whole triangle at the plane, and intersect the result with the part's box). Departure: the boxes are conservative.
//!
//! # Why the parts of a triangle cover it
//!
//! *Claim*: if a point p of a triangle lies in the box of a part, and the part is cut at a plane, then p lies in the
//! box of one of the halves. By induction from the whole triangle, each of its points lies in the box of some part.
//!
//! On p's side of the plane, the triangle is the convex hull of the corners there, which are exact, and of the points
//! where edges cross the plane. Let u = 2^-53 and M be the largest |coordinate|. A crossing is fl(a + s (b - a)) with
//! s = fl((plane - a') / (b' - a')), whose relative error is at most 4 u. As s <= 1 and |b - a| <= 2 M, that adds an
//! error of at most 8 u M, and rounding the product and the sum at most 6 u M more. [`crossing`] grows the computed
//! point by 16 u M, minus u M of rounding, so its box contains the true crossing. So the box around corners and
//! crossings contains p; and so does its intersection with the part's box and with the side of the plane, because
//! intersecting only takes comparisons.

use super::{GROWTH, PART_GROWTH};
use crate::math::vector::round_down;
use crate::mesh::Mesh;
use crate::tree::aabb::Aabb;
use crate::tree::build::spatial::Clip;

/// How much crossings are grown, relative to the largest coordinate: 16 u.
const MARGIN: f64 = 8.0 * f64::EPSILON;

/// The triangles of a mesh, to be clipped.
pub struct Triangles<'a> {
    mesh: &'a Mesh,
}

impl<'a> Triangles<'a> {
    /// The triangles of this mesh.
    pub fn new(mesh: &'a Mesh) -> Self {
        Self { mesh }
    }
}

impl Clip for Triangles<'_> {
    fn whole(&self, triangle: u32) -> Aabb {
        Aabb::around(self.mesh.corners(triangle))
    }

    fn halves(&self, triangle: u32, part: &Aabb, axis: usize, plane: f32) -> [Aabb; 2] {
        let (mut left, mut right) = (*part, *part);
        left.upper[axis] = plane;
        right.lower[axis] = plane;
        let [on_left, on_right] = cut(self.mesh.corners(triangle), axis, plane);
        [left.intersection(on_left), right.intersection(on_right)]
    }

    fn stored(&self, triangle: u32, part: &Aabb) -> Aabb {
        let whole = self.whole(triangle);
        let growth = if *part == whole { GROWTH } else { PART_GROWTH };
        part.grown(whole.largest_extent() * growth)
    }
}

/// Boxes around the two parts of a triangle, one on each side of a plane.
fn cut(corners: [[f32; 3]; 3], axis: usize, plane: f32) -> [Aabb; 2] {
    let largest = corners.iter().flatten().fold(0.0, |largest: f32, x| largest.max(x.abs()));
    let margin = MARGIN * f64::from(largest);
    let (mut left, mut right) = (Aabb::EMPTY, Aabb::EMPTY);
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        let point = Aabb { lower: a, upper: a };
        if a[axis] <= plane {
            left = left.union(point);
        }
        if a[axis] >= plane {
            right = right.union(point);
        }
        if (a[axis] < plane && plane < b[axis]) || (b[axis] < plane && plane < a[axis]) {
            let crossing = crossing(a, b, axis, plane, margin);
            (left, right) = (left.union(crossing), right.union(crossing));
        }
    }
    [left, right]
}

/// A box around the point where an edge crosses a plane.
fn crossing(a: [f32; 3], b: [f32; 3], axis: usize, plane: f32, margin: f64) -> Aabb {
    let (a, b) = (a.map(f64::from), b.map(f64::from));
    let s = (f64::from(plane) - a[axis]) / (b[axis] - a[axis]);
    let point = [0, 1, 2].map(|axis| a[axis] + s * (b[axis] - a[axis]));
    Aabb { lower: point.map(|x| round_down(x - margin)), upper: point.map(|x| -round_down(-x - margin)) }
}

#[cfg(test)]
mod tests;
