//! Smooth noise without trigonometry.
//!
//! Based on: Ken Perlin, "Improving Noise", 2002, for the quintic blend; departs from it in that the lattice holds
//! values, not gradients.

use crate::random::mix;

/// A number in -1..=1 that changes smoothly with `point`, over lengths of about 1.
pub fn noise(point: [f64; 3], seed: u64) -> f64 {
    let cell = point.map(f64::floor);
    let blend: [f64; 3] = std::array::from_fn(|axis| quintic(point[axis] - cell[axis]));
    let cell = cell.map(|x| x as i64);
    (0..8)
        .map(|corner| {
            let step = |axis: usize| (corner >> axis & 1) as i64;
            let weight: f64 =
                (0..3).map(|axis| if step(axis) == 1 { blend[axis] } else { 1.0 - blend[axis] }).product();
            weight * lattice(std::array::from_fn(|axis| cell[axis] + step(axis)), seed)
        })
        .sum()
}

/// Noise at several scales, each with half the wavelength and half the amplitude of the one before; in -2..2.
pub fn fractal(point: [f64; 3], octaves: u32, seed: u64) -> f64 {
    let octave = |number: u32| {
        let scale = f64::from(1u32 << number);
        noise(point.map(|x| x * scale), seed.wrapping_add(number.into())) / scale
    };
    (0..octaves).map(octave).sum()
}

fn quintic(x: f64) -> f64 {
    x * x * x * (x * (x * 6.0 - 15.0) + 10.0)
}

fn lattice(cell: [i64; 3], seed: u64) -> f64 {
    let bits =
        cell.iter().fold(mix(seed), |bits, &x| mix(bits.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ x as u64));
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn stays_in_range_and_is_smooth() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let point: [f64; 3] = std::array::from_fn(|_| 20.0 * random.unit() - 10.0);
            let value = noise(point, 5);
            assert!((-1.0..=1.0).contains(&value));
            assert!((noise(point.map(|x| x + 1e-6), 5) - value).abs() < 2e-5);
        }
    }
}
