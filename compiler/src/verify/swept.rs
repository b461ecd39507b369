//! Section swept-tree: tree and leaves follow the rules of section obb-tree, and every swept sphere contains its
//! triangles.

use std::collections::BTreeMap;
use std::fmt;

use bvhc_format::kdop::LaneRow;
use bvhc_format::obb::{PAIR_WIDTH, PairChild, PairRef};
use bvhc_format::section::{ArchivedSweptTree, SectionKind};
use bvhc_format::swept::{Core, Cores, SweptLayout, children};
use bvhc_runtime::Model;

use super::checked::{Checked, TreeFacts};
use super::error::Fault;
use super::obb::{ObbFault, ROUNDING, outside};
use super::plan::{Links, Plan, SlotAddress};
use crate::math::vector::{Vector, dot, subtract};
use crate::pair::swept::{Swept, off};

/// The largest cosine of the angle between half axes, which must be perpendicular (R4).
const SKEW: f64 = 1.0 / (1 << 16) as f64;

/// What is wrong with the tree of swept spheres.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SweptFault {
    /// The tree or its leaves break a rule of section obb-tree.
    #[error(transparent)]
    Tree(#[from] ObbFault),
    /// A reference of a hybrid does not lead to a node.
    #[error("node {node}, slot {slot}: its reference {found:#x} is to no node (R6)")]
    Link {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The reference.
        found: u32,
    },
    /// No reference of a hybrid leads to this row, where a node must start, or there are not enough rows for the node.
    #[error("row {row} is not the first of a node that a node before it refers to (R6)")]
    Gap {
        /// The row.
        row: usize,
    },
    /// An empty slot does not hold the empty swept sphere, which collides with nothing.
    #[error(
        "node {node}, slot {slot} is empty, but its row {row} is {found:#x} instead of {expected:#x} (R3)"
    )]
    Empty {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The row of the node.
        row: usize,
        /// The bits it has.
        found: u32,
        /// The bits it must have.
        expected: u32,
    },
    /// A number is infinite or NaN, or a radius is negative.
    #[error("node {node}, slot {slot}: its {number} is {found}, which none is (R4)")]
    Number {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// Which number.
        number: SweptNumber,
        /// What it is.
        found: f32,
    },
    /// The half axes are not perpendicular.
    #[error("node {node}, slot {slot}: its half axes are not at right angles, by {cosine:e} (R4)")]
    Skew {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The cosine of their angle.
        cosine: f64,
    },
    /// A corner is farther from the core than the radius.
    #[error(
        "node {node}, slot {slot}: triangle {triangle} is {found:e} from its core, but its radius is {radius:e} (R4)"
    )]
    Outside {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The triangle.
        triangle: u32,
        /// The largest distance of the triangle from the core.
        found: f64,
        /// The radius.
        radius: f32,
    },
    /// The origin is not finite, or outside the range of coordinates.
    #[error("its origin on axis {axis} is {found}, which is not finite or is beyond 2^60 (R5)")]
    Origin {
        /// The axis, 0 to 2.
        axis: usize,
        /// What it is.
        found: f32,
    },
    /// The tree's radius is not finite, or less than the extent of a swept sphere.
    #[error("its radius is {found:e}; swept spheres reach {expected:e} from its origin (R5)")]
    Radius {
        /// What it is.
        found: f32,
        /// The largest extent of a swept sphere, measured from the origin.
        expected: f64,
    },
}

impl Fault for SweptFault {
    const SECTION: SectionKind = SectionKind::SweptTree;
}

/// A number of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweptNumber {
    /// The coordinate of the centre on an axis.
    Centre(usize),
    /// The radius.
    Radius,
    /// A coordinate of a half axis.
    HalfAxis(usize, usize),
}

impl fmt::Display for SweptNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centre(axis) => write!(f, "centre on axis {axis}"),
            Self::Radius => f.write_str("radius"),
            Self::HalfAxis(half, axis) => write!(f, "half axis {half} on axis {axis}"),
        }
    }
}

/// R1 and R3 to R6, on valid blocks and triangle numbers. `None` if there is no such tree.
pub(crate) fn check(checked: &Checked<'_>) -> Result<Option<TreeFacts>, SweptFault> {
    let Some((tree, layout)) = checked.model.sections().swept_tree() else { return Ok(None) };
    let nodes = nodes(tree.rows.get(), &layout)?;
    let links = numbered(&nodes, &layout)?;
    let nodes: Vec<&[LaneRow]> = nodes.into_iter().map(|(_, node)| node).collect();
    let plan = Plan::of(&links, checked, tree.depth.to_native())?;
    for (index, node) in nodes.iter().enumerate() {
        check_node(index, node, plan.used(index))?;
    }
    check_root(tree, &nodes)?;
    plan.check_leaves(checked)?;
    let origin = tree.origin.map(|x| f64::from(x.to_native()));
    let slack = f64::from(tree.radius.to_native()) * ROUNDING;
    let check = |place, triangle, corners: &[Vector; 3]| fault(&nodes, place, triangle, corners, slack);
    match plan.first_outside(checked, origin, check) {
        Some(fault) => Err(fault),
        None => Ok(Some(TreeFacts::of_pairs(&plan, checked, nodes.len(), swept_cost(&nodes)))),
    }
}

/// The sum of the collision measures of all swept spheres, relative to the sum over the root's children.
fn swept_cost(nodes: &[&[LaneRow]]) -> f64 {
    let of_node = |node: &[LaneRow]| {
        let links = children(node).unwrap_or([PairRef::EMPTY.0; PAIR_WIDTH]);
        let used = (0..PAIR_WIDTH).filter(|slot| links[*slot] != PairRef::EMPTY.0);
        used.map(|slot| slot_of(node, slot).measure()).sum::<f64>()
    };
    let whole = nodes.first().map_or(0.0, |node| of_node(node));
    nodes.iter().map(|node| of_node(node)).sum::<f64>() / whole.max(f64::MIN_POSITIVE)
}

/// The nodes of a tree in the order of their rows, each with the reference to it. Checks R6 for a hybrid.
pub(super) fn nodes<'a>(
    rows: &'a [LaneRow],
    layout: &SweptLayout,
) -> Result<Vec<(u32, &'a [LaneRow])>, SweptFault> {
    if let Cores::Same(core) = layout.cores {
        return Ok((0..).zip(rows.chunks_exact(core.rows())).collect());
    }
    let (mut nodes, mut row) = (Vec::new(), 0);
    // For each row where a node starts, the reference to it from a preceding node.
    let mut starts = BTreeMap::from([(0, layout.root())]);
    while row < rows.len() {
        let reference = starts.remove(&row).ok_or(SweptFault::Gap { row })?;
        let node = layout.node(rows, reference).ok_or(SweptFault::Gap { row })?;
        for link in children(node).into_iter().flatten() {
            if let PairChild::Node(reference) = PairRef(link).get()
                && let Some((first, _)) = layout.start(reference)
            {
                starts.entry(first).or_insert(reference);
            }
        }
        nodes.push((reference, node));
        row += node.len();
    }
    Ok(nodes)
}

/// How many nodes have each kind of core; `None` if the file has no such tree, or its references are broken.
pub fn count_cores(model: &Model<'_>) -> Option<[u64; 3]> {
    let (tree, layout) = model.sections().swept_tree()?;
    let nodes = nodes(tree.rows.get(), &layout).ok()?;
    let of = |core: Core| nodes.iter().filter(|(_, node)| node.len() == core.rows()).count() as u64;
    Some(Core::ALL.map(of))
}

/// The child references of all nodes, with references to nodes replaced by node numbers in the order of rows.
fn numbered(nodes: &[(u32, &[LaneRow])], layout: &SweptLayout) -> Result<Vec<Links>, SweptFault> {
    let number = |node: usize, slot: usize, link: u32| match (layout.cores, PairRef(link).get()) {
        (Cores::Hybrid, PairChild::Node(found)) => {
            let number = nodes.binary_search_by_key(&found, |(reference, _)| *reference);
            number.map(|number| number as u32).map_err(|_| SweptFault::Link { node, slot, found })
        }
        _ => Ok(link),
    };
    let links = |(node, (_, rows)): (usize, &(u32, &[LaneRow]))| {
        let mut links = children(rows).unwrap_or([PairRef::EMPTY.0; PAIR_WIDTH]);
        for (slot, link) in links.iter_mut().enumerate() {
            *link = number(node, slot, *link)?;
        }
        Ok(links)
    };
    nodes.iter().enumerate().map(links).collect()
}

/// What a slot holds.
pub(super) fn slot_of(node: &[LaneRow], slot: usize) -> Swept {
    let half_axes = (node.len() - Core::AXES) / 3;
    let vector = |first: usize| [0, 1, 2].map(|axis| node[first + axis].lanes[slot]);
    let axis = |index: usize| if index < half_axes { vector(Core::AXES + 3 * index) } else { [0.0; 3] };
    Swept { centre: vector(0), axes: [axis(0), axis(1)], radius: node[Core::RADIUS].lanes[slot] }
}

/// R3, and that the numbers of R4 are finite and radii not negative.
fn check_node(node: usize, rows: &[LaneRow], used: usize) -> Result<(), SweptFault> {
    for (row, slot) in (0..rows.len()).flat_map(|row| (used..PAIR_WIDTH).map(move |slot| (row, slot))) {
        let (found, expected) = (rows[row].lanes[slot].to_bits(), Core::empty(row).to_bits());
        if found != expected {
            return Err(SweptFault::Empty { node, slot, row, found, expected });
        }
    }
    for slot in 0..used {
        for row in (0..rows.len()).filter(|row| *row != Core::CHILDREN) {
            let found = rows[row].lanes[slot];
            if !found.is_finite() || found < 0.0 && row == Core::RADIUS {
                return Err(SweptFault::Number { node, slot, number: number(row), found });
            }
        }
        let [u, v] = slot_of(rows, slot).axes.map(|axis| axis.map(f64::from));
        let cosine = dot(u, v) / (dot(u, u) * dot(v, v)).sqrt();
        if cosine.abs() > SKEW {
            return Err(SweptFault::Skew { node, slot, cosine });
        }
    }
    Ok(())
}

/// The meaning of a row other than that of the references.
fn number(row: usize) -> SweptNumber {
    match row {
        0..=2 => SweptNumber::Centre(row),
        Core::RADIUS => SweptNumber::Radius,
        _ => SweptNumber::HalfAxis((row - Core::AXES) / 3, (row - Core::AXES) % 3),
    }
}

/// R5
fn check_root(tree: &ArchivedSweptTree<'_>, nodes: &[&[LaneRow]]) -> Result<(), SweptFault> {
    let origin = tree.origin.map(|x| x.to_native());
    if let Some(axis) = outside(&origin) {
        return Err(SweptFault::Origin { axis, found: origin[axis] });
    }
    let slots =
        nodes.iter().flat_map(|node| (0..PAIR_WIDTH).map(|slot| slot_of(node, slot).radius_from_origin()));
    let (found, expected) = (tree.radius.to_native(), slots.fold(0.0, f64::max));
    if !found.is_finite() || f64::from(found) * (1.0 + ROUNDING) < expected {
        return Err(SweptFault::Radius { found, expected });
    }
    Ok(())
}

/// That a corner of a triangle is outside the swept sphere of a slot above it, by more than `slack`.
fn fault(
    nodes: &[&[LaneRow]],
    SlotAddress { node, slot }: SlotAddress,
    triangle: u32,
    corners: &[Vector; 3],
    slack: f64,
) -> Option<SweptFault> {
    let Swept { centre, axes, radius } = slot_of(nodes[node], slot);
    let (centre, axes) = (centre.map(f64::from), axes.map(|axis| axis.map(f64::from)));
    let found = corners.iter().fold(0.0, |far: f64, corner| far.max(off(subtract(*corner, centre), axes)));
    let is_outside = found > f64::from(radius) + slack;
    is_outside.then_some(SweptFault::Outside { node, slot, triangle, found, radius })
}
