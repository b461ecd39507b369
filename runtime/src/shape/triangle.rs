//! The triangle.

use super::core_points::CorePoints;
use super::polytope::{Polytope, shape_of_polytope};
use super::{Displacement, Shape};
use crate::math::vector::{cross, sub};

/// A closed triangle, which may be degenerate: a segment or a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleShape {
    corners: [[f32; 3]; 3],
}

impl TriangleShape {
    /// The triangle with these corners, in any order.
    pub fn new(corners: [[f32; 3]; 3]) -> Self {
        Self { corners }
    }
}

impl Polytope for TriangleShape {
    #[inline]
    fn points(&self) -> CorePoints<'_> {
        CorePoints::Listed(&self.corners)
    }

    fn radius(&self) -> f64 {
        0.0
    }

    fn normal(&self, index: usize) -> Option<[f64; 3]> {
        let [a, b] = [Polytope::edge(self, 0)?, Polytope::edge(self, 1)?];
        (index == 0).then(|| cross(a, b))
    }

    fn edge(&self, index: usize) -> Option<[f64; 3]> {
        let corner = |k: usize| self.corners[k % 3].map(f64::from);
        (index < 3).then(|| sub(corner(index + 1), corner(index)))
    }
}

shape_of_polytope!(TriangleShape);
