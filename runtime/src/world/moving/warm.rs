//! Warm starts of the narrow phase, kept by pair in the caller's memory.

use core::ops::ControlFlow;

use super::between::{BetweenError, Separation};
use super::snapshot::Snapshot;
use super::{Thing, ThingPair};
use crate::pair::WarmStart;

/// A place for the warm start of a pair: 80 bytes on machines of 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct KeptStart {
    pair: ThingPair,
    start: WarmStart,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<KeptStart>() == 80);

impl KeptStart {
    /// What a slice of places is filled with at first.
    pub const NONE: Self = Self {
        pair: ThingPair { a: Thing::Still(u32::MAX), b: Thing::Still(u32::MAX) },
        start: WarmStart(None),
    };
}

/// The nearest triangles of each pair, from one frame to the next, in memory of the caller's.
///
/// With a place for each pair, all are kept. With fewer, the pairs that come first in the list are, and the others are asked
/// without: a full table costs time, never a pair or an answer.
#[derive(Debug)]
pub struct WarmStarts<'m> {
    places: &'m mut [KeptStart],
    /// The places in use, ascending by pair.
    used: usize,
}

impl<'m> WarmStarts<'m> {
    /// An empty table. What the places hold does not matter.
    pub fn new(places: &'m mut [KeptStart]) -> Self {
        Self { places, used: 0 }
    }

    /// How many pairs it has places for.
    pub fn capacity(&self) -> usize {
        self.places.len()
    }

    /// How many pairs it holds.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.used = 0;
    }
}

/// Makes the first places those of these pairs, in their order; keeps what is held of those that it has, of `used` places. Cost: linear.
///
/// Where the list is not ascending, what is held is lost, and no more.
pub(super) fn match_to<T: Copy>(
    places: &mut [T],
    used: usize,
    pairs: &[ThingPair],
    pair_of: impl Fn(&T) -> ThingPair,
    new: impl Fn(ThingPair) -> T,
) {
    // What remains moves to the front, then from the back on to its place in the list. It is part of the list, in the
    // list's order, so no place is written before it is read.
    let (mut kept, mut next) = (0, 0);
    for index in 0..used {
        let held = places[index];
        next += pairs[next..].iter().take_while(|pair| **pair < pair_of(&held)).count();
        if pairs.get(next) == Some(&pair_of(&held)) {
            places[kept] = held;
            kept += 1;
            next += 1;
        }
    }
    for (index, pair) in pairs.iter().enumerate().rev() {
        let last = kept.checked_sub(1).map(|last| places[last]).filter(|last| pair_of(last) == *pair);
        kept -= usize::from(last.is_some());
        places[index] = last.unwrap_or_else(|| new(*pair));
    }
}

impl Snapshot<'_> {
    /// Calls `visit` with how far the things of each pair are apart, up to a limit, in the order of the list, until it returns
    /// `Break`, which is then returned. Each pair has its own answer or its own error, whatever the others have: see
    /// [`between`](Self::between) and [`Between::separation`](super::Between::separation).
    ///
    /// The list is that of [`near_pairs_into`](Self::near_pairs_into): ascending, each pair once; any other one has the same
    /// answers, more slowly. `starts` keeps the nearest triangles of each pair for the next call; answers do not depend on
    /// them; only whether the work limit is reached may.
    ///
    /// ```
    /// use bvhc_runtime::*;
    ///
    /// let mut meshes = [None; 2];
    /// let level = World::from_bytes(include_aligned!("../../../../tests/golden/world.bvh"), &mut meshes)?;
    /// let mut memory = vec![0; MovingWorld::bytes_needed(2)];
    /// let mut world = MovingWorld::new(level, 2, &mut memory)?;
    /// let near = |x: f64| Similarity::new(Pose::from_translation([x, 0.0, 500.0]).unwrap(), 0.5, false).unwrap();
    /// let a = world.add_instance(0, &near(0.0), u32::MAX, 0)?;
    /// let b = world.add_instance(0, &near(0.125), u32::MAX, 0)?;
    ///
    /// let mut pairs = [ThingPair { a: Thing::Moving(a), b: Thing::Moving(b) }; 10];
    /// let count = world.snapshot().near_pairs_into(1.0, &mut pairs)?;
    /// let mut places = [KeptStart::NONE; 10];
    /// let mut starts = WarmStarts::new(&mut places);
    /// let mut meeting = 0;
    /// let _ = world.snapshot().separations(&pairs[..count], 1.0, &mut starts, |_, found| {
    ///     meeting += u32::from(found == Ok(Separation::Meeting));
    ///     core::ops::ControlFlow::Continue(())
    /// });
    /// assert_eq!((count, meeting), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn separations(
        &self,
        pairs: &[ThingPair],
        limit: f64,
        starts: &mut WarmStarts<'_>,
        mut visit: impl FnMut(ThingPair, Result<Separation, BetweenError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let first = &pairs[..pairs.len().min(starts.capacity())];
        match_to(
            starts.places,
            starts.used,
            first,
            |held| held.pair,
            |pair| KeptStart { pair, ..KeptStart::NONE },
        );
        starts.used = first.len();
        for (index, pair) in pairs.iter().enumerate() {
            let mut none = WarmStart::default();
            let start = starts.places.get_mut(index).map_or(&mut none, |kept| &mut kept.start);
            let found = self.between(*pair).and_then(|between| between.separation_from(limit, start));
            visit(*pair, found)?;
        }
        ControlFlow::Continue(())
    }
}
