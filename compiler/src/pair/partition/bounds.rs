//! Bounds along nine directions, from which four boxes can be read.

use crate::fit::Objective;
use crate::math::vector::Vector;

const DIRECTIONS: usize = 9;

/// Filled up so that compilers make vectors of it.
const LANES: usize = DIRECTIONS.next_multiple_of(4);

/// Bounds of a set along the axes of a frame and the diagonals of its three planes, in both senses, rounded to f32: they only
/// estimate what a split costs.
///
/// The diagonals of a plane and the axis across it are a frame, too. So one set of bounds measures four boxes, the
/// least of which is a fair estimate of the set's fitted one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The greatest values along the directions.
    maxima: [f32; LANES],
    /// Those along their opposites.
    opposite: [f32; LANES],
}

impl Bounds {
    pub(super) const EMPTY: Self =
        Self { maxima: [f32::NEG_INFINITY; LANES], opposite: [f32::NEG_INFINITY; LANES] };

    /// Bounds of a triangle whose corners are given in the frame.
    pub(super) fn around(corners: [Vector; 3]) -> Self {
        corners.into_iter().map(Self::at).fold(Self::EMPTY, |union, corner| union.union(&corner))
    }

    fn at([x, y, z]: Vector) -> Self {
        let maxima = [x, y, z, x + y, x - y, y + z, y - z, z + x, z - x, 0.0, 0.0, 0.0].map(|x| x as f32);
        Self { maxima, opposite: maxima.map(|x| -x) }
    }

    #[inline]
    pub(super) fn union(mut self, other: &Self) -> Self {
        let larger = |a: f32, b: f32| if b > a { b } else { a };
        for lane in 0..LANES {
            self.maxima[lane] = larger(self.maxima[lane], other.maxima[lane]);
            self.opposite[lane] = larger(self.opposite[lane], other.opposite[lane]);
        }
        self
    }

    /// The extents along the frame's axes.
    pub(super) fn extents(&self) -> Vector {
        [0, 1, 2].map(|direction| self.extent(direction))
    }

    /// The middles between the bounds along the frame's axes.
    pub(super) fn middles(&self) -> Vector {
        [0, 1, 2]
            .map(|direction| 0.5 * (f64::from(self.maxima[direction]) - f64::from(self.opposite[direction])))
    }

    /// The collision measure of the least of the four boxes around a set that is not empty.
    #[inline]
    pub(super) fn measure(&self) -> f64 {
        let diagonal = |direction| self.extent(direction) * std::f64::consts::FRAC_1_SQRT_2;
        let turned =
            |along: usize, across: usize| [diagonal(along), diagonal(along + 1), self.extent(across)];
        let boxes = [self.extents(), turned(3, 2), turned(5, 0), turned(7, 1)];
        let measures = boxes.map(|extents| Objective::Collision.measure(extents));
        let smaller = |a: f64, b: f64| if b < a { b } else { a };
        smaller(smaller(measures[0], measures[1]), smaller(measures[2], measures[3]))
    }

    #[inline]
    fn extent(&self, direction: usize) -> f64 {
        f64::from(self.maxima[direction]) + f64::from(self.opposite[direction])
    }
}
