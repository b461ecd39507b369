//! The nearest points of a triangle and of a cylinder that are apart.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1 (closest points). Departure: the square of the distance
//! from a cylinder is convex along an edge, and where its derivative changes its sign is bisected, as a rim has no closed form.
//!
//! Why this is all: if the nearest point of the triangle is inside it, the triangle's plane supports the cylinder, and the point is
//! below one that is farthest against the normal. Where several are, beside a cap or a side, either they are all above the inside, or
//! the triangle's edges are below some of them.

use super::first_touch::unit_normal;
use super::simplex::length;
use super::{Corners, Shape};
use crate::math::vector::{Map3, add, cross, dot, scale, sub};
use crate::math::{larger, smaller};

/// So often an interval is halved: to a share of an edge that f64 hardly tells from 0.
const HALVINGS: usize = 64;

/// A cylinder around the origin.
pub(super) struct Centred {
    /// Of unit length.
    pub(super) axis: [f64; 3],
    /// Half the axis.
    pub(super) half: f64,
    pub(super) radius: f64,
}

/// The nearest points of a triangle and of a cylinder, and the square of their distance.
type Pair = ([f64; 3], [f64; 3], f64);

impl Centred {
    /// The nearest points of a triangle and of the cylinder, which do not touch.
    pub(super) fn nearest(&self, shape: &impl Shape, middle: [f64; 3], triangle: &Corners) -> [[f64; 3]; 2] {
        let corners = triangle.map3(|corner| sub(corner, middle));
        let mut best = self.nearest_to(corners[0]);
        for k in 0..3 {
            let found = self.nearest_to_edge(corners[k], sub(corners[(k + 1) % 3], corners[k]));
            best = if found.2 < best.2 { found } else { best };
        }
        if let Some(found) = self.nearest_to_face(shape, middle, &corners)
            && found.2 < best.2
        {
            best = found;
        }
        [best.0, best.1].map(|point| add(point, middle))
    }

    /// The part of a point along the axis, and what is left of it.
    fn split(&self, point: [f64; 3]) -> (f64, [f64; 3]) {
        let along = dot(point, self.axis);
        (along, sub(point, scale(self.axis, along)))
    }

    /// The nearest place between the caps along the axis.
    fn within_caps(&self, along: f64) -> f64 {
        smaller(larger(along, -self.half), self.half)
    }

    fn nearest_to(&self, point: [f64; 3]) -> Pair {
        let (along, across) = self.split(point);
        let away = length(across);
        let share = if away > self.radius { self.radius / away } else { 1.0 };
        let on_cylinder = add(scale(self.axis, self.within_caps(along)), scale(across, share));
        let way = sub(point, on_cylinder);
        (point, on_cylinder, dot(way, way))
    }

    fn nearest_to_edge(&self, start: [f64; 3], edge: [f64; 3]) -> Pair {
        let ((along, across), (by_along, by_across)) = (self.split(start), self.split(edge));
        // Half the derivative of the square of the distance.
        let slope = |share: f64| {
            let (along, across) = (along + share * by_along, add(across, scale(by_across, share)));
            let away = length(across);
            let beyond_cap = along - self.within_caps(along);
            let beyond_side =
                if away > self.radius { (1.0 - self.radius / away) * dot(across, by_across) } else { 0.0 };
            beyond_cap * by_along + beyond_side
        };
        let [mut low, mut high] = [0.0, 1.0];
        if slope(low) >= 0.0 {
            high = low;
        } else if slope(high) <= 0.0 {
            low = high;
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if slope(middle) < 0.0 { low = middle } else { high = middle }
        }
        self.nearest_to(add(start, scale(edge, high)))
    }

    /// From a point inside the triangle, if the cylinder is on one side of its plane and the farthest point towards it is above one.
    fn nearest_to_face(&self, shape: &impl Shape, middle: [f64; 3], corners: &Corners) -> Option<Pair> {
        let (a, normal) = (corners[0], unit_normal(corners));
        // From the plane to the cylinder.
        let normal = if dot(normal, a) > 0.0 { scale(normal, -1.0) } else { normal };
        let lowest = sub(shape.support(scale(normal, -1.0)), middle);
        let height = dot(normal, sub(lowest, a));
        let foot = sub(lowest, scale(normal, height));
        let side =
            |k: usize| dot(cross(sub(corners[(k + 1) % 3], corners[k]), sub(foot, corners[k])), normal);
        let [p, q, r] = [side(0), side(1), side(2)];
        let is_inside = p >= 0.0 && q >= 0.0 && r >= 0.0 || p <= 0.0 && q <= 0.0 && r <= 0.0;
        // Without an area there is no height.
        (height > 0.0 && is_inside).then_some((foot, lowest, height * height))
    }
}
