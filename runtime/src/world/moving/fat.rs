//! Fat leaves: boxes in the tree that are larger than what they hold, so that a thing may move a little without a change of the tree.
//!
//! Walks leave out what they do not touch and then ask the thing itself, so larger leaves change no answer.
//!
//! Based on: Catto, "Dynamic Bounding Volume Hierarchies", 2019 (leaves are enlarged, more so where a thing moves to).
//! Departures: motion counts on each plane by itself and up to a limit, so that a thing that jumps gets no huge leaf; and a leaf
//! that has become far too large is made anew.

use bvhc_format::{MAX_COORDINATE, NONE};

use super::memory::{DISABLED, ENABLED};
use super::tree::Bounds;
use super::{MovingError, MovingWorld, box_bounds};
use crate::world::bounds_of;

/// For so many steps like the last one a plane is given room.
const STEPS: f32 = 8.0;

/// The most room for motion, in fatnesses.
const MOST_AHEAD: f32 = 2.0;

/// A leaf is made anew where one of its planes is farther out than this, in fatnesses.
const LOOSEST: f32 = 5.0;

/// How far leaves extend beyond what they hold.
#[derive(Clone, Copy)]
pub(super) struct Fatness(f32);

impl Fatness {
    pub(super) const NONE: Self = Self(0.0);

    /// A leaf around a tight one, which has moved from somewhere.
    pub(super) fn around(self, tight: &Bounds, motion: &Bounds) -> Bounds {
        if self.0 == 0.0 {
            return *tight;
        }
        let mut fat = *tight;
        let by = |plane: usize| self.0 + (STEPS * motion[plane]).clamp(0.0, MOST_AHEAD * self.0);
        for axis in 0..3 {
            fat[axis] = (tight[axis] - by(axis)).max(-MAX_COORDINATE).min(tight[axis]);
            fat[axis + 3] = (tight[axis + 3] + by(axis + 3)).min(MAX_COORDINATE).max(tight[axis + 3]);
        }
        fat
    }

    /// Whether a leaf contains a tight one and is not much larger.
    pub(super) fn keeps(self, held: &Bounds, tight: &Bounds) -> bool {
        let room = outward(tight, held);
        room.iter().all(|room| (0.0..=LOOSEST * self.0).contains(room))
    }
}

/// How far the planes of a box have moved outward.
pub(super) fn outward(from: &Bounds, to: &Bounds) -> Bounds {
    let mut by = [0.0; 6];
    for axis in 0..3 {
        (by[axis], by[axis + 3]) = (from[axis] - to[axis], to[axis + 3] - from[axis + 3]);
    }
    by
}

impl MovingWorld<'_> {
    /// Lets the tree's boxes extend by this distance beyond the things, and up to three times as far where a thing moves to, so that
    /// most moves change no box of the tree: they cost less, and so do updates and [`KeptPairs`](super::KeptPairs). Queries meet
    /// more boxes and cost more. No answer changes. A distance that things move in some frames is a good one; 0, as at
    /// first, keeps boxes tight. Cost: that of moving every thing; [`update`](Self::update) afterwards.
    ///
    /// # Errors
    /// [`MovingError::Fatness`] if it is negative, above 2^60 or NaN; then nothing was changed.
    pub fn fatten(&mut self, by: f32) -> Result<(), MovingError> {
        if !(0.0..=MAX_COORDINATE).contains(&by) {
            return Err(MovingError::Fatness { found: by });
        }
        self.fatness = Fatness(by);
        for number in 0..self.tree.used {
            let (state, record) = (self.tree.memory.states[number], &self.tree.memory.held.records()[number]);
            if !matches!(state, ENABLED | DISABLED) {
                continue;
            }
            let tight = match record.mesh {
                NONE => box_bounds(&bounds_of(record.bounds))?.1,
                _ => record.bounds,
            };
            self.tree.memory.held.change(number).1.bounds = self.fatness.around(&tight, &[0.0; 6]);
            if state == ENABLED {
                self.tree.set_leaf(number);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIGHT: Bounds = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];

    #[test]
    fn leaves_have_room_where_things_move_to() {
        let after = [0.125, -8.0, 0.0, 1.125, 1.0, 1.0];
        let fat = Fatness(0.5).around(&after, &outward(&TIGHT, &after));
        assert_eq!(fat, [-0.375, -9.5, -0.5, 2.625, 1.5, 1.5]);
        assert!(Fatness(0.5).keeps(&fat, &[0.5, -7.0, 0.0, 1.5, 1.0, 1.0]));
        assert!(!Fatness(0.5).keeps(&fat, &[0.5, -6.5, 0.0, 1.5, 1.0, 1.0]));
        assert!(!Fatness(0.5).keeps(&fat, &[0.5, -9.75, 0.0, 1.5, 1.0, 1.0]));
    }

    #[test]
    fn leaves_without_fatness_are_tight() {
        assert_eq!(Fatness::NONE.around(&TIGHT, &[9.0; 6]), TIGHT);
        assert!(Fatness::NONE.keeps(&TIGHT, &TIGHT));
        assert!(!Fatness::NONE.keeps(&TIGHT, &[0.0, 0.0, 0.25, 1.0, 1.0, 1.0]));
    }

    #[test]
    fn leaves_end_where_coordinates_do() {
        let most = MAX_COORDINATE;
        let beyond = [-most.next_up(), -most, 0.0, most, most.next_up(), 1.0];
        let fat = Fatness(most).around(&beyond, &[most; 6]);
        assert_eq!(fat, [-most.next_up(), -most, -most, most, most.next_up(), most]);
    }
}
