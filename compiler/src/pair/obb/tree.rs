//! The tree that the builder returns, and its statistics.

use std::ops::Range;

use crate::fit::{Obb, Objective};

use super::Link;

/// A tree of oriented boxes over triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The nodes, depth first: 0 is the root, and children come after their parents.
    pub nodes: Vec<Node>,
    /// The children of all nodes, those of one node in a row.
    pub children: Vec<Child>,
    /// The numbers of the triangles, in the order in which the leaves hold them; ascending within a leaf.
    pub order: Vec<u32>,
    /// Levels of nodes, at most [`MAX_LEVELS`](super::MAX_LEVELS).
    pub depth: u32,
    /// The box of all triangles.
    pub root: Obb,
}

/// A node: one to four children. A single one only where all triangles fit into a leaf.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The children, in the order of their ranges, as indices in [`Tree::children`].
    pub children: Range<u32>,
}

/// A part of a node's triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Child {
    /// A box that holds the corners of all its triangles exactly (see [`Obb::around`]).
    pub obb: Obb,
    /// Its triangles, as indices in [`Tree::order`].
    pub range: Range<u32>,
    /// What is below.
    pub link: Link,
}

/// Figures of a tree. Sums are over the boxes of all children, without the root's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Boxes, of leaves and of nodes.
    pub boxes: u64,
    /// Boxes of leaves.
    pub leaves: u64,
    /// The sum of the volumes.
    pub volume: f64,
    /// The sum of the collision measures of boxes of nodes: that of the root's is one.
    pub node_cost: f64,
    /// The same of leaves.
    pub leaf_cost: f64,
}

impl Tree {
    /// The children of a node.
    pub fn children(&self, node: &Node) -> &[Child] {
        &self.children[node.children.start as usize..node.children.end as usize]
    }

    /// The children of all nodes, in the order of these.
    pub fn all_children(&self) -> impl Iterator<Item = &Child> {
        self.nodes.iter().flat_map(|node| self.children(node))
    }

    /// The numbers of a child's triangles.
    pub fn triangles(&self, child: &Child) -> &[u32] {
        &self.order[child.range.start as usize..child.range.end as usize]
    }

    /// The number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.children.iter().filter(|child| child.link == Link::Leaf).count()
    }

    /// The tree's figures.
    pub fn statistics(&self) -> Statistics {
        let of_root = Objective::Collision.measure(self.root.extents());
        // Where the root is one point, so are all parts.
        let unit = if of_root > 0.0 { 1.0 / of_root } else { 0.0 };
        let mut sum = Statistics::default();
        for child in self.all_children() {
            let cost = Objective::Collision.measure(child.obb.extents()) * unit;
            sum.boxes += 1;
            sum.volume += child.obb.volume();
            match child.link {
                Link::Node(_) => sum.node_cost += cost,
                Link::Leaf => {
                    sum.leaves += 1;
                    sum.leaf_cost += cost;
                }
            }
        }
        sum
    }
}

impl Statistics {
    /// The mean of the volumes.
    pub fn mean_volume(&self) -> f64 {
        self.volume / self.boxes as f64
    }
}
