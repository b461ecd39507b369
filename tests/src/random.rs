//! Seeded random numbers that are the same on every machine.
//!
//! Based on: Guy Steele, Doug Lea and Christine Flood, "Fast Splittable Pseudorandom Number Generators", 2014
//! (SplitMix64).

/// A generator; equal seeds give equal sequences.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// SplitMix64's finaliser: 64 bits in which every bit of `state` has been mixed.
pub fn mix(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

impl Random {
    /// A generator that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// The next 32 bits.
    pub fn u32(&mut self) -> u32 {
        (self.u64() >> 32) as u32
    }

    /// A number from 0 to below `bound`, which is not 0; the bias is under 2^-32.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.u64()) * u128::from(bound)) >> 64) as u32
    }

    /// An integer from `low` to `high`, both included.
    pub fn integer(&mut self, low: i32, high: i32) -> i32 {
        low + self.below(high.abs_diff(low) + 1) as i32
    }

    /// A number from 0 to below 1, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A number from `low` to `high`, both included by rounding.
    pub fn f32(&mut self, low: f32, high: f32) -> f32 {
        let (low, high) = (f64::from(low), f64::from(high));
        (low + (high - low) * self.unit()) as f32
    }

    /// A point of the box from `low` to `high`.
    pub fn point(&mut self, low: [f32; 3], high: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|axis| self.f32(low[axis], high[axis]))
    }

    /// A vector of length 1 (to rounding), uniformly distributed.
    pub fn direction(&mut self) -> [f32; 3] {
        loop {
            let point: [f64; 3] = std::array::from_fn(|_| 2.0 * self.unit() - 1.0);
            let square = point.iter().map(|x| x * x).sum::<f64>();
            if (1e-4..=1.0).contains(&square) {
                let length = square.sqrt();
                return point.map(|x| (x / length) as f32);
            }
        }
    }

    /// Shuffles `items` (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published first outputs for seed 1234567.
    #[test]
    fn is_splitmix64() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn directions_have_length_one() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let square = random.direction().iter().map(|x| x * x).sum::<f32>();
            assert!((square - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut random = Random::new(2);
        let mut seen = [false; 7];
        for _ in 0..1000 {
            assert!((-2.0..=3.0).contains(&random.f32(-2.0, 3.0)));
            seen[(random.integer(-3, 3) + 3) as usize] = true;
        }
        assert_eq!(seen, [true; 7]);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
