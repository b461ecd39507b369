//! Witness points and distance of two triangles, in f64, or in double-double where f64 cannot prove them.
//!
//! Based on: Larsen, Gottschalk, Lin, Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999: nine edge
//! pairs, of which the first one that separates the triangles is taken, then the corners nearest to the other's plane.
//! Departure: every answer is proven, or recomputed with more precision: first only for the edges or face that f64
//! found, and if that proves nothing, for all of them.
//!
//! # How an answer is proven
//!
//! Let n lead from a point of A to one of B. The triangles are at most |n| apart, since both points are in them. They
//! are at least h / |n| apart, where h is by how much B's least corner along n is beyond A's greatest, whatever n is.
//! So where h is nearly |n|^2, the distance is |n|, no matter how n was found.
//!
//! Coordinates are relative to a corner of A; m bounds them, l is the sum of the magnitudes of n, at least |n|, and u
//! the unit roundoff. Coordinates are off by u m, dot products with n by 4 u l m in all, so that h is off by 10 u l m.
//! A point of an edge is off by 8 u m on each axis, one of a face by 16 u m, a difference of two of them by 26 u m: |n|
//! is off by 45 u m, and |n|^2 by 90 u l m. Together that is less than [`SLACK`] u l m. For a corner over a face, n is
//! perpendicular to the plane, and the squared length of the vector from the computed point of the face to the corner
//! may exceed |n|^2 by at most a quarter of [`TOLERANCE`].

use super::meet::{Point, Triangle, meet};
use crate::math::double::{Double, Real};

/// The witness points of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gap {
    /// Squared distance: 0 if and only if the triangles meet.
    pub(crate) square: f64,
    /// The witness point on A.
    pub(crate) on_a: Point,
    /// From there to the witness point on B; zero where the triangles meet.
    pub(crate) normal: Point,
}

/// Relative error allowed for a proven squared distance: twice that of the distance.
const TOLERANCE: f64 = 1.0 / (1u64 << 40) as f64;

/// See the module documentation.
const SLACK: f64 = 100.0;

/// The witness points. Adds 1 to `counts` if f64 could not decide.
#[inline]
pub(crate) fn gap(a: &Triangle, b: &Triangle, counts: &mut u64) -> Gap {
    let local = Local::<f64>::new(a, b);
    let nearest = local.nearest();
    if local.proves(&nearest) {
        return nearest.gap(&a[0]);
    }
    *counts += 1;
    precise_gap(a, b, nearest.parts)
}

/// The witness points in double-double, trying these features first.
#[cold]
#[inline(never)]
fn precise_gap(a: &Triangle, b: &Triangle, parts: Parts) -> Gap {
    let local = Local::<Double>::new(a, b);
    // Triangles that are proven apart do not meet.
    if let Some(nearest) = local.between(parts).filter(|nearest| local.proves(nearest)) {
        return nearest.gap(&a[0]);
    }
    if meet(a, b) {
        return Gap { square: 0.0, on_a: common_point(a, b), normal: [0.0; 3] };
    }
    let gap = local.nearest().gap(&a[0]);
    // It may underflow, or be below the precision.
    Gap { square: gap.square.max(f64::MIN_POSITIVE), ..gap }
}

/// A point of two triangles that meet, to rounding. Candidates: where an edge of one crosses the other's plane,
/// corners, and where two edges are nearest to each other; the one nearest to both triangles is taken.
#[cold]
fn common_point(a: &Triangle, b: &Triangle) -> Point {
    let off = |point: &Point| {
        let (from_a, from_b) = (square_from(a, point), square_from(b, point));
        if from_a < from_b { from_b } else { from_a }
    };
    let crossing = Local::<f64>::new(a, b).nearest().gap(&a[0]).on_a;
    let mut best = (off(&crossing), crossing);
    let mut offer = |point: Point| {
        let square = off(&point);
        if square < best.0 {
            best = (square, point);
        }
    };
    for (face, edges) in [(a, b), (b, a)] {
        let local = Local::<f64>::new(face, edges);
        let normal = cross(&local.a[1], &local.a[2]);
        for k in 0..3 {
            offer(edges[k]);
            let [start, end] = [dot(&normal, &local.b[k]), dot(&normal, &local.b[(k + 1) % 3])];
            if start.min(end) < 0.0 && start.max(end) > 0.0 {
                offer(on(&edges[k], &sub(&edges[(k + 1) % 3], &edges[k]), start / (start - end)));
            }
        }
    }
    best.1
}

/// The squared distance of a point from a triangle: at least that of one from the point, whatever is rounded, as it is that of a point of
/// the triangle. The normal of a needle is mostly rounding; what is below the point by such a normal may be far from it.
#[cold]
fn square_from(triangle: &Triangle, point: &Point) -> f64 {
    let Local { a: corners, b: [point, ..] } = Local::<f64>::new(triangle, &[*point; 3]);
    let from = |foot: &Point| {
        let offset = sub(&point, foot);
        dot(&offset, &offset)
    };
    let from_edge = |k: usize| {
        let edge = sub(&corners[(k + 1) % 3], &corners[k]);
        from(&between_edges(&corners[k], &edge, &point, &[0.0; 3])[0])
    };
    let [_, e, f] = &corners;
    let normal = cross(e, f);
    let square = dot(&normal, &normal);
    let v = share(dot(&cross(&point, f), &normal), square);
    let w = share(dot(&cross(e, &point), &normal), square).min(1.0 - v);
    let below = on(&on(&corners[0], e, v), f, w);
    least(from(&below), least(least(from_edge(0), from_edge(1)), from_edge(2)))
}

type Vector<R> = [R; 3];

/// Two triangles, relative to a corner of the first.
struct Local<R> {
    a: [Vector<R>; 3],
    b: [Vector<R>; 3],
}

/// The features of two triangles that witness points are on.
#[derive(Clone, Copy)]
enum Parts {
    /// An edge of each, by their first corners.
    Edges(usize, usize),
    /// A's face, and the corner of B nearest to it.
    FaceOfA,
    /// B's face, and the corner of A nearest to it.
    FaceOfB,
}

/// A point of A, the vector from it to the nearest point of B, and that vector's squared length.
#[derive(Clone, Copy)]
struct Nearest<R> {
    point: Vector<R>,
    normal: Vector<R>,
    square: R,
    parts: Parts,
}

impl<R: Real> Nearest<R> {
    #[inline(always)]
    fn of(point: Vector<R>, other: Vector<R>, parts: Parts) -> Self {
        let normal = sub(&other, &point);
        Self { point, normal, square: dot(&normal, &normal), parts }
    }

    #[inline(always)]
    fn gap(&self, origin: &Point) -> Gap {
        let ([x, y, z], [nx, ny, nz]) = (self.point, self.normal);
        Gap {
            square: self.square.value(),
            on_a: [origin[0] + x.value(), origin[1] + y.value(), origin[2] + z.value()],
            normal: [nx.value(), ny.value(), nz.value()],
        }
    }
}

impl<R: Real> Local<R> {
    #[inline(always)]
    fn new(a: &Triangle, b: &Triangle) -> Self {
        let [x, y, z] = a[0];
        let local = |p: &Point| [R::difference(p[0], x), R::difference(p[1], y), R::difference(p[2], z)];
        Self { a: [local(&a[0]), local(&a[1]), local(&a[2])], b: [local(&b[0]), local(&b[1]), local(&b[2])] }
    }

    #[inline(always)]
    fn nearest(&self) -> Nearest<R> {
        let mut best = Nearest::of(self.a[0], self.b[0], Parts::Edges(0, 0));
        for i in 0..3 {
            for j in 0..3 {
                let found = self.between_edges(i, j);
                if found.square <= best.square {
                    best = found;
                    let [third_a, third_b] = [&self.a[(i + 2) % 3], &self.b[(j + 2) % 3]];
                    let level = dot(&found.normal, &found.point);
                    let beyond = dot(&found.normal, third_b) - level >= found.square;
                    if beyond && dot(&found.normal, third_a) <= level {
                        return best;
                    }
                }
            }
        }
        for face in [Parts::FaceOfA, Parts::FaceOfB] {
            if let Some(found) = self.between(face).filter(|found| found.square < best.square) {
                best = found;
            }
        }
        best
    }

    /// The nearest points of these features; `None` where no corner is over the face.
    #[inline(always)]
    fn between(&self, parts: Parts) -> Option<Nearest<R>> {
        match parts {
            Parts::Edges(i, j) => Some(self.between_edges(i, j)),
            Parts::FaceOfA => Over::of(&self.a, &self.b).map(|over| Nearest {
                point: over.foot,
                normal: over.normal,
                square: over.square,
                parts,
            }),
            Parts::FaceOfB => Over::of(&self.b, &self.a).map(|over| {
                let [x, y, z] = over.normal;
                let normal = [R::ZERO - x, R::ZERO - y, R::ZERO - z];
                Nearest { point: over.corner, normal, square: over.square, parts }
            }),
        }
    }

    #[inline(always)]
    fn between_edges(&self, i: usize, j: usize) -> Nearest<R> {
        let edge = |of: &[Vector<R>; 3], k: usize| sub(&of[(k + 1) % 3], &of[k]);
        let (along_a, along_b) = (edge(&self.a, i), edge(&self.b, j));
        let [point, other] = between_edges(&self.a[i], &along_a, &self.b[j], &along_b);
        Nearest::of(point, other, Parts::Edges(i, j))
    }

    #[inline(always)]
    fn proves(&self, nearest: &Nearest<R>) -> bool {
        let along = |p: &Vector<R>| dot(&nearest.normal, p);
        let [p, q, r] = [along(&self.a[0]), along(&self.a[1]), along(&self.a[2])];
        let [s, t, v] = [along(&self.b[0]), along(&self.b[1]), along(&self.b[2])];
        let between = least(least(s, t), v) - greatest(greatest(p, q), r);
        let magnitude = |p: &Vector<R>| {
            let [x, y, z] = [p[0].value().abs(), p[1].value().abs(), p[2].value().abs()];
            (x.max(y).max(z), x + y + z)
        };
        let corners = self.a.iter().chain(&self.b);
        let far = corners.fold(0.0, |far: f64, corner| far.max(magnitude(corner).0));
        let (_, length) = magnitude(&nearest.normal);
        let off = (nearest.square - between).value().max(0.0) + SLACK * R::UNIT_ROUNDOFF * far * length;
        // If the points coincide, the direction is only rounding.
        nearest.square > R::ZERO && off <= TOLERANCE * nearest.square.value()
    }
}

/// The nearest points of two edges. Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1.9. Departure:
/// the point of the first edge is recomputed from that of the second, which is right wherever that was clamped.
#[inline(always)]
fn between_edges<R: Real>(
    a: &Vector<R>,
    along_a: &Vector<R>,
    b: &Vector<R>,
    along_b: &Vector<R>,
) -> [Vector<R>; 2] {
    let (square_a, square_b) = (dot(along_a, along_a), dot(along_b, along_b));
    let (both, offset) = (dot(along_a, along_b), sub(a, b));
    let (of_a, of_b) = (dot(along_a, &offset), dot(along_b, &offset));
    let s = share(both * of_b - of_a * square_b, square_a * square_b - both * both);
    let t = share(both * s + of_b, square_b);
    let s = share(both * t - of_a, square_a);
    [on(a, along_a, s), on(b, along_b, t)]
}

/// A corner over a face.
struct Over<R> {
    corner: Vector<R>,
    /// The point of the face below the corner.
    foot: Vector<R>,
    /// From the plane to the corner, perpendicular to the plane.
    normal: Vector<R>,
    square: R,
}

impl<R: Real> Over<R> {
    /// The corner nearest to the face's plane, if all three are on one side of the plane and that corner is over the
    /// face.
    #[inline(always)]
    fn of(face: &[Vector<R>; 3], corners: &[Vector<R>; 3]) -> Option<Self> {
        let (e, f) = (sub(&face[1], &face[0]), sub(&face[2], &face[0]));
        let normal = cross(&e, &f);
        let height = |k: usize| dot(&normal, &sub(&corners[k], &face[0]));
        let heights = [height(0), height(1), height(2)];
        let above = heights[0] > R::ZERO && heights[1] > R::ZERO && heights[2] > R::ZERO;
        let below = heights[0] < R::ZERO && heights[1] < R::ZERO && heights[2] < R::ZERO;
        if !(above || below) {
            return None;
        }
        let nearer = |i: usize, k: usize| if (heights[k] < heights[i]) == above { k } else { i };
        let k = nearer(nearer(0, 1), 2);
        let offset = sub(&corners[k], &face[0]);
        let (v, w) = (dot(&cross(&offset, &f), &normal), dot(&cross(&e, &offset), &normal));
        let square = dot(&normal, &normal);
        if v < R::ZERO || w < R::ZERO || v + w > square {
            return None;
        }
        let scale = heights[k] / square;
        let normal = [normal[0] * scale, normal[1] * scale, normal[2] * scale];
        let foot = on(&on(&face[0], &e, share(v, square)), &f, share(w, square));
        let (to_corner, square) = (sub(&corners[k], &foot), dot(&normal, &normal));
        // Rounding may have placed the corner over the face, and the foot elsewhere.
        let farther = (dot(&to_corner, &to_corner) - square).value();
        (farther <= 0.25 * TOLERANCE * square.value()).then_some(Self {
            corner: corners[k],
            foot,
            normal,
            square,
        })
    }
}

/// x / y, clamped to 0..=1; 0 where y is not positive.
#[inline(always)]
fn share<R: Real>(x: R, y: R) -> R {
    if x > R::ZERO && y > R::ZERO { least(x / y, R::ONE) } else { R::ZERO }
}

#[inline(always)]
fn least<R: Real>(a: R, b: R) -> R {
    if b < a { b } else { a }
}

#[inline(always)]
fn greatest<R: Real>(a: R, b: R) -> R {
    if b > a { b } else { a }
}

#[inline(always)]
fn on<R: Real>(start: &Vector<R>, along: &Vector<R>, t: R) -> Vector<R> {
    [start[0] + along[0] * t, start[1] + along[1] * t, start[2] + along[2] * t]
}

#[inline(always)]
fn sub<R: Real>(a: &Vector<R>, b: &Vector<R>) -> Vector<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<R: Real>(a: &Vector<R>, b: &Vector<R>) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<R: Real>(a: &Vector<R>, b: &Vector<R>) -> Vector<R> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;
    use crate::triangle::testing::Random;

    const FLOOR: Triangle = [[0.0, 0.0, 0.0], [8.0, 0.0, 0.0], [0.0, 8.0, 0.0]];

    /// The distance, checked for all rotations of the corners and for swapped triangles.
    fn near(other: Triangle) -> f64 {
        let distance = gap(&FLOOR, &other, &mut 0).square.sqrt();
        for turn in 0..3 {
            let turned = [0, 1, 2].map(|k| other[(k + turn) % 3]);
            for found in [gap(&FLOOR, &turned, &mut 0), gap(&turned, &FLOOR, &mut 0)] {
                assert!((found.square.sqrt() - distance).abs() <= 1e-12 * distance, "{other:?}");
            }
        }
        distance
    }

    #[test]
    fn each_sort_of_neighbour() {
        assert_eq!(near([[1.0, 1.0, 3.0], [9.0, 9.0, 9.0], [1.0, 2.0, 7.0]]), 3.0);
        assert_eq!(near([[-2.0, -3.0, 6.0], [-9.0, -9.0, 9.0], [-4.0, -9.0, 7.0]]), 7.0);
        assert_eq!(near([[4.0, -5.0, -2.0], [4.0, 1.0, -2.0], [4.0, -5.0, -9.0]]), 2.0);
        assert_eq!(near([[2.0, -3.0, 4.0], [6.0, -3.0, 4.0], [4.0, -9.0, 9.0]]), 5.0);
        assert_eq!(near([[1.0, 1.0, 0.5], [9.0, 1.0, 0.5], [1.0, 9.0, 0.5]]), 0.5);
        assert_eq!(near([[1.0, 1.0, -1.0], [9.0, 9.0, 9.0], [1.0, 2.0, 7.0]]), 0.0);
        assert_eq!(near([[1.0, 1.0, 0.0], [2.0, 1.0, 0.0], [1.0, 2.0, 0.0]]), 0.0);
        assert_eq!(near([[1.0, 1.0, 1.0]; 3]), 1.0);
    }

    /// Heights far below the f64 precision of coordinates of this size.
    #[test]
    fn the_least_gaps_are_measured() {
        for exponent in [-10, -40, -52] {
            let height = 2f64.powi(exponent);
            let distance = near([[3.0, 3.0, height], [5.0, 4.0, 3.0], [3.0, 9.0, 2.0]]);
            assert!((distance - height).abs() <= 1e-12 * height, "{distance:e} {height:e}");
        }
    }

    /// Double-double agrees wherever f64 has a proven answer.
    #[test]
    fn proven_answers_are_right() {
        let mut random = Random(31);
        let mut proven = 0;
        for _ in 0..20_000 {
            let size = random.offset(4)[0].abs();
            let away = random.offset(5);
            let a = [0; 3].map(|_| random.offset(3));
            let b = [0; 3].map(|_| random.offset(3).map(|x| size * x)).map(|p| on(&p, &away, 1.0));
            let local = Local::<f64>::new(&a, &b);
            let nearest = local.nearest();
            if local.proves(&nearest) {
                proven += 1;
                let (found, precise) =
                    (nearest.square, Local::<Double>::new(&a, &b).nearest().square.value());
                assert!((found - precise).abs() <= 2e-12 * precise, "{a:?} {b:?}: {found:e} {precise:e}");
            }
        }
        assert!(proven > 10_000, "{proven}");
    }

    /// The normal of a needle is rounding, but where it crosses a triangle is known well.
    #[test]
    fn needles_meet_where_they_cross() {
        let mut random = Random(41);
        for round in 0..2_000 {
            let crossing = random.offset(1).map(f64::abs);
            let crossing = [crossing[0], crossing[1], 0.0];
            let along = random.offset(2);
            let along = [along[0], along[1], along[2].signum() * (1.0 + along[2].abs())];
            let mut needle = [-3.0, 1.0, 4.0].map(|share| on(&crossing, &along, share));
            needle[2][round % 3] += [0.0, 1e-38, 1e-17, 1e-14][round / 3 % 4];
            let found = gap(&FLOOR, &needle, &mut 0);
            let off = sub(&found.on_a, &crossing);
            assert!(found.square == 0.0 && dot(&off, &off) < 1e-24, "{needle:?}: {found:?}");
        }
    }

    /// Whatever features are said to be nearest, the answer is right.
    #[test]
    fn wrong_parts_do_no_harm() {
        let edges = (0..9).map(|index| Parts::Edges(index / 3, index % 3));
        let parts: Vec<Parts> = edges.chain([Parts::FaceOfA, Parts::FaceOfB]).collect();
        let mut random = Random(37);
        let mut apart = 0;
        for _ in 0..500 {
            let a = [0; 3].map(|_| random.offset(3));
            // A's corners, one displaced by very little, the others by more.
            let b = [0, 1, 2].map(|k| on(&a[k], &random.offset(2), if k == 0 { 1e-9 } else { 1.0 }));
            let expected = gap(&a, &b, &mut 0);
            apart += usize::from(expected.square > 0.0);
            for parts in &parts {
                let found = precise_gap(&a, &b, *parts).square;
                let off = (found - expected.square).abs();
                assert!(off <= 2e-12 * expected.square, "{a:?} {b:?}: {found:e} {:e}", expected.square);
            }
        }
        assert!(apart > 100 && apart < 500, "{apart}");
    }
}
