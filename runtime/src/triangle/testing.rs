//! Random grids, and floats of any scale, for tests of the exact predicates.

use std::prelude::v1::*;

use crate::pose::Pose;

/// The rows of the rotation matrix of a unit quaternion.
pub(crate) fn rotation([x, y, z, w]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Exact factors for grid coordinates; they cover subnormals and the largest model.
pub(crate) const SCALES: [f32; 4] = [1.0, 0.125, f32::from_bits(1), 281_474_976_710_656.0];

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, count: i128) -> i128 {
        i128::from(self.bits() >> 11) % count
    }

    pub(crate) fn point(&mut self, count: i128) -> [i128; 3] {
        [0, 1, 2].map(|_| self.below(count))
    }

    /// A random number from -1 to 1.
    pub(crate) fn centred(&mut self) -> f64 {
        self.below(1 << 52) as f64 / (1u64 << 51) as f64 - 1.0
    }

    /// A random direction with one of a few lengths, down to the negative power of ten.
    pub(crate) fn offset(&mut self, smallest: i128) -> [f64; 3] {
        let scale = 0.1f64.powi(self.below(smallest + 1) as i32);
        [0, 1, 2].map(|_| scale * self.centred())
    }

    /// A unit quaternion, x, y, z and w.
    pub(crate) fn quaternion(&mut self) -> [f64; 4] {
        loop {
            let q = [0, 1, 2, 3].map(|_| self.centred());
            let square: f64 = q.iter().map(|x| x * x).sum();
            if (0.01..1.0).contains(&square) {
                return q.map(|x| x / square.sqrt());
            }
        }
    }

    /// A random rotation with this translation.
    pub(crate) fn pose(&mut self, translation: [f64; 3]) -> Pose {
        Pose::from_rows(rotation(self.quaternion()), translation).expect("a rotation")
    }

    /// A random finite float, with one of a few exponents, so that scales are both mixed and equal.
    pub(crate) fn float(&mut self) -> f32 {
        let exponent = [0, 1, 100, 126, 127, 128, 129, 187, 253][self.below(9) as usize];
        let mantissa = (self.bits() as u32) & [0x7f_ffff, 0x70_0000, 7][self.below(3) as usize];
        f32::from_bits(((self.bits() as u32) << 31) | (exponent << 23) | mantissa)
    }
}

pub(crate) fn float(grid: [i128; 3], scale: f32) -> [f32; 3] {
    grid.map(|x| x as f32 * scale)
}
