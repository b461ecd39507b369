//! The solid cylinder.
//!
//! Why the exact test is complete: the cylinder touches the triangle if the part of the triangle between the planes of
//! its caps, a convex polygon, comes within the radius of the axis. The point of the polygon that is nearest to the axis
//! lies on an edge of the triangle, on an edge that a cap's plane cuts, or where the axis passes through the triangle;
//! each of these is tested, without division: the polynomials have a degree of at most ten.

use super::cylinder_distance::Centred;
use super::gjk::{Contact, classify};
use super::simplex::length;
use super::{Corners, Displacement, Shape};
use crate::math::exact::{Span, Vector, Whole, cross, dot as whole_dot, sub as whole_sub};
use crate::math::vector::{Map3, add, cross as cross_of, dot, scale, sub};

/// A direction is along the axis if the sine of the angle between them is at most this.
const ALONG_AXIS: f64 = 1.0 / (1u64 << 48) as f64;

/// A closed solid cylinder with flat caps.
///
/// ```
/// use bvhc_runtime::Cylinder;
///
/// // A barrel, one unit high and 0.6 wide, standing on the origin.
/// let barrel = Cylinder::new([0.0, 0.0, 0.0], [0.0, 1.0, 0.0], 0.3);
/// # let _ = barrel;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    a: [f32; 3],
    b: [f32; 3],
    radius: f32,
    /// The unit vector along the axis; NaN if the ends are equal.
    axis: [f64; 3],
}

impl Cylinder {
    /// The cylinder around the segment between the centres of its caps. Empty if these are equal.
    pub fn new(a: impl Into<[f32; 3]>, b: impl Into<[f32; 3]>, radius: f32) -> Self {
        let (a, b) = (a.into(), b.into());
        let along = sub(b.map3(f64::from), a.map3(f64::from));
        Self { a, b, radius, axis: scale(along, 1.0 / libm::sqrt(dot(along, along))) }
    }
}

impl Shape for Cylinder {
    fn core_bounds(&self) -> [[f64; 3]; 2] {
        let (a, b, axis) = (self.a.map3(f64::from), self.b.map3(f64::from), self.axis);
        // A radius that is NaN or negative makes the bounds empty, as an axis without a direction does.
        let radius = if self.radius >= 0.0 { f64::from(self.radius) } else { f64::NAN };
        let reach = axis.map3(|x| radius * libm::sqrt((1.0 - x * x).max(0.0)) * (1.0 + 1e-7) + x * 0.0);
        let slack = |k: usize| (a[k].abs() + b[k].abs() + radius) * (4.0 * f64::EPSILON) + radius * 1e-7;
        [
            [0, 1, 2].map3(|k| a[k].min(b[k]) - reach[k] - slack(k)),
            [0, 1, 2].map3(|k| a[k].max(b[k]) + reach[k] + slack(k)),
        ]
    }

    fn core_axes(&self) -> [[f64; 3]; 3] {
        let axis = self.axis;
        let along = scale(sub(self.b.map3(f64::from), self.a.map3(f64::from)), 0.5);
        // Not parallel to the axis.
        let other = if axis[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let first = cross_of(axis, other);
        let first = scale(first, f64::from(self.radius) / libm::sqrt(dot(first, first)));
        [along, first, cross_of(axis, first)]
    }

    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let axis = self.axis;
        let along = dot(direction, axis);
        let cap = if along < 0.0 { self.a } else { self.b }.map3(f64::from);
        let outwards = sub(direction, scale(axis, along));
        let square = dot(outwards, outwards);
        // Along the axis all of the cap is equally far, within less than what f64 is taken to be off by.
        if square <= ALONG_AXIS * ALONG_AXIS * dot(direction, direction) {
            return cap;
        }
        // Where little is left of the direction, its rounding error along the axis must not lead out of the cap.
        let outwards = scale(outwards, 1.0 / libm::sqrt(square));
        let outwards = sub(outwards, scale(axis, dot(outwards, axis)));
        add(cap, scale(outwards, f64::from(self.radius)))
    }

    fn touches(&self, triangle: &[[f64; 3]; 3], displacement: &Displacement) -> bool {
        match classify(self, triangle, displacement.rounded()) {
            Contact::Touching => true,
            Contact::Apart => false,
            Contact::Unsure(_) => touches_exactly(self, triangle, displacement),
        }
    }

    fn nearest_points(&self, triangle: &[[f64; 3]; 3], displacement: [f64; 3]) -> Option<[[f64; 3]; 2]> {
        let (a, b) = (self.a.map3(f64::from), self.b.map3(f64::from));
        let along = scale(sub(b, a), 0.5);
        let centred = Centred { axis: self.axis, half: length(along), radius: f64::from(self.radius) };
        // The triangle is moved, which rounds it as little as it would the cylinder.
        let corners = triangle.map3(|corner| sub(corner, displacement));
        let points = centred.nearest(self, add(a, along), &corners);
        Some(points.map(|point| add(point, displacement)))
    }

    fn normal(&self, index: usize) -> Option<[f64; 3]> {
        (index == 0).then_some(self.axis)
    }

    fn edge(&self, index: usize) -> Option<[f64; 3]> {
        (index == 0).then_some(self.axis)
    }
}

const LIMBS: usize = 64;

type Number = Whole<LIMBS>;
type Point = Vector<LIMBS>;

/// The cylinder and the triangle in integers, as seen from the centre of the first cap.
struct Exact {
    corners: [Point; 3],
    /// To the centre of the second cap.
    axis: Point,
    /// The squares of the axis and of the radius.
    axis2: Number,
    radius2: Number,
}

#[cold]
#[inline(never)]
pub(super) fn touches_exactly(cylinder: &Cylinder, triangle: &Corners, displacement: &Displacement) -> bool {
    let numbers = cylinder.a.iter().chain(&cylinder.b).chain([&cylinder.radius]);
    let spans = [Span::of(numbers), Span::of(triangle.as_flattened()), displacement.span()];
    let least = Span::of_all(spans).map_or(0, |span| span.unit);
    let point = |point: [f32; 3]| point.map3(|x| Number::new(x, least));
    let (a, by) = (point(cylinder.a), displacement.exact(least));
    let start = [a[0] + by[0], a[1] + by[1], a[2] + by[2]];
    let axis = whole_sub(&point(cylinder.b), &a);
    let radius = Number::new(cylinder.radius, least);
    Exact {
        corners: triangle.map3(|corner| whole_sub(&corner.map3(|x| Number::new(x, least)), &start)),
        axis,
        axis2: whole_dot(&axis, &axis),
        radius2: radius * radius,
    }
    .touches()
}

impl Exact {
    fn touches(&self) -> bool {
        let normal = cross(
            &whole_sub(&self.corners[1], &self.corners[0]),
            &whole_sub(&self.corners[2], &self.corners[0]),
        );
        (0..3).any(|k| self.edge_touches(&self.corners[k], &self.corners[(k + 1) % 3]))
            || self.axis_passes_through(&normal)
            || self.cap_touches(&normal, &[Number::ZERO; 3])
            || self.cap_touches(&normal, &self.axis)
    }

    /// Whether an edge of the triangle comes within the radius of the axis, between the caps.
    fn edge_touches(&self, p: &Point, q: &Point) -> bool {
        let heights = [p, q].map(|corner| whole_dot(corner, &self.axis));
        let (p, q, low, high) = match heights[0] <= heights[1] {
            true => (p, q, heights[0], heights[1]),
            false => (q, p, heights[1], heights[0]),
        };
        if high.is_negative() || low > self.axis2 {
            return false;
        }
        let rise = high - low;
        // The part between the caps, in shares of the edge over the denominator.
        let (first, last, denominator) = if rise.is_zero() {
            (Number::ZERO, one(), one())
        } else {
            let first = if low.is_negative() { -low } else { Number::ZERO };
            let last = if high > self.axis2 { self.axis2 - low } else { rise };
            (first, last, rise)
        };
        // Distances from the axis, times its length.
        let (start, end) = (cross(p, &self.axis), cross(q, &self.axis));
        let along = whole_sub(&end, &start);
        let square = whole_dot(&along, &along);
        let nearest = -whole_dot(&start, &along) * denominator;
        let limit = self.radius2 * self.axis2;
        if square.is_zero() {
            return whole_dot(&start, &start) <= limit;
        }
        if nearest > first * square && nearest < last * square {
            let moment = cross(&start, &along);
            return whole_dot(&moment, &moment) <= limit * square;
        }
        let share = if nearest <= first * square { first } else { last };
        let at = |axis: usize| start[axis] * denominator + along[axis] * share;
        let offset = [at(0), at(1), at(2)];
        whole_dot(&offset, &offset) <= limit * denominator * denominator
    }

    /// Whether the axis between the caps passes through the triangle, not along it.
    fn axis_passes_through(&self, normal: &Point) -> bool {
        let start = -whole_dot(normal, &self.corners[0]);
        let end = start + whole_dot(normal, &self.axis);
        let crosses =
            start != end && (start.is_negative() != end.is_negative() || start.is_zero() || end.is_zero());
        if !crosses {
            return false;
        }
        let sides =
            [0, 1, 2].map3(|k| whole_dot(&self.axis, &cross(&self.corners[k], &self.corners[(k + 1) % 3])));
        !(sides.iter().any(Whole::is_negative) && sides.iter().any(Whole::is_positive))
    }

    /// Whether the disk of a cap around `centre` touches the inside of the triangle.
    fn cap_touches(&self, normal: &Point, centre: &Point) -> bool {
        let across = cross(normal, &self.axis);
        let square = whole_dot(&across, &across);
        let height = whole_dot(normal, &whole_sub(centre, &self.corners[0]));
        if square.is_zero() || height * height * self.axis2 > self.radius2 * square {
            return false;
        }
        // From the centre towards the triangle's plane, within the plane of the cap.
        let slope = whole_dot(normal, &self.axis);
        let towards = [0, 1, 2].map3(|k| normal[k] * self.axis2 - slope * self.axis[k]);
        (0..3).all(|k| {
            let edge = whole_sub(&self.corners[(k + 1) % 3], &self.corners[k]);
            let inwards = cross(normal, &edge);
            let at_centre = whole_dot(&inwards, &whole_sub(centre, &self.corners[k])) * square;
            !(at_centre - height * whole_dot(&inwards, &towards)).is_negative()
        })
    }
}

fn one() -> Number {
    Number::new(1.0f32, 0)
}
