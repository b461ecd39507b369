//! Trees of oriented boxes, four children a node. They know triangles' corners, but no meshes and no bytes.
//!
//! [`build`] cuts the triangles in two again and again by cheap boxes (`part`, `analysis`, `cut`), finds the cheapest
//! nodes of four children in that binary tree (`collapse`), and fits their boxes from the bottom up (`grow`).
//! [`build_within`] fits them again while there is time (`timed`).
//!
//! Every decision depends on a set's triangles and on nothing else, and a set keeps its triangles in the order of
//! their numbers, so that threads cannot change the tree.

pub(crate) mod analysis;
mod bounds;
pub(crate) mod collapse;
pub(crate) mod cut;
pub(crate) mod enclose;
mod grow;
mod kinematic;
pub(crate) mod part;
#[cfg(test)]
mod tests;
mod timed;
mod tree;

pub use grow::build;
pub use timed::{TimeBudget, build_within};
pub use tree::{Child, Link, Node, Statistics, Tree};

use crate::fit;

/// Levels that a tree has at most, whatever the input.
pub const MAX_LEVELS: u32 = 40;

/// Children that a node has at most.
pub const WIDTH: usize = 4;

/// Told how many triangles have found their leaf.
pub type OnTriangles<'a> = &'a (dyn Fn(u64) + Sync);

/// What decides a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How the orientations of boxes are found.
    pub fit: fit::Method,
    /// What the fits make small.
    pub objective: fit::Objective,
    /// How sets of triangles are parted.
    pub split: Split,
    /// Triangles that a leaf holds at most: 1 to 4.
    pub leaf_size: u8,
    /// Where the random numbers of the fits start; each fit has a seed of its own, made from this one.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fit: fit::Method::default(),
            objective: fit::Objective::default(),
            split: Split::default(),
            leaf_size: 4,
            seed: 0,
        }
    }
}

/// How a set of triangles is parted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// At the median along the longest axis of its box.
    LongestAxisMedian,
    /// At the mean along the longest axis of its box.
    LongestAxisMean,
    /// Where the parts are least likely to be met by others like them, among many axes and places.
    #[default]
    Kinematic,
}

impl Split {
    /// Every rule.
    pub const ALL: [Self; 3] = [Self::LongestAxisMedian, Self::LongestAxisMean, Self::Kinematic];

    /// The rule's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LongestAxisMedian => "longest-axis-median",
            Self::LongestAxisMean => "longest-axis-mean",
            Self::Kinematic => "kinematic",
        }
    }
}
