//! Meshes generated from a few numbers, the same on every machine.
//!
//! Each triangle is a face of its own; none has collinear corners; there are no names of materials, groups or objects.

pub mod animal;
pub mod encounter;
pub mod gaps;
pub mod grid;
pub mod hall;
pub mod icosphere;
pub mod noise;
pub mod obj;
pub mod pairs;
pub mod shapes;
pub mod soup;
pub mod terrain;
pub mod tips;
pub mod town;
pub mod tree;

pub use obj::write_obj;

use bvhc::mesh::Mesh;
use bvhc_format::NONE;
use bvhc_format::record::AttributeRun;

/// The mesh of these triangles, each a face, as an import of its [OBJ](write_obj) gives it: vertices in order of first
/// use, unused ones left out, without negative zeros.
pub fn mesh(positions: Vec<[f32; 3]>, mut triangles: Vec<[u32; 3]>) -> Mesh {
    let positions = in_order_of_use(&positions, &mut triangles);
    let count = u32::try_from(triangles.len()).expect("triangles are numbered by u32");
    Mesh {
        source_vertices: positions.len() as u64,
        positions,
        triangles,
        faces: (0..count).collect(),
        runs: vec![AttributeRun { first_triangle: 0, material: NONE, group: NONE, object: NONE }],
        source_faces: count.into(),
        ..Mesh::default()
    }
}

/// The positions that triangles use, and the triangles renumbered.
fn in_order_of_use(positions: &[[f32; 3]], triangles: &mut [[u32; 3]]) -> Vec<[f32; 3]> {
    let mut numbers = vec![NONE; positions.len()];
    let mut used = Vec::with_capacity(positions.len());
    for vertex in triangles.iter_mut().flatten() {
        let number = &mut numbers[*vertex as usize];
        if *number == NONE {
            *number = used.len() as u32;
            used.push(positions[*vertex as usize].map(|x| x + 0.0));
        }
        *vertex = *number;
    }
    used
}

/// Concatenates two meshes.
pub fn join(first: &Mesh, second: &Mesh) -> Mesh {
    let mut parts = Parts::default();
    parts.append(first);
    parts.append(second);
    parts.finish()
}

/// A mesh under construction.
#[derive(Clone, Debug, Default)]
struct Parts {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Parts {
    fn vertex(&mut self, position: [f32; 3]) -> u32 {
        self.positions.push(position);
        self.positions.len() as u32 - 1
    }

    /// A triangle with corners of its own.
    fn triangle(&mut self, corners: [[f32; 3]; 3]) {
        let corners = corners.map(|corner| self.vertex(corner));
        self.triangles.push(corners);
    }

    /// Two triangles; corners run counterclockwise as seen from the front.
    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    /// A box, from its eight corners: bit 0 of the number stands for x, bit 1 for y, bit 2 for z.
    fn hexahedron(&mut self, corners: [[f32; 3]; 8]) {
        const SIDES: [[usize; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let vertices = corners.map(|corner| self.vertex(corner));
        for side in SIDES {
            self.quad(side.map(|corner| vertices[corner]));
        }
    }

    /// The axis-aligned box from `min` to `max`.
    fn block(&mut self, min: [f32; 3], max: [f32; 3]) {
        let corner = |number: usize| {
            std::array::from_fn(|axis| if number >> axis & 1 == 0 { min[axis] } else { max[axis] })
        };
        self.hexahedron(std::array::from_fn(corner));
    }

    fn append(&mut self, mesh: &Mesh) {
        let first = self.positions.len() as u32;
        self.positions.extend(&mesh.positions);
        self.triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|vertex| vertex + first)));
    }

    fn finish(self) -> Mesh {
        mesh(self.positions, self.triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::number::is_degenerate;
    use std::collections::HashSet;

    /// Whether every edge is shared by two triangles that run along it in opposite directions.
    pub(super) fn is_closed(mesh: &Mesh) -> bool {
        let edges = mesh.triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let edges: HashSet<_> = edges.collect();
        edges.len() == 3 * mesh.triangles.len() && edges.iter().all(|&(from, to)| edges.contains(&(to, from)))
    }

    /// Six times the volume; positive where triangles run counterclockwise as seen from outside.
    pub(super) fn volume(mesh: &Mesh) -> f64 {
        let volume = |triangle| {
            let [a, b, c] = mesh.corners(triangle).map(|corner| corner.map(f64::from));
            a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        (0..mesh.triangles.len() as u32).map(volume).sum()
    }

    #[test]
    fn no_scene_has_degenerate_triangles() {
        let scenes = [
            grid::cubes([3, 2, 1]),
            grid::staircase(5),
            grid::checkerboard(4),
            hall::hall(20, 20, 1),
            icosphere::displaced(9, 0.2, 2),
            soup::triangles(500, 0.1, 3),
            soup::needles(500, 4),
            soup::duplicates(500, 5),
            soup::coplanar(500, 6),
            terrain::terrain(20, 30, 7),
            town::town(2, 2, 8),
            animal::animal(3000, 1),
            tips::tips(20, 8),
            tree::tree(9),
        ];
        for scene in scenes {
            let count = scene.triangles.len() as u32;
            assert!(count > 0 && (0..count).all(|triangle| !is_degenerate(scene.corners(triangle))));
            assert!(scene.positions.iter().flatten().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn joined_meshes_keep_their_triangles() {
        let (cube, ball) = (grid::cubes([1, 1, 1]), icosphere::icosphere(2));
        let both = join(&cube, &ball);
        assert_eq!(both.triangles.len(), 12 + 80);
        assert_eq!(both.corners(12), ball.corners(0));
        assert_eq!(both.faces, (0..92).collect::<Vec<_>>());
    }
}
