//! When a moving capsule first touches a triangle, in closed form. It proposes: [`at_once`](super::at_once) proves.
//!
//! As a ball around one end of the capsule that moves towards the sum of the triangle and the capsule's reversed segment: a prism
//! of two triangles and three parallelograms, whose faces, edges and corners the ball reaches as those of a triangle.

use super::moving_ball::{BallContact, LEAST_SINE, MovingBall};
use super::{Bounds, Corners, Shape};
use crate::math::vector::{Map3, add, cross, dot, scale, sub};
use crate::math::{larger, smaller};

/// What is lower over a plane than this share of its size is in it, within roundings of a known normal.
const LEAST_HEIGHT: f64 = 1.0 / (1u64 << 30) as f64;

/// The ends of a shape's core, if that is a segment.
pub(crate) fn segment_of(shape: &dyn Shape, bounds: &Bounds) -> Option<[[f64; 3]; 2]> {
    let [half, second, third] = shape.core_axes();
    let is_segment = half != [0.0; 3] && [second, third] == [[0.0; 3]; 2];
    (is_segment && shape.fills_core_axes()).then(|| [sub(bounds.centre(), half), add(bounds.centre(), half)])
}

/// A capsule that moves by a direction in a unit of time.
pub(super) struct MovingCapsule {
    /// Around one end.
    pub(super) ball: MovingBall,
    /// From the other end to this one.
    pub(super) axis: [f64; 3],
}

/// What a ball does at the plane of a face that has the prism behind it.
enum AtFace {
    /// It does not touch the prism.
    Misses,
    /// It touches the face first.
    Touches(BallContact),
    /// It may touch something else.
    Passes,
}

impl MovingCapsule {
    /// The first contact, of a capsule that is apart from the triangle at first, about, with the point of the prism that the ball
    /// touches, and that of the triangle which it comes from; `None` if there is none, or rounding leaves it open.
    pub(super) fn first_contact(&self, triangle: &Corners) -> Option<BallContact> {
        let [a, b, c] = *triangle;
        let edges = [sub(b, a), sub(c, b), sub(a, c)];
        for face in 0..4 {
            let found = match face {
                0 => self.at_triangle(triangle, &edges)?,
                _ => self.at_side(triangle[face - 1], edges[face - 1], triangle[(face + 1) % 3]),
            };
            match found {
                AtFace::Misses => return None,
                AtFace::Touches(contact) => return Some(contact),
                AtFace::Passes => {}
            }
        }
        let moved = triangle.map3(|corner| add(corner, self.axis));
        let mut first: Option<BallContact> = None;
        let mut offer = |found: Option<BallContact>, foot: &dyn Fn([f64; 3]) -> [f64; 3]| {
            if let Some(found) = found
                && first.is_none_or(|first| found.t < first.t)
            {
                first = Some(BallContact { foot: foot(found.point), ..found });
            }
        };
        for k in 0..3 {
            let corner = triangle[k];
            offer(self.ball.reaches_edge(corner, edges[k]), &|point| point);
            offer(self.ball.reaches_edge(moved[k], edges[k]), &|point| sub(point, self.axis));
            offer(self.ball.reaches_edge(corner, self.axis), &|_| corner);
            offer(self.ball.reaches_corner(corner), &|_| corner);
            offer(self.ball.reaches_corner(moved[k]), &|_| corner);
        }
        first
    }

    /// At the triangle or at its copy, whichever the ball is before; `None` where the normal is not known.
    fn at_triangle(&self, triangle: &Corners, edges: &Corners) -> Option<AtFace> {
        let unit = unit_across(edges[0], edges[1])?;
        let (height, of_copy) = (dot(unit, sub(self.ball.centre, triangle[0])), dot(unit, self.axis));
        let above = height - larger(of_copy, 0.0);
        let (outwards, gap) =
            if above > 0.0 { (unit, above) } else { (scale(unit, -1.0), smaller(of_copy, 0.0) - height) };
        let is_copy = (outwards == unit) == (of_copy > 0.0);
        // Then the two are in one plane.
        let is_along = of_copy * of_copy <= dot(self.axis, self.axis) * (LEAST_HEIGHT * LEAST_HEIGHT);
        let is_inside =
            |foot: &[f64; 3]| (0..3).all(|k| dot(unit, cross(edges[k], sub(*foot, triangle[k]))) >= 0.0);
        Some(self.at_face(outwards, gap, |point| {
            let of_copy = sub(point, self.axis);
            let (first, second) = if is_copy { (of_copy, point) } else { (point, of_copy) };
            Some(first).filter(is_inside).or_else(|| Some(second).filter(|foot| is_along && is_inside(foot)))
        }))
    }

    /// At the parallelogram of an edge, which has the other corner of the triangle behind it.
    fn at_side(&self, start: [f64; 3], edge: [f64; 3], other: [f64; 3]) -> AtFace {
        // One that is seen as a segment is touched at its edges.
        let Some(unit) = unit_across(edge, self.axis) else { return AtFace::Passes };
        let (behind, before) = (sub(other, start), sub(self.ball.centre, start));
        let height = dot(unit, behind);
        // In the triangle's plane, the side is the ball's.
        let is_along = height * height <= dot(behind, behind) * (LEAST_HEIGHT * LEAST_HEIGHT);
        let faces_ball = if is_along { dot(unit, before) >= 0.0 } else { height <= 0.0 };
        let outwards = if faces_ball { unit } else { scale(unit, -1.0) };
        let gap = dot(outwards, before);
        let whole = dot(unit, cross(edge, self.axis));
        self.at_face(outwards, gap, |point| {
            let from = sub(point, start);
            let shares = [dot(unit, cross(from, self.axis)), dot(unit, cross(edge, from))];
            let is_inside = shares.iter().all(|share| (0.0..=whole).contains(share));
            is_inside.then(|| add(start, scale(edge, shares[0] / whole)))
        })
    }

    /// At a face with this normal, of which the ball's centre is so far. `foot`: the point of the triangle that a point of the face
    /// comes from, if that is inside.
    fn at_face(&self, outwards: [f64; 3], gap: f64, foot: impl Fn([f64; 3]) -> Option<[f64; 3]>) -> AtFace {
        let (gap, closing) = (gap - self.ball.radius, -dot(outwards, self.ball.direction));
        if gap <= 0.0 {
            return AtFace::Passes;
        }
        if closing <= 0.0 {
            return AtFace::Misses;
        }
        let t = gap / closing;
        let point = sub(self.ball.centre_at(t), scale(outwards, self.ball.radius));
        match foot(point) {
            Some(foot) => AtFace::Touches(BallContact { t, normal: outwards, point, foot }),
            None => AtFace::Passes,
        }
    }
}

/// The unit vector perpendicular to two; `None` if it is not known.
fn unit_across(a: [f64; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let normal = cross(a, b);
    let square = dot(normal, normal);
    let is_known = square > dot(a, a) * dot(b, b) * (LEAST_SINE * LEAST_SINE);
    is_known.then(|| scale(normal, 1.0 / libm::sqrt(square)))
}
