//! The capsule.

use super::core_points::CorePoints;
use super::polytope::{Polytope, shape_of_polytope};
use super::{Displacement, Shape};
use crate::math::vector::{scale, sub};

/// A closed capsule: a segment grown by a radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    ends: [[f32; 3]; 2],
    radius: f32,
}

impl Capsule {
    /// All points at most `radius` from the segment between the two ends, which may be equal.
    ///
    /// ```
    /// use bvhc_runtime::Capsule;
    ///
    /// // A standing person: 1.8 units high, 0.6 wide, with the feet at the origin.
    /// let person = Capsule::new([0.0, 0.3, 0.0], [0.0, 1.5, 0.0], 0.3);
    /// # let _ = person;
    /// ```
    pub fn new(a: impl Into<[f32; 3]>, b: impl Into<[f32; 3]>, radius: f32) -> Self {
        Self { ends: [a.into(), b.into()], radius }
    }
}

impl Polytope for Capsule {
    #[inline]
    fn points(&self) -> CorePoints<'_> {
        CorePoints::Listed(&self.ends)
    }

    fn radius(&self) -> f64 {
        f64::from(self.radius)
    }

    fn axes(&self) -> [[f64; 3]; 3] {
        let [a, b] = self.ends.map(|end| end.map(f64::from));
        [scale(sub(b, a), 0.5), [0.0; 3], [0.0; 3]]
    }

    fn fills_axes(&self) -> bool {
        true
    }

    fn edge(&self, index: usize) -> Option<[f64; 3]> {
        let [a, b] = self.ends.map(|end| end.map(f64::from));
        (index == 0).then(|| sub(b, a))
    }
}

shape_of_polytope!(Capsule);
