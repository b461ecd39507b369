//! Trees for k-DOPs, four children a node. The code is independent of meshes and bytes.
//!
//! The triangles are split, and nodes made of the parts, as for trees of oriented boxes (`pair/partition`), or split as
//! in the paper. [`Kdop`] is the volume around each part.
//!
//! Based on: Fünzig, Fellner, "Easy realignment of k-DOP bounding volumes", 2003. Departures: four children, how sets
//! are split by default, and corrected tables (FORMAT.md, K6 and K7).

mod around;

use bvhc_format::kdop::{Directions, Tables};
use std::ops::Range;

pub use around::Kdop;

use super::partition::{Link, Part, Position, Rule, Triangle, WIDTH, partition};

/// What decides a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many directions k-DOPs have: one of [`Directions::COUNTS`](bvhc_format::kdop::Directions::COUNTS).
    pub k: u32,
    /// What nodes hold besides extents.
    pub tables: Tables,
    /// How sets of triangles are split.
    pub split: Split,
}

/// How a set of triangles is split in two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Split {
    /// At the midpoint along the longest of the k-DOP's directions: the paper's.
    LongestDirectionMidpoint,
    /// At the median along the longest axis of an approximate oriented box.
    LongestAxisMedian,
    /// At the mean along the longest axis of an approximate oriented box.
    LongestAxisMean,
    /// Where the halves are least likely to be met by others like them, as for trees of oriented boxes.
    #[default]
    Kinematic,
}

impl Split {
    /// Every rule.
    pub const ALL: [Self; 4] =
        [Self::LongestDirectionMidpoint, Self::LongestAxisMedian, Self::LongestAxisMean, Self::Kinematic];

    /// The rule's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LongestDirectionMidpoint => "longest-direction-midpoint",
            Self::LongestAxisMedian => "longest-axis-median",
            Self::LongestAxisMean => "longest-axis-mean",
            Self::Kinematic => "kinematic",
        }
    }

    fn rule(self, directions: &'static Directions) -> Rule {
        match self {
            Self::LongestDirectionMidpoint => Rule::Directions(directions),
            Self::LongestAxisMedian => Rule::ApproximateBox(Position::Median),
            Self::LongestAxisMean => Rule::ApproximateBox(Position::Mean),
            Self::Kinematic => Rule::Kinematic,
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { k: 14, tables: Tables::None, split: Split::default() }
    }
}

/// Triangles that a leaf holds at most.
const LEAF_SIZE: usize = 4;

/// Triangles in nodes and leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The children of each node, depth first: node 0 is the root, and children come after their parents.
    pub nodes: Vec<Vec<Child>>,
    /// The numbers of the triangles, in the order in which the leaves hold them.
    pub order: Vec<u32>,
    /// Levels of nodes, at most [`MAX_LEVELS`](super::partition::MAX_LEVELS).
    pub depth: u32,
}

/// A part of a node's triangles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its triangles, as indices in [`Tree::order`].
    pub range: Range<u32>,
    /// What is below.
    pub link: Link,
}

/// Builds a tree over at least one triangle, all coordinates finite. Runs in the current rayon pool.
///
/// The tree depends on the triangles, the directions and the rule, but on neither the number of threads nor the machine.
pub fn build(triangles: &[[[f32; 3]; 3]], directions: &'static Directions, split: Split) -> Tree {
    let mut triangles = Triangle::number(triangles);
    let parts = partition(&mut triangles, split.rule(directions), LEAF_SIZE);
    let order = triangles.iter().map(|triangle| triangle.number).collect();
    let mut tree = Tree { nodes: Vec::new(), order, depth: 0 };
    tree.add(parts.whole(), 0, 0);
    tree
}

impl Tree {
    /// The numbers of a child's triangles.
    pub fn triangles(&self, child: &Child) -> &[u32] {
        &self.order[child.range.start as usize..child.range.end as usize]
    }

    /// The number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.nodes.iter().flatten().filter(|child| child.link == Link::Leaf).count()
    }

    /// Adds the node of a part whose triangles begin at `first`, and all below.
    fn add(&mut self, part: Part<'_>, first: usize, level: u32) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Vec::with_capacity(WIDTH));
        self.depth = self.depth.max(level + 1);
        let mut next = first;
        for child in part.children(level) {
            let range = next as u32..(next + child.count()) as u32;
            let link = match child.is_leaf() {
                true => Link::Leaf,
                false => Link::Node(self.add(child, next, level + 1)),
            };
            self.nodes[index].push(Child { range, link });
            next += child.count();
        }
        index as u32
    }
}
