//! Trees of oriented boxes, four children a node. The code is independent of meshes and bytes.
//!
//! `build` splits the triangles (`pair/partition`) and fits boxes to the parts from the bottom up.
//! [`build_with_budget`] fits them again while there is time (`timed`).

mod build;
#[cfg(test)]
mod tests;
mod timed;
mod tree;

pub use super::partition::{Link, MAX_LEVELS, WIDTH};
pub use build::build;
pub use timed::{TimeBudget, build_with_budget};
pub use tree::{Child, Node, Statistics, Tree};

use super::partition::{Fitting, Position, Rule};
use crate::fit;

/// Called with the number of triangles that have found their leaf since the last call.
pub type OnTriangles<'a> = &'a (dyn Fn(u64) + Sync);

/// What decides a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How the orientations of boxes are found.
    pub fit: fit::Method,
    /// What the fits minimise.
    pub objective: fit::Objective,
    /// How sets of triangles are split.
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

/// How a set of triangles is split in two. Where a rule leaves one half empty, the next longest axis is tried; a set that
/// no axis splits is halved by number.
///
/// The *approximate* box of a set is fitted to a few extreme points, whatever [`Options::fit`] says. The *fitted* box is
/// that of [`Options::fit`] around all of the set, as in the papers on OBB trees: building takes a second fit a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// At the median along the longest axis of the approximate box.
    LongestAxisMedian,
    /// At the mean along the longest axis of the approximate box.
    LongestAxisMean,
    /// At the median along the longest axis of the fitted box.
    FittedAxisMedian,
    /// In the middle of the longest axis of the fitted box.
    FittedAxisMidpoint,
    /// Where the halves are least likely to be met by others like them, among many axes and places.
    #[default]
    Kinematic,
}

impl Split {
    /// Every rule.
    pub const ALL: [Self; 5] = [
        Self::LongestAxisMedian,
        Self::LongestAxisMean,
        Self::FittedAxisMedian,
        Self::FittedAxisMidpoint,
        Self::Kinematic,
    ];

    /// Whether the partition depends on how boxes are fitted.
    pub(crate) const fn depends_on_fit(self) -> bool {
        matches!(self, Self::FittedAxisMedian | Self::FittedAxisMidpoint)
    }

    /// The rule's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LongestAxisMedian => "longest-axis-median",
            Self::LongestAxisMean => "longest-axis-mean",
            Self::FittedAxisMedian => "fitted-axis-median",
            Self::FittedAxisMidpoint => "fitted-axis-midpoint",
            Self::Kinematic => "kinematic",
        }
    }
}

impl Options {
    fn fitting(&self) -> Fitting {
        Fitting { method: self.fit, objective: self.objective, seed: self.seed }
    }

    fn rule(&self) -> Rule {
        match self.split {
            Split::LongestAxisMedian => Rule::ApproximateBox(Position::Median),
            Split::LongestAxisMean => Rule::ApproximateBox(Position::Mean),
            Split::FittedAxisMedian => Rule::FittedBox(self.fitting(), Position::Median),
            Split::FittedAxisMidpoint => Rule::FittedBox(self.fitting(), Position::Midpoint),
            Split::Kinematic => Rule::Kinematic,
        }
    }
}
