//! Parts of a set of triangles as a binary tree, and its collapse to nodes of four children: the cheapest one.
//!
//! A node costs the collision measure of its box: how likely another tree's box meets it. Leaves are the same in any
//! collapse. (Against dividing the part of the largest measure until there are four, this saves 12 % of the nodes and
//! 4 % of the steps. Measures weighted by the boxes of like size in another tree save more nodes, but their levels
//! are so uneven that walks of two trees take more steps.)

use crate::tree::collapse::{self, Divisions, Plan, Subtree};

use super::{MAX_LEVELS, WIDTH};

/// The sum of the measures of nodes, then their number, which decides where all triangles are one point.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) struct NodeCost {
    pub(crate) measure: f64,
    pub(crate) nodes: u32,
}

impl std::ops::Add for NodeCost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { measure: self.measure + other.measure, nodes: self.nodes + other.nodes }
    }
}

/// A set of triangles, and its two halves if it has more of them than a leaf holds.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) count: usize,
    pub(crate) halves: Option<Box<[Part; 2]>>,
    /// Levels of parts below.
    height: u32,
    plan: Plan<NodeCost, WIDTH>,
}

impl Part {
    /// A leaf of so many triangles.
    pub(crate) fn leaf(count: usize) -> Self {
        let plan = Plan::leaf(NodeCost { measure: 0.0, nodes: 0 });
        Self { count, halves: None, height: 0, plan }
    }

    /// A part of two halves, given the measure of its box.
    pub(crate) fn inner(measure: f64, halves: [Self; 2]) -> Self {
        let [left, right] = &halves;
        let own = NodeCost { measure, nodes: 1 };
        let plan = Plan::inner([&left.plan, &right.plan], |of_children| own + of_children);
        let (count, height) = (left.count + right.count, 1 + left.height.max(right.height));
        Self { count, halves: Some(Box::new(halves)), height, plan }
    }

    /// What the part costs as one root.
    #[cfg(test)]
    pub(crate) fn cost(&self) -> NodeCost {
        self.plan.cost(1)
    }

    /// The children of this part's node on a level, from left to right; the only child of a leaf is itself.
    pub(crate) fn children(&self, level: u32) -> Vec<&Self> {
        // Where the tallest part is always divided first, the children are two levels of parts lower than the node. That
        // keeps the tree as shallow as it has to be; before there is need of it, the cost decides.
        if self.halves.is_some() && level + 1 + self.height.div_ceil(2) >= MAX_LEVELS {
            return self.tallest_first();
        }
        collapse::children(self)
    }

    fn tallest_first(&self) -> Vec<&Self> {
        let mut children = vec![self];
        while children.len() < WIDTH {
            let tallest = (0..children.len())
                .reduce(|a, b| if children[b].height > children[a].height { b } else { a });
            let Some((at, halves)) = tallest.and_then(|at| Some((at, children[at].halves.as_deref()?)))
            else {
                break;
            };
            children.splice(at..=at, halves);
        }
        children
    }
}

impl Subtree<WIDTH> for &Part {
    fn divisions(&self) -> &Divisions<WIDTH> {
        self.plan.divisions()
    }

    fn halves(&self) -> [Self; 2] {
        self.halves.as_deref().expect("a leaf's plan has one root").each_ref()
    }
}
