//! The broad phase: all pairs of things whose boxes are near each other, by walks through two trees at once.

use core::cmp::Ordering;
use core::ops::ControlFlow;

use bvhc_format::world::Instance;

use super::join::{Sides, join};
use super::known::boxes_of;
use super::memory::MAX_CAPACITY;
use super::snapshot::Snapshot;
use super::tree::Bounds;
use super::{MovingError, Thing};
use crate::bounds::Aabb;
use crate::prefetch;
use crate::world::bounds_of;
use crate::world::things::Things;
use crate::world::walk::{FirstLeaves, grown, touch};

/// Two things that are near each other, of which one at least moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThingPair {
    /// The lower one, in the order of [`Thing`].
    pub a: Thing,
    /// The higher one: it moves.
    pub b: Thing,
}

/// What became of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is near now, and was not before.
    Begun,
    /// It was near before, and is not now; its things may be gone.
    Ended,
}

impl ThingPair {
    /// Calls `visit` with each pair that is in one of two sorted lists only, in their order. Cost: linear.
    pub fn changes(before: &[Self], now: &[Self], mut visit: impl FnMut(Self, Change)) {
        let (mut before, mut now) = (before.iter().copied().peekable(), now.iter().copied().peekable());
        loop {
            let order = match (before.peek(), now.peek()) {
                (Some(old), Some(new)) => old.cmp(new),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return,
            };
            let old = if order.is_le() { before.next() } else { None };
            let new = if order.is_ge() { now.next() } else { None };
            match (old, new) {
                (Some(pair), None) => visit(pair, Change::Ended),
                (None, Some(pair)) => visit(pair, Change::Begun),
                _ => {}
            }
        }
    }

    /// Orders pairs of one snapshot, in which a moving thing's number, below [`MAX_CAPACITY`], tells it from all others.
    fn key(&self) -> u64 {
        let key = |thing: Thing| match thing {
            Thing::Still(number) => u64::from(number),
            Thing::Moving(handle) => 1 << 32 | u64::from(handle.number),
        };
        key(self.a) * u64::from(MAX_CAPACITY) + (key(self.b) & u64::from(MAX_CAPACITY - 1))
    }
}

impl Snapshot<'_> {
    /// Calls `visit` with each pair of things, of which one at least moves, whose boxes are at most `margin` apart on each axis,
    /// once, in no particular order, until it returns `Break`, which is then returned.
    ///
    /// No pair is lost. Of two that move, none is found that is farther, as f64 has it. A pair with an instance of the file is
    /// found where the moving box, grown by the margin and rounded outward to f32, touches a box of the instance's leaves: of an
    /// instance that the compiler has opened, the boxes of its parts.
    ///
    /// Boxes are those that the caller gave, and those around instances ([`MovingWorld::bounds`](super::MovingWorld::bounds),
    /// [`Instance::bounds`](crate::Instance::bounds)), which are no smaller than the instances. Only things in the layers that
    /// the snapshot sees count. A negative margin or NaN finds nothing. Cost: a walk through the tree of what moves and itself, and
    /// one through it and the file's, each two nodes at once.
    pub fn near_pairs(
        &self,
        margin: f32,
        mut visit: impl FnMut(ThingPair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if margin.is_nan() || margin < 0.0 {
            return ControlFlow::Continue(());
        }
        let mut near = Near::of(self, None, margin);
        self.candidates(margin, &mut |a, b| match near.has([a, b]) {
            true => visit(self.things([a, b])),
            false => ControlFlow::Continue(()),
        })
    }

    /// The things of two of the boxes that [`candidates`](Self::candidates) has.
    #[inline(always)]
    pub(super) fn things(&self, [a, b]: [u32; 2]) -> ThingPair {
        let leaves = self.still.leaves;
        let (low, high) = (a.min(b), a.max(b));
        let moving = |of: u32| self.moving(of.saturating_sub(leaves.len() as u32));
        // Each as a whole, as a copy of what was written by parts waits for it.
        match leaves.get(low as usize) {
            Some(leaf) => ThingPair { a: Thing::Still(leaf.instance), b: moving(high) },
            None => ThingPair { a: moving(low), b: moving(high) },
        }
    }

    /// Calls `visit` once with each pair of boxes that [`Near`] accepts, and with others, in no particular order, until it returns
    /// `Break`. The leaves of the compiled world come first, then the boxes of moving things, by their numbers.
    pub(super) fn candidates(
        &self,
        margin: f32,
        visit: &mut dyn FnMut(u32, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let first = self.still.leaves.len() as u32;
        let mut waiting = Waiting::default();
        let mut later = |a: u32, b: u32| {
            self.prefetch([a, b]);
            waiting.exchange([a, b]).map_or(ControlFlow::Continue(()), |[a, b]| visit(a, b))
        };
        join(Sides::Two(&self.still, &self.moving), margin, &mut |leaf, number| later(leaf, first + number))?;
        join(Sides::Same(&self.moving), margin, &mut |a, b| later(first + a, first + b))?;
        waiting.rest().try_for_each(|[a, b]| visit(a, b))
    }

    /// Prefetches what [`Near`] reads of two boxes.
    #[inline(always)]
    fn prefetch(&self, boxes: [u32; 2]) {
        let leaves = self.still.leaves;
        for of in boxes {
            let record = match leaves.get(of as usize) {
                Some(leaf) => {
                    prefetch::instance_leaf(leaf);
                    // The one before it may be of the same instance.
                    prefetch::instance_leaf(&leaves[(of as usize).saturating_sub(1)]);
                    // Where each instance has one leaf, they are in the same order.
                    let is_by_place = leaves.len() == self.still.records.len();
                    is_by_place.then(|| self.still.records.get(of as usize)).flatten()
                }
                None => self.moving.records.get(of as usize - leaves.len()),
            };
            if let Some(record) = record {
                prefetch::instance_bounds(record);
            }
        }
    }

    /// Calls `visit` with each of these boxes that touches `query`, until it returns `Break`.
    pub(super) fn boxes_in_box(
        &self,
        query: &Aabb,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let first = self.still.leaves.len() as u32;
        self.still.places_in_box(query, visit)?;
        self.moving.places_in_box(query, &mut |number| visit(first.saturating_add(number)))
    }

    /// Writes these pairs, sorted, into the caller's memory; returns how many they are. With the pairs of the last frame they
    /// give what has begun and ended ([`ThingPair::changes`]).
    ///
    /// # Errors
    /// [`MovingError::Pairs`] if there are more pairs than `pairs` has places, with their number: no pair is lost.
    pub fn near_pairs_into(&self, margin: f32, pairs: &mut [ThingPair]) -> Result<usize, MovingError> {
        let mut written = Written::to(pairs);
        let _ = self.near_pairs(margin, |pair| {
            written.add(pair);
            ControlFlow::Continue(())
        });
        written.sorted()
    }
}

/// So many pairs wait for what was prefetched of them.
const WAITING: usize = 16;

/// Pairs of boxes that come out in the order in which they went in, each after some others.
#[derive(Default)]
struct Waiting {
    pairs: [[u32; 2]; WAITING],
    count: usize,
}

impl Waiting {
    /// Takes a pair, and returns the one that has waited longest, if as many wait as may.
    #[inline(always)]
    fn exchange(&mut self, pair: [u32; 2]) -> Option<[u32; 2]> {
        let place = &mut self.pairs[self.count % WAITING];
        let before = core::mem::replace(place, pair);
        self.count += 1;
        (self.count > WAITING).then_some(before)
    }

    /// Those that still wait.
    fn rest(&self) -> impl Iterator<Item = [u32; 2]> {
        (self.count.saturating_sub(WAITING)..self.count).map(|at| self.pairs[at % WAITING])
    }
}

/// Pairs in the caller's memory, counted beyond its end.
pub(super) struct Written<'p> {
    pairs: &'p mut [ThingPair],
    count: usize,
    /// The key of the last one.
    last: u64,
    is_sorted: bool,
}

impl<'p> Written<'p> {
    pub(super) fn to(pairs: &'p mut [ThingPair]) -> Self {
        Self { pairs, count: 0, last: 0, is_sorted: true }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, pair: ThingPair) {
        if let Some(place) = self.pairs.get_mut(self.count) {
            *place = pair;
        }
        self.count += 1;
        let key = pair.key();
        self.is_sorted &= self.last <= key;
        self.last = key;
    }

    /// Adds those of the known pairs that are near.
    pub(super) fn add_near(&mut self, known: &[u64], now: &Snapshot<'_>, margin: f32) {
        let mut near = Near::of(now, None, margin);
        for (index, pair) in known.iter().enumerate() {
            if let Some(ahead) = known.get(index + WAITING) {
                now.prefetch(boxes_of(*ahead));
            }
            let boxes = boxes_of(*pair);
            if near.has(boxes) {
                self.add(now.things(boxes));
            }
        }
    }

    pub(super) fn sorted(self) -> Result<usize, MovingError> {
        let (needed, found) = (self.count, self.pairs.len());
        let written = self.pairs.get_mut(..needed).ok_or(MovingError::Pairs { needed, found })?;
        if !self.is_sorted {
            written.sort_unstable_by_key(ThingPair::key);
        }
        Ok(needed)
    }
}

/// Decides which of the boxes that are met by walks, overlap in a sweep or are kept, are near.
pub(super) struct Near<'s, 'w> {
    snapshot: &'s Snapshot<'w>,
    /// Those of the moving things, and the same grown by the margin, if all things that are asked about are seen: records are larger
    /// and farther apart.
    boxes: Option<[&'s [Bounds]; 2]>,
    margin: f64,
    first: FirstLeaves<'w>,
}

impl<'s, 'w> Near<'s, 'w> {
    pub(super) fn of(snapshot: &'s Snapshot<'w>, boxes: Option<[&'s [Bounds]; 2]>, margin: f32) -> Self {
        // For all things together, as many as a walk for each of them may need.
        let first = FirstLeaves::of_walks(&snapshot.still, snapshot.moving.leaves.len());
        Self { snapshot, boxes, margin: f64::from(margin), first }
    }

    /// Whether two of the boxes that [`Snapshot::candidates`] has are near. Of a leaf of the compiled world: whether it is the first one
    /// of its instance's that is.
    pub(super) fn has(&mut self, [a, b]: [u32; 2]) -> bool {
        let leaves = self.snapshot.still.leaves.len() as u32;
        let (low, high) = (a.min(b), a.max(b).saturating_sub(leaves));
        let is_near = match low.checked_sub(leaves) {
            Some(low) => self.has_moving(low, high),
            None => self.has_still(low, high),
        };
        is_near.is_some_and(|is_near| is_near)
    }

    fn has_still(&mut self, place: u32, number: u32) -> Option<bool> {
        let Snapshot { still, .. } = self.snapshot;
        let leaf = still.leaves.get(place as usize)?;
        let query = match self.boxes {
            Some([_, grown]) => bounds_of(*grown.get(number as usize)?),
            None => grown(&self.seen_bounds(number)?, self.margin),
        };
        let is_seen = || self.boxes.is_some() || still.seen_record(leaf.instance).is_some();
        Some(touch(&leaf.bounds, &query) && is_seen() && self.first.has_at(place as usize, &query))
    }

    fn has_moving(&self, low: u32, high: u32) -> Option<bool> {
        Some(are_near(&self.seen_bounds(low)?, &self.seen_bounds(high)?, self.margin))
    }

    /// The box of a moving thing, if it is seen.
    fn seen_bounds(&self, number: u32) -> Option<Aabb> {
        match self.boxes {
            Some([boxes, _]) => boxes.get(number as usize).map(|bounds| bounds_of(*bounds)),
            None => self.snapshot.moving.seen_bounds(number),
        }
    }
}

impl Things<'_> {
    /// The record of an instance that is in the layers.
    pub(super) fn seen_record(&self, instance: u32) -> Option<&Instance> {
        self.record(instance).filter(|record| record.layers & self.layers != 0)
    }

    /// Its box.
    pub(super) fn seen_bounds(&self, instance: u32) -> Option<Aabb> {
        self.seen_record(instance).map(|record| bounds_of(record.bounds))
    }
}

/// Whether two boxes are at most `margin` apart on each axis.
fn are_near(a: &Aabb, b: &Aabb, margin: f64) -> bool {
    (0..3).fold(true, |are_near, axis| {
        let between = |upper: &Aabb, lower: &Aabb| f64::from(upper.min[axis]) - f64::from(lower.max[axis]);
        are_near & (between(a, b) <= margin) & (between(b, a) <= margin)
    })
}
