//! Whether a polytope grown by a radius and a triangle share a point, decided in integers.
//!
//! Based on: Wolfe, "Finding the Nearest Point in a Polytope", 1976, on the differences of the polytope's points and the
//! triangle's corners. The two are within the radius if the polytope of differences is within it of the origin.
//! Departures: the nearest face of a simplex is found by trying all, and no point is computed. A face with corners A, B,
//! … is represented by a vector from the origin towards its nearest point: A, (B - A) x (A x (B - A)), or the normal on
//! the origin's side. All that is asked are signs of its dot products with differences, and whether the squared
//! distance, a quotient, is at most the squared radius.
//!
//! It ends: a difference that is added lies strictly nearer to the origin along that vector than the face does, so the
//! next face is strictly nearer, and there are finitely many.
//!
//! Capacity: coordinates are below 2^62 and multiples of 2^-298 (products of two f32), displacements of 2^-320 at least
//! in magnitudes that models have, so a difference has 384 bits. The largest polynomials, (normal . A)^2 and radius^2
//! normal^2, have degree six: 2,304 bits and a few.

use super::core_points::CorePoints;
use super::{Corners, Displacement};
use crate::math::exact::{Span, Vector, Whole, cross, dot, sub};

const LIMBS: usize = 40;

type Number = Whole<LIMBS>;
type Point = Vector<LIMBS>;

/// Far above the rounds that a polytope takes: the faces on the way are ever nearer.
const ROUNDS: usize = 512;

/// Whether the displaced polytope, grown by the radius, shares a point with the triangle.
#[cold]
#[inline(never)]
pub(super) fn touches(
    points: CorePoints<'_>,
    radius: f64,
    triangle: &Corners,
    displacement: &Displacement,
) -> bool {
    Differences::new(points, radius, triangle, displacement, false).are_within_radius()
}

/// Whether it does at some time while it moves by the displacement.
#[cold]
#[inline(never)]
pub(super) fn touches_during(
    points: CorePoints<'_>,
    radius: f64,
    triangle: &Corners,
    displacement: &Displacement,
) -> bool {
    Differences::new(points, radius, triangle, displacement, true).are_within_radius()
}

/// The bits of all numbers.
fn span(
    points: &CorePoints<'_>,
    radius: f64,
    triangle: &Corners,
    displacement: &Displacement,
) -> Option<Span> {
    let of_points = match points {
        CorePoints::Listed(points) => [Span::of(points.as_flattened()), None],
        CorePoints::Parallelepiped { centre, axes } => [Span::of(centre), Span::of(axes.as_flattened())],
    };
    let [a, b] = of_points;
    Span::of_all([a, b, Span::of(&[radius]), Span::of(triangle.as_flattened()), displacement.span()])
}

/// The differences of a polytope's points and a triangle's corners.
struct Differences<'a> {
    points: CorePoints<'a>,
    unit: i32,
    triangle: [Point; 3],
    displacement: Point,
    /// Whether points count both before and after the displacement, instead of after it.
    swept: bool,
    square: Number,
}

/// The nearest face of a simplex.
struct Face {
    slots: [usize; 3],
    count: usize,
    /// Towards its nearest point.
    towards: Point,
    /// The squared distance is the first over the second.
    square: [Number; 2],
}

impl<'a> Differences<'a> {
    fn new(
        points: CorePoints<'a>,
        radius: f64,
        triangle: &Corners,
        displacement: &Displacement,
        swept: bool,
    ) -> Self {
        let unit = span(&points, radius, triangle, displacement).map_or(0, |span| span.unit);
        let radius = Number::new(radius, unit);
        Self {
            points,
            unit,
            triangle: triangle.map(|corner| corner.map(|x| Number::new(x, unit))),
            displacement: displacement.exact(unit),
            swept,
            square: radius * radius,
        }
    }

    fn count(&self) -> usize {
        let count = match self.points {
            CorePoints::Listed(points) => points.len(),
            CorePoints::Parallelepiped { .. } => 8,
        };
        if self.swept { 2 * count } else { count }
    }

    fn point(&self, index: usize) -> Point {
        let (count, unit) = (self.count(), self.unit);
        let whole = |x: f32| Number::new(x, unit);
        let (index, is_moved) = match self.swept {
            true => (index % (count / 2), index >= count / 2),
            false => (index, true),
        };
        let mut point = match self.points {
            CorePoints::Listed(points) => points[index].map(whole),
            CorePoints::Parallelepiped { centre, axes } => {
                let mut corner = centre.map(whole);
                for (bit, axis) in axes.iter().enumerate() {
                    for (x, half) in corner.iter_mut().zip(axis) {
                        let half = Number::new(*half, unit);
                        *x = if index >> bit & 1 == 0 { *x - half } else { *x + half };
                    }
                }
                corner
            }
        };
        if is_moved {
            for (x, by) in point.iter_mut().zip(self.displacement) {
                *x = *x + by;
            }
        }
        point
    }

    fn are_within_radius(&self) -> bool {
        let mut simplex = [sub(&self.point(0), &self.triangle[0]); 4];
        let mut count = 1;
        for _ in 0..ROUNDS {
            // Without a nearest face the origin is inside.
            let Some(face) = nearest_face(&simplex[..count]) else { return true };
            let [square, scale] = face.square;
            if square <= self.square * scale {
                return true;
            }
            let newest = self.support(&face.towards);
            let corner = simplex[face.slots[0]];
            if !dot(&face.towards, &sub(&newest, &corner)).is_negative() {
                return false;
            }
            let kept = face.slots.map(|slot| simplex[slot]);
            simplex[..face.count].copy_from_slice(&kept[..face.count]);
            simplex[face.count] = newest;
            count = face.count + 1;
        }
        true
    }

    /// The difference that is least along a direction.
    fn support(&self, direction: &Point) -> Point {
        let mut best = self.point(0);
        let mut least = dot(&best, direction);
        for index in 1..self.count() {
            let point = self.point(index);
            let along = dot(&point, direction);
            if along < least {
                (best, least) = (point, along);
            }
        }
        let along = self.triangle.map(|corner| dot(&corner, direction));
        let mut corner = 0;
        for k in [1, 2] {
            if along[k] > along[corner] {
                corner = k;
            }
        }
        sub(&best, &self.triangle[corner])
    }
}

/// The face of a simplex that holds the point nearest to the origin; `None` if the simplex contains the origin.
fn nearest_face(simplex: &[Point]) -> Option<Face> {
    let count = simplex.len();
    let faces = (0..count).flat_map(|i| {
        let edges = (i + 1..count).flat_map(move |j| {
            let faces = (j + 1..count).map(move |k| ([i, j, k], 3));
            core::iter::once(([i, j, 0], 2)).chain(faces)
        });
        core::iter::once(([i, 0, 0], 1)).chain(edges)
    });
    for (slots, of) in faces {
        let Some(face) = candidate(simplex, slots, of) else { continue };
        let corner = &simplex[slots[0]];
        let others = (0..count).filter(|slot| !slots[..of].contains(slot));
        let is_nearest = others.into_iter().all(|slot| {
            let across = sub(&simplex[slot], corner);
            !dot(&face.towards, &across).is_negative()
        });
        if is_nearest {
            return Some(face);
        }
    }
    None
}

/// The face of these corners, if its nearest point is inside it.
fn candidate(simplex: &[Point], slots: [usize; 3], count: usize) -> Option<Face> {
    let a = simplex[slots[0]];
    let one = Number::new(1.0f64, 0);
    match count {
        1 => Some(Face { slots, count, towards: a, square: [dot(&a, &a), one] }),
        2 => {
            let b = simplex[slots[1]];
            let edge = sub(&b, &a);
            if !dot(&a, &edge).is_negative() || !dot(&b, &edge).is_positive() {
                return None;
            }
            let moment = cross(&a, &edge);
            let square = [dot(&moment, &moment), dot(&edge, &edge)];
            Some(Face { slots, count, towards: cross(&edge, &moment), square })
        }
        _ => {
            let (b, c) = (simplex[slots[1]], simplex[slots[2]]);
            let normal = cross(&sub(&b, &a), &sub(&c, &a));
            let inside =
                [(&b, &c), (&c, &a), (&a, &b)].iter().all(|(p, q)| dot(&normal, &cross(p, q)).is_positive());
            if !inside {
                return None;
            }
            let height = dot(&normal, &a);
            let towards = if height.is_negative() { normal.map(|x| -x) } else { normal };
            Some(Face { slots, count, towards, square: [height * height, dot(&normal, &normal)] })
        }
    }
}
