//! The traversal loops, written once: a query supplies the tests of boxes and leaves, not the loop.

pub(crate) mod all;
pub(crate) mod duplicates;
pub(crate) mod interleaved;
pub(crate) mod nearest;
pub(crate) mod probe;
pub(crate) mod ray;
pub(crate) mod region;

use bvhc_format::record::{Block, ChildRef, NODE_WIDTH, WideNode};

use crate::model::Model;
use crate::prefetch::{self, Records};
use probe::Sink;

/// How many nodes and blocks a walk may still visit.
///
/// In a valid file a walk visits each at most once. In a corrupt one many references may lead to the same node; the
/// budget then ends the walk.
pub(crate) struct Budget(u64);

impl Budget {
    pub(crate) fn of(model: &Model<'_>) -> Self {
        Self(model.sections().nodes().len() as u64 + model.sections().blocks().count() as u64)
    }

    /// So many visits.
    pub(crate) fn of_visits(visits: u64) -> Self {
        Self(visits)
    }

    /// For a walk of several rays or points, each with the budget of a single one.
    pub(crate) fn of_many(model: &Model<'_>, count: u64) -> Self {
        let Self(of_one) = Self::of(model);
        Self(of_one.saturating_mul(count))
    }

    /// Whether one more visit is allowed; once it is not, none is.
    #[inline(always)]
    pub(crate) fn spend(&mut self) -> bool {
        let left = self.0.checked_sub(1);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// The reference to a tree's root.
pub(crate) const ROOT: u32 = ChildRef::node(0).0;

/// The block part of a child reference, if it refers to a block. The block need not exist.
#[inline(always)]
pub(crate) fn as_block(child: u32) -> Option<u32> {
    (child & ChildRef::BLOCK_BIT != 0).then_some(child & !ChildRef::BLOCK_BIT)
}

/// Prefetches what a child reference refers to.
#[inline(always)]
pub(crate) fn prefetch_child(model: &Model<'_>, child: u32) {
    prefetch_record(model.records(), child);
}

/// Prefetches the children in the slots given as bits.
#[inline(always)]
fn prefetch_children(model: &Model<'_>, node: &WideNode, mut slots: u32) {
    while slots != 0 {
        prefetch_child(model, node.children[slots.trailing_zeros() as usize % NODE_WIDTH]);
        slots &= slots - 1;
    }
}

/// The same in a tree of these nodes and blocks.
#[inline(always)]
pub(crate) fn prefetch_record((nodes, blocks): (Records, Records), child: u32) {
    let index = (child & !ChildRef::BLOCK_BIT) as usize;
    prefetch::node_or_block(nodes, blocks, child & ChildRef::BLOCK_BIT != 0, index);
}

/// A block that a walk visits.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'a> {
    pub(crate) block: &'a Block,
    /// The reference to it, without the block bit.
    pub(crate) reference: u32,
    model: &'a Model<'a>,
}

impl<'a> Visit<'a> {
    #[inline(always)]
    pub(crate) fn new(model: &'a Model<'a>, reference: u32, block: &'a Block, sink: &mut impl Sink) -> Self {
        sink.visits_block(u32::from(block.triangles));
        Self { block, reference, model }
    }

    /// How many lanes hold triangles.
    pub(crate) fn lanes(&self) -> usize {
        usize::from(self.block.triangles).min(bvhc_format::record::BLOCK_WIDTH)
    }

    /// The number of the triangle in a lane; `None` in a corrupt file.
    #[inline(always)]
    pub(crate) fn triangle(&self, lane: usize) -> Option<u32> {
        self.model.triangle_at(self.block.first, lane)
    }
}
