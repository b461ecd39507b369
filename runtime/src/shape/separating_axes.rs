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

use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask};

use super::depth::WayOut;
use super::gjk::Separation;
use super::{Bounds, Corners, Shape, magnitude};
use crate::level::Level;
use crate::math::vector::{Map3, cross, dot, scale, sub};
use crate::math::{larger, smaller};
use crate::simd::{Kernel, dispatch};

/// Of the sizes of what is projected: 128 roundings.
const RELATIVE_ERROR: f64 = 1.0 / (1u64 << 46) as f64;

/// The product of two axes of a box that has a volume is longer than this, relative to the axes.
const LEAST_AREA: f64 = 1.0 / (1u64 << 20) as f64;

/// The axes, and three that are zero: the triangle's normal and the box's own, then for each edge of the triangle its cross products with
/// the box's axes and a zero.
const AXES: usize = 16;

/// So many belong together; from this one on they are of edges.
const FOUR: usize = 4;

/// The axes that are not always zero, as bits; and of those of the box's first axis with edges.
const USED: u32 = 0x777f;
const OF_FIRST: u32 = 0x1110;

/// A number, or a vector, for each axis.
type Numbers = [f64; AXES];
type Vectors = [Numbers; 3];

/// A shape that comes nearer at a smaller share of its speed grazes the triangle: it passes many tolerances while it comes nearer by one.
pub(super) const GRAZING: f64 = 1.0 / 64.0;

/// Contacts are sure if the two are in each other after this many more tolerances of closing. With the share above, a shape is
/// within 2^12 tolerances, which are 2^-20 of the model's size, of touching.
const LATER: f64 = 64.0;

/// The margin is at most this share of what a box closes between the time that is told and the contact, which so is known well: with
/// that, no time is told earlier than [`APART`](super::first_touch::APART) says.
const MOST_MARGIN: f64 = 1.0 / 16.0;

/// Two spans of time around a contact: so much before it is told, if the two are surely apart then; if they surely touch so much after it.
pub(super) struct Around {
    pub(super) before: f64,
    pub(super) after: f64,
}

impl Around {
    /// For a shape that moves with some speed and comes nearer with another: half a tolerance of closing and many of them, but no more
    /// than where it begins to graze.
    pub(super) fn of(closing: f64, speed: f64, tolerance: f64) -> Self {
        let of_tolerance = tolerance / larger(closing, speed * GRAZING);
        Self { before: 0.5 * of_tolerance, after: LATER * of_tolerance }
    }
}

/// A shape that is a box with a volume.
#[derive(Clone, Copy)]
pub(crate) struct SolidBox {
    centre: [f64; 3],
    axes: [[f64; 3]; 3],
    /// The first of the vectors of which axes are the cross products, and the sums of their magnitudes; zero for the triangle's normal.
    first: Vectors,
    first_lengths: Numbers,
    /// The axes that are missing if they are computed as zero, as bits: others are surely zero then, or always.
    missed: u32,
    magnitude: f64,
    level: Level,
}

/// A box and a triangle, prepared for all axes.
pub(super) struct Against<'a> {
    solid: &'a SolidBox,
    /// The triangle's, as seen from the box's centre at the time 0.
    corners: Corners,
    direction: [f64; 3],
    /// An edge of the triangle: the first factor of its normal.
    edge: [f64; 3],
    /// The second of the vectors of which axes are the cross products, and the sums of their magnitudes.
    second: Vectors,
    second_lengths: Numbers,
    error: f64,
}

/// The box and the triangle along some axes, of any length.
struct Group<S: Kernel> {
    axis: [S::Doubles; 3],
    low: S::Doubles,
    high: S::Doubles,
    speed: S::Doubles,
    margin: S::Doubles,
    /// Which axes are zero.
    zero: u32,
}

/// The box and the triangle along all axes. Nothing is between them along those that are zero.
pub(crate) struct Separations<'a> {
    against: &'a Against<'a>,
    /// Between the box and the triangle at the time 0: from the box's end to the triangle's start, and from the box's start to
    /// the triangle's end.
    low: Numbers,
    high: Numbers,
    speed: Numbers,
    margin: Numbers,
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
        let lengths = [sum(axes[0]), sum(axes[1]), sum(axes[2])];
        let is_solid = (0..3).all(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let area = lengths[i] * lengths[j];
            area > 0.0 && sum(cross(axes[i], axes[j])) > area * LEAST_AREA
        });
        if !is_solid {
            return None;
        }
        let firsts =
            |[a, b, c]: [f64; 3]| fours([[0.0, b, c, a], [a, b, c, 0.0], [a, b, c, 0.0], [a, b, c, 0.0]]);
        let aligned = (0..3).filter(|k| axes[*k].iter().filter(|x| **x != 0.0).count() == 1);
        let exact = aligned.fold(0, |bits, k| bits | OF_FIRST << k);
        Some(Self {
            centre: bounds.centre(),
            axes,
            first: [0, 1, 2].map3(|axis| firsts(axes.map3(|own| own[axis]))),
            first_lengths: firsts(lengths),
            missed: USED & !exact,
            magnitude: bounds.magnitude(),
            level: Level::detect()?,
        })
    }

    pub(super) fn centre(&self) -> [f64; 3] {
        self.centre
    }

    /// Half its edges.
    pub(super) fn axes(&self) -> &[[f64; 3]; 3] {
        &self.axes
    }

    pub(super) fn level(&self) -> Level {
        self.level
    }

    /// Whether the displaced box touches the triangle; `None` if f64 leaves it open.
    pub(crate) fn touches(&self, triangle: &Corners, moved: [f64; 3]) -> Option<bool> {
        let against = self.against(triangle, moved, [0.0; 3], 0.0);
        dispatch!(self.level.inner(), simd => against.touches(simd))
    }

    /// The widest of the planes across axes that surely separate the displaced box from the triangle.
    pub(crate) fn plane(&self, triangle: &Corners, moved: [f64; 3]) -> Option<Separation> {
        let against = self.against(triangle, moved, [0.0; 3], 0.0);
        dispatch!(self.level.inner(), simd => against.separations(simd).widest(simd, 0.0))
    }

    /// The shortest way out of a triangle that the box touches: along the first of the axes along which it is the shortest, within
    /// the tolerance.
    pub(super) fn way_out(&self, triangle: &Corners, tolerance: f64) -> WayOut {
        let against = self.against(triangle, [0.0; 3], [0.0; 3], 0.0);
        dispatch!(self.level.inner(), simd => against.way_out(simd, tolerance))
    }

    /// The two, for a box that moves from a displacement on until `t_max`.
    pub(super) fn against(
        &self,
        triangle: &Corners,
        moved: [f64; 3],
        direction: [f64; 3],
        t_max: f64,
    ) -> Against<'_> {
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
        let [own_a, own_b, own_c] = self.axes;
        let lengths = &self.first_lengths[FOUR..];
        Against {
            solid: self,
            corners,
            direction,
            edge: edges[0],
            second: [0, 1, 2]
                .map3(|axis| seconds(edges.map3(|edge| edge[axis]), [own_c[axis], own_a[axis], own_b[axis]])),
            second_lengths: seconds(edges.map3(sum), [lengths[2], lengths[0], lengths[1]]),
            error,
        }
    }
}

/// By axis, what its second factor has: an edge of the triangle, or an own one of the box.
#[inline(always)]
fn seconds([e, f, g]: [f64; 3], [a, b, c]: [f64; 3]) -> Numbers {
    fours([[f, a, b, c], [e; FOUR], [f; FOUR], [g; FOUR]])
}

/// Four times four numbers.
#[inline(always)]
fn fours(numbers: [[f64; FOUR]; FOUR]) -> Numbers {
    let mut all = [0.0; AXES];
    all.copy_from_slice(numbers.as_flattened());
    all
}

/// 1 for the triangle's normal.
const IS_NORMAL: Numbers = {
    let mut numbers = [0.0; AXES];
    numbers[0] = 1.0;
    numbers
};

/// These numbers from `first` on, as many as the level looks at together.
#[inline(always)]
fn load<S: Kernel>(simd: S, numbers: &Numbers, first: usize) -> S::Doubles {
    S::Doubles::from_slice(simd, &numbers[first % AXES..][..S::Doubles::LEN])
}

#[inline(always)]
fn store<S: Kernel>(group: S::Doubles, numbers: &mut Numbers, first: usize) {
    group.store_slice(&mut numbers[first % AXES..][..S::Doubles::LEN]);
}

#[inline(always)]
fn load_vectors<S: Kernel>(simd: S, [x, y, z]: &Vectors, first: usize) -> [S::Doubles; 3] {
    [load(simd, x, first), load(simd, y, first), load(simd, z, first)]
}

/// The root of a number, by an instruction of the level: a call of libm amid AVX code takes hundreds of cycles.
#[inline(always)]
fn root<S: Kernel>(simd: S, x: f64) -> f64 {
    S::Doubles::splat(simd, x).sqrt()[0]
}

/// The dot products of axes and a vector.
#[inline(always)]
fn along<S: Kernel>(simd: S, axes: [S::Doubles; 3], [x, y, z]: &[f64; 3]) -> S::Doubles {
    dot(axes, [S::Doubles::splat(simd, *x), S::Doubles::splat(simd, *y), S::Doubles::splat(simd, *z)])
}

impl Against<'_> {
    /// The two along the axes from `first` on.
    #[inline(always)]
    fn group<S: Kernel>(&self, simd: S, first: usize) -> Group<S> {
        let mut factor = load_vectors(simd, &self.solid.first, first);
        let mut length = load(simd, &self.solid.first_lengths, first);
        if first == 0 {
            let is_normal = load(simd, &IS_NORMAL, first);
            for (factor, edge) in factor.iter_mut().zip(self.edge) {
                *factor += is_normal * edge;
            }
            length += is_normal * self.second_lengths[FOUR];
        }
        let axis = cross(factor, load_vectors(simd, &self.second, first));
        let [a, b, c] = &self.corners;
        let [p, q, r] = [along(simd, axis, a), along(simd, axis, b), along(simd, axis, c)];
        let [a, b, c] = &self.solid.axes;
        let [i, j, k] = [along(simd, axis, a), along(simd, axis, b), along(simd, axis, c)];
        let half = i.abs() + j.abs() + k.abs();
        let none = S::Doubles::splat(simd, 0.0);
        let is_zero = axis[0].simd_eq(none) & axis[1].simd_eq(none) & axis[2].simd_eq(none);
        let far = S::Doubles::splat(simd, f64::INFINITY);
        Group {
            axis,
            low: is_zero.select(-far, p.min(q).min(r) - half),
            high: is_zero.select(far, p.max(q).max(r) + half),
            speed: along(simd, axis, &self.direction),
            margin: length * load(simd, &self.second_lengths, first) * self.error,
            zero: is_zero.to_bitmask() as u32,
        }
    }

    /// Whether an axis of these, which are zero, is missing.
    #[inline(always)]
    fn misses(&self, zero: u32, first: usize) -> bool {
        zero << first & self.solid.missed != 0
    }

    /// One of the axes.
    fn axis(&self, k: usize) -> [f64; 3] {
        let mut factor = get(&self.solid.first, k);
        if k == 0 {
            factor = self.edge;
        }
        cross(factor, get(&self.second, k))
    }

    /// As [`SolidBox::touches`].
    #[inline(always)]
    fn touches<S: Kernel>(&self, simd: S) -> Option<bool> {
        let mut overlap = true;
        for first in (0..AXES).step_by(S::Doubles::LEN) {
            let group = self.group(simd, first);
            let gap = group.low.max(-group.high);
            if gap.simd_gt(group.margin).any_true() {
                return Some(false);
            }
            overlap &= gap.simd_lt(-group.margin).all_true() && !self.misses(group.zero, first);
        }
        overlap.then_some(true)
    }

    /// As [`SolidBox::way_out`].
    #[inline(always)]
    fn way_out<S: Kernel>(&self, simd: S, tolerance: f64) -> WayOut {
        let (mut depth, mut best) = (f64::INFINITY, None);
        for first in (0..AXES).step_by(S::Doubles::LEN) {
            let group = self.group(simd, first);
            let shorter = S::Doubles::splat(simd, 1.0) / dot(group.axis, group.axis).sqrt();
            let [forwards, backwards] = [group.high * shorter, -group.low * shorter];
            let mut less = (forwards.min(backwards)).simd_lt(depth - tolerance).to_bitmask();
            while less != 0 {
                let lane = less.trailing_zeros() as usize % S::Doubles::LEN;
                less &= less - 1;
                for (towards, its) in [(1.0, forwards[lane]), (-1.0, backwards[lane])] {
                    if its < depth - tolerance {
                        (depth, best) = (its, Some((first + lane, towards * shorter[lane])));
                    }
                }
            }
        }
        let direction = best.map_or([0.0; 3], |(k, towards)| scale(self.axis(k), towards));
        WayOut { direction, depth: larger(depth, 0.0) }
    }

    /// The two along all axes.
    #[inline(always)]
    pub(super) fn separations<S: Kernel>(&self, simd: S) -> Separations<'_> {
        let zeros = [0.0; AXES];
        let mut out = Separations {
            against: self,
            low: zeros,
            high: zeros,
            speed: zeros,
            margin: zeros,
            is_incomplete: false,
        };
        for first in (0..AXES).step_by(S::Doubles::LEN) {
            let group = self.group(simd, first);
            store::<S>(group.low, &mut out.low, first);
            store::<S>(group.high, &mut out.high, first);
            store::<S>(group.speed, &mut out.speed, first);
            store::<S>(group.margin, &mut out.margin, first);
            out.is_incomplete |= self.misses(group.zero, first);
        }
        out
    }
}

/// The first axis of those in these lanes, which are in groups that begin with these axes.
#[inline(always)]
fn first_axis<S: Kernel>(begins: S::Doubles, mut lanes: u64) -> Option<usize> {
    let mut first = None;
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize % S::Doubles::LEN;
        lanes &= lanes - 1;
        let axis = begins[lane] as usize + lane;
        first = Some(first.map_or(axis, |first: usize| first.min(axis)));
    }
    first
}

fn get(vectors: &Vectors, at: usize) -> [f64; 3] {
    [vectors[0][at], vectors[1][at], vectors[2][at]]
}

/// The sum of magnitudes.
fn sum([x, y, z]: [f64; 3]) -> f64 {
    x.abs() + y.abs() + z.abs()
}

impl Separations<'_> {
    /// The widest of the planes across axes that surely separate them at a time.
    #[inline(always)]
    pub(super) fn widest<S: Kernel>(&self, simd: S, t: f64) -> Option<Separation> {
        let mut separate = 0;
        for first in (0..AXES).step_by(S::Doubles::LEN) {
            let is_separate = self.gaps(simd, first, t).simd_gt(load(simd, &self.margin, first));
            separate |= (is_separate.to_bitmask() as u32) << first;
        }
        let mut best: Option<Separation> = None;
        while separate != 0 {
            let k = separate.trailing_zeros() as usize % AXES;
            separate &= separate - 1;
            let axis = self.against.axis(k);
            let shorter = 1.0 / root(simd, dot(axis, axis));
            let gap = (self.gap(k, t) - self.margin[k]) * shorter;
            // The box is above the triangle, or below it.
            let towards = if self.high[k] < self.speed[k] * t { shorter } else { -shorter };
            if best.is_none_or(|best| gap > best.gap) {
                best = Some(Separation { normal: scale(axis, towards), gap });
            }
        }
        best
    }

    /// How far they are apart along axes at a finite time; negative if their intervals overlap.
    #[inline(always)]
    fn gaps<S: Kernel>(&self, simd: S, first: usize, t: f64) -> S::Doubles {
        let moved = load(simd, &self.speed, first) * t;
        (load(simd, &self.low, first) - moved).max(moved - load(simd, &self.high, first))
    }

    /// The same along one axis.
    fn gap(&self, k: usize, t: f64) -> f64 {
        let moved = self.speed[k] * t;
        larger(self.low[k] - moved, moved - self.high[k])
    }

    /// Whether they are surely on different sides of a plane across an axis.
    fn is_separate(&self, k: usize, t: f64) -> bool {
        self.gap(k, t) > self.margin[k]
    }

    /// Whether the two surely touch at a time.
    #[inline(always)]
    fn overlap<S: Kernel>(&self, simd: S, t: f64) -> bool {
        let mut overlap = !self.is_incomplete;
        for first in (0..AXES).step_by(S::Doubles::LEN) {
            overlap &= self.gaps(simd, first, t).simd_lt(-load(simd, &self.margin, first)).all_true();
        }
        overlap
    }

    /// When the intervals along all axes begin to overlap and when the first ends to, each with its axis; `None` if those along an axis
    /// without movement never do.
    #[inline(always)]
    fn times<S: Kernel>(&self, simd: S) -> Option<[(f64, Option<usize>); 2]> {
        let (zero, never) = (S::Doubles::splat(simd, 0.0), S::Doubles::splat(simd, f64::INFINITY));
        let (mut last_enter, mut first_leave) = (-never, never);
        // The first axes with these times, lane by lane.
        let (mut last, mut next) = (zero, zero);
        let mut misses = false;
        for first in (0..AXES).step_by(S::Doubles::LEN) {
            let (low, high) = (load(simd, &self.low, first), load(simd, &self.high, first));
            let speed = load(simd, &self.speed, first);
            let (is_still, is_forwards) = (speed.simd_eq(zero), speed.simd_gt(zero));
            let is_apart = low.max(-high).simd_gt(load(simd, &self.margin, first));
            misses |= (is_still & is_apart).any_true();
            let enter = is_still.select(-never, is_forwards.select(low, high) / speed);
            let leave = is_still.select(never, is_forwards.select(high, low) / speed);
            let here = zero + first as f64;
            last = enter.simd_gt(last_enter).select(here, last);
            next = leave.simd_lt(first_leave).select(here, next);
            (last_enter, first_leave) = (last_enter.max(enter), first_leave.min(leave));
        }
        let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
        for lane in 0..S::Doubles::LEN {
            (enter, leave) = (larger(enter, last_enter[lane]), smaller(leave, first_leave[lane]));
        }
        let ends = [
            (enter, first_axis::<S>(last, last_enter.simd_eq(enter).to_bitmask())),
            (leave, first_axis::<S>(next, first_leave.simd_eq(leave).to_bitmask())),
        ];
        let moves = |axis: &usize| self.speed[*axis % AXES] != 0.0;
        (!misses).then_some(ends.map(|(time, axis)| (time, axis.filter(moves))))
    }

    /// When they first touch, up to the finite time `t_max` for which this was made, of a box that moves at some speed; `None` if f64
    /// leaves open whether they do, or when. Contacts are found within a distance, the tolerance.
    #[inline(always)]
    pub(super) fn motion<S: Kernel>(
        &self,
        simd: S,
        t_max: f64,
        speed: f64,
        tolerance: f64,
    ) -> Option<BoxMotion> {
        let Some([first, last]) = self.times(simd) else { return Some(BoxMotion::Misses) };
        if first.0 > t_max || last.0 < 0.0 || first.0 > last.0 {
            // Until then one axis separates the two, and from then on another; at no time but 0 any will do.
            let t = larger(smaller(0.5 * (first.0 + last.0), t_max), 0.0);
            let is_beyond = |axis: Option<usize>| axis.is_some_and(|k| self.is_separate(k, t));
            let misses = match t_max > 0.0 {
                true => (t == 0.0 || is_beyond(first.1)) && (t == t_max || is_beyond(last.1)),
                false => (0..AXES).any(|k| self.is_separate(k, 0.0)),
            };
            return misses.then_some(BoxMotion::Misses);
        }
        if first.0 <= 0.0 {
            return self.overlap(simd, 0.0).then_some(BoxMotion::Touches);
        }
        let k = first.1?;
        let axis = self.against.axis(k);
        let length = root(simd, dot(axis, axis));
        let closing = self.speed[k].abs() / length;
        let Around { before, after } = Around::of(closing, speed, tolerance);
        if self.margin[k] > MOST_MARGIN * closing * before * length {
            return None;
        }
        let t = larger(first.0 - before, 0.0);
        let towards = if self.speed[k] > 0.0 { -1.0 } else { 1.0 };
        let normal = scale(axis, towards / length);
        self.overlap(simd, smaller(first.0 + after, t_max)).then_some(BoxMotion::Meets { t, normal })
    }
}
