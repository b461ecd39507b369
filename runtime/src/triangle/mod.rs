//! The primitive tests: they alone decide answers; boxes only prune.

pub(crate) mod point;
pub(crate) mod ray;
pub(crate) mod touch_box;
pub(crate) mod touch_sphere;

use bvhc_format::record::{BLOCK_WIDTH, Block};

/// The corners of the triangle in a lane of a block. Lanes and slots count modulo 16, so that a
/// corrupt block cannot lead outside of it.
pub(crate) fn corners(block: &Block, lane: usize) -> [[f32; 3]; 3] {
    block.corners.map(|slots| {
        let slot = usize::from(slots[lane % BLOCK_WIDTH]) % BLOCK_WIDTH;
        block.positions.map(|axis| axis[slot])
    })
}
