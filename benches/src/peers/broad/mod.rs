//! Broad phases: pairs of boxes that touch, of which some never move.

mod library;
mod parry;
mod rapier;

pub use library::{Bodies, Boxes, Broad};
pub use parry::Parry;
pub use rapier::Rapier;

/// A box: lower x, y, z, upper x, y, z.
pub type Box6 = [f32; 6];

/// The indices of two boxes that touch, the lower one first; one at least may move.
pub type Pair = [u32; 2];

/// A world of boxes, of which the first ones never move.
pub trait BroadPhase {
    /// Takes the boxes of what has moved: its numbers among those that may, and the boxes of all of these.
    fn move_boxes(&mut self, moved: &[u32], boxes: &[Box6]);

    /// Updates what pairs are found by, once a frame.
    fn update(&mut self);

    /// Writes all pairs that touch, in any order; returns how many they are. There must be places for all.
    fn pairs(&mut self, pairs: &mut [Pair]) -> usize;

    /// Writes the last pairs if [`pairs`](Self::pairs) has left them in a form of the library's own. Not timed.
    fn convert(&self, _pairs: &mut [Pair]) {}

    /// Builds anew what pairs are found by. Returns whether it can.
    fn rebuild(&mut self) -> bool;
}

pub(super) fn touch(a: &Box6, b: &Box6) -> bool {
    (0..3).all(|axis| a[axis] <= b[axis + 3] && b[axis] <= a[axis + 3])
}
