//! The broad phase: all pairs of things whose boxes are near each other, by walks through two trees at once.

use core::cmp::Ordering;
use core::ops::ControlFlow;

use super::join::{Sides, join};
use super::snapshot::Snapshot;
use super::{MovingError, Thing};
use crate::bounds::Aabb;
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

    /// Orders pairs of one snapshot, in which a moving thing's number tells it from all others.
    fn key(&self) -> u128 {
        let key = |thing: Thing| match thing {
            Thing::Still(number) => u64::from(number),
            Thing::Moving(handle) => 1 << 32 | u64::from(handle.number),
        };
        u128::from(key(self.a)) << 64 | u128::from(key(self.b))
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
        let exact = f64::from(margin);
        // For all things together, as many as a walk for each of them may need.
        let mut first = FirstLeaves::of_walks(&self.still, self.moving.leaves.len());
        join(Sides::Two(&self.still, &self.moving), margin, &mut |still, own| {
            let Some(bounds) = self.moving.seen_bounds(own.instance) else {
                return ControlFlow::Continue(());
            };
            let query = grown(&bounds, exact);
            let is_near = touch(&still.bounds, &query) && self.still.seen_bounds(still.instance).is_some();
            if !is_near || !first.has(still, &query) {
                return ControlFlow::Continue(());
            }
            visit(ThingPair { a: Thing::Still(still.instance), b: self.moving(own.instance) })
        })?;
        join(Sides::Same(&self.moving), margin, &mut |one, other| {
            let (a, b) = (one.instance.min(other.instance), one.instance.max(other.instance));
            match (self.moving.seen_bounds(a), self.moving.seen_bounds(b)) {
                (Some(of_a), Some(of_b)) if are_near(&of_a, &of_b, exact) => {
                    visit(ThingPair { a: self.moving(a), b: self.moving(b) })
                }
                _ => ControlFlow::Continue(()),
            }
        })
    }

    /// Writes these pairs, sorted, into the caller's memory; returns how many they are. With the pairs of the last frame they
    /// give what has begun and ended ([`ThingPair::changes`]).
    ///
    /// # Errors
    /// [`MovingError::Pairs`] if there are more pairs than `pairs` has places, with their number: no pair is lost.
    pub fn near_pairs_into(&self, margin: f32, pairs: &mut [ThingPair]) -> Result<usize, MovingError> {
        let mut needed = 0;
        let _ = self.near_pairs(margin, |pair| {
            if let Some(place) = pairs.get_mut(needed) {
                *place = pair;
            }
            needed += 1;
            ControlFlow::Continue(())
        });
        let found = pairs.len();
        let written = pairs.get_mut(..needed).ok_or(MovingError::Pairs { needed, found })?;
        written.sort_unstable_by_key(ThingPair::key);
        Ok(needed)
    }
}

impl Things<'_> {
    /// The box of an instance that is in the layers.
    fn seen_bounds(&self, instance: u32) -> Option<Aabb> {
        let record = self.record(instance).filter(|record| record.layers & self.layers != 0)?;
        Some(bounds_of(record.bounds))
    }
}

/// Whether two boxes are at most `margin` apart on each axis.
fn are_near(a: &Aabb, b: &Aabb, margin: f64) -> bool {
    (0..3).all(|axis| {
        let between = |upper: &Aabb, lower: &Aabb| f64::from(upper.min[axis]) - f64::from(lower.max[axis]);
        between(a, b) <= margin && between(b, a) <= margin
    })
}
