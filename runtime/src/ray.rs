//! Rays and hits, and the frame in which a ray is traced.
//!
//! Based on: Woop, Benthin, Wald, "Watertight Ray/Triangle Intersection", 2013 (the frame), and Ize, "Robust BVH Ray
//! Traversal", 2013 (the goal; the margins here are absolute, with a proof at [`Frame`]).

use core::hint::select_unpredictable;

use bvhc_format::MAX_COORDINATE;
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdFrom, f32x4, u8x16};

use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::math::{UNIT_ROUNDOFF, larger, smaller};

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

/// A ray or a segment: the points `origin + t * direction` with `t_min <= t <= t_max`.
///
/// In the model's units and space. The direction need not have unit length; `t` is measured in its length. Hits whose
/// `t` would not be finite are not found. A ray with an infinite or NaN component, an origin beyond 2^60, a zero
/// direction or `t_min > t_max` hits nothing; only the range may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Ray {
    /// The point at `t = 0`.
    pub origin: [f32; 3],
    /// The direction, of any length.
    pub direction: [f32; 3],
    /// The smallest `t` of a hit, inclusive. May be negative.
    pub t_min: f32,
    /// The largest `t` of a hit, inclusive.
    pub t_max: f32,
    /// Which sides of triangles count.
    pub sides: Sides,
}

impl Ray {
    /// The ray from `origin`, without an end.
    ///
    /// ```
    /// use bvhc_runtime::{Ray, Sides};
    ///
    /// // From (0, 0, 5) downwards for 10 units, seeing only the fronts of triangles.
    /// let ray = Ray::new([0.0, 0.0, 5.0], [0.0, 0.0, -1.0]).with_range(0.0, 10.0).with_sides(Sides::Front);
    /// # let _ = ray;
    /// ```
    pub fn new(origin: impl Into<[f32; 3]>, direction: impl Into<[f32; 3]>) -> Self {
        Self {
            origin: origin.into(),
            direction: direction.into(),
            t_min: 0.0,
            t_max: f32::INFINITY,
            sides: Sides::Both,
        }
    }

    /// The same ray with another range, both ends inclusive. (A `t` below 2^-126 is rounded after it was compared with them, and with other
    /// hits.)
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
    /// The triangle's number; [`Model::source_of`](crate::Model::source_of) gives its face and material.
    pub triangle: u32,
    /// The unit normal by the right-hand rule over the triangle's corners, whichever side is hit. Zero if the triangle
    /// has no area, which is possible in the small layout.
    pub normal: [f32; 3],
    /// Whether the ray meets the side that the normal points away from. From more than 10^5 times the size of the model away, what the
    /// ray meets at a small angle may be told to be the other side.
    pub back: bool,
}

/// The smallest component of a direction, relative to the largest, that the slab test divides by.
pub(crate) const SMALLEST_SLOPE: f32 = 1.0 / (1u64 << 40) as f32;

/// The smallest extent of an axis, relative to the largest.
pub(crate) const SMALLEST_SHARE: f32 = 1.0 / (1u32 << 17) as f32;

/// 2^-100: keeps the margins of a [`Frame`] above the rounding errors of subnormal numbers.
const SMALLEST_EXTENT: f32 = f32::MIN_POSITIVE * (1u32 << 26) as f32;

/// The largest coordinates of a model in magnitude.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// The largest magnitude of a coordinate on each axis, and an unused lane.
    pub(crate) axes: [f32; 4],
    /// The largest of all.
    pub(crate) largest: f32,
}

impl Extent {
    pub(crate) fn of(bounds: &Aabb) -> Self {
        let extent = |axis: usize| bounds.min[axis].abs().max(bounds.max[axis].abs()) + SMALLEST_EXTENT;
        let [x, y, z] = [extent(0), extent(1), extent(2)];
        Self { axes: [x, y, z, 0.0], largest: x.max(y).max(z) }
    }
}

/// What the rays of a packet have in common: their octant, their largest axis, and the sides they see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    /// Bits 0, 1 and 2: the direction is negative on x, y, z.
    pub(crate) octant: u32,
    /// The axis of the direction's largest component.
    kz: u32,
    pub(crate) sides: Sides,
}

impl Class {
    /// The class of a ray; `None` if it cannot hit anything or its direction must be scaled first.
    #[inline(always)]
    pub(crate) fn of(ray: &Ray) -> Option<Self> {
        let [x, y, z] = [ray.direction[0].abs(), ray.direction[1].abs(), ray.direction[2].abs()];
        let [ox, oy, oz] = [ray.origin[0].abs(), ray.origin[1].abs(), ray.origin[2].abs()];
        let largest = larger(larger(x, y), z);
        let farthest = larger(larger(ox, oy), oz);
        // A sum with a NaN in it is NaN.
        let finite = x + y + z < f32::INFINITY && ox + oy + oz < f32::INFINITY;
        if !(finite && farthest <= MAX_COORDINATE && UNSCALED.contains(&largest) && ray.t_min <= ray.t_max) {
            return None;
        }
        Some(Self { octant: octant(ray), kz: principal_axis(x, y, z), sides: ray.sides })
    }

    /// kx, ky and kz, as in [`Frame`].
    #[inline(always)]
    pub(crate) fn axes(self) -> [usize; 3] {
        let kz = self.kz & 3;
        let [kx, ky] = AXES[kz as usize][(self.octant >> kz & 1) as usize];
        [usize::from(kx), usize::from(ky), kz as usize]
    }
}

/// Bits 0, 1 and 2: the direction is negative on x, y, z.
#[inline(always)]
pub(crate) fn octant(ray: &Ray) -> u32 {
    let [x, y, z] = ray.direction;
    x.to_bits() >> 31 | (y.to_bits() >> 31) << 1 | (z.to_bits() >> 31) << 2
}

/// The axis of the largest of three magnitudes.
#[inline(always)]
fn principal_axis(x: f32, y: f32, z: f32) -> u32 {
    select_unpredictable((z >= x) & (z >= y), 2, u32::from(y >= x))
}

/// Directions whose largest component is in this range are used unchanged; others are scaled.
const UNSCALED: core::ops::RangeInclusive<f32> = 1.0 / (1u32 << 20) as f32..=(1u32 << 20) as f32;

/// A ray as the kernels take it. The vectors for the slab test have an unused fourth lane.
///
/// # Why no box hides a hit
///
/// Let u = 2^-24 and R_a = |o_a| + M_a, where M_a is the model's largest |coordinate| on axis a. Let S be either of the
/// slopes d_kx / d_kz and d_ky / d_kz, at most 1 in magnitude, since kz is the axis of the direction's largest
/// component. A corner's computed position in the frame, fl(fl(v_x - o_x) - fl(S fl(v_z - o_z))), has an error of at
/// most 2.01 u R_x + 5.01 u |S| R_z, because S is a rounded product with a rounded 1 / d_kz. The weights from the
/// triangle test are >= 0 and sum to 1, so they define a point Q of the triangle. In the frame, Q is off the ray by
/// that error plus the effect of rounding the weights. The latter is at most 2^-17 of the triangle's largest extent,
/// because the test uses f64 where f32 weights could be worse, and FORMAT.md requires each triangle's box to be grown
/// by that much. The `t` found is that of Q within 10.1 u R_z / |d_kz|. So the ray's point at `t` lies within
/// 2.01 u R_x + 15.2 u |S| R_z of the grown box on the axes kx and ky, and within 10.1 u R_z on kz. (A plane may lie
/// beyond M_a by the growth, at most 2^-17 of the model's size; the factors below allow for that.) The slab test
/// itself, with or without FMA, has an error of at most 4.2 u R_a / |d_a| in t. In units of t this adds up to less than
/// 7 u R_x / |d_x| + 16 u R_z / |d_kz| on every axis. `margin` has one u more of each, for the roundings in
/// [`Shifted`], and uses the largest R of all axes in place of R_z.
///
/// Where |d_a| < 2^-40 |d_kz|, the slab test uses that slope instead. Over all |t| at which a hit can lie, at most
/// R_z / |d_kz|, that moves the ray by 2^-39 R_z. R_a is taken to be at least 2^-17 of the largest R, so 8 u R_a, which
/// is at least 2^-38 R_z, covers this and the rest.
///
/// Numbers below 2^-126 are rounded by up to 2^-150, whatever they are. That moves a corner in the frame, and what the slab test divides
/// by d_a, by less than u R_a, as R_a is at least 2^-100. It changes products and sums in t by less than 2^-147, and the margin is more
/// than 2^-140: 16 u times R_z, over a |d_kz| of at most 2^20.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) origin: [f32; 3],
    /// kx, ky and kz; the order of kx and ky keeps the triangles' winding in the frame.
    pub(crate) axes: [usize; 3],
    /// d_kx / d_kz, d_ky / d_kz and 1 / d_kz.
    pub(crate) shear: [f32; 3],
    /// 1 / d_a of each axis, with limited magnitude.
    pub(crate) inverse: [f32; 4],
    /// -o_a / d_a - margin: added to near planes after division by d_a.
    pub(crate) near: [f32; 4],
    /// -o_a / d_a + margin: added to far planes after division by d_a.
    pub(crate) far: [f32; 4],
    /// The range of t.
    pub(crate) t_min: f32,
    pub(crate) t_max: f32,
    /// Bits 0, 1 and 2: the direction is negative on x, y, z.
    pub(crate) octant: u32,
    pub(crate) sides: Sides,
}

impl Frame {
    /// The frame of a ray of this class, for a model of this extent.
    #[inline(always)]
    pub(crate) fn new<S: Simd>(simd: S, ray: &Ray, class: Class, extent: &Extent) -> Self {
        Self::with_margin(simd, ray, class, extent, |margin, _| margin)
    }

    /// The same, for boxes that are wider on every side by so much on each axis; the fourth number is unused.
    #[inline(always)]
    pub(crate) fn widened<S: Simd>(simd: S, ray: &Ray, class: Class, extent: &Extent, by: [f32; 4]) -> Self {
        let by = f32x4::simd_from(simd, by);
        Self::with_margin(simd, ray, class, extent, |margin, inverse| margin + inverse.abs() * by)
    }

    /// The same with another margin, made of the usual one and of `inverse`.
    #[inline(always)]
    fn with_margin<S: Simd>(
        simd: S,
        ray: &Ray,
        class: Class,
        extent: &Extent,
        margin_of: impl FnOnce(f32x4<S>, f32x4<S>) -> f32x4<S>,
    ) -> Self {
        let ([ox, oy, oz], [dx, dy, dz]) = (&ray.origin, &ray.direction);
        let [kx, ky, kz] = class.axes();
        // The unused fourth lanes take the next field of `Ray`, so one load is enough.
        let origin = f32x4::simd_from(simd, [*ox, *oy, *oz, *dx]);
        let direction = f32x4::simd_from(simd, [*dx, *dy, *dz, ray.t_min]);
        // Values beyond the limit that 1 / d_kz sets are clamped after the division, so that it need not wait for kz.
        // Rarely taken.
        let mut inverse = f32x4::splat(simd, 1.0) / direction;
        let inverse_z = inverse.swizzle_dyn(u8x16::simd_from(simd, LANES[kz]));
        let [x, y, z] = [dx.abs(), dy.abs(), dz.abs()];
        if smaller(smaller(x, y), z) < larger(larger(x, y), z) * SMALLEST_SLOPE {
            let largest = inverse_z.abs() * (1.0 / SMALLEST_SLOPE);
            inverse = inverse.abs().min(largest).copysign(direction);
        }
        let farthest = larger(larger(ox.abs(), oy.abs()), oz.abs()) + extent.largest;
        let magnitudes = origin.abs() + f32x4::simd_from(simd, extent.axes) + farthest * SMALLEST_SHARE;
        let margin = inverse_z
            .abs()
            .mul_add(farthest * (17.0 * UNIT_ROUNDOFF), magnitudes * (8.0 * UNIT_ROUNDOFF) * inverse.abs());
        let margin = margin_of(margin, inverse);
        let inverse_z = inverse_z.to_array()[0];
        // A copy, so that a ray in registers need not be stored to be indexed.
        let along = direction.to_array();
        let offset = origin * inverse;
        Self {
            origin: ray.origin,
            axes: [kx, ky, kz],
            shear: [along[kx] * inverse_z, along[ky] * inverse_z, inverse_z],
            inverse: inverse.to_array(),
            near: (-offset - margin).to_array(),
            far: (margin - offset).to_array(),
            t_min: ray.t_min,
            t_max: ray.t_max,
            octant: class.octant,
            sides: ray.sides,
        }
    }
}

/// The offsets of [`Frame`] with t counted from a `t_min` below 0.
///
/// Hits lie at |t| <= R_z / |d_kz|, and on axis kz the margin is between 17 u and 25 u times that. So `none_beyond`
/// lies between twice and four times that limit of |t|, and `shift` need not be larger. In addition to the
/// roundings in [`Frame`], those of the two sums, of the product and of the limit contribute u `shift` each, and at
/// most u R_a / |d_a| and u R_z / |d_kz| in total, which the margin allows for.
pub(crate) struct Shifted {
    pub(crate) near: [f32; 4],
    pub(crate) far: [f32; 4],
    /// What is added to t.
    pub(crate) shift: f32,
}

impl Frame {
    #[cold]
    pub(crate) fn shifted(&self) -> Shifted {
        let kz = self.axes[2];
        let none_beyond = (self.far[kz] - self.near[kz]) / (16.0 * UNIT_ROUNDOFF);
        let shift = (-self.t_min).min(none_beyond);
        let slack = shift * (8.0 * UNIT_ROUNDOFF);
        Shifted {
            near: self.near.map(|offset| offset + (shift - slack)),
            far: self.far.map(|offset| offset + (shift + slack)),
            shift,
        }
    }
}

/// For a ray with a very short or very long direction, which has no class: the ray with its direction scaled exactly,
/// by a power of two.
pub(crate) struct Scaled {
    pub(crate) ray: Ray,
    /// The length of the original direction divided by that of the scaled one.
    scale: f64,
}

impl Scaled {
    /// Scales a ray without a class; `None` if it cannot hit anything.
    #[cold]
    pub(crate) fn of(ray: &Ray) -> Option<Self> {
        let largest = ray.direction.iter().fold(0f32, |largest, d| largest.max(d.abs()));
        if !(largest > 0.0 && largest < f32::INFINITY) {
            return None;
        }
        let exponent = exponent(largest);
        let (shrink, scale) = (power_of_two(-exponent), power_of_two(exponent));
        let ray = Ray {
            direction: ray.direction.map3(|d| (f64::from(d) * shrink) as f32),
            t_min: -end_of_range(-ray.t_min, scale),
            t_max: end_of_range(ray.t_max, scale),
            ..*ray
        };
        Class::of(&ray).is_some().then_some(Self { ray, scale })
    }

    /// Converts the largest `t` of a range of the original ray to the scaled ray.
    pub(crate) fn scale(&self, t: f32) -> f32 {
        end_of_range(t, self.scale)
    }

    /// Converts a hit of the scaled ray to the original ray.
    pub(crate) fn unscale(&self, hit: Hit) -> Hit {
        Hit { t: (f64::from(hit.t) / self.scale) as f32 + 0.0, ..hit }
    }
}

/// The end of a range times a power of two, rounded down: so what is within the one range is within the other. No hit has an infinite t.
fn end_of_range(t: f32, scale: f64) -> f32 {
    let exact = f64::from(t.clamp(f32::NEG_INFINITY, f32::MAX)) * scale;
    let rounded = exact as f32;
    if f64::from(rounded) > exact { rounded.next_down() } else { rounded }
}

/// Byte indices that broadcast a lane.
static LANES: [[u8; 16]; 3] = [
    [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3],
    [4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7],
    [8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11],
];

/// kx and ky for each kz and for both signs of the direction on kz. They are swapped where it is negative, which keeps
/// the winding. The fourth row is never used.
const AXES: [[[u8; 2]; 2]; 4] = [[[1, 2], [2, 1]], [[2, 0], [0, 2]], [[0, 1], [1, 0]], [[0; 2]; 2]];

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
