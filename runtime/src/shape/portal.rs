//! When a moving core first touches a triangle: the face of the differences of their points that the core's way passes.
//!
//! The core, displaced by a time times a direction, touches the triangle when that displacement, backwards, is one of the
//! differences of a point of the core and one of the triangle. These are a convex set, so the first touch is where a ray
//! enters it. Three of its points through whose triangle the ray passes, a *portal*, are found in the plane across the ray; then
//! the portal is moved outwards by the point that is farthest beyond it, until there is none. It takes some eight support points
//! in all; steps along distances take as many for each step. It proposes: [`at_once`](super::at_once) proves.
//!
//! Based on: Snethen, "XenoCollide: Complex Collision Made Simple", Game Programming Gems 7, 2008 (portals, for a ray that
//! begins inside); van den Bergen, "Ray Casting against General Convex Objects with Application to Continuous Collision
//! Detection", 2004 (each plane bounds the time).

use super::simplex::{Difference, farthest_against};
use super::{Corners, Shape};
use crate::math::vector::{Map3, add, cross, dot, scale, sub};
use crate::math::{larger, smaller};

/// Polytopes of some tens of points take about four in each of the two searches.
const ROUNDS: usize = 32;

/// The way of a core that is apart from a triangle at its start.
pub(super) struct Way<'a> {
    pub(super) shape: &'a dyn Shape,
    pub(super) triangle: &'a Corners,
    /// The displacement at the start.
    pub(super) moved: [f64; 3],
    /// What it moves by in a unit of time, not zero.
    pub(super) direction: [f64; 3],
    /// The same, of unit length.
    pub(super) forwards: [f64; 3],
    /// If a plane leaves more than `apart` between the two from the start until this much later, no portal is looked for. Negative if
    /// the limit is before the start.
    pub(super) latest: f64,
    pub(super) apart: f64,
    /// How far a difference may be beyond the portal.
    pub(super) slack: f64,
}

/// A part of a face of the differences, through which the ray enters them.
pub(super) struct Portal {
    pub(super) corners: [Difference; 3],
    /// Of unit length, from the triangle to the core.
    pub(super) normal: [f64; 3],
    /// When the core has crossed the gap along it, after the start; negative if it is there at the start.
    pub(super) t: f64,
    /// How far a difference is beyond the portal.
    pub(super) beyond: f64,
}

impl Portal {
    /// The point of the triangle nearest to the core, which is moved by `by` and still apart; `None` unless the nearest difference is in
    /// the portal, farther than `from_edges` from its edges.
    pub(super) fn foot(&self, by: [f64; 3], from_edges: f64) -> Option<[f64; 3]> {
        let at = self.corners.map3(|corner| add(corner.offset, by));
        let mut weights = [0.0; 3];
        for k in 0..3 {
            let (p, q) = (at[(k + 1) % 3], at[(k + 2) % 3]);
            let edge = sub(q, p);
            // Twice the area of the triangle from the edge to the foot, in the direction of the normal or against it.
            weights[k] = dot(self.normal, cross(p, q));
            if weights[k] * weights[k] <= from_edges * from_edges * dot(edge, edge) {
                return None;
            }
        }
        let sum = weights[0] + weights[1] + weights[2];
        let is_inside =
            weights.iter().all(|weight| *weight > 0.0) || weights.iter().all(|weight| *weight < 0.0);
        let [p, q, r] = [0, 1, 2].map3(|k| scale(self.corners[k].of, weights[k] / sum));
        is_inside.then(|| add(add(p, q), r))
    }
}

/// Why there is no portal.
pub(super) enum NoPortal {
    /// A plane is between the two until the latest time.
    Apart,
    /// Rounding, or too many rounds.
    Unknown,
}

impl Way<'_> {
    /// Where the ray enters the differences.
    pub(super) fn portal(&self) -> Result<Portal, NoPortal> {
        let [mut p, mut q, mut r] = self.first_portal()?;
        for _ in 0..ROUNDS {
            let mut normal = cross(sub(q.offset, p.offset), sub(r.offset, p.offset));
            if dot(normal, self.forwards) > 0.0 {
                (q, r, normal) = (r, q, scale(normal, -1.0));
            }
            let new = self.farthest_against(normal)?;
            let length = libm::sqrt(dot(normal, normal));
            let beyond = dot(normal, sub(p.offset, new.offset)) / length;
            if beyond <= self.slack {
                let t = dot(normal, new.offset) / -dot(normal, self.direction);
                let (normal, beyond) = (scale(normal, 1.0 / length), larger(beyond, 0.0));
                return Ok(Portal { corners: [p, q, r], normal, t, beyond });
            }
            // On which side the ray passes the plane through itself, the new point and a corner.
            let [at_p, at_q, at_r] = [self.side(&p, &new), self.side(&q, &new), self.side(&r, &new)];
            if at_p >= 0.0 && at_q <= 0.0 {
                r = new;
            } else if at_q >= 0.0 && at_r <= 0.0 {
                p = new;
            } else {
                q = new;
            }
        }
        Err(NoPortal::Unknown)
    }

    /// A triangle of differences through which the ray's line passes, by GJK in the plane across it.
    fn first_portal(&self) -> Result<[Difference; 3], NoPortal> {
        let forwards = self.forwards;
        let mut p = self.farthest_against(scale(forwards, -1.0))?;
        let across = sub(p.offset, scale(forwards, dot(p.offset, forwards)));
        let mut q = self.farthest_against(across)?;
        for _ in 0..ROUNDS {
            let mut beyond = cross(forwards, sub(q.offset, p.offset));
            if dot(beyond, p.offset) < 0.0 {
                beyond = scale(beyond, -1.0);
            }
            let r = self.farthest_against(beyond)?;
            if dot(beyond, r.offset) > 0.0 {
                break;
            }
            // The line is on this side of the edge from p to q, and of each other edge that it is not beyond.
            let inside = self.side(&p, &q);
            if self.side(&q, &r) * inside < 0.0 {
                p = r;
            } else if self.side(&r, &p) * inside < 0.0 {
                q = r;
            } else {
                return Ok([p, q, r]);
            }
        }
        Err(NoPortal::Unknown)
    }

    /// On which side of the line an edge passes, and twice the area between the two, seen along the line.
    fn side(&self, from: &Difference, to: &Difference) -> f64 {
        dot(self.forwards, cross(from.offset, to.offset))
    }

    /// The difference that is farthest against a direction, unless the plane across the direction separates the two until the latest
    /// time.
    fn farthest_against(&self, direction: [f64; 3]) -> Result<Difference, NoPortal> {
        let square = dot(direction, direction);
        // Too short for a reciprocal.
        if square.is_nan() || square <= f64::MIN_POSITIVE {
            return Err(NoPortal::Unknown);
        }
        let first = farthest_against(self.shape, self.triangle, self.moved, direction);
        let (gap, speed) = (dot(direction, first.offset), dot(direction, self.direction));
        // Between the two at the start and at the end, and so in between.
        let least = smaller(gap, gap + speed * self.latest);
        let is_apart = least > 0.0 && least * least > self.apart * self.apart * square;
        if is_apart { Err(NoPortal::Apart) } else { Ok(first) }
    }
}
