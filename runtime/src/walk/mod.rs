//! The loops over the tree, written once: what a query is decides the boxes and the leaves, not the loop.

pub(crate) mod all;
mod beam;
pub(crate) mod distance;
mod grid;
pub(crate) mod interleaved;
pub(crate) mod nearest;
pub(crate) mod packet;
pub(crate) mod pairs;
pub(crate) mod ray;

use bvhc_format::record::{Block, ChildRef, NODE_WIDTH, WideNode};

use crate::blocks::BlockSource;
use crate::model::Model;
use crate::prefetch;

/// How many nodes and blocks a walk may still visit.
///
/// In a file within the rules a walk visits each at most once. In a corrupt one, where many references
/// may lead to one node, this is what ends the walk.
///
/// Holds one more than the visits left; it is not asked again once it has said no.
pub(crate) struct Budget(u64);

impl Budget {
    pub(crate) fn of(model: &Model<'_>) -> Self {
        Self(model.nodes().len() as u64 + model.blocks().count() as u64 + 1)
    }

    /// For a walk of several rays or points, each of which may visit as much as one alone.
    pub(crate) fn of_many(model: &Model<'_>, count: u64) -> Self {
        let Self(of_one) = Self::of(model);
        Self(of_one.saturating_mul(count))
    }

    /// Whether one more visit is allowed.
    #[inline(always)]
    pub(crate) fn spend(&mut self) -> bool {
        self.0 = self.0.wrapping_sub(1);
        self.0 != 0
    }
}

/// How many rays or points take turns.
const INTERLEAVED: usize = 8;

/// What a child reference says of its block, if it leads to one, whether or not there is such a block.
#[inline(always)]
pub(crate) fn as_block(child: u32) -> Option<u32> {
    (child & ChildRef::BLOCK_BIT != 0).then_some(child & !ChildRef::BLOCK_BIT)
}

/// Brings what a child reference leads to near, since it is visited soon. Without a branch: whether that is a node or a
/// block is not to be guessed twice.
#[inline(always)]
pub(crate) fn prefetch_child(model: &Model<'_>, blocks: &impl BlockSource, child: u32) {
    let is_block = child & ChildRef::BLOCK_BIT != 0;
    let index = (child & !ChildRef::BLOCK_BIT) as usize;
    let node = model.nodes().as_ptr().cast::<i8>().wrapping_add(index.wrapping_mul(size_of::<WideNode>()));
    let block = blocks.address(index);
    // A block is half a node.
    let rest = core::hint::select_unpredictable(is_block, 0, size_of::<WideNode>() / 2);
    prefetch::lines_at(core::hint::select_unpredictable(is_block, block, node), rest);
}

/// Counts the work of a query and decides which triangles it sees.
///
/// Every method has a default, so that `()` sees everything and counts nothing, at no cost.
pub trait Probe {
    /// Whether [`accepts`](Self::accepts) ever says no; a query that need not ask is faster.
    const FILTERS: bool = true;

    /// Whether `visits_node` and `visits_block` do anything; a query that need not call them is faster.
    const COUNTS: bool = true;

    /// Whether the query sees the triangle with this number.
    fn accepts(&mut self, _triangle: u32) -> bool {
        true
    }

    /// The query tests the boxes of a node.
    fn visits_node(&mut self) {}

    /// The query tests the triangles of a block.
    fn visits_block(&mut self, _triangles: u32) {}
}

impl Probe for () {
    const FILTERS: bool = false;
    const COUNTS: bool = false;
}

/// Sees the triangles for which the function says yes.
#[derive(Clone, Copy, Debug)]
pub struct Filter<F>(pub F);

impl<F: FnMut(u32) -> bool> Probe for Filter<F> {
    const COUNTS: bool = false;

    fn accepts(&mut self, triangle: u32) -> bool {
        (self.0)(triangle)
    }
}

/// Sees everything and counts what queries test. The counts add up over queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Nodes visited; each is sixteen box tests.
    pub nodes: u64,
    /// Blocks visited.
    pub blocks: u64,
    /// Triangles in the blocks visited.
    pub triangles: u64,
}

impl Probe for Counters {
    const FILTERS: bool = false;

    fn visits_node(&mut self) {
        self.nodes += 1;
    }

    fn visits_block(&mut self, triangles: u32) {
        self.blocks += 1;
        self.triangles += u64::from(triangles);
    }
}

impl<P: Probe + ?Sized> Probe for &mut P {
    const FILTERS: bool = true;

    fn accepts(&mut self, triangle: u32) -> bool {
        (**self).accepts(triangle)
    }

    fn visits_node(&mut self) {
        (**self).visits_node();
    }

    fn visits_block(&mut self, triangles: u32) {
        (**self).visits_block(triangles);
    }
}

/// Any probe but `()`. Queries are compiled for this one, once, in this crate: for each probe of its own, a program would
/// compile every kernel of every level, which takes minutes.
pub(crate) struct Erased<'a> {
    probe: &'a mut dyn Callbacks,
    filters: bool,
    counts: bool,
}

impl<'a> Erased<'a> {
    pub(crate) fn new<P: Probe>(probe: &'a mut P) -> Self {
        Self { probe, filters: P::FILTERS, counts: P::COUNTS }
    }
}

/// The methods of a probe, of whatever type.
trait Callbacks {
    fn accepts(&mut self, triangle: u32) -> bool;
    fn visits_node(&mut self);
    fn visits_block(&mut self, triangles: u32);
}

impl<P: Probe> Callbacks for P {
    fn accepts(&mut self, triangle: u32) -> bool {
        Probe::accepts(self, triangle)
    }

    fn visits_node(&mut self) {
        Probe::visits_node(self);
    }

    fn visits_block(&mut self, triangles: u32) {
        Probe::visits_block(self, triangles);
    }
}

impl Probe for Erased<'_> {
    #[inline(always)]
    fn accepts(&mut self, triangle: u32) -> bool {
        !self.filters || self.probe.accepts(triangle)
    }

    #[inline(always)]
    fn visits_node(&mut self) {
        if self.counts {
            self.probe.visits_node();
        }
    }

    #[inline(always)]
    fn visits_block(&mut self, triangles: u32) {
        if self.counts {
            self.probe.visits_block(triangles);
        }
    }
}

/// A block that a walk has come to.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'a> {
    pub(crate) block: &'a Block,
    /// The reference that led to it, without the block bit.
    pub(crate) reference: u32,
    model: &'a Model<'a>,
}

impl<'a> Visit<'a> {
    #[inline(always)]
    pub(crate) fn new<P: Probe>(
        model: &'a Model<'a>,
        reference: u32,
        block: &'a Block,
        probe: &mut P,
    ) -> Self {
        probe.visits_block(u32::from(block.triangles));
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

    /// The number of the triangle in a lane, if the probe accepts it.
    #[inline(always)]
    pub(crate) fn accepted<P: Probe>(&self, lane: usize, probe: &mut P) -> Option<u32> {
        self.triangle(lane).filter(|triangle| !P::FILTERS || probe.accepts(*triangle))
    }

    /// Whether this is the block for which the query speaks of the triangle in a lane: of the blocks that
    /// hold it and that the query visits, the one referred to first.
    ///
    /// `meets` gives the slots of a node whose boxes the query visits. Boxes lie within those of their parents, and
    /// the tests of boxes are monotone, so a query that meets a block's box meets all above it.
    #[inline(always)]
    pub(crate) fn is_reporting_reference(
        &self,
        lane: usize,
        triangle: u32,
        meets: impl Fn(&WideNode) -> u32,
    ) -> bool {
        // In a corrupt file there may be more lanes than bits.
        let split = self.block.split.checked_shr(lane as u32).is_some_and(|bits| bits & 1 != 0);
        !split || self.is_first_met(triangle, meets)
    }

    #[inline(always)]
    fn is_first_met(&self, triangle: u32, meets: impl Fn(&WideNode) -> u32) -> bool {
        for place in self.model.places_of(triangle) {
            let (node, slot) =
                (place.to_native() as usize / NODE_WIDTH, place.to_native() as usize % NODE_WIDTH);
            let Some(node) = self.model.nodes().get(node) else { continue };
            if meets(node) & 1 << slot != 0 {
                return node.children[slot] == self.reference | ChildRef::BLOCK_BIT;
            }
        }
        true
    }
}
