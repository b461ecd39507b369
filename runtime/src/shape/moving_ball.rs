//! When a moving ball first touches a triangle, in closed form. It proposes: [`at_once`](super::at_once) proves.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, sections 5.5.6 (a moving sphere against a triangle) and 5.3.2.

use super::Corners;
use crate::math::vector::{add, cross, dot, scale, sub};

/// A triangle's normal is known if it is longer than this, relative to the product of two edges.
pub(super) const LEAST_SINE: f64 = 1.0 / (1u64 << 20) as f64;

/// A contact of a ball.
#[derive(Clone, Copy)]
pub(super) struct BallContact {
    pub(super) t: f64,
    /// From the triangle to the ball, of unit length.
    pub(super) normal: [f64; 3],
    /// What the ball touches, within rounding.
    pub(super) point: [f64; 3],
    /// The triangle's point of the contact: the same, or for a capsule that of which this is the copy along the axis.
    pub(super) foot: [f64; 3],
}

/// A ball that moves by a direction in a unit of time.
pub(super) struct MovingBall {
    pub(super) centre: [f64; 3],
    pub(super) radius: f64,
    pub(super) direction: [f64; 3],
}

impl MovingBall {
    /// The first contact, of a ball that is apart from the triangle at first, about; `None` if there is none, or rounding
    /// leaves it open.
    pub(super) fn first_contact(&self, triangle: &Corners) -> Option<BallContact> {
        let [a, b, c] = *triangle;
        let edges = [sub(b, a), sub(c, b), sub(a, c)];
        let normal = cross(edges[0], edges[1]);
        let square = dot(normal, normal);
        let product = dot(edges[0], edges[0]) * dot(edges[1], edges[1]);
        // Or where the triangle has no extent.
        if square <= product * (LEAST_SINE * LEAST_SINE) {
            return None;
        }
        let unit = scale(normal, 1.0 / libm::sqrt(square));
        let height = dot(unit, sub(self.centre, a));
        let normal = if height < 0.0 { scale(unit, -1.0) } else { unit };
        let (gap, closing) = (height.abs() - self.radius, -dot(normal, self.direction));
        if gap > 0.0 {
            // The plane stays between them, or they come nearer to it.
            if closing <= 0.0 {
                return None;
            }
            let t = gap / closing;
            let point = sub(self.centre_at(t), scale(normal, self.radius));
            let is_inside = |k: usize| dot(unit, cross(edges[k], sub(point, triangle[k]))) >= 0.0;
            if (0..3).all(is_inside) {
                return Some(BallContact { t, normal, point, foot: point });
            }
        }
        let mut first: Option<BallContact> = None;
        for k in 0..3 {
            let found = [self.reaches_corner(triangle[k]), self.reaches_edge(triangle[k], edges[k])];
            for found in found.into_iter().flatten() {
                if first.is_none_or(|first| found.t < first.t) {
                    first = Some(found);
                }
            }
        }
        first
    }

    /// The centre at a time.
    pub(super) fn centre_at(&self, t: f64) -> [f64; 3] {
        add(self.centre, scale(self.direction, t))
    }

    /// The contact with a corner.
    pub(super) fn reaches_corner(&self, corner: [f64; 3]) -> Option<BallContact> {
        let t = self.reaches(sub(self.centre, corner), self.direction)?;
        self.contact(t, corner)
    }

    /// The contact with the inside of an edge.
    pub(super) fn reaches_edge(&self, start: [f64; 3], edge: [f64; 3]) -> Option<BallContact> {
        let from = sub(self.centre, start);
        let shorter = 1.0 / dot(edge, edge);
        let across = |v: [f64; 3]| sub(v, scale(edge, dot(v, edge) * shorter));
        let t = self.reaches(across(from), across(self.direction))?;
        let share = dot(sub(self.centre_at(t), start), edge) * shorter;
        if share > 0.0 && share < 1.0 { self.contact(t, add(start, scale(edge, share))) } else { None }
    }

    fn contact(&self, t: f64, point: [f64; 3]) -> Option<BallContact> {
        let offset = sub(self.centre_at(t), point);
        let square = dot(offset, offset);
        (square > 0.0).then(|| {
            let normal = scale(offset, 1.0 / libm::sqrt(square));
            BallContact { t, normal, point, foot: point }
        })
    }

    /// When a point that moves comes within the radius of the origin, if it is not at first.
    fn reaches(&self, from: [f64; 3], direction: [f64; 3]) -> Option<f64> {
        let (along, square) = (dot(from, direction), dot(direction, direction));
        let beyond = dot(from, from) - self.radius * self.radius;
        let discriminant = along * along - square * beyond;
        // Of the two roots of a quadratic equation the lesser, without cancellation.
        (beyond > 0.0 && along < 0.0 && discriminant > 0.0)
            .then(|| beyond / (libm::sqrt(discriminant) - along))
    }
}
