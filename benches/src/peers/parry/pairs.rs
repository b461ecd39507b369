//! Mesh against mesh by parry3d's walk through two trees, `Bvh::leaf_pairs`, with tests that are not parry's: the walk
//! leaves the tests of boxes and of triangles to the caller. Here they are the six face axes, and Möller's test ("A
//! fast triangle-triangle intersection test", 1997), both in f32 and both in this file. Hence the name: parry's walk,
//! our tests.
//!
//! parry's own query on two meshes runs GJK on each pair of triangles, which takes 20 to 400 times as long.

use bvhc_runtime::Pose;
use parry3d::partitioning::BvhNode;

use super::Parry;

type Point = [f32; 3];

/// B's pose in A's space, as the box tests need it.
pub struct Placed {
    rotation: [[f32; 3]; 3],
    magnitudes: [[f32; 3]; 3],
    translation: [f32; 3],
}

impl Placed {
    pub fn new(pose: &Pose) -> Self {
        let rotation = pose.rotation().map(|row| row.map(|x| x as f32));
        let magnitudes = rotation.map(|row| row.map(f32::abs));
        Self { rotation, magnitudes, translation: pose.translation().map(|x| x as f32) }
    }

    #[inline]
    fn apply(&self, point: Point) -> Point {
        let along = |i: usize| dot(self.rotation[i], point) + self.translation[i];
        [along(0), along(1), along(2)]
    }

    /// Whether no face axis separates two boxes.
    #[inline]
    fn touch(&self, a: &BvhNode, b: &BvhNode) -> bool {
        let (half_a, half_b) = (half_extents(a), half_extents(b));
        let (r, s) = (&self.rotation, &self.magnitudes);
        let t = minus(self.apply(b.center().into()), a.center().into());
        let of_a = |i: usize| t[i].abs() <= half_a[i] + dot(s[i], half_b);
        let column = |m: &[[f32; 3]; 3], j: usize| [m[0][j], m[1][j], m[2][j]];
        let of_b = |j: usize| dot(t, column(r, j)).abs() <= half_b[j] + dot(column(s, j), half_a);
        of_a(0) && of_a(1) && of_a(2) && of_b(0) && of_b(1) && of_b(2)
    }
}

#[inline]
fn half_extents(node: &BvhNode) -> Point {
    let (lower, upper): (Point, Point) = (node.mins().into(), node.maxs().into());
    minus(upper, lower).map(|extent| 0.5 * extent)
}

impl Parry {
    /// Whether any triangles meet.
    pub fn collides(&self, other: &Self, placed: &Placed) -> bool {
        self.pairs(other, placed).next().is_some()
    }

    /// The pairs of triangles that meet, in any order.
    pub fn pairs<'a>(&'a self, other: &'a Self, placed: &'a Placed) -> impl Iterator<Item = (u32, u32)> + 'a {
        let candidates = self.0.bvh().leaf_pairs(other.0.bvh(), |a, b| placed.touch(a, b));
        candidates.filter(|(a, b)| {
            let moved = other.corners(*b).map(|corner| placed.apply(corner));
            meet(&self.corners(*a), &moved)
        })
    }

    #[inline]
    fn corners(&self, triangle: u32) -> [Point; 3] {
        self.0.indices()[triangle as usize].map(|vertex| self.0.vertices()[vertex as usize].into())
    }
}

#[inline]
fn meet(a: &[Point; 3], b: &[Point; 3]) -> bool {
    let normal_b = cross(minus(b[1], b[0]), minus(b[2], b[0]));
    let heights_a = a.map(|corner| dot(normal_b, minus(corner, b[0])));
    if on_one_side(heights_a) {
        return false;
    }
    let normal_a = cross(minus(a[1], a[0]), minus(a[2], a[0]));
    let heights_b = b.map(|corner| dot(normal_a, minus(corner, a[0])));
    if on_one_side(heights_b) {
        return false;
    }
    let line = cross(normal_a, normal_b).map(f32::abs);
    let axis = (0..3).fold(0, |best, axis| if line[axis] > line[best] { axis } else { best });
    let along = |corners: &[Point; 3]| corners.map(|corner| corner[axis]);
    match (interval(along(a), heights_a), interval(along(b), heights_b)) {
        (Some([low, high]), Some([from, to])) => low <= to && from <= high,
        // Coplanar: the scenes have no such pairs.
        _ => false,
    }
}

#[inline]
fn on_one_side(heights: Point) -> bool {
    heights[0] * heights[1] > 0.0 && heights[0] * heights[2] > 0.0
}

/// Where the intersection line of both planes enters and leaves a triangle.
#[inline]
fn interval(along: Point, heights: Point) -> Option<[f32; 2]> {
    let [a, b, c] = heights;
    let (alone, others) = if a * b > 0.0 {
        (2, [0, 1])
    } else if a * c > 0.0 {
        (1, [0, 2])
    } else if b * c > 0.0 || a != 0.0 {
        (0, [1, 2])
    } else if b != 0.0 {
        (1, [0, 2])
    } else if c != 0.0 {
        (2, [0, 1])
    } else {
        return None;
    };
    let [s, t] = others.map(|other| {
        along[alone] + (along[other] - along[alone]) * heights[alone] / (heights[alone] - heights[other])
    });
    Some([s.min(t), s.max(t)])
}

#[inline]
fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
fn dot(a: Point, b: Point) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
