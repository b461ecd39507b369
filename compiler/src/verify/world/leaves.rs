//! Checks the leaves of a world: that they are all of each instance, and that their boxes hold it.

use bvhc_format::NONE;
use bvhc_format::record::{Child, NODE_WIDTH};
use bvhc_format::world::{Instance, InstanceLeaf};

use super::{Checked, MeshBoxes, WorldFault};
use crate::world::place::{self, Part};

/// Of what leaves have to be grown by, how much a verifier that rounds asks for.
const ENOUGH: f64 = 15.0 / 16.0;

impl Checked<'_> {
    /// W8 and W9
    pub(super) fn check_leaves(&self) -> Result<(), WorldFault> {
        let leaves = self.leaves();
        let key = |leaf: &InstanceLeaf| (leaf.instance, leaf.slot);
        if let Some(before) = leaves.array_windows().position(|[one, next]| key(one) >= key(next)) {
            return Err(WorldFault::LeafOrder { leaf: before + 1 });
        }
        let mut start = 0;
        for (number, instance) in self.instances().iter().enumerate() {
            let of_instance =
                leaves[start..].iter().take_while(|leaf| leaf.instance as usize == number).count();
            let own = &leaves[start..start + of_instance];
            if !self.divide(own, self.mesh(instance)) {
                return Err(WorldFault::Division { instance: number });
            }
            for (index, leaf) in own.iter().enumerate() {
                self.check_leaf_box(start + index, leaf, instance)?;
            }
            start += of_instance;
        }
        if start == leaves.len() { Ok(()) } else { Err(WorldFault::LeafOrder { leaf: start }) }
    }

    /// Whether leaves are a whole mesh, or parts in which each block is once.
    fn divide(&self, leaves: &[InstanceLeaf], mesh: &MeshBoxes<'_>) -> bool {
        if let [InstanceLeaf { slot: NONE, .. }] = leaves {
            return true;
        }
        let nodes = mesh.nodes;
        let slots: Vec<usize> = leaves.iter().map(|leaf| leaf.slot as usize).collect();
        let are_used = slots.iter().all(|slot| {
            let node = nodes.get(slot / NODE_WIDTH);
            node.is_some_and(|node| node.child(slot % NODE_WIDTH) != Child::Empty)
        });
        if leaves.is_empty() || !are_used || !mesh.may_open {
            return false;
        }
        // A walk from the root that ends at the leaves' slots must meet all of them, and no block elsewhere.
        let (mut met, mut pending) = (0, vec![0u32]);
        while let Some(node) = pending.pop() {
            for slot in 0..NODE_WIDTH {
                match nodes[node as usize].child(slot) {
                    Child::Empty => {}
                    _ if slots.binary_search(&(NODE_WIDTH * node as usize + slot)).is_ok() => met += 1,
                    Child::Node(child) => pending.push(child),
                    Child::Block(_) => return false,
                }
            }
        }
        met == slots.len()
    }

    fn check_leaf_box(
        &self,
        number: usize,
        leaf: &InstanceLeaf,
        instance: &Instance,
    ) -> Result<(), WorldFault> {
        let mesh = self.mesh(instance);
        let part = match leaf.slot {
            NONE => Part::whole(mesh.root),
            slot => Part::of_slot(&mesh.nodes[slot as usize / NODE_WIDTH], slot as usize % NODE_WIDTH),
        };
        match outside(&leaf.bounds, instance, &part, mesh) {
            Some((plane, limit)) => {
                Err(WorldFault::LeafBox { leaf: number, plane, found: leaf.bounds[plane], limit })
            }
            None => Ok(()),
        }
    }
}

/// The first plane of a box that does not hold the images of a part of a mesh, grown, and a position that it would have to hold.
pub(super) fn outside(
    bounds: &[f32; 6],
    instance: &Instance,
    part: &Part,
    mesh: &MeshBoxes<'_>,
) -> Option<(usize, f64)> {
    let by = place::growth(instance, &mesh.root) * ENOUGH;
    (0..6).find_map(|plane| {
        let (end, axis, by) = (plane / 3, plane % 3, if plane < 3 { by } else { -by });
        let beyond = part.beyond(instance, mesh.nodes, (end, axis), f64::from(bounds[plane]) + by)?;
        Some((plane, beyond - by))
    })
}
