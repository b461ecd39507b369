//! Every triangle is inside all oriented boxes above it.

use bvhc_format::obb::ObbNode;

use super::{ObbFault, ObbNodeFault, ObbTable, Place, Plan, ROUNDING};
use crate::fit::Frame;
use crate::verify::blocks::BlockTable;
use crate::verify::leaves::{Leaf, exact_corners};

/// A tree with valid nodes and leaves.
struct Tree<'a> {
    nodes: &'a [ObbNode],
    parents: &'a [Option<Place>],
    table: &'a BlockTable<'a>,
    origin: [f64; 3],
    /// How far a corner may be outside a box, because the check rounds.
    tolerance: f64,
}

/// B9, on a tree that is otherwise valid.
pub(super) fn check(
    tree: &ObbTable<'_>,
    leaves: &[Leaf],
    table: &BlockTable<'_>,
    plan: &Plan<'_>,
) -> Result<(), ObbFault> {
    let origin = tree.root.origin.map(|x| f64::from(x.to_native()));
    let tolerance = f64::from(tree.root.radius.to_native()) * ROUNDING;
    let checked = Tree { nodes: &tree.nodes, parents: &plan.parents, table, origin, tolerance };
    let check = |place, leaf: &Leaf, used| (0..used).find_map(|lane| checked.fault_above(leaf, lane, place));
    plan.first_fault(leaves, check).map_or(Ok(()), |(_, fault)| Err(fault))
}

impl Tree<'_> {
    /// The fault of the lowest box, from this slot upward, that does not contain the triangle in a lane.
    fn fault_above(&self, leaf: &Leaf, lane: usize, place: Place) -> Option<ObbFault> {
        let corners = exact_corners(leaf, lane, self.table).map(|corner| {
            let along = |axis: usize| f64::from(corner[axis]) - self.origin[axis];
            [along(0), along(1), along(2)]
        });
        let mut above = Some(place);
        while let Some(Place { node, slot }) = above {
            if let Some((axis, found)) = self.beyond(&self.nodes[node], slot, &corners) {
                let limit = self.nodes[node].half_extents[axis][slot];
                let triangle = leaf.triangles[lane];
                let fault = ObbNodeFault::Outside { slot, triangle, axis, found, limit };
                return Some(ObbFault::Node { node, fault });
            }
            above = self.parents[node];
        }
        None
    }

    /// The first axis of a slot's box along which a point is too far from the centre, and the distance. The points are
    /// relative to the tree's origin.
    fn beyond(&self, node: &ObbNode, slot: usize, points: &[[f64; 3]; 3]) -> Option<(usize, f64)> {
        let frame = Frame::from_quaternion(node.rotation.map(|part| f64::from(part[slot])));
        let centre = node.centre.map(|axis| f64::from(axis[slot]));
        let offsets = points.map(|point| [0, 1, 2].map(|axis| point[axis] - centre[axis]));
        (0..3).find_map(|axis| {
            let [x, y, z] = frame.axes[axis];
            let along = offsets.map(|offset| (x * offset[0] + y * offset[1] + z * offset[2]).abs());
            let found = along.into_iter().fold(0.0, f64::max);
            let limit = f64::from(node.half_extents[axis][slot]) + self.tolerance;
            (found > limit).then_some((axis, found))
        })
    }
}
