//! Meshes as OBJ text.

use bvhc::mesh::Mesh;
use std::io::Write;

/// The mesh as an OBJ file: `v` and `f` lines in order, floats printed so that they read back bit for bit.
///
/// Names, and the faces that triangles are parts of, are left out: each triangle becomes a face.
pub fn write_obj(mesh: &Mesh) -> Vec<u8> {
    let mut text = Vec::new();
    for [x, y, z] in &mesh.positions {
        writeln!(text, "v {x} {y} {z}").expect("memory takes it");
    }
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|vertex| u64::from(vertex) + 1);
        writeln!(text, "f {a} {b} {c}").expect("memory takes it");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{icosphere, soup, terrain};
    use super::*;

    #[test]
    fn floats_read_back_bit_for_bit() {
        let position = [-0.0, f32::from_bits(1), 0.1f32.next_up()];
        let positions = vec![position, [1e18, 2.0, 3.0], [5.0; 3]];
        let text = write_obj(&Mesh { positions, triangles: vec![[0, 1, 2]], ..Mesh::default() });
        let text = String::from_utf8(text).expect("ASCII");
        let line = text.lines().next().expect("a vertex");
        let read: Vec<f32> = line.split(' ').skip(1).map(|x| x.parse().expect("a float")).collect();
        assert_eq!(read.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), position.map(f32::to_bits));
        assert_eq!(text.lines().last(), Some("f 1 2 3"));
    }

    #[test]
    fn compiler_reads_back_the_same_mesh() {
        for scene in [icosphere::displaced(5, 0.2, 1), terrain::terrain(9, 7, 2), soup::duplicates(99, 3)] {
            let polygons = bvhc::import::read(&write_obj(&scene), "scene.obj").expect("an OBJ file");
            assert_eq!(bvhc::clean::mesh(polygons, "scene.obj").expect("clean triangles"), scene);
        }
    }
}
