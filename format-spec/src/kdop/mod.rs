//! The records of the four-wide tree of k-DOPs, and the directions that these have.
//!
//! References, leaves and the depth are those of the tree of oriented boxes: [`PairRef`],
//! [`PairLeaf`](crate::obb::PairLeaf) and [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).

mod directions;

pub use directions::{Directions, Face, IMAGES, MAX_DIRECTIONS, MAX_SLABS, REGIONS, SLAB_ROOM, ring_cosine};

use crate::obb::{EMPTY_EXTENT, PAIR_WIDTH, PairRef};
use crate::plain::plain_record;

/// Four numbers: of a node without tables, some that one child has; of one with tables, a number of each of its four
/// children.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct LaneRow {
    /// The numbers.
    pub lanes: [f32; PAIR_WIDTH],
}

plain_record!(LaneRow, 16, 16, [lanes]);

/// What a node tells of its children besides how far they reach along the directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Tables {
    /// Nothing.
    #[default]
    None = 0,
    /// Which rings around each direction hold corners beyond the extent, and how far those outside reach.
    Occupancy = 1,
    /// How far corners reach along the shell of each direction's cone.
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

    /// Rows a direction.
    #[inline]
    const fn rows(self) -> usize {
        match self {
            Self::None => 0,
            Self::Occupancy => 2,
            Self::Profile => 1,
        }
    }
}

/// What the rows of a node are.
///
/// Without tables, a list of numbers for each child, one after the other, a multiple of sixteen each: its bound along each
/// direction, from the tree's origin; then the child reference as bits; then zeros.
///
/// With tables, a lane a child: rows 0 to 2 are the centres' x, y and z, row 3 the child references as bits; a row for the
/// extent along each direction, from the centre, follows; then with [`Tables::Profile`] a row for each direction's profile,
/// with [`Tables::Occupancy`] a row for the reach beyond each direction's cone and then one for the bits of its rings;
/// then zeros to a multiple of four rows.
#[derive(Clone, Copy, Debug)]
pub struct KdopLayout {
    /// The directions.
    pub directions: &'static Directions,
    /// What is told besides.
    pub tables: Tables,
}

impl KdopLayout {
    /// With tables, the row of child references.
    const CHILDREN: usize = 3;
    /// With tables, the row of the extents along direction 0.
    const EXTENTS: usize = 4;
    /// Without tables, the most rows of a child.
    pub const MAX_CHILD_ROWS: usize = (MAX_DIRECTIONS + 1).next_multiple_of(LIST) / PAIR_WIDTH;

    /// The layout that a section's root names; `None` where there is no such one.
    pub fn of(k: u32, tables: u32) -> Option<Self> {
        Some(Self { directions: Directions::of(k)?, tables: Tables::from_number(tables)? })
    }

    /// Whether children have centres, from which extents count, and tables.
    #[inline]
    pub const fn has_tables(&self) -> bool {
        !matches!(self.tables, Tables::None)
    }

    /// Without tables, the rows of a child.
    #[inline]
    pub const fn child_rows(&self) -> usize {
        (self.directions.count() + 1).next_multiple_of(LIST) / PAIR_WIDTH
    }

    /// Where the bound or extent of a child along a direction is.
    #[inline]
    pub const fn reach(&self, direction: usize, slot: usize) -> Spot {
        self.spot(Self::EXTENTS, direction, slot)
    }

    /// Where the reference of a child is.
    #[inline]
    pub const fn child(&self, slot: usize) -> Spot {
        if self.has_tables() {
            Spot { row: Self::CHILDREN, lane: slot }
        } else {
            self.spot(0, self.directions.count(), slot)
        }
    }

    /// The references of a node's children, if the layout is its own.
    #[inline]
    pub fn children(&self, node: &[LaneRow]) -> Option<[u32; PAIR_WIDTH]> {
        let child = |slot| self.child(slot).of(node).map(f32::to_bits);
        Some([child(0)?, child(1)?, child(2)?, child(3)?])
    }

    /// With tables, where a child's profile is, or its reach beyond the cone, for a direction.
    #[inline]
    pub const fn shell(&self, direction: usize, slot: usize) -> Spot {
        Spot { row: self.shells() + direction, lane: slot }
    }

    /// With occupancy tables, where the rings of a child's direction are.
    #[inline]
    pub const fn rings(&self, direction: usize, slot: usize) -> Spot {
        Spot { row: self.shells() + self.directions.count() + direction, lane: slot }
    }

    /// With tables, where a child's centre is on an axis.
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

    /// Rows of a node: a multiple of four, so that nodes start at multiples of 64 bytes.
    #[inline]
    pub const fn rows(&self) -> usize {
        if self.has_tables() {
            let k = self.directions.count();
            (Self::EXTENTS + k * (1 + self.tables.rows())).next_multiple_of(4)
        } else {
            self.child_rows() * PAIR_WIDTH
        }
    }

    /// What number of a node is at a spot.
    pub const fn number(&self, spot: Spot) -> (usize, KdopNumber) {
        let k = self.directions.count();
        if !self.has_tables() {
            let (slot, number) =
                (spot.row / self.child_rows(), spot.row % self.child_rows() * PAIR_WIDTH + spot.lane);
            let number = match number {
                direction if direction < k => KdopNumber::Reach(direction),
                direction if direction == k => KdopNumber::Child,
                _ => KdopNumber::Filling,
            };
            return (slot, number);
        }
        let number = match spot.row {
            axis if axis < Self::CHILDREN => KdopNumber::Centre(axis),
            Self::CHILDREN => KdopNumber::Child,
            row if row < self.shells() => KdopNumber::Reach(row - Self::EXTENTS),
            row if row >= Self::EXTENTS + k * (1 + self.tables.rows()) => KdopNumber::Filling,
            row if row < self.shells() + k => KdopNumber::Shell(row - self.shells()),
            row => KdopNumber::Rings(row - self.shells() - k),
        };
        (spot.lane, number)
    }
}

/// The numbers of a list are a multiple of this many.
const LIST: usize = 16;

/// A place among the rows of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The row.
    pub row: usize,
    /// The number of it.
    pub lane: usize,
}

impl Spot {
    /// The number at this place of a node, which has it where the layout is its own.
    #[inline]
    pub fn of(self, node: &[LaneRow]) -> Option<f32> {
        Some(node.get(self.row)?.lanes[self.lane % PAIR_WIDTH])
    }
}

/// A number of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KdopNumber {
    /// The bound or the extent along a direction.
    Reach(usize),
    /// The child reference, as bits.
    Child,
    /// The coordinate of the centre on an axis.
    Centre(usize),
    /// The profile of a direction, or the reach beyond its cone.
    Shell(usize),
    /// The rings of a direction, as bits.
    Rings(usize),
    /// Nothing.
    Filling,
}

impl KdopNumber {
    /// What it is in an empty slot.
    pub const fn empty(self) -> f32 {
        match self {
            Self::Reach(_) | Self::Shell(_) => EMPTY_EXTENT,
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

    /// Every spot has one number of one slot, and that number is there.
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
                    KdopNumber::Reach(direction) => layout.reach(direction, slot),
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
