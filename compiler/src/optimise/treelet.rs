//! Rearranges treelets, each a node and some nodes below it, so that rays visit fewer nodes.
//!
//! Based on: Karras, Aila, "Fast parallel construction of high-quality bounding volume hierarchies", 2013 (treelets
//! of seven leaves, the best arrangement by dynamic programming over their subsets). Departures: the cost of a box is the
//! number of a set of rays that visit it, plus a share of its area; treelets are rearranged from the root downward and do
//! not overlap, so that each is measured with the rays that visit it.

use super::PRIOR;
use super::visits::Segment;
use crate::tree::aabb::Aabb;
use crate::tree::binary::BinaryTree;
use crate::tree::partial::PartialTree;

/// How many leaves a treelet has at most: subtrees that it does not change.
const MAX_LEAVES: usize = 7;

/// Subtrees of up to this many primitives may become one block, whose inner nodes do not matter.
const SMALLEST: u32 = 16;

/// Subtrees of at least this many primitives are left to another thread if one is free.
const PARALLEL_SIZE: u32 = 4096;

/// How many rays are measured at a treelet: every second, third, … where more visit it.
const MAX_RAYS: usize = 512;

/// How much cheaper a new arrangement must be, relative to the old one.
const LEAST_GAIN: f64 = 1e-3;

/// The tree with its treelets rearranged. The first has `leaves` leaves, from 2 to 7, the others seven:
/// so different numbers make different treelets.
pub(super) fn rearrange(tree: &BinaryTree, segments: &[Segment], leaves: usize) -> BinaryTree {
    let rays: Vec<&Segment> =
        segments.iter().filter(|segment| segment.meets(&tree.nodes[0].bounds)).collect();
    Treelets { tree }.subtree(0, rays, leaves).finish()
}

struct Treelets<'a> {
    tree: &'a BinaryTree,
}

impl<'a> Treelets<'a> {
    fn subtree(&self, root: usize, rays: Vec<&'a Segment>, leaves: usize) -> PartialTree {
        let mut partial = PartialTree::default();
        if self.tree.nodes[root].count <= SMALLEST {
            partial.copy(self.tree, root);
            return partial;
        }
        let treelet = Treelet::new(self.tree, root, &rays, leaves);
        self.emit(&treelet, &treelet.best_shape(), rays, &mut partial);
        partial
    }

    /// Adds what is below a node of the new arrangement, which these rays visit.
    fn emit(&self, treelet: &Treelet, shape: &Shape, rays: Vec<&'a Segment>, partial: &mut PartialTree) {
        let (left, right) = match shape {
            Shape::Leaf(leaf) => {
                return partial.append(self.subtree(treelet.leaves[*leaf], rays, MAX_LEAVES));
            }
            Shape::Node(children) => (&children[0], &children[1]),
        };
        let come_to = |shape: &Shape| -> Vec<&'a Segment> {
            let bounds = treelet.bounds[shape.leaves()];
            rays.iter().copied().filter(|ray| ray.meets(&bounds)).collect()
        };
        let opened = partial.open();
        let (to_left, to_right) = (come_to(left), come_to(right));
        let count = |shape: &Shape| treelet.count(self.tree, shape.leaves());
        let right_child = if count(left).min(count(right)) >= PARALLEL_SIZE {
            let side = |shape, rays| {
                let mut partial = PartialTree::default();
                self.emit(treelet, shape, rays, &mut partial);
                partial
            };
            let (left, right) = rayon::join(|| side(left, to_left), || side(right, to_right));
            partial.append(left);
            let right_child = partial.len();
            partial.append(right);
            right_child
        } else {
            self.emit(treelet, left, to_left, partial);
            let right_child = partial.len();
            self.emit(treelet, right, to_right, partial);
            right_child
        };
        partial.close(opened, right_child);
    }
}

/// An arrangement of leaves.
#[derive(Clone)]
enum Shape {
    Leaf(usize),
    Node(Box<[Shape; 2]>),
}

impl Shape {
    /// Bit i: leaf i is part of it.
    fn leaves(&self) -> usize {
        match self {
            Self::Leaf(leaf) => 1 << leaf,
            Self::Node(children) => children[0].leaves() | children[1].leaves(),
        }
    }
}

/// A node and the leaves of its treelet. Sets of leaves are bits of a number.
struct Treelet {
    leaves: Vec<usize>,
    /// The box around each set of leaves.
    bounds: Vec<Aabb>,
    /// What a node with this box costs.
    costs: Vec<f64>,
    old: Shape,
}

impl Treelet {
    fn new(tree: &BinaryTree, root: usize, rays: &[&Segment], most: usize) -> Self {
        let leaves = leaves(tree, root, most);
        let mut bounds = vec![Aabb::EMPTY; 1 << leaves.len()];
        for set in 1..bounds.len() {
            let leaf = set.trailing_zeros() as usize;
            bounds[set] = bounds[set & (set - 1)].union(tree.nodes[leaves[leaf]].bounds);
        }
        let asked: Vec<&Segment> =
            rays.iter().copied().step_by(rays.len().div_ceil(MAX_RAYS).max(1)).collect();
        let whole = tree.nodes[root].bounds.half_area().max(f64::MIN_POSITIVE);
        let cost = |bounds: &Aabb| {
            let met = asked.iter().filter(|ray| ray.meets(bounds)).count();
            met as f64 + PRIOR * bounds.half_area() / whole
        };
        let costs = bounds.iter().map(cost).collect();
        let old = shape_of(tree, root, &leaves);
        Self { leaves, bounds, costs, old }
    }

    fn count(&self, tree: &BinaryTree, set: usize) -> u32 {
        let leaves = self.leaves.iter().enumerate().filter(|(leaf, _)| set >> leaf & 1 != 0);
        leaves.map(|(_, node)| tree.nodes[*node].count).sum()
    }

    /// The cheapest arrangement; the old one where that is as good.
    fn best_shape(&self) -> Shape {
        let mut best = vec![0.0; self.costs.len()];
        let mut lefts = vec![0; self.costs.len()];
        for set in 1..self.costs.len() {
            if set.is_power_of_two() {
                continue;
            }
            let (cost, left) = cheapest_division(set, &best);
            best[set] = cost + self.costs[set];
            lefts[set] = left;
        }
        let all = self.costs.len() - 1;
        if best[all] < (1.0 - LEAST_GAIN) * self.cost(&self.old) {
            shape(&lefts, all)
        } else {
            self.old.clone()
        }
    }

    fn cost(&self, shape: &Shape) -> f64 {
        match shape {
            Shape::Leaf(_) => 0.0,
            Shape::Node(children) => {
                self.costs[shape.leaves()] + children.iter().map(|child| self.cost(child)).sum::<f64>()
            }
        }
    }
}

/// The cheapest way to divide a set of two leaves or more, and its left half.
fn cheapest_division(set: usize, best: &[f64]) -> (f64, usize) {
    // Of a division and its mirror image, only the one with the lowest leaf on the left.
    let lowest = set & set.wrapping_neg();
    let others = set ^ lowest;
    let (mut least, mut left, mut part) = (f64::INFINITY, 0, others);
    while part != 0 {
        part = (part - 1) & others;
        let cost = best[part | lowest] + best[others ^ part];
        if cost < least {
            (least, left) = (cost, part | lowest);
        }
    }
    (least, left)
}

/// The leaves of a treelet: starting from two, the largest is replaced by its children.
fn leaves(tree: &BinaryTree, root: usize, most: usize) -> Vec<usize> {
    let mut leaves = tree.children(root).to_vec();
    while leaves.len() < most {
        let area = |node: usize| tree.nodes[node].bounds.half_area();
        let large = (0..leaves.len()).filter(|leaf| tree.nodes[leaves[*leaf]].count > SMALLEST);
        let Some(largest) = large.max_by(|a, b| area(leaves[*a]).total_cmp(&area(leaves[*b])).then(b.cmp(a)))
        else {
            break;
        };
        let [left, right] = tree.children(leaves[largest]);
        leaves[largest] = left;
        leaves.insert(largest + 1, right);
    }
    leaves
}

/// How the leaves are arranged in the tree.
fn shape_of(tree: &BinaryTree, node: usize, leaves: &[usize]) -> Shape {
    match leaves.iter().position(|leaf| *leaf == node) {
        Some(leaf) => Shape::Leaf(leaf),
        None => Shape::Node(Box::new(tree.children(node).map(|child| shape_of(tree, child, leaves)))),
    }
}

/// The arrangement of a set in which `lefts` says of each set what goes left.
fn shape(lefts: &[usize], set: usize) -> Shape {
    if set.is_power_of_two() {
        return Shape::Leaf(set.trailing_zeros() as usize);
    }
    Shape::Node(Box::new([lefts[set], set ^ lefts[set]].map(|part| shape(lefts, part))))
}
