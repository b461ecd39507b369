//! Writes a binary tree as wide nodes in depth-first order, and as blocks of triangles.

use bvhc_format::record::{Block, Child, ChildRef, NODE_WIDTH, TreeStatistics, WideNode};
use bvhc_format::section::SectionKind;

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

/// Converts a binary tree over `mesh`'s triangles into wide nodes and blocks.
pub fn lay_out(tree: &Weighed, mesh: &Mesh, weld: &Weld) -> WideTree {
    let fits = block::fits(&tree.tree, mesh, weld);
    let collapse = Collapse::new(tree, &fits);
    let mut writer = Writer { tree: &tree.tree, mesh, weld, collapse, wide: Wide::default() };
    writer.node(0, 1);
    writer.finish()
}

#[derive(Default)]
struct Wide {
    nodes: Vec<WideNode>,
    blocks: Vec<Block>,
    triangles: Vec<u32>,
    depth: u32,
    used_slots: u64,
}

struct Writer<'a> {
    tree: &'a BinaryTree,
    mesh: &'a Mesh,
    weld: &'a Weld,
    collapse: Collapse<'a>,
    wide: Wide,
}

impl Writer<'_> {
    /// Writes the wide node that represents a binary one, and all below it.
    fn node(&mut self, binary: usize, depth: u32) -> u32 {
        let index = self.wide.nodes.len();
        self.wide.nodes.push(WideNode::EMPTY);
        self.wide.depth = self.wide.depth.max(depth);
        let children = self.collapse.children(binary);
        self.wide.used_slots += children.len() as u64;
        let boxes: Vec<Aabb> = children.iter().map(|child| self.tree.nodes[*child].bounds).collect();
        let mut node = WideNode { order: order::visiting_order(&boxes), ..WideNode::EMPTY };
        for (slot, (child, bounds)) in children.iter().zip(&boxes).enumerate() {
            for axis in 0..3 {
                node.planes[2 * axis][slot] = bounds.lower[axis];
                node.planes[2 * axis + 1][slot] = bounds.upper[axis];
            }
            node.children[slot] = self.child(*child, depth).0;
        }
        self.wide.nodes[index] = node;
        index as u32
    }

    fn child(&mut self, binary: usize, depth: u32) -> ChildRef {
        match self.collapse.role(binary) {
            Role::Node => ChildRef::node(self.node(binary, depth + 1)),
            Role::Leaf => ChildRef::block(self.block(binary)),
        }
    }

    fn block(&mut self, binary: usize) -> u32 {
        let triangles = block::distinct(self.tree.primitives(binary));
        let first = self.wide.triangles.len() as u32;
        self.wide.blocks.push(block::pack(self.mesh, self.weld, &triangles, first));
        self.wide.triangles.extend(triangles);
        self.wide.blocks.len() as u32 - 1
    }

    fn finish(self) -> WideTree {
        let Wide { nodes, mut blocks, triangles, depth, used_slots } = self.wide;
        let share = |used: u64, whole: usize| (used as f64 / whole as f64) as f32;
        let statistics = TreeStatistics {
            kind: SectionKind::AabbTree as u32,
            depth,
            nodes: nodes.len() as u64,
            leaves: blocks.len() as u64,
            references: triangles.len() as u64,
            sah_cost: sah_cost(&nodes),
            node_fill: share(used_slots, nodes.len() * NODE_WIDTH),
            block_fill: share(triangles.len() as u64, blocks.len() * bvhc_format::record::BLOCK_WIDTH),
            reserved: 0,
        };
        let splits = splits::mark(&nodes, &mut blocks, &triangles, self.mesh.triangles.len());
        WideTree { nodes, blocks, triangles, splits, depth, statistics }
    }
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
