//! Box or triangle of one model against box or triangle of another, in f64: which parts of split triangles may meet.

use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::pose::Pose;

type Vector = [f64; 3];

/// Slack of every axis, relative to the coordinates: about 256 f64 roundings.
const SLACK: f64 = 1.0 / (1u64 << 44) as f64;

/// Edge pairs whose cross product is shorter than this, relative to the edges, are parallel and have no axis of their
/// own.
const PARALLEL: f64 = 1.0 / (1u64 << 40) as f64;

/// A box or a triangle: corners, face normals and edge directions.
#[derive(Clone, Copy)]
pub(crate) struct Convex {
    corners: [Vector; 8],
    normals: [Vector; 3],
    edges: [Vector; 3],
}

impl Convex {
    pub(crate) fn of_box(bounds: &Aabb) -> Self {
        let (lower, upper) = (bounds.min.map3(f64::from), bounds.max.map3(f64::from));
        let corner = |index: usize| {
            [0, 1, 2].map3(|axis| if index >> axis & 1 == 0 { lower[axis] } else { upper[axis] })
        };
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Self { corners: core::array::from_fn(corner), normals: axes, edges: axes }
    }

    pub(crate) fn of_triangle(corners: [[f32; 3]; 3]) -> Self {
        let [a, b, c] = corners.map3(|corner| corner.map3(f64::from));
        let edges = [sub(b, a), sub(c, b), sub(a, c)];
        Self { corners: [a, b, c, a, a, a, a, a], normals: [cross(edges[0], edges[1]); 3], edges }
    }

    /// Transformed by the pose.
    pub(crate) fn transformed(&self, pose: &Pose) -> Self {
        let rotation = pose.rotation();
        let turned = |v: Vector| [0, 1, 2].map3(|axis| dot(rotation[axis], v));
        Self {
            corners: self.corners.map(|corner| pose.apply(corner)),
            normals: self.normals.map3(turned),
            edges: self.edges.map3(turned),
        }
    }

    /// Whether two of them, in the same space, have a point in common or are separated by no more than rounding.
    /// Separating axes: face normals, and cross products of an edge of each.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        let far = |of: &Self| of.corners.as_flattened().iter().fold(0.0f64, |far, x| far.max(x.abs()));
        let slack = SLACK * (far(self) + far(other));
        let apart = |axis: Vector| {
            let ([low, high], [from, to]) = (self.range(axis), other.range(axis));
            let slack = slack * size(axis);
            low > to + slack || from > high + slack
        };
        let crossed = |a: &Vector| {
            other.edges.iter().any(|b| {
                let axis = cross(*a, *b);
                size(axis) > PARALLEL * size(*a) * size(*b) && apart(axis)
            })
        };
        !self.normals.iter().chain(&other.normals).any(|axis| apart(*axis)) && !self.edges.iter().any(crossed)
    }

    /// Whether the axis-aligned box around it contains a point, within `slack`.
    pub(crate) fn is_around(&self, point: Vector, slack: f64) -> bool {
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].into_iter().all(|axis| {
            let [low, high] = self.range(axis);
            (low - slack..=high + slack).contains(&dot(axis, point))
        })
    }

    /// Least and greatest coordinate along a direction.
    fn range(&self, axis: Vector) -> [f64; 2] {
        let along = self.corners.map(|corner| dot(axis, corner));
        along.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    }
}

fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Sum of the magnitudes of the coordinates.
fn size(v: Vector) -> f64 {
    v[0].abs() + v[1].abs() + v[2].abs()
}
