//! When a moving shape first touches a triangle, without steps: what separating axes, closed forms and portals propose, as far as
//! f64 proves it.

use super::first_touch::{APART, Mover, TouchTime};
use super::gjk::{Separation, error_of};
use super::moving_ball::MovingBall;
use super::moving_capsule::MovingCapsule;
use super::portal::{NoPortal, Way};
use super::separating_axes::{Against, Around, BoxMotion, GRAZING, SolidBox};
use super::simplex::{Simplex, farthest_against};
use super::{Bounds, Corners, Displacement};
use crate::math::vector::{Map3, add, dot, scale, sub};
use crate::math::{larger, smaller};
use crate::simd::{Kernel, dispatch};

/// A difference may be beyond a portal by this share of the tolerance: more than by rounding, and so little that normals of a curved core
/// are known well.
pub(super) const OF_PORTAL: f64 = 1.0 / 256.0;

/// A foot is so many times as far from the edges of its portal as differences are off, or beyond it: then the normal is known to seven
/// digits.
const FROM_EDGES: f64 = (1u64 << 24) as f64;

/// With a radius so many times what positions are off by, the direction from a point to the centre at the time of contact is known to
/// seven digits.
const WELL_KNOWN: f64 = (1u64 << 24) as f64;

/// What is known of the way of a shape.
pub(super) enum Arrival {
    /// It touches the triangle after the limit, if at all.
    Later,
    At(TouchTime),
}

/// What is known of the way of a box up to a limit.
enum BoxWay {
    /// It touches the triangle after the limit, if at all.
    Misses,
    At(TouchTime),
    /// About then, when a plane with this normal may be between them.
    About {
        t: f64,
        normal: [f64; 3],
    },
}

/// Where a shape may first touch a triangle.
struct Proposal {
    t: f64,
    /// Of unit length, from the triangle to the shape.
    normal: [f64; 3],
    /// How fast the two come nearer to each other along it, and how fast the shape moves.
    closing: f64,
    speed: f64,
}

impl Mover<'_> {
    /// What is known of a shape on its way from where the boxes around the two meet, at the time `entry`.
    pub(super) fn at_once(
        &self,
        triangle: &Corners,
        direction: [f64; 3],
        limit: f64,
        entry: f64,
    ) -> Option<Arrival> {
        match self.bounds.radius > 0.0 {
            true => self.round_motion(triangle, direction, limit, entry),
            false => self.core_motion(triangle, direction, limit, entry),
        }
    }

    /// What separating axes say of a box's way: its contact up to a limit or a little after it, if any; `None` if f64 leaves that open.
    pub(super) fn box_motion(
        &self,
        solid: &SolidBox,
        triangle: &Corners,
        direction: [f64; 3],
        limit: f64,
    ) -> Option<Option<TouchTime>> {
        let against = solid.against(triangle, [0.0; 3], direction, self.t_max);
        let speed = libm::sqrt(dot(direction, direction));
        let way = dispatch!(solid.level().inner(), simd => self.box_way(simd, &against, speed, limit))?;
        let time = match way {
            BoxWay::Misses => None,
            BoxWay::At(time) => Some(time),
            BoxWay::About { t, normal } => Some(self.last_apart(triangle, t, normal)),
        };
        Some(time)
    }

    #[inline(always)]
    fn box_way<S: Kernel>(&self, simd: S, against: &Against<'_>, speed: f64, limit: f64) -> Option<BoxWay> {
        let separations = against.separations(simd);
        Some(match separations.motion(simd, self.t_max, speed, self.tolerance)? {
            BoxMotion::Misses => BoxWay::Misses,
            BoxMotion::Touches => BoxWay::At(TouchTime::START),
            BoxMotion::Meets { t, .. } if self.is_later(t, limit) => BoxWay::Misses,
            BoxMotion::Meets { t, normal } => {
                let apart = self.rounded_down(t);
                match separations.widest(simd, apart) {
                    Some(Separation { normal, .. }) => {
                        let is_known = true;
                        BoxWay::At(TouchTime { t: apart, from_start: false, normal, is_known, foot: None })
                    }
                    None => BoxWay::About { t, normal },
                }
            }
        })
    }

    /// The way of a ball or a capsule that does not graze the triangle, as far as f64 proves it.
    fn round_motion(
        &self,
        triangle: &Corners,
        direction: [f64; 3],
        limit: f64,
        entry: f64,
    ) -> Option<Arrival> {
        let Bounds { lower, upper, radius } = self.bounds;
        let near = scale(direction, entry);
        let (centre, contact) = match self.segment {
            Some([from, centre]) => {
                let ball = MovingBall { centre: add(centre, near), radius, direction };
                (centre, MovingCapsule { ball, axis: sub(centre, from) }.first_contact(triangle)?)
            }
            None if lower != upper => return None,
            None => {
                (lower, MovingBall { centre: add(lower, near), radius, direction }.first_contact(triangle)?)
            }
        };
        let proposal = self.proposal(contact.t + entry, contact.normal, direction, GRAZING)?;
        let mut is_known = false;
        let arrival = self.proven(triangle, &proposal, limit, |after, error| {
            is_known = error * WELL_KNOWN <= radius;
            let offset = sub(add(centre, after), contact.point);
            libm::sqrt(dot(offset, offset)) + error <= radius
        })?;
        let Arrival::At(time) = arrival else { return Some(arrival) };
        let foot = is_known.then_some(contact.foot);
        Some(Arrival::At(TouchTime { foot, is_known, ..time }))
    }

    /// The way of a shape without a radius, as far as f64 proves it.
    fn core_motion(
        &self,
        triangle: &Corners,
        direction: [f64; 3],
        limit: f64,
        entry: f64,
    ) -> Option<Arrival> {
        let speed = libm::sqrt(dot(direction, direction));
        if speed == 0.0 {
            return None;
        }
        let moved = scale(direction, entry);
        let latest = smaller(limit, self.t_max) - entry;
        let (apart, slack) = (APART * self.tolerance, self.tolerance * OF_PORTAL);
        let forwards = scale(direction, 1.0 / speed);
        let way = Way { shape: self.shape, triangle, moved, direction, forwards, latest, apart, slack };
        let portal = match way.portal() {
            Ok(portal) => portal,
            Err(NoPortal::Apart) => return Some(Arrival::Later),
            Err(NoPortal::Unknown) => return None,
        };
        let holds = |by: [f64; 3], error: f64| {
            let deep = farthest_against(self.shape, triangle, moved, scale(portal.normal, -1.0));
            let [p, q, r] = portal.corners;
            Simplex::tetrahedron([p, q, r, deep].map(|it| add(it.offset, by))).surely_contains_origin(error)
        };
        if portal.t <= 0.0 {
            let touches = entry == 0.0 && holds([0.0; 3], error_of(&self.bounds, triangle, [0.0; 3]));
            return touches.then_some(Arrival::At(TouchTime::START));
        }
        // The face that is entered is beyond the portal by that much, at most, so the contact is later.
        let least = portal.beyond / slack * GRAZING;
        let proposal = self.proposal(portal.t + entry, portal.normal, direction, least)?;
        let arrival =
            self.proven(triangle, &proposal, limit, |after, error| holds(sub(after, moved), error))?;
        let Arrival::At(time) = arrival else { return Some(arrival) };
        let then = Displacement::new(time.t, self.direction).rounded();
        let error = error_of(&self.bounds, triangle, then);
        let foot = portal.foot(sub(then, moved), FROM_EDGES * (error + portal.beyond));
        Some(Arrival::At(TouchTime { foot, is_known: foot.is_some(), ..time }))
    }

    /// A contact, if the shape comes nearer at more than this share of its speed.
    fn proposal(&self, t: f64, normal: [f64; 3], direction: [f64; 3], least: f64) -> Option<Proposal> {
        let (closing, speed) = (-dot(normal, direction), libm::sqrt(dot(direction, direction)));
        (closing > speed * least).then_some(Proposal { t, normal, closing, speed })
    }

    /// A contact, if it is one: a plane towards which the shape moves separates it from the triangle at a time, so they are apart
    /// until then, and surely touch at a displacement a little later.
    fn proven(
        &self,
        triangle: &Corners,
        proposal: &Proposal,
        limit: f64,
        surely_touch: impl FnOnce([f64; 3], f64) -> bool,
    ) -> Option<Arrival> {
        let Proposal { t, normal, closing, speed } = *proposal;
        let around = Around::of(closing, speed, self.tolerance);
        let apart = self.rounded_down(larger(t - around.before, 0.0));
        let direction = self.direction.map3(f64::from);
        let after = scale(direction, smaller(t + around.after, self.t_max));
        let error = error_of(&self.bounds, triangle, after);
        let moved = Displacement::new(apart, self.direction).rounded();
        let plane = Separation::along(self.shape, triangle, moved, normal, error)?;
        // Only what is proven is told, with a limit or without one.
        if !surely_touch(after, error) {
            return None;
        }
        if self.is_later(apart, limit) {
            return Some(Arrival::Later);
        }
        let time =
            TouchTime { t: apart, from_start: false, normal: plane.normal, is_known: false, foot: None };
        Some(Arrival::At(time))
    }
}
