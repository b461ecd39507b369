//! Random grids and floats of any scale, for the tests of the exact tests.

/// Grid coordinates become floats by an exact scaling; these reach subnormals and the largest model.
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

    /// Any finite float of any scale; one of few exponents, so that scales both mix and meet.
    pub(crate) fn float(&mut self) -> f32 {
        let exponent = [0, 1, 100, 126, 127, 128, 129, 187, 253][self.below(9) as usize];
        let mantissa = (self.bits() as u32) & [0x7f_ffff, 0x70_0000, 7][self.below(3) as usize];
        f32::from_bits(((self.bits() as u32) << 31) | (exponent << 23) | mantissa)
    }
}

pub(crate) fn float(grid: [i128; 3], scale: f32) -> [f32; 3] {
    grid.map(|x| x as f32 * scale)
}
