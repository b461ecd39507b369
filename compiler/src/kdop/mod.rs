//! Trees for k-DOPs, four children a node. They know triangles' corners, but no meshes and no bytes.
//!
//! The triangles are cut, and nodes made of the parts, as for trees of oriented boxes ([`obb`]), or cut as in the paper. [`Kdop`] is what is put around each.
//!
//! Based on: Fünzig, Fellner, "Easy realignment of k-DOP bounding volumes", 2003. Departures: four children, their
//! cuts, and tables that are right (FORMAT.md, K6 and K7).

mod around;

use bvhc_format::kdop::{Directions, Tables};
use std::ops::Range;

pub use around::Kdop;

use crate::obb::analysis::Rule;
use crate::obb::collapse;
use crate::obb::cut::Triangle;
use crate::obb::part::{self, Part};
use crate::obb::{self, Link};

/// What decides a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many directions k-DOPs have: one of [`Directions::COUNTS`](bvhc_format::kdop::Directions::COUNTS).
    pub k: u32,
    /// What nodes tell besides extents.
    pub tables: Tables,
    /// How sets of triangles are parted.
    pub split: Split,
}

/// How a set of triangles is parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// By cheap oriented boxes, as for trees of such.
    Box(obb::Split),
    /// At the midpoint along the longest of the k-DOP's directions: the paper's.
    LongestDirectionMidpoint,
}

impl Split {
    /// Every rule.
    pub const ALL: [Self; 4] = [
        Self::LongestDirectionMidpoint,
        Self::Box(obb::Split::LongestAxisMedian),
        Self::Box(obb::Split::LongestAxisMean),
        Self::Box(obb::Split::Kinematic),
    ];

    /// The rule's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Box(split) => split.name(),
            Self::LongestDirectionMidpoint => "longest-direction-midpoint",
        }
    }
}

impl Default for Split {
    fn default() -> Self {
        Self::Box(obb::Split::default())
    }
}

impl Default for Options {
    fn default() -> Self {
        Self { k: 14, tables: Tables::None, split: Split::default() }
    }
}

/// Triangles that a leaf holds at most.
const LEAF_SIZE: usize = 4;

/// Triangles parted into nodes and leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The children of each node, depth first: node 0 is the root, and children come after their parents.
    pub nodes: Vec<Vec<Child>>,
    /// The numbers of the triangles, in the order in which the leaves hold them.
    pub order: Vec<u32>,
    /// Levels of nodes, at most [`MAX_LEVELS`](obb::MAX_LEVELS).
    pub depth: u32,
}

/// A part of a node's triangles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// Its triangles, as places in [`Tree::order`].
    pub range: Range<u32>,
    /// What is below.
    pub link: Link,
}

/// Builds a tree over at least one triangle, all coordinates finite. Runs in the current rayon pool.
///
/// The tree depends on the triangles, the directions and the rule, but on neither the number of threads nor the machine.
pub fn build(triangles: &[[[f32; 3]; 3]], directions: &'static Directions, split: Split) -> Tree {
    let mut triangles: Vec<_> =
        (0..).zip(triangles).map(|(number, corners)| Triangle { corners: *corners, number }).collect();
    let rule = match split {
        Split::Box(split) => Rule::Box(split),
        Split::LongestDirectionMidpoint => Rule::Direction(directions),
    };
    let whole = part::part(&mut triangles, rule, LEAF_SIZE);
    let order = triangles.iter().map(|triangle| triangle.number).collect();
    let mut tree = Tree { nodes: Vec::new(), order, depth: 0 };
    tree.add(&whole, 0, 0);
    tree
}

impl Tree {
    /// Adds the node of a part whose triangles begin at `first`, and all below.
    fn add(&mut self, part: &Part, first: usize, level: u32) -> u32 {
        let index = self.nodes.len();
        self.nodes.push(Vec::with_capacity(obb::WIDTH));
        self.depth = self.depth.max(level + 1);
        let mut next = first;
        for child in collapse::children(part, level) {
            let range = next as u32..(next + child.count) as u32;
            let link = match child.halves {
                Some(_) => Link::Node(self.add(child, next, level + 1)),
                None => Link::Leaf,
            };
            self.nodes[index].push(Child { range, link });
            next += child.count;
        }
        index as u32
    }
}
