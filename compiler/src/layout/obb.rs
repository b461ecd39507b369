//! Builds the records of section obb-tree from a tree of oriented boxes. Boxes are rounded so that they stay
//! conservative.

use bvhc_format::obb::{ObbNode, PAIR_WIDTH, PackedObbNode, PackedRotation, PackedStep, PairRef};
use bvhc_format::record::{BLOCK_WIDTH, Block, TreeStatistics};
use bvhc_format::section::SectionKind;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::WideTree;
use super::extremes::{Groups, HalfExtents, Slabs};
use super::leaf::LeafTable;
use super::{pair_statistics, used_bounds};
use crate::fit::{Frame, smallest_rotation};
use crate::math::vector::round_up;
use crate::mesh::Mesh;
use crate::pair::obb::{Child, Tree};

/// The contents of section obb-tree, and its statistics.
pub struct ObbRecords {
    /// The point that centres are relative to.
    pub origin: [f32; 3],
    /// An upper bound for the distance of boxes from `origin`.
    pub radius: f32,
    /// Levels of nodes.
    pub depth: u32,
    /// The nodes.
    pub nodes: ObbForm,
    /// The tree's statistics.
    pub statistics: TreeStatistics,
}

/// The records of nodes, in one of two forms.
pub enum ObbForm {
    /// Numbers of 32 bits.
    Plain(Vec<ObbNode>),
    /// Numbers of 16 bits and less.
    Packed(Vec<PackedObbNode>),
}

impl ObbForm {
    /// Bytes of all records.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Plain(nodes) => size_of_val(&**nodes),
            Self::Packed(nodes) => size_of_val(&**nodes),
        }
    }
}

/// The address of each triangle in the blocks: 16 times the reference of a block that holds it, plus the lane. `None`
/// if an address exceeds 32 bits.
///
/// `references` are the references of the blocks, in order.
pub fn addresses(
    wide: &WideTree,
    references: impl Iterator<Item = u32>,
    triangles: usize,
) -> Option<Vec<u32>> {
    let mut addresses = vec![u32::MAX; triangles];
    let lanes = |block: &Block| 0..u32::from(block.triangles);
    for (block, reference) in wide.blocks.iter().zip(references) {
        let first = reference.checked_mul(BLOCK_WIDTH as u32)?;
        for lane in lanes(block) {
            addresses[wide.triangles[(block.first + lane) as usize] as usize] = first.checked_add(lane)?;
        }
    }
    Some(addresses)
}

/// Builds the records of a tree over a mesh, in packed or plain form, and adds its leaves to those of other trees.
pub fn lay_out_obbs(tree: &Tree, mesh: &Mesh, leaves: &mut LeafTable, packed: bool) -> ObbRecords {
    let writer = Writer::new(tree, mesh);
    let references = leaves.references_of(tree);
    let nodes = references.par_iter().zip(&tree.nodes);
    let figures = |nodes: &[ObbNode]| {
        let slots =
            nodes.iter().flat_map(|node| (0..PAIR_WIDTH).map(move |slot| radius_from_origin(node, slot)));
        let counts = [nodes.len(), tree.leaf_count(), mesh.triangles.len()];
        let cost = collision_cost(nodes);
        let statistics = pair_statistics(SectionKind::ObbTree, tree.depth, counts, cost);
        (round_up(slots.fold(0.0, f64::max)), statistics)
    };
    let (nodes, (radius, statistics)) = if packed {
        let packed: Vec<_> =
            nodes.map(|(references, node)| writer.packed_node(tree.children(node), *references)).collect();
        let unpacked: Vec<_> = packed.par_iter().map(PackedObbNode::unpack).collect();
        (ObbForm::Packed(packed), figures(&unpacked))
    } else {
        let nodes: Vec<_> =
            nodes.map(|(references, node)| writer.node(tree.children(node), *references)).collect();
        let figures = figures(&nodes);
        (ObbForm::Plain(nodes), figures)
    };
    ObbRecords { origin: writer.origin, radius, depth: tree.depth, nodes, statistics }
}

struct Writer<'a> {
    groups: Groups<'a>,
    origin: [f32; 3],
    /// Bounds the f64 rounding error of differences from the origin and from a centre.
    rounding: f64,
}

impl<'a> Writer<'a> {
    fn new(tree: &'a Tree, mesh: &'a Mesh) -> Self {
        let bounds = used_bounds(mesh);
        let groups = Groups::new(mesh, &tree.order);
        Self { groups, origin: bounds.centre(), rounding: bounds.extents() / (1u64 << 50) as f64 }
    }

    fn node(&self, children: &[Child], references: [u32; PAIR_WIDTH]) -> ObbNode {
        let mut record = ObbNode { children: references, ..ObbNode::EMPTY };
        for (slot, child) in children.iter().enumerate() {
            let quaternion = child.obb.frame.quaternion().map(|x| x as f32);
            let frame = Frame::from_quaternion(quaternion.map(f64::from));
            let centre = self.centre(child, &frame).map(|x| x as f32);
            let half_extents = self.half_extents(child, &frame, &centre).map(round_up);
            put(&mut record.rotation, slot, quaternion);
            put(&mut record.centre, slot, centre);
            put(&mut record.half_extents, slot, half_extents);
        }
        record
    }

    /// Rounds orientation, centre and half extents one after the other, and fits each to the already rounded values as
    /// a reader unpacks them.
    fn packed_node(&self, children: &[Child], references: [u32; PAIR_WIDTH]) -> PackedObbNode {
        let mut record = PackedObbNode { children: references, ..PackedObbNode::EMPTY };
        for (slot, child) in children.iter().enumerate() {
            record.rotation[slot] = PackedRotation::pack(smallest_rotation(&child.obb.frame)).0;
        }
        let unpacked = record.unpack();
        let frame = |slot: usize| Frame::from_quaternion(unpacked.rotation.map(|part| f64::from(part[slot])));
        let slots = || children.iter().enumerate();
        let centres: Vec<_> = slots().map(|(slot, child)| self.centre(child, &frame(slot))).collect();
        let lower = [0, 1, 2].map(|axis| centres.iter().map(|c| c[axis]).fold(f64::INFINITY, f64::min));
        let upper = [0, 1, 2].map(|axis| centres.iter().map(|c| c[axis]).fold(f64::NEG_INFINITY, f64::max));
        record.origin = lower.map(|x| x as f32);
        let centre_step = step((0..3).map(|axis| upper[axis] - lower[axis]).fold(0.0, f64::max));
        record.centre_step = centre_step.0;
        for (slot, centre) in centres.iter().enumerate() {
            let steps = [0, 1, 2].map(|axis| {
                let along = (centre[axis] - f64::from(record.origin[axis])) / f64::from(centre_step.get());
                along.round() as u16
            });
            put(&mut record.centre, slot, steps);
        }
        let unpacked = record.unpack();
        let half_extents: Vec<_> = slots()
            .map(|(slot, child)| {
                self.half_extents(child, &frame(slot), &unpacked.centre.map(|axis| axis[slot]))
            })
            .collect();
        let extent_step = step(half_extents.iter().flatten().copied().fold(0.0, f64::max));
        record.extent_step = extent_step.0;
        for (slot, half_extents) in half_extents.iter().enumerate() {
            put(&mut record.half_extents, slot, half_extents.map(|half| steps_up(half, extent_step.get())));
        }
        record
    }

    /// The centre of a child's box in this orientation, relative to the tree's origin.
    fn centre(&self, child: &Child, frame: &Frame) -> [f64; 3] {
        let mut slabs = Slabs::new(frame);
        self.groups.show(&child.range, &mut slabs);
        let centre = frame.point(slabs.middles());
        [0, 1, 2].map(|axis| centre[axis] - f64::from(self.origin[axis]))
    }

    /// Half the extents of a child's box in this orientation and around this centre.
    fn half_extents(&self, child: &Child, frame: &Frame, centre: &[f32; 3]) -> [f64; 3] {
        let mut extremes = HalfExtents::new(frame, self.origin.map(f64::from), centre.map(f64::from));
        self.groups.show(&child.range, &mut extremes);
        extremes.get().map(|half| half + self.rounding)
    }
}

/// An upper bound for the distance of a point of a slot's box from the tree's origin.
fn radius_from_origin(node: &ObbNode, slot: usize) -> f64 {
    if node.children[slot] == PairRef::EMPTY.0 {
        return 0.0;
    }
    let length = |vector: &[[f32; PAIR_WIDTH]; 3]| {
        vector.iter().map(|axis| f64::from(axis[slot]).powi(2)).sum::<f64>().sqrt()
    };
    length(&node.centre) + length(&node.half_extents)
}

/// Writes a vector into a slot.
pub(super) fn put<T: Copy, const N: usize>(lanes: &mut [[T; PAIR_WIDTH]; N], slot: usize, vector: [T; N]) {
    for (lanes, part) in lanes.iter_mut().zip(vector) {
        lanes[slot] = part;
    }
}

/// A step such that 65534 steps are at least `most`.
fn step(most: f64) -> PackedStep {
    PackedStep::at_least(round_up(most / f64::from(u16::MAX - 1)))
}

/// A number of steps whose product with `step`, rounded to f32, is at least `x`.
fn steps_up(x: f64, step: f32) -> u16 {
    let steps = (x / f64::from(step)) as u16;
    let is_enough = |steps: &u16| f64::from(step * f32::from(*steps)) >= x;
    (steps..=u16::MAX).find(is_enough).expect("a step is long enough for its largest number")
}

/// Estimated cost of a walk against a similar model (FORMAT.md, M6): the sum of the collision measures of all boxes,
/// divided by the sum over the root's children.
fn collision_cost(nodes: &[ObbNode]) -> f32 {
    let measure = |node: &ObbNode, slot: usize| {
        let extents = node.half_extents.map(|axis| 2.0 * f64::from(axis[slot]));
        if node.children[slot] == PairRef::EMPTY.0 {
            0.0
        } else {
            crate::fit::Objective::Collision.measure(extents)
        }
    };
    let of_node = |node: &ObbNode| (0..PAIR_WIDTH).map(|slot| measure(node, slot)).sum::<f64>();
    let whole = of_node(&nodes[0]);
    (nodes.iter().map(of_node).sum::<f64>() / whole.max(f64::MIN_POSITIVE)) as f32
}

#[cfg(test)]
mod tests;
