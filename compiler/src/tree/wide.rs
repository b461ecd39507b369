//! The collapse of a binary tree of boxes into the wide nodes and leaves of a file.
//!
//! The cheapest one is found by `collapse`. A leaf costs the same however many primitives it holds, as one block is one
//! step for the runtime; which subtrees fit into a leaf is for the caller to say, and so is how likely they are visited.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::binary::BinaryTree;
use super::collapse::{self, Divisions, Plan, Subtree};

/// How many children a wide node has at most.
pub const WIDTH: usize = bvhc_format::record::NODE_WIDTH;

/// What a leaf costs, where a wide node costs 1. Measured on the bunny: from 1.2 to 2.0 the nodes and blocks
/// that rays visit change by less than 1 %. A higher cost for leaves of more than 8 primitives, which take one
/// step more with 8 lanes, makes 10 to 40 % more bytes and no ray faster.
const LEAF_COST: f32 = 1.2;

/// The cost of a leaf's bytes, over the number of primitives, where a visit of the root costs 1; a wide node
/// takes the bytes of two. Without it, leaves that rays miss by little are halved for next to nothing: on the bunny and
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
    /// By the surface-area heuristic: the probability of a visit grows with the area of the box.
    pub fn by_area(tree: BinaryTree) -> Self {
        // A tree without any area is as good as any other.
        let unit = 1.0 / tree.nodes[0].bounds.half_area().max(f64::MIN_POSITIVE);
        let weights = tree.nodes.par_iter().map(|node| (node.bounds.half_area() * unit) as f32).collect();
        Self { tree, weights }
    }
}

/// What a subtree becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A wide node.
    Node,
    /// A leaf with all its primitives.
    Leaf,
}

/// How each subtree of a binary tree is best represented.
pub struct Collapse<'a> {
    tree: &'a BinaryTree,
    choices: Vec<Choice>,
}

/// What a subtree becomes as one root, and how as several.
#[derive(Clone, Copy)]
struct Choice {
    role: Role,
    divisions: Divisions<WIDTH>,
}

/// Subtrees of at least this many primitives are planned by a thread of their own if one is free.
const PARALLEL_SIZE: u32 = 4096;

impl<'a> Collapse<'a> {
    /// Finds the cheapest representation of every subtree. `fits` says which nodes may be leaves; the
    /// binary tree's leaves must. Runs in the current rayon pool. Cost: some 200 operations a node of at least sixteen
    /// primitives, few for others.
    pub fn new(weighed: &'a Weighed, fits: &[bool]) -> Self {
        let tree = &weighed.tree;
        let mut choices = vec![Choice { role: Role::Leaf, divisions: Divisions::LEAF }; tree.nodes.len()];
        Planner { weighed, fits, size: SIZE_COST / tree.nodes[0].count as f32 }.subtree(0, &mut choices);
        Self { tree, choices }
    }

    /// The cost of all wide nodes and leaves, where `visits` says how often each binary node is visited.
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
        self.choices[node].role
    }

    /// The subtrees that are the children of the wide node that represents `node`, from left to right.
    /// A root that fits into a leaf is a node with that leaf.
    pub fn children(&self, node: usize) -> Vec<usize> {
        if self.role(node) == Role::Leaf {
            return vec![node];
        }
        let children = collapse::children(Planned { collapse: self, node });
        children.into_iter().map(|child| child.node).collect()
    }
}

/// Plans subtrees from the leaves up.
struct Planner<'a> {
    weighed: &'a Weighed,
    fits: &'a [bool],
    /// The cost of a leaf's bytes.
    size: f32,
}

impl Planner<'_> {
    /// Plans the subtree whose nodes start at `root` and have these choices.
    fn subtree(&self, root: usize, choices: &mut [Choice]) -> Plan<f32, WIDTH> {
        let tree = &self.weighed.tree;
        if tree.nodes[root].count < PARALLEL_SIZE {
            return self.small(root, choices);
        }
        let (choice, rest) = choices.split_first_mut().expect("a subtree has a root");
        let [left, right] = tree.children(root);
        let (of_left, of_right) = rest.split_at_mut(right - left);
        let (left, right) = rayon::join(|| self.subtree(left, of_left), || self.subtree(right, of_right));
        self.inner(root, [&left, &right], choice)
    }

    /// The same, by one thread.
    fn small(&self, root: usize, choices: &mut [Choice]) -> Plan<f32, WIDTH> {
        // The plans of subtrees whose parents' have not been made. From the last node to the first, the left half of a
        // node comes right before it, on the plans of the right half.
        let mut plans: Vec<Plan<f32, WIDTH>> = Vec::new();
        for (index, choice) in (root..root + choices.len()).zip(choices).rev() {
            if self.weighed.tree.nodes[index].is_leaf() {
                plans.push(Plan::leaf(self.leaf_cost(index)));
            } else if let [.., right, left] = &mut plans[..] {
                *right = self.inner(index, [left, right], choice);
                plans.pop();
            }
        }
        plans.pop().expect("the root has a plan")
    }

    fn leaf_cost(&self, node: usize) -> f32 {
        self.weighed.weights[node] * LEAF_COST + self.size
    }

    fn inner(&self, node: usize, halves: [&Plan<f32, WIDTH>; 2], choice: &mut Choice) -> Plan<f32, WIDTH> {
        let (weight, leaf_cost) = (self.weighed.weights[node], self.leaf_cost(node));
        let mut role = Role::Node;
        let plan = Plan::inner(halves, |of_children| {
            let node_cost = weight + 2.0 * self.size + of_children;
            if self.fits[node] && leaf_cost <= node_cost {
                role = Role::Leaf;
            }
            if role == Role::Leaf { leaf_cost } else { node_cost }
        });
        *choice = Choice { role, divisions: *plan.divisions() };
        plan
    }
}

/// A node with its plan.
#[derive(Clone, Copy)]
struct Planned<'a> {
    collapse: &'a Collapse<'a>,
    node: usize,
}

impl Subtree<WIDTH> for Planned<'_> {
    fn divisions(&self) -> &Divisions<WIDTH> {
        &self.collapse.choices[self.node].divisions
    }

    fn halves(&self) -> [Self; 2] {
        self.collapse.tree.children(self.node).map(|node| Self { node, ..*self })
    }
}
