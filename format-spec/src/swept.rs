//! What the nodes of the four-wide tree of swept spheres hold.
//!
//! A node is some [`KdopRow`]s: a number of each of its four children. References, leaves and the
//! depth are those of the tree of oriented boxes: [`ObbRef`], [`ObbLeaf`](crate::obb::ObbLeaf) and
//! [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).

use crate::kdop::KdopRow;
use crate::obb::{EMPTY_EXTENT, OBB_WIDTH, ObbRef};

/// What spheres are swept along.
///
/// Rows 0 to 2 of a node are the x, y and z of the cores' centres, row 3 the child references as bits, row 4 the radii;
/// then come x, y and z of each half axis: a core is all points `centre + s u + t v` with s and t from -1 to 1, and a
/// swept sphere all points within the radius of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Core {
    /// A point, which makes spheres.
    Point = 0,
    /// A line from -u to u.
    Line = 1,
    /// A rectangle.
    Rectangle = 2,
}

impl Core {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Point, Self::Line, Self::Rectangle];
    /// The row of child references.
    pub const CHILDREN: usize = 3;
    /// The row of radii.
    pub const RADIUS: usize = 4;
    /// The first row of the half axes.
    pub const AXES: usize = 5;

    /// The kind with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|core| *core as u32 == number)
    }

    /// The name on the command line: that of the volumes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Point => "pss",
            Self::Line => "lss",
            Self::Rectangle => "rss",
        }
    }

    /// How many half axes there are.
    #[inline]
    pub const fn axes(self) -> usize {
        self as usize
    }

    /// Rows of a node.
    #[inline]
    pub const fn rows(self) -> usize {
        Self::AXES + 3 * self.axes()
    }

    /// What a row of an empty slot holds.
    pub const fn empty(row: usize) -> f32 {
        match row {
            Self::CHILDREN => f32::from_bits(ObbRef::EMPTY.0),
            Self::RADIUS => EMPTY_EXTENT,
            _ => 0.0,
        }
    }
}
/// The child references of a node that is at least four rows long.
pub fn children(node: &[KdopRow]) -> Option<[u32; OBB_WIDTH]> {
    let [x, y, z, w] = node.get(Core::CHILDREN)?.lanes;
    Some([x.to_bits(), y.to_bits(), z.to_bits(), w.to_bits()])
}
