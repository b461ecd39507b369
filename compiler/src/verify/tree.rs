//! Checks the AABB tree as a whole: every node and block is referenced once, in order, and the depth is correct.

use bvhc_format::record::{BLOCK_WIDTH, Child, NODE_WIDTH, WideNode};
use bvhc_format::section::SectionKind;
use bvhc_runtime::Model;
use rkyv::rend::f32_le;

use super::blocks::BlockTable;
use super::checked::{Checked, TreeFacts};
use super::error::Fault;
use super::node::{self, NodeFault};
use super::sections_of;

/// What is wrong with the AABB tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeFault {
    /// There is no node at all.
    #[error("it has no root (T5)")]
    NoRoot,
    /// A node breaks a rule.
    #[error("node {node}: {fault}")]
    Node {
        /// The node.
        node: usize,
        /// What is wrong with it.
        fault: NodeFault,
    },
    /// A node is not referenced exactly once, or the root is referenced.
    #[error("node {node} is referenced {found} times instead of {expected} (T5)")]
    NodeReferences {
        /// The node.
        node: usize,
        /// How often it is referenced.
        found: u32,
        /// How often it must be.
        expected: u32,
    },
    /// A block is not referenced exactly once.
    #[error("block {block} is referenced {found} times instead of once (T5)")]
    BlockReferences {
        /// The block.
        block: usize,
        /// How often it is referenced.
        found: u32,
    },
    /// The blocks are not in the order of a depth-first walk.
    #[error("a walk meets block {found} where it should meet block {expected} (T5)")]
    BlockOrder {
        /// The block that the walk visits.
        found: usize,
        /// The block that it should visit.
        expected: usize,
    },
    /// The boxes of the blocks that hold a triangle do not cover it.
    #[error("triangle {triangle} is split, and no block that holds it has {point:?} in its box (T10)")]
    Uncovered {
        /// The triangle.
        triangle: u32,
        /// A point of it that is in no box, or too close to the side of one.
        point: [f64; 3],
    },
    /// The depth is wrong.
    #[error("its depth is given as {found}, but it has {expected} levels (T4)")]
    Depth {
        /// The depth in the file.
        found: u32,
        /// How many levels there are.
        expected: u32,
    },
    /// The bounds are not those of the metadata.
    #[error("its bounds are {found:?}; the metadata has {expected:?} (T2)")]
    Bounds {
        /// The tree's.
        found: [f32; 6],
        /// The metadata's.
        expected: [f32; 6],
    },
    /// The reserved field is not zero.
    #[error("its reserved field is {found:#x} instead of zero (T12)")]
    Reserved {
        /// What it is.
        found: u32,
    },
}

impl Fault for TreeFault {
    const SECTION: SectionKind = SectionKind::AabbTree;
}

/// T2 to T12, on valid blocks.
pub(crate) fn check(checked: &Checked<'_>) -> Result<TreeFacts, TreeFault> {
    let (model, table) = (checked.model, checked.table);
    let nodes = model.sections().nodes();
    if nodes.is_empty() {
        return Err(TreeFault::NoRoot);
    }
    check_root(model)?;
    let is_block = |reference: u32| table.index_of(reference).is_some();
    for (index, node) in nodes.iter().enumerate() {
        node::check(node, index, nodes.len(), (table.blocks.len(), &is_block))
            .map_err(|fault| TreeFault::Node { node: index, fault })?;
    }
    check_references(nodes, table)?;
    check_block_order(nodes, table)?;
    let (found, expected) = (model.sections().depth(), depth(nodes));
    if found != expected {
        return Err(TreeFault::Depth { found, expected });
    }
    Ok(TreeFacts {
        depth: expected,
        nodes: nodes.len() as u64,
        leaves: table.blocks.len() as u64,
        references: model.sections().geometry().triangles.len() as u64,
        widths: [NODE_WIDTH, BLOCK_WIDTH],
        cost: sah_cost(nodes),
    })
}

/// 1 for the root, plus for each slot the surface area of its box relative to the root's.
fn sah_cost(nodes: &[WideNode]) -> f64 {
    let planes = |node: &WideNode, slot: usize| node.planes.map(|planes| f64::from(planes[slot]));
    let used = |node: &WideNode| (0..NODE_WIDTH).filter(|slot| node.child(*slot) != Child::Empty).count();
    let root = (0..used(&nodes[0])).map(|slot| planes(&nodes[0], slot)).reduce(|a, b| {
        std::array::from_fn(
            |plane| if plane % 2 == 0 { a[plane].min(b[plane]) } else { a[plane].max(b[plane]) },
        )
    });
    let whole = root.map_or(0.0, half_area).max(f64::MIN_POSITIVE);
    let sum: f64 =
        nodes.iter().flat_map(|node| (0..used(node)).map(move |slot| half_area(planes(node, slot)))).sum();
    1.0 + sum / whole
}

/// Half the surface area of a box, whose planes are in the order of a node.
fn half_area(planes: [f64; 6]) -> f64 {
    let [x, y, z] = [0, 2, 4].map(|lower| planes[lower + 1] - planes[lower]);
    x * y + y * z + z * x
}

/// The children of a node, in the order of their slots.
pub(super) fn children(node: &WideNode) -> impl DoubleEndedIterator<Item = Child> + '_ {
    (0..NODE_WIDTH).map(|slot| node.child(slot)).filter(|child| *child != Child::Empty)
}

/// T2 and T12
fn check_root(model: &Model<'_>) -> Result<(), TreeFault> {
    let bounds = model.bounds();
    let ([a, b, c], [d, e, f]) = (bounds.min, bounds.max);
    let (found, expected) = ([a, b, c, d, e, f], model.sections().metadata().bounds.map(f32_le::to_native));
    if found.map(f32::to_bits) != expected.map(f32::to_bits) {
        return Err(TreeFault::Bounds { found, expected });
    }
    match reserved(model) {
        0 => Ok(()),
        found => Err(TreeFault::Reserved { found }),
    }
}

/// The root record's reserved field: bytes 28 to 31 of the last 48.
fn reserved(model: &Model<'_>) -> u32 {
    let tree = SectionKind::AabbTree as u32;
    let payload = sections_of(model).find(|(entry, _)| entry.kind == tree).map(|(_, payload)| payload);
    let root = payload.and_then(|payload| payload.last_chunk::<48>()).map_or([0; 48], |root| *root);
    u32::from_le_bytes([root[28], root[29], root[30], root[31]])
}

/// T5, except for the order.
fn check_references(nodes: &[WideNode], table: &BlockTable<'_>) -> Result<(), TreeFault> {
    let (mut to_nodes, mut to_blocks) = (vec![0u32; nodes.len()], vec![0u32; table.blocks.len()]);
    for child in nodes.iter().flat_map(children) {
        match child {
            Child::Empty => {}
            Child::Node(node) => to_nodes[node as usize] += 1,
            Child::Block(reference) => to_blocks[table.number_of(reference)] += 1,
        }
    }
    for (node, found) in to_nodes.into_iter().enumerate() {
        let expected = u32::from(node != 0);
        if found != expected {
            return Err(TreeFault::NodeReferences { node, found, expected });
        }
    }
    match to_blocks.iter().position(|found| *found != 1) {
        Some(block) => Err(TreeFault::BlockReferences { block, found: to_blocks[block] }),
        None => Ok(()),
    }
}

/// The order of T5. The walk terminates, because each node is referenced at most once.
fn check_block_order(nodes: &[WideNode], table: &BlockTable<'_>) -> Result<(), TreeFault> {
    let mut expected = 0;
    let mut stack = vec![Child::Node(0)];
    while let Some(child) = stack.pop() {
        match child {
            Child::Empty => {}
            Child::Node(node) => stack.extend(children(&nodes[node as usize]).rev()),
            Child::Block(reference) => {
                let found = table.number_of(reference);
                if found != expected {
                    return Err(TreeFault::BlockOrder { found, expected });
                }
                expected += 1;
            }
        }
    }
    Ok(())
}

/// The number of levels of nodes. Relies on parents preceding their children.
fn depth(nodes: &[WideNode]) -> u32 {
    let mut levels = vec![1u32; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for child in children(node) {
            if let Child::Node(child) = child {
                levels[child as usize] = levels[index] + 1;
            }
        }
    }
    levels.into_iter().max().unwrap_or(0)
}
