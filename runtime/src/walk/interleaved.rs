//! Interleaved walks: one visit of each in turn.
//!
//! A walk waits for memory, and for the outcome of its tests before it knows where to continue. The next visit of each
//! walk is prefetched while the others make theirs. For models that fit into the caches this is no faster than one walk
//! after the other: each walk's state is in memory, and branches are harder to predict.

use super::Budget;
use crate::model::Model;

/// How many walks are interleaved.
pub(crate) const INTERLEAVED: usize = 8;

/// Walks that can be interleaved, each in one of [`INTERLEAVED`] slots.
pub(crate) trait Walks {
    /// The state of a walk.
    type Walker;

    /// Starts the next walk in a free slot; `None` if there are no more.
    fn start(&mut self, slot: usize) -> Option<Self::Walker>;

    /// Makes a visit and prefetches the next one; returns whether there is one.
    fn step(&mut self, slot: usize, walker: &mut Self::Walker) -> bool;

    /// Takes the result of a walk that has ended.
    fn finish(&mut self, walker: Self::Walker);
}

/// Runs all walks. Each has the budget of a walk of its own, so that also in a corrupt file its result is that of a walk
/// that is not interleaved.
#[inline(always)]
pub(crate) fn run<W: Walks>(walks: &mut W, model: &Model<'_>) {
    let mut walkers: [Option<(W::Walker, Budget)>; INTERLEAVED] = [const { None }; INTERLEAVED];
    let (mut slot, mut idle) = (0, 0);
    while idle < INTERLEAVED {
        slot = (slot + 1) % INTERLEAVED;
        let entry = &mut walkers[slot];
        let Some((walker, budget)) = entry else {
            *entry = walks.start(slot).map(|walker| (walker, Budget::of(model)));
            idle = if entry.is_some() { 0 } else { idle + 1 };
            continue;
        };
        idle = 0;
        if !(budget.spend() && walks.step(slot, walker))
            && let Some((walker, _)) = entry.take()
        {
            walks.finish(walker);
        }
    }
}
