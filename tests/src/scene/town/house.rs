//! A house of two floors: walls, roof, chimney, door and windows.

use super::site::{BLOCK, GABLE, OCTAHEDRON, Site};
use crate::random::Random;

/// Triangles of a house.
pub(super) const TRIANGLES: usize = 2 * BLOCK + GABLE + DOOR + 12 * WINDOW;

const DOOR: usize = 2 * BLOCK + OCTAHEDRON;
const WINDOW: usize = 6 * BLOCK;

/// Thickness of doors, panes and frames.
const THIN: f32 = 0.06;

/// Builds it in the centre of the site, its front towards negative y.
pub(super) fn build(site: &mut Site<'_>, random: &mut Random) {
    let [width, depth] = [random.f32(9.0, 12.0), random.f32(7.0, 9.0)];
    let [eaves, ridge] = [random.f32(5.2, 6.0), random.f32(8.0, 10.0)];
    let [x, y] = [width / 2.0, depth / 2.0];
    site.block([-x, -y, 0.0], [x, y, eaves]);
    site.gable([-x - 0.4, -y - 0.5], [x + 0.4, y + 0.5], eaves, ridge);
    let chimney = random.f32(-0.6 * x, 0.6 * x);
    site.block([chimney, 0.6, eaves], [chimney + 0.6, 1.2, ridge + 0.7]);
    door(site, y);
    for front in [-y, y] {
        for sill in [0.9, 3.6] {
            for column in [-0.32, 0.16, 0.36] {
                window(site, [width * column, front, sill]);
            }
        }
    }
}

fn door(site: &mut Site<'_>, y: f32) {
    site.block([-0.5, -y - THIN, 0.0], [0.5, -y + THIN, 2.1]);
    site.block([-0.9, -y - 0.8, 0.0], [0.9, -y, 0.15]);
    site.octahedron([0.35, -y - 0.1, 1.05], [0.04; 3]);
}

/// A window in a wall across y, from the middle of its lower edge: a pane, a sill and four bars.
fn window(site: &mut Site<'_>, [x, y, z]: [f32; 3]) {
    let [width, height] = [1.2, 1.4];
    let middle = z + height / 2.0;
    site.block_around([x, y, middle], [width, THIN, height]);
    site.block_around([x, y, z - 0.05], [width + 0.3, 0.4, 0.05]);
    for side in [-0.5, 0.5] {
        site.block_around([x + side * width, y, middle], [THIN, 2.0 * THIN, height + THIN]);
        site.block_around([x, y, middle + side * height], [width, 2.0 * THIN, THIN]);
    }
}
