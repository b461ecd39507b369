//! What projections of a shape and of triangles in lanes say of when, or how deep, the two may touch.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask};

use super::{MovingShape, SeenPlane};
use crate::simd::Kernel;
use crate::simd::fused::{along, dot};

/// The square of the shortest direction whose length is known.
pub(super) const SHORTEST: f32 = 1e-30;

/// Covers all roundings in speeds, relative to the direction's length times the largest component of the displacement.
const SPEED_ERROR: f32 = 1.0 / (1u32 << 20) as f32;

/// What projections say of when, or how deep, a shape may touch triangles in lanes.
pub(super) trait Bound<S: Kernel>: Copy {
    /// How often a rounded shape is moved up to a triangle: where it stays, once says all.
    const ADVANCES: usize;

    /// Whether it depends on how long directions are, which other axes than those of space do not tell.
    const NEEDS_LENGTHS: bool;

    /// Takes the projections on an axis of space.
    fn look_along_axis(
        &mut self,
        shape: &MovingShape<'_>,
        axis: usize,
        low: S::Lanes,
        high: S::Lanes,
        reach: S::Lanes,
    );

    /// Takes the projections on a direction, of a shape whose displacement has no larger component than `fastest`.
    fn look_along(&mut self, simd: S, fastest: f32, projection: &Projection<S>);

    /// The lanes that may touch.
    fn within(&self, simd: S) -> u64;

    /// When they first may.
    fn time(&self, simd: S) -> S::Lanes;

    /// A plane that may tell more than others.
    #[inline(always)]
    fn plane(&self) -> Option<&SeenPlane> {
        None
    }
}

/// Whether the length of a direction is known from its square: neither is rounded away, nor infinite.
#[inline(always)]
pub(super) fn has_length<S: Simd, L: SimdFloat<S, Element = f32>>(square: L) -> L::Mask {
    square.simd_gt(SHORTEST) & square.simd_lt(f32::MAX)
}

/// Triangles in lanes, and a shape at t = 0, along a direction.
pub(super) struct Projection<S: Kernel> {
    /// The sum of the direction's magnitudes.
    pub(super) sum: S::Lanes,
    /// From the shape's last point to the triangle's first one, and from its first to the triangle's last.
    pub(super) low: S::Lanes,
    pub(super) high: S::Lanes,
    /// How much farther the shape extends to both sides, with a slack for all roundings.
    pub(super) reach: S::Lanes,
    /// Not infinite unless something is: such a direction says nothing.
    pub(super) size: S::Lanes,
    /// How fast the shape moves along the direction.
    pub(super) speed: S::Lanes,
    /// The square of the direction's length.
    pub(super) square: S::Lanes,
}

impl<S: Kernel> Projection<S> {
    /// Of triangles, and of a point at the origin with a displacement. `span` is the largest coordinate, `slack` what all may be off by.
    #[inline(always)]
    pub(super) fn of(
        direction: [S::Lanes; 3],
        [a, b, c]: &[[S::Lanes; 3]; 3],
        span: S::Lanes,
        slack: S::Lanes,
        displacement: [f32; 3],
    ) -> Self {
        let (p, q, r) = (dot(direction, *a), dot(direction, *b), dot(direction, *c));
        let sum = direction[0].abs() + direction[1].abs() + direction[2].abs();
        Self {
            sum,
            low: p.min(q).min(r),
            high: p.max(q).max(r),
            // Together: the product of a short direction and a small number may be subnormal, which takes some CPUs 150 cycles.
            reach: sum * slack + f32::MIN_POSITIVE,
            size: sum * span,
            speed: along(direction, displacement),
            square: dot(direction, direction),
        }
    }
}

/// When the two may touch.
#[derive(Clone, Copy)]
pub(super) struct Times<'a, L> {
    pub(super) enter: L,
    pub(super) leave: L,
    pub(super) limit: f32,
    /// One that may be between the shape at the limit and what it touches later.
    pub(super) plane: Option<&'a SeenPlane>,
}

impl<S: Kernel> Bound<S> for Times<'_, S::Lanes> {
    const ADVANCES: usize = 3;
    const NEEDS_LENGTHS: bool = false;

    #[inline(always)]
    fn look_along_axis(
        &mut self,
        shape: &MovingShape<'_>,
        axis: usize,
        low: S::Lanes,
        high: S::Lanes,
        reach: S::Lanes,
    ) {
        let inverse = shape.inverse[axis];
        let (near, far) =
            if inverse < 0.0 { (high + reach, low - reach) } else { (low - reach, high + reach) };
        self.enter = self.enter.max(near * inverse);
        self.leave = self.leave.min(far * inverse);
    }

    #[inline(always)]
    fn look_along(&mut self, simd: S, fastest: f32, projection: &Projection<S>) {
        let Projection { sum, low, high, reach, size, speed, .. } = *projection;
        let zero = S::Lanes::splat(simd, 0.0);
        let off = sum * (SPEED_ERROR * fastest) + f32::MIN_POSITIVE;
        // In the direction of the movement.
        let forwards = speed.simd_ge(zero);
        let (low, high) = (forwards.select(low, -high), forwards.select(high, -low));
        // At most this fast, the shape reaches the triangle no earlier; and at least this fast, it is past it no later.
        let (most, least) = (speed.abs() + off, speed.abs() - off);
        let finite = size.simd_lt(f32::MAX);
        self.enter = self.enter.max(finite.select((low - reach) / most, zero));
        let past = least.simd_gt(zero).select((high + reach) / least, self.leave);
        self.leave = self.leave.min(finite.select(past, self.leave));
    }

    #[inline(always)]
    fn within(&self, _: S) -> u64 {
        self.enter.simd_le(self.leave).to_bitmask()
    }

    #[inline(always)]
    fn time(&self, _: S) -> S::Lanes {
        self.enter.min(self.limit)
    }

    #[inline(always)]
    fn plane(&self) -> Option<&SeenPlane> {
        self.plane
    }
}

/// How deep they are in each other at t = 0, at most: as far as the shape would have to move along a direction. Negative
/// where they are apart. Without `TELLS` only that is known, and no depth.
#[derive(Clone, Copy)]
pub(super) struct Depths<L, const TELLS: bool> {
    pub(super) most: L,
    pub(super) least: f32,
}

impl<S: Kernel, const TELLS: bool> Bound<S> for Depths<S::Lanes, TELLS> {
    const ADVANCES: usize = 1;
    const NEEDS_LENGTHS: bool = TELLS;

    #[inline(always)]
    fn look_along_axis(
        &mut self,
        _: &MovingShape<'_>,
        _: usize,
        low: S::Lanes,
        high: S::Lanes,
        reach: S::Lanes,
    ) {
        self.most = self.most.min(high.min(-low) + reach);
    }

    #[inline(always)]
    fn look_along(&mut self, _: S, _: f32, projection: &Projection<S>) {
        let Projection { low, high, reach, size, square, .. } = *projection;
        let (overlap, is_finite) = (high.min(-low) + reach, size.simd_lt(f32::MAX));
        let (depth, is_known) = match TELLS {
            true => (overlap / square.sqrt(), has_length(square) & is_finite),
            false => (overlap, is_finite),
        };
        self.most = self.most.min(is_known.select(depth, self.most));
    }

    #[inline(always)]
    fn within(&self, _: S) -> u64 {
        self.most.simd_ge(self.least).to_bitmask()
    }

    #[inline(always)]
    fn time(&self, simd: S) -> S::Lanes {
        S::Lanes::splat(simd, 0.0)
    }
}
