//! The box at a pose.

use super::core_points::CorePoints;
use super::polytope::{Polytope, shape_of_polytope};
use super::{Corners, Displacement, Shape};
use crate::bounds::Aabb;
use crate::math::vector::{Map3, cross};
use crate::pose::{Pose, PoseError};
use crate::triangle::touch_box;

/// A closed solid box, axis-aligned or rotated.
///
/// ```
/// use bvhc_runtime::Cuboid;
///
/// // A door of 1 by 2 by 0.1 units, turned by a quarter around y: a point x of the door is at centre + R x.
/// let turned = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]];
/// let door = Cuboid::new([5.0, 1.0, 0.0], [0.5, 1.0, 0.05]).rotated(turned)?;
/// # let _ = door;
/// # Ok::<(), bvhc_runtime::PoseError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    centre: [f32; 3],
    half_extents: [f32; 3],
    /// Half the box along each of its axes: exact products of two f32.
    axes: [[f64; 3]; 3],
}

impl Cuboid {
    /// The axis-aligned box around `centre`, `2 * half_extents` in size. Empty if a half extent is negative or NaN.
    pub fn new(centre: impl Into<[f32; 3]>, half_extents: impl Into<[f32; 3]>) -> Self {
        let half_extents: [f32; 3] = half_extents.into();
        let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Self { centre: centre.into(), half_extents, axes: axes(&identity, half_extents) }
    }

    /// The same box, rotated about its centre by a matrix of these rows, instead of an earlier rotation.
    ///
    /// The box is the one that these numbers give: `centre + R x` for all x within the half extents, computed exactly.
    ///
    /// # Errors
    /// [`PoseError`] if the matrix is farther than 1e-4 from a rotation.
    pub fn rotated(self, rows: [[f32; 3]; 3]) -> Result<Self, PoseError> {
        Pose::from_rows(rows, [0.0f32; 3])?;
        Ok(Self { axes: axes(&rows, self.half_extents), ..self })
    }
}

impl From<Aabb> for Cuboid {
    /// The box with these bounds; its centre and half extents are rounded.
    fn from(aabb: Aabb) -> Self {
        let middle = |axis: usize| 0.5 * aabb.min[axis] + 0.5 * aabb.max[axis];
        let half = |axis: usize| 0.5 * aabb.max[axis] - 0.5 * aabb.min[axis];
        Self::new([0, 1, 2].map3(middle), [0, 1, 2].map3(half))
    }
}

/// The columns of a matrix, times the half extents.
fn axes(rows: &[[f32; 3]; 3], half_extents: [f32; 3]) -> [[f64; 3]; 3] {
    [0, 1, 2].map3(|axis| {
        // A negative extent makes a box empty, by bounds that are NaN.
        let half = if half_extents[axis] >= 0.0 { f64::from(half_extents[axis]) } else { f64::NAN };
        [0, 1, 2].map3(|row| f64::from(rows[row][axis]) * half)
    })
}

impl Polytope for Cuboid {
    #[inline]
    fn points(&self) -> CorePoints<'_> {
        CorePoints::Parallelepiped { centre: self.centre, axes: &self.axes }
    }

    fn radius(&self) -> f64 {
        0.0
    }

    fn axes(&self) -> [[f64; 3]; 3] {
        self.axes
    }

    fn fills_axes(&self) -> bool {
        true
    }

    fn normal(&self, index: usize) -> Option<[f64; 3]> {
        let axis = |k: usize| self.axes[k % 3];
        (index < 3).then(|| cross(axis(index + 1), axis(index + 2)))
    }

    fn edge(&self, index: usize) -> Option<[f64; 3]> {
        self.axes.get(index).copied()
    }

    fn decided(&self, triangle: &Corners, displacement: &Displacement) -> Option<bool> {
        let [lower, upper] = self.exact_bounds(displacement)?;
        Some(touch_box::touches_exactly(triangle, &lower, &upper))
    }
}

impl Cuboid {
    /// The bounds of the displaced box, if it is axis-aligned and f64 holds them exactly.
    fn exact_bounds(&self, displacement: &Displacement) -> Option<[[f64; 3]; 2]> {
        let mut bounds = [[0.0; 3]; 2];
        for axis in 0..3 {
            let half = self.axes[axis];
            if half[(axis + 1) % 3] != 0.0 || half[(axis + 2) % 3] != 0.0 {
                return None;
            }
            let centre = exact_sum(f64::from(self.centre[axis]), displacement.exact_in_f64(axis)?)?;
            bounds[0][axis] = exact_sum(centre, -half[axis])?;
            bounds[1][axis] = exact_sum(centre, half[axis])?;
        }
        Some(bounds)
    }
}

/// The sum, if it is not rounded and within what [`touch_box`] takes. Based on: Knuth, The Art of Computer Programming,
/// volume 2, 1997, section 4.2.2, theorem B.
fn exact_sum(a: f64, b: f64) -> Option<f64> {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    (error == 0.0 && (sum == 0.0 || sum.abs() > touch_box::SMALLEST)).then_some(sum)
}

shape_of_polytope!(Cuboid);
