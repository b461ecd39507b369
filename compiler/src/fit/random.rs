//! Seeded random numbers, rotations and directions in f64.

use super::frame::normalised;
use crate::math::random::SplitMix;
use crate::math::vector::{Vector, unit};

/// A generator; equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub(super) struct Random(SplitMix);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix::new(seed))
    }

    /// The next 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number from 0 to below 1.
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A number from 0 to below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A rotation, every one equally likely.
    pub(super) fn rotation(&mut self) -> [f64; 4] {
        self.in_ball().map_or_else(|| self.rotation(), normalised)
    }

    /// A direction, every one equally likely.
    pub(super) fn direction(&mut self) -> Vector {
        self.in_ball().and_then(unit).unwrap_or_else(|| self.direction())
    }

    /// A point of the cube from -1 to 1, if it is in the unit ball and not too near its centre to be scaled.
    fn in_ball<const N: usize>(&mut self) -> Option<[f64; N]> {
        let point = std::array::from_fn(|_| 2.0 * self.unit() - 1.0);
        let squared: f64 = point.iter().map(|x: &f64| x * x).sum();
        (1e-6..=1.0).contains(&squared).then_some(point)
    }
}
