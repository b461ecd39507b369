//! Writes a binary tree as wide nodes in depth-first order, and as blocks of triangles.

use bvhc_format::record::{BLOCK_WIDTH, Block, Child, ChildRef, NODE_WIDTH, TreeStatistics, WideNode};
use bvhc_format::section::SectionKind;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::splits::{self, SplitTable};
use super::weld::Weld;
use super::{block, order};
use crate::mesh::Mesh;
use crate::tree::aabb::Aabb;
use crate::tree::binary::BinaryTree;
use crate::tree::wide::{Collapse, Role, Weighed};

/// The records of a wide tree.
pub struct WideTree {
    /// The nodes; node 0 is the root, and parents precede children.
    pub nodes: Vec<WideNode>,
    /// The blocks, in the order of a depth-first walk.
    pub blocks: Vec<Block>,
    /// The triangles in the lanes of the blocks.
    pub triangles: Vec<u32>,
    /// The triangles that several blocks hold.
    pub splits: SplitTable,
    /// Levels of nodes.
    pub depth: u32,
    /// The tree's statistics.
    pub statistics: TreeStatistics,
}

/// Converts a binary tree over `mesh`'s triangles into wide nodes and blocks. [`fits`](super::fits) says which of its nodes fit
/// into a block. Runs in the current rayon pool.
pub fn lay_out(tree: &Weighed, fits: &[bool], mesh: &Mesh, weld: &Weld) -> WideTree {
    let collapse = Collapse::new(tree, fits);
    let mut walk = Walk { collapse, slots: Vec::new(), starts: Vec::new(), leaves: Vec::new(), depth: 0 };
    walk.node(0, 1);
    walk.lay_out(&tree.tree, mesh, weld)
}

/// The wide nodes and the leaves of a tree, in the order of a depth-first walk.
struct Walk<'a> {
    collapse: Collapse<'a>,
    /// The children of all nodes, node after node.
    slots: Vec<Slot>,
    /// Where those of each node start.
    starts: Vec<usize>,
    /// The binary nodes.
    leaves: Vec<usize>,
    depth: u32,
}

/// A child of a wide node.
struct Slot {
    /// The child's node in the binary tree.
    binary: usize,
    reference: ChildRef,
}

impl Walk<'_> {
    /// Visits the wide node that represents a binary one, and all below it.
    fn node(&mut self, binary: usize, depth: u32) -> u32 {
        let (index, start) = (self.starts.len(), self.slots.len());
        self.starts.push(start);
        self.depth = self.depth.max(depth);
        let children = self.collapse.children(binary);
        self.slots.extend(children.iter().map(|binary| Slot { binary: *binary, reference: ChildRef::EMPTY }));
        for (slot, binary) in (start..).zip(children) {
            self.slots[slot].reference = match self.collapse.role(binary) {
                Role::Node => ChildRef::node(self.node(binary, depth + 1)),
                Role::Leaf => self.leaf(binary),
            };
        }
        index as u32
    }

    fn slots_of(&self, node: usize) -> &[Slot] {
        let end = self.starts.get(node + 1).copied().unwrap_or(self.slots.len());
        &self.slots[self.starts[node]..end]
    }

    fn leaf(&mut self, binary: usize) -> ChildRef {
        self.leaves.push(binary);
        ChildRef::block(self.leaves.len() as u32 - 1)
    }

    /// The distinct triangles of each leaf, ascending, leaf after leaf, and where those of each leaf end.
    fn triangles(&self, tree: &BinaryTree) -> (Vec<u32>, Vec<u32>) {
        let mut all = tree.order.clone();
        // The leaves have all primitives, in their order.
        let mut rest = &mut all[..];
        let of_leaves = self.leaves.iter().map(|leaf| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(tree.nodes[*leaf].count as usize);
            rest = others;
            own
        });
        let of_leaves: Vec<&mut [u32]> = of_leaves.collect();
        let lengths: Vec<usize> = of_leaves.into_par_iter().map(block::sort_distinct).collect();
        let (mut ends, mut end) = (Vec::with_capacity(lengths.len()), 0);
        for (leaf, length) in self.leaves.iter().zip(lengths) {
            let first = tree.nodes[*leaf].first as usize;
            if first > end {
                all.copy_within(first..first + length, end);
            }
            end += length;
            ends.push(end as u32);
        }
        all.truncate(end);
        (all, ends)
    }

    fn lay_out(&self, tree: &BinaryTree, mesh: &Mesh, weld: &Weld) -> WideTree {
        let nodes = (0..self.starts.len()).into_par_iter();
        let nodes: Vec<WideNode> = nodes.map(|node| wide_node(tree, self.slots_of(node))).collect();
        let (triangles, ends) = self.triangles(tree);
        let pack = |leaf: usize| {
            let first = leaf.checked_sub(1).map_or(0, |before| ends[before]);
            block::pack(mesh, weld, &triangles[first as usize..ends[leaf] as usize], first)
        };
        let mut blocks: Vec<Block> = (0..ends.len()).into_par_iter().map(pack).collect();
        let (sah_cost, splits) = rayon::join(
            || sah_cost(&nodes),
            || splits::mark(&nodes, &mut blocks, &triangles, mesh.triangles.len()),
        );
        let share = |used: usize, whole: usize| (used as f64 / whole as f64) as f32;
        let statistics = TreeStatistics {
            kind: SectionKind::AabbTree as u32,
            depth: self.depth,
            nodes: nodes.len() as u64,
            leaves: blocks.len() as u64,
            references: triangles.len() as u64,
            sah_cost,
            node_fill: share(self.slots.len(), nodes.len() * NODE_WIDTH),
            block_fill: share(triangles.len(), blocks.len() * BLOCK_WIDTH),
            reserved: 0,
        };
        WideTree { nodes, blocks, triangles, splits, depth: self.depth, statistics }
    }
}

fn wide_node(tree: &BinaryTree, slots: &[Slot]) -> WideNode {
    let boxes: Vec<Aabb> = slots.iter().map(|slot| tree.nodes[slot.binary].bounds).collect();
    let mut node = WideNode { order: order::visiting_order(&boxes), ..WideNode::EMPTY };
    for (at, (slot, bounds)) in slots.iter().zip(&boxes).enumerate() {
        for axis in 0..3 {
            node.planes[2 * axis][at] = bounds.lower[axis];
            node.planes[2 * axis + 1][at] = bounds.upper[axis];
        }
        node.children[at] = slot.reference.0;
    }
    node
}

/// The surface-area heuristic (FORMAT.md, M6).
pub(super) fn sah_cost(nodes: &[WideNode]) -> f32 {
    let boxes = |node: &WideNode| {
        let node = *node;
        (0..NODE_WIDTH)
            .filter(move |slot| node.child(*slot) != Child::Empty)
            .map(move |slot| slot_box(&node, slot))
    };
    let root = boxes(&nodes[0]).fold(Aabb::EMPTY, Aabb::union).half_area().max(f64::MIN_POSITIVE);
    let sum: f64 = nodes.iter().flat_map(boxes).map(|bounds| bounds.half_area()).sum();
    (1.0 + sum / root) as f32
}

/// The box of a slot.
pub(super) fn slot_box(node: &WideNode, slot: usize) -> Aabb {
    let planes = node.planes.map(|planes| planes[slot]);
    Aabb { lower: [planes[0], planes[2], planes[4]], upper: [planes[1], planes[3], planes[5]] }
}
