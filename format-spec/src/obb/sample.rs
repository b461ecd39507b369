//! The sample vertices of a node of oriented boxes.

use super::PAIR_WIDTH;
use crate::plain::plain_record;

/// For each child of a node, one vertex of the surface below it.
///
/// An empty slot repeats slot 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct SampleNode {
    /// x, y and z of the vertices, relative to the tree's origin, rounded once.
    pub position: [[f32; PAIR_WIDTH]; 3],
    /// Triangles that have these vertices as corners: 4 times the index of a leaf, plus a lane of it.
    pub triangles: [u32; PAIR_WIDTH],
}

plain_record!(SampleNode, 64, 64, [position, triangles]);
