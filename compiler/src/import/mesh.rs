//! A mesh in memory, with the same checks as for files.

use bvhc_format::record::AttributeRun;
use bvhc_format::{MAX_COORDINATE, NONE};

use super::{Counted, ImportError};
use crate::mesh::{Names, Polygons};

/// Converts vertices and triangles, given by the indices of their corners. `name` is the mesh's name in messages.
///
/// # Errors
/// [`ImportError`] if an index is out of range, or a coordinate is not finite or exceeds
/// [`MAX_COORDINATE`] in magnitude.
pub fn read(positions: &[[f32; 3]], triangles: &[[u32; 3]], name: &str) -> Result<Polygons, ImportError> {
    let file = || name.to_owned();
    let vertices = positions.len() as u64;
    let limit = u64::from(u32::MAX);
    for (counted, found) in [(Counted::Vertices, vertices), (Counted::Corners, 3 * triangles.len() as u64)] {
        if found > limit {
            return Err(ImportError::TooMany { file: file(), counted, limit });
        }
    }
    if triangles.is_empty() {
        return Err(ImportError::NoTriangle { file: file(), vertices, faces: 0 });
    }
    let is_usable = |position: &[f32; 3]| position.iter().all(|x| x.abs() <= MAX_COORDINATE);
    if let Some(vertex) = positions.iter().position(|position| !is_usable(position)) {
        return Err(ImportError::Position { file: file(), vertex, found: positions[vertex] });
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(found) = corners.iter().copied().find(|index| u64::from(*index) >= vertices) {
            return Err(ImportError::Corner { file: file(), triangle, found, vertices });
        }
    }
    Ok(Polygons {
        positions: positions.to_vec(),
        source_vertices: vertices,
        corners: triangles.as_flattened().to_vec(),
        ends: (1..=triangles.len() as u32).map(|face| 3 * face).collect(),
        names: Names::default(),
        face_runs: vec![AttributeRun { first_triangle: 0, material: NONE, group: NONE, object: NONE }],
        reversals: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIONS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    #[test]
    fn triangles_become_faces() {
        let polygons = read(&POSITIONS, &[[0, 1, 2], [2, 1, 0]], "a").unwrap();
        assert_eq!((&polygons.corners[..], &polygons.ends[..]), (&[0, 1, 2, 2, 1, 0][..], &[3, 6][..]));
    }

    #[test]
    fn what_cannot_be_right_is_named() {
        let refusal = |positions: &[[f32; 3]], triangles: &[[u32; 3]]| {
            read(positions, triangles, "a").unwrap_err().to_string()
        };
        let out = refusal(&POSITIONS, &[[0, 1, 2], [0, 3, 1]]);
        assert_eq!(out, "a: triangle 1 refers to vertex 3, but there are 3 vertices, counted from 0");
        let [a, b, _] = POSITIONS;
        assert!(
            refusal(&[a, b, [0.0, f32::NAN, 0.0]], &[[0, 1, 2]]).contains("vertex 2 is at [0.0, NaN, 0.0]")
        );
        assert!(refusal(&[a, b, [0.0, 0.0, 2e18]], &[[0, 1, 2]]).contains("vertex 2"));
        assert!(refusal(&POSITIONS, &[]).contains("no triangle"));
    }
}
