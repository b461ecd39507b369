//! The records of moving things, and when each last changed: who has looked at all of them before need only look at those that have
//! changed since.
//!
//! # Why no change is overlooked
//!
//! Records and leaves are private to this file, and [`Held::change`], which alone gives them to be changed, notes the change.
//! Numbers of changes are compared only in one world: its [`Identity`] is given to no other world of the program, also not to
//! one that is made later in the same memory, nor to a copy, whose changes are counted from those of its original on.

use bvhc_format::world::{Instance, InstanceLeaf};

/// Tells the worlds of a program apart. One that is not known is equal to none.
#[derive(Clone, Copy)]
pub(super) struct Identity(Option<usize>);

impl Identity {
    /// One that no other has. Not known on targets without atomics, and once there are no more numbers.
    pub(super) fn new() -> Self {
        #[cfg(target_has_atomic = "ptr")]
        {
            use core::sync::atomic::{AtomicUsize, Ordering};
            static NEXT: AtomicUsize = AtomicUsize::new(0);
            let next =
                NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |number| number.checked_add(1));
            Self(next.ok())
        }
        #[cfg(not(target_has_atomic = "ptr"))]
        Self(None)
    }
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_some() && self.0 == other.0
    }
}

/// The records and leaves of moving things, in the caller's memory, at their numbers.
pub(super) struct Held<'m> {
    records: &'m mut [Instance],
    leaves: &'m mut [InstanceLeaf],
    /// The number of each thing's last change.
    changed: &'m mut [u64],
    /// How many changes there were.
    count: u64,
}

impl<'m> Held<'m> {
    /// Three lists of one length, whatever they hold: a thing has no meaning before its first change.
    pub(super) fn of(
        records: &'m mut [Instance],
        leaves: &'m mut [InstanceLeaf],
        changed: &'m mut [u64],
    ) -> Self {
        Self { records, leaves, changed, count: 0 }
    }

    pub(super) fn records(&self) -> &[Instance] {
        self.records
    }

    pub(super) fn leaves(&self) -> &[InstanceLeaf] {
        self.leaves
    }

    /// A thing's record and leaf, to be changed.
    pub(super) fn change(&mut self, thing: usize) -> (&mut Instance, &mut InstanceLeaf) {
        self.count += 1;
        self.changed[thing] = self.count;
        (&mut self.records[thing], &mut self.leaves[thing])
    }

    /// What has changed until now.
    pub(super) fn changes(&self, world: Identity, things: usize) -> Changes<'_> {
        Changes { until: Moment { world, count: self.count }, changed: &self.changed[..things] }
    }

    /// Takes over so many things of other memory.
    pub(super) fn copy_from(&mut self, other: &Held<'_>, things: usize) {
        self.records[..things].copy_from_slice(&other.records[..things]);
        self.leaves[..things].copy_from_slice(&other.leaves[..things]);
        self.changed[..things].copy_from_slice(&other.changed[..things]);
        self.count = other.count;
    }
}

/// A state of a world.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    world: Identity,
    /// The changes before it.
    count: u64,
}

/// When each thing of a world last changed.
#[derive(Clone, Copy)]
pub(super) struct Changes<'w> {
    until: Moment,
    changed: &'w [u64],
}

impl<'w> Changes<'w> {
    /// After the last one.
    pub(super) fn until(&self) -> Moment {
        self.until
    }

    /// The things that have changed since a moment, ascending: all, if it is none or one of another world.
    pub(super) fn since(&self, moment: Option<Moment>) -> impl Iterator<Item = usize> + use<'w> {
        let known = moment.filter(|moment| moment.world == self.until.world);
        let before = known.map_or(0, |moment| moment.count);
        self.changed.iter().enumerate().filter(move |(_, last)| **last > before).map(|(thing, _)| thing)
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use bvhc_format::NONE;

    use super::*;
    use crate::world::moving::BOX;

    const LEAF: InstanceLeaf = InstanceLeaf { bounds: [0.0; 6], instance: 0, slot: NONE };

    #[test]
    fn changes_are_those_since_a_moment_of_the_same_world() {
        let (mut records, mut leaves, mut changed) = ([BOX; 3], [LEAF; 3], [u64::MAX; 3]);
        let mut held = Held::of(&mut records, &mut leaves, &mut changed);
        let (here, elsewhere) = (Identity::new(), Identity::new());
        let since = |held: &Held<'_>, moment| held.changes(here, 3).since(moment).collect::<Vec<_>>();
        for thing in 0..3 {
            held.change(thing).0.user = 7;
        }
        assert_eq!(since(&held, None), [0, 1, 2]);
        let (own, other) = (held.changes(here, 3).until(), held.changes(elsewhere, 3).until());
        assert_eq!(since(&held, Some(own)), []);
        assert_eq!(since(&held, Some(other)), [0, 1, 2]);
        held.change(1).1.slot = 5;
        assert_eq!(since(&held, Some(own)), [1]);
        assert_eq!(since(&held, Some(held.changes(here, 3).until())), []);
        assert_eq!((held.records()[0].user, held.leaves()[1].slot), (7, 5));
    }
}
