//! Takes subtrees out of a binary tree and puts them back where they make it cheaper.
//!
//! Based on: Bittner, Hapala, Havran, "Fast insertion-based optimization of bounding volume hierarchies", 2013, and
//! Meister, Bittner, "Parallel reinsertion for bounding volume hierarchy optimization", 2018 (the search from a
//! node's own position outward). Departures: positions are searched by all threads, moves are made by one, in the order of
//! what they save; those that involve nodes changed earlier in the round wait for the next round; and a search ends after so
//! many positions.
//!
//! Not used for every tree: the heuristic counts nodes down to single primitives, where files have blocks of up to 16.
//! After three rounds rays in a hall of 400 columns and 800 beams visited a third fewer nodes and blocks than after the
//! sweep alone, in one of ten times as many a third more. So only the optimiser uses it, which measures rays.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::aabb::Aabb;
use super::binary::BinaryTree;
use super::links::{Below, Links, NONE};

/// How many rounds there are, and which share of the nodes, the largest, may move in each.
#[derive(Clone, Copy, Debug)]
pub struct WorkBudget {
    /// At most this many rounds; none is made after one that saves nothing.
    pub rounds: u32,
    /// From 0 to 1.
    pub share: f64,
}

impl WorkBudget {
    /// Until little is left to save.
    pub const MUCH: Self = Self { rounds: 10, share: 1.0 };
}

/// The least that a round must save for another to follow, relative to the cost.
const LEAST_GAIN: f64 = 3e-3;

/// The most positions that a search looks at. Where large primitives overlap almost all others, no bound cuts a search
/// short, and all searches together would take time quadratic in the number of nodes.
const MOST_POSITIONS: u32 = 300;

/// A tree over the same leaves that is no costlier, by the surface-area heuristic.
pub fn reinsert(tree: BinaryTree, budget: WorkBudget) -> BinaryTree {
    let mut best = Links::of(&tree);
    let mut cost = best.cost();
    for _ in 0..budget.rounds {
        let mut links = best.clone();
        round(&mut links, budget.share);
        let now = links.cost();
        let gain = 1.0 - now / cost;
        if gain > 0.0 {
            (best, cost) = (links, now);
        }
        if gain.is_nan() || gain < LEAST_GAIN {
            break;
        }
    }
    best.finish().unwrap_or(tree)
}

/// Moves some of the largest nodes.
pub fn round(links: &mut Links, share: f64) {
    let candidates = largest(links, share);
    let mut moves: Vec<Move> =
        candidates.into_par_iter().filter_map(|node| Search::new(links, node).run()).collect();
    moves.par_sort_unstable_by(|a, b| b.gain.total_cmp(&a.gain).then(a.node.cmp(&b.node)));
    let mut touched = vec![false; links.0.len()];
    for found in moves {
        let neighbours = found.neighbours(links);
        // An earlier move may have put the target below the node.
        if neighbours.iter().any(|node| touched[*node as usize]) || links.is_above(found.node, found.target) {
            continue;
        }
        for node in neighbours {
            touched[node as usize] = true;
        }
        found.make(links);
    }
}

/// The nodes of largest area that can move: all but the root and its children.
fn largest(links: &Links, share: f64) -> Vec<u32> {
    let can_move = |node: &u32| {
        let parent = links.0[*node as usize].parent;
        parent != NONE && links.0[parent as usize].parent != NONE
    };
    let area = |node: u32| links.0[node as usize].bounds.half_area();
    let mut nodes: Vec<(f64, u32)> =
        (0..links.0.len() as u32).filter(can_move).map(|node| (area(node), node)).collect();
    nodes.par_sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    nodes.truncate((nodes.len() as f64 * share).ceil() as usize);
    nodes.into_iter().map(|(_, node)| node).collect()
}

/// A better position for a node: beside `target`.
struct Move {
    gain: f64,
    node: u32,
    target: u32,
}

impl Move {
    /// The nodes whose neighbours change.
    fn neighbours(&self, links: &Links) -> [u32; 6] {
        let parent = links.0[self.node as usize].parent;
        let target_parent = links.0[self.target as usize].parent;
        let above = links.0[parent as usize].parent;
        [self.node, self.target, parent, target_parent, above, links.sibling(self.node)]
    }

    /// The sibling takes the parent's place, the parent that of the target.
    fn make(&self, links: &mut Links) {
        let parent = links.0[self.node as usize].parent;
        let above = links.0[parent as usize].parent;
        let sibling = links.sibling(self.node);
        links.replace(parent, sibling);
        links.replace(self.target, parent);
        links.0[parent as usize].below = Below::Nodes([self.target, self.node]);
        links.0[self.target as usize].parent = parent;
        links.refit(above);
        // Emptied, so that its old box cannot stop the refit.
        links.0[parent as usize].bounds = Aabb::EMPTY;
        links.refit(parent);
    }
}

/// The search for the best position of a node.
struct Search<'a> {
    links: &'a Links,
    area: f64,
    best: Move,
    /// Subtrees to try, and the area saved so far on the path to each.
    pending: Vec<(f64, u32)>,
    /// How many more positions may be tried.
    left: u32,
}

impl<'a> Search<'a> {
    fn new(links: &'a Links, node: u32) -> Self {
        let area = links.0[node as usize].bounds.half_area();
        let best = Move { gain: 0.0, node, target: NONE };
        Self { links, area, best, pending: Vec::new(), left: MOST_POSITIONS }
    }

    fn run(mut self) -> Option<Move> {
        self.look();
        // It is beside its sibling already.
        let sibling = self.links.sibling(self.best.node);
        (self.best.target != NONE && self.best.target != sibling).then_some(self.best)
    }

    /// Looks for the best position from the node's own outward, until no other can be better or the most have been tried.
    fn look(&mut self) {
        let node = self.best.node;
        let parent = self.links.0[node as usize].parent;
        // The box of the current ancestor without the node, and the area saved so far by removing it.
        let mut without = self.links.0[self.links.sibling(node) as usize].bounds;
        let mut gain = self.area_of(parent);
        let mut pivot = node;
        loop {
            self.below(self.links.sibling(pivot), gain);
            let above = self.links.0[pivot as usize].parent;
            if above != parent {
                without = without.union(self.links.0[self.links.sibling(pivot) as usize].bounds);
                gain += self.area_of(above) - without.half_area();
            }
            if self.links.0[above as usize].parent == NONE || self.left == 0 {
                break;
            }
            pivot = above;
        }
    }

    fn area_of(&self, node: u32) -> f64 {
        self.links.0[node as usize].bounds.half_area()
    }

    /// Tries all positions in a subtree that can still be better than the best so far.
    fn below(&mut self, root: u32, gain: f64) {
        let bounds = self.links.0[self.best.node as usize].bounds;
        self.pending.push((gain, root));
        while let Some((gain, target)) = self.pending.pop() {
            if gain - self.area <= self.best.gain {
                continue;
            }
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let there = &self.links.0[target as usize];
            let merged = gain - there.bounds.union(bounds).half_area();
            // Beside its own parent, the node would stay where it is.
            if merged > self.best.gain && target != self.links.0[self.best.node as usize].parent {
                (self.best.gain, self.best.target) = (merged, target);
            }
            if let Below::Nodes(children) = there.below {
                let gain = merged + there.bounds.half_area();
                if gain - self.area > self.best.gain {
                    self.pending.extend(children.map(|child| (gain, child)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
