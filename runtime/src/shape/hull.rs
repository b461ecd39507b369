//! The convex hull of points, rounded.

use core::fmt;

use fearless_simd::{Select, SimdBase, f64x4};

use super::core_points::CorePoints;
use super::polytope::{Polytope, shape_of_polytope};
use super::{Displacement, Shape};
use crate::level::Level;
use crate::math::{larger, smaller};
use crate::simd::{Kernel, dispatch};

/// The closed convex hull of points, grown by a radius.
///
/// Points inside the hull are harmless, but each costs time: a query looks at all of them again and again. Up to 32 are looked
/// at several at once.
///
/// ```
/// use bvhc_runtime::ConvexHull;
///
/// let wedge = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let rounded = ConvexHull::new(&wedge, 0.05);
/// # let _ = rounded;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexHull<'a> {
    points: &'a [[f32; 3]],
    radius: f32,
    bounds: [[f64; 3]; 2],
    columns: Columns,
}

impl<'a> ConvexHull<'a> {
    /// All points at most `radius` from the convex hull of `points`. Empty if there is no point. Cost: a pass over them.
    pub fn new(points: &'a [[f32; 3]], radius: f32) -> Self {
        Self { points, radius, bounds: CorePoints::Listed(points).bounds(), columns: Columns::of(points) }
    }
}

impl Polytope for ConvexHull<'_> {
    #[inline]
    fn points(&self) -> CorePoints<'_> {
        CorePoints::Listed(self.points)
    }

    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        self.columns.support(direction).unwrap_or_else(|| self.points().support(direction))
    }

    fn extent(&self, direction: [f64; 3]) -> [f64; 2] {
        self.columns.extent(direction).unwrap_or_else(|| self.points().extent(direction))
    }

    fn corners(&self) -> &[[f32; 3]] {
        self.points
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        self.bounds
    }

    fn radius(&self) -> f64 {
        f64::from(self.radius)
    }
}

shape_of_polytope!(ConvexHull<'_>);

/// The most points that have columns.
const MOST: usize = 32;

/// As many are looked at together, on all levels.
const GROUP: usize = 4;

/// The coordinates of points along each axis, up to a whole number of groups, with the first point again at the end.
#[derive(Clone, Copy)]
struct Columns {
    axes: [[f64; MOST]; 3],
    count: usize,
    /// None if there is no point, too many, or no level.
    level: Option<Level>,
}

/// The level does not count.
impl PartialEq for Columns {
    fn eq(&self, other: &Self) -> bool {
        (self.count, self.axes) == (other.count, other.axes)
    }
}

/// They are those of the points again.
impl fmt::Debug for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Columns").finish_non_exhaustive()
    }
}

impl Columns {
    fn of(points: &[[f32; 3]]) -> Self {
        let mut columns = Self { axes: [[0.0; MOST]; 3], count: 0, level: None };
        if (1..=MOST).contains(&points.len()) {
            columns.level = Level::detect();
            columns.count = points.len().next_multiple_of(GROUP);
            for index in 0..columns.count {
                let point = points.get(index).unwrap_or(&points[0]);
                for (column, x) in columns.axes.iter_mut().zip(point) {
                    column[index] = f64::from(*x);
                }
            }
        }
        columns
    }

    /// As [`CorePoints::support`], if there are columns.
    fn support(&self, direction: [f64; 3]) -> Option<[f64; 3]> {
        let level = self.level?;
        let first = dispatch!(level.inner(), simd => self.farthest(simd, direction)) % MOST;
        Some([self.axes[0][first], self.axes[1][first], self.axes[2][first]])
    }

    /// As [`CorePoints::extent`], if there are columns.
    fn extent(&self, direction: [f64; 3]) -> Option<[f64; 2]> {
        let level = self.level?;
        Some(dispatch!(level.inner(), simd => self.ends(simd, direction)))
    }

    /// The first of the points that are farthest along a direction.
    #[inline(always)]
    fn farthest<S: Kernel>(&self, simd: S, direction: [f64; 3]) -> usize {
        let mut most = f64x4::splat(simd, f64::NEG_INFINITY);
        let (mut at, mut first) = (f64x4::splat(simd, 0.0), f64x4::splat(simd, 0.0));
        self.each_group(
            simd,
            direction,
            #[inline(always)]
            |along| {
                at = along.simd_gt(most).select(first, at);
                most = most.max(along);
                first += GROUP as f64;
            },
        );
        let (most, at) = (most.as_slice(), at.as_slice());
        let (mut farthest, mut best) = (most[0], at[0]);
        for lane in 1..GROUP {
            let index = at[lane] + lane as f64;
            let is_first = most[lane] > farthest || most[lane] == farthest && index < best;
            (farthest, best) = if is_first { (most[lane], index) } else { (farthest, best) };
        }
        best as usize
    }

    #[inline(always)]
    fn ends<S: Kernel>(&self, simd: S, direction: [f64; 3]) -> [f64; 2] {
        let mut least = f64x4::splat(simd, f64::INFINITY);
        let mut most = f64x4::splat(simd, f64::NEG_INFINITY);
        self.each_group(
            simd,
            direction,
            #[inline(always)]
            |along| (least, most) = (least.min(along), most.max(along)),
        );
        let fold = |ends: &[f64], nearer: fn(f64, f64) -> f64| {
            nearer(nearer(ends[0], ends[1]), nearer(ends[2], ends[3]))
        };
        [fold(least.as_slice(), smaller), fold(most.as_slice(), larger)]
    }

    /// Calls `look` with the coordinates of each group along a direction.
    #[inline(always)]
    fn each_group<S: Kernel>(&self, simd: S, [x, y, z]: [f64; 3], mut look: impl FnMut(f64x4<S>)) {
        let [a, b, c] = &self.axes;
        let (a, b, c) = (a.as_chunks::<GROUP>().0, b.as_chunks::<GROUP>().0, c.as_chunks::<GROUP>().0);
        let groups = a.iter().zip(b).zip(c).take(self.count / GROUP);
        for ((a, b), c) in groups {
            let [a, b, c] = [a, b, c].map(|numbers| f64x4::from_slice(simd, numbers));
            look(a * x + b * y + c * z);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;

    #[test]
    fn columns_have_the_same_ends() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Few values, so that many points are as far as others.
            f64::from(state >> 30) - 1.0
        };
        for count in 1..=MOST + 2 {
            for _ in 0..50 {
                let points: Vec<[f32; 3]> = (0..count).map(|_| [0; 3].map(|_| next() as f32)).collect();
                let (hull, listed) = (ConvexHull::new(&points, 0.0), CorePoints::Listed(&points));
                let direction = [next(), next(), next()];
                assert_eq!(Polytope::support(&hull, direction), listed.support(direction), "{points:?}");
                assert_eq!(Polytope::extent(&hull, direction), listed.extent(direction), "{points:?}");
                for level in Level::available().filter(|_| hull.columns.count > 0) {
                    let first = dispatch!(level.inner(), simd => hull.columns.farthest(simd, direction));
                    assert_eq!(points[first].map(f64::from), listed.support(direction), "{points:?}");
                    let ends = dispatch!(level.inner(), simd => hull.columns.ends(simd, direction));
                    assert_eq!(ends, listed.extent(direction), "{points:?}");
                }
            }
        }
        assert_eq!(Polytope::support(&ConvexHull::new(&[], 0.0), [1.0; 3]), [0.0; 3]);
    }
}
