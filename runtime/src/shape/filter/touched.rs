//! Which triangles a resting shape may touch, and which it surely does.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1.5 (the closest point on a triangle). It only proposes a
//! point of the triangle, which proves that the two touch where it is inside the shape.
//!
//! Why a proof holds: whatever the weights of corners are, as long as none is negative and their sum is 1 but for a rounding, the
//! point is one of the triangle, but for less than 16 roundings of the triangle's largest coordinate. The core and its place are
//! what they seem to be but for `pad`, a few roundings of the shape's size, and a few in f64 of its coordinates. `error` is 64
//! roundings of both and `doubt`. In a box a point is seen by its rows, the dual basis of its axes: that they are rounded, and so
//! are the axes, is less than 16 roundings of the shape's size, times the sum of a row's magnitudes.

use core::ops::ControlFlow;

use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{Select, SimdBase, SimdMask};

use super::aligned_box::OwnAxes;
use super::bound::{Bound, Depths, SHORTEST, has_length};
use super::{Lanes, MovingShape, POSITION_ERROR, SeenPoints, look_at_block};
use crate::math::vector::{self, Map3, sub};
use crate::simd::fused::{along, dot};
use crate::simd::sixteen::Sixteen;
use crate::simd::{Kernel, lanes};
use crate::triangle::FoundLanes;

/// How often a point of a triangle is looked for that is inside a capsule.
const ROUNDS: usize = 2;

/// The square of the volume of a box is less than that of axes at right angles by this share at most.
const MOST_SKEW: f64 = 1.0 / 64.0;

/// How it is proven that a point is inside a shape.
#[derive(Clone, Copy)]
pub(super) enum Inside {
    /// It is not.
    Unknown,
    /// A box: along each row it is less than 1 from the middle.
    Box([[f32; 3]; 3]),
    /// All within the radius of the first axis, with the inverse of this axis' squared length; 0 if it is too short or too long for
    /// that, or a point: then its middle alone is looked at.
    Round(f32),
}

impl Inside {
    /// What is known of a shape that fills these axes.
    pub(super) fn of(axes: &[[f32; 3]], radius: f32) -> Self {
        match axes {
            [] if radius > 0.0 => Self::Round(0.0),
            [axis] if radius > 0.0 => {
                let square = vector::dot(*axis, *axis);
                Self::Round(if square > SHORTEST { 1.0 / square } else { 0.0 })
            }
            [a, b, c] if radius == 0.0 => {
                let [a, b, c] = [a, b, c].map3(|axis| axis.map3(f64::from));
                rows([a, b, c]).map_or(Self::Unknown, Self::Box)
            }
            _ => Self::Unknown,
        }
    }
}

/// The dual basis of axes that are nearly orthogonal; `None` if they are not.
fn rows([a, b, c]: [[f64; 3]; 3]) -> Option<[[f32; 3]; 3]> {
    let [on_a, on_b, on_c] = [vector::cross(b, c), vector::cross(c, a), vector::cross(a, b)];
    let volume = vector::dot(on_a, a);
    // The volume is the product of the lengths at right angles only, of flat boxes as well. f64 holds products of six numbers of f32
    // that are not zero.
    let squares = vector::dot(a, a) * vector::dot(b, b) * vector::dot(c, c);
    let is_box = volume * volume > squares * (1.0 - MOST_SKEW);
    let inverse = 1.0 / volume;
    let row = |of: [f64; 3]| of.map3(|x| (x * inverse) as f32);
    is_box.then(|| [row(on_a), row(on_b), row(on_c)])
}

/// Finds the lanes of a block whose triangles the shape may touch at t = 0, and those of them that it surely does. A separate call,
/// compiled for the level.
#[inline(always)]
pub(crate) fn touched_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    shape: &MovingShape<'_>,
    points: &SeenPoints,
    found: FoundLanes<'_>,
) -> ControlFlow<()> {
    simd.vectorize(
        #[inline(always)]
        || {
            let known = with_corner_inside(simd, block, shape);
            if known != 0 {
                found(known, known)?;
            }
            look_at_block(
                simd,
                block,
                shape,
                points,
                Depths::<_, false> { most: S::Lanes::splat(simd, f32::INFINITY), least: 0.0 },
                #[inline(always)]
                |first, used, lanes| {
                    lanes.look_at_rest(
                        used & !u64::from(known >> first),
                        #[inline(always)]
                        |maybe, surely| match maybe {
                            0 => ControlFlow::Continue(()),
                            _ => found((maybe as u32) << first, (surely as u32) << first),
                        },
                    )
                },
            )
        },
    )
}

/// The lanes of a block whose triangles have a corner that is surely inside the shape: most of those that touch it, where triangles are
/// smaller than the shape.
#[inline(always)]
fn with_corner_inside<S: Kernel>(simd: S, block: &Block, shape: &MovingShape<'_>) -> u32 {
    let [x, y, z] = [
        seen_from(simd, block, shape, 0),
        seen_from(simd, block, shape, 1),
        seen_from(simd, block, shape, 2),
    ];
    // No coordinate of a point inside is larger than the shape.
    let error = 2.0 * shape.size() * POSITION_ERROR + shape.core.doubt;
    let (far, limit) = match shape.core.inside {
        Inside::Unknown => return 0,
        Inside::Box([a, b, c]) => {
            let of_all = share_of(simd, [x, y, z], a, error).max(share_of(simd, [x, y, z], b, error));
            (of_all.max(share_of(simd, [x, y, z], c, error)), 1.0)
        }
        Inside::Round(inverse_square) => {
            let most = shape.radius - error;
            let limit = most * most;
            if !(most > 0.0 && limit > SHORTEST && limit < f32::MAX) {
                return 0;
            }
            let mut way = [x, y, z];
            if inverse_square != 0.0 {
                let [u, v, w] = shape.core.axes[0];
                let one = S::Sixteen::splat(simd, 1.0);
                let share = (x * u + (y * v + z * w)) * inverse_square;
                let share = share.max(one * -1.0).min(one);
                way = [x - share * u, y - share * v, z - share * w];
            }
            (way[0] * way[0] + (way[1] * way[1] + way[2] * way[2]), limit)
        }
    };
    if far.at_most(S::Sixteen::splat(simd, limit)) == 0 {
        return 0;
    }
    let (table, mut inside, mut first) = (simd.table(far), 0, 0);
    while first < usize::from(block.triangles).min(BLOCK_WIDTH) {
        let [a, b, c] = &block.corners;
        let nearest = simd
            .look_up(table, a, first)
            .min(simd.look_up(table, b, first))
            .min(simd.look_up(table, c, first));
        inside |= (nearest.simd_le(limit).to_bitmask() as u32) << first;
        first += lanes::<S>();
    }
    inside
}

/// The vertices of a block along an axis, seen from the shape.
#[inline(always)]
fn seen_from<S: Kernel>(simd: S, block: &Block, shape: &MovingShape<'_>, axis: usize) -> S::Sixteen {
    S::Sixteen::load(simd, &block.positions[axis]) - shape.origin[axis]
}

/// How far points are from the middle of a box along a row, which is at most 1 inside, and farther by an error.
#[inline(always)]
fn share_of<S: Kernel>(simd: S, [x, y, z]: [S::Sixteen; 3], [u, v, w]: [f32; 3], error: f32) -> S::Sixteen {
    let along = (x * u + (y * v + z * w)).abs();
    along + S::Sixteen::splat(simd, error * (u.abs() + v.abs() + w.abs()))
}

impl<S: Kernel> Lanes<'_, S, Depths<S::Lanes, false>> {
    /// Finds the lanes that may touch, and those of them that surely do, which come first: they may be enough.
    #[inline(always)]
    fn look_at_rest(
        &mut self,
        used: u64,
        mut found: impl FnMut(u64, u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if let Some(own) = OwnAxes::of(self.shape) {
            let (maybe, surely) = self.look_at_turned_box(&own, used);
            return found(maybe, surely);
        }
        let Some(edges) = self.look_at_faces(used) else { return ControlFlow::Continue(()) };
        match self.shape.core.inside {
            Inside::Unknown => {
                self.look_further(used, &edges);
                found(self.bound.within(self.simd) & used, 0)
            }
            Inside::Box(rows) => {
                let way = nearest_to(self.simd, &self.triangle, [S::Lanes::splat(self.simd, 0.0); 3]);
                let error = self.error();
                // A closure would be called, not inlined.
                let inside = self.is_within(way, rows[0], error)
                    & self.is_within(way, rows[1], error)
                    & self.is_within(way, rows[2], error);
                let surely = inside.to_bitmask() & self.bound.within(self.simd) & used;
                // One that is sure is enough for a yes or no, and f64 decides the others.
                if surely == 0 {
                    self.look_further(used, &edges);
                }
                found(self.bound.within(self.simd) & used, surely)
            }
            Inside::Round(inverse_square) => {
                let axis = self.shape.core.axes[0];
                let (zero, one) = (S::Lanes::splat(self.simd, 0.0), S::Lanes::splat(self.simd, 1.0));
                let most = zero + self.shape.radius - self.error();
                let (mut left, mut from) = (self.bound.within(self.simd) & used, [zero; 3]);
                for _ in 0..if inverse_square == 0.0 { 1 } else { ROUNDS } {
                    let point = sub(from, nearest_to(self.simd, &self.triangle, from));
                    let share = (along(point, axis) * inverse_square).max(-one).min(one);
                    from = [share * axis[0], share * axis[1], share * axis[2]];
                    let way = sub(from, point);
                    let (square, limit) = (dot(way, way), most * most);
                    let inside = most.simd_gt(zero) & has_length(limit) & square.simd_le(limit);
                    let surely = inside.to_bitmask() & left;
                    found(surely, surely)?;
                    left &= !surely;
                    if left == 0 {
                        return ControlFlow::Continue(());
                    }
                    self.look_along(way);
                    left &= self.bound.within(self.simd);
                    if left == 0 {
                        return ControlFlow::Continue(());
                    }
                }
                found(left, 0)
            }
        }
    }

    /// The same of a turned box, in its own axes: returns the lanes that may touch, and those of them that surely do.
    #[inline(always)]
    fn look_at_turned_box(&mut self, own: &OwnAxes, used: u64) -> (u64, u64) {
        let (simd, doubt) = (self.simd, self.shape.core.doubt);
        let seen = own.see(self);
        let Some(edges) = seen.look_at_faces(simd, &mut self.bound, used) else { return (0, 0) };
        let way = nearest_to(simd, &seen.triangle, [S::Lanes::splat(simd, 0.0); 3]);
        let inside = own.is_within(&seen, way, 0, doubt)
            & own.is_within(&seen, way, 1, doubt)
            & own.is_within(&seen, way, 2, doubt);
        let surely = inside.to_bitmask() & self.bound.within(simd) & used;
        if surely == 0 {
            seen.look_across_axes(simd, &mut self.bound, &edges);
        }
        (self.bound.within(simd) & used, surely)
    }

    /// Whether a point is surely less than 1 from the middle along a row.
    #[inline(always)]
    fn is_within(
        &self,
        point: [S::Lanes; 3],
        [x, y, z]: [f32; 3],
        error: S::Lanes,
    ) -> <S::Lanes as SimdBase<S>>::Mask {
        (along(point, [x, y, z]).abs() + error * (x.abs() + y.abs() + z.abs())).simd_lt(1.0)
    }

    /// See the head of this file.
    #[inline(always)]
    fn error(&self) -> S::Lanes {
        self.span * POSITION_ERROR + self.shape.core.doubt
    }
}

/// From approximately the triangle's nearest point to this one.
#[inline(always)]
fn nearest_to<S: Kernel>(simd: S, triangle: &[[S::Lanes; 3]; 3], to: [S::Lanes; 3]) -> [S::Lanes; 3] {
    let [a, b, c] = *triangle;
    let zero = S::Lanes::splat(simd, 0.0);
    let (ab, ac) = (sub(b, a), sub(c, a));
    let (from_a, from_b, from_c) = (sub(to, a), sub(to, b), sub(to, c));
    let (d1, d2) = (dot(ab, from_a), dot(ac, from_a));
    let (d3, d4) = (dot(ab, from_b), dot(ac, from_b));
    let (d5, d6) = (dot(ab, from_c), dot(ac, from_c));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    let (to_b, to_c) = (d5 - d6, d4 - d3);
    // As in `triangle/touch_sphere.rs`, in lanes: the regions from the face to the first corner, each of which overrides those
    // before it.
    let (mut v, mut w, mut sum) = (vb, vc, va + vb + vc);
    let mut in_region = |here: <S::Lanes as SimdBase<S>>::Mask, [x, y, all]: [S::Lanes; 3]| {
        (v, w, sum) = (here.select(x, v), here.select(y, w), here.select(all, sum));
    };
    let one = zero + 1.0;
    let on_bc = va.simd_le(zero) & to_b.simd_ge(zero) & to_c.simd_ge(zero);
    in_region(on_bc, [to_b, to_c, to_b + to_c]);
    in_region(vb.simd_le(zero) & d2.simd_ge(zero) & d6.simd_le(zero), [zero, d2, d2 - d6]);
    in_region(vc.simd_le(zero) & d1.simd_ge(zero) & d3.simd_le(zero), [d1, zero, d1 - d3]);
    in_region(d6.simd_ge(zero) & d5.simd_le(d6), [zero, one, one]);
    in_region(d3.simd_ge(zero) & d4.simd_le(d3), [one, zero, one]);
    in_region(d1.simd_le(zero) & d2.simd_le(zero), [zero, zero, one]);
    // NaN becomes a number.
    let between = |x: S::Lanes, most: S::Lanes| {
        let x = x.simd_lt(most).select(x, most);
        x.simd_gt(zero).select(x, zero)
    };
    let v = between(v / sum, one);
    let w = between(w / sum, one - v);
    let way = |axis: usize| from_a[axis] - (v * ab[axis] + w * ac[axis]);
    [way(0), way(1), way(2)]
}
