//! The primitive tests: they alone decide answers; boxes only prune.

pub(crate) mod gap;
pub(crate) mod meet;
pub(crate) mod near;
pub(crate) mod pair;
pub(crate) mod point;
pub(crate) mod ray;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod touch_box;
pub(crate) mod touch_sphere;

use bvhc_format::record::{BLOCK_WIDTH, Block};

/// The corners of the triangle in a lane of a block. Lanes and slots count modulo 16, so that a
/// corrupt block cannot lead outside of it.
#[inline(always)]
pub(crate) fn corners(block: &Block, lane: usize) -> [[f32; 3]; 3] {
    let [x, y, z] = &block.positions;
    let corner = |k: usize| {
        let slot = usize::from(block.corners[k][lane % BLOCK_WIDTH]) % BLOCK_WIDTH;
        [x[slot], y[slot], z[slot]]
    };
    [corner(0), corner(1), corner(2)]
}
