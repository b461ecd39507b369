//! How near a shape is to a triangle, and where: contacts for simulations.
//!
//! Where the shape faces the inside of the triangle, the part of it that does is found by its farthest points in eight
//! directions that are tilted a little from the face's normal, and clipped by the triangle. Based on: Sutherland, Hodgman,
//! "Reentrant Polygon Clipping", 1974.

use super::depth::shortest_way_out;
use super::first_touch::{Feature, feature, unit_normal};
use super::gjk::{Nearest, Separation, error};
use super::simplex::length;
use super::{Corners, Displacement, Shape};
use crate::math::vector::{add, cross, dot, scale, sub};
use crate::math::{larger, smaller};

/// The tangent of the tilt.
const TILT: f64 = 1.0 / 1024.0;

/// Eight directions around the normal: cosines and sines.
const AROUND: [[f64; 2]; 8] =
    [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [-0.6, 0.8], [-1.0, 0.0], [-0.8, -0.6], [0.0, -1.0], [0.6, -0.8]];

/// A polygon of eight corners, clipped by the four lines of a rectangle, has at most this many.
const MOST_CORNERS: usize = 12;

/// One of them tells the shape's depth or distance if its own is as small but for roundings of this share of coordinates.
const ROUNDING: f64 = 1.0 / (1u64 << 40) as f64;

/// Distances are as good as known where a plane tells as much but for this many errors of gaps.
const CONVERGED: f64 = 4.0;

/// The contacts at its corners, and one more.
pub(crate) const MOST_POINTS: usize = MOST_CORNERS + 1;

/// A contact with a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    /// From the triangle to the shape, of unit length: the face's, to the last bit, where that is touched; zero if there is
    /// none.
    pub(crate) normal: [f64; 3],
    /// The distance, or the depth with a minus.
    pub(crate) gap: f64,
    pub(crate) point: [f64; 3],
    pub(crate) feature: Feature,
}

impl Near {
    /// The contact of a shape that is at most `margin` from a triangle; `None` if it is farther away. The two touch where
    /// [`Shape::touches`] says so, and there only is the gap negative or zero.
    pub(crate) fn of(shape: &dyn Shape, triangle: &Corners, margin: f64, tolerance: f64) -> Option<Self> {
        let mut nearest = Nearest::of(shape, triangle, [0.0; 3]);
        let error = error(shape, triangle, [0.0; 3]);
        let mut plane = nearest.best_plane(shape, triangle, [0.0; 3], error);
        if let Some(plane) = plane {
            if plane.gap > margin {
                return None;
            }
            // The search may end early where a curved core is far wider than what it faces; the plane knows the way.
            if nearest.distance() - shape.radius() > plane.gap + CONVERGED * error {
                let again = Nearest::about(shape, triangle, [0.0; 3], plane.normal);
                nearest = if again.distance() < nearest.distance() { again } else { nearest };
            }
        }
        // A plane proves that they are apart.
        if plane.is_none() && shape.touches(triangle, &Displacement::NONE) {
            let way = shortest_way_out(shape, triangle, tolerance);
            return Some(Self::facing(triangle, way.direction, -way.depth, nearest.on_triangle));
        }
        let (mut gap, mut offset, mut point) =
            (nearest.distance() - shape.radius(), nearest.offset, nearest.on_triangle);
        let is_known =
            plane.is_some_and(|plane| nearest.most() - shape.radius() <= plane.gap + CONVERGED * error);
        if !is_known && let Some([on_triangle, on_shape]) = shape.nearest_points(triangle, [0.0; 3]) {
            (point, offset) = (on_triangle, sub(on_shape, on_triangle));
            gap = length(offset);
            let across = Separation::along(shape, triangle, [0.0; 3], offset, error);
            plane = across.filter(|across| plane.is_none_or(|plane| across.gap > plane.gap)).or(plane);
        }
        // Of slivers a search may find less than the plane proves.
        let proven = plane.map_or(0.0, |plane| plane.gap);
        let gap = larger(larger(gap, proven), f64::MIN_POSITIVE);
        if gap > margin {
            return None;
        }
        let normal = match plane {
            Some(plane) => plane.normal,
            None if length(offset) > 0.0 => scale(offset, 1.0 / length(offset)),
            None => shortest_way_out(shape, triangle, tolerance).direction,
        };
        Some(Self::facing(triangle, normal, gap, point))
    }

    fn facing(triangle: &Corners, normal: [f64; 3], gap: f64, point: [f64; 3]) -> Self {
        let feature = feature(triangle, normal);
        let face = unit_normal(triangle);
        let normal = match feature {
            Feature::Face if dot(normal, face) > 0.0 => face,
            Feature::Face if dot(normal, face) < 0.0 => scale(face, -1.0),
            _ => normal,
        };
        Self { normal, gap, point, feature }
    }

    /// The contacts of the part of the shape that faces a triangle or a rectangle, at most `margin` apart: this one alone,
    /// unless it is with the face, and that has an area. Returns how many there are.
    pub(crate) fn spread(
        &self,
        shape: &dyn Shape,
        face: &[[f64; 3]],
        margin: f64,
        points: &mut [Self; MOST_POINTS],
    ) -> usize {
        points[0] = *self;
        let of_face = unit_normal(&[face[0], face[1], face[2]]);
        if self.feature != Feature::Face || self.normal == [0.0; 3] || of_face == [0.0; 3] {
            return 1;
        }
        let mut polygon = Polygon::facing(shape, self.normal);
        let inwards = if dot(self.normal, of_face) < 0.0 { -1.0 } else { 1.0 };
        for (k, corner) in face.iter().enumerate() {
            let edge = sub(face[(k + 1) % face.len()], *corner);
            let across = scale(cross(self.normal, edge), inwards);
            polygon = polygon.clipped(*corner, across);
        }
        let mut count = 0;
        for corner in &polygon.corners[..polygon.count] {
            let height = dot(sub(*corner, face[0]), self.normal);
            let (point, gap) = (sub(*corner, scale(self.normal, height)), height - shape.radius());
            let is_new = points[..count].iter().all(|it| it.point != point);
            // No part is nearer than the shape, but by rounding.
            let gap = larger(gap, self.gap);
            if gap <= margin && is_new {
                points[count] = Self { gap, point, ..*self };
                count += 1;
            }
        }
        // The parts above the triangle may not touch it where the shape does, or less deeply; those of a round shape are beside its
        // nearest point.
        let facing = polygon.corners[..polygon.count].as_flattened();
        let largest = self.point.iter().chain(facing).fold(0.0, |most, x| larger(most, x.abs()));
        let told = self.gap + largest * ROUNDING;
        let told = if self.gap > 0.0 { told } else { smaller(told, 0.0) };
        if points[..count].iter().all(|point| point.gap > told) {
            points[count] = *self;
            count += 1;
        }
        count
    }
}

/// A convex polygon in space, in order.
struct Polygon {
    corners: [[f64; 3]; MOST_CORNERS],
    count: usize,
}

impl Polygon {
    const EMPTY: Self = Self { corners: [[0.0; 3]; MOST_CORNERS], count: 0 };

    /// The points of a shape's core that are farthest against a normal.
    fn facing(shape: &dyn Shape, normal: [f64; 3]) -> Self {
        let least =
            (0..3).fold(0, |best, axis| if normal[axis].abs() < normal[best].abs() { axis } else { best });
        let mut axis = [0.0; 3];
        axis[least] = 1.0;
        let u = cross(normal, axis);
        let u = scale(u, 1.0 / libm::sqrt(dot(u, u)));
        let v = cross(normal, u);
        let mut polygon = Self::EMPTY;
        for [cosine, sine] in AROUND {
            let tilt = add(scale(u, TILT * cosine), scale(v, TILT * sine));
            polygon.push(shape.support(sub(tilt, normal)));
        }
        while polygon.count > 1 && polygon.corners[polygon.count - 1] == polygon.corners[0] {
            polygon.count -= 1;
        }
        polygon
    }

    /// Adds a corner, unless it is the last one again.
    fn push(&mut self, corner: [f64; 3]) {
        let is_new = self.count == 0 || self.corners[self.count - 1] != corner;
        if is_new && self.count < MOST_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// The part on the side of a plane through a point that a vector points to.
    fn clipped(&self, through: [f64; 3], across: [f64; 3]) -> Self {
        let side = |corner: [f64; 3]| dot(sub(corner, through), across);
        let mut out = Self::EMPTY;
        for (index, p) in self.corners[..self.count].iter().enumerate() {
            let q = &self.corners[(index + 1) % self.count];
            let (f, g) = (side(*p), side(*q));
            if f >= 0.0 {
                out.push(*p);
            }
            if (f > 0.0 && g < 0.0) || (f < 0.0 && g > 0.0) {
                out.push(add(*p, scale(sub(*q, *p), f / (f - g))));
            }
        }
        out
    }
}
