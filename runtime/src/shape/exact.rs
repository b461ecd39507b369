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
//! It starts with the differences that [`gjk`](super::gjk) ended with, whatever they are: mostly they decide.
//!
//! Capacity: if all numbers take W bits, a difference of a moved corner of a box, six of them, is below 2^(W + 3), and
//! one of two differences below 2^(W + 4). The largest polynomials, (normal . A)^2 and radius^2 normal^2, are below
//! 2^(6 W + 28). Coordinates are below 2^62 and multiples of 2^-298 (products of two f32), displacements of 2^-320 at
//! least in magnitudes that models have: W is at most 384.

use super::core_points::CorePoints;
use super::simplex::Simplex;
use super::{Corners, Displacement};
use crate::math::exact::{Span, Vector, Whole, cross, dot, sub};
use crate::math::vector;
use crate::math::vector::Map3;

/// The capacities, in limbs: for coordinates of a mesh, for moved ones, and for all.
const FEW: usize = 4;
const SOME: usize = 8;
const ALL: usize = 40;

/// Far above the rounds that a polytope takes: the faces on the way are ever nearer.
const ROUNDS: usize = 512;

/// A question about a polytope grown by a radius.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) points: CorePoints<'a>,
    pub(super) radius: f64,
    pub(super) triangle: &'a Corners,
    pub(super) displacement: &'a Displacement,
    /// Whether points count both before and after the displacement, and between, instead of after it.
    pub(super) swept: bool,
}

impl Question<'_> {
    /// Whether the polytope shares a point with the triangle. The answer does not depend on the differences from which the
    /// search starts.
    #[cold]
    #[inline(never)]
    pub(super) fn touches(&self, start: &Simplex) -> bool {
        let span = self.span().unwrap_or(Span { unit: 0, end: 0 });
        let fits = |limbs: usize| 6 * span.bits() + 28 <= 64 * limbs as i32;
        if fits(FEW) {
            Differences::<FEW>::new(self, span.unit).are_within_radius(start)
        } else if fits(SOME) {
            Differences::<SOME>::new(self, span.unit).are_within_radius(start)
        } else {
            Differences::<ALL>::new(self, span.unit).are_within_radius(start)
        }
    }

    /// The bits of all numbers.
    fn span(&self) -> Option<Span> {
        let of_points = match self.points {
            CorePoints::Listed(points) => Span::of(points.as_flattened()),
            CorePoints::Parallelepiped { centre, axes } => {
                Span::of_all([Span::of(&centre), Span::of(axes.as_flattened())])
            }
        };
        let of_triangle = Span::of(self.triangle.as_flattened());
        Span::of_all([of_points, Span::of(&[self.radius]), of_triangle, self.displacement.span()])
    }
}

/// The differences of a polytope's points and a triangle's corners.
struct Differences<'a, const LIMBS: usize> {
    question: &'a Question<'a>,
    unit: i32,
    triangle: [Vector<LIMBS>; 3],
    displacement: Vector<LIMBS>,
    /// The squared radius.
    square: Whole<LIMBS>,
}

/// The nearest face of a simplex.
struct Face<const LIMBS: usize> {
    slots: [usize; 3],
    count: usize,
    /// Towards its nearest point.
    towards: Vector<LIMBS>,
    /// The squared distance is the first over the second.
    square: [Whole<LIMBS>; 2],
}

impl<'a, const LIMBS: usize> Differences<'a, LIMBS> {
    fn new(question: &'a Question<'a>, unit: i32) -> Self {
        let radius = Whole::new(question.radius, unit);
        Self {
            question,
            unit,
            triangle: question.triangle.map3(|corner| corner.map3(|x| Whole::new(x, unit))),
            displacement: question.displacement.exact(unit),
            square: radius * radius,
        }
    }

    /// The number of the polytope's points.
    fn count(&self) -> usize {
        let count = self.question.points.count();
        if self.question.swept { 2 * count } else { count }
    }

    /// A point's index before the displacement, and whether it is displaced.
    fn origin(&self, index: usize) -> (usize, bool) {
        let count = self.question.points.count();
        if self.question.swept { (index % count, index >= count) } else { (index, true) }
    }

    #[inline(never)]
    fn point(&self, index: usize) -> Vector<LIMBS> {
        let unit = self.unit;
        let whole = |x: f32| Whole::new(x, unit);
        let (index, is_moved) = self.origin(index);
        let mut point = match self.question.points {
            CorePoints::Listed(points) => points[index].map3(whole),
            CorePoints::Parallelepiped { centre, axes } => {
                let mut corner = centre.map3(whole);
                for (bit, axis) in axes.iter().enumerate() {
                    for (x, half) in corner.iter_mut().zip(axis) {
                        let half = Whole::new(*half, unit);
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

    /// The nearest in f64 of the polytope's points, the corner, and their exact difference.
    fn difference_near(&self, point: [f64; 3], corner: [f64; 3]) -> Vector<LIMBS> {
        let moved = self.question.displacement.rounded();
        let mut nearest = (f64::INFINITY, 0);
        for index in 0..self.count() {
            let (origin, is_moved) = self.origin(index);
            let at = self.question.points.rounded(origin);
            let offset = vector::sub(if is_moved { vector::add(at, moved) } else { at }, point);
            let square = vector::dot(offset, offset);
            if square < nearest.0 {
                nearest = (square, index);
            }
        }
        let slot = self.question.triangle.iter().position(|its| *its == corner).unwrap_or(0);
        sub(&self.point(nearest.1), &self.triangle[slot])
    }

    fn are_within_radius(&self, start: &Simplex) -> bool {
        let mut simplex = [[Whole::ZERO; 3]; 4];
        let mut count = 0;
        for (point, corner) in start.pairs() {
            simplex[count] = self.difference_near(point, corner);
            count += 1;
        }
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
            let kept = face.slots.map3(|slot| simplex[slot]);
            simplex[..face.count].copy_from_slice(&kept[..face.count]);
            simplex[face.count] = newest;
            count = face.count + 1;
        }
        true
    }

    /// The difference that is least along a direction.
    fn support(&self, direction: &Vector<LIMBS>) -> Vector<LIMBS> {
        let mut best = self.point(0);
        let mut least = dot(&best, direction);
        for index in 1..self.count() {
            let point = self.point(index);
            let along = dot(&point, direction);
            if along < least {
                (best, least) = (point, along);
            }
        }
        let along = self.triangle.map3(|corner| dot(&corner, direction));
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
fn nearest_face<const LIMBS: usize>(simplex: &[Vector<LIMBS>]) -> Option<Face<LIMBS>> {
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
fn candidate<const LIMBS: usize>(
    simplex: &[Vector<LIMBS>],
    slots: [usize; 3],
    count: usize,
) -> Option<Face<LIMBS>> {
    let a = simplex[slots[0]];
    let one = Whole::new(1.0f64, 0);
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
            let towards = if height.is_negative() { normal.map3(|x| -x) } else { normal };
            Some(Face { slots, count, towards, square: [height * height, dot(&normal, &normal)] })
        }
    }
}
