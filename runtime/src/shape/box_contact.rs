//! Where a box touches a triangle, from what of the two is touched: in closed form, where that is a corner or two edges.

use super::Corners;
use super::first_touch::{ContactNormal, Feature, unit_normal};
use super::separating_axes::SolidBox;
use crate::math::vector::{Map3, add, cross, dot, scale, sub};
use crate::math::{larger, smaller};

/// An axis of the box that rises by less than this share of its length along the normal is an edge that is touched.
const LEVEL: f64 = 1e-6;

/// Lines whose squared sine is less than this are parallel.
const PARALLEL: f64 = 1e-12;

/// What is found is this many tolerances from the box at most.
const NEAR: f64 = 4.0;

impl SolidBox {
    /// The point of the triangle that the displaced box is about to touch; `None` where more than a point of both may be touched, or
    /// where what is found is not within some tolerances of the box.
    pub(super) fn touched_point(
        &self,
        triangle: &Corners,
        moved: [f64; 3],
        from: &ContactNormal,
        tolerance: f64,
    ) -> Option<[f64; 3]> {
        let middle = add(self.centre(), moved);
        let point = match from.feature {
            Feature::Vertex(k) => triangle[usize::from(k % 3)],
            Feature::Edge(k) => {
                let ends = [k, k + 1].map(|k| triangle[usize::from(k % 3)]);
                self.nearest_of_edge(ends, middle, from.normal)?
            }
            Feature::Face => self.below_corner(triangle, middle, from.normal)?,
        };
        self.is_near(point, middle, NEAR * tolerance).then_some(point)
    }

    /// Of each axis, the end that is lower along a direction; or, if it is level, its middle.
    fn lowest(&self, direction: [f64; 3]) -> [Option<[f64; 3]>; 3] {
        self.axes().map3(|axis| {
            let (along, length) = (dot(axis, direction), libm::sqrt(dot(axis, axis)));
            let is_level = along.abs() <= LEVEL * length;
            (!is_level).then(|| if along > 0.0 { scale(axis, -1.0) } else { axis })
        })
    }

    /// The point of an edge of the triangle that is nearest to the line of an edge of the box.
    fn nearest_of_edge(&self, [p, q]: [[f64; 3]; 2], middle: [f64; 3], normal: [f64; 3]) -> Option<[f64; 3]> {
        let (direction, on_edge) = match self.lowest(normal) {
            [None, Some(b), Some(c)] => (self.axes()[0], add(b, c)),
            [Some(a), None, Some(c)] => (self.axes()[1], add(a, c)),
            [Some(a), Some(b), None] => (self.axes()[2], add(a, b)),
            _ => return None,
        };
        let (edge, between) = (sub(q, p), sub(p, add(middle, on_edge)));
        let (square, other_square, both) = (dot(edge, edge), dot(direction, direction), dot(edge, direction));
        let divisor = square * other_square - both * both;
        if divisor <= PARALLEL * square * other_square {
            return None;
        }
        let share = (both * dot(direction, between) - other_square * dot(edge, between)) / divisor;
        Some(add(p, scale(edge, larger(smaller(share, 1.0), 0.0))))
    }

    /// The point of the triangle's plane below the lowest corner of the box, if the triangle holds it.
    fn below_corner(&self, triangle: &Corners, middle: [f64; 3], normal: [f64; 3]) -> Option<[f64; 3]> {
        let [Some(a), Some(b), Some(c)] = self.lowest(normal) else { return None };
        let corner = add(middle, add(add(a, b), c));
        let face = unit_normal(triangle);
        if face == [0.0; 3] {
            return None;
        }
        let point = sub(corner, scale(face, dot(sub(corner, triangle[0]), face)));
        let is_inside = |k: usize| {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            dot(cross(sub(to, from), sub(point, from)), face) >= 0.0
        };
        (is_inside(0) && is_inside(1) && is_inside(2)).then_some(point)
    }

    /// Whether a point is between the planes of all faces, moved outwards by so much.
    fn is_near(&self, point: [f64; 3], middle: [f64; 3], by: f64) -> bool {
        let (axes, from_middle) = (self.axes(), sub(point, middle));
        (0..3).all(|k| {
            let normal = cross(axes[(k + 1) % 3], axes[(k + 2) % 3]);
            let reach = dot(axes[k], normal).abs() + by * libm::sqrt(dot(normal, normal));
            dot(from_middle, normal).abs() <= reach
        })
    }
}
