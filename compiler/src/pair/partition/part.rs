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

/// The cheapest collapse of a part; needed until that of the part above is known.
pub(crate) type PartPlan = Plan<NodeCost, WIDTH>;

/// All parts of a set of triangles, each after those below it: before a part come those of its right half, and before these
/// those of its left half.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    records: Vec<Record>,
}

/// What is kept of a part.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// Triangles.
    count: u32,
    /// This part and all below.
    parts: u32,
    /// Levels of parts below.
    height: u8,
    divisions: Divisions<WIDTH>,
}

impl Parts {
    /// Adds a leaf of so many triangles.
    pub(crate) fn add_leaf(&mut self, count: usize) -> PartPlan {
        self.records.push(Record { count: count as u32, parts: 1, height: 0, divisions: Divisions::LEAF });
        Plan::leaf(NodeCost { measure: 0.0, nodes: 0 })
    }

    /// Adds the part of the two halves added last, given the measure of its box and the plans of the halves.
    pub(crate) fn add_inner(&mut self, measure: f64, [left, right]: [&PartPlan; 2]) -> PartPlan {
        let own = NodeCost { measure, nodes: 1 };
        let plan = Plan::inner([left, right], |of_children| own + of_children);
        let [left, right] = Part(&self.records).last_two().map(|half| *half.record());
        self.records.push(Record {
            count: left.count + right.count,
            parts: 1 + left.parts + right.parts,
            height: 1 + left.height.max(right.height),
            divisions: *plan.divisions(),
        });
        plan
    }

    /// Adds all parts of another set.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.records.append(&mut other.records);
    }

    /// The part added last.
    pub(crate) fn whole(&self) -> Part<'_> {
        Part(&self.records)
    }
}

/// A set of triangles, and its two halves if it has more of them than a leaf holds: its record is the last one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part<'a>(&'a [Record]);

impl<'a> Part<'a> {
    fn record(self) -> &'a Record {
        self.0.last().expect("a part has a record")
    }

    /// The parts whose records end here, and before the first of that.
    fn last_two(self) -> [Self; 2] {
        let (left, right) = self.0.split_at(self.0.len() - self.record().parts as usize);
        [Self(left), Self(right)]
    }

    /// How many triangles the part has.
    pub(crate) fn count(self) -> usize {
        self.record().count as usize
    }

    /// Whether the part has no halves.
    pub(crate) fn is_leaf(self) -> bool {
        self.record().parts == 1
    }

    /// The halves, from left to right.
    fn halves(self) -> Option<[Self; 2]> {
        let (_, below) = self.0.split_last()?;
        (!self.is_leaf()).then(|| Self(below).last_two())
    }

    /// The children of this part's node on a level, from left to right; the only child of a leaf is itself.
    pub(crate) fn children(self, level: u32) -> Vec<Self> {
        // Where the tallest part is always divided first, the children are two levels of parts lower than the node. That
        // keeps the tree as shallow as it has to be; before there is need of it, the cost decides.
        let height = u32::from(self.record().height);
        if !self.is_leaf() && level + 1 + height.div_ceil(2) >= MAX_LEVELS {
            return self.tallest_first();
        }
        collapse::children(self)
    }

    fn tallest_first(self) -> Vec<Self> {
        let height = |part: Self| part.record().height;
        let mut children = vec![self];
        while children.len() < WIDTH {
            let tallest = (0..children.len())
                .reduce(|a, b| if height(children[b]) > height(children[a]) { b } else { a });
            let Some((at, halves)) = tallest.and_then(|at| Some((at, children[at].halves()?))) else {
                break;
            };
            children.splice(at..=at, halves);
        }
        children
    }
}

impl Subtree<WIDTH> for Part<'_> {
    fn divisions(&self) -> &Divisions<WIDTH> {
        &self.record().divisions
    }

    fn halves(&self) -> [Self; 2] {
        Part::halves(*self).expect("a leaf's plan has one root")
    }
}
