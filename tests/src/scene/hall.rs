//! A hall of huge and thin triangles: floor, walls, columns and long oblique beams. Difficult for boxes.

use super::{Parts, icosphere};
use crate::random::Random;
use bvhc::mesh::Mesh;

/// Length, width and height of the hall.
pub const SIZE: [f32; 3] = [200.0, 80.0, 30.0];

/// A hall from the origin to [`SIZE`], z up, with this many eight-sided columns, and beams thinner than a
/// thousandth of their length: 12 triangles, and 16 for each column and 12 for each beam.
pub fn hall(columns: u32, beams: u32, seed: u64) -> Mesh {
    let mut parts = Parts::default();
    let mut random = Random::new(seed);
    parts.block([0.0; 3], SIZE);
    for _ in 0..columns {
        let foot = random.point([2.0, 2.0, 0.0], [SIZE[0] - 2.0, SIZE[1] - 2.0, 0.0]);
        column(&mut parts, foot, random.f32(0.05, 0.5));
    }
    for _ in 0..beams {
        let (start, end) = beam_ends(&mut random);
        beam(&mut parts, start, end, random.f32(0.005, 0.05));
    }
    parts.finish()
}

/// Triangles of a statue.
pub const STATUE_TRIANGLES: usize = 20 * STATUE_FREQUENCY.pow(2) as usize;

const STATUE_FREQUENCY: u32 = 31;

/// A [`hall`] with this many statues, displaced spheres on the floor that have most of the triangles.
pub fn gallery(columns: u32, beams: u32, statues: u32, seed: u64) -> Mesh {
    let mut parts = Parts::default();
    let mut random = Random::new(!seed);
    parts.append(&hall(columns, beams, seed));
    for _ in 0..statues {
        let mut statue = icosphere::displaced(STATUE_FREQUENCY, 0.2, random.u64());
        let radius = random.f32(1.0, 3.0);
        let middle = random.point([5.0, 5.0, radius], [SIZE[0] - 5.0, SIZE[1] - 5.0, radius]);
        for position in &mut statue.positions {
            *position = std::array::from_fn(|axis| middle[axis] + radius * position[axis]);
        }
        parts.append(&statue);
    }
    parts.finish()
}

/// From floor to ceiling, open at both ends.
fn column(parts: &mut Parts, foot: [f32; 3], radius: f32) {
    const RING: [[f32; 2]; 8] = [
        [1.0, 0.0],
        [0.7, 0.7],
        [0.0, 1.0],
        [-0.7, 0.7],
        [-1.0, 0.0],
        [-0.7, -0.7],
        [0.0, -1.0],
        [0.7, -0.7],
    ];
    let mut ring = |z| RING.map(|[x, y]| parts.vertex([foot[0] + radius * x, foot[1] + radius * y, z]));
    let (bottom, top) = (ring(0.0), ring(SIZE[2]));
    for side in 0..8 {
        let next = (side + 1) % 8;
        parts.quad([bottom[side], bottom[next], top[next], top[side]]);
    }
}

/// Two points far apart along x.
fn beam_ends(random: &mut Random) -> ([f32; 3], [f32; 3]) {
    let [length, width, height] = SIZE;
    let start = random.point([0.0, 0.0, 5.0], [length / 4.0, width, height]);
    (start, random.point([3.0 * length / 4.0, 0.0, 5.0], [length, width, height]))
}

/// A closed beam, upright in cross section.
fn beam(parts: &mut Parts, start: [f32; 3], end: [f32; 3], thickness: f32) {
    let corner = |number: usize| {
        let from = if number & 1 == 0 { start } else { end };
        let shift = |bit: usize| if number >> bit & 1 == 0 { 0.0 } else { thickness };
        [from[0], from[1] + shift(1), from[2] + shift(2)]
    };
    parts.hexahedron(std::array::from_fn(corner));
}

#[cfg(test)]
mod tests {
    use super::super::tests::{is_closed, volume};
    use super::*;

    #[test]
    fn has_as_many_triangles_as_promised() {
        assert_eq!(hall(3, 5, 1).triangles.len(), 12 + 3 * 16 + 5 * 12);
        assert_eq!(gallery(3, 5, 2, 1).triangles.len(), 12 + 3 * 16 + 5 * 12 + 2 * STATUE_TRIANGLES);
    }

    #[test]
    fn beams_are_closed_and_face_outward() {
        let mesh = hall(0, 7, 2);
        assert!(is_closed(&mesh) && volume(&mesh) > 6.0 * 200.0 * 80.0 * 30.0);
    }

    #[test]
    fn statues_are_closed_and_stand_within() {
        let (bare, mesh) = (hall(0, 1, 3), gallery(0, 1, 4, 3));
        assert!(is_closed(&mesh) && volume(&mesh) > volume(&bare));
        let inside = |position: &[f32; 3]| (0..2).all(|axis| (0.0..=SIZE[axis]).contains(&position[axis]));
        assert!(mesh.positions.iter().all(inside));
    }
}
