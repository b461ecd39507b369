//! Trees that several threads build: each makes the nodes of small subtrees, which are joined at last.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::tree::binary::Node;

/// A subtree.
pub(super) enum Part {
    /// Its nodes, depth first.
    Small(Vec<Node>),
    /// Its root, of which only the primitives are known, and what is below.
    Large(Box<(Node, [Part; 2])>),
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Self::Small(nodes) => nodes.len(),
            Self::Large(large) => 1 + large.1.iter().map(Self::len).sum::<usize>(),
        }
    }

    /// All nodes, depth first.
    pub(super) fn join(self) -> Vec<Node> {
        if let Self::Small(nodes) = self {
            return nodes;
        }
        let empty = Node::inner(0, 0);
        // By all threads, as most of it is the system's work for new pages.
        let mut nodes: Vec<_> = (0..self.len()).into_par_iter().map(|_| empty).collect();
        self.put(&mut nodes);
        nodes
    }

    fn put(self, nodes: &mut [Node]) {
        match self {
            Self::Small(own) => nodes.copy_from_slice(&own),
            Self::Large(large) => {
                let (root, [left, right]) = *large;
                let (place, below) = nodes.split_first_mut().expect("a subtree has a root");
                let (of_left, of_right) = below.split_at_mut(left.len());
                rayon::join(|| left.put(of_left), || right.put(of_right));
                *place = root.around([&of_left[0], &of_right[0]], 1 + of_left.len());
            }
        }
    }
}
