//! The points of a fit, laid out for the loops that project all of them.

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
    #[inline]
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

    /// How wide the points are along each axis.
    #[inline]
    pub(super) fn extents(&self, frame: &Frame) -> Vector {
        frame.axes.map(|axis| {
            let [low, high] = self.range(axis);
            high - low
        })
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

    /// Adds the points as they are seen along the cross product of two directions.
    pub(super) fn project(&self, [i, j]: [Vector; 2], into: &mut Vec<[f64; 2]>) {
        let [x, y, z] = &self.coordinates;
        into.extend((0..self.count).map(|index| {
            let (x, y, z) = (x[index], y[index], z[index]);
            [x * i[0] + y * i[1] + z * i[2], x * j[0] + y * j[1] + z * j[2]]
        }));
    }

    fn lanes(&self) -> [&[[f64; LANES]]; 3] {
        self.coordinates.each_ref().map(|values| values.as_chunks::<LANES>().0)
    }
}
