//! Duplicate elimination: a query that comes to a split triangle in several blocks reports it once.

use bvhc_format::record::{ChildRef, NODE_WIDTH, WideNode};
use rkyv::rend::u32_le;

use super::Visit;
use super::probe::Sink;
use crate::model::Model;

/// So many split triangles of a query are remembered.
const REMEMBERED: usize = 8;

/// Decides which visits of a query report a triangle.
///
/// The first few split triangles that a query reports are remembered: to look up one in section splits costs several accesses to
/// memory that is in no cache, and most queries report few.
///
/// Any other split triangle is reported by the first of the blocks that hold it, in the order of section splits, and that the query
/// visits. Had it visited one of them while there was still room, the triangle would be remembered: so it visits all of them later.
/// Boxes lie within those of their parents and box tests are monotone, so a query visits a block if it meets the block's own box.
/// From a block, the slots before it are tested in descending order until one is met: that one's block reports the triangle, or one
/// before it. So a query tests each slot at most once from the next one met, and once more from its own block: in a valid
/// file, no more tests than twice the slots of section splits.
pub(crate) struct DuplicateElimination<'m> {
    model: &'m Model<'m>,
    /// Split triangles that were reported: the first `known`.
    reported: [u32; REMEMBERED],
    known: usize,
    /// How many slots may still be tested. More than twice as many as there are is a sign of a corrupt file.
    tests: u64,
    /// How many triangles may still be reported. A query that reports more than there are is in a corrupt file.
    reports: u64,
}

impl<'m> DuplicateElimination<'m> {
    pub(crate) fn new(model: &'m Model<'m>) -> Self {
        let slots = model.sections().splits().map_or(0, |splits| splits.slots.get().len());
        let (tests, reports) = (2 * slots as u64, model.most_reports());
        Self { model, reported: [0; REMEMBERED], known: 0, tests, reports }
    }

    /// Whether a visited block reports the triangle in a lane. `meets` gives the slots of a node whose boxes the query meets.
    #[inline(always)]
    pub(crate) fn reports(
        &mut self,
        visit: &Visit<'_>,
        lane: usize,
        triangle: u32,
        sink: &mut impl Sink,
        meets: impl Fn(&WideNode) -> u32,
    ) -> bool {
        // In a corrupt file there may be more lanes than bits.
        let split = visit.block.split.checked_shr(lane as u32).is_some_and(|bits| bits & 1 != 0);
        if split && !self.reports_split(triangle, visit.reference, sink, meets) {
            return false;
        }
        let Some(reports) = self.reports.checked_sub(1) else { return false };
        self.reports = reports;
        true
    }

    /// The same of a split triangle, in a block that a reference names.
    #[inline(always)]
    fn reports_split(
        &mut self,
        triangle: u32,
        reference: u32,
        sink: &mut impl Sink,
        meets: impl Fn(&WideNode) -> u32,
    ) -> bool {
        if self.reported.iter().take(self.known).any(|reported| *reported == triangle) {
            return false;
        }
        if let Some(room) = self.reported.get_mut(self.known) {
            *room = triangle;
            self.known += 1;
            return true;
        }
        self.is_first_met(triangle, reference | ChildRef::BLOCK_BIT, sink, meets)
    }

    /// Whether the query meets the slot of a reference, and none before it of those that hold the triangle.
    #[inline(always)]
    fn is_first_met(
        &mut self,
        triangle: u32,
        reference: u32,
        sink: &mut impl Sink,
        meets: impl Fn(&WideNode) -> u32,
    ) -> bool {
        let nodes = self.model.sections().nodes();
        let target = |address: &u32_le| {
            let address = address.to_native() as usize;
            Some((nodes.get(address / NODE_WIDTH)?, address % NODE_WIDTH))
        };
        let child = |address: &u32_le| target(address).map_or(0, |(node, slot)| node.children[slot]);
        let slots = self.model.slots_of(triangle);
        let own = slots.partition_point(|address| child(address) < reference);
        // Only in a corrupt file the reference is not there.
        let Some(up_to_own) = slots.get(..=own) else { return true };
        for (before, address) in up_to_own.iter().rev().enumerate() {
            let Some(tests) = self.tests.checked_sub(1) else { return false };
            self.tests = tests;
            sink.visits_node();
            let met = target(address).is_some_and(|(node, slot)| meets(node) & 1 << slot != 0);
            let is_own = before == 0;
            if met != is_own {
                return false;
            }
        }
        true
    }
}
