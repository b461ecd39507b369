//! Directions along which the filter looks at what may first touch: about those of the shortest ways from a shape to triangles in lanes.
//! Any direction will do.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1.9 (the closest points of two segments, for conservative
//! advancement), and Gilbert, "An Iterative Procedure for Computing the Minimum of a Quadratic Form on a Convex Set", 1966.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat};

use super::bound::Bound;
use super::{Lanes, splat};
use crate::math::vector::{self, sub};
use crate::simd::Kernel;
use crate::simd::fused::{along, dot};

/// How often a core of points is moved up to a triangle.
const APPROACHES: usize = 4;

impl<S: Kernel, B: Bound<S>> Lanes<'_, S, B> {
    /// Along directions that come nearer to that of the distance when the two may first touch: a point of the differences is moved
    /// towards their extreme one as far as it comes nearer to the origin (Gilbert).
    #[inline(always)]
    pub(super) fn close_in(&mut self, used: u64) {
        let (simd, shape) = (self.simd, self.shape);
        let splat = |x: f32| S::Lanes::splat(simd, x);
        let [a, b, c] = self.triangle;
        let third = |axis: usize| (a[axis] + b[axis] + c[axis]) * (-1.0 / 3.0);
        // As at t = 0.
        let mut nearest = [third(0), third(1), third(2)];
        for _ in 0..APPROACHES {
            let t = self.bound.time(simd);
            let direction = moved(nearest, self::splat(simd, shape.direction), t);
            let (mut first, mut last) = ((splat(f32::INFINITY), nearest), splat(f32::NEG_INFINITY));
            for point in self.points.all() {
                let along = along(direction, *point);
                last = last.max(along);
                let is_less = along.simd_lt(first.0);
                let chosen = |axis: usize| is_less.select(splat(point[axis]), first.1[axis]);
                first = (first.0.min(along), [chosen(0), chosen(1), chosen(2)]);
            }
            let projection = self.projection_between(direction, first.0, last);
            self.bound.look_along(simd, shape.fastest(), &projection);
            if self.bound.within(simd) & used == 0 {
                return;
            }
            let mut corner = (dot(direction, a), a);
            for other in [b, c] {
                let along = dot(direction, other);
                let is_more = along.simd_gt(corner.0);
                let chosen = |axis: usize| is_more.select(other[axis], corner.1[axis]);
                corner = (corner.0.max(along), [chosen(0), chosen(1), chosen(2)]);
            }
            let step = sub(sub(first.1, corner.1), nearest);
            let square = dot(step, step).max(f32::MIN_POSITIVE);
            let share = self.clamped(-dot(direction, step) / square, 0.0, 1.0);
            nearest = moved(nearest, step, share);
        }
    }

    /// Along these ways from a rounded shape, each where the last has moved it up to the triangle.
    #[inline(always)]
    pub(super) fn advance(&mut self, used: u64, way: impl Fn(&Self) -> [S::Lanes; 3]) {
        for _ in 0..B::ADVANCES {
            self.look_along(way(self));
            if self.bound.within(self.simd) & used == 0 {
                return;
            }
        }
    }

    /// From the shape's core, which is a point, to the nearest edge of the triangle when the two may first touch, with the reciprocals
    /// of the edges' squares.
    #[inline(always)]
    pub(super) fn way_of_point(&self, edges: &[[S::Lanes; 3]; 3], of_edges: &[S::Lanes; 3]) -> [S::Lanes; 3] {
        let back = -self.bound.time(self.simd);
        self.shortest(
            #[inline(always)]
            |k| {
                let (from, edge) = (self.seen(self.triangle[k], back), edges[k]);
                let share = self.clamped(-dot(edge, from) * of_edges[k], 0.0, 1.0);
                moved(from, edge, share)
            },
        )
    }

    /// The same from a core that is a segment (Ericson).
    #[inline(always)]
    pub(super) fn way_of_segment(
        &self,
        edges: &[[S::Lanes; 3]; 3],
        pairs: &[SegmentPair<S>; 3],
    ) -> [S::Lanes; 3] {
        let (back, axis) = (-self.bound.time(self.simd), self.shape.core.axes[0]);
        self.shortest(
            #[inline(always)]
            |k| {
                let (from, edge, pair) = (self.seen(self.triangle[k], back), edges[k], &pairs[k]);
                let (to_edge, to_core) = (-dot(edge, from), along(from, axis));
                let on_edge = to_edge.mul_add(pair.core, pair.between * to_core) * pair.of_angle;
                let on_edge = self.clamped(on_edge, 0.0, 1.0);
                let on_core = pair.between.mul_add(on_edge, to_core) * pair.of_core;
                let on_core = self.clamped(on_core, -1.0, 1.0);
                let on_edge = pair.between.mul_add(on_core, to_edge) * pair.of_edge;
                let on_edge = self.clamped(on_edge, 0.0, 1.0);
                moved(moved(from, edge, on_edge), splat(self.simd, axis), -on_core)
            },
        )
    }

    /// A corner as seen from the shape's centre, if that is `-back` times the displacement ahead.
    #[inline(always)]
    fn seen(&self, corner: [S::Lanes; 3], back: S::Lanes) -> [S::Lanes; 3] {
        moved(corner, splat(self.simd, self.shape.direction), back)
    }

    #[inline(always)]
    fn clamped(&self, x: S::Lanes, least: f32, most: f32) -> S::Lanes {
        x.max(S::Lanes::splat(self.simd, least)).min(S::Lanes::splat(self.simd, most))
    }

    /// The shortest of three vectors.
    #[inline(always)]
    fn shortest(&self, way: impl Fn(usize) -> [S::Lanes; 3]) -> [S::Lanes; 3] {
        let mut best = way(0);
        let mut least = dot(best, best);
        for k in 1..3 {
            let other = way(k);
            let square = dot(other, other);
            let is_less = square.simd_lt(least);
            let chosen = |axis: usize| is_less.select(other[axis], best[axis]);
            best = [chosen(0), chosen(1), chosen(2)];
            least = square.min(least);
        }
        best
    }
}

/// What the shortest ways between an edge and a segment have in common, wherever they are.
pub(super) struct SegmentPair<S: Kernel> {
    /// The square of half the segment, and the reciprocals of that, of the edge's, and of what tells them from parallel ones.
    core: f32,
    of_core: f32,
    of_edge: S::Lanes,
    of_angle: S::Lanes,
    /// The product of the edge and half the segment.
    between: S::Lanes,
}

impl<S: Kernel> SegmentPair<S> {
    #[inline(always)]
    pub(super) fn of(simd: S, edge: [S::Lanes; 3], axis: [f32; 3]) -> Self {
        let (square, core, between) = (dot(edge, edge), vector::dot(axis, axis), along(edge, axis));
        Self {
            core,
            of_core: 1.0 / core.max(f32::MIN_POSITIVE),
            of_edge: reciprocal(simd, square),
            of_angle: reciprocal(simd, square * core - between * between),
            between,
        }
    }
}

/// The reciprocals of numbers that are not negative, but by rounding; finite.
#[inline(always)]
pub(super) fn reciprocal<S: Kernel>(simd: S, squares: S::Lanes) -> S::Lanes {
    S::Lanes::splat(simd, 1.0) / squares.max(f32::MIN_POSITIVE)
}

/// Points moved by shares of vectors.
#[inline(always)]
fn moved<S: Simd, L: SimdFloat<S>>(points: [L; 3], by: [L; 3], share: L) -> [L; 3] {
    [by[0].mul_add(share, points[0]), by[1].mul_add(share, points[1]), by[2].mul_add(share, points[2])]
}
