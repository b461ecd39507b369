//! The closest point of a triangle, computed in f64.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1. Departure: it does not find the Voronoi
//! region first, which rounding gets wrong on slivers, but takes the smallest of the distances of corners and edges, or the
//! plane's distance if the projection lies inside.
//!
//! From whichever of its ends an edge runs, its point is the same, to the last bit: so triangles that share it are equally far
//! from what is nearest to it, unless rounding leaves open whether that is a face.

use core::ops::{Add, Div, Mul, Neg, Sub};

use fearless_simd::{Select, SimdBase};

use crate::math::vector::{Map3, cross, dot, sub};
use crate::simd::Kernel;

/// A triangle relative to the origin, in f64: a single one, or one per lane.
///
/// Both forms use the same unfused steps, so they agree bit for bit.
struct Exact<T> {
    corners: [[T; 3]; 3],
    /// From each corner to the next.
    edges: [[T; 3]; 3],
    normal: [T; 3],
    /// The squared length of the normal.
    square: T,
}

/// A point and its squared distance from the origin.
type Point<T> = ([T; 3], T);

impl<T: Copy + Neg<Output = T> + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>>
    Exact<T>
{
    #[inline(always)]
    fn new([a, b, c]: [[T; 3]; 3]) -> Self {
        let (ab, bc, ca) = (sub(b, a), sub(c, b), sub(a, c));
        let normal = cross(ab, ca);
        Self { corners: [a, b, c], edges: [ab, bc, ca], normal, square: dot(normal, normal) }
    }

    /// The side of an edge on which the origin's projection lies; the inner side if negative.
    #[inline(always)]
    fn side(&self, k: usize) -> T {
        dot(self.normal, cross(self.corners[k], self.edges[k]))
    }

    /// How far the triangle's plane is from the origin along the normal, times its length.
    #[inline(always)]
    fn height(&self) -> T {
        dot(self.normal, self.corners[0])
    }

    /// The origin's projection; NaN if the triangle has no area.
    #[inline(always)]
    fn foot(&self) -> Point<T> {
        let [x, y, z] = self.normal;
        let scale = self.height() / self.square;
        let foot = [x * scale, y * scale, z * scale];
        (foot, dot(foot, foot))
    }

    /// How far the ends of an edge are along it from the origin's projection on its line, times the edge's length: the start is
    /// before it and the end beyond if that is on the edge.
    #[inline(always)]
    fn along(&self, k: usize) -> [T; 2] {
        [dot(self.corners[k], self.edges[k]), dot(self.corners[(k + 1) % 3], self.edges[k])]
    }

    /// The projection on an edge, which is inside it. From its other end, the numbers change signs and places, and the result is
    /// the same.
    #[inline(always)]
    fn on_edge(&self, k: usize, [to_start, to_end]: [T; 2]) -> [T; 3] {
        let (start, end, whole) = (self.corners[k], self.corners[(k + 1) % 3], to_end - to_start);
        let at = |axis: usize| (start[axis] * to_end - end[axis] * to_start) / whole;
        [at(0), at(1), at(2)]
    }
}

/// The point of the triangle closest to `point`, relative to `point`, with the square of its distance.
#[inline(always)]
pub(crate) fn closest(corners: &[[f32; 3]; 3], point: [f32; 3]) -> Point<f64> {
    let point = point.map3(f64::from);
    let from_point = |k: usize| sub(corners[k].map3(f64::from), point);
    let triangle = Exact::new([from_point(0), from_point(1), from_point(2)]);
    let sides = [triangle.side(0), triangle.side(1), triangle.side(2)];
    let inside = sides[0] < 0.0 && sides[1] < 0.0 && sides[2] < 0.0;
    // Then the distance is 0 to the last bit, which on an edge it may not be.
    let on = || triangle.height() == 0.0 && sides[0] <= 0.0 && sides[1] <= 0.0 && sides[2] <= 0.0;
    // Packed blocks may hold triangles without area; only their edges are tested.
    if triangle.square > 0.0 && (inside || on()) {
        return triangle.foot();
    }
    nearer(
        nearer(closest_on_edge(&triangle, 0), closest_on_edge(&triangle, 1)),
        closest_on_edge(&triangle, 2),
    )
}

#[inline(always)]
fn closest_on_edge(triangle: &Exact<f64>, k: usize) -> Point<f64> {
    let along = triangle.along(k);
    let to = if along[0] >= 0.0 {
        triangle.corners[k]
    } else if along[1] <= 0.0 {
        triangle.corners[(k + 1) % 3]
    } else {
        triangle.on_edge(k, along)
    };
    (to, dot(to, to))
}

#[inline(always)]
fn nearer(one: Point<f64>, other: Point<f64>) -> Point<f64> {
    if other.1 < one.1 { other } else { one }
}

/// As [`closest`] for one triangle, but with a triangle per lane; corners are relative to the point.
#[inline(always)]
pub(crate) fn closest_of_each<S: Kernel>(simd: S, corners: [[S::Doubles; 3]; 3]) -> Point<S::Doubles> {
    let triangle = Exact::new(corners);
    let zero = S::Doubles::splat(simd, 0.0);
    let sides = [triangle.side(0), triangle.side(1), triangle.side(2)];
    let inside = sides[0].simd_lt(zero) & sides[1].simd_lt(zero) & sides[2].simd_lt(zero);
    let on = sides[0].simd_le(zero) & sides[1].simd_le(zero) & sides[2].simd_le(zero);
    let inside = triangle.square.simd_gt(zero) & (inside | on & triangle.height().simd_eq(zero));
    let edges = nearer_of_each::<S>(
        nearer_of_each::<S>(
            closest_on_edge_of_each(simd, &triangle, 0),
            closest_on_edge_of_each(simd, &triangle, 1),
        ),
        closest_on_edge_of_each(simd, &triangle, 2),
    );
    either::<S>(inside, triangle.foot(), edges)
}

#[inline(always)]
fn closest_on_edge_of_each<S: Kernel>(simd: S, triangle: &Exact<S::Doubles>, k: usize) -> Point<S::Doubles> {
    let (along, zero) = (triangle.along(k), S::Doubles::splat(simd, 0.0));
    let (start, end) = (triangle.corners[k], triangle.corners[(k + 1) % 3]);
    let inside = triangle.on_edge(k, along);
    let (before, beyond) = (along[0].simd_ge(zero), along[1].simd_le(zero));
    let coordinate = |axis: usize| before.select(start[axis], beyond.select(end[axis], inside[axis]));
    let to = [coordinate(0), coordinate(1), coordinate(2)];
    (to, dot(to, to))
}

#[inline(always)]
fn nearer_of_each<S: Kernel>(one: Point<S::Doubles>, other: Point<S::Doubles>) -> Point<S::Doubles> {
    either::<S>(other.1.simd_lt(one.1), other, one)
}

type Mask<S> = <<S as Kernel>::Doubles as SimdBase<S>>::Mask;

/// The first argument in lanes where the mask is set, otherwise the second.
#[inline(always)]
fn either<S: Kernel>(
    mask: Mask<S>,
    (first, first2): Point<S::Doubles>,
    (second, second2): Point<S::Doubles>,
) -> Point<S::Doubles> {
    let coordinate = |axis: usize| mask.select(first[axis], second[axis]);
    ([coordinate(0), coordinate(1), coordinate(2)], mask.select(first2, second2))
}

/// Where the squared sine between two edges is below this, their cross product is rounding error, which is about 2^-52
/// of their lengths.
const THINNEST: f64 = 1.0 / (1u128 << 96) as f64;

/// The barycentric weights of a point of a triangle.
pub(crate) struct Weights {
    /// Of the second and the third corner.
    pub(crate) weights: [f64; 2],
    /// Whether the origin is on the side that the normal points away from.
    pub(crate) back: bool,
}

impl Weights {
    /// The weights of the point `at` in the triangle with corner `a` and these edges from it. `at` and `a` are relative
    /// to a query point; the edges are not, so that collinear corners stay collinear.
    #[inline(always)]
    pub(crate) fn new(a: [f64; 3], [ab, ac]: [[f64; 3]; 2], at: [f64; 3]) -> Self {
        let from_a = sub(at, a);
        let normal = cross(ab, ac);
        let square = dot(normal, normal);
        let [v, w] = if square > THINNEST * dot(ab, ab) * dot(ac, ac) {
            [dot(normal, cross(from_a, ac)) / square, dot(normal, cross(ab, from_a)) / square]
        } else {
            without_area(ab, ac, from_a)
        };
        let v = v.clamp(0.0, 1.0);
        Self { weights: [v, w.clamp(0.0, 1.0 - v)], back: dot(normal, a) > 0.0 }
    }
}

/// The weights in a triangle with collinear corners: along the edge from the first corner that contains the point, the
/// longer one if both do.
#[cold]
fn without_area(ab: [f64; 3], ac: [f64; 3], from_a: [f64; 3]) -> [f64; 2] {
    let [along_b, along_c] = [ab, ac].map(|edge| [dot(edge, from_a), dot(edge, edge)]);
    let share = |[along, square]: [f64; 2]| if square > 0.0 { along / square } else { 0.0 };
    let is_on_b = along_b[0] > 0.0 && (along_b[1] >= along_c[1] || along_c[0] <= 0.0);
    if is_on_b { [share(along_b), 0.0] } else { [0.0, share(along_c)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triangle::testing::Random;

    /// The weights reproduce the points, in triangles with and without area.
    #[test]
    fn weights_give_the_point() {
        let mut random = Random(7);
        for round in 0..2000 {
            let mut number = || random.centred();
            let mut corner = || [number(), number(), number()];
            let [a, b, mut c] = [corner(), corner(), corner()];
            let (mut v, mut w) = (number().abs(), number().abs());
            if v + w > 1.0 {
                (v, w) = (v / (v + w), w / (v + w));
            }
            match round % 4 {
                // Exactly on a line: beyond the second corner, between the first two, or before the first.
                0 => c = along(a, b, [2.0, 0.5, -1.0][round / 4 % 3]),
                1 => w = 0.0,
                _ => {}
            }
            let point = |[v, w]: [f64; 2]| {
                [0, 1, 2].map(|axis| a[axis] + v * (b[axis] - a[axis]) + w * (c[axis] - a[axis]))
            };
            let found = Weights::new(a, [sub(b, a), sub(c, a)], point([v, w]));
            let [fv, fw] = found.weights;
            assert!(fv >= 0.0 && fw >= 0.0 && fv + fw <= 1.0 + 1e-15);
            let again = point(found.weights);
            let apart = sub(again, point([v, w]));
            assert!(dot(apart, apart) < 1e-12, "{round}: {a:?} {b:?} {c:?} {v} {w}: {:?}", found.weights);
        }
    }

    #[test]
    fn sides_are_those_of_the_normal() {
        let back = |z: f64| {
            let a = [0.0, 0.0, z];
            Weights::new(a, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], a).back
        };
        assert_eq!([-1.0, 0.0, 1.0].map(back), [false, false, true]);
    }

    /// The results are rounded and so nearly collinear; for quarters of integers they are exactly collinear.
    fn along(a: [f64; 3], b: [f64; 3], share: f64) -> [f64; 3] {
        [0, 1, 2].map(|axis| a[axis] + share * (b[axis] - a[axis]))
    }
}
