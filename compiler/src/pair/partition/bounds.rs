//! Bounds along nine directions, from which four boxes can be read.

use crate::fit::Objective;
use crate::math::vector::Vector;

/// Nine directions in both senses are 18, filled up so that compilers make vectors of them.
const LANES: usize = 24;

/// Where the opposites of the directions begin.
const OPPOSITE: usize = 9;

/// Bounds of a set along the axes of a frame and the diagonals of its three planes, in both senses, rounded to f32: they only
/// estimate what a split costs.
///
/// The diagonals of a plane and the axis across it are a frame, too. So one set of bounds measures four boxes, the
/// least of which is a fair estimate of the set's fitted one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The greatest values along the directions, then along their opposites.
    maxima: [f32; LANES],
}

impl Bounds {
    pub(super) const EMPTY: Self = Self { maxima: [f32::NEG_INFINITY; LANES] };

    /// Bounds of a triangle whose corners are given in the frame.
    #[inline(always)]
    pub(super) fn around(corners: [Vector; 3]) -> Self {
        let [a, b, c] = corners.map(Self::at);
        a.union(&b).union(&c)
    }

    #[inline(always)]
    fn at([x, y, z]: Vector) -> Self {
        let along = [x, y, z, x + y, x - y, y + z, y - z, z + x, z - x].map(|x| x as f32);
        let mut maxima = [0.0; LANES];
        for (direction, along) in along.into_iter().enumerate() {
            maxima[direction] = along;
            maxima[OPPOSITE + direction] = -along;
        }
        Self { maxima }
    }

    #[inline(always)]
    pub(super) fn union(mut self, other: &Self) -> Self {
        for lane in 0..LANES {
            let (a, b) = (self.maxima[lane], other.maxima[lane]);
            self.maxima[lane] = if b > a { b } else { a };
        }
        self
    }

    /// The extents along the frame's axes.
    pub(super) fn extents(&self) -> Vector {
        [0, 1, 2].map(|direction| self.extent(direction))
    }

    /// The middles between the bounds along the frame's axes.
    pub(super) fn middles(&self) -> Vector {
        [0, 1, 2].map(|direction| {
            let [high, low] = [direction, OPPOSITE + direction].map(|lane| f64::from(self.maxima[lane]));
            0.5 * (high - low)
        })
    }

    /// The collision measure of the least of the four boxes around a set that is not empty.
    #[inline(always)]
    pub(super) fn measure(&self) -> f64 {
        let mut extents = [0.0; OPPOSITE];
        for (direction, extent) in extents.iter_mut().enumerate() {
            *extent = self.extent(direction);
        }
        let [a, b, c, diagonals @ ..] = extents;
        let [d, e, f, g, h, i] = diagonals;
        // A box each; compilers make vectors of them.
        let mut boxes = [[a, d, f, h], [b, e, g, i], [c, c, a, b]];
        for side in &mut boxes[..2] {
            for turned in &mut side[1..] {
                *turned *= std::f64::consts::FRAC_1_SQRT_2;
            }
        }
        let [x, y, z] = boxes;
        let mut measures = [0.0; 4];
        for (lane, measure) in measures.iter_mut().enumerate() {
            *measure = Objective::Collision.measure([x[lane], y[lane], z[lane]]);
        }
        let smaller = |a: f64, b: f64| if b < a { b } else { a };
        smaller(smaller(measures[0], measures[1]), smaller(measures[2], measures[3]))
    }

    #[inline(always)]
    fn extent(&self, direction: usize) -> f64 {
        f64::from(self.maxima[direction]) + f64::from(self.maxima[OPPOSITE + direction])
    }
}
