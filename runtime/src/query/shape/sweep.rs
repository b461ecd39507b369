//! A cast, prepared for something that it may touch, and the boxes that it passes on its way there.
//!
//! # Why no box hides a contact
//!
//! A sweep is the ray of the centre of the shape's box, with half the size of that box, four tolerances more on each side. In
//! its own space the ray's direction is the displacement times a power of two, its origin is rounded once, and the half takes
//! up by how much. In that of an instance, both are transformed. With c the centre, T the position, s the scale, M the largest
//! coordinate of the mesh and h the half, f64 and a rotation that is off by 2^-40 (FORMAT.md, W6) move the origin and a corner of
//! the mesh, measured in the mesh's space, by less than 2^-37 ((|c| + |T|) / s + M). The direction is rounded to f32, by 2^-24
//! of itself: while the shape is near the mesh's box it moves by at most its size and the shape's, 2 sqrt(3) M + 4 (h + r) at
//! most. 2^-36 and 2^-20 of these magnitudes are added to the half.
//!
//! Times of contact are told early, by up to [`Mover::early_by`], so boxes and triangles up to so much after a limit are looked at.

use bvhc_format::MAX_COORDINATE;

use super::cast::ShapeCast;
use crate::math::vector::{Map3, add, scale};
use crate::ray::{Class, Extent, Frame, Ray};
use crate::shape::filter::{MovingShape, Place};
use crate::shape::first_touch::Mover;
use crate::shape::moving_capsule::segment_of;
use crate::shape::separating_axes::SolidBox;
use crate::shape::{Bounds, Shape};
use crate::simd::Kernel;
use crate::similarity::Similarity;

/// Contacts are found within this share of the size of what is touched, or of the largest coordinate.
const OF_SIZE: f64 = 1.0 / (1u64 << 32) as f64;
const OF_COORDINATES: f64 = 1.0 / (1u64 << 42) as f64;

/// A grain of time moves the shape by this share of the tolerance at most.
const OF_TOLERANCE: f64 = 1.0 / 256.0;

/// A cast, prepared for something in a box.
pub(crate) struct Motion<'a> {
    pub(crate) mover: Mover<'a>,
    /// When the shape may first be near the box.
    t_start: f64,
}

/// The box around a moving shape in some space, as walks see it.
pub(crate) struct Sweep<'a> {
    /// The ray of the box's centre, from `t_start` on.
    ray: Ray,
    /// The time at the ray's origin, and how much time a unit of the ray's t is.
    t_start: f64,
    unit: f64,
    /// What is added to times, as contacts may be earlier than their bounds.
    slack: f64,
    /// The shape at the ray's origin.
    shape: MovingShape<'a>,
}

/// A cast that moves a shape by less than 2^-160 ends at the time 0: the integers of exact tests may not be long enough for it. A
/// contact so near the start is left out.
const SHORTEST: f64 = f64::from_bits((1023 - 160) << 52);

/// Beyond all boxes, but in corrupt files.
const FARTHEST: f64 = 2.0 * MAX_COORDINATE as f64;

impl<'a> Motion<'a> {
    /// `None` if the cast touches nothing there.
    pub(crate) fn of(cast: &ShapeCast<'a, dyn Shape + 'a>, [lower, upper]: [[f64; 3]; 2]) -> Option<Self> {
        let bounds = Bounds::of(cast.shape)?;
        let direction = cast.displacement;
        let is_valid = lower.iter().chain(&upper).all(|x| x.abs() <= FARTHEST);
        if !(is_valid && direction.iter().all(|x| x.is_finite()) && cast.t_max >= 0.0) {
            return None;
        }
        let size = (0..3).fold(0.0f64, |most, axis| most.max(upper[axis] - lower[axis]));
        let largest = lower.iter().chain(&upper).fold(bounds.magnitude(), |most, x| most.max(x.abs()));
        let tolerance = (size * OF_SIZE).max(largest * OF_COORDINATES).max(f64::from(f32::MIN_POSITIVE));
        let moving = direction.map3(f64::from);
        let grain = if direction == [0.0; 3] {
            1.0
        } else {
            power_of_two(tolerance * OF_TOLERANCE) * unit_of(moving) * 0.5
        };
        let slack = 2.0 * tolerance + largest * 1e-12;
        let [t_start, leave] = bounds.times_near(&[lower, upper], &moving, cast.t_max, slack)?;
        let mut t_max = cast.t_max.min(leave);
        if moving.iter().all(|x| x.abs() * t_max < SHORTEST) {
            t_max = 0.0;
        }
        let solid = SolidBox::of(cast.shape);
        let segment = segment_of(cast.shape, &bounds);
        let mover = Mover { shape: cast.shape, solid, segment, bounds, direction, t_max, tolerance, grain };
        Some(Self { mover, t_start })
    }

    /// The sweep in the space of a mesh, or of the world where nothing is transformed.
    pub(crate) fn sweep(&self, at: &Similarity, extent: &Extent) -> Sweep<'a> {
        let Mover { bounds, tolerance, .. } = &self.mover;
        let moving = self.mover.direction.map3(f64::from);
        let middle = add(bounds.centre(), scale(moving, self.t_start));
        let place = Place { at, middle, slack: tolerance * 4.0, largest: extent.largest };
        let shape = MovingShape::new(self.mover.shape, bounds, &place);
        let direction = at.inverse_direction(moving);
        let unit = unit_of(direction);
        // A shape that does not move touches what it touches at the time 0.
        let moves = direction != [0.0; 3];
        let range = if moves { ((self.mover.t_max - self.t_start) / unit) as f32 } else { 0.0 };
        Sweep {
            ray: Ray::new(shape.origin, direction.map3(|x| (x * unit) as f32))
                .with_range(0.0, range.next_up()),
            t_start: self.t_start,
            unit,
            slack: if moves { self.mover.early_by() / unit } else { 0.0 },
            shape,
        }
    }
}

impl<'a> Sweep<'a> {
    /// A time in the ray's units, rounded up, with a slack for results that are earlier than their bounds.
    pub(crate) fn in_ray_units(&self, t: f64) -> f32 {
        let later = (t - self.t_start) / self.unit;
        ((later + self.slack) as f32).next_up().min(self.ray.t_max)
    }

    /// The frame of the ray up to a time, with boxes grown by the shape; `None` if the ray has no class, or meets nothing up to
    /// then.
    #[inline(always)]
    pub(crate) fn frame<S: Kernel>(&self, simd: S, extent: &Extent, limit: f64) -> Option<Frame> {
        let mut ray = self.ray;
        if ray.direction == [0.0; 3] {
            // At the time 0 a shape meets the boxes that it is in, in any direction.
            ray.direction = [0.0, 0.0, 1.0];
        }
        ray.t_max = self.in_ray_units(limit);
        let class = Class::of(&ray)?;
        let [x, y, z] = [0, 1, 2].map3(|axis| self.shape.reach(axis));
        Some(Frame::widened(simd, &ray, class, extent, [x, y, z, 0.0]))
    }

    /// What is known of the shape where triangles are tested.
    pub(crate) fn moving_shape(&self, frame: &Frame) -> MovingShape<'a> {
        let inverse = [frame.inverse[0], frame.inverse[1], frame.inverse[2]];
        self.shape.moving(self.ray.direction, inverse)
    }
}

/// By what a displacement is multiplied to have a largest component from 1 to 2; 1 for none.
fn unit_of(displacement: [f64; 3]) -> f64 {
    let fastest = displacement.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if fastest > 0.0 { 1.0 / power_of_two(fastest) } else { 1.0 }
}

/// The largest power of two up to a positive normal number.
fn power_of_two(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (0x7ff << 52))
}
