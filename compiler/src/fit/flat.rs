//! Boxes of sets without volume, in closed form.

use super::frame::Frame;
use super::hull::Hull;
use super::objective::Objective;
use super::plane::Polygon;
use crate::math::vector::{accurate_cross, dot, subtract};

/// The frame of points on the line through these two.
pub(super) fn line(hull: &Hull, [a, b]: [usize; 2]) -> Frame {
    let points = hull.points();
    Frame::along(subtract(points[b], points[a])).unwrap_or(Frame::IDENTITY)
}

/// The frame of points in the plane of these three: the third axis is its normal, and the first two are those of
/// the best rectangle around the points. It is flush with an edge of their hull: of a triangle, the longest.
pub(super) fn plane(hull: &Hull, [a, b, c]: [usize; 3], objective: Objective) -> Frame {
    let points = hull.points();
    let along = subtract(points[b], points[a]);
    let normal = accurate_cross(along, subtract(points[c], points[a]));
    let Some(frame) = Frame::from_directions(normal, along) else {
        return line(hull, [a, b]);
    };
    let [_, i, j] = frame.axes;
    let mut projected: Vec<_> = points
        .iter()
        .map(|point| {
            let offset = subtract(*point, points[a]);
            [dot(offset, i), dot(offset, j)]
        })
        .collect();
    let mut polygon = Polygon::default();
    polygon.enclose(&mut projected);
    let best = polygon.best_rectangle(None, objective);
    best.map_or(frame, |best| frame.turned(0, best.direction).squared())
}
