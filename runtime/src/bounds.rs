//! The axis-aligned box of the public interface.

use bvhc_format::MAX_COORDINATE;

/// A closed axis-aligned box: all points with `min <= x <= max` on every axis, in the model's units and space.
///
/// The bounds may be infinite: from `-inf` to `inf` contains everything. A box with a `min` greater than its `max`, or
/// with a NaN, is empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: [f32; 3],
    /// The corner with the largest coordinates.
    pub max: [f32; 3],
}

impl Aabb {
    /// The box with these two corners.
    ///
    /// ```
    /// use bvhc_runtime::Aabb;
    ///
    /// assert!(!Aabb::new([0.0; 3], [1.0; 3]).is_empty());
    /// assert!(Aabb::new([0.0; 3], [1.0, -1.0, 1.0]).is_empty());
    /// ```
    pub fn new(min: impl Into<[f32; 3]>, max: impl Into<[f32; 3]>) -> Self {
        Self { min: min.into(), max: max.into() }
    }

    /// Whether it may be in a file: not empty, and with coordinates up to 2^60.
    pub(crate) fn is_within_limits(&self) -> bool {
        !self.is_empty() && self.min.iter().chain(&self.max).all(|x| x.abs() <= MAX_COORDINATE)
    }

    /// Whether the box contains no point.
    pub fn is_empty(&self) -> bool {
        !(0..3).all(|axis| self.min[axis] <= self.max[axis])
    }
}
