//! Boxes as sweeps use them.

use fearless_simd::{Simd, SimdBase, SimdFrom, f32x4, f32x8};

use crate::tree::aabb::Aabb;

const LANES: usize = 8;

/// The opposite of the lower corner of a box and the upper one: both are greatest values, so one vector holds them.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(super) struct Sides([f32; LANES]);

impl Sides {
    pub(super) const EMPTY: Self = Self([f32::NEG_INFINITY; LANES]);

    #[inline(always)]
    pub(super) fn of(bounds: &Aabb) -> Self {
        let [[a, b, c], [d, e, f]] = [bounds.lower, bounds.upper];
        Self([-a, -b, -c, 0.0, d, e, f, 0.0])
    }

    #[inline(always)]
    pub(super) fn union(&self, simd: impl Simd, other: &Self) -> Self {
        let [a, b] = [self, other].map(|sides| f32x8::simd_from(simd, sides.0));
        Self(a.max(b).into())
    }

    /// Those of the box around twice the centres of some boxes.
    #[inline(always)]
    pub(super) fn around_doubled_centres(simd: impl Simd, boxes: &[Aabb], chosen: &[u32]) -> Self {
        let mut all = f32x8::simd_from(simd, Self::EMPTY.0);
        for index in chosen {
            let centre = Self::of(&boxes[*index as usize]).doubled_centre(simd);
            all = all.max(simd.combine_f32x4(-centre, centre));
        }
        Self(all.into())
    }

    /// The lower and the upper corner.
    pub(super) fn corners(&self) -> [[f32; 3]; 2] {
        let [a, b, c, _, d, e, f, _] = self.0;
        [[-a, -b, -c], [d, e, f]]
    }

    /// Twice the centre, and 0.
    #[inline(always)]
    pub(super) fn doubled_centre<S: Simd>(&self, simd: S) -> f32x4<S> {
        let (lower, upper) = self.0.split_at(LANES / 2);
        f32x4::from_slice(simd, upper) - f32x4::from_slice(simd, lower)
    }

    /// Half the surface of a box that is not empty.
    #[inline(always)]
    pub(super) fn half_area(&self) -> f64 {
        let mut extents = [0.0; LANES / 2];
        for (axis, extent) in extents.iter_mut().enumerate() {
            *extent = f64::from(self.0[LANES / 2 + axis]) + f64::from(self.0[axis]);
        }
        let [x, y, z, _] = extents;
        x * y + y * z + z * x
    }
}
