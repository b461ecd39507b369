//! The cores of polytopes: the points whose convex hull they are.

use crate::math::vector::{Map3, add, dot, sub};
use crate::math::{larger, smaller};

/// A core that is the convex hull of points.
#[derive(Clone, Copy)]
pub(super) enum CorePoints<'a> {
    /// At least one point.
    Listed(&'a [[f32; 3]]),
    /// The eight points `centre ± axes[0] ± axes[1] ± axes[2]`.
    Parallelepiped { centre: [f32; 3], axes: &'a [[f64; 3]; 3] },
}

impl CorePoints<'_> {
    /// How many points there are.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Listed(points) => points.len(),
            Self::Parallelepiped { .. } => 8,
        }
    }

    /// A point by its index: bits 0 to 2 say which axes of a box are added. Rounded.
    pub(super) fn rounded(&self, index: usize) -> [f64; 3] {
        match self {
            Self::Listed(points) => points[index].map3(f64::from),
            Self::Parallelepiped { centre, axes } => {
                let mut point = centre.map3(f64::from);
                for (bit, axis) in axes.iter().enumerate() {
                    point = if index >> bit & 1 == 0 { sub(point, *axis) } else { add(point, *axis) };
                }
                point
            }
        }
    }

    /// The point that is farthest along a direction.
    pub(super) fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        match self {
            Self::Listed(points) => {
                let (mut most, mut best) = (f64::NEG_INFINITY, &[0.0; 3]);
                for point in *points {
                    let along = dot(double(point), direction);
                    if along > most {
                        (most, best) = (along, point);
                    }
                }
                double(best)
            }
            Self::Parallelepiped { centre, axes } => {
                axes.iter().fold(centre.map3(f64::from), |point, axis| {
                    if dot(*axis, direction) < 0.0 { sub(point, *axis) } else { add(point, *axis) }
                })
            }
        }
    }

    /// The least and the greatest coordinate along a direction.
    pub(super) fn extent(&self, direction: [f64; 3]) -> [f64; 2] {
        match self {
            Self::Listed(points) => {
                let mut ends = [f64::INFINITY, f64::NEG_INFINITY];
                for point in *points {
                    let along = dot(double(point), direction);
                    ends = [smaller(ends[0], along), larger(ends[1], along)];
                }
                ends
            }
            Self::Parallelepiped { centre, axes: [a, b, c] } => {
                let middle = dot(centre.map(f64::from), direction);
                let half = dot(*a, direction).abs() + dot(*b, direction).abs() + dot(*c, direction).abs();
                [middle - half, middle + half]
            }
        }
    }

    /// Bounds of the coordinates, which rounding makes no narrower.
    pub(super) fn bounds(&self) -> [[f64; 3]; 2] {
        match self {
            Self::Listed(points) => {
                let (mut lower, mut upper, mut is_number) =
                    ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3], true);
                for point in *points {
                    for axis in 0..3 {
                        let x = point[axis];
                        lower[axis] = smaller(x, lower[axis]);
                        upper[axis] = larger(x, upper[axis]);
                        is_number &= !x.is_nan();
                    }
                }
                if is_number { [double(&lower), double(&upper)] } else { [[f64::NAN; 3]; 2] }
            }
            Self::Parallelepiped { centre, axes } => {
                let half = [0, 1, 2].map3(|k| axes[0][k].abs() + axes[1][k].abs() + axes[2][k].abs());
                let at = |axis: usize| f64::from(centre[axis]);
                let slack = |axis: usize| (at(axis).abs() + half[axis]) * (4.0 * f64::EPSILON);
                let side = |sign: f64| [0, 1, 2].map3(|k| at(k) + sign * (half[k] + slack(k)));
                [side(-1.0), side(1.0)]
            }
        }
    }
}

#[inline(always)]
fn double([x, y, z]: &[f32; 3]) -> [f64; 3] {
    [f64::from(*x), f64::from(*y), f64::from(*z)]
}
