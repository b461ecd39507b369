//! The nodes of the four-wide tree of swept spheres.
//!
//! A node is a sequence of [`LaneRow`]s, each with one number for each of its four children; [`SweptLayout`] says
//! which. References, leaves and the depth limit are those of the tree of oriented boxes: [`PairRef`],
//! [`PairLeaf`](crate::obb::PairLeaf) and [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).

use crate::kdop::LaneRow;
use crate::obb::{EMPTY_EXTENT, PAIR_WIDTH, PairRef};

/// The core of a swept sphere: the shape along which the sphere is swept.
///
/// Rows 0 to 2 of a node are the x, y and z of the cores' centres, row 3 the child references as bits, row 4 the radii,
/// then x, y and z of each half axis. A core is the set of points `centre + s u + t v` with s and t from -1 to 1, and a
/// swept sphere the set of points within the radius of its core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Core {
    /// A point, for spheres.
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

    /// The number of half axes.
    #[inline]
    pub const fn axes(self) -> usize {
        self as usize
    }

    /// Rows of a node.
    #[inline]
    pub const fn rows(self) -> usize {
        Self::AXES + 3 * self.axes()
    }

    /// The kind whose nodes have this number of rows.
    #[inline]
    pub const fn of_rows(rows: usize) -> Option<Self> {
        match rows {
            5 => Some(Self::Point),
            8 => Some(Self::Line),
            11 => Some(Self::Rectangle),
            _ => None,
        }
    }

    /// The contents of a row in an empty slot.
    pub const fn empty(row: usize) -> f32 {
        match row {
            Self::CHILDREN => f32::from_bits(PairRef::EMPTY.0),
            Self::RADIUS => EMPTY_EXTENT,
            _ => 0.0,
        }
    }
}

/// The cores of a tree's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cores {
    /// The same kind for all nodes.
    Same(Core),
    /// A kind for each node, common to its children.
    Hybrid,
}

impl Cores {
    /// All choices.
    pub const ALL: [Self; 4] =
        [Self::Same(Core::Point), Self::Same(Core::Line), Self::Same(Core::Rectangle), Self::Hybrid];

    /// The name on the command line, which is that of the volume.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same(Core::Point) => "pss",
            Self::Same(Core::Line) => "lss",
            Self::Same(Core::Rectangle) => "rss",
            Self::Hybrid => "hybrid",
        }
    }
}

/// The layout of a tree's nodes in its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweptLayout {
    /// The cores of all nodes.
    pub cores: Cores,
    /// The kind of core in node 0.
    pub first: Core,
}

impl SweptLayout {
    /// The number of a hybrid is this plus that of its first core.
    const HYBRID: u32 = 4;
    /// References of hybrids are to nodes that start below this row.
    pub const MAX_ROWS: u32 = 1 << 29;

    /// The layout of this number, if it can have this many rows.
    pub fn of(number: u32, rows: usize) -> Option<Self> {
        match Core::from_number(number) {
            Some(core) => {
                rows.is_multiple_of(core.rows()).then_some(Self { cores: Cores::Same(core), first: core })
            }
            None => Some(Self {
                cores: Cores::Hybrid,
                first: Core::from_number(number.checked_sub(Self::HYBRID)?)?,
            }),
        }
    }

    /// Its number in the file.
    pub const fn number(&self) -> u32 {
        match self.cores {
            Cores::Same(core) => core as u32,
            Cores::Hybrid => Self::HYBRID + self.first as u32,
        }
    }

    /// The reference to node 0.
    #[inline]
    pub const fn root(&self) -> u32 {
        match self.cores {
            Cores::Same(_) => 0,
            Cores::Hybrid => Self::link(0, self.first),
        }
    }

    /// A hybrid's reference to the node with this core that starts at a row below [`MAX_ROWS`](Self::MAX_ROWS).
    #[inline]
    pub const fn link(row: u32, core: Core) -> u32 {
        row << 2 | core as u32
    }

    /// The first row of the node of a reference, and its core; `None` if there is no such core.
    #[inline(always)]
    pub const fn start(&self, reference: u32) -> Option<(usize, Core)> {
        match self.cores {
            Cores::Same(core) => match (reference as usize).checked_mul(core.rows()) {
                Some(row) => Some((row, core)),
                None => None,
            },
            Cores::Hybrid => {
                let core = match reference & 3 {
                    0 => Core::Point,
                    1 => Core::Line,
                    2 => Core::Rectangle,
                    _ => return None,
                };
                Some(((reference >> 2) as usize, core))
            }
        }
    }

    /// The rows of the node of a reference; `None` beyond the end.
    #[inline(always)]
    pub fn node<'a>(&self, rows: &'a [LaneRow], reference: u32) -> Option<&'a [LaneRow]> {
        let (first, core) = self.start(reference)?;
        rows.get(first..)?.get(..core.rows())
    }

    /// An upper bound of the number of nodes in this many rows.
    pub const fn most_nodes(&self, rows: usize) -> usize {
        match self.cores {
            Cores::Same(core) => rows / core.rows(),
            Cores::Hybrid => rows / Core::Point.rows(),
        }
    }
}

/// The child references of a node, which must have at least four rows.
pub fn children(node: &[LaneRow]) -> Option<[u32; PAIR_WIDTH]> {
    let [x, y, z, w] = node.get(Core::CHILDREN)?.lanes;
    Some([x.to_bits(), y.to_bits(), z.to_bits(), w.to_bits()])
}
