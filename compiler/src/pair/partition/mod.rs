//! The partition of triangles that all trees for pairs of models share.
//!
//! Triangles are split in two again and again (`build`): each set is measured by one box and split by a `Rule`
//! (`analysis`, `kinematic`, `split`). The resulting binary tree of parts is collapsed to nodes of four children
//! (`part`). What bounds the parts is up to the trees: `pair/obb`, `pair/kdop` and `pair/swept`.
//!
//! Every decision depends on a set's triangles and on its position among the leaves and on nothing else, and a set keeps
//! its triangles in the order of their numbers, so that the number of threads cannot change the tree.

mod analysis;
mod bounds;
mod build;
mod extremes;
mod fitting;
mod kinematic;
mod part;
mod samples;
mod small;
mod split;

pub(crate) use build::partition;
pub(crate) use fitting::Fitting;
#[cfg(test)]
pub(crate) use part::PartPlan;
pub(crate) use part::{Part, Parts};
pub(crate) use split::Triangle;

use bvhc_format::kdop::Directions;

/// Levels that a tree has at most, whatever the input.
pub const MAX_LEVELS: u32 = 40;

/// Children that a node has at most.
pub const WIDTH: usize = bvhc_format::obb::PAIR_WIDTH;

/// What is below a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// A node, as an index.
    Node(u32),
    /// Its triangles, at most as many as a leaf holds.
    Leaf,
}

impl Link {
    /// The link where nodes' numbers have grown by this much.
    pub(super) const fn moved(self, by: u32) -> Self {
        match self {
            Self::Node(node) => Self::Node(node + by),
            Self::Leaf => Self::Leaf,
        }
    }
}

/// How sets of triangles are split.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rule {
    /// Where the halves are least likely to be met by others like them.
    Kinematic,
    /// Along the longest axis of the set's approximate box.
    ApproximateBox(Position),
    /// Along the longest axis of the set's fitted box.
    FittedBox(Fitting, Position),
    /// At the midpoint along the direction in which the set is longest. Based on: Fünzig, Fellner, "Easy realignment
    /// of k-DOP bounding volumes", 2003.
    Directions(&'static Directions),
}

/// Where on its axis a set is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// So that both halves have about as many triangles.
    Median,
    /// At the mean of the triangles' centres.
    Mean,
    /// In the middle of the box.
    Midpoint,
}
