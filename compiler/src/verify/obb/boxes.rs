//! Every triangle is inside all oriented boxes above it.

use bvhc_format::obb::ObbNode;

use super::{ObbFault, ObbNodeFault, ObbTable, ROUNDING};
use crate::fit::Frame;
use crate::math::vector::{Vector, dot, subtract};
use crate::verify::checked::Checked;
use crate::verify::plan::{Plan, SlotAddress};

/// B9, on a tree that is otherwise valid.
pub(super) fn check(tree: &ObbTable<'_>, checked: &Checked<'_>, plan: &Plan<'_>) -> Result<(), ObbFault> {
    let origin = tree.root.origin.map(|x| f64::from(x.to_native()));
    // How far a corner may be outside a box, because the check rounds.
    let tolerance = f64::from(tree.root.radius.to_native()) * ROUNDING;
    let check = |SlotAddress { node, slot }, triangle, corners: &[Vector; 3]| {
        let (axis, found) = beyond(&tree.nodes[node], slot, corners, tolerance)?;
        let limit = tree.nodes[node].half_extents[axis][slot];
        Some(ObbFault::Node { node, fault: ObbNodeFault::Outside { slot, triangle, axis, found, limit } })
    };
    plan.first_outside(checked, origin, check).map_or(Ok(()), Err)
}

/// The first axis of a slot's box along which a point is too far from the centre, and the distance. The points are
/// relative to the tree's origin.
fn beyond(node: &ObbNode, slot: usize, points: &[Vector; 3], tolerance: f64) -> Option<(usize, f64)> {
    let frame = Frame::from_quaternion(node.rotation.map(|part| f64::from(part[slot])));
    let centre = node.centre.map(|axis| f64::from(axis[slot]));
    let offsets = points.map(|point| subtract(point, centre));
    (0..3).find_map(|axis| {
        let along = offsets.map(|offset| dot(frame.axes[axis], offset).abs());
        let found = along.into_iter().fold(0.0, f64::max);
        let limit = f64::from(node.half_extents[axis][slot]) + tolerance;
        (found > limit).then_some((axis, found))
    })
}
