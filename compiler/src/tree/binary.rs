//! The binary tree that builders make and the collapse turns into wide nodes.

use super::aabb::Aabb;

/// Levels that a tree may have (FORMAT.md, "Section aabb-tree").
pub const MAX_LEVELS: u32 = 96;

/// A node of a binary tree, which stands before the nodes below it: the left child follows its parent,
/// the right child follows the left one's subtree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The box around everything below.
    pub bounds: Aabb,
    /// Where the primitives below begin in [`BinaryTree::order`].
    pub first: u32,
    /// How many primitives are below. A node with one is a leaf.
    pub count: u32,
}

/// A binary tree with one primitive a leaf, and so one node less than twice the primitives.
#[derive(Clone, Debug, PartialEq)]
pub struct BinaryTree {
    /// The nodes; 0 is the root.
    pub nodes: Vec<Node>,
    /// The primitives, in the order in which the leaves hold them.
    pub order: Vec<u32>,
}

impl BinaryTree {
    /// The children of an inner node.
    pub fn children(&self, node: usize) -> [usize; 2] {
        let left = node + 1;
        [left, node + 2 * self.nodes[left].count as usize]
    }

    /// How many levels of nodes there are.
    pub fn levels(&self) -> u32 {
        let (mut deepest, mut pending) = (0, vec![(0, 1)]);
        while let Some((node, level)) = pending.pop() {
            deepest = deepest.max(level);
            if self.nodes[node].count > 1 {
                pending.extend(self.children(node).map(|child| (child, level + 1)));
            }
        }
        deepest
    }

    /// The primitives below a node.
    pub fn primitives(&self, node: usize) -> &[u32] {
        let Node { first, count, .. } = self.nodes[node];
        &self.order[first as usize..(first + count) as usize]
    }
}
