//! Bounds along nine directions, from which four boxes can be read.

use crate::fit::Objective;
use crate::math::vector::Vector;

const DIRECTIONS: usize = 9;

/// Bounds of a set along the axes of a frame and the diagonals of its three planes, in both senses.
///
/// The diagonals of a plane and the axis across it are a frame, too. So one set of bounds measures four boxes, the
/// least of which is a fair estimate of the set's fitted one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The greatest values along the directions, then those along their opposites.
    maxima: [f64; 2 * DIRECTIONS],
}

impl Bounds {
    pub(super) const EMPTY: Self = Self { maxima: [f64::NEG_INFINITY; 2 * DIRECTIONS] };

    /// Bounds of a triangle whose corners are given in the frame.
    pub(super) fn around(corners: [Vector; 3]) -> Self {
        corners.into_iter().map(Self::at).fold(Self::EMPTY, Self::union)
    }

    fn at([x, y, z]: Vector) -> Self {
        let offsets = [x, y, z, x + y, x - y, y + z, y - z, z + x, z - x];
        Self {
            maxima: std::array::from_fn(
                |i| if i < DIRECTIONS { offsets[i] } else { -offsets[i - DIRECTIONS] },
            ),
        }
    }

    #[inline]
    pub(super) fn union(self, other: Self) -> Self {
        let mut maxima = self.maxima;
        for (a, b) in maxima.iter_mut().zip(other.maxima) {
            *a = if b > *a { b } else { *a };
        }
        Self { maxima }
    }

    /// The extents along the frame's axes.
    pub(super) fn extents(&self) -> Vector {
        [0, 1, 2].map(|direction| self.extent(direction))
    }

    /// The middles between the bounds along the frame's axes.
    pub(super) fn middles(&self) -> Vector {
        [0, 1, 2].map(|direction| 0.5 * (self.maxima[direction] - self.maxima[direction + DIRECTIONS]))
    }

    /// The collision measure of the least of the four boxes around a set that is not empty.
    pub(super) fn measure(&self) -> f64 {
        let diagonal = |direction| self.extent(direction) * std::f64::consts::FRAC_1_SQRT_2;
        let turned =
            |along: usize, across: usize| [diagonal(along), diagonal(along + 1), self.extent(across)];
        let boxes = [self.extents(), turned(3, 2), turned(5, 0), turned(7, 1)];
        boxes.into_iter().map(|extents| Objective::Collision.measure(extents)).fold(f64::INFINITY, f64::min)
    }

    fn extent(&self, direction: usize) -> f64 {
        self.maxima[direction] + self.maxima[direction + DIRECTIONS]
    }
}
