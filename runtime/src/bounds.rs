//! The axis-aligned box of the public interface.

/// A closed axis-aligned box, in the model's units and space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub lower: [f32; 3],
    /// The corner with the largest coordinates.
    pub upper: [f32; 3],
}

impl Aabb {
    /// The box between two corners.
    pub fn new(lower: impl Into<[f32; 3]>, upper: impl Into<[f32; 3]>) -> Self {
        Self { lower: lower.into(), upper: upper.into() }
    }
}
