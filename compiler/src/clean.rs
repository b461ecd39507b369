//! Cleaning: triangulates polygons and drops degenerate triangles, giving the mesh that trees are built on.
//!
//! Only what has no area is dropped: faces of fewer than three corners, and triangles whose corners are exactly
//! collinear. Both are counted. Winding, duplicates, order and coordinates are kept, except that -0 becomes +0; where an
//! importer mirrored faces, the triangles' winding is reversed, so that fronts stay fronts.

use crate::mesh::{Dropped, FaceCornerList, Mesh, Polygons};
use crate::triangulate::Triangulator;
use bvhc_format::MAX_TRIANGLES;
use bvhc_format::record::AttributeRun;
use robust::{Coord, orient2d};
use thiserror::Error;

/// Why polygons cannot be turned into a mesh.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CleanError {
    /// Nothing is left after cleaning.
    #[error(
        "{file}: no triangles: all {faces} faces have zero area ({} have fewer than three corners)",
        dropped.faces
    )]
    NoTriangle {
        /// The input's name.
        file: String,
        /// Faces of the source.
        faces: u64,
        /// What was dropped.
        dropped: Dropped,
    },
    /// The polygons make more triangles than a file can hold.
    #[error("{file}: {found} triangles, but at most {limit} fit in a file")]
    TooManyTriangles {
        /// The input's name.
        file: String,
        /// How many there are.
        found: u64,
        /// How many there may be.
        limit: u64,
    },
}

/// Triangulates and cleans the polygons of an importer; `name` is the file's name in messages.
///
/// Coordinates of -0 become +0, so that equal positions have equal bits.
/// Takes O(corners) time, at worst O(n^1.5) for each polygon of n corners.
pub fn mesh(polygons: Polygons, name: &str) -> Result<Mesh, CleanError> {
    let file = || name.to_owned();
    let expected = count_triangles(&polygons.ends);
    if expected > MAX_TRIANGLES {
        let limit = MAX_TRIANGLES;
        return Err(CleanError::TooManyTriangles { file: file(), found: expected, limit });
    }
    let mesh = triangles(polygons, expected as usize);
    if mesh.triangles.is_empty() {
        return Err(CleanError::NoTriangle { file: file(), faces: mesh.source_faces, dropped: mesh.dropped });
    }
    Ok(mesh)
}

fn triangles(mut polygons: Polygons, expected: usize) -> Mesh {
    // Adding +0 turns -0 into +0 and changes nothing else.
    polygons.positions.as_flattened_mut().iter_mut().for_each(|x| *x += 0.0);
    let mut triangles = Vec::with_capacity(expected);
    let mut faces = Vec::with_capacity(expected);
    let mut face_corners = FaceCornerList::default();
    let mut dropped = Dropped::default();
    let mut fans = 0;
    let mut triangulator = Triangulator::default();
    let mut reversals = polygons.reversals.iter().copied().peekable();
    let mut is_reversed = false;
    for (face, corners) in faces_of(&polygons) {
        while reversals.next_if(|first| *first <= face).is_some() {
            is_reversed = !is_reversed;
        }
        if corners.len() < 3 {
            dropped.faces += 1;
            continue;
        }
        let kept = triangles.len();
        let is_tiled = triangulator.polygon(&polygons.positions, corners, |[a, b, c]| {
            let of_face = if is_reversed { [a, c, b] } else { [a, b, c] };
            let triangle = of_face.map(|corner| corners[corner as usize]);
            if is_flat(triangle.map(|corner| polygons.positions[corner as usize])) {
                dropped.triangles += 1;
            } else {
                triangles.push(triangle);
                faces.push(face);
                face_corners.push(of_face);
            }
        });
        if !is_tiled && triangles.len() > kept {
            fans += 1;
        }
    }
    face_corners.simplify();
    Mesh {
        runs: triangle_runs(&polygons.face_runs, &faces),
        source_faces: polygons.ends.len() as u64,
        source_vertices: polygons.source_vertices,
        positions: polygons.positions,
        names: polygons.names,
        triangles,
        faces,
        face_corners,
        dropped,
        fans,
    }
}

/// Each face's number and corners.
fn faces_of(polygons: &Polygons) -> impl Iterator<Item = (u32, &[u32])> {
    let mut start = 0;
    polygons.ends.iter().zip(0..).map(move |(&end, face)| {
        let corners = &polygons.corners[start..end as usize];
        start = end as usize;
        (face, corners)
    })
}

fn count_triangles(ends: &[u32]) -> u64 {
    let mut start = 0;
    let triangles = |&end: &u32| {
        let corners = end - start;
        start = end;
        u64::from(corners.saturating_sub(2))
    };
    ends.iter().map(triangles).sum()
}

/// Whether three points are exactly collinear.
fn is_flat(corners: [[f32; 3]; 3]) -> bool {
    (0..3).all(|axis| {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let [a, b, c] = corners.map(|p| Coord { x: p[u], y: p[v] });
        orient2d(a, b, c) == 0.0
    })
}

/// Converts runs over faces into runs over triangles: no run is empty, and adjacent runs differ.
fn triangle_runs(face_runs: &[AttributeRun], faces: &[u32]) -> Vec<AttributeRun> {
    let mut runs: Vec<AttributeRun> = Vec::new();
    for (index, run) in face_runs.iter().enumerate() {
        let start = faces.partition_point(|&face| face < run.first_triangle);
        let end = match face_runs.get(index + 1) {
            Some(next) => faces.partition_point(|&face| face < next.first_triangle),
            None => faces.len(),
        };
        if start < end && !runs.last().is_some_and(|last| is_same(last, run)) {
            runs.push(AttributeRun { first_triangle: start as u32, ..*run });
        }
    }
    runs
}

fn is_same(a: &AttributeRun, b: &AttributeRun) -> bool {
    (a.material, a.group, a.object) == (b.material, b.group, b.object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bvhc_format::NONE;

    fn run(first_triangle: u32, material: u32) -> AttributeRun {
        AttributeRun { first_triangle, material, group: NONE, object: NONE }
    }

    /// A unit square at the origin, one point on its diagonal, and faces over them.
    fn polygons(faces: &[&[u32]], face_runs: Vec<AttributeRun>) -> Polygons {
        let mut end = 0;
        Polygons {
            positions: vec![
                [-0.0, 0.0, 0.0],
                [1.0, 0.0, 0.0],
                [1.0, 1.0, -0.0],
                [0.0, 1.0, 0.0],
                [0.5, 0.5, 0.0],
            ],
            source_vertices: 7,
            corners: faces.concat(),
            ends: faces
                .iter()
                .map(|face| {
                    end += face.len() as u32;
                    end
                })
                .collect(),
            face_runs,
            ..Polygons::default()
        }
    }

    #[test]
    fn only_what_has_no_area_goes_and_is_counted() {
        let faces: [&[u32]; 7] =
            [&[0, 1, 2], &[0, 4, 2], &[], &[3, 1], &[1, 1, 2], &[2, 1, 0], &[0, 1, 2, 3]];
        let mesh = mesh(polygons(&faces, vec![run(0, NONE)]), "a.obj").unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [2, 1, 0], [0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.faces, [0, 5, 6, 6]);
        let corners = [0, 1, 2, 3].map(|triangle| mesh.face_corners.get(triangle));
        assert_eq!(corners, [[0, 1, 2], [0, 1, 2], [0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.dropped, Dropped { triangles: 2, faces: 2 });
        assert_eq!((mesh.source_faces, mesh.source_vertices), (7, 7));
    }

    #[test]
    fn negative_zeros_become_positive() {
        let mesh = mesh(polygons(&[&[0, 1, 2]], vec![run(0, NONE)]), "a.obj").unwrap();
        assert!(mesh.positions.as_flattened().iter().all(|x| x.is_sign_positive()));
    }

    #[test]
    fn runs_count_triangles_without_empty_or_equal_neighbours() {
        let flat: &[u32] = &[0, 4, 2];
        let faces = [flat, &[0, 1, 2, 3], flat, &[0, 1, 2], flat, &[0, 1, 2], flat];
        // Runs 0, 2, 4 and 6 hold no triangle; the remainders of runs 1 and 3 have equal attributes.
        let runs = [9, 5, 8, 5, 7, 6, 4].into_iter().zip(0..).map(|(name, face)| run(face, name));
        let mesh = mesh(polygons(&faces, runs.collect()), "a.obj").unwrap();
        assert_eq!(mesh.faces, [1, 1, 3, 5]);
        assert_eq!(mesh.runs, [run(0, 5), run(3, 6)]);
    }

    #[test]
    fn flatness_is_exact() {
        let near = f32::from_bits(0.5f32.to_bits() + 1);
        assert!(is_flat([[0.0; 3], [1.0; 3], [0.5; 3]]));
        assert!(!is_flat([[0.0; 3], [1.0; 3], [0.5, 0.5, near]]));
        let far = [[1e18, 0.0, 0.0], [1e18, 1e-30, 0.0], [1e18, 0.0, 1e-30]];
        assert!(!is_flat(far));
        assert!(!is_flat(far.map(|[x, y, z]| [z, x, y])));
    }

    #[test]
    fn no_triangle_is_an_error_that_says_why() {
        let error = mesh(polygons(&[&[0, 4, 2], &[]], vec![run(0, NONE)]), "a.obj").unwrap_err();
        let dropped = Dropped { triangles: 1, faces: 1 };
        assert_eq!(error, CleanError::NoTriangle { file: "a.obj".into(), faces: 2, dropped });
    }
}
