//! The edges of triangles: which triangle is across each, and how far the surface bends there.

use crate::plain::plain_record;

/// The angle of a fold, π, in the units of [`TriangleEdges`].
pub const FOLD: u16 = 0xfffe;

/// In place of an angle: it is not known, or there is nothing across.
pub const UNKNOWN_ANGLE: u16 = 0xffff;

/// What is across the edges of a triangle. Edge `k` is from corner `k` to the next one.
///
/// Angles 0 to 2 are at the edges, 3 to 5 at the corners, in units of π / 65534, as seen from the triangle's front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TriangleEdges {
    /// The number of the triangle across each edge; [`NONE`](crate::NONE) unless it is the only one.
    pub neighbours: [u32; 3],
    /// The largest angle by which the surface bends away from the viewer.
    pub convex: [u16; 6],
    /// The largest angle by which it bends towards the viewer.
    pub concave: [u16; 6],
}

impl TriangleEdges {
    /// Nothing is known.
    pub const UNKNOWN: Self =
        Self { neighbours: [crate::NONE; 3], convex: [UNKNOWN_ANGLE; 6], concave: [UNKNOWN_ANGLE; 6] };
}

plain_record!(TriangleEdges, 36, 4, [neighbours, convex, concave]);
