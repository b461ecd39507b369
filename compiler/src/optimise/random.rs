//! Seeded random numbers, points and directions in f32.

use crate::math::random::SplitMix;

/// A generator; equal seeds give equal sequences.
pub(super) struct Random(SplitMix);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// From 0 to below 1.
    pub(super) fn unit(&mut self) -> f32 {
        (self.0.bits() >> 40) as f32 / (1 << 24) as f32
    }

    /// A point of a box.
    pub(super) fn point(&mut self, lower: [f32; 3], upper: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|axis| lower[axis] + (upper[axis] - lower[axis]) * self.unit())
    }

    /// A direction of about length 1, all equally likely.
    pub(super) fn direction(&mut self) -> [f32; 3] {
        loop {
            let point = [0; 3].map(|_| 2.0 * self.unit() - 1.0);
            let square = point.iter().map(|x| x * x).sum::<f32>();
            if (1e-4..=1.0).contains(&square) {
                return point.map(|x| x / square.sqrt());
            }
        }
    }
}
