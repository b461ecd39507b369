//! The same mesh in all formats, and what is damaged of each.

use std::fmt::Write;

use super::*;
use crate::clean;

/// A mesh to write in any format.
struct Source {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

fn cube() -> Source {
    let positions = (0..8).map(|at| [at & 1, at >> 1 & 1, at >> 2].map(|bit| bit as f32 - 0.25)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Source { positions, triangles }
}

/// Small, so that all damage can be tried.
fn pair() -> Source {
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 2.0]];
    Source { positions, triangles: vec![[0, 1, 2], [2, 1, 3]] }
}

const FORMATS: [&str; 7] =
    ["obj", "off", "ply text", "ply little-endian", "ply big-endian", "stl text", "stl binary"];

impl Source {
    fn write(&self, format: &str) -> Vec<u8> {
        match format {
            "obj" => self.obj().into_bytes(),
            "off" => self.off().into_bytes(),
            "ply text" => self.ply_text().into_bytes(),
            "ply little-endian" => self.ply_binary("little", f32::to_le_bytes, u32::to_le_bytes),
            "ply big-endian" => self.ply_binary("big", f32::to_be_bytes, u32::to_be_bytes),
            "stl text" => self.stl_text().into_bytes(),
            _ => self.stl_binary(),
        }
    }

    fn corners(&self, triangle: &[u32; 3]) -> [[f32; 3]; 3] {
        triangle.map(|vertex| self.positions[vertex as usize])
    }

    fn obj(&self) -> String {
        let mut text = String::new();
        self.positions.iter().for_each(|[x, y, z]| writeln!(text, "v {x} {y} {z}").unwrap());
        for [a, b, c] in self.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + 1)) {
            writeln!(text, "f {a} {b} {c}").unwrap();
        }
        text
    }

    fn lists(&self) -> String {
        let mut text = String::new();
        self.positions.iter().for_each(|[x, y, z]| writeln!(text, "{x} {y} {z}").unwrap());
        self.triangles.iter().for_each(|[a, b, c]| writeln!(text, "3 {a} {b} {c}").unwrap());
        text
    }

    fn off(&self) -> String {
        format!("OFF\n{} {} 0\n{}", self.positions.len(), self.triangles.len(), self.lists())
    }

    fn ply_header(&self, encoding: &str) -> String {
        format!(
            "ply\nformat {encoding} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
             element face {}\nproperty list uchar int vertex_indices\nend_header\n",
            self.positions.len(),
            self.triangles.len()
        )
    }

    fn ply_text(&self) -> String {
        self.ply_header("ascii") + &self.lists()
    }

    fn ply_binary(&self, order: &str, float: fn(f32) -> [u8; 4], index: fn(u32) -> [u8; 4]) -> Vec<u8> {
        let mut bytes = self.ply_header(&format!("binary_{order}_endian")).into_bytes();
        bytes.extend(self.positions.as_flattened().iter().flat_map(|x| float(*x)));
        for triangle in &self.triangles {
            bytes.push(3);
            bytes.extend(triangle.iter().flat_map(|vertex| index(*vertex)));
        }
        bytes
    }

    fn stl_text(&self) -> String {
        let mut text = "solid\n".to_owned();
        for triangle in &self.triangles {
            text += "facet normal 0 0 0\nouter loop\n";
            self.corners(triangle).iter().for_each(|[x, y, z]| writeln!(text, "vertex {x} {y} {z}").unwrap());
            text += "endloop\nendfacet\n";
        }
        text + "endsolid\n"
    }

    fn stl_binary(&self) -> Vec<u8> {
        let mut bytes = vec![b' '; 80];
        bytes.extend((self.triangles.len() as u32).to_le_bytes());
        for triangle in &self.triangles {
            bytes.extend([0; 12]);
            bytes.extend(self.corners(triangle).as_flattened().iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }
}

/// Reads bytes, and asserts what is promised of a result.
fn read_checked(bytes: &[u8]) -> Result<Imported, ImportError> {
    let imported = read_all(&Input::new(bytes, "a"))?;
    let Polygons { positions, corners, ends, .. } = &imported.polygons;
    assert!(corners.iter().all(|corner| (*corner as usize) < positions.len()));
    assert!(positions.as_flattened().iter().all(|x| x.abs() <= bvhc_format::MAX_COORDINATE));
    assert!(ends.is_sorted() && ends.last() == Some(&(corners.len() as u32)) && corners.len() >= 3);
    Ok(imported)
}

#[test]
fn a_cube_is_the_same_in_all_formats() {
    let cube = cube();
    let expected: Vec<_> = cube.triangles.iter().map(|triangle| cube.corners(triangle)).collect();
    for format in FORMATS {
        let imported = read_checked(&cube.write(format)).unwrap();
        assert_eq!(imported.notes, Notes::default(), "{format}");
        assert_eq!(imported.polygons.positions.len(), 8, "{format}");
        let corners = if format.starts_with("stl") { 36 } else { 8 };
        assert_eq!(imported.polygons.source_vertices, corners, "{format}");
        let mesh = clean::mesh(imported.polygons, "a").unwrap();
        let triangles: Vec<_> = (0..12).map(|triangle| mesh.corners(triangle)).collect();
        assert_eq!(triangles, expected, "{format}");
        assert!(mesh.faces.iter().copied().eq(0..12), "{format}");
    }
}

#[test]
fn a_file_without_its_end_is_refused_or_has_fewer_faces() {
    for format in FORMATS {
        let bytes = cube().write(format);
        let is_text = format == "off" || format == "obj" || format.ends_with("text");
        for length in 0..bytes.len() {
            match read_checked(&bytes[..length]) {
                // Lines may end early: `f 1 2 3` with `3` for `30`, and a line without its end.
                Ok(imported) => assert!(is_text && imported.polygons.ends.len() <= 12, "{format}, {length}"),
                Err(error) => assert!(error.to_string().starts_with('a'), "{format}, {length}"),
            }
        }
    }
}

#[test]
fn a_file_with_any_other_byte_is_refused_or_read() {
    for format in FORMATS {
        let bytes = pair().write(format);
        let mut damaged = bytes.clone();
        for at in 0..bytes.len() {
            for byte in 0..=u8::MAX {
                damaged[at] = byte;
                let _ = read_checked(&damaged);
            }
            damaged[at] = bytes[at];
        }
    }
}

#[test]
fn the_end_that_is_missing_is_named() {
    let cut = |format: &str, by: usize| {
        let bytes = cube().write(format);
        read_checked(&bytes[..bytes.len() - by]).unwrap_err().to_string()
    };
    assert_eq!(cut("off", 16), "a, line 20: the file ends where face 10 of 12 should be");
    assert_eq!(cut("ply text", 8), "a, line 28, face 11: the file ends where face 11 of 12 should be");
    assert_eq!(cut("ply big-endian", 1), "a, face 11: the file ends where a value should be");
    assert_eq!(cut("ply little-endian", 13), "a, face 11: the file ends where face 11 of 12 should be");
    assert_eq!(
        cut("stl binary", 1),
        "a, triangle 11: the file ends where the rest of 12 triangles should be"
    );
    assert_eq!(cut("stl text", 9), "a, line 85: the file ends where `facet` or `endsolid` should be");
}
