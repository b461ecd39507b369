//! The ball.

use super::core_points::CorePoints;
use super::polytope::{Polytope, shape_of_polytope};
use super::{Displacement, Shape};
use crate::math::vector::Map3;

/// A closed ball.
///
/// ```
/// use bvhc_runtime::{Ball, Model, include_aligned};
///
/// let model = Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?;
/// assert!(model.overlaps(&Ball::new([0.5, 0.5, 1.0], 1.0)));
/// assert!(!model.overlaps(&Ball::new([0.5, 0.5, 1.0], 0.99)));
/// # Ok::<(), bvhc_runtime::OpenError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    centre: [f32; 3],
    radius: f32,
}

impl Ball {
    /// All points at most `radius` from `centre`.
    pub fn new(centre: impl Into<[f32; 3]>, radius: f32) -> Self {
        Self { centre: centre.into(), radius }
    }
}

impl Polytope for Ball {
    #[inline]
    fn points(&self) -> CorePoints<'_> {
        CorePoints::Listed(core::slice::from_ref(&self.centre))
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        [self.centre.map3(f64::from); 2]
    }

    fn axes(&self) -> [[f64; 3]; 3] {
        [[0.0; 3]; 3]
    }

    fn fills_axes(&self) -> bool {
        true
    }

    fn radius(&self) -> f64 {
        f64::from(self.radius)
    }
}

shape_of_polytope!(Ball);
