//! Unconnected triangles: random, needle-thin, duplicated, overlapping in one plane.

use super::Parts;
use crate::oracle::number::is_degenerate;
use crate::random::Random;
use bvhc::mesh::Mesh;

/// `count` triangles with corners within `size` of points of the cube from -1 to 1, along each axis.
pub fn triangles(count: u32, size: f32, seed: u64) -> Mesh {
    build(count, seed, |random| {
        let center = random.point([-1.0; 3], [1.0; 3]);
        std::array::from_fn(|_| near(random, center, size))
    })
}

/// Slivers about 1 long and down to a hundred-thousandth wide; every second one has an edge of that length.
pub fn needles(count: u32, seed: u64) -> Mesh {
    build(count, seed, |random| {
        let start = random.point([-1.0; 3], [1.0; 3]);
        let along = random.direction();
        let width = [1e-2, 1e-3, 1e-4, 1e-5][random.below(4) as usize];
        let place = [0.0, random.f32(0.2, 0.8)][random.below(2) as usize];
        let at = |t: f32| std::array::from_fn(|axis| start[axis] + t * along[axis]);
        [start, at(1.0), near(random, at(place), width)]
    })
}

/// Random triangles, about half of which repeat earlier ones: unchanged, starting at another corner, or flipped.
pub fn duplicates(count: u32, seed: u64) -> Mesh {
    let mut earlier: Vec<[[f32; 3]; 3]> = Vec::new();
    build(count, seed, |random| {
        let [a, b, c] = match earlier.len() as u32 {
            0 => std::array::from_fn(|_| random.point([-1.0; 3], [1.0; 3])),
            known if random.below(2) == 0 => earlier[random.below(known) as usize],
            _ => std::array::from_fn(|_| random.point([-1.0; 3], [1.0; 3])),
        };
        let corners = [[a, b, c], [b, c, a], [a, c, b]][random.below(3) as usize];
        earlier.push(corners);
        corners
    })
}

/// Overlapping triangles in the plane z = 0, corners on the integer grid from -50 to 50.
pub fn coplanar(count: u32, seed: u64) -> Mesh {
    build(count, seed, |random| {
        let center = [random.integer(-40, 40), random.integer(-40, 40)];
        std::array::from_fn(|_| {
            let mut near = |axis: usize| (center[axis] + random.integer(-10, 10)) as f32;
            [near(0), near(1), 0.0]
        })
    })
}

fn near(random: &mut Random, center: [f32; 3], size: f32) -> [f32; 3] {
    center.map(|x| x + random.f32(-size, size))
}

/// Triangles made by `draw`; those without area are drawn again.
fn build(count: u32, seed: u64, mut draw: impl FnMut(&mut Random) -> [[f32; 3]; 3]) -> Mesh {
    let mut random = Random::new(seed);
    let mut parts = Parts::default();
    while parts.triangles.len() < count as usize {
        let corners = draw(&mut random);
        if !is_degenerate(corners) {
            parts.triangle(corners);
        }
    }
    parts.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn duplicates_repeat() {
        let mesh = duplicates(400, 1);
        let sorted = |triangle| {
            let mut corners = mesh.corners(triangle).map(|corner| corner.map(f32::to_bits));
            corners.sort_unstable();
            corners
        };
        let distinct: HashSet<_> = (0..400).map(sorted).collect();
        assert!((100..300).contains(&distinct.len()));
    }

    #[test]
    fn seeds_decide() {
        assert_eq!(needles(50, 1), needles(50, 1));
        assert_ne!(needles(50, 1), needles(50, 2));
    }
}
