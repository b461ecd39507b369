//! Checks one block: lanes, slots, coordinates.

use bvhc_format::MAX_COORDINATE;
use bvhc_format::record::{BLOCK_WIDTH, Block};

use crate::clean::is_flat;

/// What is wrong with a block.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BlockFault {
    /// No triangle, or more than there are lanes.
    #[error("it has {found} triangles; 1 to 16 are allowed (G1)")]
    Triangles {
        /// How many there are.
        found: u8,
    },
    /// Too few vertices for a triangle, or more than there are slots.
    #[error("it has {found} vertices; 3 to 16 are allowed (G1)")]
    Vertices {
        /// How many there are.
        found: u8,
    },
    /// A corner of a triangle does not refer to a used slot.
    #[error("lane {lane}, corner {corner}: slot {found}, but only {vertices} slots are used (G2)")]
    Corner {
        /// The lane.
        lane: usize,
        /// The corner, 0 to 2.
        corner: usize,
        /// The slot it refers to.
        found: u8,
        /// How many slots are used.
        vertices: u8,
    },
    /// A corner of a lane without a triangle does not refer to slot 0.
    #[error("lane {lane}, corner {corner}: slot {found} in an unused lane, instead of 0 (G2)")]
    UnusedLane {
        /// The lane.
        lane: usize,
        /// The corner, 0 to 2.
        corner: usize,
        /// The slot it refers to.
        found: u8,
    },
    /// An unused slot does not repeat slot 0.
    #[error("slot {slot}, axis {axis}: {found:e} in an unused slot, instead of slot 0's {expected:e} (G3)")]
    UnusedSlot {
        /// The slot.
        slot: usize,
        /// The axis, 0 to 2.
        axis: usize,
        /// What it holds.
        found: f32,
        /// What slot 0 holds.
        expected: f32,
    },
    /// A coordinate is NaN, infinite, too large or -0.
    #[error("slot {slot}, axis {axis}: the coordinate {found:?} is not finite, is beyond 2^60 or is -0 (G4)")]
    Coordinate {
        /// The slot.
        slot: usize,
        /// The axis, 0 to 2.
        axis: usize,
        /// The coordinate.
        found: f32,
    },
    /// The block's triangle numbers do not start where those of the previous block end.
    #[error("its numbers begin at {found}; those of the blocks before end at {expected} (G5)")]
    First {
        /// Where they start.
        found: u32,
        /// Where they must start.
        expected: u64,
    },
    /// A triangle's number is not greater than that of the previous lane.
    #[error("lane {lane} holds triangle {found} after triangle {before} (G6)")]
    NotAscending {
        /// The lane.
        lane: usize,
        /// Its triangle.
        found: u32,
        /// The triangle of the previous lane.
        before: u32,
    },
    /// A triangle has no area.
    #[error("lane {lane}: the triangle's corners lie on one line (G8)")]
    Flat {
        /// The lane.
        lane: usize,
    },
    /// A reserved byte is not zero.
    #[error("its reserved bytes are {found:?} instead of zero (G12)")]
    Reserved {
        /// What they are.
        found: [u8; 8],
    },
}

/// G1 to G4, G8 (if vertices are `exact`) and G12: the rules that depend on a block's own bytes only.
pub(super) fn check(block: &Block, exact: bool) -> Result<(), BlockFault> {
    if !(1..=BLOCK_WIDTH).contains(&usize::from(block.triangles)) {
        return Err(BlockFault::Triangles { found: block.triangles });
    }
    if !(3..=BLOCK_WIDTH).contains(&usize::from(block.vertices)) {
        return Err(BlockFault::Vertices { found: block.vertices });
    }
    if block.reserved != [0; 8] {
        return Err(BlockFault::Reserved { found: block.reserved });
    }
    check_corners(block)?;
    check_slots(block)?;
    match (0..usize::from(block.triangles)).find(|lane| exact && is_flat(corners(block, *lane))) {
        Some(lane) => Err(BlockFault::Flat { lane }),
        None => Ok(()),
    }
}

fn check_corners(block: &Block) -> Result<(), BlockFault> {
    let (triangles, vertices) = (usize::from(block.triangles), block.vertices);
    for (corner, slots) in block.corners.iter().enumerate() {
        for (lane, &found) in slots.iter().enumerate() {
            if lane >= triangles && found != 0 {
                return Err(BlockFault::UnusedLane { lane, corner, found });
            }
            if found >= vertices {
                return Err(BlockFault::Corner { lane, corner, found, vertices });
            }
        }
    }
    Ok(())
}

fn check_slots(block: &Block) -> Result<(), BlockFault> {
    for (axis, slots) in block.positions.iter().enumerate() {
        for (slot, &found) in slots.iter().enumerate() {
            let expected = slots[0];
            if slot >= usize::from(block.vertices) && found.to_bits() != expected.to_bits() {
                return Err(BlockFault::UnusedSlot { slot, axis, found, expected });
            }
            let negative_zero = found == 0.0 && found.is_sign_negative();
            if found.is_nan() || found.abs() > MAX_COORDINATE || negative_zero {
                return Err(BlockFault::Coordinate { slot, axis, found });
            }
        }
    }
    Ok(())
}

/// The corners of the triangle in a lane. Panics if G2 is broken.
pub(super) fn corners(block: &Block, lane: usize) -> [[f32; 3]; 3] {
    block.corners.map(|slots| block.positions.map(|axis| axis[usize::from(slots[lane])]))
}
