//! What a query may see, and what it counts.

use super::Visit;

/// Counts the work of a query and decides which triangles it sees.
///
/// Every method has a default; `()` sees everything and counts nothing, at no cost.
pub trait Probe {
    /// Whether [`accepts`](Self::accepts) may ever return false; queries are faster if not.
    const FILTERS: bool = true;

    /// Whether `visits_node` and `visits_block` do anything; queries are faster if not.
    const COUNTS: bool = true;

    /// Whether the query sees the triangle of this number.
    fn accepts(&mut self, _triangle: u32) -> bool {
        true
    }

    /// Called when the query tests the boxes of a node.
    fn visits_node(&mut self) {}

    /// Called when the query tests the triangles of a block.
    fn visits_block(&mut self, _triangles: u32) {}
}

impl Probe for () {
    const FILTERS: bool = false;
    const COUNTS: bool = false;
}

/// Sees the triangles for which the function returns true.
#[derive(Clone, Copy, Debug)]
pub struct Filter<F>(pub F);

impl<F: FnMut(u32) -> bool> Probe for Filter<F> {
    const COUNTS: bool = false;

    fn accepts(&mut self, triangle: u32) -> bool {
        (self.0)(triangle)
    }
}

/// Sees everything and counts what queries test. Counts accumulate over queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Nodes visited, with sixteen box tests each.
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

/// Receives a walk's visits and decides which triangles it sees: either nothing, at no cost, or any [`Probe`].
///
/// Walks are compiled for these two only, in this crate. Otherwise a program would compile every kernel at every level
/// for each of its own probes, which takes minutes. Nothing has a copy of its own as a ray that asks for flags instead takes 2 to 6 %
/// longer at AVX2 and 10 to 20 % at AVX-512 (Zen 4, 2026-11-25), although it takes only 2 to 3 % more instructions.
pub(crate) trait Sink {
    /// Whether any triangle may be rejected.
    fn filters(&self) -> bool;

    /// Whether the query sees the triangle in a lane; false if a corrupt file has no number for it.
    fn accepts(&mut self, visit: &Visit<'_>, lane: usize) -> bool;

    /// As [`accepts`](Self::accepts), for a triangle whose number is known.
    fn accepts_number(&mut self, triangle: u32) -> bool;

    fn visits_node(&mut self);

    fn visits_block(&mut self, triangles: u32);

    /// Calls `ask` with this as a type-erased probe.
    fn with_erased<R>(&mut self, ask: impl FnOnce(&mut Erased<'_>) -> R) -> R;
}

impl Sink for () {
    #[inline(always)]
    fn filters(&self) -> bool {
        false
    }

    #[inline(always)]
    fn accepts(&mut self, _: &Visit<'_>, _: usize) -> bool {
        true
    }

    #[inline(always)]
    fn accepts_number(&mut self, _: u32) -> bool {
        true
    }

    #[inline(always)]
    fn visits_node(&mut self) {}

    #[inline(always)]
    fn visits_block(&mut self, _: u32) {}

    fn with_erased<R>(&mut self, ask: impl FnOnce(&mut Erased<'_>) -> R) -> R {
        ask(&mut Erased::new(self))
    }
}

/// A type-erased probe.
pub(crate) struct Erased<'a> {
    probe: &'a mut dyn Callbacks,
    filters: bool,
    counts: bool,
}

impl<'a> Erased<'a> {
    pub(crate) fn new<P: Probe>(probe: &'a mut P) -> Self {
        Self { probe, filters: P::FILTERS, counts: P::COUNTS }
    }

    /// Whether it neither filters nor counts.
    pub(crate) fn is_idle(&self) -> bool {
        !self.filters && !self.counts
    }
}

/// The methods of a probe, as a trait object.
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

impl Sink for Erased<'_> {
    #[inline(always)]
    fn filters(&self) -> bool {
        self.filters
    }

    #[inline(always)]
    fn accepts(&mut self, visit: &Visit<'_>, lane: usize) -> bool {
        !self.filters || visit.triangle(lane).is_some_and(|triangle| self.probe.accepts(triangle))
    }

    #[inline(always)]
    fn accepts_number(&mut self, triangle: u32) -> bool {
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
    fn with_erased<R>(&mut self, ask: impl FnOnce(&mut Erased<'_>) -> R) -> R {
        ask(self)
    }
}
