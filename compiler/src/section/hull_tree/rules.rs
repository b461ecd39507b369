//! The rules of section hull-tree: the structure is that of section obb-tree, and every hull contains its triangles.

use bvhc_format::hulls::HullNode;
use bvhc_format::obb::PAIR_WIDTH;
use bvhc_format::section::{ArchivedHullTree, SectionKind};

use super::polytope::Polytope;
use super::{Slot, cost, slots};
use crate::math::vector::Vector;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::{Fault, VerifyError};
use crate::verify::obb::{ObbFault, ROUNDING, outside};
use crate::verify::plan::{Links, Plan, SlotAddress};

/// What is wrong with the tree of convex hulls.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum HullTreeFault {
    #[error(transparent)]
    Tree(#[from] ObbFault),
    #[error("node {node}, slot {slot} is empty, but does not hold the volume of empty slots (E2)")]
    Empty { node: usize, slot: usize },
    #[error(
        "node {node}, slot {slot}: a vertex or the radius {radius} is not finite, or the radius negative (E3)"
    )]
    Number { node: usize, slot: usize, radius: f32 },
    #[error(
        "node {node}, slot {slot}: triangle {triangle} is {found:e} from the hull, but the radius is {radius:e} (E3)"
    )]
    Outside { node: usize, slot: usize, triangle: u32, found: f64, radius: f64 },
    #[error("its origin on axis {axis} is {found}, which is not finite or is beyond 2^60 (E4)")]
    Origin { axis: usize, found: f32 },
    #[error("its radius is {found:e}; hulls reach {expected:e} from its origin (E4)")]
    Radius { found: f32, expected: f64 },
    #[error("its reserved field is {found:#x} instead of zero (E5)")]
    Reserved { found: u32 },
}

impl Fault for HullTreeFault {
    const SECTION: SectionKind = SectionKind::HullTree;
}

/// E1 to E5, on valid leaves. `None` if there is no such tree.
pub(super) fn check(checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
    let Some(tree) = checked.model.sections().hull_tree() else { return Ok(None) };
    let nodes = tree.nodes.get();
    let links: Vec<Links> = nodes.iter().map(|node| node.children).collect();
    let plan = Plan::of(&links, checked, tree.depth.to_native()).map_err(HullTreeFault::from)?;
    for (index, node) in nodes.iter().enumerate() {
        check_node(index, node, plan.used(index))?;
    }
    check_root(tree)?;
    plan.check_leaves(checked).map_err(HullTreeFault::from)?;
    let origin = tree.origin.map(|x| f64::from(x.to_native()));
    let slack = f64::from(tree.radius.to_native()) * ROUNDING;
    let hulls: Vec<[(Polytope, f64); PAIR_WIDTH]> = nodes.iter().map(hulls_of).collect();
    let check = |SlotAddress { node, slot }, triangle, corners: &[Vector; 3]| {
        let (hull, radius) = &hulls[node][slot];
        let found = corners.iter().map(|corner| hull.distance(*corner)).fold(0.0, f64::max);
        let is_outside = found > radius + slack;
        is_outside.then_some(HullTreeFault::Outside { node, slot, triangle, found, radius: *radius })
    };
    match plan.first_outside(checked, origin, check) {
        Some(fault) => Err(fault.into()),
        None => Ok(Some(TreeFacts::of_pairs(&plan, checked, nodes.len(), cost(nodes)))),
    }
}

/// The hull and the radius of each slot.
fn hulls_of(node: &HullNode) -> [(Polytope, f64); PAIR_WIDTH] {
    [0, 1, 2, 3].map(|slot| {
        let Slot { vertices, radius } = Slot::of(node, slot);
        (Polytope::of(vertices.to_vec()), radius)
    })
}

/// E2, and that the numbers of E3 are finite and radii not negative.
fn check_node(node: usize, record: &HullNode, used: usize) -> Result<(), HullTreeFault> {
    let bits = |record: &HullNode, slot: usize| {
        let rows = record.vertices.as_flattened().iter().chain([&record.radius]);
        rows.map(|row| row[slot].to_bits()).collect::<Vec<_>>()
    };
    for slot in 0..PAIR_WIDTH {
        let numbers = bits(record, slot);
        let radius = record.radius[slot];
        if slot < used {
            if radius < 0.0 || !numbers.iter().all(|bits| f32::from_bits(*bits).is_finite()) {
                return Err(HullTreeFault::Number { node, slot, radius });
            }
        } else if numbers != bits(&HullNode::EMPTY, slot) {
            return Err(HullTreeFault::Empty { node, slot });
        }
    }
    Ok(())
}

/// E4 and E5
fn check_root(tree: &ArchivedHullTree<'_>) -> Result<(), HullTreeFault> {
    let origin = tree.origin.map(|x| x.to_native());
    if let Some(axis) = outside(&origin) {
        return Err(HullTreeFault::Origin { axis, found: origin[axis] });
    }
    let expected = slots(tree.nodes.get()).map(|slot| slot.radius_from_origin()).fold(0.0, f64::max);
    let found = tree.radius.to_native();
    if !found.is_finite() || f64::from(found) * (1.0 + ROUNDING) < expected {
        return Err(HullTreeFault::Radius { found, expected });
    }
    match tree.reserved.to_native() {
        0 => Ok(()),
        found => Err(HullTreeFault::Reserved { found }),
    }
}
