//! Which triangles touch a closed ball, exactly.

use super::distance::candidates;
use super::number::{Number, decide};
use bvhc::mesh::Mesh;
use std::cmp::Ordering::Greater;

/// The triangles that touch the closed ball, ascending. A negative radius touches nothing, an infinite one everything.
pub fn all(mesh: &Mesh, center: [f32; 3], radius: f32) -> Vec<u32> {
    let count = mesh.triangles.len() as u32;
    (0..count).filter(|&triangle| touches(mesh.corners(triangle), center, radius)).collect()
}

/// Whether a triangle has a point within `radius` of `center`, the surface included.
pub fn touches(corners: [[f32; 3]; 3], center: [f32; 3], radius: f32) -> bool {
    if !radius.is_finite() || radius < 0.0 {
        return radius > 0.0;
    }
    decide!(within(corners, center, radius))
}

fn within<N: Number>(corners: [[f32; 3]; 3], center: [f32; 3], radius: f32) -> Option<bool> {
    let square = N::new(radius).times(&N::new(radius));
    for candidate in candidates::<N>(corners, center)? {
        if candidate.numerator.minus(&square.times(&candidate.denominator)).sign()? != Greater {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

    #[test]
    fn the_surface_belongs_to_the_ball() {
        for (center, radius) in [([1.0, 1.0, 5.0], 5.0), ([2.0, -3.0, 4.0], 5.0), ([-3.0, -4.0, 0.0], 5.0f32)]
        {
            assert!(touches(CORNERS, center, radius));
            assert!(!touches(CORNERS, center, radius.next_down()));
        }
    }

    #[test]
    fn radii_at_the_edges() {
        assert!(touches(CORNERS, [1.0, 1.0, 0.0], 0.0));
        assert!(!touches(CORNERS, [1.0, 1.0, f32::from_bits(1)], 0.0));
        assert!(!touches(CORNERS, [1.0, 1.0, 0.0], -1.0));
        assert!(!touches(CORNERS, [1.0, 1.0, 0.0], f32::NAN));
        assert!(touches(CORNERS, [9.0, 9.0, 9.0], f32::INFINITY));
    }

    /// The squared distance of the point `weights` of the triangle, times 36.
    fn square(corners: [[i64; 3]; 3], weights: [i64; 3], center: [i64; 3]) -> i64 {
        let offset = |axis: usize| -> i64 {
            let point: i64 = (0..3).map(|corner| weights[corner] * corners[corner][axis]).sum();
            point - 6 * center[axis]
        };
        (0..3).map(|axis| offset(axis) * offset(axis)).sum()
    }

    /// Points sampled from the triangle can only prove that it touches; the oracle must agree with every such proof.
    #[test]
    fn no_sampled_point_is_missed() {
        let mut random = Random::new(5);
        let mut touching = 0;
        for _ in 0..3000 {
            let mut point = || std::array::from_fn(|_| i64::from(random.integer(-4, 4)));
            let (corners, center): ([[i64; 3]; 3], _) = (std::array::from_fn(|_| point()), point());
            let radius = i64::from(random.integer(0, 3));
            let grid = (0..=6).flat_map(|i| (0..=6 - i).map(move |j| [i, j, 6 - i - j]));
            let sampled =
                grid.into_iter().any(|weights| square(corners, weights, center) <= 36 * radius * radius);
            let answer =
                touches(corners.map(|c| c.map(|x| x as f32)), center.map(|x| x as f32), radius as f32);
            assert!(answer || !sampled);
            touching += u32::from(answer);
        }
        assert!((300..2700).contains(&touching));
    }
}
