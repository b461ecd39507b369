//! Polytopes grown by a radius: what all of them do alike, by their core's points.

use super::core_points::CorePoints;
use super::gjk::{Contact, classify};
use super::{Corners, Displacement, Shape, exact};

/// A shape whose core is the convex hull of points.
pub(super) trait Polytope {
    fn points(&self) -> CorePoints<'_>;

    fn radius(&self) -> f64;

    /// See [`Shape::normal`].
    fn normal(&self, _index: usize) -> Option<[f64; 3]> {
        None
    }

    /// See [`Shape::edge`].
    fn edge(&self, _index: usize) -> Option<[f64; 3]> {
        None
    }
}

/// A polytope is a shape that decides exactly.
macro_rules! shape_of_polytope {
    ($type:ty) => {
        impl Shape for $type {
            fn core_bounds(&self) -> [[f64; 3]; 2] {
                self.points().bounds()
            }

            fn radius(&self) -> f64 {
                Polytope::radius(self)
            }

            #[inline]
            fn support(&self, direction: [f64; 3]) -> [f64; 3] {
                self.points().support(direction)
            }

            fn touches(&self, triangle: &[[f64; 3]; 3], displacement: &Displacement) -> bool {
                $crate::shape::polytope::touches(self, triangle, displacement)
            }

            fn touches_during(&self, triangle: &[[f64; 3]; 3], displacement: &Displacement) -> Option<bool> {
                Some($crate::shape::exact::touches_during(
                    self.points(),
                    Polytope::radius(self),
                    triangle,
                    displacement,
                ))
            }

            fn normal(&self, index: usize) -> Option<[f64; 3]> {
                Polytope::normal(self, index)
            }

            fn edge(&self, index: usize) -> Option<[f64; 3]> {
                Polytope::edge(self, index)
            }
        }
    };
}
pub(super) use shape_of_polytope;

/// Whether the displaced shape and the triangle share a point: exact.
pub(super) fn touches<T: Polytope + Shape>(
    shape: &T,
    triangle: &Corners,
    displacement: &Displacement,
) -> bool {
    match classify(shape, triangle, displacement.rounded()) {
        Contact::Touching => true,
        Contact::Apart => false,
        Contact::Unsure => exact::touches(shape.points(), Polytope::radius(shape), triangle, displacement),
    }
}
