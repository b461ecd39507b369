//! Questions, drawn from integers.
//!
//! Based on: Guy Steele, Doug Lea and Christine Flood, "Fast Splittable Pseudorandom Number Generators", 2014
//! (SplitMix64).

use bvhc_runtime::{Aabb, Pose, Ray, Sides};

/// SplitMix64's finaliser.
pub(crate) fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

/// Draws questions about what is within some bounds.
pub(crate) struct Draw {
    state: u64,
    bounds: Aabb,
}

impl Draw {
    pub(crate) fn new(seed: u64, bounds: Aabb) -> Self {
        Self { state: seed, bounds }
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (((mix(self.state) >> 32) * u64::from(bound)) >> 32) as u32
    }

    /// A multiple of 2^-24 from 0 to below 1, exact in f32.
    pub(crate) fn unit(&mut self) -> f32 {
        self.below(1 << 24) as f32 / (1 << 24) as f32
    }

    /// The largest extent of the bounds.
    pub(crate) fn size(&self) -> f32 {
        (0..3).map(|axis| self.bounds.max[axis] - self.bounds.min[axis]).fold(0.0, f32::max)
    }

    /// A point of the bounds, enlarged on each side by so many times their largest extent.
    pub(crate) fn point(&mut self, growth: f32) -> [f32; 3] {
        let margin = growth * self.size();
        let Aabb { min, max } = self.bounds;
        [0, 1, 2].map(|axis| {
            let (lower, upper) = (min[axis] - margin, max[axis] + margin);
            lower + (upper - lower) * self.unit()
        })
    }

    /// A vector whose components are at most `length` in magnitude.
    pub(crate) fn vector(&mut self, length: f32) -> [f32; 3] {
        [0; 3].map(|_| (2.0 * self.unit() - 1.0) * length)
    }

    /// From near the bounds to a point of them, or along an axis; of a half any range, of a quarter one side only.
    pub(crate) fn ray(&mut self) -> Ray {
        let origin = self.point(1.0);
        let target = self.point(0.0);
        let mut direction = sub(target, origin);
        if self.below(8) == 0 {
            let axis = self.below(3) as usize;
            direction = [0, 1, 2].map(|other| if other == axis { direction[axis] } else { 0.0 });
        }
        let ray = Ray::new(origin, direction).with_sides(match self.below(8) {
            0 => Sides::Front,
            1 => Sides::Back,
            _ => Sides::Both,
        });
        match self.below(4) {
            0 => ray.with_range(self.unit() - 0.5, 0.5 + self.unit()),
            1 => ray.with_range(0.0, 1.0),
            _ => ray,
        }
    }

    /// From near the bounds to a point of them, without an end.
    pub(crate) fn long_ray(&mut self) -> Ray {
        let (origin, target) = (self.point(1.0), self.point(0.0));
        Ray::new(origin, sub(target, origin))
    }

    /// Rays from one point to neighbouring points, as a camera has them.
    pub(crate) fn coherent_rays<const N: usize>(&mut self) -> [Ray; N] {
        let origin = self.point(1.0);
        let target = self.point(0.0);
        let spread = 0.25 * self.unit() * self.size();
        core::array::from_fn(|_| {
            let aside = self.vector(spread);
            Ray::new(origin, sub([0, 1, 2].map(|axis| target[axis] + aside[axis]), origin))
        })
    }

    /// A matrix that is a rotation to rounding: that of a quaternion of small integers, divided by its square.
    pub(crate) fn rotation(&mut self) -> [[f64; 3]; 3] {
        let [w, x, y, z] = loop {
            let quaternion = [0; 4].map(|_| f64::from(self.below(129)) - 64.0);
            if quaternion != [0.0; 4] {
                break quaternion;
            }
        };
        let square = w * w + x * x + y * y + z * z;
        let rows = [
            [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ];
        rows.map(|row| row.map(|entry| entry / square))
    }

    /// A rotation that takes the middle of `other` to a point of the bounds, enlarged by so many times their extent.
    pub(crate) fn pose(&mut self, other: &Aabb, growth: f32) -> Pose {
        let rows = self.rotation();
        let target = self.point(growth);
        let middle = [0, 1, 2].map(|axis| 0.5 * (f64::from(other.min[axis]) + f64::from(other.max[axis])));
        let translation = [0, 1, 2].map(|axis| {
            let [x, y, z] = rows[axis];
            f64::from(target[axis]) - (x * middle[0] + y * middle[1] + z * middle[2])
        });
        Pose::from_rows(rows, translation).expect("the matrix of a quaternion is a rotation")
    }
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}
