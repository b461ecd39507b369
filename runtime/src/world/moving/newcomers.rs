//! The leaves of the last frame, those that have changed since, and the pairs of them.

use core::ops::ControlFlow;

use bvhc_format::split_records;

use super::changes::Moment;
use super::join::reach_of;
use super::known::{Full, Known};
use super::memory::MAX_CAPACITY;
use super::pairs::{Near, Written};
use super::tree::Bounds;
use super::{MovingError, Snapshot};
use crate::bounds::Aabb;
use crate::prefetch;
use crate::world::bounds_of;
use crate::world::walk;

/// A thing is in the layers that the snapshot sees, its pairs are known, and its box is that of the last frame.
const SEEN: u8 = 1;

/// It is seen, and its pairs are to be found.
const NEW: u8 = 2;

/// It is seen, and its pairs are known, but not which of them are near: its box has changed, its leaf has not.
const MOVED: u8 = 3;

/// It is not seen.
const UNSEEN: u8 = 0;

/// The leaves of the compiled world are prefetched this many pairs before they are read.
const AHEAD: usize = 12;

/// In a pair of leaves: its things were near when both were last looked at.
const NEAR: u64 = 1;

/// Two boxes as [`Snapshot::candidates`] numbers them, as one number, in their order: the lower one, which of the moving things the higher
/// one is of, and the bit [`NEAR`].
fn entry_of([a, b]: [u32; 2], first_moving: u32) -> u64 {
    let moving = a.max(b).saturating_sub(first_moving);
    u64::from(a.min(b)) << 32 | u64::from(moving) << 1
}

fn boxes_in(pair: u64, first_moving: u32) -> [u32; 2] {
    [(pair >> 32) as u32, first_moving.saturating_add(pair as u32 >> 1)]
}

/// The caller's memory, divided. Records of a thing are at its number.
pub(super) struct Memory<'m> {
    /// Pairs of leaves that are near, ascending: those of the compiled world come first, then moving things. [`entry_of`] makes them.
    pairs: &'m mut [u64],
    /// Pairs that have begun.
    log: &'m mut [u64],
    /// The leaves as they were in the last frame.
    leaves: &'m mut [Bounds],
    /// What is in them now: the boxes of the things that are seen.
    boxes: &'m mut [Bounds],
    /// The same, grown by the margin: what they are compared with boxes of the compiled world by.
    grown: &'m mut [Bounds],
    /// One of [`SEEN`], [`NEW`], [`MOVED`] and [`UNSEEN`].
    states: &'m mut [u8],
}

/// The bytes of all records, with enough to start at any address.
pub(super) fn bytes_needed(things: u32, pairs: usize) -> usize {
    let of_thing = 2 * size_of::<u64>() + 3 * size_of::<Bounds>() + size_of::<u8>();
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
        let states = rest.get_mut(..things)?;
        Some(Self { pairs, log, leaves, boxes, grown, states })
    }
}

/// The leaves of moving things and the pairs of them, in the caller's memory.
pub(super) struct Leaves<'m> {
    memory: Memory<'m>,
    known: Known,
    /// The things that were looked at.
    count: usize,
    /// When.
    looked: Option<Moment>,
}

impl<'m> Leaves<'m> {
    /// None yet.
    pub(super) fn of(memory: Memory<'m>) -> Self {
        Self { memory, known: Known::NONE, count: 0, looked: None }
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

    pub(super) fn pair_count(&self) -> usize {
        self.known.of(self.memory.pairs).len()
    }

    pub(super) fn forget(&mut self) {
        (self.known, self.count, self.looked) = (Known::NONE, 0, None);
    }

    /// Looks at what has changed since the last look, and forgets the pairs of leaves that have changed. Returns how many are new.
    pub(super) fn look(&mut self, now: &Snapshot<'_>, margin: f32) -> usize {
        let (mut new, mut are_lost) = (0, false);
        let Memory { leaves, boxes, grown, states, .. } = &mut self.memory;
        let (before, added) = states[..now.moving.leaves.len()].split_at_mut(self.count);
        for state in before {
            *state = (*state).min(SEEN);
        }
        added.fill(UNSEEN);
        for number in now.changes.since(self.looked) {
            let (before, leaf) = (states[number], now.moving.leaves[number].bounds);
            let record = now.moving.seen_record(number as u32);
            let is_same = before == SEEN && leaves[number] == leaf;
            states[number] = match record {
                None => UNSEEN,
                Some(_) if !is_same => NEW,
                Some(record) if boxes[number] != record.bounds => MOVED,
                Some(_) => SEEN,
            };
            if let Some(record) = record {
                let Aabb { min: [a, b, c], max: [d, e, f] } =
                    walk::grown(&bounds_of(record.bounds), f64::from(margin));
                (boxes[number], grown[number]) = (record.bounds, [a, b, c, d, e, f]);
            }
            leaves[number] = leaf;
            new += usize::from(states[number] == NEW);
            are_lost |= before == SEEN && matches!(states[number], NEW | UNSEEN);
        }
        (self.count, self.looked) = (now.moving.leaves.len(), Some(now.changes.until()));
        if are_lost {
            self.forget_changed(now.still.leaves.len() as u32);
        }
        new
    }

    /// Forgets the pairs of things that are new or not seen.
    fn forget_changed(&mut self, first: u32) {
        let Memory { pairs, states, .. } = &mut self.memory;
        let is_kept = |of: u32| {
            of.checked_sub(first).is_none_or(|number| matches!(states[number as usize], SEEN | MOVED))
        };
        self.known.retain(pairs, |pair| boxes_in(pair, first).into_iter().all(is_kept));
    }

    /// Finds the pairs of new things by a walk through both trees.
    pub(super) fn find_by_join(&mut self, now: &Snapshot<'_>, margin: f32) -> Result<(), Full> {
        let first = now.still.leaves.len() as u32;
        let mut outcome = Ok(());
        let _ = now.candidates(margin, &mut |a, b| {
            let is_any_new = self.is_new(first, a) || self.is_new(first, b);
            if is_any_new && self.states_of(now, a, b).is_some() {
                outcome = self.begin(first, [a, b]);
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
                    outcome = self.begin(first, [other, of]);
                }
                if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let query = reach_of(&bounds_of(leaf.bounds), margin);
            let _ = now.boxes_in_box(&query, &mut begin);
            outcome?;
        }
        self.settle()
    }

    /// Writes the pairs whose things are near. Those of things that are where they were are not compared again.
    pub(super) fn write_near(&mut self, now: &Snapshot<'_>, margin: f32, written: &mut Written<'_>) {
        let first = now.still.leaves.len() as u32;
        let Memory { pairs, boxes, grown, states, .. } = &mut self.memory;
        let mut near = Near::of(now, Some([boxes, grown]), margin);
        let is_where_it_was =
            |of: u32| of.checked_sub(first).is_none_or(|number| states.get(number as usize) == Some(&SEEN));
        let pairs = self.known.of_mut(pairs);
        for index in 0..pairs.len() {
            let ahead = pairs.get(index + AHEAD).map(|pair| boxes_in(*pair, first)[0] as usize);
            if let Some(leaf) = ahead.and_then(|leaf| now.still.leaves.get(leaf)) {
                prefetch::instance_leaf(leaf);
            }
            let pair = &mut pairs[index];
            let boxes = boxes_in(*pair, first);
            if !boxes.into_iter().all(is_where_it_was) {
                *pair = *pair & !NEAR | if near.has(boxes) { NEAR } else { 0 };
            }
            if *pair & NEAR != 0 {
                written.add(now.things(boxes));
            }
        }
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
    fn states_of(&self, now: &Snapshot<'_>, a: u32, b: u32) -> Option<[u8; 2]> {
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

    fn begin(&mut self, first: u32, boxes: [u32; 2]) -> Result<(), Full> {
        self.known.toggle(entry_of(boxes, first), self.memory.pairs, self.memory.log)
    }

    fn settle(&mut self) -> Result<(), Full> {
        self.known.settle(self.memory.pairs, self.memory.log)
    }
}
