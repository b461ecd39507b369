//! The caller's boxes: solids without a mesh, axis-aligned, closed. Their answers have no triangle ([`NONE`]).
//!
//! Everything is computed in f64 from f32 bounds, without FMA. The walk's boxes around them are grown by as much as those
//! around meshes, which is far more than f64 rounds.

use bvhc_format::NONE;

use crate::bounds::Aabb;
use crate::query::{ClosestPoint, Overlap, Place, Winding};
use crate::ray::{Hit, Ray};

/// Where a ray first is in a box: at `t_min` where it starts inside, with a normal of zero and on the back.
pub(super) fn hit(bounds: &Aabb, ray: &Ray) -> Option<Hit> {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    let mut normal = [0.0; 3];
    for axis in 0..3 {
        let (origin, direction) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
        let (lower, upper) = (f64::from(bounds.min[axis]) - origin, f64::from(bounds.max[axis]) - origin);
        if direction == 0.0 {
            if lower > 0.0 || upper < 0.0 {
                return None;
            }
            continue;
        }
        let (near, far) = if direction > 0.0 { (lower, upper) } else { (upper, lower) };
        let (near, far) = (near / direction, far / direction);
        if near > enter {
            enter = near;
            normal = [0.0; 3];
            normal[axis] = if direction > 0.0 { -1.0 } else { 1.0 };
        }
        leave = leave.min(far);
    }
    let starts_inside = enter < f64::from(ray.t_min);
    let t = if starts_inside { ray.t_min } else { enter as f32 } + 0.0;
    let is_hit = enter <= leave && f64::from(ray.t_min) <= leave && t <= ray.t_max && t.is_finite();
    let normal = if starts_inside { [0.0; 3] } else { normal };
    is_hit.then_some(Hit { t, u: 0.0, v: 0.0, triangle: NONE, normal, back: starts_inside })
}

/// The point of a box that is closest to a point: that point itself where it is inside.
pub(super) fn closest_point(bounds: &Aabb, point: [f32; 3]) -> ClosestPoint {
    let on_box = [0, 1, 2].map(|axis| point[axis].clamp(bounds.min[axis], bounds.max[axis]));
    let offset = [0, 1, 2].map(|axis| f64::from(on_box[axis]) - f64::from(point[axis]));
    ClosestPoint::without_triangle(point, offset)
}

/// The point of a box's surface that is closest to a point; of equal ones that on the lower x, then the upper x, and so on.
pub(super) fn closest_on_surface(bounds: &Aabb, point: [f32; 3]) -> ClosestPoint {
    if place(bounds, point) != Place::In {
        return closest_point(bounds, point);
    }
    let (mut least, mut offset) = (f64::INFINITY, [0.0; 3]);
    for axis in 0..3 {
        for end in [bounds.min[axis], bounds.max[axis]] {
            let by = f64::from(end) - f64::from(point[axis]);
            if by.abs() < least {
                (least, offset) = (by.abs(), [0.0; 3]);
                offset[axis] = by;
            }
        }
    }
    ClosestPoint::without_triangle(point, offset)
}

/// Where a point is: exact.
pub(super) fn place(bounds: &Aabb, point: [f32; 3]) -> Place {
    let has = |is_within: fn(&f32, &f32) -> bool| {
        (0..3).all(|axis| {
            is_within(&bounds.min[axis], &point[axis]) && is_within(&point[axis], &bounds.max[axis])
        })
    };
    match (has(f32::lt), has(f32::le)) {
        (true, _) => Place::In,
        (false, true) => Place::On,
        (false, false) => Place::Out,
    }
}

/// How often the surface of a box winds around a point; `None` on it.
pub(super) fn winding(bounds: &Aabb, point: [f32; 3]) -> Option<Winding> {
    let value = match place(bounds, point) {
        Place::In => 1.0,
        Place::On => return None,
        Place::Out | Place::Unsure => 0.0,
    };
    Some(Winding { value, error: 0.0 })
}

/// Whether two closed boxes share a point.
pub(super) fn touches_box(bounds: &Aabb, other: &Aabb) -> bool {
    (0..3).all(|axis| bounds.min[axis] <= other.max[axis] && other.min[axis] <= bounds.max[axis])
}

/// Whether a box and a ball share a point, by the square of the distance in f64.
pub(super) fn touches_ball(bounds: &Aabb, centre: [f32; 3], radius: f32) -> bool {
    closest_point(bounds, centre).square() <= f64::from(radius) * f64::from(radius)
}

/// What overlap queries say of a box.
pub(super) const OVERLAP: Overlap = Overlap { triangle: NONE, corners: [[0.0; 3]; 3] };
