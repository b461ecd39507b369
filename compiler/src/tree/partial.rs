//! A tree under construction, assembled from left to right.

use super::aabb::Aabb;
use super::binary::{BinaryTree, Node};

/// Nodes, depth first, and the primitives of their leaves.
#[derive(Default)]
pub(crate) struct PartialTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

/// An inner node whose children follow.
pub(crate) struct Opened {
    index: usize,
    first: usize,
}

impl PartialTree {
    /// Adds a leaf.
    pub(crate) fn leaf(&mut self, primitive: u32, bounds: Aabb) {
        self.nodes.push(Node::leaf(bounds, 0, 1));
        self.order.push(primitive);
    }

    /// Begins an inner node.
    pub(crate) fn open(&mut self) -> Opened {
        let opened = Opened { index: self.nodes.len(), first: self.order.len() };
        self.nodes.push(Node::inner(0, 0));
        opened
    }

    /// Ends a node, of whose subtrees the second begins at the node with this number.
    pub(crate) fn close(&mut self, opened: Opened, right: usize) {
        let children = [&self.nodes[opened.index + 1], &self.nodes[right]];
        let node = Node::inner(0, self.order.len() - opened.first);
        self.nodes[opened.index] = node.around(children, right - opened.index);
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Appends another part.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.nodes.append(&mut other.nodes);
        self.order.append(&mut other.order);
    }

    /// Adds a copy of a subtree, each of whose leaves has one primitive.
    pub(crate) fn copy(&mut self, tree: &BinaryTree, root: usize) {
        let Node { count, .. } = tree.nodes[root];
        self.nodes.extend_from_slice(&tree.nodes[root..root + 2 * count as usize - 1]);
        self.order.extend_from_slice(tree.primitives(root));
    }

    /// Sets where the primitives of each node begin: behind those of all leaves before it.
    pub(crate) fn finish(mut self) -> BinaryTree {
        let mut first = 0;
        for node in &mut self.nodes {
            node.first = first;
            first += u32::from(node.count == 1);
        }
        BinaryTree { nodes: self.nodes, order: self.order }
    }
}
