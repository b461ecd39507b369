//! A solid box that moves and a triangle: when they touch, by the separating axes.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, sections 5.2.1 and 5.5.8; Gottschalk, Lin, Manocha,
//! "OBBTree", 1996, section 5: if a box with a volume and a triangle are apart, they are separated along one of thirteen
//! axes, which are the triangle's normal, the box's three, and the cross products of their edges. Along each, the two are
//! intervals, one of which moves. Everything is f64, and what it leaves open is left to [`gjk`](super::gjk) and
//! [`exact`](super::exact).
//!
//! # Why what is said is so
//!
//! Let M be the sum of the largest coordinates of box, triangle and displacement, and w the product of the sums of
//! magnitudes of the two vectors whose cross product an axis is. Differences of corners are rounded once, a component of
//! the cross product three times: the axis is off by at most 5 w units of 2^-53 in the sum of magnitudes, which moves the
//! projections of points 4 M apart by 20 w M of them. Offsets from the centre, itself off by a few roundings, dot products
//! with an axis that is at most 2 w long, the sum over the box's axes and the displacement are off by 34 w M more. `margin` is
//! 128. So where the intervals are farther apart than the margin, the axis as it was computed has the two on different sides;
//! where they overlap by more than it along all axes, no exact axis separates the two.
//!
//! An axis that is computed as zero says nothing, so that the two are not known to touch; unless it is surely zero: the cross
//! product of an edge and an axis of space, of which each component is a single product.

use super::depth::WayOut;
use super::gjk::Separation;
use super::{Bounds, Corners, Shape, magnitude};
use crate::math::vector::{Map3, cross, dot, scale, sub};
use crate::math::{larger, smaller};

/// Of the sizes of what is projected: 128 roundings.
const RELATIVE_ERROR: f64 = 1.0 / (1u64 << 46) as f64;

/// The product of two axes of a box that has a volume is longer than this, relative to the axes.
const LEAST_AREA: f64 = 1.0 / (1u64 << 20) as f64;

const AXES: usize = 13;

/// A shape that comes nearer at a smaller share of its speed grazes the triangle: distances at times are not known well.
pub(super) const GRAZING: f64 = 1.0 / 64.0;

/// Contacts are sure if the two are in each other after this many more tolerances of closing. With the share above, a shape is
/// within 2^12 tolerances, which are 2^-20 of the model's size, of touching.
pub(super) const LATER: f64 = 64.0;

/// A shape that is a box with a volume.
#[derive(Clone, Copy)]
pub(crate) struct SolidBox {
    centre: [f64; 3],
    axes: [[f64; 3]; 3],
    normals: [[f64; 3]; 3],
    /// The sums of the magnitudes of each axis, and the products of two of these that belong to the normals.
    lengths: [f64; 3],
    areas: [f64; 3],
    /// Whether each axis is one of space.
    aligned: [bool; 3],
    magnitude: f64,
}

/// The box and the triangle along an axis of any length.
#[derive(Clone, Copy)]
struct Along {
    axis: [f64; 3],
    /// Between the box and the triangle at the time 0: from the box's end to the triangle's start, and from the box's start to
    /// the triangle's end.
    low: f64,
    high: f64,
    speed: f64,
    margin: f64,
}

/// The box and the triangle along all axes.
pub(crate) struct Separations {
    along: [Along; AXES],
    count: usize,
    /// Whether an axis is missing.
    is_incomplete: bool,
}

/// What is known of a box that moves up to some time.
pub(crate) enum BoxMotion {
    /// It never touches the triangle.
    Misses,
    /// It touches it at the time 0.
    Touches,
    /// It touches it later than this time, which is less than half a tolerance of closing before the contact. A plane with this
    /// unit normal is between them then.
    Meets { t: f64, normal: [f64; 3] },
}

impl SolidBox {
    /// `None` if the shape is anything else.
    pub(crate) fn of<T: Shape + ?Sized>(shape: &T) -> Option<Self> {
        if !shape.fills_core_axes() || shape.radius() != 0.0 {
            return None;
        }
        let [lower, upper] = shape.core_bounds();
        let (bounds, axes) = (Bounds { lower, upper, radius: 0.0 }, shape.core_axes());
        let pair = |k: usize| ((k + 1) % 3, (k + 2) % 3);
        let lengths = [sum(axes[0]), sum(axes[1]), sum(axes[2])];
        let normal = |k: usize| cross(axes[pair(k).0], axes[pair(k).1]);
        let area = |k: usize| lengths[pair(k).0] * lengths[pair(k).1];
        let (normals, areas) = ([normal(0), normal(1), normal(2)], [area(0), area(1), area(2)]);
        let is_solid = (0..3).all(|k| areas[k] > 0.0 && sum(normals[k]) > areas[k] * LEAST_AREA);
        let is_aligned = |k: usize| axes[k].iter().filter(|x| **x != 0.0).count() == 1;
        let aligned = [is_aligned(0), is_aligned(1), is_aligned(2)];
        let (centre, magnitude) = (bounds.centre(), bounds.magnitude());
        is_solid.then_some(Self { centre, axes, normals, lengths, areas, aligned, magnitude })
    }

    /// Whether the displaced box touches the triangle; `None` if f64 leaves it open.
    pub(crate) fn touches(&self, triangle: &Corners, moved: [f64; 3]) -> Option<bool> {
        let separations = self.separations(triangle, moved, [0.0; 3], 0.0);
        if separations.along().iter().any(|it| it.gap(0.0) > it.margin) {
            return Some(false);
        }
        separations.overlap(0.0).then_some(true)
    }

    /// The widest of the planes across axes that surely separate the displaced box from the triangle.
    pub(crate) fn plane(&self, triangle: &Corners, moved: [f64; 3]) -> Option<Separation> {
        let separations = self.separations(triangle, moved, [0.0; 3], 0.0);
        let mut best: Option<Separation> = None;
        for it in separations.along().iter().filter(|it| it.gap(0.0) > it.margin) {
            let shorter = 1.0 / libm::sqrt(dot(it.axis, it.axis));
            let gap = (it.gap(0.0) - it.margin) * shorter;
            // The box is above the triangle, or below it.
            let towards = if it.high < 0.0 { shorter } else { -shorter };
            if best.is_none_or(|best| gap > best.gap) {
                best = Some(Separation { normal: scale(it.axis, towards), gap });
            }
        }
        best
    }

    /// The shortest way out of a triangle that the box touches: along the first of the axes along which it is the shortest, within
    /// the tolerance.
    pub(super) fn way_out(&self, triangle: &Corners, tolerance: f64) -> WayOut {
        let separations = self.separations(triangle, [0.0; 3], [0.0; 3], 0.0);
        let mut best = WayOut { direction: [0.0; 3], depth: f64::INFINITY };
        for it in separations.along() {
            let shorter = 1.0 / libm::sqrt(dot(it.axis, it.axis));
            for (towards, depth) in [(shorter, it.high * shorter), (-shorter, -it.low * shorter)] {
                if depth < best.depth - tolerance {
                    best = WayOut { direction: scale(it.axis, towards), depth };
                }
            }
        }
        WayOut { depth: larger(best.depth, 0.0), ..best }
    }

    /// The two along all axes, for a box that moves from a displacement on until `t_max`.
    pub(crate) fn separations(
        &self,
        triangle: &Corners,
        moved: [f64; 3],
        direction: [f64; 3],
        t_max: f64,
    ) -> Separations {
        let farthest = |axis: usize| {
            let by = if direction[axis] == 0.0 { 0.0 } else { t_max * direction[axis].abs() };
            moved[axis].abs() + by
        };
        let travelled = larger(larger(farthest(0), farthest(1)), farthest(2));
        let error = (self.magnitude + magnitude(triangle) + travelled) * RELATIVE_ERROR;
        let [a, b, c] = *triangle;
        let centre = [0, 1, 2].map3(|axis| self.centre[axis] + moved[axis]);
        let corners = [sub(a, centre), sub(b, centre), sub(c, centre)];
        let edges = [sub(b, a), sub(c, b), sub(a, c)];
        let of_edges = [sum(edges[0]), sum(edges[1]), sum(edges[2])];
        let mut out = Separations { along: [Along::NONE; AXES], count: 0, is_incomplete: false };
        let mut look = |axis: [f64; 3], weight: f64, is_exact: bool| {
            if axis == [0.0; 3] {
                out.is_incomplete |= !is_exact;
                return;
            }
            let [p, q, r] = [dot(axis, corners[0]), dot(axis, corners[1]), dot(axis, corners[2])];
            let half =
                dot(axis, self.axes[0]).abs() + dot(axis, self.axes[1]).abs() + dot(axis, self.axes[2]).abs();
            let (first, last) = (-larger(larger(-p, -q), -r), larger(larger(p, q), r));
            let speed = dot(axis, direction);
            out.along[out.count % AXES] =
                Along { axis, low: first - half, high: last + half, speed, margin: weight * error };
            out.count += 1;
        };
        look(cross(edges[0], edges[1]), of_edges[0] * of_edges[1], false);
        for k in 0..3 {
            look(self.normals[k], self.areas[k], false);
        }
        for (edge, of_edge) in edges.into_iter().zip(of_edges) {
            for k in 0..3 {
                look(cross(self.axes[k], edge), self.lengths[k] * of_edge, self.aligned[k]);
            }
        }
        out
    }
}

/// The sum of magnitudes.
fn sum([x, y, z]: [f64; 3]) -> f64 {
    x.abs() + y.abs() + z.abs()
}

impl Along {
    const NONE: Self = Self { axis: [0.0; 3], low: 0.0, high: 0.0, speed: 0.0, margin: 0.0 };

    /// How far the two are apart at a time; negative if their intervals overlap.
    fn gap(&self, t: f64) -> f64 {
        let moved = if t == 0.0 { 0.0 } else { self.speed * t };
        larger(self.low - moved, moved - self.high)
    }

    /// From when to when their intervals overlap; nothing is known if the box does not move along the axis.
    fn times(&self) -> Option<[f64; 2]> {
        let (near, far) = if self.speed > 0.0 { (self.low, self.high) } else { (self.high, self.low) };
        (self.speed != 0.0).then(|| [near / self.speed, far / self.speed])
    }
}

impl Separations {
    fn along(&self) -> &[Along] {
        &self.along[..self.count.min(AXES)]
    }

    /// Whether the two surely touch at a time.
    fn overlap(&self, t: f64) -> bool {
        !self.is_incomplete && self.along().iter().all(|it| it.gap(t) < -it.margin)
    }

    /// When they first touch, up to the time `t_max` for which this was made, of a box that moves at some speed; `None` if f64
    /// leaves open whether they do, or when. Contacts are found within a distance, the tolerance.
    pub(crate) fn motion(&self, t_max: f64, speed: f64, tolerance: f64) -> Option<BoxMotion> {
        let (mut first, mut last) = ((f64::NEG_INFINITY, None), (f64::INFINITY, None));
        for it in self.along() {
            match it.times() {
                Some([enter, leave]) => {
                    if enter > first.0 {
                        first = (enter, Some(it));
                    }
                    if leave < last.0 {
                        last = (leave, Some(it));
                    }
                }
                None if it.gap(0.0) > it.margin => return Some(BoxMotion::Misses),
                None => {}
            }
        }
        if first.0 > t_max || last.0 < 0.0 || first.0 > last.0 {
            // Until then one axis separates the two, and from then on another.
            let t = larger(smaller(0.5 * (first.0 + last.0), t_max), 0.0);
            let is_beyond = |axis: Option<&Along>| axis.is_some_and(|it| it.gap(t) > it.margin);
            let misses = (t == 0.0 || is_beyond(first.1)) && (t == t_max || is_beyond(last.1));
            return misses.then_some(BoxMotion::Misses);
        }
        if first.0 <= 0.0 {
            return self.overlap(0.0).then_some(BoxMotion::Touches);
        }
        self.contact(first.0, first.1?, t_max, speed, tolerance)
    }

    /// The contact along an axis at a time.
    fn contact(&self, t: f64, along: &Along, t_max: f64, speed: f64, tolerance: f64) -> Option<BoxMotion> {
        let length = libm::sqrt(dot(along.axis, along.axis));
        let closing = along.speed.abs() / length;
        if closing < speed * GRAZING || along.margin > 0.25 * tolerance * length {
            return None;
        }
        let t = larger(t - 0.5 * tolerance / closing, 0.0);
        let towards = if along.speed > 0.0 { -1.0 } else { 1.0 };
        let normal = scale(along.axis, towards / length);
        self.overlap(smaller(t + LATER * tolerance / closing, t_max))
            .then_some(BoxMotion::Meets { t, normal })
    }
}
