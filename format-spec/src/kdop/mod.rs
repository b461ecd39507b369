//! The records of the four-wide tree of k-DOPs, and the directions of k-DOPs.
//!
//! References, leaves and the depth limit are those of the tree of oriented boxes: [`PairRef`],
//! [`PairLeaf`](crate::obb::PairLeaf) and [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).

mod directions;

pub use directions::{Directions, Face, IMAGES, MAX_DIRECTIONS, MAX_SLABS, REGIONS, SLAB_ROOM, ring_cosine};

use crate::obb::{EMPTY_EXTENT, PAIR_WIDTH, PairRef};
use crate::plain::plain_record;

/// Four numbers: without tables, four of one child; with tables, one for each of the node's four children.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct LaneRow {
    /// The numbers.
    pub lanes: [f32; PAIR_WIDTH],
}

plain_record!(LaneRow, 16, 16, [lanes]);

/// What a node stores for its children in addition to extents along the directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Tables {
    /// Nothing.
    #[default]
    None = 0,
    /// Which rings around each direction contain corners beyond the extent, and the extent of those outside the cone.
    Occupancy = 1,
    /// The extent of corners along the shell of each direction's cone.
    Profile = 2,
}

impl Tables {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::None, Self::Occupancy, Self::Profile];

    /// The kind with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|tables| *tables as u32 == number)
    }

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Occupancy => "occupancy",
            Self::Profile => "profile",
        }
    }

    /// Rows per direction.
    #[inline]
    const fn rows(self) -> usize {
        match self {
            Self::None => 0,
            Self::Occupancy => 2,
            Self::Profile => 1,
        }
    }
}

/// The layout of a node's rows.
///
/// Without tables: for each child in turn a list of numbers, padded to a multiple of sixteen: its bound along each
/// direction, from the tree's origin; the child reference as bits; zeros.
///
/// With tables, one lane per child: rows 0 to 2 are the centres' x, y and z, row 3 the child references as bits. Then a
/// row for the extent along each direction, from the centre. Then, with [`Tables::Profile`], a row for each direction's
/// profile; with [`Tables::Occupancy`], for each direction a row for the extent beyond its cone and one for the bits of
/// its rings. Zeros to a multiple of four rows.
#[derive(Clone, Copy, Debug)]
pub struct KdopLayout {
    /// The directions.
    pub directions: &'static Directions,
    /// The tables.
    pub tables: Tables,
}

impl KdopLayout {
    /// With tables, the row of child references.
    const CHILDREN: usize = 3;
    /// With tables, the row of the extents along direction 0.
    const EXTENTS: usize = 4;
    /// Without tables, the most rows of a child.
    pub const MAX_CHILD_ROWS: usize = (MAX_DIRECTIONS + 1).next_multiple_of(LIST) / PAIR_WIDTH;

    /// The layout given by a section's root; `None` if it is invalid.
    pub fn of(k: u32, tables: u32) -> Option<Self> {
        Some(Self { directions: Directions::of(k)?, tables: Tables::from_number(tables)? })
    }

    /// Whether children have tables, and centres that extents are relative to.
    #[inline]
    pub const fn has_tables(&self) -> bool {
        !matches!(self.tables, Tables::None)
    }

    /// Without tables, the number of rows of a child.
    #[inline]
    pub const fn child_rows(&self) -> usize {
        (self.directions.count() + 1).next_multiple_of(LIST) / PAIR_WIDTH
    }

    /// The spot of a child's bound or extent along a direction.
    #[inline]
    pub const fn extent(&self, direction: usize, slot: usize) -> Spot {
        self.spot(Self::EXTENTS, direction, slot)
    }

    /// The spot of a child's reference.
    #[inline]
    pub const fn child(&self, slot: usize) -> Spot {
        if self.has_tables() {
            Spot { row: Self::CHILDREN, lane: slot }
        } else {
            self.spot(0, self.directions.count(), slot)
        }
    }

    /// The references of a node's children, if the node has this layout.
    #[inline]
    pub fn children(&self, node: &[LaneRow]) -> Option<[u32; PAIR_WIDTH]> {
        let child = |slot| self.child(slot).of(node).map(f32::to_bits);
        Some([child(0)?, child(1)?, child(2)?, child(3)?])
    }

    /// With tables, the spot of a child's profile, or of its extent beyond the cone, for a direction.
    #[inline]
    pub const fn shell(&self, direction: usize, slot: usize) -> Spot {
        Spot { row: self.shells() + direction, lane: slot }
    }

    /// With occupancy tables, the spot of a child's rings for a direction.
    #[inline]
    pub const fn rings(&self, direction: usize, slot: usize) -> Spot {
        Spot { row: self.shells() + self.directions.count() + direction, lane: slot }
    }

    /// With tables, the spot of a child's centre on an axis.
    #[inline]
    pub const fn centre(&self, axis: usize, slot: usize) -> Spot {
        Spot { row: axis, lane: slot }
    }

    #[inline]
    const fn shells(&self) -> usize {
        Self::EXTENTS + self.directions.count()
    }

    #[inline]
    const fn spot(&self, first: usize, number: usize, slot: usize) -> Spot {
        if self.has_tables() {
            Spot { row: first + number, lane: slot }
        } else {
            Spot { row: self.child_rows() * slot + number / PAIR_WIDTH, lane: number % PAIR_WIDTH }
        }
    }

    /// The number of rows of a node: a multiple of four, so that nodes start at multiples of 64 bytes.
    #[inline]
    pub const fn rows(&self) -> usize {
        if self.has_tables() {
            let k = self.directions.count();
            (Self::EXTENTS + k * (1 + self.tables.rows())).next_multiple_of(4)
        } else {
            self.child_rows() * PAIR_WIDTH
        }
    }

    /// The slot and the meaning of the number at a spot.
    pub const fn number(&self, spot: Spot) -> (usize, KdopNumber) {
        let k = self.directions.count();
        if !self.has_tables() {
            let (slot, number) =
                (spot.row / self.child_rows(), spot.row % self.child_rows() * PAIR_WIDTH + spot.lane);
            let number = match number {
                direction if direction < k => KdopNumber::Extent(direction),
                direction if direction == k => KdopNumber::Child,
                _ => KdopNumber::Filling,
            };
            return (slot, number);
        }
        let number = match spot.row {
            axis if axis < Self::CHILDREN => KdopNumber::Centre(axis),
            Self::CHILDREN => KdopNumber::Child,
            row if row < self.shells() => KdopNumber::Extent(row - Self::EXTENTS),
            row if row >= Self::EXTENTS + k * (1 + self.tables.rows()) => KdopNumber::Filling,
            row if row < self.shells() + k => KdopNumber::Shell(row - self.shells()),
            row => KdopNumber::Rings(row - self.shells() - k),
        };
        (spot.lane, number)
    }
}

/// The length of a list is a multiple of this.
const LIST: usize = 16;

/// A position in the rows of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The row.
    pub row: usize,
    /// The index in the row.
    pub lane: usize,
}

impl Spot {
    /// The number at this spot, if the node has enough rows.
    #[inline]
    pub fn of(self, node: &[LaneRow]) -> Option<f32> {
        Some(node.get(self.row)?.lanes[self.lane % PAIR_WIDTH])
    }
}

/// The meaning of a slot's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KdopNumber {
    /// The bound or the extent along a direction.
    Extent(usize),
    /// The child reference, as bits.
    Child,
    /// The coordinate of the centre on an axis.
    Centre(usize),
    /// The profile of a direction, or the extent beyond its cone.
    Shell(usize),
    /// The rings of a direction, as bits.
    Rings(usize),
    /// Padding.
    Filling,
}

impl KdopNumber {
    /// Its value in an empty slot.
    pub const fn empty(self) -> f32 {
        match self {
            Self::Extent(_) | Self::Shell(_) => EMPTY_EXTENT,
            Self::Child => f32::from_bits(PairRef::EMPTY.0),
            Self::Centre(_) | Self::Rings(_) | Self::Filling => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_whole_cache_lines() {
        for (k, tables, rows) in [
            (6, Tables::None, 16),
            (14, Tables::None, 16),
            (14, Tables::Profile, 32),
            (14, Tables::Occupancy, 48),
            (26, Tables::None, 32),
            (42, Tables::None, 48),
        ] {
            assert_eq!(KdopLayout::of(k, tables as u32).map(|layout| layout.rows()), Some(rows));
        }
    }

    /// Every spot holds one number of one slot, and the spot of that number is this one.
    #[test]
    fn spots_are_where_numbers_are() {
        let layouts = Directions::COUNTS
            .into_iter()
            .flat_map(|k| (0..3).filter_map(move |tables| KdopLayout::of(k, tables)));
        for layout in layouts {
            let mut found = 0;
            for (row, lane) in (0..layout.rows()).flat_map(|row| (0..PAIR_WIDTH).map(move |lane| (row, lane)))
            {
                let spot = Spot { row, lane };
                let (slot, number) = layout.number(spot);
                found += usize::from(number != KdopNumber::Filling);
                let there = match number {
                    KdopNumber::Extent(direction) => layout.extent(direction, slot),
                    KdopNumber::Child => layout.child(slot),
                    KdopNumber::Centre(axis) => layout.centre(axis, slot),
                    KdopNumber::Shell(direction) => layout.shell(direction, slot),
                    KdopNumber::Rings(direction) => layout.rings(direction, slot),
                    KdopNumber::Filling => spot,
                };
                assert_eq!(there, spot);
            }
            let each = [1, 3, 2][layout.tables as usize] * layout.directions.count();
            let centre = if layout.has_tables() { 3 } else { 0 };
            assert_eq!(found, PAIR_WIDTH * (each + 1 + centre));
        }
    }
}
