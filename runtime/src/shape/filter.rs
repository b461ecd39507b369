//! The triangles of a block that a moving shape may touch, and from when on: a filter in f32.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.5.8 (the separating-axis test of moving convex
//! sets).
//! [`first_touch`](super::first_touch) makes the decision of casts, [`Shape::touches`] that of overlaps, unless
//! [`touched`] proves it.
//!
//! Why no contact is lost: along a direction n of any length, computed as it may be, the shape is within its centre's
//! projection plus or minus `reach`, and the triangle between its corners' projections. So they touch at t only where
//! t times the speed along n is between the two sums, and each such interval holds all times of contact. All numbers that
//! are rounded are dot products of n, whose errors are below a few units of |n|₁ times the largest coordinate, as seen
//! from the shape, or times the shape's size: `reach` has 64 of them more.

mod aligned_box;
mod bound;
mod shape_core;
#[cfg(test)]
mod tests;
mod touched;
mod ways;

use core::ops::ControlFlow;

use bvhc_format::MAX_COORDINATE;
use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{Select, SimdBase, SimdFloat};

use self::aligned_box::{AlignedBox, OwnAxes};
use self::bound::{Bound, Depths, Projection, Times, has_length};
use self::shape_core::Core;
pub(crate) use self::shape_core::SeenPoints;
pub(crate) use self::touched::touched_in_block;
use self::ways::{SegmentPair, reciprocal};
use super::{Bounds as ShapeBounds, Shape};
use crate::math::vector::{self, Map3, sub};
use crate::math::{larger, smaller};
use crate::simd::fused::{along, cross, dot};
use crate::simd::sixteen::Sixteen;
use crate::simd::{Kernel, lanes};
use crate::similarity::Similarity;

/// Covers all roundings in positions: relative to the largest coordinate, as seen from the shape, and to the shape.
const POSITION_ERROR: f32 = 1.0 / (1u32 << 18) as f32;

/// Cover what the computed normal of a triangle and vectors across its edges are off by, and their lengths: see
/// [`Lanes::look_across_edges`].
const NORMAL_ERROR: f32 = 1.0 / (1u32 << 17) as f32;
const ACROSS_ERROR: f32 = 1.0 / (1u32 << 16) as f32;

/// What is added to the half of a transformed box: of the magnitudes of positions, and of the mesh and the box.
const OF_POSITIONS: f64 = 1.0 / (1u64 << 36) as f64;
const OF_TRAVEL: f64 = 1.0 / (1u64 << 20) as f64;

/// A shape that moves by `t * direction`, as the filter sees it.
#[derive(Clone, Copy)]
pub(crate) struct MovingShape<'a> {
    /// The centre of its box at t = 0.
    pub(crate) origin: [f32; 3],
    direction: [f32; 3],
    inverse: [f32; 3],
    /// Half the box around its core, rounded up.
    half: [f32; 3],
    radius: f32,
    core: Core<'a>,
}

/// Where a shape is that a mesh sees: in the space of a world, if the mesh is an instance's.
pub(crate) struct Place<'a> {
    /// Where the mesh is.
    pub(crate) at: &'a Similarity,
    /// The middle of the core's bounds, which is at most `slack` away from there, along each axis.
    pub(crate) middle: [f64; 3],
    pub(crate) slack: f64,
    /// The largest coordinate of the mesh, in its own space.
    pub(crate) largest: f32,
}

impl<'a> MovingShape<'a> {
    /// A shape without a displacement, as a mesh sees it. The head of `query/shape/sweep.rs` proves that it is large enough.
    pub(crate) fn new(shape: &'a dyn Shape, bounds: &ShapeBounds, place: &Place<'_>) -> Self {
        let Place { at, middle, slack, largest } = *place;
        let exact = at.inverse_apply(middle);
        // Rays begin within 2^60. Half the box makes up for it.
        let origin = exact.map3(|x| (x as f32).clamp(-MAX_COORDINATE, MAX_COORDINATE));
        let mut size = [0, 1, 2].map3(|axis| 0.5 * (bounds.upper[axis] - bounds.lower[axis]));
        let (mut radius, mut slack) = (bounds.radius, slack);
        if !at.is_identity() {
            (size, radius) = (at.inverse_half(size), radius / at.scale());
            let far = middle.iter().chain(&at.pose().translation()).fold(0.0f64, |most, x| most.max(x.abs()));
            let near = f64::from(largest) + size.iter().sum::<f64>() + radius;
            slack = slack / at.scale() + (far / at.scale() + near) * OF_POSITIONS + near * OF_TRAVEL;
        }
        let off = [0, 1, 2].map3(|axis| (exact[axis] - f64::from(origin[axis])).abs() + slack);
        Self {
            origin,
            direction: [0.0; 3],
            inverse: [0.0; 3],
            half: [0, 1, 2].map3(|axis| above(size[axis] + off[axis])),
            radius: if radius == 0.0 { 0.0 } else { above(radius) },
            core: Core::new(shape, bounds, at, larger(off[0], larger(off[1], off[2]))),
        }
    }

    /// The same shape with a displacement, of which the reciprocals are limited in magnitude.
    pub(crate) fn moving(self, direction: [f32; 3], inverse: [f32; 3]) -> Self {
        Self { direction, inverse, ..self }
    }

    /// Adds the points of the core, unless it is known by its axes alone.
    #[inline(always)]
    pub(crate) fn see_points(&self, seen: &mut SeenPoints) {
        for point in self.core.points {
            seen.push(sub(*point, self.core.centre));
        }
    }

    /// A plane with this normal, of any length.
    pub(crate) fn seen_plane(&self, points: &SeenPoints, normal: [f32; 3]) -> SeenPlane {
        if points.all().is_empty() {
            let half = self.core.axes().iter().fold(0.0, |sum, axis| sum + vector::dot(*axis, normal).abs());
            return SeenPlane { normal, first: -half, last: half };
        }
        let (mut first, mut last) = (f32::INFINITY, f32::NEG_INFINITY);
        for point in points.all() {
            let along = vector::dot(*point, normal);
            (first, last) = (smaller(along, first), larger(along, last));
        }
        SeenPlane { normal, first, last }
    }

    /// How far it extends from its origin along an axis, and farther than roundings of positions near it.
    #[inline(always)]
    pub(crate) fn reach(&self, axis: usize) -> f32 {
        let [x, y, z] = self.half;
        let largest = larger(x, larger(y, z)) + self.radius;
        (self.half[axis] + self.radius) * (1.0 + POSITION_ERROR) + largest * POSITION_ERROR
    }

    /// How far it extends from its origin in any direction.
    pub(crate) fn span(&self) -> f32 {
        let half = self.half.map3(f64::from);
        (libm::sqrt(vector::dot(half, half)) as f32 + self.radius) * (1.0 + POSITION_ERROR)
    }

    /// At least the largest coordinate of the shape, seen from its centre.
    #[inline(always)]
    fn size(&self) -> f32 {
        let [a, b, c] = self.core.axes.map3(|[x, y, z]| x.abs() + y.abs() + z.abs());
        let [x, y, z] = self.half;
        (self.radius + self.core.pad) + (a + b + c) + (x + y + z)
    }

    /// The largest component of the displacement.
    #[inline(always)]
    fn fastest(&self) -> f32 {
        self.direction.iter().fold(0.0, |most, x| most.max(x.abs()))
    }
}

/// A number that is not negative, rounded to f32 and at least a unit in the last place greater.
#[inline(always)]
fn above(x: f64) -> f32 {
    x as f32 * (1.0 + f32::EPSILON) + f32::MIN_POSITIVE
}

/// The normal of a plane, and where the shape is along it, from its centre.
pub(crate) struct SeenPlane {
    normal: [f32; 3],
    first: f32,
    last: f32,
}

/// By lane, lower bounds of the times of contact, or of depths, negated: the least is looked at first.
pub(crate) type Entries = [f32; BLOCK_WIDTH];

/// Bounds the first contact of each triangle of a block between 0 and `limit`; returns the lanes with any. Looks along the normal of a plane
/// first, if there is one, which may be between the shape at the limit and what it touches later.
#[inline(always)]
pub(crate) fn entries_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    shape: &MovingShape<'_>,
    points: &SeenPoints,
    limit: f32,
    plane: Option<&SeenPlane>,
    entries: &mut Entries,
) -> u32 {
    let mut met = 0;
    let start =
        Times { enter: S::Lanes::splat(simd, 0.0), leave: S::Lanes::splat(simd, limit), limit, plane };
    let _ = look_at_block(
        simd,
        block,
        shape,
        points,
        start,
        #[inline(always)]
        |first, used, lanes| {
            let left = lanes.look(used);
            met |= (left as u32) << first;
            enter(simd, left, first, lanes.bound.enter, entries);
            ControlFlow::Continue(())
        },
    );
    met
}

/// Enters what is known of these lanes.
#[inline(always)]
fn enter<S: Kernel>(simd: S, mut lanes: u64, first: usize, known: S::Lanes, entries: &mut Entries) {
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        entries[(first + lane) % BLOCK_WIDTH] = simd.pick(known, lane);
    }
}

/// Along which directions triangles are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Directions {
    All,
    /// The normals of triangles and the vectors in their planes across their edges alone, with a slack for what rounding turns them by:
    /// for shapes whose depth is the least along a few directions, of which these are some.
    OfTriangles,
}

/// The lanes of a block whose triangles the shape may touch at t = 0, with a depth of at least `least`, and bounds of their depths. A
/// separate call, compiled for the level.
#[inline(always)]
pub(crate) fn deep_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    shape: &MovingShape<'_>,
    points: &SeenPoints,
    directions: Directions,
    least: f32,
    entries: &mut Entries,
) -> u32 {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut deep = 0;
            let start = Depths::<_, true> { most: S::Lanes::splat(simd, f32::INFINITY), least };
            let _ = look_at_block(
                simd,
                block,
                shape,
                points,
                start,
                #[inline(always)]
                |first, used, lanes| {
                    let left = match directions {
                        Directions::All => lanes.look(used),
                        Directions::OfTriangles => lanes.look_across_edges(used),
                    };
                    deep |= (left as u32) << first;
                    enter(simd, left, first, -lanes.bound.most, entries);
                    ControlFlow::Continue(())
                },
            );
            deep
        },
    )
}

/// Looks at the triangles of a block, some at once, until told to stop: from the first on, those in the lanes given as bits.
#[inline(always)]
fn look_at_block<S: Kernel, B: Bound<S>>(
    simd: S,
    block: &Block,
    shape: &MovingShape<'_>,
    points: &SeenPoints,
    start: B,
    mut look: impl FnMut(usize, u64, &mut Lanes<'_, S, B>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let tables =
        [offsets(simd, block, shape, 0), offsets(simd, block, shape, 1), offsets(simd, block, shape, 2)];
    let count = usize::from(block.triangles).min(BLOCK_WIDTH);
    let size = S::Lanes::splat(simd, shape.size());
    let mut first = 0;
    while first < count {
        let used = (1u64 << (count - first).min(lanes::<S>())) - 1;
        let triangle = [
            corner(simd, &tables, block, 0, first),
            corner(simd, &tables, block, 1, first),
            corner(simd, &tables, block, 2, first),
        ];
        look(first, used, &mut Lanes { simd, triangle, span: size, shape, points, bound: start })?;
        first += lanes::<S>();
    }
    ControlFlow::Continue(())
}

/// The vertices of a block along an axis, seen from the shape.
#[inline(always)]
fn offsets<S: Kernel>(simd: S, block: &Block, shape: &MovingShape<'_>, axis: usize) -> S::Table {
    simd.table(S::Sixteen::load(simd, &block.positions[axis]) - shape.origin[axis])
}

/// A corner of the triangles from `first` on.
#[inline(always)]
fn corner<S: Kernel>(
    simd: S,
    tables: &[S::Table; 3],
    block: &Block,
    k: usize,
    first: usize,
) -> [S::Lanes; 3] {
    let slots = &block.corners[k];
    [
        simd.look_up(tables[0], slots, first),
        simd.look_up(tables[1], slots, first),
        simd.look_up(tables[2], slots, first),
    ]
}

/// A shape and triangles in lanes, relative to the shape's origin.
struct Lanes<'a, S: Kernel, B> {
    simd: S,
    triangle: [[S::Lanes; 3]; 3],
    shape: &'a MovingShape<'a>,
    points: &'a SeenPoints,
    /// The largest coordinate of the triangle plus the shape's size.
    span: S::Lanes,
    bound: B,
}

impl<S: Kernel, B: Bound<S>> Lanes<'_, S, B> {
    /// Looks along all directions, as long as any of these lanes may touch; returns those that may.
    #[inline(always)]
    fn look(&mut self, used: u64) -> u64 {
        if !B::NEEDS_LENGTHS
            && let Some(own) = OwnAxes::of(self.shape)
        {
            let seen = own.see(self);
            let Some(edges) = seen.look_at_faces(self.simd, &mut self.bound, used) else { return 0 };
            seen.look_across_axes(self.simd, &mut self.bound, &edges);
            return self.bound.within(self.simd) & used;
        }
        let Some(edges) = self.look_at_faces(used) else { return 0 };
        self.look_further(used, &edges);
        self.bound.within(self.simd) & used
    }

    /// Looks along the normal and across the edges as they are, not as they are computed. With L the largest coordinate of the triangle,
    /// its edges e and f are off by 4 L units of 2^-24 in each component, and so the sum of the normal's magnitudes by less than
    /// 44 L (|e|₁ + |f|₁) of them, and that of the normal's cross product with an edge g by less than 44 L (|e|₁ + |f|₁) |g|₁ and 30 L
    /// times the normal's: by 74 L (|e|₁ + |f|₁) |g|₁. This moves projections of what is within the span, and changes the length, which
    /// is together less than three times as much: 2^-17 and 2^-16 of L and what follows it.
    #[inline(always)]
    fn look_across_edges(&mut self, used: u64) -> u64 {
        let (_, _, largest) = self.ends();
        let [a, b, c] = self.triangle;
        self.span += largest;
        let edges = [sub(b, a), sub(c, b), sub(a, c)];
        let sum = |v: [S::Lanes; 3]| v[0].abs() + v[1].abs() + v[2].abs();
        let normal = cross(edges[0], edges[1]);
        let off = (sum(edges[0]) + sum(edges[1])) * largest * self.span;
        self.look_along_about(normal, off * NORMAL_ERROR);
        for edge in edges {
            if self.bound.within(self.simd) & used == 0 {
                return 0;
            }
            self.look_along_about(cross(edge, normal), sum(edge) * off * ACROSS_ERROR);
        }
        self.bound.within(self.simd) & used
    }

    /// The least and the greatest coordinates of triangles, and the largest.
    #[inline(always)]
    fn ends(&self) -> ([S::Lanes; 3], [S::Lanes; 3], S::Lanes) {
        let [a, b, c] = self.triangle;
        let (mut lows, mut highs, mut largest) = (a, a, S::Lanes::splat(self.simd, 0.0));
        for axis in 0..3 {
            lows[axis] = a[axis].min(b[axis]).min(c[axis]);
            highs[axis] = a[axis].max(b[axis]).max(c[axis]);
            largest = largest.max(highs[axis].max(-lows[axis]));
        }
        (lows, highs, largest)
    }

    /// Looks along the axes of space and the normals of triangles; returns the edges, unless none of these lanes may touch.
    #[inline(always)]
    fn look_at_faces(&mut self, used: u64) -> Option<[[S::Lanes; 3]; 3]> {
        let (simd, shape, [a, b, c]) = (self.simd, self.shape, self.triangle);
        let (lows, highs, largest) = self.ends();
        for axis in 0..3 {
            let reach = largest * POSITION_ERROR + (shape.half[axis] + shape.radius) * (1.0 + POSITION_ERROR);
            self.bound.look_along_axis(shape, axis, lows[axis], highs[axis], reach);
        }
        self.span += largest;
        if let Some(plane) = self.bound.plane() {
            let (first, last) = (S::Lanes::splat(simd, plane.first), S::Lanes::splat(simd, plane.last));
            let projection = self.projection_between(splat(simd, plane.normal), first, last);
            self.bound.look_along(simd, shape.fastest(), &projection);
        }
        if self.bound.within(simd) & used == 0 {
            return None;
        }
        let edges = [sub(b, a), sub(c, b), sub(a, c)];
        self.look_along(cross(edges[0], edges[1]));
        (self.bound.within(simd) & used != 0).then_some(edges)
    }

    /// Looks along what else tells the shape and triangles apart.
    #[inline(always)]
    fn look_further(&mut self, used: u64, edges: &[[S::Lanes; 3]; 3]) {
        if !self.points.all().is_empty() {
            return self.close_in(used);
        }
        let axes = self.shape.core.axes();
        if axes.len() != 1 || self.shape.radius == 0.0 {
            self.look_along_edges(edges);
        }
        if axes.len() > 1 {
            // The normals of faces of the core, unless they are axes of space.
            for k in 0..if self.shape.core.is_aligned { 0 } else { axes.len() } {
                self.look_along(splat(self.simd, vector::cross(axes[k], axes[(k + 1) % axes.len()])));
            }
        } else if axes.is_empty() {
            let of_edges = edges.map3(
                #[inline(always)]
                |edge| reciprocal(self.simd, dot(edge, edge)),
            );
            self.advance(
                used,
                #[inline(always)]
                |lanes| lanes.way_of_point(edges, &of_edges),
            );
        } else if self.shape.radius > 0.0 {
            let pairs = edges.map3(
                #[inline(always)]
                |edge| SegmentPair::of(self.simd, edge, axes[0]),
            );
            self.advance(
                used,
                #[inline(always)]
                |lanes| lanes.way_of_segment(edges, &pairs),
            );
        }
    }

    /// Looks along the normals of edges of triangles and axes of the core.
    #[inline(always)]
    fn look_along_edges(&mut self, edges: &[[S::Lanes; 3]; 3]) {
        if self.shape.core.is_aligned && self.shape.core.count > 1 && self.shape.radius == 0.0 {
            let half = splat(self.simd, self.shape.half);
            let (triangle, span, direction) = (self.triangle, self.span, self.shape.direction);
            let seen = AlignedBox { triangle, half, span, direction, fastest: self.shape.fastest() };
            return seen.look_across_axes(self.simd, &mut self.bound, edges);
        }
        for edge in edges {
            for axis in self.shape.core.axes() {
                self.look_along(cross(*edge, splat(self.simd, *axis)));
            }
        }
    }

    #[inline(always)]
    fn look_along(&mut self, direction: [S::Lanes; 3]) {
        let projection = self.projection(direction);
        self.bound.look_along(self.simd, self.shape.fastest(), &projection);
    }

    /// Along a direction that is known but for what changes projections by `off`.
    #[inline(always)]
    fn look_along_about(&mut self, direction: [S::Lanes; 3], off: S::Lanes) {
        let mut projection = self.projection(direction);
        projection.reach += off;
        self.bound.look_along(self.simd, self.shape.fastest(), &projection);
    }

    #[inline(always)]
    fn projection(&self, direction: [S::Lanes; 3]) -> Projection<S> {
        let zero = S::Lanes::splat(self.simd, 0.0);
        if self.points.all().is_empty() {
            let mut projection = self.projection_between(direction, zero, zero);
            for axis in self.shape.core.axes() {
                projection.reach += along(direction, *axis).abs();
            }
            return projection;
        }
        let (mut first, mut last) = (zero + f32::INFINITY, zero - f32::INFINITY);
        for point in self.points.all() {
            let along = along(direction, *point);
            (first, last) = (first.min(along), last.max(along));
        }
        self.projection_between(direction, first, last)
    }

    /// Of the triangle and of a core between two numbers, seen from its centre.
    #[inline(always)]
    fn projection_between(&self, direction: [S::Lanes; 3], first: S::Lanes, last: S::Lanes) -> Projection<S> {
        let shape = self.shape;
        let slack = self.span * POSITION_ERROR + shape.core.pad;
        let mut seen = Projection::<S>::of(direction, &self.triangle, self.span, slack, shape.direction);
        seen.low -= last;
        seen.high -= first;
        if shape.radius > 0.0 {
            // The square of a short direction is rounded away, that of a long one infinite; the sum is no less than the length.
            seen.reach += has_length(seen.square).select(seen.square.sqrt(), seen.sum) * shape.radius;
        }
        seen
    }
}

#[inline(always)]
fn splat<S: Kernel>(simd: S, [x, y, z]: [f32; 3]) -> [S::Lanes; 3] {
    [S::Lanes::splat(simd, x), S::Lanes::splat(simd, y), S::Lanes::splat(simd, z)]
}
