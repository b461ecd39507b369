//! Rearranges treelets, each a node and some nodes below it, so that rays visit fewer nodes.
//!
//! Based on: Karras, Aila, "Fast parallel construction of high-quality bounding volume hierarchies", 2013 (treelets
//! of seven leaves, the best arrangement by dynamic programming over their subsets). Departures: what a box costs is how
//! many of a set of rays come to it, plus a share of its area; treelets are rearranged from the root downward and do
//! not overlap, so that each gets the rays that come to it.

use super::PRIOR;
use super::visits::Segment;
use crate::tree::aabb::Aabb;
use crate::tree::binary::BinaryTree;
use crate::tree::grown::Grown;

/// How many subtrees a treelet has at its foot, at most.
const MAX_FEET: usize = 7;

/// Subtrees of up to this many primitives may be a block, of which rays see no inside.
const SMALLEST: u32 = 16;

/// Subtrees of at least this many primitives are left to another thread if one is free.
const PARALLEL_SIZE: u32 = 4096;

/// How many rays are asked at a treelet: every second, third, … where more come.
const MAX_RAYS: usize = 512;

/// How much cheaper a new arrangement must be, relative to the old one.
const LEAST_GAIN: f64 = 1e-3;

/// The tree with its treelets rearranged. The first has `feet` subtrees at its foot, from 2 to 7, the others seven:
/// so different numbers make different treelets.
pub(super) fn rearrange(tree: &BinaryTree, segments: &[Segment], feet: usize) -> BinaryTree {
    let rays: Vec<&Segment> =
        segments.iter().filter(|segment| segment.meets(&tree.nodes[0].bounds)).collect();
    Treelets { tree }.subtree(0, rays, feet).finish()
}

struct Treelets<'a> {
    tree: &'a BinaryTree,
}

impl<'a> Treelets<'a> {
    fn subtree(&self, root: usize, rays: Vec<&'a Segment>, feet: usize) -> Grown {
        let mut grown = Grown::default();
        if self.tree.nodes[root].count <= SMALLEST {
            grown.copy(self.tree, root);
            return grown;
        }
        let treelet = Treelet::new(self.tree, root, &rays, feet);
        self.emit(&treelet, &treelet.best_shape(), rays, &mut grown);
        grown
    }

    /// Adds what is below a node of the new arrangement, to which these rays come.
    fn emit(&self, treelet: &Treelet, shape: &Shape, rays: Vec<&'a Segment>, grown: &mut Grown) {
        let (left, right) = match shape {
            Shape::Foot(foot) => return grown.append(self.subtree(treelet.feet[*foot], rays, MAX_FEET)),
            Shape::Node(children) => (&children[0], &children[1]),
        };
        let come_to = |shape: &Shape| -> Vec<&'a Segment> {
            let bounds = treelet.bounds[shape.feet()];
            rays.iter().copied().filter(|ray| ray.meets(&bounds)).collect()
        };
        let opened = grown.open();
        let (to_left, to_right) = (come_to(left), come_to(right));
        let count = |shape: &Shape| treelet.count(self.tree, shape.feet());
        let right_child = if count(left).min(count(right)) >= PARALLEL_SIZE {
            let side = |shape, rays| {
                let mut grown = Grown::default();
                self.emit(treelet, shape, rays, &mut grown);
                grown
            };
            let (left, right) = rayon::join(|| side(left, to_left), || side(right, to_right));
            grown.append(left);
            let right_child = grown.len();
            grown.append(right);
            right_child
        } else {
            self.emit(treelet, left, to_left, grown);
            let right_child = grown.len();
            self.emit(treelet, right, to_right, grown);
            right_child
        };
        grown.close(opened, right_child);
    }
}

/// An arrangement of feet.
#[derive(Clone)]
enum Shape {
    Foot(usize),
    Node(Box<[Shape; 2]>),
}

impl Shape {
    /// Bit i: foot i is there.
    fn feet(&self) -> usize {
        match self {
            Self::Foot(foot) => 1 << foot,
            Self::Node(children) => children[0].feet() | children[1].feet(),
        }
    }
}

/// A node and the subtrees at the foot of its treelet. Sets of feet are bits of a number.
struct Treelet {
    feet: Vec<usize>,
    /// The box around each set of feet.
    bounds: Vec<Aabb>,
    /// How dear a node with this box is.
    costs: Vec<f64>,
    old: Shape,
}

impl Treelet {
    fn new(tree: &BinaryTree, root: usize, rays: &[&Segment], most: usize) -> Self {
        let feet = feet(tree, root, most);
        let mut bounds = vec![Aabb::EMPTY; 1 << feet.len()];
        for set in 1..bounds.len() {
            let foot = set.trailing_zeros() as usize;
            bounds[set] = bounds[set & (set - 1)].union(tree.nodes[feet[foot]].bounds);
        }
        let asked: Vec<&Segment> =
            rays.iter().copied().step_by(rays.len().div_ceil(MAX_RAYS).max(1)).collect();
        let whole = tree.nodes[root].bounds.half_area().max(f64::MIN_POSITIVE);
        let cost = |bounds: &Aabb| {
            let met = asked.iter().filter(|ray| ray.meets(bounds)).count();
            met as f64 + PRIOR * bounds.half_area() / whole
        };
        let costs = bounds.iter().map(cost).collect();
        let old = shape_of(tree, root, &feet);
        Self { feet, bounds, costs, old }
    }

    fn count(&self, tree: &BinaryTree, set: usize) -> u32 {
        let feet = self.feet.iter().enumerate().filter(|(foot, _)| set >> foot & 1 != 0);
        feet.map(|(_, node)| tree.nodes[*node].count).sum()
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
            Shape::Foot(_) => 0.0,
            Shape::Node(children) => {
                self.costs[shape.feet()] + children.iter().map(|child| self.cost(child)).sum::<f64>()
            }
        }
    }
}

/// The cheapest way to divide a set of two feet or more, and what of it goes left.
fn cheapest_division(set: usize, best: &[f64]) -> (f64, usize) {
    // Of a division and its mirror image, only the one with the lowest foot on the left.
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

/// The subtrees at the foot: of those found so far, the largest makes way for its children.
fn feet(tree: &BinaryTree, root: usize, most: usize) -> Vec<usize> {
    let mut feet = tree.children(root).to_vec();
    while feet.len() < most {
        let area = |node: usize| tree.nodes[node].bounds.half_area();
        let large = (0..feet.len()).filter(|foot| tree.nodes[feet[*foot]].count > SMALLEST);
        let Some(largest) = large.max_by(|a, b| area(feet[*a]).total_cmp(&area(feet[*b])).then(b.cmp(a)))
        else {
            break;
        };
        let [left, right] = tree.children(feet[largest]);
        feet[largest] = left;
        feet.insert(largest + 1, right);
    }
    feet
}

/// How the feet are arranged in the tree.
fn shape_of(tree: &BinaryTree, node: usize, feet: &[usize]) -> Shape {
    match feet.iter().position(|foot| *foot == node) {
        Some(foot) => Shape::Foot(foot),
        None => Shape::Node(Box::new(tree.children(node).map(|child| shape_of(tree, child, feet)))),
    }
}

/// The arrangement of a set in which `lefts` says of each set what goes left.
fn shape(lefts: &[usize], set: usize) -> Shape {
    if set.is_power_of_two() {
        return Shape::Foot(set.trailing_zeros() as usize);
    }
    Shape::Node(Box::new([lefts[set], set ^ lefts[set]].map(|part| shape(lefts, part))))
}
