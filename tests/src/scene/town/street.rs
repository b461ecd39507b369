//! The objects along a street: lamps and cars.

use super::site::{BLOCK, OCTAHEDRON, PRISM, Site};
use crate::random::Random;

/// Triangles of a lamp.
pub(super) const LAMP_TRIANGLES: usize = PRISM + BLOCK + OCTAHEDRON;

/// Triangles of a car.
pub(super) const CAR_TRIANGLES: usize = 4 * BLOCK + 4 * PRISM + 4 * OCTAHEDRON;

/// Builds a lamp at the site's origin that faces the street towards negative y.
pub(super) fn lamp(site: &mut Site<'_>, random: &mut Random) {
    let height = random.f32(5.0, 6.0);
    site.prism([0.0; 3], 2, height, [0.08, 0.05]);
    site.block([-0.03, -1.2, height - 0.1], [0.03, 0.0, height - 0.04]);
    site.octahedron([0.0, -1.2, height - 0.2], [0.15, 0.25, 0.1]);
}

/// Builds a car along x at the site's origin.
pub(super) fn car(site: &mut Site<'_>, random: &mut Random) {
    let (x, y) = (random.f32(1.9, 2.3), 0.85);
    site.tapered([-x, -y, 0.35], [x, y, 0.9], 0.06);
    site.tapered([-0.6 * x, -0.8, 0.9], [0.5 * x, 0.8, 1.45], 0.25);
    for end in [-1.0, 1.0] {
        site.block_around([end * x, 0.0, 0.45], [0.15, 1.6, 0.15]);
        for side in [-1.0, 1.0] {
            let tread = if side < 0.0 { -y } else { y - 0.2 };
            site.prism([end * 0.65 * x, tread, 0.32], 1, 0.2, [0.32; 2]);
            site.octahedron([end * x, side * 0.65, 0.7], [0.05, 0.12, 0.08]);
        }
    }
}
