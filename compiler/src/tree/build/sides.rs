//! Boxes as sweeps use them.

use crate::tree::aabb::Aabb;

const LANES: usize = 8;

/// The upper corner of a box and the opposite of the lower one: both are greatest values, so compilers make one vector of them.
#[derive(Clone, Copy)]
pub(super) struct Sides([f32; LANES]);

impl Sides {
    pub(super) const EMPTY: Self = Self([f32::NEG_INFINITY; LANES]);

    #[inline(always)]
    pub(super) fn of(bounds: &Aabb) -> Self {
        let [[a, b, c], [d, e, f]] = [bounds.lower, bounds.upper];
        Self([-a, -b, -c, 0.0, d, e, f, 0.0])
    }

    #[inline(always)]
    pub(super) fn union(mut self, other: &Self) -> Self {
        for (side, other) in self.0.iter_mut().zip(other.0) {
            *side = if other > *side { other } else { *side };
        }
        self
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
