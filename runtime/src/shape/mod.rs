//! Convex shapes that are asked against a model: which triangles they touch, and where they touch first when they move.
//!
//! A shape is a *core* grown by a radius. [`gjk`] finds the distance from a core to a triangle in f64, and [`exact`]
//! decides in integers what f64 leaves open. [`first_touch`] moves a shape up to a triangle. All of them know shapes by
//! the trait [`Shape`] only.

mod at_once;
mod ball;
mod box_contact;
mod capsule;
mod core_points;
mod cuboid;
mod cylinder;
mod cylinder_distance;
mod depth;
pub(crate) mod directions;
mod displacement;
mod during;
mod exact;
pub(crate) mod filter;
pub(crate) mod first_touch;
pub(crate) mod gjk;
mod hull;
mod moving_ball;
pub(crate) mod moving_capsule;
pub(crate) mod near;
mod polytope;
mod portal;
pub(crate) mod separating_axes;
mod simplex;
#[cfg(test)]
mod tests;
mod triangle;

pub use ball::Ball;
pub use capsule::Capsule;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use displacement::Displacement;
pub use first_touch::Feature;
pub use hull::ConvexHull;
pub use triangle::TriangleShape;

use bvhc_format::MAX_COORDINATE;

use crate::math::vector::{Map3, add, dot, scale};
use crate::math::{larger, smaller};
use gjk::Separation;

/// A triangle's corners.
pub(crate) type Corners = [[f64; 3]; 3];

/// A closed convex set: a core, and everything within a radius of it. In the model's units and space.
///
/// Implement it for a shape of your own: bounds, radius and support are needed, [`touches`](Self::touches) has a default
/// that decides in f64. Shapes of this crate decide exactly. A shape is *empty*, and touches nothing, if a bound or the
/// radius is NaN, if a minimum is greater than its maximum, if the radius is negative, or if anything is beyond 2^60.
pub trait Shape {
    /// The smallest and the largest coordinates of the core; they may be a few roundings too wide, but not too narrow.
    fn core_bounds(&self) -> [[f64; 3]; 2];

    /// Half the edges of a parallelepiped around the middle of the core's bounds that holds the core, but for a few
    /// roundings. The tighter it is, the fewer triangles are looked at closely; by default it is the bounds themselves.
    fn core_axes(&self) -> [[f64; 3]; 3] {
        axes_of(&self.core_bounds())
    }

    /// Points of which the core is the convex hull, if a few say more than the [axes](Self::core_axes); none by default.
    fn core_points(&self) -> &[[f32; 3]] {
        &[]
    }

    /// Whether the core is that parallelepiped, or the rectangle, segment or point that is left of it where axes are zero,
    /// and all its [normals](Self::normal) and [edges](Self::edge) are named. Then contacts at the start of a cast are
    /// compared faster, and boxes without a radius, balls and capsules are asked whether they [touch](Self::touches) a triangle
    /// only where f32 and f64 leave that open.
    fn fills_core_axes(&self) -> bool {
        false
    }

    /// How far the shape extends beyond its core, in every direction.
    fn radius(&self) -> f64 {
        0.0
    }

    /// The point of the core that is farthest along a direction, which need not be of unit length. A point that is less
    /// far by a few roundings of its coordinates will do.
    fn support(&self, direction: [f64; 3]) -> [f64; 3];

    /// The least and the greatest coordinate of the core along a direction, which need not be of unit length; each may be off by
    /// a few roundings. By default found by its support.
    fn core_extent(&self, direction: [f64; 3]) -> [f64; 2] {
        let ends = [scale(direction, -1.0), direction].map(|towards| self.support(towards));
        ends.map(|end| dot(end, direction))
    }

    /// Whether the shape, after a displacement, shares a point with the closed triangle: this decides every answer, but for shapes
    /// that [fill their axes](Self::fills_core_axes) only those that f32 and f64 leave open.
    ///
    /// By default decided in f64, in favour of touching where no plane is found that separates the two by 2^-40 of the largest
    /// coordinate. For curved cores none may be found at up to some 2^-30 of it. What is as near as that without touching, boxes of a
    /// tree may leave out before: then one query may say that it touches, and another, or one of another tree, that it does not.
    fn touches(&self, triangle: &[[f64; 3]; 3], displacement: &Displacement) -> bool {
        Separation::of(self, triangle, displacement.rounded()).is_none()
    }

    /// Whether the shape shares a point with the closed triangle at some time while it moves by the displacement; `None`
    /// if that is not known. It decides between contacts and near misses; without it, casts may miss a contact of an instant, as of a
    /// shape that grazes a corner.
    fn touches_during(&self, _triangle: &[[f64; 3]; 3], _displacement: &Displacement) -> Option<bool> {
        None
    }

    /// The nearest points of the triangle and of the shape after a displacement, which do not touch, if they are known better than by
    /// iteration with [`support`](Self::support); `None` by default. Iteration may end early beside curved cores: contacts then
    /// have wrong distances.
    fn nearest_points(&self, _triangle: &[[f64; 3]; 3], _displacement: [f64; 3]) -> Option<[[f64; 3]; 2]> {
        None
    }

    /// A normal of a flat face of the core, of any length, by its index; `None` beyond the last. One of two opposite ones
    /// is enough. Contact normals and depths are found among these, among the cross products of edges, and by distance;
    /// shapes with more than a few faces may name none.
    fn normal(&self, _index: usize) -> Option<[f64; 3]> {
        None
    }

    /// The direction of a straight edge of the core, as for [`normal`](Self::normal).
    fn edge(&self, _index: usize) -> Option<[f64; 3]> {
        None
    }
}

impl<T: Shape + ?Sized> Shape for &T {
    fn core_bounds(&self) -> [[f64; 3]; 2] {
        (**self).core_bounds()
    }

    fn core_axes(&self) -> [[f64; 3]; 3] {
        (**self).core_axes()
    }

    fn core_points(&self) -> &[[f32; 3]] {
        (**self).core_points()
    }

    fn fills_core_axes(&self) -> bool {
        (**self).fills_core_axes()
    }

    fn radius(&self) -> f64 {
        (**self).radius()
    }

    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        (**self).support(direction)
    }

    fn core_extent(&self, direction: [f64; 3]) -> [f64; 2] {
        (**self).core_extent(direction)
    }

    fn touches(&self, triangle: &[[f64; 3]; 3], displacement: &Displacement) -> bool {
        (**self).touches(triangle, displacement)
    }

    fn touches_during(&self, triangle: &[[f64; 3]; 3], displacement: &Displacement) -> Option<bool> {
        (**self).touches_during(triangle, displacement)
    }

    fn nearest_points(&self, triangle: &[[f64; 3]; 3], displacement: [f64; 3]) -> Option<[[f64; 3]; 2]> {
        (**self).nearest_points(triangle, displacement)
    }

    fn normal(&self, index: usize) -> Option<[f64; 3]> {
        (**self).normal(index)
    }

    fn edge(&self, index: usize) -> Option<[f64; 3]> {
        (**self).edge(index)
    }
}

/// Half the edges of an axis-aligned box.
fn axes_of([lower, upper]: &[[f64; 3]; 2]) -> [[f64; 3]; 3] {
    let half = |axis: usize| 0.5 * (upper[axis] - lower[axis]);
    [[half(0), 0.0, 0.0], [0.0, half(1), 0.0], [0.0, 0.0, half(2)]]
}

/// The bounds of a shape's core and its radius, once they are known to be valid.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) lower: [f64; 3],
    pub(crate) upper: [f64; 3],
    pub(crate) radius: f64,
}

impl Bounds {
    /// `None` if the shape is empty.
    pub(crate) fn of(shape: &dyn Shape) -> Option<Self> {
        const MOST: f64 = MAX_COORDINATE as f64;
        let ([lower, upper], radius) = (shape.core_bounds(), shape.radius());
        let valid =
            (0..3).all(|axis| -MOST <= lower[axis] && lower[axis] <= upper[axis] && upper[axis] <= MOST);
        (valid && (0.0..=MOST).contains(&radius)).then_some(Self { lower, upper, radius })
    }

    /// The centre of the core.
    pub(crate) fn centre(&self) -> [f64; 3] {
        scale(add(self.lower, self.upper), 0.5)
    }

    /// From when to when, up to `t_max`, the box around the shape, moving by a direction, is within a slack of another one;
    /// `None` if it never is. Both times are rounded outwards by a part of what the slack must allow for.
    pub(crate) fn times_near(
        &self,
        [lower, upper]: &[[f64; 3]; 2],
        direction: &[f64; 3],
        t_max: f64,
        slack: f64,
    ) -> Option<[f64; 2]> {
        let (mut enter, mut leave) = (0.0, t_max);
        let reach = self.radius + slack;
        for axis in 0..3 {
            let lowest = lower[axis] - self.upper[axis] - reach;
            let highest = upper[axis] - self.lower[axis] + reach;
            let speed = direction[axis];
            if speed == 0.0 {
                if lowest > 0.0 || highest < 0.0 {
                    return None;
                }
                continue;
            }
            let (first, last) = if speed > 0.0 { (lowest, highest) } else { (highest, lowest) };
            enter = larger(enter, first / speed * (1.0 - f64::EPSILON));
            leave = smaller(leave, last / speed * (1.0 + f64::EPSILON));
        }
        (enter <= leave).then_some([enter, leave])
    }

    /// The largest magnitude of a coordinate of the shape.
    pub(crate) fn magnitude(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map3(|axis| larger(-self.lower[axis], self.upper[axis]));
        larger(x, larger(y, z)) + self.radius
    }
}

/// A triangle of a file, unless that is corrupt: coordinates are at most 2^60.
#[inline(always)]
pub(crate) fn corners_of(triangle: &[[f32; 3]; 3]) -> Option<Corners> {
    let valid = triangle.as_flattened().iter().fold(true, |valid, x| valid & (x.abs() <= MAX_COORDINATE));
    valid.then(|| triangle.map(|corner| corner.map(f64::from)))
}

/// The largest magnitude of a coordinate of a triangle.
#[inline(always)]
pub(crate) fn magnitude(triangle: &Corners) -> f64 {
    triangle.as_flattened().iter().fold(0.0, |most, x| most.max(x.abs()))
}
