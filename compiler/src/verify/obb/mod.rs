//! Section obb-tree: every node is referenced once, every triangle is in one leaf, and every box contains its
//! triangles.

mod boxes;
mod node;
mod samples;
mod table;

use bvhc_format::MAX_COORDINATE;
use bvhc_format::obb::{ObbNode, PAIR_WIDTH, PairChild, PairRef};
use bvhc_format::section::SectionKind;

use super::checked::{Checked, TreeFacts};
use super::plan::{Links, Plan, slots};
use crate::verify::error::Fault;
pub use node::ObbNodeFault;
pub(super) use node::check_children;
pub use samples::SampleFault;
pub(crate) use samples::check as check_samples;
use table::ObbTable;

/// A bound for the rounding error of checks in f64, relative to the tree's radius (B9, B10).
pub(crate) const ROUNDING: f64 = 1.0 / (1u64 << 45) as f64;

/// What is wrong with the tree of oriented boxes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObbFault {
    /// There are both plain and packed nodes.
    #[error("it has records of both forms (B17)")]
    TwoForms,
    /// There is no node at all.
    #[error("it has no root (B3)")]
    NoRoot,
    /// A node breaks a rule.
    #[error("node {node}: {fault}")]
    Node {
        /// The node.
        node: usize,
        /// What is wrong with it.
        fault: ObbNodeFault,
    },
    /// An unused lane of a leaf does not repeat lane 0.
    #[error("leaf {leaf}, lane {lane} is unused, but does not repeat lane 0 (B14)")]
    UnusedLane {
        /// The leaf.
        leaf: usize,
        /// The lane.
        lane: usize,
    },
    /// A node is not referenced exactly once, or the root is referenced.
    #[error("node {node} is referenced {found} times instead of {expected} (B3)")]
    NodeReferences {
        /// The node.
        node: usize,
        /// How often it is referenced.
        found: u32,
        /// How often it must be.
        expected: u32,
    },
    /// Leaves are not first referenced in their order.
    #[error(
        "node {node}, slot {slot}: it refers to leaf {found}, although none refers to leaf {expected} before (B3)"
    )]
    LeafOrder {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The leaf it refers to.
        found: u32,
        /// The first leaf that no slot refers to before.
        expected: usize,
    },
    /// A leaf is referenced twice.
    #[error("node {node}, slot {slot}: it refers to leaf {leaf}, as a slot before it does (B3)")]
    LeafTwice {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The leaf.
        leaf: u32,
    },
    /// The depth is wrong.
    #[error("its depth is given as {found}, but it has {expected} levels (B2)")]
    Depth {
        /// The depth in the file.
        found: u32,
        /// How many levels there are.
        expected: u32,
    },
    /// The origin is not finite, or outside the range of coordinates.
    #[error("its origin on axis {axis} is {found}, which is not finite or is beyond 2^60 (B10)")]
    Origin {
        /// The axis, 0 to 2.
        axis: usize,
        /// What it is.
        found: f32,
    },
    /// The tree's radius is not finite, or less than the extent of a box.
    #[error("its radius is {found:e}; boxes reach {expected:e} from its origin (B10)")]
    Radius {
        /// What it is.
        found: f32,
        /// The largest extent of a box, measured from the origin.
        expected: f64,
    },
    /// A triangle is in two leaves, or twice in one.
    #[error("leaf {leaf} holds triangle {triangle}, which has occurred before (B15)")]
    Repeated {
        /// The leaf.
        leaf: usize,
        /// The triangle.
        triangle: u32,
    },
    /// A triangle is in no leaf.
    #[error("no leaf holds triangle {triangle} (B15)")]
    Missing {
        /// The triangle.
        triangle: usize,
    },
    /// The root's reserved field is not zero.
    #[error("its reserved field is {found:#x} instead of zero (B16)")]
    Reserved {
        /// What it is.
        found: u32,
    },
}

impl Fault for ObbFault {
    const SECTION: SectionKind = SectionKind::ObbTree;
}

/// B2 to B16, on valid blocks and triangle numbers. `None` if there is no such tree.
pub(crate) fn check(checked: &Checked<'_>) -> Result<Option<TreeFacts>, ObbFault> {
    let Some(root) = checked.model.sections().obb_tree() else { return Ok(None) };
    let tree = &ObbTable::of(root)?;
    let nodes = &*tree.nodes;
    let links: Vec<Links> = nodes.iter().map(|node| node.children).collect();
    let plan = Plan::of(&links, checked, root.depth.to_native())?;
    for (index, node) in nodes.iter().enumerate() {
        node::check(node, plan.used(index)).map_err(|fault| ObbFault::Node { node: index, fault })?;
    }
    check_root(tree)?;
    plan.check_leaves(checked)?;
    boxes::check(tree, checked, &plan)?;
    let cost = collision_cost(nodes);
    Ok(Some(TreeFacts::of_pairs(&plan, checked, nodes.len(), cost)))
}

/// The sum of the collision measures of all boxes, relative to the sum over the root's children.
fn collision_cost(nodes: &[ObbNode]) -> f64 {
    let measure = |node: &ObbNode, slot: usize| {
        let [x, y, z] = node.half_extents.map(|axis| 2.0 * f64::from(axis[slot]));
        2.0 * (x * y * z) + (x * y + y * z + z * x) * (x + y + z)
    };
    let of_node = |node: &ObbNode| {
        let used = (0..PAIR_WIDTH).filter(|slot| node.children[*slot] != PairRef::EMPTY.0);
        used.map(|slot| measure(node, slot)).sum::<f64>()
    };
    nodes.iter().map(of_node).sum::<f64>() / of_node(&nodes[0]).max(f64::MIN_POSITIVE)
}

/// B10, and B16 for the root.
fn check_root(tree: &ObbTable<'_>) -> Result<(), ObbFault> {
    let origin = tree.root.origin.map(|x| x.to_native());
    if let Some(axis) = outside(&origin) {
        return Err(ObbFault::Origin { axis, found: origin[axis] });
    }
    let radii = tree.nodes.iter().flat_map(|node| {
        let used = slots(&node.children).filter(|(_, child)| *child != PairChild::Empty);
        used.map(|(slot, _)| length(&node.centre, slot) + length(&node.half_extents, slot))
    });
    let (found, expected) = (tree.root.radius.to_native(), radii.fold(0.0, f64::max));
    if !found.is_finite() || f64::from(found) * (1.0 + ROUNDING) < expected {
        return Err(ObbFault::Radius { found, expected });
    }
    match tree.root.reserved.to_native() {
        0 => Ok(()),
        found => Err(ObbFault::Reserved { found }),
    }
}

/// The first axis on which a point is not finite or outside the range of coordinates.
pub(crate) fn outside(point: &[f32; 3]) -> Option<usize> {
    point.iter().position(|x| x.is_nan() || x.abs() > MAX_COORDINATE)
}

/// The length of a slot's vector.
fn length(vectors: &[[f32; PAIR_WIDTH]; 3], slot: usize) -> f64 {
    vectors.iter().map(|axis| f64::from(axis[slot]).powi(2)).sum::<f64>().sqrt()
}
