//! Section obb-tree: every node and leaf reached once, in order, every leaf as its blocks say, every box around its
//! triangles.

mod boxes;
mod leaf;
mod node;
mod table;

use bvhc_format::MAX_COORDINATE;
use bvhc_format::obb::{OBB_WIDTH, ObbChild, ObbNode, ObbRef};
use bvhc_runtime::Model;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::blocks::BlockTable;
use super::tree::Shape;
pub use leaf::ObbLeafFault;
use leaf::Source;
pub use node::ObbNodeFault;
use table::ObbTable;
pub(super) use table::unpacked_nodes;

/// How far the rounding of a check in f64 may mislead it, relative to the tree's radius (B9, B10).
const ROUNDING: f64 = 1.0 / (1u64 << 45) as f64;

/// What is wrong with the tree of oriented boxes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObbFault {
    /// There are records of both forms.
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
    /// A leaf breaks a rule.
    #[error("leaf {leaf}: {fault}")]
    Leaf {
        /// The leaf.
        leaf: usize,
        /// What is wrong with it.
        fault: ObbLeafFault,
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
    /// Leaves are not referenced in their order.
    #[error(
        "node {node}, slot {slot}: it refers to leaf {found} where it must refer to leaf {expected} (B3)"
    )]
    LeafOrder {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The leaf it refers to.
        found: u32,
        /// The leaf it must refer to.
        expected: usize,
    },
    /// There are more leaves than references to them.
    #[error("leaf {leaf} is not referenced (B3)")]
    LeafUnused {
        /// The first such leaf.
        leaf: usize,
    },
    /// The depth is wrong.
    #[error("its depth is given as {found}, but it has {expected} levels (B2)")]
    Depth {
        /// What is given.
        found: u32,
        /// How many levels there are.
        expected: u32,
    },
    /// The origin is no point of the space of models.
    #[error("its origin on axis {axis} is {found}, which is not finite or is beyond 2^60 (B10)")]
    Origin {
        /// The axis, 0 to 2.
        axis: usize,
        /// What it is.
        found: f32,
    },
    /// The radius is less than the reach of a box, or no number.
    #[error("its radius is {found:e}; boxes reach {expected:e} from its origin (B10)")]
    Radius {
        /// What it is.
        found: f32,
        /// How far boxes reach.
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

/// A slot of a node.
#[derive(Clone, Copy)]
struct Place {
    node: usize,
    slot: usize,
}

/// B2 to B16, on blocks and triangle numbers within the rules. `None` where there is no such tree.
pub(super) fn check(
    model: &Model<'_>,
    table: &BlockTable<'_>,
    triangles: u64,
) -> Result<Option<Shape>, ObbFault> {
    let Some(root) = model.obb_tree() else { return Ok(None) };
    let source = Source { table, numbers: model.geometry().triangles.get() };
    let tree = &ObbTable::of(root, &source)?;
    let (nodes, leaves) = (&*tree.nodes, &*tree.leaves);
    if nodes.is_empty() {
        return Err(ObbFault::NoRoot);
    }
    for (index, node) in nodes.iter().enumerate() {
        node::check(node, index, nodes.len(), leaves.len())
            .map_err(|fault| ObbFault::Node { node: index, fault })?;
    }
    let parents = parents(nodes)?;
    let of_leaves = leaf_places(nodes, leaves.len())?;
    let depth = check_depth(tree, &parents)?;
    check_root(tree)?;
    check_leaves(tree, &of_leaves, &source)?;
    check_numbers(tree, &of_leaves, triangles)?;
    boxes::check(tree, table, &parents, &of_leaves)?;
    Ok(Some(Shape { depth }))
}

/// What the slots of a node refer to, with the slots.
fn children(node: &ObbNode) -> impl Iterator<Item = (usize, ObbChild)> + '_ {
    node.children.iter().map(|reference| ObbRef(*reference).get()).enumerate()
}

/// How many lanes of a leaf hold triangles, as the slot that refers to it tells.
fn used_lanes(nodes: &[ObbNode], place: Place) -> usize {
    match ObbRef(nodes[place.node].children[place.slot]).get() {
        ObbChild::Leaf(_, triangles) => triangles as usize,
        ObbChild::Node(_) | ObbChild::Empty => 0,
    }
}

/// B3 of nodes: the slot that refers to each node but node 0.
fn parents(nodes: &[ObbNode]) -> Result<Vec<Option<Place>>, ObbFault> {
    let (mut parents, mut counts) = (vec![None; nodes.len()], vec![0u32; nodes.len()]);
    for (index, node) in nodes.iter().enumerate() {
        for (slot, child) in children(node) {
            if let ObbChild::Node(child) = child {
                parents[child as usize] = Some(Place { node: index, slot });
                counts[child as usize] += 1;
            }
        }
    }
    let wrong = |(node, found): (usize, u32)| {
        let expected = u32::from(node != 0);
        (found != expected).then_some(ObbFault::NodeReferences { node, found, expected })
    };
    counts.into_iter().enumerate().find_map(wrong).map_or(Ok(parents), Err)
}

/// B3 of leaves: the slot that refers to each.
fn leaf_places(nodes: &[ObbNode], leaves: usize) -> Result<Vec<Place>, ObbFault> {
    let mut places = Vec::with_capacity(leaves);
    for (node, record) in nodes.iter().enumerate() {
        for (slot, child) in children(record) {
            if let ObbChild::Leaf(found, _) = child {
                let expected = places.len();
                if found as usize != expected {
                    return Err(ObbFault::LeafOrder { node, slot, found, expected });
                }
                places.push(Place { node, slot });
            }
        }
    }
    if places.len() < leaves { Err(ObbFault::LeafUnused { leaf: places.len() }) } else { Ok(places) }
}

/// B2. Parents stand before their children.
fn check_depth(tree: &ObbTable<'_>, parents: &[Option<Place>]) -> Result<u32, ObbFault> {
    let mut levels = vec![1u32; parents.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            levels[node] = levels[parent.node] + 1;
        }
    }
    let (found, expected) = (tree.root.depth.to_native(), levels.into_iter().max().unwrap_or(0));
    if found == expected { Ok(expected) } else { Err(ObbFault::Depth { found, expected }) }
}

/// B10, and B16 of the root.
fn check_root(tree: &ObbTable<'_>) -> Result<(), ObbFault> {
    let origin = tree.root.origin.map(|x| x.to_native());
    if let Some(axis) = outside(&origin) {
        return Err(ObbFault::Origin { axis, found: origin[axis] });
    }
    let reaches = tree.nodes.iter().flat_map(|node| {
        let used = children(node).filter(|(_, child)| *child != ObbChild::Empty);
        used.map(|(slot, _)| length(&node.centre, slot) + length(&node.half_extents, slot))
    });
    let (found, expected) = (tree.root.radius.to_native(), reaches.fold(0.0, f64::max));
    if !found.is_finite() || f64::from(found) * (1.0 + ROUNDING) < expected {
        return Err(ObbFault::Radius { found, expected });
    }
    match tree.root.reserved.to_native() {
        0 => Ok(()),
        found => Err(ObbFault::Reserved { found }),
    }
}

/// The first axis on which a point is not finite or is beyond where models may be.
fn outside(point: &[f32; 3]) -> Option<usize> {
    point.iter().position(|x| x.is_nan() || x.abs() > MAX_COORDINATE)
}

/// The length of a slot's vector.
fn length(vectors: &[[f32; OBB_WIDTH]; 3], slot: usize) -> f64 {
    vectors.iter().map(|axis| f64::from(axis[slot]).powi(2)).sum::<f64>().sqrt()
}

/// B11 to B14
fn check_leaves(tree: &ObbTable<'_>, places: &[Place], source: &Source<'_>) -> Result<(), ObbFault> {
    let nodes = &tree.nodes;
    let leaves = tree.leaves.par_iter().zip(places).enumerate();
    let faults = leaves.filter_map(|(index, (leaf, place))| {
        Some((index, leaf::check(leaf, used_lanes(nodes, *place), source).err()?))
    });
    // The first one, whichever thread finds its own first.
    match faults.min_by_key(|(index, _)| *index) {
        Some((leaf, fault)) => Err(ObbFault::Leaf { leaf, fault }),
        None => Ok(()),
    }
}

/// B15, on numbers that blocks hold.
fn check_numbers(tree: &ObbTable<'_>, places: &[Place], triangles: u64) -> Result<(), ObbFault> {
    let mut seen = vec![false; triangles as usize];
    for (leaf, (record, place)) in tree.leaves.iter().zip(places).enumerate() {
        for &triangle in &record.triangles[..used_lanes(&tree.nodes, *place)] {
            if std::mem::replace(&mut seen[triangle as usize], true) {
                return Err(ObbFault::Repeated { leaf, triangle });
            }
        }
    }
    seen.iter().position(|seen| !seen).map_or(Ok(()), |triangle| Err(ObbFault::Missing { triangle }))
}
