//! One leaf of the tree of oriented boxes: the blocks' triangles again, in coordinates of its own.

use bvhc_format::obb::{PAIR_WIDTH, PairLeaf};
use bvhc_format::record::BLOCK_WIDTH;
use rkyv::rend::u32_le;

use super::outside;
use crate::verify::block::corners;
use crate::verify::blocks::BlockTable;

/// What is wrong with a leaf of the tree of oriented boxes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObbLeafFault {
    /// The origin is no point of the space of models.
    #[error("its origin on axis {axis} is {found}, which is not finite or is beyond 2^60 (B11)")]
    Origin {
        /// The axis, 0 to 2.
        axis: usize,
        /// What it is.
        found: f32,
    },
    /// A corner is not the block's, relative to the origin.
    #[error("lane {lane}, corner {corner}, axis {axis}: {found:e} instead of {expected:e} (B11)")]
    Corner {
        /// The lane.
        lane: usize,
        /// The corner, 0 to 2.
        corner: usize,
        /// The axis, 0 to 2.
        axis: usize,
        /// What it is.
        found: f32,
        /// What it must be.
        expected: f32,
    },
    /// The radius is not the largest magnitude.
    #[error("its radius is {found:e} instead of {expected:e} (B12)")]
    Radius {
        /// What it is.
        found: f32,
        /// The largest magnitude.
        expected: f32,
    },
    /// A place is not that of the triangle.
    #[error("lane {lane}: at its place {found:#x} no block holds triangle {triangle} (B13)")]
    Place {
        /// The lane.
        lane: usize,
        /// The place.
        found: u32,
        /// The triangle.
        triangle: u32,
    },
    /// A place is not that of a triangle.
    #[error("lane {lane}: at its place {found:#x} no block holds a triangle (B13)")]
    NoTriangle {
        /// The lane.
        lane: usize,
        /// The place.
        found: u32,
    },
    /// An unused lane does not repeat lane 0.
    #[error("lane {lane} is unused, but does not repeat lane 0 (B14)")]
    Unused {
        /// The lane.
        lane: usize,
    },
}

/// Where leaves have their triangles from.
pub(in crate::verify) struct Source<'a> {
    pub(in crate::verify) table: &'a BlockTable<'a>,
    /// The triangle numbers of all blocks.
    pub(in crate::verify) numbers: &'a [u32_le],
}

/// B11 to B14
pub(super) fn check(leaf: &PairLeaf, used: usize, source: &Source<'_>) -> Result<(), ObbLeafFault> {
    if let Some(axis) = outside(&leaf.origin) {
        return Err(ObbLeafFault::Origin { axis, found: leaf.origin[axis] });
    }
    if let Some(lane) = (used..PAIR_WIDTH).find(|lane| bits(leaf, *lane) != bits(leaf, 0)) {
        return Err(ObbLeafFault::Unused { lane });
    }
    for lane in 0..used {
        let (found, triangle) = (leaf.places[lane], leaf.triangles[lane]);
        if source.triangle_at(found) != Some(triangle) {
            return Err(ObbLeafFault::Place { lane, found, triangle });
        }
        check_corners(leaf, lane, source.table)?;
    }
    let largest =
        leaf.corners.as_flattened().as_flattened().iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    let (found, expected) = (leaf.radius, largest);
    if found.to_bits() == expected.to_bits() { Ok(()) } else { Err(ObbLeafFault::Radius { found, expected }) }
}

impl Source<'_> {
    /// The number of the triangle at a place, if it is that of a used lane of a block.
    pub(super) fn triangle_at(&self, place: u32) -> Option<u32> {
        let block = &self.table.blocks[self.table.index_of(place / BLOCK_WIDTH as u32)?];
        let lane = place as usize % BLOCK_WIDTH;
        let index = block.first as usize + lane;
        (lane < usize::from(block.triangles)).then(|| self.numbers[index].to_native())
    }
}

/// All that a lane holds.
fn bits(leaf: &PairLeaf, lane: usize) -> [u32; 11] {
    let mut corners = leaf.corners.as_flattened().iter().map(|axis| axis[lane].to_bits());
    std::array::from_fn(|index| match index {
        0 => leaf.triangles[lane],
        1 => leaf.places[lane],
        _ => corners.next().unwrap_or(0),
    })
}

/// The corners of the triangle in a lane, as a block has them. Panics where B13 is broken.
pub(in crate::verify) fn exact_corners(
    leaf: &PairLeaf,
    lane: usize,
    table: &BlockTable<'_>,
) -> [[f32; 3]; 3] {
    let block = &table.blocks[table.number_of(leaf.places[lane] / BLOCK_WIDTH as u32)];
    corners(block, leaf.places[lane] as usize % BLOCK_WIDTH)
}

/// B11, on a place within the rules.
fn check_corners(leaf: &PairLeaf, lane: usize, table: &BlockTable<'_>) -> Result<(), ObbLeafFault> {
    for (corner, position) in exact_corners(leaf, lane, table).into_iter().enumerate() {
        for (axis, along) in position.into_iter().enumerate() {
            // Where f64 cannot hold the difference, one of the two is more than 2^29 times the other, and the
            // difference too far from the middle of two f32 for a second rounding to matter.
            let expected = (f64::from(along) - f64::from(leaf.origin[axis])) as f32;
            let found = leaf.corners[corner][axis][lane];
            if found.to_bits() != expected.to_bits() {
                return Err(ObbLeafFault::Corner { lane, corner, axis, found, expected });
            }
        }
    }
    Ok(())
}
