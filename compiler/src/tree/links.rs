//! A binary tree whose nodes know their neighbours, so that subtrees can move.

use super::aabb::Aabb;
use super::binary::{BinaryTree, MAX_LEVELS, Node};

/// The parent of the root.
pub const NONE: u32 = u32::MAX;

/// A node and its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The box around everything below.
    pub bounds: Aabb,
    /// The node above, or [`NONE`].
    pub parent: u32,
    /// What is below.
    pub below: Below,
}

/// What is below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// Two nodes.
    Nodes([u32; 2]),
    /// One primitive.
    Primitive(u32),
}

/// The nodes in any order; 0 is the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Links(pub Vec<Link>);

impl Links {
    /// The same tree; nodes keep their numbers.
    pub fn of(tree: &BinaryTree) -> Self {
        let mut links: Vec<Link> = (0..tree.nodes.len())
            .map(|index| {
                let Node { bounds, first, .. } = tree.nodes[index];
                let below = match tree.nodes[index].is_leaf() {
                    true => Below::Primitive(tree.order[first as usize]),
                    false => Below::Nodes(tree.children(index).map(|child| child as u32)),
                };
                Link { bounds, parent: NONE, below }
            })
            .collect();
        for index in 0..links.len() {
            if let Below::Nodes(children) = links[index].below {
                for child in children {
                    links[child as usize].parent = index as u32;
                }
            }
        }
        Self(links)
    }

    /// The children of an inner node.
    pub fn children(&self, node: u32) -> Option<[u32; 2]> {
        match self.0[node as usize].below {
            Below::Nodes(children) => Some(children),
            Below::Primitive(_) => None,
        }
    }

    /// The other child of a node's parent.
    pub fn sibling(&self, node: u32) -> u32 {
        let Below::Nodes([left, right]) = self.0[self.0[node as usize].parent as usize].below else {
            unreachable!("a parent has children")
        };
        if left == node { right } else { left }
    }

    /// Whether a node is above another, or is that one.
    pub fn is_above(&self, node: u32, mut other: u32) -> bool {
        while other != NONE && other != node {
            other = self.0[other as usize].parent;
        }
        other == node
    }

    /// Puts another node in a node's place below its parent.
    pub fn replace(&mut self, node: u32, other: u32) {
        let parent = self.0[node as usize].parent;
        self.0[other as usize].parent = parent;
        if let Below::Nodes(children) = &mut self.0[parent as usize].below {
            *children = children.map(|child| if child == node { other } else { child });
        }
    }

    /// Fits the boxes of a node and of those above it to what is below them, as far up as they change.
    pub fn refit(&mut self, mut node: u32) {
        while node != NONE {
            let Link { bounds: old, parent, below } = self.0[node as usize];
            if let Below::Nodes([left, right]) = below {
                let bounds = self.0[left as usize].bounds.union(self.0[right as usize].bounds);
                if bounds == old {
                    return;
                }
                self.0[node as usize].bounds = bounds;
            }
            node = parent;
        }
    }

    /// The sum of the half areas of inner nodes.
    pub fn cost(&self) -> f64 {
        let inner = self.0.iter().filter(|link| matches!(link.below, Below::Nodes(_)));
        inner.map(|link| link.bounds.half_area()).sum()
    }

    /// The tree with its nodes depth first; `None` where it is too deep for a file.
    pub fn finish(&self) -> Option<BinaryTree> {
        let mut tree = BinaryTree { nodes: Vec::with_capacity(self.0.len()), order: Vec::new() };
        let mut counts = vec![0u32; self.0.len()];
        for node in self.bottom_up()? {
            counts[node as usize] = match self.0[node as usize].below {
                Below::Primitive(_) => 1,
                Below::Nodes([left, right]) => counts[left as usize] + counts[right as usize],
            };
        }
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            let Link { bounds, below, .. } = self.0[node as usize];
            let right = match below {
                Below::Primitive(_) => 0,
                // After the left one's nodes.
                Below::Nodes([left, _]) => 2 * counts[left as usize],
            };
            let (first, count) = (tree.order.len() as u32, counts[node as usize]);
            tree.nodes.push(Node { bounds, first, count, right });
            match below {
                Below::Primitive(primitive) => tree.order.push(primitive),
                Below::Nodes([left, right]) => pending.extend([right, left]),
            }
        }
        Some(tree)
    }

    /// All nodes, children before parents; `None` where there are too many levels.
    fn bottom_up(&self) -> Option<impl Iterator<Item = u32>> {
        let mut nodes = Vec::with_capacity(self.0.len());
        let mut pending = vec![(0, 1)];
        while let Some((node, level)) = pending.pop() {
            if level > MAX_LEVELS {
                return None;
            }
            nodes.push(node);
            pending.extend(self.children(node).into_iter().flatten().map(|child| (child, level + 1)));
        }
        Some(nodes.into_iter().rev())
    }
}
