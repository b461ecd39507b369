//! Seeded random numbers that are the same on every machine.
//!
//! Based on: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014 (SplitMix64).

/// A generator; equal seeds give equal sequences.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to below 1.
    pub(super) fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 24) as f32
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
