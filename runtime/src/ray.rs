//! Rays and hits, and the frame in which a ray is traced.
//!
//! Based on: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013 (the frame), and
//! Ize, "Robust BVH Ray Traversal", 2013 (the aim; our margins are absolute and proven in [`Frame`]).

use bvhc_format::MAX_COORDINATE;

use crate::bounds::Aabb;

/// Which sides of triangles a ray sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Front and back.
    #[default]
    Both,
    /// Only triangles whose corners run counter-clockwise as seen from the ray's origin.
    Front,
    /// Only triangles whose corners run clockwise as seen from the ray's origin.
    Back,
}

/// A ray, or a piece of one: the points `origin + t * direction` with `t_min <= t <= t_max`.
///
/// In the model's units and space. The direction need not be of unit length; `t` counts in its length.
/// A ray with a number that is not finite, an origin beyond 2^60 or a zero direction hits nothing;
/// the range alone may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where `t` is 0.
    pub origin: [f32; 3],
    /// Where the ray goes.
    pub direction: [f32; 3],
    /// The smallest `t` of a hit, inclusive. May be negative.
    pub t_min: f32,
    /// The largest `t` of a hit, inclusive.
    pub t_max: f32,
    /// Which sides of triangles count.
    pub sides: Sides,
}

impl Ray {
    /// The ray from `origin` on, without end.
    pub fn new(origin: impl Into<[f32; 3]>, direction: impl Into<[f32; 3]>) -> Self {
        Self {
            origin: origin.into(),
            direction: direction.into(),
            t_min: 0.0,
            t_max: f32::INFINITY,
            sides: Sides::Both,
        }
    }

    /// The same ray with another range, both ends inclusive.
    pub fn with_range(self, t_min: f32, t_max: f32) -> Self {
        Self { t_min, t_max, ..self }
    }

    /// The same ray, seeing only these sides.
    pub fn with_sides(self, sides: Sides) -> Self {
        Self { sides, ..self }
    }
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance along the ray in lengths of its direction.
    pub t: f32,
    /// Weight of the triangle's second corner; the first one's is `1 - u - v`.
    pub u: f32,
    /// Weight of the triangle's third corner.
    pub v: f32,
    /// The triangle's number; [`Model::source_of`](crate::Model::source_of) tells its face and material.
    pub triangle: u32,
    /// The unit normal by the right-hand rule over the triangle's corners; it does not turn to the ray.
    pub normal: [f32; 3],
    /// Whether the ray meets the side that the normal points away from.
    pub back: bool,
}

/// The smallest component of a direction, relative to the largest, that the boxes divide by.
const SMALLEST_SLOPE: f32 = 1.0 / (1u64 << 40) as f32;

/// Keeps the margins above the rounding of subnormal numbers.
const SMALLEST_REACH: f32 = f32::MIN_POSITIVE * 64.0;

/// A ray as the kernels take it.
///
/// The direction is scaled by a power of two so that its largest component, on the axis `kz`, lies in
/// [1, 2); `t` is scaled likewise, exactly.
///
/// # Why no box hides a hit
///
/// Write u = 2^-24, R_a = |o_a| + M_a with M_a the largest |coordinate| of the model on axis a, and
/// S for the slopes d_kx / d_kz and d_ky / d_kz, at most 1 in magnitude. A corner's place in the frame,
/// fl(fl(v_x - o_x) - fl(S fl(v_z - o_z))), is off by at most 2.01 u R_x + 4.01 u |S| R_z. The weights that
/// the triangle test finds are >= 0 and sum to 1, so they name a point Q of the triangle. In the frame, Q
/// is off the ray by that error, and by what the weights' own rounding moves it: at most 2^-17 of the
/// triangle's largest extent, for the test takes f64 where the f32 weights could be worse, and FORMAT.md
/// has each triangle's box grown by that much. The `t` found is that of Q within 9.1 u R_z / |d_kz|.
/// So the ray's point at `t` lies within 2.01 u R_x + 13.2 u |S| R_z on the axes kx and ky, and 9.1 u R_z on
/// kz, of the grown box. The slab test itself rounds, with FMA or without, by at most 4.2 u R_a / |d_a| in t.
/// In units of t that adds up to less than 8 u R_x / |d_x| + 16 u R_z / |d_kz| on every axis: `margin`.
///
/// Where |d_a| < 2^-40 the boxes see a slope of 2^-40 instead; over all |t| at which a hit can lie, at
/// most R_z / |d_kz|, that moves the ray by 2^-39 R_z / |d_kz|, or 2 R_z / |d_kz| in t, which is added.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) origin: [f32; 3],
    /// kx, ky and kz: kz is the axis of the direction's largest component, kx and ky follow it so
    /// that a triangle keeps its winding in the frame.
    pub(crate) axes: [usize; 3],
    /// d_kx / d_kz, d_ky / d_kz and 1 / d_kz.
    pub(crate) shear: [f32; 3],
    /// 1 / d_a of each axis, of limited size.
    pub(crate) inverse: [f32; 3],
    /// o_a / d_a + margin: what near planes take off.
    pub(crate) near: [f32; 3],
    /// o_a / d_a - margin: what far planes take off.
    pub(crate) far: [f32; 3],
    /// The range of t, in the frame's scale.
    pub(crate) t_min: f32,
    pub(crate) t_max: f32,
    /// Bits 0, 1 and 2: the direction is negative on x, y, z.
    pub(crate) octant: u32,
    pub(crate) sides: Sides,
    scale: f64,
}

impl Frame {
    /// The frame of a ray over a model within `bounds`; `None` where the ray can hit nothing.
    #[inline(always)]
    pub(crate) fn new(ray: &Ray, bounds: &Aabb) -> Option<Self> {
        let magnitude = |v: [f32; 3]| v.map(f32::abs);
        let [x, y, z] = magnitude(ray.direction);
        let largest = x.max(y).max(z);
        let valid = x + y + z < f32::INFINITY
            && largest > 0.0
            && magnitude(ray.origin).iter().all(|o| *o <= MAX_COORDINATE)
            && ray.t_min <= ray.t_max;
        if !valid {
            return None;
        }
        let exponent = exponent(largest);
        let direction = ray.direction.map(|d| (f64::from(d) * power_of_two(-exponent)) as f32);
        let scale = power_of_two(exponent);
        let kz = if z >= x && z >= y { 2 } else { usize::from(y >= x) };
        let axes = axes_around(kz, direction[kz] < 0.0);
        let inverse_z = 1.0 / direction[kz];
        let inverse = direction.map(limited_inverse);
        let reach = |axis: usize| {
            let extent = bounds.lower[axis].abs().max(bounds.upper[axis].abs());
            ray.origin[axis].abs() + extent + SMALLEST_REACH
        };
        let reach_z = reach(kz) * inverse_z.abs();
        let (mut near, mut far) = ([0.0; 3], [0.0; 3]);
        for axis in 0..3 {
            let mut margin = reach(axis) * inverse[axis].abs() * (8.0 * UNIT) + reach_z * (16.0 * UNIT);
            if direction[axis].abs() < SMALLEST_SLOPE {
                margin += 2.5 * reach_z;
            }
            let offset = ray.origin[axis] * inverse[axis];
            near[axis] = offset + margin;
            far[axis] = offset - margin;
        }
        Some(Self {
            origin: ray.origin,
            axes,
            shear: [direction[axes[0]] / direction[kz], direction[axes[1]] / direction[kz], inverse_z],
            inverse,
            near,
            far,
            t_min: (f64::from(ray.t_min) * scale) as f32,
            t_max: (f64::from(ray.t_max) * scale) as f32,
            octant: (0..3).map(|axis| u32::from(direction[axis].is_sign_negative()) << axis).sum(),
            sides: ray.sides,
            scale,
        })
    }

    /// A `t` of the ray in the frame's scale.
    pub(crate) fn scale(&self, t: f32) -> f32 {
        (f64::from(t) * self.scale) as f32
    }

    /// A `t` of the frame in the ray's own scale.
    pub(crate) fn unscale(&self, t: f32) -> f32 {
        (f64::from(t) / self.scale) as f32
    }
}

/// Half the distance from 1 to the next f32: the largest relative error of one rounding.
const UNIT: f32 = f32::EPSILON / 2.0;

/// kx, ky and kz; kx and ky are swapped where the direction is negative, so that the winding stays.
#[inline(always)]
fn axes_around(kz: usize, negative: bool) -> [usize; 3] {
    let (next, after) = match kz {
        0 => (1, 2),
        1 => (2, 0),
        _ => (0, 1),
    };
    if negative { [after, next, kz] } else { [next, after, kz] }
}

#[inline(always)]
fn limited_inverse(slope: f32) -> f32 {
    1.0 / slope.abs().max(SMALLEST_SLOPE).copysign(slope)
}

/// The largest e with 2^e <= x, for a finite x > 0.
#[inline(always)]
fn exponent(x: f32) -> i32 {
    (f64::from(x).to_bits() >> 52) as i32 - 1023
}

/// 2^e for |e| < 1023.
#[inline(always)]
fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}
