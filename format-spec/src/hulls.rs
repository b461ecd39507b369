//! The nodes of the four-wide tree of convex hulls.
//!
//! References, leaves and the depth limit are those of the tree of oriented boxes: [`PairRef`],
//! [`PairLeaf`](crate::obb::PairLeaf) and [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).

use crate::obb::{EMPTY_EXTENT, PAIR_WIDTH, PairRef};
use crate::plain::plain_record;

/// The most vertices of a child's hull.
pub const HULL_VERTICES: usize = 8;

/// A node: four children, each with a convex hull around it, as a structure of arrays.
///
/// The volume of a child is the set of points within its radius of the convex hull of its vertices. It contains every
/// triangle below it. An empty slot has vertices of zeros and a radius of -1e30.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct HullNode {
    /// x, y and z of each vertex, relative to the tree's origin. A hull of fewer vertices repeats its first.
    pub vertices: [[[f32; PAIR_WIDTH]; 3]; HULL_VERTICES],
    /// The radii.
    pub radius: [f32; PAIR_WIDTH],
    /// [`PairRef`] of each slot.
    pub children: [u32; PAIR_WIDTH],
}

impl HullNode {
    /// A node without children.
    pub const EMPTY: Self = Self {
        vertices: [[[0.0; PAIR_WIDTH]; 3]; HULL_VERTICES],
        radius: [EMPTY_EXTENT; PAIR_WIDTH],
        children: [PairRef::EMPTY.0; PAIR_WIDTH],
    };
}

plain_record!(HullNode, 416, 16, [vertices, radius, children]);
