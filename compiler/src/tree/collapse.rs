//! The optimal collapse of a binary tree into wide nodes and leaves.
//!
//! Based on: Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide
//! BVHs", 2017, section 3.1 (dynamic programming over the binary tree). Departure: a leaf costs the same
//! however many primitives it holds, as one block is one step for the runtime; which subtrees fit into a
//! leaf is for the caller to say, and so is how likely they are visited.

use super::binary::BinaryTree;

/// How many children a wide node has at most.
pub const WIDTH: usize = bvhc_format::record::NODE_WIDTH;

/// What a leaf costs, where a wide node costs 1. Measured on the bunny: from 1.2 to 2.0 the nodes and blocks
/// that rays visit change by less than 1 %. Dearer leaves of more than 8 primitives, one
/// step more with 8 lanes, make 10 to 40 % more bytes and no ray faster.
const LEAF_COST: f32 = 1.2;

/// What it costs that there is a leaf at all, over the number of primitives, where a visit of the root costs 1; a wide node
/// takes the bytes of two. Without that, leaves that rays miss by little are halved for next to nothing: on the bunny and
/// the town a leaf in seven, for less than 1 % of the visits. At 2 rays begin to visit more leaves.
const SIZE_COST: f32 = 1.0;

/// A binary tree, and how likely queries are to visit each node, relative to the root.
pub struct Weighed {
    /// The tree.
    pub tree: BinaryTree,
    /// As many as nodes.
    pub weights: Vec<f32>,
}

impl Weighed {
    /// By the surface-area heuristic: the larger a box, the likelier.
    pub fn by_area(tree: BinaryTree) -> Self {
        // A tree without any area is as good as any other.
        let unit = 1.0 / tree.nodes[0].bounds.half_area().max(f64::MIN_POSITIVE);
        let weights = tree.nodes.iter().map(|node| (node.bounds.half_area() * unit) as f32).collect();
        Self { tree, weights }
    }
}

/// How each subtree of a binary tree is best represented.
pub struct Collapse<'a> {
    tree: &'a BinaryTree,
    plans: Vec<Plan>,
}

/// What a subtree becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A wide node.
    Node,
    /// A leaf with all its primitives.
    Leaf,
}

/// The cheapest ways to represent a subtree by at most 1, 2, … roots, as many as a wide node has children but one.
#[derive(Clone, Copy)]
struct Plan {
    /// In visits of the root.
    costs: [f32; WIDTH - 1],
    /// `left[k - 1]`: of k roots, how many represent the left child. 0: use k - 1 roots instead.
    left: [u8; WIDTH],
    is_leaf: bool,
}

impl<'a> Collapse<'a> {
    /// Finds the cheapest representation of every subtree. `fits` says which nodes may be leaves; those
    /// with one primitive must. Cost: some 200 operations a node.
    pub fn new(weighed: &'a Weighed, fits: &[bool]) -> Self {
        let Weighed { tree, weights } = weighed;
        let none = Plan { costs: [0.0; WIDTH - 1], left: [0; WIDTH], is_leaf: true };
        let mut plans = vec![none; tree.nodes.len()];
        let size = SIZE_COST / tree.nodes[0].count as f32;
        for index in (0..tree.nodes.len()).rev() {
            plans[index] = plan(tree, &plans, index, weights[index], size, fits[index]);
        }
        Self { tree, plans }
    }

    /// What all wide nodes and leaves cost, where `visits` says how often each binary node is visited.
    pub fn cost(&self, visits: &[u32]) -> f64 {
        let mut cost = 0.0;
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            cost += f64::from(visits[node]);
            for child in self.children(node) {
                match self.role(child) {
                    Role::Node => pending.push(child),
                    Role::Leaf => cost += f64::from(visits[child]) * f64::from(LEAF_COST),
                }
            }
        }
        cost
    }

    /// What a subtree becomes where it is one of the roots.
    pub fn role(&self, node: usize) -> Role {
        if self.plans[node].is_leaf { Role::Leaf } else { Role::Node }
    }

    /// The subtrees that are the children of the wide node that represents `node`, from left to right.
    /// A root that fits into a leaf is a node with that leaf.
    pub fn children(&self, node: usize) -> Vec<usize> {
        let mut roots = Vec::with_capacity(WIDTH);
        if self.role(node) == Role::Leaf {
            roots.push(node);
            return roots;
        }
        let left = usize::from(self.plans[node].left[WIDTH - 1]);
        let [left_child, right_child] = self.tree.children(node);
        self.collect(left_child, left, &mut roots);
        self.collect(right_child, WIDTH - left, &mut roots);
        roots
    }

    fn collect(&self, node: usize, mut most: usize, roots: &mut Vec<usize>) {
        let plan = &self.plans[node];
        while most > 1 && plan.left[most - 1] == 0 {
            most -= 1;
        }
        if most <= 1 {
            roots.push(node);
            return;
        }
        let left = usize::from(plan.left[most - 1]);
        let [left_child, right_child] = self.tree.children(node);
        self.collect(left_child, left, roots);
        self.collect(right_child, most - left, roots);
    }
}

fn plan(tree: &BinaryTree, plans: &[Plan], index: usize, weight: f32, size: f32, fits: bool) -> Plan {
    if tree.nodes[index].count == 1 {
        let costs = [weight * LEAF_COST + size; WIDTH - 1];
        return Plan { costs, left: [0; WIDTH], is_leaf: true };
    }
    let [left, right] = tree.children(index).map(|child| &plans[child].costs);
    let mut plan = Plan { costs: [0.0; WIDTH - 1], left: [0; WIDTH], is_leaf: false };
    let (as_node, node_left) = cheapest_division(left, right, WIDTH);
    plan.left[WIDTH - 1] = node_left;
    let (node_cost, leaf_cost) = (weight + 2.0 * size + as_node, weight * LEAF_COST + size);
    plan.is_leaf = fits && leaf_cost <= node_cost;
    plan.costs[0] = if plan.is_leaf { leaf_cost } else { node_cost };
    for roots in 2..WIDTH {
        let (cost, left_roots) = cheapest_division(left, right, roots);
        let fewer = plan.costs[roots - 2];
        (plan.costs[roots - 1], plan.left[roots - 1]) =
            if cost < fewer { (cost, left_roots) } else { (fewer, 0) };
    }
    plan
}

/// The cheapest way to represent two subtrees by `roots` roots in all, and how many go left.
fn cheapest_division(left: &[f32; WIDTH - 1], right: &[f32; WIDTH - 1], roots: usize) -> (f32, u8) {
    let mut best = (f32::INFINITY, 1);
    for left_roots in 1..roots {
        let cost = left[left_roots - 1] + right[roots - left_roots - 1];
        if cost < best.0 {
            best = (cost, left_roots as u8);
        }
    }
    best
}
