//! The broad phase by sweep and prune: endpoints of boxes stay sorted on three axes, and pairs are known from one frame to the next.
//!
//! Based on: Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE: An Interactive and Exact Collision Detection System for Large-Scale
//! Environments", 1995, section 3 (three sorted lists, insertion sort, an overlap in all three is a pair). Departures: each moved
//! box is brought to its place by itself, so that boxes at rest cost nothing; pairs are a sorted list with a log of changes
//! (`known`) instead of a flag for each two boxes; and where boxes move so far that exchanges would be many, their endpoints are
//! sorted and merged, and their pairs are found by the trees of the world. So whatever happens, a frame makes no more than a bounded number of
//! exchanges, a sort, and [`Snapshot::near_pairs`]; and for each as many new pairs as there are ends of boxes, one pass over all pairs. It
//! also looks at a number for each box.

mod endpoint;
mod lists;
mod memory;

use core::fmt;
use core::ops::ControlFlow;

use super::changes::Moment;
use super::join::reach_of;
use super::known::{Frame, Full, Known, boxes_of};
use super::pairs::Written;
use super::{MovingError, Snapshot, ThingPair};
use crate::world::bounds_of;
use endpoint::{NOWHERE, WIDENING, keys};
use lists::Lists;
use memory::{MOVED, Memory, NEW, SEEN};

/// The exchanges for each box that a frame may make: about what it costs to place all endpoints anew.
const SWAPS_PER_BOX: u64 = 12;

/// How often the allowance is halved, at most, where exchanges were too many in the frames before.
const MOST_HALVINGS: u32 = 5;

/// Where more than this part of the boxes is new, pairs are found by one walk through both trees, not by one for each box.
const FEW: usize = 8;

/// What the last frame cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// The exchanges of neighbours on the three axes.
    pub swaps: u64,
    /// The boxes whose endpoints were placed anew instead.
    pub placed: u32,
}

/// The pairs of [`Snapshot::near_pairs_into`], found by what has changed since the last call: sweep and prune, in the caller's memory.
///
/// The answer is the same list; what differs is what it costs. Here a frame costs as many exchanges as moving boxes pass
/// others' ends on the three axes, and a look at each pair. That is less than the trees' walk
/// where few things move, and more where most do: docs/benchmarks/worlds.md has figures. Things that
/// move far, are added or enabled are sorted in, and asked for by the trees.
///
/// What is sorted are the boxes of the tree. In a fattened world ([`MovingWorld::fatten`](super::MovingWorld::fatten)) they move seldom, but
/// more of them are near: there must be memory for those pairs, too.
///
/// Another world, margin or other layers than those of the last call make it begin anew; a copy of the world
/// ([`MovingWorld::copy_into`](super::MovingWorld::copy_into)) does not. Does not allocate or panic.
///
/// ```
/// use bvhc_runtime::*;
///
/// let mut meshes = [None; 2];
/// let level = World::from_bytes(include_aligned!("../../../../../tests/golden/world.bvh"), &mut meshes)?;
/// let mut memory = vec![0; MovingWorld::bytes_needed(100)];
/// let mut world = MovingWorld::new(level, 100, &mut memory)?;
/// let mut memory = vec![0; SweepAndPrune::bytes_needed(world.box_capacity(), 1000)];
/// let mut sweep = SweepAndPrune::new(world.box_capacity(), 1000, &mut memory)?;
///
/// let a = world.add_box(&Aabb::new([0.0, 0.0, 500.0], [1.0, 1.0, 501.0]), u32::MAX, 0)?;
/// let b = world.add_box(&Aabb::new([1.5, 0.0, 500.0], [2.5, 1.0, 501.0]), u32::MAX, 0)?;
/// let mut pairs = [ThingPair { a: Thing::Moving(a), b: Thing::Moving(b) }; 100];
/// assert_eq!(sweep.near_pairs_into(&world.snapshot(), 0.5, &mut pairs)?, 1);
/// world.move_box(b, &Aabb::new([1.75, 0.0, 500.0], [2.75, 1.0, 501.0]))?;
/// assert_eq!(sweep.near_pairs_into(&world.snapshot(), 0.5, &mut pairs)?, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SweepAndPrune<'m> {
    lists: Lists<'m>,
    /// Of what the lists are; `None` if of nothing.
    frame: Option<Frame>,
    /// When things were last looked at.
    looked: Option<Moment>,
    /// How often the allowance of exchanges is halved.
    halvings: u32,
    last: Swept,
}

impl<'m> SweepAndPrune<'m> {
    /// The bytes of memory for so many boxes ([`MovingWorld::box_capacity`](super::MovingWorld::box_capacity)) and pairs, wherever
    /// they start: 116 a box and 8 a pair. Pairs are those of boxes in the tree, which grow by some 2^-17 of their coordinates. Those of an
    /// instance that the compiler has opened count once for each of its boxes that is near.
    pub fn bytes_needed(boxes: u32, pairs: usize) -> usize {
        memory::bytes_needed(boxes, pairs)
    }

    /// In this memory, whatever it holds.
    ///
    /// # Errors
    /// [`MovingError::Memory`], with the bytes needed, if there are too few; never if there are as many as
    /// [`bytes_needed`](Self::bytes_needed) says, at any address;
    /// [`MovingError::Capacity`] for more than 2^31 - 1 boxes.
    pub fn new(boxes: u32, pairs: usize, memory: &'m mut [u8]) -> Result<Self, MovingError> {
        let memory = Memory::of(memory, boxes, pairs)?;
        let lists = Lists { memory, known: Known::NONE, count: 0, swaps: 0 };
        Ok(Self { lists, frame: None, looked: None, halvings: 0, last: Swept::default() })
    }

    /// Forgets all boxes and pairs: the next call begins anew.
    pub fn clear(&mut self) {
        self.frame = None;
    }

    /// What the last call cost.
    pub fn last(&self) -> Swept {
        self.last
    }

    /// Writes all pairs of things whose boxes are at most `margin` apart into the caller's memory, sorted, and returns how many they
    /// are: what [`Snapshot::near_pairs_into`] does.
    ///
    /// # Errors
    /// [`MovingError::Pairs`] as there; [`MovingError::Sweep`], with the bytes needed, if this memory is too small for the boxes or
    /// their pairs: no pair is lost, and after either error the next call answers as any other.
    pub fn near_pairs_into(
        &mut self,
        now: &Snapshot<'_>,
        margin: f32,
        pairs: &mut [ThingPair],
    ) -> Result<usize, MovingError> {
        self.last = Swept::default();
        if margin.is_nan() || margin < 0.0 {
            return Ok(0);
        }
        self.update(now, margin)?;
        let mut written = Written::to(pairs);
        written.add_near(self.lists.known.of(self.lists.memory.pairs), now, margin);
        written.sorted()
    }

    /// Brings boxes and pairs up to date.
    fn update(&mut self, now: &Snapshot<'_>, margin: f32) -> Result<(), MovingError> {
        let count = now.still.leaves.len().saturating_add(now.moving.leaves.len());
        let capacity = self.lists.memory.states.len();
        if count > capacity {
            return Err(self.too_small(count, self.lists.memory.pairs.len()));
        }
        let frame = Frame::of(now, margin);
        if self.frame != Some(frame) || count < self.lists.count {
            return self.start(now, frame, count);
        }
        if self.follow(now, margin, count).is_ok() {
            return Ok(());
        }
        // In between there may have been more pairs than there are now.
        self.start(now, frame, count)
    }

    /// Begins anew.
    fn start(&mut self, now: &Snapshot<'_>, frame: Frame, count: usize) -> Result<(), MovingError> {
        self.frame = None;
        self.lists.known = Known::NONE;
        (self.lists.count, self.looked) = (0, None);
        for (of, leaf) in now.still.leaves.iter().enumerate() {
            let is_seen = now.still.seen_bounds(leaf.instance).is_some();
            self.lists.memory.states[of] = if is_seen { SEEN | NEW } else { NEW };
            self.lists.memory.keys[of] = if is_seen { keys(&leaf.bounds, frame.margin) } else { NOWHERE };
        }
        self.look(now, frame.margin, count);
        if self.place(now, frame.margin, count).is_err() {
            return Err(self.too_small(count, self.count_pairs(now, frame.margin)));
        }
        self.frame = Some(frame);
        Ok(())
    }

    /// Goes on from the last frame.
    fn follow(&mut self, now: &Snapshot<'_>, margin: f32, count: usize) -> Result<(), Full> {
        if self.look(now, margin, count) {
            self.forget_inactive();
        }
        self.lists.swaps = 0;
        let allowance = (SWAPS_PER_BOX * count as u64) >> self.halvings;
        let mut are_left = false;
        for of in now.still.leaves.len()..self.lists.count {
            if self.lists.memory.states[of] & MOVED == 0 {
                continue;
            }
            self.lists.memory.states[of] &= !MOVED;
            if self.lists.swaps < allowance {
                self.lists.shift(of as u32)?;
            } else {
                self.lists.memory.states[of] |= NEW;
                are_left = true;
            }
        }
        self.last.swaps = self.lists.swaps;
        self.halvings =
            if are_left { (self.halvings + 1).min(MOST_HALVINGS) } else { self.halvings.saturating_sub(1) };
        self.settle()?;
        if are_left {
            self.forget_inactive();
        }
        self.place(now, margin, count)
    }

    /// Looks at the things that have changed since the last look. Whether some are seen no longer.
    fn look(&mut self, now: &Snapshot<'_>, margin: f32, count: usize) -> bool {
        let first = now.still.leaves.len();
        let Memory { keys: held, states, .. } = &mut self.lists.memory;
        let added = self.lists.count.max(first)..count;
        states[added.clone()].fill(NEW);
        held[added].fill(NOWHERE);
        let mut are_gone = false;
        for number in now.changes.since(self.looked) {
            let of = first + number;
            let is_seen = now.moving.seen_bounds(number as u32).is_some();
            match (states[of] & SEEN != 0, is_seen) {
                (true, false) => {
                    states[of] &= !SEEN;
                    are_gone = true;
                }
                (false, true) => {
                    (states[of], held[of]) = (SEEN | NEW, keys(&now.moving.leaves[number].bounds, margin));
                }
                (true, true) => {
                    let new = keys(&now.moving.leaves[number].bounds, margin);
                    if held[of] != new {
                        held[of] = new;
                        states[of] |= MOVED;
                    }
                }
                (false, false) => {}
            }
        }
        self.looked = Some(now.changes.until());
        are_gone
    }

    /// Places the endpoints of new boxes and finds their pairs.
    fn place(&mut self, now: &Snapshot<'_>, margin: f32, count: usize) -> Result<(), Full> {
        let first = now.still.leaves.len();
        let is_new = |state: &&u32| **state & NEW != 0;
        let new = self.lists.memory.states[..count].iter().filter(is_new).count();
        if new == 0 {
            return Ok(());
        }
        self.last.placed = new as u32;
        self.lists.place(count);
        let moving = self.lists.memory.states[first..count].iter().filter(is_new).count();
        if moving * FEW > count - first {
            self.find_by_join(now, margin)?;
        } else {
            self.find_by_box(now, margin)?;
        }
        for state in &mut self.lists.memory.states[..count] {
            *state &= !NEW;
        }
        self.settle()
    }

    /// Finds the pairs of new boxes by a walk through both trees.
    fn find_by_join(&mut self, now: &Snapshot<'_>, margin: f32) -> Result<(), Full> {
        let mut outcome = Ok(());
        let _ = now.candidates(margin * WIDENING, &mut |a, b| {
            outcome = self.lists.begin(a, b);
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        outcome
    }

    /// Finds them by a walk for each new box.
    fn find_by_box(&mut self, now: &Snapshot<'_>, margin: f32) -> Result<(), Full> {
        let first = now.still.leaves.len() as u32;
        let mut outcome = Ok(());
        for (of, leaf) in (first..).zip(now.moving.leaves) {
            if self.lists.memory.states[of as usize] != SEEN | NEW {
                continue;
            }
            let query = reach_of(&bounds_of(leaf.bounds), margin * WIDENING);
            let mut begin = |other: u32| {
                outcome = self.lists.begin_once(of, other);
                if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            };
            let _ = now.boxes_in_box(&query, &mut begin);
            if outcome.is_err() {
                break;
            }
        }
        outcome
    }

    fn settle(&mut self) -> Result<(), Full> {
        let Memory { pairs, scratch, .. } = &mut self.lists.memory;
        self.lists.known.settle(pairs, scratch)
    }

    /// Forgets the pairs of boxes that are not seen, or are to be placed anew.
    fn forget_inactive(&mut self) {
        let Memory { pairs, states, .. } = &mut self.lists.memory;
        let is_active = |of: u32| states[of as usize] & (SEEN | NEW) == SEEN;
        self.lists.known.retain(pairs, |pair| boxes_of(pair).into_iter().all(is_active));
    }

    /// How many pairs overlap, where there is no memory for them.
    fn count_pairs(&self, now: &Snapshot<'_>, margin: f32) -> usize {
        let mut count = 0;
        let _ = now.candidates(margin * WIDENING, &mut |a, b| {
            count += usize::from(self.lists.are_seen(a, b) && self.lists.memory.overlap(a, b));
            ControlFlow::Continue(())
        });
        count
    }

    fn too_small(&self, boxes: usize, pairs: usize) -> MovingError {
        let boxes = u32::try_from(boxes.max(self.lists.memory.states.len())).unwrap_or(u32::MAX);
        MovingError::Sweep { boxes, pairs, needed: memory::bytes_needed(boxes, pairs) }
    }
}

impl fmt::Debug for SweepAndPrune<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SweepAndPrune")
            .field("boxes", &self.lists.count)
            .field("pairs", &self.lists.known.of(self.lists.memory.pairs).len())
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
