//! The farthest corners of a tree's triangles along some axes, found without a look at most of them.
//!
//! Triangles are grouped by number in the order of the leaves, where neighbours are near each other. A group whose box is within
//! what has been found is left out: of a large set, most are.

use std::ops::Range;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use crate::fit::{Columns, Frame, LANES, greater, lesser};
use crate::math::vector::{Vector, add, dot, subtract};
use crate::mesh::Mesh;
use crate::simd::dispatch;
use crate::tree::aabb::Aabb;

/// Triangles of a group.
const GROUP: usize = 32;

/// How far a computed place along an axis may be off, relative to the coordinates: far above what the few operations that find it
/// round, so that what is left out could not have been found.
const SLACK: f64 = 1.0 / (1u64 << 40) as f64;

/// The triangles of a tree and boxes around groups of them.
pub(super) struct Groups<'a> {
    mesh: &'a Mesh,
    /// The triangles, in the order of the leaves.
    order: &'a [u32],
    regions: Vec<Region>,
}

impl<'a> Groups<'a> {
    pub(super) fn new(mesh: &'a Mesh, order: &'a [u32]) -> Self {
        let region = |group: &[u32]| {
            Region::of(&Aabb::around(group.iter().flat_map(|triangle| mesh.corners(*triangle))))
        };
        Self { mesh, order, regions: order.par_chunks(GROUP).map(region).collect() }
    }

    /// Shows the corners of a range of triangles that may be extremes.
    pub(super) fn show(&self, range: &Range<u32>, extremes: &mut impl Extremes) {
        // The same operations, and so the same bits, on every level.
        dispatch!(_ => self.show_on_level(range, extremes));
    }

    #[inline(always)]
    fn show_on_level(&self, range: &Range<u32>, extremes: &mut impl Extremes) {
        let [start, end] = [range.start, range.end].map(|at| at as usize);
        let whole = start.div_ceil(GROUP)..end / GROUP;
        if whole.len() < 2 {
            return self.show_all(start..end, extremes);
        }
        self.show_all(start..whole.start * GROUP, extremes);
        self.show_all(whole.end * GROUP..end, extremes);
        // One of each group first: little is left to be found then.
        for group in whole.clone() {
            extremes.add(self.mesh.corners(self.order[group * GROUP])[0].map(f64::from));
        }
        for group in whole {
            if !extremes.hold(&self.regions[group]) {
                self.show_all(group * GROUP..(group + 1) * GROUP, extremes);
            }
        }
    }

    #[inline(always)]
    fn show_all(&self, range: Range<usize>, extremes: &mut impl Extremes) {
        for triangle in &self.order[range] {
            for corner in self.mesh.corners(*triangle) {
                extremes.add(corner.map(f64::from));
            }
        }
    }
}

/// What is found of the points seen so far.
pub(super) trait Extremes {
    /// Takes a point.
    fn add(&mut self, point: Vector);

    /// Whether no point of a box can change anything.
    fn hold(&self, bounds: &Region) -> bool;
}

/// A box in space.
pub(super) struct Region {
    centre: Vector,
    half_extents: Vector,
}

impl Region {
    fn of(bounds: &Aabb) -> Self {
        let [lower, upper] = [bounds.lower, bounds.upper].map(|corner| corner.map(f64::from));
        Self {
            centre: [0, 1, 2].map(|axis| 0.5 * (lower[axis] + upper[axis])),
            half_extents: [0, 1, 2].map(|axis| 0.5 * (upper[axis] - lower[axis])),
        }
    }

    /// The middle along an axis of about unit length, relative to an origin, and how far from it computed places of
    /// points may be.
    #[inline(always)]
    fn along(&self, axis: Vector, origin: Vector) -> [f64; 2] {
        let offset = subtract(self.centre, origin);
        let reach = dot(axis.map(f64::abs), self.half_extents);
        let size = [offset, self.half_extents, self.centre, origin];
        let size = size.as_flattened().iter().map(|x| x.abs()).sum::<f64>();
        [dot(axis, offset), reach + size * SLACK + f64::MIN_POSITIVE * 4.0]
    }
}

/// Bounds along the axes of a frame.
pub(super) struct Slabs<'a> {
    frame: &'a Frame,
    columns: Columns,
    low: [f64; LANES],
    high: [f64; LANES],
}

impl<'a> Slabs<'a> {
    pub(super) fn new(frame: &'a Frame) -> Self {
        let (low, high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        Self { frame, columns: Columns::of(frame), low, high }
    }

    /// The middles between the bounds.
    pub(super) fn middles(&self) -> Vector {
        [0, 1, 2].map(|axis| 0.5 * self.low[axis] + 0.5 * self.high[axis])
    }
}

impl Extremes for Slabs<'_> {
    #[inline(always)]
    fn add(&mut self, point: Vector) {
        let along = self.columns.along(point);
        (self.low, self.high) = (lesser(self.low, along), greater(self.high, along));
    }

    #[inline(always)]
    fn hold(&self, region: &Region) -> bool {
        self.frame.axes.iter().zip(self.low.iter().zip(&self.high)).all(|(axis, (low, high))| {
            let [middle, reach] = region.along(*axis, [0.0; 3]);
            middle - reach >= *low && middle + reach <= *high
        })
    }
}

/// Half the extents of a box around a centre, which is given relative to an origin.
pub(super) struct HalfExtents<'a> {
    frame: &'a Frame,
    columns: Columns,
    origin: Vector,
    centre: Vector,
    half_extents: [f64; LANES],
}

impl<'a> HalfExtents<'a> {
    pub(super) fn new(frame: &'a Frame, origin: Vector, centre: Vector) -> Self {
        Self { frame, columns: Columns::of(frame), origin, centre, half_extents: [0.0; LANES] }
    }

    /// What has been found.
    pub(super) const fn get(&self) -> Vector {
        let [x, y, z, _] = self.half_extents;
        [x, y, z]
    }
}

impl Extremes for HalfExtents<'_> {
    #[inline(always)]
    fn add(&mut self, point: Vector) {
        let distances = self.columns.distances(subtract(subtract(point, self.origin), self.centre));
        self.half_extents = greater(self.half_extents, distances);
    }

    #[inline(always)]
    fn hold(&self, region: &Region) -> bool {
        let centre = add(self.origin, self.centre);
        self.half_extents.iter().zip(&self.frame.axes).all(|(half, axis)| {
            let [middle, reach] = region.along(*axis, centre);
            middle.abs() + reach <= *half
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::principal_axes;
    use crate::fit::tests::sets;

    #[test]
    fn what_is_left_out_changes_nothing() {
        for set in sets(1000) {
            let last = set.points.len() as u32 - 1;
            let triangles = (0..=last).map(|first| [first, (first + 1).min(last), (first + 2).min(last)]);
            let mesh =
                Mesh { positions: set.points.clone(), triangles: triangles.collect(), ..Mesh::default() };
            let order: Vec<u32> = (0..=last).collect();
            let (groups, range) = (Groups::new(&mesh, &order), 0..last + 1);
            let points = || set.points.iter().map(|point| point.map(f64::from));
            for frame in [Frame::IDENTITY, principal_axes(points())] {
                let (mut found, mut expected) = (Slabs::new(&frame), Slabs::new(&frame));
                groups.show(&range, &mut found);
                points().for_each(|point| expected.add(point));
                assert_eq!(found.middles(), expected.middles(), "{}", set.name);
                let new = || HalfExtents::new(&frame, [0.0; 3], frame.point(expected.middles()));
                let (mut found, mut expected) = (new(), new());
                groups.show(&range, &mut found);
                points().for_each(|point| expected.add(point));
                assert_eq!(found.get(), expected.get(), "{}", set.name);
            }
        }
    }
}
