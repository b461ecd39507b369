//! The convex hull of points, rounded.

use super::core_points::CorePoints;
use super::polytope::{Polytope, shape_of_polytope};
use super::{Displacement, Shape};

/// The closed convex hull of points, grown by a radius.
///
/// Points inside the hull are harmless, but each costs time: a query looks at all of them again and again.
///
/// ```
/// use bvhc_runtime::ConvexHull;
///
/// let wedge = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let rounded = ConvexHull::new(&wedge, 0.05);
/// # let _ = rounded;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexHull<'a> {
    points: &'a [[f32; 3]],
    radius: f32,
    bounds: [[f64; 3]; 2],
}

impl<'a> ConvexHull<'a> {
    /// All points at most `radius` from the convex hull of `points`. Empty if there is no point. Cost: a pass over them.
    pub fn new(points: &'a [[f32; 3]], radius: f32) -> Self {
        Self { points, radius, bounds: CorePoints::Listed(points).bounds() }
    }
}

impl Polytope for ConvexHull<'_> {
    #[inline]
    fn points(&self) -> CorePoints<'_> {
        CorePoints::Listed(self.points)
    }

    fn corners(&self) -> &[[f32; 3]] {
        self.points
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        self.bounds
    }

    fn radius(&self) -> f64 {
        f64::from(self.radius)
    }
}

shape_of_polytope!(ConvexHull<'_>);
