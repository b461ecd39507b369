//! The errors of trees of k-DOPs.

use std::fmt;

use bvhc_format::kdop::Spot;
use bvhc_format::section::SectionKind;

use crate::verify::error::Fault;
use crate::verify::obb::ObbFault;

/// What is wrong with the tree of k-DOPs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KdopFault {
    /// The tree or its leaves break a rule of section obb-tree.
    #[error(transparent)]
    Tree(#[from] ObbFault),
    /// An empty slot does not hold the empty k-DOP, which collides with nothing.
    #[error("node {node}, slot {slot} is empty, but row {} of the node, number {}, is {found:#x} instead of {expected:#x} (K3)", spot.row, spot.lane)]
    Empty {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The row and lane in the node.
        spot: Spot,
        /// The bits it has.
        found: u32,
        /// The bits it must have.
        expected: u32,
    },
    /// A number is infinite or NaN, or is negative and neither a bound nor a coordinate.
    #[error("node {node}, slot {slot}: its {number} is {found}, which none is ({})", number.rule())]
    Number {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// Which number.
        number: KdopNumber,
        /// What it is.
        found: f32,
    },
    /// A corner extends farther than a number allows.
    #[error(
        "node {node}, slot {slot}: triangle {triangle} reaches {found:e}, but its {number} is {limit:e} ({})",
        number.rule()
    )]
    Outside {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The triangle.
        triangle: u32,
        /// Which number.
        number: KdopNumber,
        /// How far the corner extends.
        found: f64,
        /// What the number is.
        limit: f32,
    },
    /// The ring mask of a direction does not account for a corner, or its bit 0 is set.
    #[error(
        "node {node}, slot {slot}: the rings of direction {direction} are {found:#x}, without ring {ring} or beyond (K7)"
    )]
    Ring {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The direction.
        direction: usize,
        /// The ring mask.
        found: u32,
        /// The ring that contains the corner; 0 if the fault is that bit 0 is set.
        ring: usize,
    },
    /// The origin is not finite, or outside the range of coordinates.
    #[error("its origin on axis {axis} is {found}, which is not finite or is beyond 2^60 (K5)")]
    Origin {
        /// The axis, 0 to 2.
        axis: usize,
        /// What it is.
        found: f32,
    },
    /// The tree's radius is not finite, or less than the extent of a k-DOP.
    #[error("its radius is {found:e}; k-DOPs reach {expected:e} from its origin (K5)")]
    Radius {
        /// What it is.
        found: f32,
        /// The largest extent of a k-DOP, measured from the origin.
        expected: f64,
    },
    /// A reserved or padding word is not zero.
    #[error("word {word} is {found:#x} instead of zero (K8)")]
    Reserved {
        /// The index of the word in the rows; one past the end for the root's field.
        word: usize,
        /// What it is.
        found: u32,
    },
}

impl Fault for KdopFault {
    const SECTION: SectionKind = SectionKind::KdopTree;
}

/// A number of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KdopNumber {
    /// The coordinate of the centre on an axis.
    Centre(usize),
    /// The bound, or with tables the extent, along a direction.
    Extent(usize),
    /// The profile of a direction.
    Profile(usize),
    /// The extent beyond the cone of a direction.
    Shell(usize),
}

impl KdopNumber {
    fn rule(self) -> &'static str {
        match self {
            Self::Centre(_) | Self::Extent(_) => "K4",
            Self::Profile(_) => "K6",
            Self::Shell(_) => "K7",
        }
    }
}

impl fmt::Display for KdopNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centre(axis) => write!(f, "centre on axis {axis}"),
            Self::Extent(direction) => write!(f, "extent along direction {direction}"),
            Self::Profile(direction) => write!(f, "profile of direction {direction}"),
            Self::Shell(direction) => write!(f, "extent beyond the cone of direction {direction}"),
        }
    }
}
