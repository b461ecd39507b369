//! Small balls, thin rods and flat plates far apart: each kind of swept sphere suits one of them.

use super::{Parts, icosphere};
use crate::random::Random;
use bvhc::mesh::Mesh;

/// Triangles of a ball, a rod and a plate.
pub const TRIANGLES: u32 = 20 + 12 + 12;

/// This many of each, about 1 large, around points of the cube from -8 to 8. They may intersect.
pub fn shapes(count: u32, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut parts = Parts::default();
    for index in 0..count {
        let mut place = || random.point([-8.0; 3], [8.0; 3]);
        let (centre, rod, plate) = (place(), place(), place());
        let mut ball = icosphere::icosphere(1);
        for position in &mut ball.positions {
            *position = std::array::from_fn(|axis| centre[axis] + 0.5 * position[axis]);
        }
        parts.append(&ball);
        let axis = index as usize % 3;
        let block = |parts: &mut Parts, from: [f32; 3], thin: &dyn Fn(usize) -> bool| {
            parts.block(from, std::array::from_fn(|i| from[i] + if thin(i) { 0.01 } else { 1.0 }));
        };
        block(&mut parts, rod, &|i| i != axis);
        block(&mut parts, plate, &|i| i == axis);
    }
    parts.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::{is_closed, volume};

    #[test]
    fn shapes_are_closed() {
        let mesh = shapes(6, 1);
        assert_eq!(mesh.triangles.len() as u32, 6 * TRIANGLES);
        assert!(is_closed(&mesh) && volume(&mesh) > 0.0);
    }
}
