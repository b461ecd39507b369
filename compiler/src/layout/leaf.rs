//! The leaves of trees for pairs of models: the addresses of triangles.

use std::collections::HashMap;

use bvhc_format::obb::{PAIR_WIDTH, PairLeaf, PairRef};

use crate::pair::obb::{Child, Link, Tree};

/// The leaves of all trees of a mesh for pairs of models. Trees that have a leaf of the same triangles share it.
#[derive(Default)]
pub struct LeafTable {
    /// The address of each triangle in the blocks.
    addresses: Vec<u32>,
    leaves: Vec<PairLeaf>,
    /// The number of each leaf, by its triangles in ascending order; `u32::MAX` fills unused lanes.
    numbers: HashMap<[u32; PAIR_WIDTH], u32>,
}

impl LeafTable {
    /// A table without leaves, given the addresses of all triangles.
    pub fn new(addresses: Vec<u32>) -> Self {
        Self { addresses, ..Self::default() }
    }

    /// The leaves of the trees laid out so far.
    pub fn into_leaves(self) -> Vec<PairLeaf> {
        self.leaves
    }

    /// The references of each node's slots of a tree of oriented boxes.
    pub fn references_of(&mut self, tree: &Tree) -> Vec<[u32; PAIR_WIDTH]> {
        let child = |child: &Child| (child.link, tree.triangles(child));
        tree.nodes.iter().map(|node| self.references(tree.children(node).iter().map(child))).collect()
    }

    /// The references to the children of a node, each given as what is below and its triangles. Adds leaves that the
    /// table does not have.
    pub(super) fn references<'a>(
        &mut self,
        children: impl Iterator<Item = (Link, &'a [u32])>,
    ) -> [u32; PAIR_WIDTH] {
        let mut references = [PairRef::EMPTY.0; PAIR_WIDTH];
        for (reference, (link, triangles)) in references.iter_mut().zip(children) {
            *reference = match link {
                Link::Node(node) => PairRef::node(node).0,
                Link::Leaf => PairRef::leaf(self.number(triangles), triangles.len() as u32).0,
            };
        }
        references
    }

    /// The number of the leaf of one to four triangles.
    fn number(&mut self, triangles: &[u32]) -> u32 {
        let mut key = [u32::MAX; PAIR_WIDTH];
        key[..triangles.len()].copy_from_slice(triangles);
        key.sort_unstable();
        *self.numbers.entry(key).or_insert_with(|| {
            let lane = |lane: usize| triangles[if lane < triangles.len() { lane } else { 0 }];
            let addresses = [0, 1, 2, 3].map(|index| self.addresses[lane(index) as usize]);
            self.leaves.push(PairLeaf { addresses });
            self.leaves.len() as u32 - 1
        })
    }
}
