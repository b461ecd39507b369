//! Seeded random numbers that are the same on every machine.
//!
//! Based on: Guy Steele, Doug Lea and Christine Flood, "Fast Splittable Pseudorandom Number Generators", 2014
//! (SplitMix64).

use super::frame::normalised;
use crate::math::vector::{Vector, unit};

/// A generator; equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
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
