//! The surroundings of a house: a fence, a path and two trees.

use super::site::{BLOCK, OCTAHEDRON, PRISM, Site};
use crate::random::Random;

/// Triangles of a garden.
pub(super) const TRIANGLES: usize = (4 * PICKETS + 8 + STONES) * BLOCK + 2 * (PRISM + LEAVES * OCTAHEDRON);

/// Pickets of a side of the fence.
const PICKETS: usize = 30;

const STONES: usize = 8;

/// Tufts of leaves of a tree.
const LEAVES: usize = 60;

/// Half the width and depth of the garden.
const HALF: [f32; 2] = [8.5, 10.0];

/// Builds it around the centre of the site.
pub(super) fn build(site: &mut Site<'_>, random: &mut Random) {
    for axis in [0, 1] {
        for end in [-1.0, 1.0] {
            fence(site, axis, end * HALF[1 - axis], random);
        }
    }
    for stone in 0..STONES {
        let y = -9.5 + 0.6 * stone as f32;
        let size = [random.f32(0.5, 0.8), 0.5, random.f32(0.04, 0.1)];
        site.block_around([random.f32(-0.1, 0.1), y, 0.0], size);
    }
    for side in [-1.0, 1.0] {
        tree(site, [side * 6.8, random.f32(-8.0, -5.5), 0.0], random);
    }
}

/// Pickets along x (0) or y (1), and two rails.
fn fence(site: &mut Site<'_>, axis: usize, across: f32, random: &mut Random) {
    let place = |along: f32, z: f32| if axis == 0 { [along, across, z] } else { [across, along, z] };
    let size = |along: f32, thick: f32, z: f32| if axis == 0 { [along, thick, z] } else { [thick, along, z] };
    let pitch = 2.0 * HALF[axis] / PICKETS as f32;
    for picket in 0..PICKETS {
        let height = random.f32(1.0, 1.1);
        let along = (picket as f32 + 0.5) * pitch - HALF[axis];
        site.block_around(place(along, height / 2.0), size(0.12, 0.03, height));
    }
    for z in [0.3, 0.8] {
        site.block_around(place(0.0, z), size(2.0 * HALF[axis], 0.05, 0.08));
    }
}

fn tree(site: &mut Site<'_>, foot: [f32; 3], random: &mut Random) {
    let height = random.f32(3.0, 5.0);
    site.prism(foot, 2, height, [0.25, 0.1]);
    for _ in 0..LEAVES {
        let (direction, reach) = (random.direction(), random.f32(0.3, 1.6));
        let mut centre: [f32; 3] = std::array::from_fn(|axis| foot[axis] + reach * direction[axis]);
        centre[2] += height + 0.5;
        site.octahedron(centre, random.point([0.1; 3], [0.35; 3]));
    }
}
