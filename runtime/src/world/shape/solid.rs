//! Shapes against the caller's boxes, which are solid: a shape wholly inside touches them.
//!
//! A box's surface is twelve triangles, whose corners f64 holds exactly, so whether a shape touches it is decided as for any other
//! triangle. One that does not is inside if any of its points is.

use core::ops::ControlFlow;

use crate::bounds::Aabb;
use crate::math::vector::{Map3, cross, dot, scale, sub};
use crate::query::{CastHit, Contact, Motion, Neighbourhood, ShapeCast, StartContact, Touches, by_contact};
use crate::shape::directions::MOST;
use crate::shape::first_touch::{ContactNormal, Feature, Limit, Touch};
use crate::shape::gjk::Nearest;
use crate::shape::near::Near;
use crate::shape::{Corners, Displacement, Shape};

/// The corners of each face, counter-clockwise from outside: of lower x, upper x, lower y and so on. Bits 0 to 2 of a number say
/// which of a corner's coordinates are the upper ones.
const FACES: [[u8; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

fn corners(bounds: &Aabb, face: usize) -> [[f64; 3]; 4] {
    let end = |corner: u8, axis: usize| {
        f64::from(if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] })
    };
    FACES[face % 6].map(|corner| [end(corner, 0), end(corner, 1), end(corner, 2)])
}

/// The two triangles of each face, with its number.
fn surface(bounds: &Aabb) -> impl Iterator<Item = (usize, Corners)> + '_ {
    (0..6).flat_map(|face| {
        let [a, b, c, d] = corners(bounds, face);
        [(face, [a, b, c]), (face, [a, c, d])]
    })
}

/// Whether a shape and a box share a point.
pub(super) fn touches(bounds: &Aabb, shape: &dyn Shape) -> bool {
    surface(bounds).any(|(_, triangle)| shape.touches(&triangle, &Displacement::NONE)) || holds(bounds, shape)
}

/// Whether a box holds a shape, or a core, that does not touch its surface: whether it holds one point of it.
fn holds(bounds: &Aabb, shape: &dyn Shape) -> bool {
    let point = shape.support([1.0, 0.0, 0.0]);
    (0..3)
        .all(|axis| f64::from(bounds.min[axis]) <= point[axis] && point[axis] <= f64::from(bounds.max[axis]))
}

/// When a moving shape first touches a box, up to `limit`. [`Sides`](crate::Sides) do not matter, as for rays.
pub(super) fn cast(bounds: &Aabb, cast: &ShapeCast<'_, dyn Shape + '_>, limit: f64) -> Option<CastHit> {
    let motion = Motion::of(cast, [bounds.min, bounds.max].map(|end| end.map3(f64::from)))?;
    let mover = &motion.mover;
    if touches(bounds, cast.shape) {
        let (near, face) = deepest(bounds, cast.shape, mover.tolerance);
        let counts = match cast.start {
            StartContact::Report => true,
            StartContact::IfClosing => dot(near.normal, mover.direction.map3(f64::from)) < 0.0,
            StartContact::Ignore => false,
        };
        let Near { normal, gap, point, feature } = near;
        let from = ContactNormal { normal, depth: Some(0.0 - gap), feature };
        let touch = Touch { t: 0.0, point, from };
        return (counts && limit >= 0.0).then(|| CastHit::of(&touch, &first_three(corners(bounds, face))));
    }
    let (mut first, mut limit): (Option<CastHit>, f64) = (None, limit);
    for (_, triangle) in surface(bounds) {
        let Some(time) =
            mover.first_touch(&triangle, Limit { t: limit, ..Limit::NONE }).filter(|time| time.t <= limit)
        else {
            continue;
        };
        let from = mover.contact_normal(&triangle, &time);
        let hit = CastHit::of(&mover.describe(&triangle, &time, from), &triangle);
        if first.as_ref().is_none_or(|held| by_contact(&hit, held).is_lt()) {
            (limit, first) = (hit.t, Some(hit));
        }
    }
    first
}

/// Calls `visit` with the contacts of a shape and a box: around the part of the shape that faces a face of the box, or one at an
/// edge or a corner.
pub(super) fn contacts(
    bounds: &Aabb,
    touches: &Touches<'_, dyn Shape + '_>,
    near: &Neighbourhood,
    visit: &mut dyn FnMut(&Contact) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (shape, margin) = (touches.shape, touches.margin);
    let is_touched = self::touches(bounds, shape);
    let found = if is_touched {
        Some(deepest(bounds, shape, near.tolerance))
    } else {
        nearest(bounds, shape, margin, near.tolerance)
    };
    let Some((found, face)) = found else { return ControlFlow::Continue(()) };
    let face = corners(bounds, face);
    touches.spread(&found, &face, |point| visit(&Contact::of(point, &first_three(face))))
}

fn first_three([a, b, c, _]: [[f64; 3]; 4]) -> Corners {
    [a, b, c]
}

/// The contact with the least gap of those with the triangles of a box, up to a margin, and its face: that of the box, if it does
/// not reach into the shape's core.
fn nearest(bounds: &Aabb, shape: &dyn Shape, margin: f64, tolerance: f64) -> Option<(Near, usize)> {
    let mut best: Option<(Near, usize)> = None;
    for (face, triangle) in surface(bounds) {
        let Some(near) = Near::of(shape, &triangle, margin, tolerance) else { continue };
        if best.is_none_or(|(held, _)| near.gap < held.gap) {
            best = Some((near, face));
        }
    }
    best
}

/// The contact of a shape that touches a box, and its face: the shortest way out, as of triangles.
fn deepest(bounds: &Aabb, shape: &dyn Shape, tolerance: f64) -> (Near, usize) {
    let is_apart =
        |(_, triangle): (usize, Corners)| Nearest::of(shape, &triangle, [0.0; 3]).distance() > tolerance;
    if !holds(bounds, shape)
        && surface(bounds).all(is_apart)
        && let Some(found) = nearest(bounds, shape, 0.0, tolerance)
    {
        return found;
    }
    let none = Near { normal: [0.0; 3], gap: f64::NEG_INFINITY, point: [0.0; 3], feature: Feature::Edge(0) };
    let mut best = (none, 0);
    let mut offer = |direction: [f64; 3], feature: Feature| {
        let square = dot(direction, direction);
        if square.is_nan() || square <= f64::MIN_POSITIVE {
            return;
        }
        for sign in [-1.0, 1.0] {
            let normal = scale(direction, sign / libm::sqrt(square));
            let deepest = shape.support(scale(normal, -1.0));
            let point = on_box(bounds, normal, deepest);
            let gap = dot(sub(deepest, point), normal) - shape.radius();
            // The first of equals stays: a face of the box.
            if gap > best.0.gap + tolerance {
                best = (Near { normal, gap: gap.min(0.0), point, feature }, face_along(normal));
            }
        }
    };
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    axes.iter().for_each(|axis| offer(*axis, Feature::Face));
    for own in (0..MOST).map_while(|index| shape.normal(index)) {
        offer(own, Feature::Vertex(0));
    }
    for own in (0..MOST).map_while(|index| shape.edge(index)) {
        axes.iter().for_each(|axis| offer(cross(own, *axis), Feature::Edge(0)));
    }
    best
}

/// A point of a box that is farthest along a direction, and there the nearest to a point.
fn on_box(bounds: &Aabb, normal: [f64; 3], point: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map3(|axis| {
        let (lower, upper) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
        match normal[axis] {
            x if x > 0.0 => upper,
            x if x < 0.0 => lower,
            _ => point[axis].clamp(lower, upper),
        }
    })
}

/// The face whose normal is nearest to a direction.
fn face_along(normal: [f64; 3]) -> usize {
    let largest =
        (0..3).fold(0, |best, axis| if normal[axis].abs() > normal[best].abs() { axis } else { best });
    2 * largest + usize::from(normal[largest] > 0.0)
}
