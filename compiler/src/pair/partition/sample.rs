//! The triangles of a set that are looked at before it is split.

use crate::math::vector::Vector;

use super::bounds::Bounds;

/// A triangle in the frame of its set's box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) bounds: Bounds,
    /// Three times the centre, in space.
    pub(super) centre: Vector,
    pub(super) number: u32,
}
