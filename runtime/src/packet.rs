//! Packets: rays of one class, one per lane, and the frustum around them.
//!
//! Based on: Reshetov, Soupikov, Hurley, "Multi-Level Ray Tracing Algorithm", 2005 (one interval test for all rays).
//! Departure: boxes that pass it are tested ray by ray, so a loose frustum costs no more than the interval test.

use bvhc_format::record::{NODE_WIDTH, WideNode};
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask, f32x16};

use crate::math::UNIT_ROUNDOFF;
use crate::ray::{Class, Extent, Frame, Ray, SMALLEST_SHARE, SMALLEST_SLOPE};
use crate::simd::{Kernel, lanes};

/// The largest number of ray vectors in a packet.
pub(crate) const GROUPS: usize = 4;

/// The largest number of rays in a packet, at any level.
pub(crate) const MAX_RAYS: usize = 16 * GROUPS;

/// Rays of one class. Unused lanes repeat one of the rays.
pub(crate) struct Packet<S: Kernel> {
    pub(crate) class: Class,
    groups: [Group<S>; GROUPS],
    count: usize,
    frustum: Frustum<S>,
}

impl<S: Kernel> Packet<S> {
    /// The number of rays in a packet at this level.
    pub(crate) const CAPACITY: usize = lanes::<S>() * GROUPS;

    /// A packet of 1 to [`CAPACITY`](Self::CAPACITY) rays, all of this class.
    #[inline(always)]
    pub(crate) fn new(simd: S, class: Class, rays: &[Ray], extent: &Extent) -> Self {
        let mut intervals = Intervals::none(simd);
        let first = Group::new(simd, class, rays, extent, &mut intervals);
        let mut groups = [first; GROUPS];
        let count = rays.len().div_ceil(lanes::<S>()).min(GROUPS);
        for (index, group) in groups.iter_mut().enumerate().take(count).skip(1) {
            *group = Group::new(simd, class, &rays[index * lanes::<S>()..], extent, &mut intervals);
        }
        let frustum = Frustum::around(simd, class, &intervals);
        Self { class, groups, count, frustum }
    }

    /// The vectors of rays.
    #[inline(always)]
    pub(crate) fn groups(&self) -> &[Group<S>] {
        &self.groups[..self.count]
    }

    /// The frame of one of the rays.
    #[inline(always)]
    pub(crate) fn frame(&self, ray: usize, t_max: f32) -> Frame {
        self.groups[ray / lanes::<S>() % GROUPS].frame(self.class, ray % lanes::<S>(), t_max)
    }

    /// Lower bounds of where rays enter the boxes, and the slots whose boxes a ray may meet, where `limit` is the
    /// largest limit of all rays.
    #[inline(always)]
    pub(crate) fn may_meet(&self, simd: S, node: &WideNode, limit: f32) -> ([f32; NODE_WIDTH], u32) {
        self.frustum.test(simd, node, limit)
    }
}

/// A vector of rays. Origin, shear and range decide answers, so they are computed exactly as in [`Frame`] and have the
/// same bits. The margins only need to satisfy the proof there.
#[derive(Clone, Copy)]
pub(crate) struct Group<S: Kernel> {
    pub(crate) origin: [S::Lanes; 3],
    /// d_kx / d_kz, d_ky / d_kz and 1 / d_kz.
    pub(crate) shear: [S::Lanes; 3],
    pub(crate) t_min: S::Lanes,
    inverse: [S::Lanes; 3],
    near: [S::Lanes; 3],
    far: [S::Lanes; 3],
}

impl<S: Kernel> Group<S> {
    /// Takes the first rays, one per lane.
    #[inline(always)]
    fn new(simd: S, class: Class, rays: &[Ray], extent: &Extent, intervals: &mut Intervals<S>) -> Self {
        let each = |number: fn(&Ray) -> f32| {
            S::Lanes::from_fn(
                simd,
                #[inline(always)]
                |lane| number(rays.get(lane).unwrap_or(&rays[0])),
            )
        };
        let origin = [each(|ray| ray.origin[0]), each(|ray| ray.origin[1]), each(|ray| ray.origin[2])];
        let direction =
            [each(|ray| ray.direction[0]), each(|ray| ray.direction[1]), each(|ray| ray.direction[2])];
        let t_min = each(|ray| ray.t_min);
        let [kx, ky, kz] = class.axes();
        let one = S::Lanes::splat(simd, 1.0);
        let inverse_z = one / direction[kz];
        let smallest = direction[kz].abs() * SMALLEST_SLOPE;
        let farthest = origin[0].abs().max(origin[1].abs()).max(origin[2].abs()) + extent.largest;
        let common = farthest * inverse_z.abs() * (17.0 * UNIT_ROUNDOFF);
        let mut group = Self {
            origin,
            shear: [direction[kx] * inverse_z, direction[ky] * inverse_z, inverse_z],
            t_min,
            inverse: [one; 3],
            near: [one; 3],
            far: [one; 3],
        };
        for axis in 0..3 {
            let inverse = one / direction[axis].abs().max(smallest).copysign(direction[axis]);
            let magnitudes = origin[axis].abs() + extent.axes[axis] + farthest * SMALLEST_SHARE;
            let margin = magnitudes * inverse.abs() * (8.0 * UNIT_ROUNDOFF) + common;
            let offset = origin[axis] * inverse;
            group.inverse[axis] = inverse;
            group.near[axis] = -offset - margin;
            group.far[axis] = margin - offset;
            intervals.widen(axis, origin[axis], inverse.abs(), magnitudes);
        }
        intervals.common = intervals.common.max(common);
        intervals.t_min = intervals.t_min.min(t_min);
        group
    }

    #[inline(always)]
    pub(crate) fn frame(&self, class: Class, lane: usize, t_max: f32) -> Frame {
        let of = |vector: &S::Lanes| vector.as_slice()[lane];
        let triple = |vectors: &[S::Lanes; 3]| [of(&vectors[0]), of(&vectors[1]), of(&vectors[2])];
        let padded = |vectors: &[S::Lanes; 3]| [of(&vectors[0]), of(&vectors[1]), of(&vectors[2]), 0.0];
        Frame {
            origin: triple(&self.origin),
            axes: class.axes(),
            shear: triple(&self.shear),
            inverse: padded(&self.inverse),
            near: padded(&self.near),
            far: padded(&self.far),
            t_min: of(&self.t_min),
            t_max,
            octant: class.octant,
            sides: class.sides,
        }
    }

    /// The rays that meet a slot's box before their limits.
    #[inline(always)]
    pub(crate) fn meet(&self, simd: S, octant: u32, node: &WideNode, slot: usize, limits: S::Lanes) -> u64 {
        let (planes, _) = node.planes.as_chunks::<2>();
        let mut entry = self.t_min;
        let mut exit = limits;
        for (axis, planes) in planes.iter().enumerate() {
            let near_side = (octant >> axis & 1) as usize;
            let plane = |side: usize| planes[side][slot];
            let near = S::Lanes::splat(simd, plane(near_side));
            let far = S::Lanes::splat(simd, plane(near_side ^ 1));
            entry = entry.max(near.mul_add(self.inverse[axis], self.near[axis]));
            exit = exit.min(far.mul_add(self.inverse[axis], self.far[axis]));
        }
        entry.simd_le(exit).to_bitmask()
    }
}

/// The intervals of the rays of a packet, lane by lane.
struct Intervals<S: Kernel> {
    origin: [[S::Lanes; 2]; 3],
    /// The least and the largest magnitudes of 1 / d.
    inverse: [[S::Lanes; 2]; 3],
    /// The largest |o| + M, as in [`Frame`].
    extent: [S::Lanes; 3],
    /// The largest part of the margins that is the same on all axes.
    common: S::Lanes,
    t_min: S::Lanes,
}

impl<S: Kernel> Intervals<S> {
    #[inline(always)]
    fn none(simd: S) -> Self {
        let splat = |x: f32| S::Lanes::splat(simd, x);
        let none = [[splat(f32::INFINITY), splat(f32::NEG_INFINITY)]; 3];
        let (zero, t_min) = (splat(0.0), splat(f32::INFINITY));
        Self { origin: none, inverse: none, extent: [zero; 3], common: zero, t_min }
    }

    #[inline(always)]
    fn widen(&mut self, axis: usize, origin: S::Lanes, inverse: S::Lanes, extent: S::Lanes) {
        let [least, largest] = self.origin[axis];
        self.origin[axis] = [least.min(origin), largest.max(origin)];
        let [least, largest] = self.inverse[axis];
        self.inverse[axis] = [least.min(inverse), largest.max(inverse)];
        self.extent[axis] = self.extent[axis].max(extent);
    }
}

/// The slab test of all rays of a packet at once against the boxes of a node.
///
/// On an axis with positive directions, a ray meets the plane at p at t = (p - o) i, with i = 1 / d > 0. Over the
/// intervals of o and i, t is least for the largest o and, if p - o is positive, for the least i, otherwise for the
/// largest. For negative directions all signs are reversed. Three roundings, at most 3.5 u R i in total, are less than
/// the margin, which is that of [`Frame`] for the largest R and the largest i of all rays.
struct Frustum<S: Kernel> {
    slabs: [Slab<S>; 3],
    t_min: f32x16<S>,
}

impl<S: Kernel> Frustum<S> {
    #[inline(always)]
    fn around(simd: S, class: Class, intervals: &Intervals<S>) -> Self {
        let octant = class.octant;
        let common = intervals.common.reduce_max();
        let [x, y, z] = [
            Slab::of_axis(simd, octant & 1 != 0, 0, intervals, common),
            Slab::of_axis(simd, octant & 2 != 0, 1, intervals, common),
            Slab::of_axis(simd, octant & 4 != 0, 2, intervals, common),
        ];
        Self { slabs: [x, y, z], t_min: f32x16::splat(simd, intervals.t_min.reduce_min()) }
    }

    #[inline(always)]
    fn test(&self, simd: S, node: &WideNode, limit: f32) -> ([f32; NODE_WIDTH], u32) {
        let (planes, _) = node.planes.as_chunks::<2>();
        let [x, y, z] = &self.slabs;
        let (enter, leave) = (x.enter(simd, &planes[0]), x.leave(simd, &planes[0]));
        let (enter, leave) = (enter.max(y.enter(simd, &planes[1])), leave.min(y.leave(simd, &planes[1])));
        let (enter, leave) = (enter.max(z.enter(simd, &planes[2])), leave.min(z.leave(simd, &planes[2])));
        let (entry, exit) = (enter.max(self.t_min), leave.min(f32x16::splat(simd, limit)));
        (entry.to_array(), entry.simd_le(exit).to_bitmask() as u32)
    }
}

/// The frustum on one axis.
struct Slab<S: Kernel> {
    /// 1 if directions are positive, otherwise -1.
    sign: f32x16<S>,
    near_side: usize,
    /// The least and the largest o, times the sign.
    origin: [f32x16<S>; 2],
    inverse: [f32x16<S>; 2],
    margin: f32x16<S>,
}

impl<S: Kernel> Slab<S> {
    #[inline(always)]
    fn of_axis(simd: S, descends: bool, axis: usize, intervals: &Intervals<S>, common: f32) -> Self {
        let (least, largest) =
            (intervals.origin[axis][0].reduce_min(), intervals.origin[axis][1].reduce_max());
        let (least, largest) = if descends { (-largest, -least) } else { (least, largest) };
        let (flattest, steepest) =
            (intervals.inverse[axis][0].reduce_min(), intervals.inverse[axis][1].reduce_max());
        let margin = intervals.extent[axis].reduce_max() * steepest * (8.0 * UNIT_ROUNDOFF) + common;
        Self {
            sign: f32x16::splat(simd, if descends { -1.0 } else { 1.0 }),
            near_side: usize::from(descends),
            origin: [f32x16::splat(simd, least), f32x16::splat(simd, largest)],
            inverse: [f32x16::splat(simd, flattest), f32x16::splat(simd, steepest)],
            margin: f32x16::splat(simd, margin),
        }
    }

    /// Lower bounds of where rays enter.
    #[inline(always)]
    fn enter(&self, simd: S, planes: &[[f32; NODE_WIDTH]; 2]) -> f32x16<S> {
        let plane = f32x16::load_array_ref(simd, &planes[self.near_side & 1]);
        let ahead = plane * self.sign - self.origin[1];
        let [least, largest] = self.inverse;
        ahead * ahead.simd_ge(f32x16::splat(simd, 0.0)).select(least, largest) - self.margin
    }

    /// Upper bounds of where rays leave.
    #[inline(always)]
    fn leave(&self, simd: S, planes: &[[f32; NODE_WIDTH]; 2]) -> f32x16<S> {
        let plane = f32x16::load_array_ref(simd, &planes[self.near_side & 1 ^ 1]);
        let ahead = plane * self.sign - self.origin[0];
        let [least, largest] = self.inverse;
        ahead * ahead.simd_ge(f32x16::splat(simd, 0.0)).select(largest, least) + self.margin
    }
}
