//! Section samples: one vertex below each child of the tree of oriented boxes.

use bvhc_format::obb::{PAIR_WIDTH, PairRef, SampleNode};
use bvhc_format::section::SectionKind;

use super::table::ObbTable;
use crate::verify::blocks::BlockTable;
use crate::verify::checked::Checked;
use crate::verify::error::{Fault, VerifyError};
use crate::verify::leaves::{Leaf, exact_corners};
use crate::verify::plan::{Links, Plan, SlotAddress};

/// What is wrong with the samples.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleFault {
    /// A number does not lead to a triangle below the slot.
    #[error("node {node}, slot {slot}: its number {found:#x} is not that of a triangle below it (N2)")]
    Triangle {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The number: four times a leaf, plus a lane.
        found: u32,
    },
    /// A position is not a corner of the triangle.
    #[error("node {node}, slot {slot}: no corner of triangle {triangle} is at {found:?} (N3)")]
    Position {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
        /// The position, relative to the tree's origin.
        found: [f32; 3],
        /// The triangle.
        triangle: u32,
    },
    /// An empty slot does not repeat slot 0.
    #[error("node {node}, slot {slot} is empty, but does not repeat slot 0 (N4)")]
    Empty {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
    },
}

impl Fault for SampleFault {
    const SECTION: SectionKind = SectionKind::Samples;
}

/// A valid tree.
struct Beside<'a> {
    tree: &'a ObbTable<'a>,
    plan: &'a Plan<'a>,
    leaves: &'a [Leaf],
    table: &'a BlockTable<'a>,
}

/// N2 to N4, on a valid tree of oriented boxes.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), VerifyError> {
    let (model, table) = (checked.model, checked.table);
    let (Some(samples), Some(root)) = (model.sections().samples(), model.sections().obb_tree()) else {
        return Ok(());
    };
    let (tree, leaves) = (&ObbTable::of(root)?, checked.leaves());
    let links: Vec<Links> = tree.nodes.iter().map(|node| node.children).collect();
    let plan = &Plan::of(&links, checked, root.depth.to_native())?;
    let beside = Beside { tree, plan, leaves, table };
    Ok(samples.iter().enumerate().try_for_each(|(node, record)| beside.check(node, record))?)
}

impl Beside<'_> {
    fn check(&self, node: usize, record: &SampleNode) -> Result<(), SampleFault> {
        let children = &self.tree.nodes[node].children;
        for (slot, child) in children.iter().enumerate() {
            if *child != PairRef::EMPTY.0 {
                self.check_slot(SlotAddress { node, slot }, record)?;
            } else if bits(record, slot) != bits(record, 0) {
                return Err(SampleFault::Empty { node, slot });
            }
        }
        Ok(())
    }

    /// N2 and N3 for a used slot.
    fn check_slot(&self, address: SlotAddress, record: &SampleNode) -> Result<(), SampleFault> {
        let SlotAddress { node, slot } = address;
        let found = record.triangles[slot];
        let (leaf, lane) = (found as usize / PAIR_WIDTH, found as usize % PAIR_WIDTH);
        if !self.plan.holds(address, leaf, lane) {
            return Err(SampleFault::Triangle { node, slot, found });
        }
        let (leaf, found) = (&self.leaves[leaf], record.position.map(|axis| axis[slot]));
        let origin = self.tree.root.origin.map(|along| f64::from(along.to_native()));
        let is_there = |corner: &[f32; 3]| {
            // The f64 difference, rounded to f32, is correctly rounded: f64 has more than twice the bits plus 2.
            (0..3).all(|axis| {
                ((f64::from(corner[axis]) - origin[axis]) as f32).to_bits() == found[axis].to_bits()
            })
        };
        if !exact_corners(leaf, lane, self.table).iter().any(is_there) {
            return Err(SampleFault::Position { node, slot, found, triangle: leaf.triangles[lane] });
        }
        Ok(())
    }
}

/// The contents of a slot.
fn bits(record: &SampleNode, slot: usize) -> [u32; 4] {
    let [x, y, z] = record.position.map(|axis| axis[slot].to_bits());
    [x, y, z, record.triangles[slot]]
}
