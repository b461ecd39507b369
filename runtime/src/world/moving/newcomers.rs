//! The leaves of the last frame, those that have changed since, and the pairs of them.

use core::ops::ControlFlow;

use bvhc_format::split_records;

use super::join::reach_of;
use super::known::{Full, Known, boxes_of, pair_of};
use super::memory::MAX_CAPACITY;
use super::tree::Bounds;
use super::{MovingError, Snapshot};
use crate::bounds::Aabb;
use crate::world::bounds_of;
use crate::world::walk::grown;

/// A thing is in the layers that the snapshot sees, and its pairs are known.
const SEEN: u32 = 1;

/// It is seen, and its pairs are to be found.
const NEW: u32 = 2;

/// It is not seen.
const UNSEEN: u32 = 0;

/// The caller's memory, divided. Records of a thing are at its number.
pub(super) struct Memory<'m> {
    /// Pairs of leaves that are near, ascending: those of the compiled world come first, then moving things.
    pairs: &'m mut [u64],
    /// Pairs that have begun.
    log: &'m mut [u64],
    /// The leaves as they were in the last frame.
    leaves: &'m mut [Bounds],
    /// What is in them now: the boxes of the things that are seen.
    boxes: &'m mut [Bounds],
    /// The same, grown by the margin: what they are compared with boxes of the compiled world by.
    grown: &'m mut [Bounds],
    /// One of [`SEEN`], [`NEW`] and [`UNSEEN`].
    states: &'m mut [u32],
}

/// The bytes of all records, with enough to start at any address.
pub(super) fn bytes_needed(things: u32, pairs: usize) -> usize {
    let of_thing = 2 * size_of::<u64>() + 3 * size_of::<Bounds>() + size_of::<u32>();
    (things as usize)
        .saturating_mul(of_thing)
        .saturating_add(pairs.saturating_mul(size_of::<u64>()))
        .saturating_add(align_of::<u64>() - 1)
}

impl<'m> Memory<'m> {
    pub(super) fn of(bytes: &'m mut [u8], things: u32, pairs: usize) -> Result<Self, MovingError> {
        if things > MAX_CAPACITY {
            return Err(MovingError::Capacity { found: things, most: MAX_CAPACITY });
        }
        let (needed, found) = (bytes_needed(things, pairs), bytes.len());
        Self::divide(bytes, things as usize, pairs).ok_or(MovingError::Memory { needed, found })
    }

    /// By falling alignment, so that there is no gap.
    fn divide(bytes: &'m mut [u8], things: usize, pairs: usize) -> Option<Self> {
        let start = bytes.as_ptr().align_offset(align_of::<u64>());
        let (pairs, rest) = split_records(bytes.get_mut(start..)?, pairs)?;
        let (log, rest) = split_records(rest, 2 * things)?;
        let (leaves, rest) = split_records(rest, things)?;
        let (boxes, rest) = split_records(rest, things)?;
        let (grown, rest) = split_records(rest, things)?;
        let (states, _) = split_records(rest, things)?;
        Some(Self { pairs, log, leaves, boxes, grown, states })
    }
}

/// The leaves of moving things and the pairs of them, in the caller's memory.
pub(super) struct Leaves<'m> {
    memory: Memory<'m>,
    known: Known,
    /// The things that were looked at.
    count: usize,
}

impl<'m> Leaves<'m> {
    /// None yet.
    pub(super) fn of(memory: Memory<'m>) -> Self {
        Self { memory, known: Known::NONE, count: 0 }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The things that there is memory for.
    pub(super) fn capacity(&self) -> usize {
        self.memory.states.len()
    }

    pub(super) fn pair_capacity(&self) -> usize {
        self.memory.pairs.len()
    }

    pub(super) fn pairs(&self) -> &[u64] {
        self.known.of(self.memory.pairs)
    }

    /// The boxes of things, and the same grown by the margin; those of pairs are all seen.
    pub(super) fn boxes(&self) -> [&[Bounds]; 2] {
        [self.memory.boxes, self.memory.grown]
    }

    pub(super) fn forget(&mut self) {
        (self.known, self.count) = (Known::NONE, 0);
    }

    /// Compares all leaves with those of the last frame, and forgets the pairs of those that have changed. Returns how many are new.
    pub(super) fn look(&mut self, now: &Snapshot<'_>, margin: f32) -> usize {
        let (mut new, mut are_lost) = (0, false);
        for (number, leaf) in now.moving.leaves.iter().enumerate() {
            let (state, held) = (&mut self.memory.states[number], &mut self.memory.leaves[number]);
            let before = if number < self.count { *state } else { UNSEEN };
            let record = now.moving.seen_record(number as u32);
            *state = match record {
                None => UNSEEN,
                Some(_) if before != UNSEEN && *held == leaf.bounds => SEEN,
                Some(_) => NEW,
            };
            if let Some(record) = record
                && (before == UNSEEN || self.memory.boxes[number] != record.bounds)
            {
                let Aabb { min: [a, b, c], max: [d, e, f] } =
                    grown(&bounds_of(record.bounds), f64::from(margin));
                self.memory.boxes[number] = record.bounds;
                self.memory.grown[number] = [a, b, c, d, e, f];
            }
            *held = leaf.bounds;
            new += usize::from(*state == NEW);
            are_lost |= before != UNSEEN && *state != SEEN;
        }
        self.count = now.moving.leaves.len();
        if are_lost {
            self.forget_changed(now.still.leaves.len() as u32);
        }
        new
    }

    /// Forgets the pairs of things that are new or not seen.
    fn forget_changed(&mut self, first: u32) {
        let Memory { pairs, states, .. } = &mut self.memory;
        let is_same = |of: u32| of.checked_sub(first).is_none_or(|number| states[number as usize] == SEEN);
        self.known.retain(pairs, |pair| boxes_of(pair).into_iter().all(is_same));
    }

    /// Finds the pairs of new things by a walk through both trees.
    pub(super) fn find_by_join(&mut self, now: &Snapshot<'_>, margin: f32) -> Result<(), Full> {
        let first = now.still.leaves.len() as u32;
        let mut outcome = Ok(());
        let _ = now.candidates(margin, &mut |a, b| {
            let is_any_new = self.is_new(first, a) || self.is_new(first, b);
            if is_any_new && self.states_of(now, a, b).is_some() {
                outcome = self.begin(a, b);
            }
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        outcome?;
        self.settle()
    }

    /// Finds them by a walk for each new thing. That of two new ones is of the lower one.
    pub(super) fn find_by_thing(&mut self, now: &Snapshot<'_>, margin: f32) -> Result<(), Full> {
        let first = now.still.leaves.len() as u32;
        for (of, leaf) in (first..).zip(now.moving.leaves) {
            if self.memory.states[(of - first) as usize] != NEW {
                continue;
            }
            let mut outcome = Ok(());
            let mut begin = |other: u32| {
                let states = self.states_of(now, other, of);
                if other != of && states.is_some_and(|[state, _]| state != NEW || other > of) {
                    outcome = self.begin(other, of);
                }
                if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let query = reach_of(&bounds_of(leaf.bounds), margin);
            let _ = now.still.places_in_box(&query, &mut begin);
            let _ = now.moving.places_in_box(&query, &mut |number| begin(first.saturating_add(number)));
            outcome?;
        }
        self.settle()
    }

    /// How many pairs there are, where there is no memory for them.
    pub(super) fn count_pairs(&self, now: &Snapshot<'_>, margin: f32) -> usize {
        let mut count = 0;
        let _ = now.candidates(margin, &mut |a, b| {
            count += usize::from(self.states_of(now, a, b).is_some());
            ControlFlow::Continue(())
        });
        count
    }

    /// Whether a leaf is that of a new thing.
    fn is_new(&self, first: u32, of: u32) -> bool {
        of.checked_sub(first).is_some_and(|number| self.memory.states.get(number as usize) == Some(&NEW))
    }

    /// The states of two leaves, if both are seen.
    fn states_of(&self, now: &Snapshot<'_>, a: u32, b: u32) -> Option<[u32; 2]> {
        let first = now.still.leaves.len() as u32;
        let state = |of: u32| match of.checked_sub(first) {
            Some(number) => self.memory.states.get(number as usize).copied().filter(|it| *it != UNSEEN),
            None => {
                let leaf = now.still.leaves.get(of as usize)?;
                now.still.seen_bounds(leaf.instance).map(|_| SEEN)
            }
        };
        Some([state(a)?, state(b)?])
    }

    fn begin(&mut self, a: u32, b: u32) -> Result<(), Full> {
        self.known.toggle(pair_of(a, b), self.memory.pairs, self.memory.log)
    }

    fn settle(&mut self) -> Result<(), Full> {
        self.known.settle(self.memory.pairs, self.memory.log)
    }
}
