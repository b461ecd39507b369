//! When a moving shape first touches a triangle.
//!
//! Based on: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, section 2.3 (conservative
//! advancement), for translations only. The distance of convex sets is a convex function of the time; a plane across the
//! shortest distance is its tangent, and the time at which the shape has crossed the gap along that plane's normal is
//! Newton's next time: never too late, and it converges quadratically unless the shape only grazes the triangle. Shapes
//! without a radius, and balls and capsules that do not graze it, are mostly done without steps, by [`at_once`](super::at_once). Where no
//! plane is found though the two are apart, or the steps are too many, times are halved instead.
//!
//! What is returned does not depend on how well that converged. The shape surely does not touch the triangle at `t`: a
//! plane separates them there, or integers say so. And it does touch it later, by integers where f64 leaves it open.
//! Times are multiples of a power of two, rounded down, so that triangles that meet at an edge or a corner
//! mostly give the same time.

use super::at_once::{Arrival, OF_PORTAL};
use super::depth::{WayOut, shortest_way_out};
use super::during::classify_during;
use super::gjk::{Contact, Nearest, Separation, error_of};
use super::separating_axes::{GRAZING, SolidBox};
use super::{Bounds, Corners, Displacement, Shape, magnitude};
use crate::math::vector::{Map3, add, cross, dot, scale, sub};
use crate::math::{larger, smaller};

/// The most steps towards a triangle. Only grazing ones take more than ten.
const STEPS: usize = 48;

/// How often a time is moved back, four times as far each time, before integers decide. In all that is less than the
/// tolerance, of which a grain is 1 / 256: so what is found to be [`APART`] until a limit has a later time, whichever of the two is
/// asked first.
const BACKS: u32 = 4;

/// What is farther apart than this many tolerances at a limit, and before, is not touched up to the limit, as first touches are told: at the
/// time that [`at_once`](super::at_once) tells, a shape is within the first part of it from touching, and within two where steps end. The rest
/// is for steps back and roundings.
pub(super) const APART: f64 = (0.5 + OF_PORTAL) / GRAZING + 4.0;

/// A shape that does not know what it touches on its way, where f64 leaves it open, is asked at 1, 2, 4, … up to 2^6 tolerances of
/// closing beyond its time.
const LOOKS: u32 = 6;

/// The direction between points that are so many times as far apart as they are off is known to six digits.
const WELL_BEYOND: f64 = (1u64 << 20) as f64;

/// A plane is between two but for roundings if they overlap along its normal by no more than so many errors.
const ROUNDINGS: f64 = 64.0;

/// Unit normals with a smaller dot product are not those of the same face: a thousandth of a radian.
const ALONG_FACE: f64 = 1.0 - 0.5e-6;

/// A unit vector is along a plane if its dot product with the unit normal is no more than roundings.
const ALONG_PLANE: f64 = 1e-12;

/// Corners of a sliver are equally far along a direction within this share of what is between its nearest and its farthest one.
const OF_SLIVER: f64 = 1e-3;

/// The part of a triangle that a shape touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// The inside of the face: the contact normal is the triangle's.
    Face,
    /// The edge from this corner, 0 to 2, to the next.
    Edge(u8),
    /// This corner, 0 to 2.
    Vertex(u8),
}

/// A moving shape, with all that its casts against triangles have in common.
pub(crate) struct Mover<'a> {
    pub(crate) shape: &'a dyn Shape,
    /// The same, if it is a box.
    pub(crate) solid: Option<SolidBox>,
    /// The ends of the core, if that is a segment.
    pub(crate) segment: Option<[[f64; 3]; 2]>,
    pub(crate) bounds: Bounds,
    pub(crate) direction: [f32; 3],
    pub(crate) t_max: f64,
    /// Contacts are found within this distance.
    pub(crate) tolerance: f64,
    /// Times are multiples of this power of two.
    pub(crate) grain: f64,
}

/// From where a shape touches a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactNormal {
    /// From the triangle to the shape, of unit length; zero if what is touched is too small for f64.
    pub(crate) normal: [f64; 3],
    /// How deep the shape is in the triangle at the start; `None` if it is apart from it.
    pub(crate) depth: Option<f64>,
    pub(crate) feature: Feature,
}

/// Where a shape first touches a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) t: f64,
    /// A point of the triangle that is as near to the shape then as any, but for some tolerances.
    pub(crate) point: [f64; 3],
    pub(crate) from: ContactNormal,
}

/// When a shape first touches a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TouchTime {
    pub(crate) t: f64,
    /// Whether it does so from the start.
    pub(crate) from_start: bool,
    /// The normal of a plane that was between them then; zero if there is none.
    pub(crate) normal: [f64; 3],
    /// Whether that is the contact's normal; otherwise a wider plane is looked for.
    pub(crate) is_known: bool,
    /// The point of the triangle that was nearest to the shape, if the distance is surely along that normal.
    pub(crate) foot: Option<[f64; 3]>,
}

/// What contacts are looked for before: another one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) t: f64,
    /// A plane with this normal may be between the shape and what it touches later; zero if none is known.
    pub(crate) normal: [f64; 3],
}

impl Limit {
    pub(crate) const NONE: Self = Self { t: f64::INFINITY, normal: [0.0; 3] };
}

impl TouchTime {
    pub(super) const START: Self =
        Self { t: 0.0, from_start: true, normal: [0.0; 3], is_known: false, foot: None };
}

impl Mover<'_> {
    /// The first contact at a time up to `limit`, or a little after it; `None` if there is none up to `t_max`. The time does not
    /// depend on the limit, as that depends on the order in which triangles are met: the limit only leaves out.
    pub(crate) fn first_touch(&self, triangle: &Corners, limit: Limit) -> Option<TouchTime> {
        let direction = self.direction.map3(f64::from);
        if let Some(solid) = &self.solid
            && let Some(time) = self.box_motion(solid, triangle, direction, limit.t)
        {
            return time;
        }
        if self.bounds.radius == 0.0
            && limit.normal != [0.0; 3]
            && self.is_beyond(triangle, &limit, direction)
        {
            return None;
        }
        let mut t = self.entry(triangle, &direction)?;
        match self.at_once(triangle, direction, limit.t, t) {
            Some(Arrival::Later) => return None,
            Some(Arrival::At(time)) => return Some(time),
            None => {}
        }
        if limit.t < f64::INFINITY && self.is_apart_until(triangle, &limit, &direction) {
            return None;
        }
        let (mut speed, mut normal) = (0.0, [0.0; 3]);
        let mut moved = scale(direction, t);
        let mut nearest = Nearest::for_steps(self.shape, triangle, moved);
        let mut is_near = false;
        for _ in 0..STEPS {
            if nearest.contains_origin() {
                break;
            }
            let mut plane = Separation::along(self.shape, triangle, moved, nearest.offset, 0.0);
            if plane.is_none() {
                if t == 0.0 && self.touches_at_start(triangle, &nearest) {
                    return Some(TouchTime::START);
                }
                plane = nearest.best_plane(self.shape, triangle, moved, 0.0);
            }
            let Some(plane) = plane else { break };
            (speed, normal) = (-dot(plane.normal, direction), plane.normal);
            if plane.gap <= self.tolerance {
                is_near = nearest.distance() - self.shape.radius() <= 2.0 * self.tolerance;
                break;
            }
            // The plane separates them from now on, or until after the end; it is wide enough for all roundings.
            if speed <= 0.0 || t + (plane.gap - self.tolerance) / speed > self.t_max {
                return None;
            }
            t = smaller(t + (plane.gap - 0.5 * self.tolerance) / speed, self.t_max);
            if self.is_later(t, limit.t) {
                return None;
            }
            let next = scale(direction, t);
            nearest = nearest.moved_on(self.shape, triangle, next, sub(next, moved));
            moved = next;
        }
        if t == 0.0 && self.touches_at_start(triangle, &nearest) {
            return Some(TouchTime::START);
        }
        if !is_near {
            return self.searched(triangle, t, normal);
        }
        self.is_met(triangle, t, speed, &nearest).then(|| self.last_apart(triangle, t, normal))
    }

    /// The contact after a time up to which the steps have come, though the two may still be apart by more than the tolerance: they graze,
    /// or are nearer to each other than they are large by so much that the iteration ends before their distance is known. Halves what
    /// is between that time and one at which they touch or have touched.
    #[cold]
    fn searched(&self, triangle: &Corners, t: f64, normal: [f64; 3]) -> Option<TouchTime> {
        let has_touched = |until: f64| self.touches_until(triangle, until) != Some(false);
        let touches_at = |t: f64| self.touches_at(triangle, t);
        let (mut touching, touches): (f64, &dyn Fn(f64) -> bool) =
            match self.touches_until(triangle, self.t_max) {
                Some(false) => return None,
                Some(true) => (self.t_max, &has_touched),
                // Once they touch they do so for a while, unless they graze.
                None => {
                    let direction = self.direction.map3(f64::from);
                    let step = self.tolerance / libm::sqrt(dot(direction, direction));
                    let later = |doublings: i32| t + step * libm::scalbn(1.0, doublings);
                    let times = (0..).map(later).take_while(|t| *t < self.t_max).chain([self.t_max]);
                    (times.into_iter().find(|t| touches_at(*t))?, &touches_at)
                }
            };
        let mut apart = t;
        while touching - apart > self.grain {
            let middle = 0.5 * (apart + touching);
            if middle <= apart || middle >= touching {
                break;
            }
            if touches(middle) {
                touching = middle;
            } else {
                apart = middle;
            }
        }
        Some(self.last_apart(triangle, apart, normal))
    }

    /// So much after the time that is told, a shape that moves is within roundings of the triangle. Filters and walks see it four tolerances
    /// larger, so none of their bounds is later.
    pub(crate) fn early_by(&self) -> f64 {
        let direction = self.direction.map3(f64::from);
        APART * self.tolerance / libm::sqrt(dot(direction, direction))
    }

    fn touches_at(&self, triangle: &Corners, t: f64) -> bool {
        self.shape.touches(triangle, &Displacement::new(t, self.direction))
    }

    /// Whether the two touch at a time up to `t`; `None` where f64 leaves it open, of a shape that does not know what it touches on its way.
    fn touches_until(&self, triangle: &Corners, t: f64) -> Option<bool> {
        let displacement = Displacement::new(t, self.direction);
        self.shape.touches_during(triangle, &displacement).or_else(|| {
            match classify_during(self.shape, triangle, &displacement) {
                Contact::Touching => Some(true),
                Contact::Apart => Some(false),
                Contact::Unsure(_) => None,
            }
        })
    }

    /// The contact, if it is from the start.
    pub(crate) fn touch_at_start(&self, triangle: &Corners) -> Option<TouchTime> {
        let known = self.solid.as_ref().and_then(|solid| solid.touches(triangle, [0.0; 3]));
        let touches = || self.shape.touches(triangle, &Displacement::NONE);
        known.unwrap_or_else(touches).then_some(TouchTime::START)
    }

    /// Whether the two touch before the shape moves; `nearest` is of then.
    fn touches_at_start(&self, triangle: &Corners, nearest: &Nearest) -> bool {
        let is_known = matches!(nearest.classify(self.shape, triangle, [0.0; 3]), Contact::Touching);
        is_known || self.shape.touches(triangle, &Displacement::NONE)
    }

    /// Whether the result for a contact at about this time is later than a limit: it is earlier than this by one grain, or in
    /// rare cases by steps back, which this allows for.
    pub(super) fn is_later(&self, t: f64, limit: f64) -> bool {
        t > limit + self.grain * f64::from(1u32 << (2 * BACKS))
    }

    /// Whether the plane that the limit names separates the two until then, as far as it must: of the triangles near a contact, most
    /// are separated by it. For shapes without a radius: closed forms of others take little longer than this.
    fn is_beyond(&self, triangle: &Corners, limit: &Limit, direction: [f64; 3]) -> bool {
        let (moved, gap) = (scale(direction, limit.t), APART * self.tolerance);
        dot(limit.normal, direction) <= 0.0
            && Separation::along(self.shape, triangle, moved, limit.normal, gap).is_some()
    }

    /// Whether a plane separates the two until `limit`, as far as it must.
    fn is_apart_until(&self, triangle: &Corners, limit: &Limit, direction: &[f64; 3]) -> bool {
        let (moved, gap) = (scale(*direction, limit.t), APART * self.tolerance);
        let hint = if limit.normal == [0.0; 3] { scale(*direction, -1.0) } else { limit.normal };
        let nearest = Nearest::beyond(self.shape, triangle, moved, gap, hint);
        let plane = Separation::along(self.shape, triangle, moved, nearest.offset, gap);
        plane.is_some_and(|plane| dot(plane.normal, *direction) <= 0.0)
    }

    /// The time at which the box around the shape reaches that of the triangle; `None` if it does not up to `t_max`.
    fn entry(&self, triangle: &Corners, direction: &[f64; 3]) -> Option<f64> {
        let [a, b, c] = triangle;
        let lower = [0, 1, 2].map3(|axis| smaller(smaller(a[axis], b[axis]), c[axis]));
        let upper = [0, 1, 2].map3(|axis| larger(larger(a[axis], b[axis]), c[axis]));
        let slack = (self.bounds.magnitude() + magnitude(triangle)) * (8.0 * f64::EPSILON) + self.tolerance;
        let [enter, _] = self.bounds.times_near(&[lower, upper], direction, self.t_max, slack)?;
        Some(enter)
    }

    /// Whether the shape, which is within the tolerance of the triangle at `t`, touches it later; `nearest` is of then, and it closes in
    /// with this speed. Of shapes that do not know what they touch on their way, only some times may be looked at.
    fn is_met(&self, triangle: &Corners, t: f64, speed: f64, nearest: &Nearest) -> bool {
        let later = |tolerances: u32| match speed > 0.0 {
            true => smaller(t + f64::from(tolerances) * self.tolerance / speed, self.t_max),
            false => t,
        };
        let last = Displacement::new(later(1 << LOOKS), self.direction);
        let (moved, after) = (scale(self.direction.map(f64::from), t), last.rounded());
        let known = nearest.classify_moved_on(self.shape, triangle, after, sub(after, moved));
        if matches!(known, Contact::Touching) {
            return true;
        }
        let some_touch = || (0..=LOOKS).rev().any(|look| self.touches_at(triangle, later(1 << look)));
        self.touches_until(triangle, self.t_max).unwrap_or_else(some_touch)
    }

    /// The last time up to `t` at which the two are surely apart, or the start if they touch from there.
    pub(super) fn last_apart(&self, triangle: &Corners, t: f64, normal: [f64; 3]) -> TouchTime {
        let mut t = self.rounded_down(t);
        let mut back = self.grain;
        for _ in 0..BACKS {
            let moved = Displacement::new(t, self.direction).rounded();
            let error = error_of(&self.bounds, triangle, moved);
            let plane = Separation::along(self.shape, triangle, moved, normal, error).or_else(|| {
                let nearest = Nearest::of(self.shape, triangle, moved);
                nearest.best_plane(self.shape, triangle, moved, error)
            });
            if let Some(plane) = plane {
                return TouchTime { t, from_start: false, normal: plane.normal, is_known: false, foot: None };
            }
            if t == 0.0 {
                break;
            }
            t = larger(self.rounded_down(t - back), 0.0);
            back *= 4.0;
        }
        let t = self.before_touch(triangle, t, back);
        let from_start = if t == 0.0 { self.touch_at_start(triangle) } else { None };
        from_start.unwrap_or(TouchTime { t, from_start: false, normal, is_known: false, foot: None })
    }

    /// The last time up to `t` at which the two do not touch, as they say themselves, or the start; looked for by so large a step, larger
    /// ones, and halves.
    fn before_touch(&self, triangle: &Corners, mut t: f64, mut back: f64) -> f64 {
        let mut touching = t;
        while t > 0.0 && self.touches_at(triangle, t) {
            touching = t;
            t = larger(self.rounded_down(t - back), 0.0);
            back *= 4.0;
        }
        loop {
            let middle = self.rounded_down(0.5 * (t + touching));
            if middle <= t {
                return t;
            }
            if self.touches_at(triangle, middle) {
                touching = middle;
            } else {
                t = middle;
            }
        }
    }

    /// From where the shape touches the triangle at that time.
    pub(crate) fn contact_normal(&self, triangle: &Corners, at: &TouchTime) -> ContactNormal {
        let (normal, depth) = if at.from_start {
            let WayOut { direction, depth } = match &self.solid {
                Some(solid) => solid.way_out(triangle, self.tolerance),
                None => shortest_way_out(self.shape, triangle, self.tolerance),
            };
            (direction, Some(depth))
        } else if at.is_known {
            (at.normal, None)
        } else {
            (self.normal_between(triangle, at).unwrap_or_else(|| self.way_back(triangle, at)), None)
        };
        ContactNormal { normal, depth, feature: feature(triangle, normal) }
    }

    /// A normal for two that are apart by less than f64 tells: the triangle's, or the displacement's, against the latter. A displacement
    /// along the triangle's face does not tell its sides apart, but the shape's middle does.
    fn way_back(&self, triangle: &Corners, at: &TouchTime) -> [f64; 3] {
        let (face, direction) = (unit_normal(triangle), self.direction.map3(f64::from));
        let back = scale(direction, -1.0 / libm::sqrt(dot(direction, direction)));
        if face == [0.0; 3] {
            return back;
        }
        let middle = add(self.bounds.centre(), Displacement::new(at.t, self.direction).rounded());
        let along = dot(face, back);
        let side = if along.abs() < ALONG_PLANE { dot(face, sub(middle, triangle[0])) } else { along };
        if side < 0.0 { scale(face, -1.0) } else { face }
    }

    /// The normal of the widest plane between the two that is found; of a rounded shape also of one across the way to its core, which is
    /// between them but for roundings; or of one that was known before.
    fn normal_between(&self, triangle: &Corners, at: &TouchTime) -> Option<[f64; 3]> {
        let moved = Displacement::new(at.t, self.direction).rounded();
        let plane = if let Some(solid) = &self.solid {
            solid.plane(triangle, moved)
        } else {
            let error = error_of(&self.bounds, triangle, moved);
            let nearest = Nearest::about(self.shape, triangle, moved, at.normal);
            let is_far = self.bounds.radius > 0.0 && nearest.distance() > WELL_BEYOND * error;
            let across = |slack: f64| Separation::along(self.shape, triangle, moved, nearest.offset, -slack);
            let plane = nearest.best_plane(self.shape, triangle, moved, error);
            plane.or_else(|| if is_far { across(ROUNDINGS * error) } else { None })
        };
        plane.map(|plane| plane.normal).or((at.normal != [0.0; 3]).then_some(at.normal))
    }

    /// The contact at that time.
    pub(crate) fn describe(&self, triangle: &Corners, at: &TouchTime, from: ContactNormal) -> Touch {
        let point = at.foot.unwrap_or_else(|| {
            let moved = Displacement::new(at.t, self.direction).rounded();
            let of_box = self.solid.as_ref().filter(|_| !at.from_start);
            of_box
                .and_then(|solid| solid.touched_point(triangle, moved, &from, self.tolerance))
                .or_else(|| {
                    if at.from_start { None } else { Some(self.shape.nearest_points(triangle, moved)?[0]) }
                })
                .unwrap_or_else(|| Nearest::about(self.shape, triangle, moved, from.normal).on_triangle)
        });
        Touch { t: at.t, point, from }
    }

    /// The largest multiple of the grain up to a time, which is not negative unless it is below the grain.
    pub(super) fn rounded_down(&self, t: f64) -> f64 {
        let grains = t / self.grain;
        // Beyond 2^52 there are no fractions.
        if grains >= (1u64 << 52) as f64 {
            return t;
        }
        (grains as i64) as f64 * self.grain
    }
}

/// The part of a triangle that is farthest along a direction, within a millionth of its size: its face only along its normal, as all of
/// a sliver is so near.
pub(super) fn feature(triangle: &Corners, normal: [f64; 3]) -> Feature {
    let [a, b, c] = *triangle;
    let edges = [sub(b, a), sub(c, b), sub(a, c)];
    let longest = edges.iter().fold(0.0, |most, edge| larger(most, dot(*edge, *edge)));
    let along = triangle.map3(|corner| dot(sub(corner, a), normal));
    let most = larger(larger(along[0], along[1]), along[2]);
    let least = smaller(smaller(along[0], along[1]), along[2]);
    let mut slack = 1e-6 * libm::sqrt(longest);
    if most - least <= slack && dot(normal, unit_normal(triangle)).abs() < ALONG_FACE {
        slack = OF_SLIVER * (most - least);
    }
    let on = along.map3(|x| x >= most - slack);
    match on {
        [true, true, true] => Feature::Face,
        [true, true, false] => Feature::Edge(0),
        [false, true, true] => Feature::Edge(1),
        [true, false, true] => Feature::Edge(2),
        [_, true, false] => Feature::Vertex(1),
        [_, false, true] => Feature::Vertex(2),
        _ => Feature::Vertex(0),
    }
}

/// The unit normal of a triangle by the right-hand rule; zero if it has no area.
pub(crate) fn unit_normal(triangle: &Corners) -> [f64; 3] {
    let [a, b, c] = *triangle;
    let normal = cross(sub(b, a), sub(c, a));
    let square = dot(normal, normal);
    if square > 0.0 { scale(normal, 1.0 / libm::sqrt(square)) } else { [0.0; 3] }
}
