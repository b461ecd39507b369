//! The broad phase by kept pairs: pairs of leaves that are near stay known until one of the leaves changes, and only those of changed
//! leaves are found anew. Whether the things of a pair are near is decided anew where the box of one has changed.
//!
//! Based on: Catto, "Dynamic Bounding Volume Hierarchies", 2019 (a buffer of moved leaves, which query the tree). Departures: the world
//! numbers its changes ([`changes`](super::changes)), and leaves that have changed are compared with those of the last frame, so that
//! whatever happened in between counts; and where many have changed, one walk through both trees finds the pairs of all.
//!
//! # Why no pair is lost
//!
//! A thing is within its leaf, so two that are near have leaves that are near, and for leaves the walks' proof holds
//! ([`join`](super::join)), from whichever side. So when the later one of two leaves changed, the walk from it, or through both trees, has found the
//! pair. It is forgotten only where one of the two changes again or is no longer seen.

use core::fmt;

use super::known::{Frame, Full};
use super::newcomers::{Leaves, Memory, bytes_needed};
use super::pairs::Written;
use super::{MovingError, Snapshot, ThingPair};

/// Where more than this part of the things is new, pairs are found by one walk through both trees, not by one for each thing.
const FEW: usize = 4;

/// The pairs of [`Snapshot::near_pairs_into`], found by what has changed since the last call: pairs of the tree's boxes are kept, in the
/// caller's memory.
///
/// The answer is the same list; what differs is what it costs: a look at each kept pair, a comparison of two
/// boxes for pairs of things that have moved, and a walk for each thing whose box in the tree has changed. Boxes change seldom in a
/// world that is fattened ([`MovingWorld::fatten`](super::MovingWorld::fatten)); without that, every move changes one. Where most
/// things jump, the trees alone are cheaper: docs/benchmarks/worlds.md has figures.
///
/// Another world, margin or other layers than those of the last call make them begin anew; a copy of the world
/// ([`MovingWorld::copy_into`](super::MovingWorld::copy_into)) does not. Does not allocate or panic.
///
/// ```
/// use bvhc_runtime::*;
///
/// let level = Level::detect().ok_or("no level")?;
/// let mut memory = vec![0; MovingWorld::bytes_needed(100)];
/// let mut world = MovingWorld::of_models(&[], level, 100, &mut memory)?;
/// world.fatten(0.5)?;
/// let mut memory = vec![0; KeptPairs::bytes_needed(world.capacity(), 1000)];
/// let mut kept = KeptPairs::new(world.capacity(), 1000, &mut memory)?;
///
/// let a = world.add_box(&Aabb::new([0.0; 3], [1.0; 3]), u32::MAX, 0)?;
/// let b = world.add_box(&Aabb::new([1.5, 0.0, 0.0], [2.5, 1.0, 1.0]), u32::MAX, 0)?;
/// let mut pairs = [ThingPair { a: Thing::Moving(a), b: Thing::Moving(b) }; 100];
/// assert_eq!(kept.near_pairs_into(&world.snapshot(), 0.5, &mut pairs)?, 1);
/// world.move_box(b, &Aabb::new([1.75, 0.0, 0.0], [2.75, 1.0, 1.0]))?;
/// assert_eq!(kept.near_pairs_into(&world.snapshot(), 0.5, &mut pairs)?, 0);
/// assert_eq!(kept.renewed(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KeptPairs<'m> {
    leaves: Leaves<'m>,
    /// Of what the pairs are; `None` if of nothing.
    frame: Option<Frame>,
    renewed: u32,
}

impl<'m> KeptPairs<'m> {
    /// The bytes of memory for so many things ([`MovingWorld::capacity`](super::MovingWorld::capacity)) and pairs, wherever they start:
    /// 89 a thing and 8 a pair. Pairs are those of boxes in the tree, of which fatness makes more; so do places far from the origin, as
    /// boxes grow by some 2^-17 of their coordinates. Those of an instance that the compiler has opened count once for each of
    /// its boxes.
    pub fn bytes_needed(things: u32, pairs: usize) -> usize {
        bytes_needed(things, pairs)
    }

    /// In this memory, whatever it holds.
    ///
    /// # Errors
    /// [`MovingError::Memory`], with the bytes needed, if there are too few; never if there are as many as
    /// [`bytes_needed`](Self::bytes_needed) says, at any address;
    /// [`MovingError::Capacity`] for more than 2^24 things.
    pub fn new(things: u32, pairs: usize, memory: &'m mut [u8]) -> Result<Self, MovingError> {
        let leaves = Leaves::of(Memory::of(memory, things, pairs)?);
        Ok(Self { leaves, frame: None, renewed: 0 })
    }

    /// Forgets all pairs: the next call begins anew.
    pub fn clear(&mut self) {
        self.frame = None;
    }

    /// How many things the last call found the pairs of: those whose boxes in the tree had changed, or all where it began anew.
    pub fn renewed(&self) -> u32 {
        self.renewed
    }

    /// Writes all pairs of things whose boxes are at most `margin` apart into the caller's memory, sorted, and returns how many they
    /// are: what [`Snapshot::near_pairs_into`] does.
    ///
    /// # Errors
    /// [`MovingError::Pairs`] as there; [`MovingError::Kept`], with the bytes needed, if this memory is too small for the things or
    /// their pairs: no pair is lost, and after either error the next call answers as any other.
    pub fn near_pairs_into(
        &mut self,
        now: &Snapshot<'_>,
        margin: f32,
        pairs: &mut [ThingPair],
    ) -> Result<usize, MovingError> {
        self.renewed = 0;
        if margin.is_nan() || margin < 0.0 {
            return Ok(0);
        }
        self.update(now, margin)?;
        let mut written = Written::to(pairs);
        self.leaves.write_near(now, margin, &mut written);
        written.sorted()
    }

    /// Brings leaves and pairs up to date.
    fn update(&mut self, now: &Snapshot<'_>, margin: f32) -> Result<(), MovingError> {
        let (frame, count) = (Frame::of(now, margin), now.moving.leaves.len());
        if count > self.leaves.capacity() {
            return Err(self.too_small(count, self.leaves.pair_capacity()));
        }
        let goes_on = self.frame == Some(frame) && count >= self.leaves.count();
        if goes_on && self.follow(now, margin).is_ok() {
            return Ok(());
        }
        self.start(now, frame)
    }

    /// Begins anew.
    fn start(&mut self, now: &Snapshot<'_>, frame: Frame) -> Result<(), MovingError> {
        self.frame = None;
        self.leaves.forget();
        self.renewed = self.leaves.look(now, frame.margin) as u32;
        if self.leaves.find_by_join(now, frame.margin).is_err() {
            let pairs = self.leaves.count_pairs(now, frame.margin);
            return Err(self.too_small(self.leaves.capacity(), pairs));
        }
        self.frame = Some(frame);
        Ok(())
    }

    /// Goes on from the last frame.
    fn follow(&mut self, now: &Snapshot<'_>, margin: f32) -> Result<(), Full> {
        let new = self.leaves.look(now, margin);
        self.renewed = new as u32;
        match new {
            0 => Ok(()),
            _ if new * FEW > now.moving.leaves.len() => self.leaves.find_by_join(now, margin),
            _ => self.leaves.find_by_thing(now, margin),
        }
    }

    fn too_small(&self, things: usize, pairs: usize) -> MovingError {
        let things = u32::try_from(things).unwrap_or(u32::MAX);
        MovingError::Kept { things, pairs, needed: bytes_needed(things, pairs) }
    }
}

impl fmt::Debug for KeptPairs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptPairs")
            .field("things", &self.leaves.count())
            .field("pairs", &self.leaves.pair_count())
            .field("renewed", &self.renewed)
            .finish_non_exhaustive()
    }
}
