//! The collapse of the binary tree of parts to nodes of four children: the one that costs least.
//!
//! A node costs what the walks that visit it cost: the collision measure of its box. Leaves are the same in any
//! collapse. (Against cutting the part of the largest measure until there are four, this saves 12 % of the nodes and
//! 4 % of the steps. Measures weighted by the boxes of like size in another tree save more nodes, but their levels
//! are so uneven that walks of two trees take more steps.)
//!
//! Based on: Ylitie, Karras, Laine, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", 2017
//! (dynamic programming). Departures: the cost, and that leaves are not formed here.

use super::part::Part;
use super::{MAX_LEVELS, WIDTH};

/// The sum of the measures of nodes, then their number: where all triangles are one point, only that counts.
type Cost = (f64, u32);

/// The least cost of a part as at most one child, two, and so on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs([Cost; WIDTH - 1]);

impl Costs {
    /// Of a leaf.
    pub(super) const LEAF: Self = Self([(0.0, 0); WIDTH - 1]);

    /// Of a part, given the measure of its box, with its halves.
    pub(super) fn of(measure: f64, halves: &[Part; 2]) -> Self {
        let below = best_shares(halves, WIDTH).0;
        let mut costs = [(measure + below.0, 1 + below.1); WIDTH - 1];
        for slots in 2..WIDTH {
            costs[slots - 1] = least(costs[0], best_shares(halves, slots).0);
        }
        Self(costs)
    }

    /// The cost as at most so many children.
    pub(super) fn with(&self, slots: usize) -> Cost {
        self.0[slots - 1]
    }
}

/// The first of equals.
fn least(a: Cost, b: Cost) -> Cost {
    if b < a { b } else { a }
}

/// The least cost of two halves as at most so many children, and how many the left one gets.
fn best_shares([left, right]: &[Part; 2], slots: usize) -> (Cost, usize) {
    let cost = |share| {
        let (a, b) = (left.costs.with(share), right.costs.with(slots - share));
        (a.0 + b.0, a.1 + b.1)
    };
    (2..slots)
        .fold((cost(1), 1), |best, share| if cost(share) < best.0 { (cost(share), share) } else { best })
}

/// The children of a node on this level, from left to right; the only one of a leaf is itself.
pub(crate) fn children(part: &Part, level: u32) -> Vec<&Part> {
    let mut children = Vec::with_capacity(WIDTH);
    match &part.halves {
        None => children.push(part),
        // Where the tallest part is always cut first, the children are two levels of parts lower than the node. That
        // keeps the tree as shallow as it has to be; before there is need of it, the cost decides.
        Some(_) if level + 1 + part.height.div_ceil(2) >= MAX_LEVELS => tallest_first(part, &mut children),
        Some(halves) => share(halves, WIDTH, &mut children),
    }
    children
}

fn share<'a>(halves: &'a [Part; 2], slots: usize, children: &mut Vec<&'a Part>) {
    let (_, of_left) = best_shares(halves, slots);
    for (half, slots) in halves.iter().zip([of_left, slots - of_left]) {
        match &half.halves {
            Some(halves) if slots > 1 && best_shares(halves, slots).0 < half.costs.with(1) => {
                share(halves, slots, children);
            }
            _ => children.push(half),
        }
    }
}

fn tallest_first<'a>(part: &'a Part, children: &mut Vec<&'a Part>) {
    children.push(part);
    while children.len() < WIDTH {
        let tallest =
            (0..children.len()).reduce(|a, b| if children[b].height > children[a].height { b } else { a });
        let Some((at, halves)) = tallest.and_then(|at| Some((at, children[at].halves.as_deref()?))) else {
            break;
        };
        children.splice(at..=at, halves);
    }
}
