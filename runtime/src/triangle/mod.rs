//! The primitive tests: these alone decide answers; boxes only prune.

pub(crate) mod closest;
pub(crate) mod crossing;
pub(crate) mod point;
pub(crate) mod ray;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod touch_box;
pub(crate) mod touch_sphere;

use core::ops::ControlFlow;

use bvhc_format::record::{BLOCK_WIDTH, Block};

/// Takes lanes of a block whose triangles may touch something, and those of them that surely do, as bits; says whether more are
/// asked for.
pub(crate) type FoundLanes<'a> = &'a mut dyn FnMut(u32, u32) -> ControlFlow<()>;

/// The corners of the triangle in a lane of a block.
#[inline(always)]
pub(crate) fn corners(block: &Block, lane: usize) -> [[f32; 3]; 3] {
    let [x, y, z] = &block.positions;
    let [a, b, c] = slots(block, lane);
    [[x[a], y[a], z[a]], [x[b], y[b], z[b]], [x[c], y[c], z[c]]]
}

/// The vertex slots of the triangle in a lane of a block. Lanes and slots are taken modulo 16, so that a corrupt block
/// cannot cause an access outside of it.
#[inline(always)]
pub(crate) fn slots(block: &Block, lane: usize) -> [usize; 3] {
    let slot = |k: usize| usize::from(block.corners[k][lane % BLOCK_WIDTH]) % BLOCK_WIDTH;
    [slot(0), slot(1), slot(2)]
}
