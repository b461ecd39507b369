//! The boxes that fits return.

use super::frame::{Columns, Frame, LANES, greater, lesser};
use crate::math::vector::subtract;
use crate::simd::dispatch;

/// A box around its centre, along the axes of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obb {
    /// The directions of the axes.
    pub frame: Frame,
    /// The centre, in the points' space.
    pub centre: [f64; 3],
    /// Half the extent along each axis.
    pub half_extents: [f64; 3],
}

impl Obb {
    /// The tightest box along the axes of `frame` around at least one point.
    ///
    /// Holds every point exactly: for each point p and axis a, `|a . (p - centre)| <= half_extent` is true of the
    /// stored numbers in exact arithmetic, whether or not the axes are unit vectors and perpendicular to the last
    /// bit. So a frame that has been rounded to fewer bits is as safe as any. A box that holds all points of a
    /// set holds their convex hull, and the triangles between them.
    pub fn around(frame: &Frame, points: impl Iterator<Item = [f64; 3]> + Clone) -> Self {
        // The same operations, and so the same bits, on every level.
        dispatch!(_ => Self::around_on_level(frame, points))
    }

    #[inline(always)]
    fn around_on_level(frame: &Frame, points: impl Iterator<Item = [f64; 3]> + Clone) -> Self {
        let columns = Columns::of(frame);
        let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
        for point in points.clone() {
            let along = columns.along(point);
            (low, high) = (lesser(low, along), greater(high, along));
        }
        let centre = frame.point([0, 1, 2].map(|axis| 0.5 * low[axis] + 0.5 * high[axis]));
        let half_extents = frame.half_extents(points.map(|point| subtract(point, centre)));
        Self { frame: *frame, centre, half_extents }
    }

    /// The same box with its axes in the order of their extents, longest first, ties by index.
    pub(crate) fn sorted(&self) -> Self {
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| self.half_extents[b].total_cmp(&self.half_extents[a]));
        let mut axes = order.map(|axis| self.frame.axes[axis]);
        // Where two of the three axes are exchanged, one is reversed, so that the frame stays right-handed.
        if (order[0] + 1) % 3 != order[1] {
            axes[2] = axes[2].map(|x| -x);
        }
        let half_extents = order.map(|axis| self.half_extents[axis]);
        Self { frame: Frame { axes }, centre: self.centre, half_extents }
    }

    /// The extents along the axes.
    pub fn extents(&self) -> [f64; 3] {
        self.half_extents.map(|half| 2.0 * half)
    }

    /// The volume.
    pub fn volume(&self) -> f64 {
        self.extents().iter().product()
    }

    /// The surface.
    pub fn surface(&self) -> f64 {
        let [x, y, z] = self.extents();
        2.0 * (x * y + y * z + z * x)
    }
}
