//! Polytopes grown by a radius: what all of them do alike, by their core's points.

use super::core_points::CorePoints;
use super::during::classify_during;
use super::exact::Question;
use super::gjk::{Contact, classify};
use super::separating_axes::SolidBox;
use super::{Corners, Displacement, Shape, axes_of};

/// A shape whose core is the convex hull of points.
pub(super) trait Polytope {
    fn points(&self) -> CorePoints<'_>;

    fn radius(&self) -> f64;

    /// See [`Shape::core_bounds`].
    fn bounds(&self) -> [[f64; 3]; 2] {
        self.points().bounds()
    }

    /// See [`Shape::support`].
    #[inline]
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        self.points().support(direction)
    }

    /// See [`Shape::core_extent`].
    fn extent(&self, direction: [f64; 3]) -> [f64; 2] {
        self.points().extent(direction)
    }

    /// See [`Shape::core_axes`].
    fn axes(&self) -> [[f64; 3]; 3] {
        axes_of(&self.bounds())
    }

    /// See [`Shape::core_points`].
    fn corners(&self) -> &[[f32; 3]] {
        &[]
    }

    /// See [`Shape::fills_core_axes`].
    fn fills_axes(&self) -> bool {
        false
    }

    /// See [`Shape::normal`].
    fn normal(&self, _index: usize) -> Option<[f64; 3]> {
        None
    }

    /// See [`Shape::edge`].
    fn edge(&self, _index: usize) -> Option<[f64; 3]> {
        None
    }

    /// Decides exactly what f64 leaves open, if there is a faster way than that for all polytopes.
    fn decided(&self, _triangle: &Corners, _displacement: &Displacement) -> Option<bool> {
        None
    }
}

/// A polytope is a shape that decides exactly.
macro_rules! shape_of_polytope {
    ($type:ty) => {
        impl Shape for $type {
            fn core_bounds(&self) -> [[f64; 3]; 2] {
                Polytope::bounds(self)
            }

            fn core_axes(&self) -> [[f64; 3]; 3] {
                Polytope::axes(self)
            }

            fn core_points(&self) -> &[[f32; 3]] {
                Polytope::corners(self)
            }

            fn fills_core_axes(&self) -> bool {
                Polytope::fills_axes(self)
            }

            fn radius(&self) -> f64 {
                Polytope::radius(self)
            }

            #[inline]
            fn support(&self, direction: [f64; 3]) -> [f64; 3] {
                Polytope::support(self, direction)
            }

            fn core_extent(&self, direction: [f64; 3]) -> [f64; 2] {
                Polytope::extent(self, direction)
            }

            fn touches(&self, triangle: &[[f64; 3]; 3], displacement: &Displacement) -> bool {
                $crate::shape::polytope::touches(self, triangle, displacement)
            }

            fn touches_during(&self, triangle: &[[f64; 3]; 3], displacement: &Displacement) -> Option<bool> {
                Some($crate::shape::polytope::touches_during(self, triangle, displacement))
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
    let moved = displacement.rounded();
    if let Some(solid) = SolidBox::of(shape)
        && let Some(known) = solid.touches(triangle, moved).or_else(|| shape.decided(triangle, displacement))
    {
        return known;
    }
    match classify(shape, triangle, moved) {
        Contact::Touching => true,
        Contact::Apart => false,
        Contact::Unsure(start) => shape
            .decided(triangle, displacement)
            .unwrap_or_else(|| question(shape, triangle, displacement, false).touches(&start)),
    }
}

/// Whether they do at some time while the shape moves by the displacement: exact.
pub(super) fn touches_during<T: Polytope + Shape>(
    shape: &T,
    triangle: &Corners,
    displacement: &Displacement,
) -> bool {
    match classify_during(shape, triangle, displacement) {
        Contact::Touching => true,
        Contact::Apart => false,
        Contact::Unsure(start) => question(shape, triangle, displacement, true).touches(&start),
    }
}

fn question<'a, T: Polytope>(
    shape: &'a T,
    triangle: &'a Corners,
    displacement: &'a Displacement,
    swept: bool,
) -> Question<'a> {
    Question { points: shape.points(), radius: Polytope::radius(shape), triangle, displacement, swept }
}
