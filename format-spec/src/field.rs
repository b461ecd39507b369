//! A distance field: values at the points of a lattice, in a tree of three levels.

use crate::plain::plain_record;

/// Leaves along each axis of a brick, and bricks along each axis of a tile.
pub const FIELD_WIDTH: usize = 4;

/// The values of a leaf, two along each axis: x changes first, then y, then z.
pub const LEAF_VALUES: usize = 8;

/// Lattice points along each axis of a brick.
pub const BRICK_POINTS: usize = 2 * FIELD_WIDTH;

/// Lattice points along each axis of a tile.
pub const TILE_POINTS: usize = BRICK_POINTS * FIELD_WIDTH;

/// The most tiles of a field along each axis.
pub const MAX_FIELD_TILES: u32 = 256;

/// A tile of 64 bricks, or a brick of 64 leaves. Bit `x + 4 * y + 16 * z` is of the child at these coordinates.
///
/// The children that are stored follow each other from `first` on, ascending by their bits. All points of the others are
/// beyond the band.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(8))]
pub struct FieldNode {
    /// The children that are stored.
    pub stored: u64,
    /// The others that are inside.
    pub inside: u64,
    /// The index of the first child that is stored.
    pub first: u32,
    /// A bound of the error of samples, in the model's units: of a brick, in its cells that have all corners within the band;
    /// of a tile, between the points of its bricks that are not stored. The cell of a point of the lattice is the cube from it
    /// to the next points.
    pub error: f32,
}

impl FieldNode {
    /// Where a child that is stored stands, for its bit; `None` if it is not stored.
    #[inline(always)]
    pub fn child(&self, bit: u32) -> Option<usize> {
        let below = (1u64 << (bit & 63)) - 1;
        let is_stored = self.stored >> (bit & 63) & 1 != 0;
        is_stored.then_some((self.first as usize).wrapping_add((self.stored & below).count_ones() as usize))
    }

    /// Whether a child that is not stored is inside.
    #[inline(always)]
    pub fn is_inside(&self, bit: u32) -> bool {
        self.inside >> (bit & 63) & 1 != 0
    }
}

plain_record!(FieldNode, 24, 8, [stored, inside, first, error]);
