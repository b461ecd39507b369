//! A tree: a trunk with branches, and leaves, each two triangles, around the branches' ends.
//!
//! Branches are closed tubes of three sides; leaves are open. z is up.

use super::Parts;
use crate::random::Random;
use bvhc::mesh::Mesh;

type Point = [f32; 3];

/// Branches of each branch.
const BRANCHES: usize = 4;

/// Branches of branches, from the trunk on.
const ORDERS: u32 = 3;

/// Leaves of a branch of the last order.
const LEAVES: usize = 22;

/// Triangles of a tree.
pub const TRIANGLES: usize = 85 * 8 + 64 * LEAVES * 2;

/// A tree some 19 high that stands on the origin, different for each seed: [`TRIANGLES`] triangles.
pub fn tree(seed: u64) -> Mesh {
    let mut parts = Parts::default();
    grow(&mut parts, [0.0; 3], [0.0, 0.0, 4.5], ORDERS, &mut Random::new(seed));
    parts.finish()
}

/// A branch from a point by an offset, and all that grows from it.
fn grow(parts: &mut Parts, from: Point, by: Point, order: u32, random: &mut Random) {
    let length = by.iter().map(|x| x * x).sum::<f32>().sqrt();
    let to = along(from, 1.0, by);
    tube(parts, [from, to], 0.04 * length);
    if order == 0 {
        for _ in 0..LEAVES {
            let middle = along(along(from, random.f32(0.3, 1.2), by), 0.35, random.direction());
            leaf(parts, middle, random);
        }
        return;
    }
    for number in 0..BRANCHES {
        // The last one goes on from the end.
        let start = along(from, if number + 1 == BRANCHES { 1.0 } else { random.f32(0.6, 0.95) }, by);
        let mut turned = along(by.map(|x| x / length), 0.9, random.direction());
        turned[2] += 0.15;
        grow(parts, start, turned.map(|x| 0.6 * length * x), order - 1, random);
    }
}

/// `a + scale * b`
fn along(a: Point, scale: f32, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] + scale * b[axis])
}

/// A tube of three sides that narrows to half its radius.
fn tube(parts: &mut Parts, ends: [Point; 2], radius: f32) {
    const RING: [Point; 3] = [[1.0, 0.0, 0.1], [-0.5, 0.8, -0.1], [-0.5, -0.8, 0.1]];
    let [[a, b, c], [d, e, f]] = [(ends[0], radius), (ends[1], radius / 2.0)]
        .map(|(end, radius)| RING.map(|offset| parts.vertex(along(end, radius, offset))));
    parts.quad([a, b, e, d]);
    parts.quad([b, c, f, e]);
    parts.quad([c, a, d, f]);
    parts.triangles.extend([[a, c, b], [d, e, f]]);
}

/// A pointed leaf around a point.
fn leaf(parts: &mut Parts, middle: Point, random: &mut Random) {
    let (length, width) = (random.direction(), random.direction());
    let corner = |parts: &mut Parts, a: f32, b: f32| parts.vertex(along(along(middle, a, length), b, width));
    let corners = [(-0.16, 0.0), (0.0, -0.06), (0.16, 0.0), (0.0, 0.06)];
    let corners = corners.map(|(a, b)| corner(parts, a, b));
    parts.quad(corners);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_as_many_triangles_as_promised_and_stands_on_the_ground() {
        let mesh = tree(1);
        assert_eq!(mesh.triangles.len(), TRIANGLES);
        let is_near = |[x, y, z]: &[f32; 3]| x.abs() < 12.0 && y.abs() < 12.0 && (-0.1..25.0).contains(z);
        assert!(mesh.positions.iter().all(is_near));
        assert_ne!(mesh, tree(2));
    }
}
