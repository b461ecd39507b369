//! Boxes along the axes of space, and turned boxes in the space of their own axes, where they are cubes along those of space.
//!
//! Sets that touch are mapped to sets that touch, at the same times, by any linear map. A turned box is mapped by the dual basis of
//! its half edges, to a cube from -1 to 1. Then the normals of its faces, and of its edges and a triangle's, have zeros.
//!
//! Why no contact is lost: let r be a row of the dual basis, R the sum of its magnitudes, L the largest coordinate of the triangle
//! plus the shape's size (`span`), and u = 2^-24. A corner as computed is off by less than 8 u R L along the row, by the roundings of
//! its offset from the shape, of r, of the dot product, and of the box's axes, of which r is the dual basis but for a rounding; the
//! core is larger by `pad` along each axis of space, by R `pad` along the row. So the cube from -1 to 1, grown by
//! R (64 u L + `pad`) along that axis, touches the triangle of the corners as computed whenever the box touches the triangle;
//! what remains of 64 u covers the roundings of sums and quotients. Along normals that are made of these corners all is as for
//! other directions (see the head of [`filter`](super)), relative to the largest coordinate there. The components of the
//! displacement are off by less than 5 u R times its largest component: `fastest` is at least R times it.

use fearless_simd::{SimdBase, SimdFloat};

use super::bound::{Bound, Projection};
use super::touched::Inside;
use super::{Lanes, MovingShape, POSITION_ERROR};
use crate::math::vector::{self, Map3, sub};
use crate::math::{larger, smaller};
use crate::simd::Kernel;
use crate::simd::fused::{along, cross, dot};

/// Of boxes that are longer than this many times their thickness, the displacement would be known too badly.
const LONGEST: f32 = 256.0;

/// The limits of rows' magnitudes, so that no coordinate is infinite.
const LARGEST_ROW: f32 = (1u64 << 60) as f32;

/// The axes of a turned box.
#[derive(Clone, Copy)]
pub(super) struct OwnAxes {
    /// The dual basis of half its edges.
    rows: [[f32; 3]; 3],
    /// The sums of the rows' magnitudes.
    sums: [f32; 3],
    /// The displacement, in these axes.
    direction: [f32; 3],
    fastest: f32,
}

impl OwnAxes {
    /// Whether a box is not too thin for them.
    pub(super) fn are_usable(inside: &Inside) -> bool {
        let Inside::Box(rows) = inside else { return false };
        let [a, b, c] = rows.map3(sum);
        let (least, most) = (smaller(a, smaller(b, c)), larger(a, larger(b, c)));
        most < LARGEST_ROW && most < least * LONGEST
    }

    /// Of a shape that has them.
    #[inline(always)]
    pub(super) fn of(shape: &MovingShape<'_>) -> Option<Self> {
        let Inside::Box(rows) = shape.core.inside else { return None };
        if !shape.core.has_own_axes {
            return None;
        }
        let sums = [sum(rows[0]), sum(rows[1]), sum(rows[2])];
        let along = |row: [f32; 3]| vector::dot(row, shape.direction);
        let direction = [along(rows[0]), along(rows[1]), along(rows[2])];
        let fastest = shape.fastest() * larger(sums[0], larger(sums[1], sums[2]));
        Some(Self { rows, sums, direction, fastest })
    }

    /// Triangles, and the box, in its axes.
    #[inline(always)]
    pub(super) fn see<S: Kernel, B>(&self, lanes: &Lanes<'_, S, B>) -> AlignedBox<S> {
        let zero = S::Lanes::splat(lanes.simd, 0.0);
        let slack = (lanes.span + largest(zero, &lanes.triangle)) * POSITION_ERROR + lanes.shape.core.pad;
        let half = |axis: usize| slack * self.sums[axis] + 1.0;
        let half = [half(0), half(1), half(2)];
        let [a, b, c] = lanes.triangle;
        let triangle = [self.in_axes(a), self.in_axes(b), self.in_axes(c)];
        let span = largest(zero, &triangle) + (half[0] + half[1] + half[2]);
        AlignedBox { triangle, half, span, direction: self.direction, fastest: self.fastest }
    }

    /// Whether a point of a triangle, which is off by some roundings of its largest coordinate, is surely in the box along an axis.
    #[inline(always)]
    pub(super) fn is_within<S: Kernel>(
        &self,
        seen: &AlignedBox<S>,
        point: [S::Lanes; 3],
        axis: usize,
        doubt: f32,
    ) -> <S::Lanes as SimdBase<S>>::Mask {
        let off = seen.half[axis] - 1.0 + seen.span * POSITION_ERROR + doubt * self.sums[axis];
        (point[axis].abs() + off).simd_lt(1.0)
    }

    #[inline(always)]
    fn in_axes<S: fearless_simd::Simd, L: SimdFloat<S, Element = f32>>(&self, point: [L; 3]) -> [L; 3] {
        let [x, y, z] = self.rows;
        [along(point, x), along(point, y), along(point, z)]
    }
}

/// The sum of the magnitudes.
#[inline(always)]
fn sum([x, y, z]: [f32; 3]) -> f32 {
    x.abs() + y.abs() + z.abs()
}

/// The largest coordinate of triangles.
#[inline(always)]
fn largest<S: fearless_simd::Simd, L: SimdFloat<S, Element = f32>>(zero: L, triangle: &[[L; 3]; 3]) -> L {
    triangle.as_flattened().iter().fold(
        zero,
        #[inline(always)]
        |most, x| most.max(x.abs()),
    )
}

/// A box around the origin along the axes of space, and triangles in lanes.
pub(super) struct AlignedBox<S: Kernel> {
    pub(super) triangle: [[S::Lanes; 3]; 3],
    pub(super) half: [S::Lanes; 3],
    /// The largest coordinate of the triangle plus the box's size.
    pub(super) span: S::Lanes,
    pub(super) direction: [f32; 3],
    /// No component of the displacement is larger.
    pub(super) fastest: f32,
}

impl<S: Kernel> AlignedBox<S> {
    /// Looks along the normals of the box's faces and of triangles; returns the edges, unless none of these lanes may touch.
    #[inline(always)]
    pub(super) fn look_at_faces<B: Bound<S>>(
        &self,
        simd: S,
        bound: &mut B,
        used: u64,
    ) -> Option<[[S::Lanes; 3]; 3]> {
        let [a, b, c] = self.triangle;
        let one = S::Lanes::splat(simd, 1.0);
        for axis in 0..3 {
            let projection = Projection {
                sum: one,
                low: a[axis].min(b[axis]).min(c[axis]),
                high: a[axis].max(b[axis]).max(c[axis]),
                reach: self.half[axis],
                size: self.span,
                speed: one * self.direction[axis],
                square: one,
            };
            bound.look_along(simd, self.fastest, &projection);
        }
        if bound.within(simd) & used == 0 {
            return None;
        }
        let edges = [sub(b, a), sub(c, b), sub(a, c)];
        let normal = cross(edges[0], edges[1]);
        let slack = self.span * POSITION_ERROR;
        let mut projection = Projection::<S>::of(normal, &self.triangle, self.span, slack, self.direction);
        projection.reach += dot([normal[0].abs(), normal[1].abs(), normal[2].abs()], self.half);
        bound.look_along(simd, self.fastest, &projection);
        (bound.within(simd) & used != 0).then_some(edges)
    }

    /// Looks along the normals of edges of triangles and axes of space, of which one component is zero and the others are the edge's:
    /// both ends of the edge are equally far along them, but for the rounding of the edge.
    #[inline(always)]
    pub(super) fn look_across_axes<B: Bound<S>>(&self, simd: S, bound: &mut B, edges: &[[S::Lanes; 3]; 3]) {
        for (k, edge) in edges.iter().enumerate() {
            let (near, far) = (self.triangle[k], self.triangle[(k + 2) % 3]);
            for axis in 0..3 {
                let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
                let (x, y) = (edge[j], -edge[i]);
                let (p, q) = (x.mul_add(near[i], y * near[j]), x.mul_add(far[i], y * far[j]));
                let sum = x.abs() + y.abs();
                let size = sum * self.span;
                let half = x.abs().mul_add(self.half[i], y.abs() * self.half[j]);
                let projection = Projection {
                    sum,
                    low: p.min(q),
                    high: p.max(q),
                    reach: size * POSITION_ERROR + half + f32::MIN_POSITIVE,
                    size,
                    speed: x * self.direction[i] + y * self.direction[j],
                    square: x * x + y * y,
                };
                bound.look_along(simd, self.fastest, &projection);
            }
        }
    }
}
