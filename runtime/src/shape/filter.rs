//! The triangles of a block that a moving shape may touch, and from when on: a filter in f32.
//!
//! Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.5 (a ray against a box grown by the shape, and the
//! slab around the triangle's plane). [`first_touch`](super::first_touch) makes the decision.

use bvhc_format::record::{BLOCK_WIDTH, Block};
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask, f32x16};

use crate::math::vector::{cross, dot, sub};
use crate::simd::{Kernel, lanes};

/// Covers all roundings in positions: relative to the largest coordinate, as seen from the shape, and to the shape.
pub(crate) const POSITION_ERROR: f32 = 1.0 / (1u32 << 18) as f32;

/// Covers all roundings in heights above planes, relative to the squared edges times the largest coordinate: normals are
/// off by 8 units of the squared edges, and heights by as much again.
const PLANE_ERROR: f32 = 64.0 * f32::EPSILON;

/// A shape that moves by `t * direction`, as the filter sees it.
pub(crate) struct MovingBox {
    /// The centre of its box at t = 0.
    pub(crate) origin: [f32; 3],
    pub(crate) direction: [f32; 3],
    /// The reciprocal of the direction, limited in magnitude.
    pub(crate) inverse: [f32; 3],
    /// Half the box around its core, rounded up.
    pub(crate) half: [f32; 3],
    pub(crate) radius: f32,
}

/// Lower bounds of the times of contact, by lane; infinite where there is none.
pub(crate) type Entries = [f32; BLOCK_WIDTH];

/// Bounds the first contact of each triangle of a block between 0 and `limit`; returns the lanes with any.
#[inline(always)]
pub(crate) fn entries_in_block<S: Kernel>(
    simd: S,
    block: &Block,
    shape: &MovingBox,
    limit: f32,
    entries: &mut Entries,
) -> u32 {
    let offset = |axis: usize| f32x16::load_array_ref(simd, &block.positions[axis]) - shape.origin[axis];
    let tables = [simd.table(offset(0)), simd.table(offset(1)), simd.table(offset(2))];
    let count = usize::from(block.triangles).min(BLOCK_WIDTH);
    let mut met = 0;
    for first in (0..count).step_by(lanes::<S>()) {
        let look_up = |axis: usize, k: usize| simd.look_up(tables[axis], &block.corners[k], first);
        let corner = |k: usize| [look_up(0, k), look_up(1, k), look_up(2, k)];
        let (entry, within) = entries_in_lanes(simd, [corner(0), corner(1), corner(2)], shape, limit);
        let used = (1u64 << (count - first).min(lanes::<S>())) - 1;
        let mut left = within & used;
        met |= (left as u32) << first;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            entries[(first + lane) % BLOCK_WIDTH] = simd.pick(entry, lane);
        }
    }
    met
}

/// For triangles in lanes, relative to the shape's origin: when the shape may first touch them, and whether it may at
/// all.
#[inline(always)]
fn entries_in_lanes<S: Kernel>(
    simd: S,
    [a, b, c]: [[S::Lanes; 3]; 3],
    shape: &MovingBox,
    limit: f32,
) -> (S::Lanes, u64) {
    let zero = S::Lanes::splat(simd, 0.0);
    let (mut enter, mut leave) = (zero, S::Lanes::splat(simd, limit));
    let (mut lows, mut highs, mut largest) = (a, a, zero);
    for axis in 0..3 {
        lows[axis] = a[axis].min(b[axis]).min(c[axis]);
        highs[axis] = a[axis].max(b[axis]).max(c[axis]);
        largest = largest.max(highs[axis].max(-lows[axis]));
    }
    for axis in 0..3 {
        let (low, high) = (lows[axis], highs[axis]);
        let reach = largest * POSITION_ERROR + (shape.half[axis] + shape.radius) * (1.0 + POSITION_ERROR);
        let (near, far) =
            if shape.inverse[axis] < 0.0 { (high + reach, low - reach) } else { (low - reach, high + reach) };
        enter = enter.max(near * shape.inverse[axis]);
        leave = leave.min(far * shape.inverse[axis]);
    }
    let in_box = enter.simd_le(leave).to_bitmask();

    let (e, f) = (sub(b, a), sub(c, a));
    let normal = cross(e, f);
    let speed =
        normal[0] * shape.direction[0] + normal[1] * shape.direction[1] + normal[2] * shape.direction[2];
    let height = dot(normal, a);
    // The plane is ahead of the shape where the signs are equal.
    let ahead = speed.simd_ge(zero).select(height, -height);
    let size = dot(e, e) + dot(f, f);
    let slack = size * (largest * PLANE_ERROR) + f32::MIN_POSITIVE;
    let along = normal[0].abs() * shape.half[0]
        + normal[1].abs() * shape.half[1]
        + normal[2].abs() * shape.half[2]
        + dot(normal, normal).sqrt() * shape.radius;
    let reach = along * (1.0 + POSITION_ERROR)
        + size * (PLANE_ERROR * (shape.half[0] + shape.half[1] + shape.half[2] + shape.radius))
        + slack;
    // A speed of about zero may have the wrong sign.
    let off = size * (PLANE_ERROR * span(shape));
    let fastest = speed.abs() * (1.0 + POSITION_ERROR) + off;
    let before = ahead - reach;
    let is_reached = before.simd_le(fastest * limit).to_bitmask();
    let is_not_past = (ahead + reach).simd_ge(-(off * limit)).to_bitmask();
    let plane = before / fastest.max(S::Lanes::splat(simd, f32::MIN_POSITIVE));
    (enter.max(plane), in_box & is_reached & is_not_past)
}

/// The sum of the direction's magnitudes.
#[inline(always)]
fn span(shape: &MovingBox) -> f32 {
    shape.direction[0].abs() + shape.direction[1].abs() + shape.direction[2].abs()
}
