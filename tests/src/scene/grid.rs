//! Scenes whose coordinates are small integers, so that every arithmetic gives the exact answer.

use super::Parts;
use bvhc::mesh::Mesh;

/// Unit cubes side by side from the origin, each with vertices of its own: inner walls are doubled.
pub fn cubes(count: [u32; 3]) -> Mesh {
    let mut parts = Parts::default();
    for z in 0..count[2] {
        for y in 0..count[1] {
            for x in 0..count[0] {
                let min = [x, y, z].map(|i| i as f32);
                parts.block(min, min.map(|x| x + 1.0));
            }
        }
    }
    parts.finish()
}

/// Unit cubes from the origin along the diagonal of x, y and z, each with vertices of its own: a closed mesh that fills little of
/// its box.
pub fn diagonal(count: u32) -> Mesh {
    let mut parts = Parts::default();
    for i in 0..count {
        parts.block([i as f32; 3], [i as f32 + 1.0; 3]);
    }
    parts.finish()
}

/// Steps that rise along x and z by 1, as wide as the number of steps: a tread and a riser each, vertices shared.
pub fn staircase(steps: u32) -> Mesh {
    let mut parts = Parts::default();
    let width = steps as f32;
    let mut line = |x: u32, z: u32| [0.0, width].map(|y| parts.vertex([x as f32, y, z as f32]));
    let mut lines = vec![line(0, 0)];
    for step in 0..steps {
        lines.extend([line(step, step + 1), line(step + 1, step + 1)]);
    }
    for pair in lines.windows(2) {
        let ([right, left], [far_right, far_left]) = (pair[0], pair[1]);
        parts.quad([right, far_right, far_left, left]);
    }
    parts.finish()
}

/// Unit squares alternating between the planes z = 0 and z = 1, each with vertices of its own, facing up.
pub fn checkerboard(size: u32) -> Mesh {
    let mut parts = Parts::default();
    for y in 0..size {
        for x in 0..size {
            let z = ((x + y) % 2) as f32;
            let (x, y) = (x as f32, y as f32);
            let corners = [[x, y, z], [x + 1.0, y, z], [x + 1.0, y + 1.0, z], [x, y + 1.0, z]];
            let corners = corners.map(|corner| parts.vertex(corner));
            parts.quad(corners);
        }
    }
    parts.finish()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{is_closed, volume};
    use super::*;

    #[test]
    fn cubes_are_closed_and_face_outward() {
        let mesh = cubes([3, 2, 2]);
        assert_eq!(mesh.triangles.len(), 12 * 12);
        assert!(is_closed(&mesh));
        assert_eq!(volume(&mesh), 6.0 * 12.0);
    }

    #[test]
    fn cubes_along_the_diagonal_are_closed() {
        let mesh = diagonal(5);
        assert!(is_closed(&mesh));
        assert_eq!((mesh.triangles.len(), volume(&mesh)), (5 * 12, 6.0 * 5.0));
    }

    #[test]
    fn stairs_share_their_vertices_and_face_up() {
        let mesh = staircase(4);
        assert_eq!((mesh.triangles.len(), mesh.positions.len()), (16, 18));
        let tread = mesh.corners(2);
        let [a, b, c] = tread;
        assert!((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0);
    }

    #[test]
    fn boards_alternate() {
        let mesh = checkerboard(3);
        assert_eq!(mesh.triangles.len(), 18);
        assert_eq!(mesh.positions.iter().filter(|position| position[2] == 1.0).count(), 4 * 4);
    }
}
