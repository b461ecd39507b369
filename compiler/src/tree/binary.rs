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
    /// How many primitives are below, at least one.
    pub count: u32,
    /// How many nodes after this one the right child stands; 0 for a leaf.
    pub right: u32,
}

impl Node {
    /// A leaf with these primitives.
    pub(crate) fn leaf(bounds: Aabb, first: u32, count: usize) -> Self {
        Self { bounds, first, count: count as u32, right: 0 }
    }

    /// An inner node whose children, and so its box, are not known yet.
    pub(crate) fn inner(first: u32, count: usize) -> Self {
        Self::leaf(Aabb::EMPTY, first, count)
    }

    /// The same node around its children, of which the right one stands so many nodes after it.
    pub(crate) fn around(self, [left, right]: [&Self; 2], distance: usize) -> Self {
        Self { bounds: left.bounds.union(right.bounds), right: distance as u32, ..self }
    }

    /// Whether it has no children.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.right == 0
    }
}

/// A binary tree with at least one primitive a leaf.
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
        [node + 1, node + self.nodes[node].right as usize]
    }

    /// How many levels of nodes there are.
    pub fn levels(&self) -> u32 {
        let (mut deepest, mut pending) = (0, vec![(0, 1)]);
        while let Some((node, level)) = pending.pop() {
            deepest = deepest.max(level);
            if !self.nodes[node].is_leaf() {
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
