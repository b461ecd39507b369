//! All that a moving shape passes, as a shape: their union is convex, too.

use super::gjk::{Contact, classify};
use super::{Corners, Displacement, Shape};
use crate::math::vector::{Map3, add, dot};

/// What f64 proves of a shape that moves by a displacement, and a triangle: whether they touch at some time.
pub(super) fn classify_during<T: Shape + ?Sized>(
    shape: &T,
    triangle: &Corners,
    displacement: &Displacement,
) -> Contact {
    classify(&Swept { shape, by: displacement.rounded() }, triangle, [0.0; 3])
}

struct Swept<'a, T: ?Sized> {
    shape: &'a T,
    by: [f64; 3],
}

impl<T: Shape + ?Sized> Shape for Swept<'_, T> {
    fn core_bounds(&self) -> [[f64; 3]; 2] {
        let [lower, upper] = self.shape.core_bounds();
        [
            [0, 1, 2].map3(|axis| lower[axis] + self.by[axis].min(0.0)),
            [0, 1, 2].map3(|axis| upper[axis] + self.by[axis].max(0.0)),
        ]
    }

    fn radius(&self) -> f64 {
        self.shape.radius()
    }

    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let point = self.shape.support(direction);
        if dot(self.by, direction) > 0.0 { add(point, self.by) } else { point }
    }
}
