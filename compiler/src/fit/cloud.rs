//! The points of a fit, laid out for the loops that project all of them.

use fearless_simd::{Select, Simd, SimdBase, SimdFrom, f64x4};

use super::frame::Frame;
use crate::math::vector::{Vector, subtract};

/// How many points a loop takes at once; compilers make vectors of it.
const LANES: usize = 4;

/// Points, one array a coordinate, each filled up to a multiple of [`LANES`] with the last point.
///
/// They are stored relative to their first, so that a large distance from the origin costs no precision.
#[derive(Debug, Default)]
pub(super) struct Cloud {
    coordinates: [Vec<f64>; 3],
    count: usize,
}

impl Cloud {
    /// Makes this the cloud of at least one point.
    pub(super) fn fill(&mut self, points: impl ExactSizeIterator<Item = Vector> + Clone) {
        self.count = points.len();
        let origin = points.clone().next().unwrap_or_default();
        for (axis, values) in self.coordinates.iter_mut().enumerate() {
            values.clear();
            values.extend(points.clone().map(|point| point[axis] - origin[axis]));
            let last = values.last().copied().unwrap_or_default();
            values.resize(self.count.next_multiple_of(LANES), last);
        }
    }

    /// A point, relative to the first.
    #[inline]
    pub(super) fn point(&self, index: usize) -> Vector {
        [0, 1, 2].map(|axis| self.coordinates[axis][index])
    }

    pub(super) fn points(&self) -> impl ExactSizeIterator<Item = Vector> + Clone {
        (0..self.count).map(|index| self.point(index))
    }

    /// The least and greatest coordinate along a direction.
    #[inline(always)]
    pub(super) fn range(&self, direction: Vector) -> [f64; 2] {
        let [x, y, z] = self.lanes();
        let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            for lane in 0..LANES {
                let along = x[lane] * direction[0] + y[lane] * direction[1] + z[lane] * direction[2];
                low[lane] = if along < low[lane] { along } else { low[lane] };
                high[lane] = if along > high[lane] { along } else { high[lane] };
            }
        }
        [low.into_iter().fold(f64::INFINITY, f64::min), high.into_iter().fold(f64::NEG_INFINITY, f64::max)]
    }

    /// The first of the points that are least along a direction, and of those that are greatest.
    #[inline(always)]
    pub(super) fn ends<S: Simd>(&self, simd: S, direction: Vector) -> [usize; 2] {
        let [x, y, z] = self.lanes();
        let axis = direction.map(|x| f64x4::splat(simd, x));
        let (one, mut number) = (f64x4::splat(simd, 1.0), f64x4::splat(simd, 0.0));
        let (mut low, mut low_at) = (f64x4::splat(simd, f64::INFINITY), number);
        let (mut high, mut high_at) = (f64x4::splat(simd, f64::NEG_INFINITY), number);
        for ((x, y), z) in x.iter().zip(y).zip(z) {
            let [x, y, z] = [x, y, z].map(|x| f64x4::simd_from(simd, *x));
            let along = x * axis[0] + y * axis[1] + z * axis[2];
            let (is_lower, is_higher) = (along.simd_lt(low), along.simd_gt(high));
            low = is_lower.select(along, low);
            low_at = is_lower.select(number, low_at);
            high = is_higher.select(along, high);
            high_at = is_higher.select(number, high_at);
            number += one;
        }
        [first_least(low.into(), low_at.into()), first_least((-high).into(), high_at.into())]
    }

    /// How wide the points are along each axis.
    #[inline(always)]
    pub(super) fn extents(&self, frame: &Frame) -> Vector {
        let mut extents = [0.0; 3];
        for (extent, axis) in extents.iter_mut().zip(frame.axes) {
            let [low, high] = self.range(axis);
            *extent = high - low;
        }
        extents
    }

    /// The offset from a point that is least along a direction to one that is greatest.
    pub(super) fn support(&self, direction: Vector) -> Vector {
        let (mut low, mut high) = ((f64::INFINITY, 0), (f64::NEG_INFINITY, 0));
        for index in 0..self.count {
            let along = crate::math::vector::dot(self.point(index), direction);
            low = if along < low.0 { (along, index) } else { low };
            high = if along > high.0 { (along, index) } else { high };
        }
        subtract(self.point(high.1), self.point(low.1))
    }

    /// Lists the points as they are seen along the cross product of two directions.
    #[inline(always)]
    pub(super) fn project(&self, [i, j]: [Vector; 2], into: &mut Vec<[f64; 2]>) {
        let [x, y, z] = &self.coordinates;
        into.resize(self.count, [0.0; 2]);
        for (projected, ((x, y), z)) in into.iter_mut().zip(x.iter().zip(y).zip(z)) {
            *projected = [x * i[0] + y * i[1] + z * i[2], x * j[0] + y * j[1] + z * j[2]];
        }
    }

    #[inline(always)]
    fn lanes(&self) -> [&[[f64; LANES]]; 3] {
        self.coordinates.each_ref().map(|values| values.as_chunks::<LANES>().0)
    }
}

/// The first index of the least of some numbers, given the number of the group in which each lane's was found.
#[inline(always)]
fn first_least(numbers: [f64; LANES], groups: [f64; LANES]) -> usize {
    let at = |lane: usize| groups[lane] as usize * LANES + lane;
    (1..LANES)
        .map(|lane| (numbers[lane], at(lane)))
        .fold((numbers[0], at(0)), |a, b| if b < a { b } else { a })
        .1
}
