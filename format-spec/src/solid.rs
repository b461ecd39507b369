//! The boundary of a surface, as the directed edges that its triangles leave over.

use crate::plain::plain_record;

/// The edges of a [`BoundaryEdges`].
pub const EDGE_LANES: usize = 8;

/// Eight directed edges of the boundary, as a structure of arrays.
///
/// Lanes after the last edge hold an edge of no length, from its first vertex to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct BoundaryEdges {
    /// x, y and z of where each edge begins, in the model's units and space.
    pub from: [[f32; EDGE_LANES]; 3],
    /// x, y and z of where each edge ends.
    pub to: [[f32; EDGE_LANES]; 3],
}

plain_record!(BoundaryEdges, 192, 64, [from, to]);
