//! Cleaning: triangulates polygons and drops degenerate triangles, giving the mesh that trees are built on.
//!
//! Only what has no area is dropped: faces of fewer than three corners, and triangles whose corners are exactly
//! collinear. Both are counted. Winding, duplicates, order and coordinates are kept, except that -0 becomes +0; where an
//! importer mirrored faces, the triangles' winding is reversed, so that fronts stay fronts.
//!
//! Each thread takes some thousand faces at a time and writes the triangles to where they would be if none were dropped.

use bvhc_format::MAX_TRIANGLES;
use bvhc_format::record::{AttributeRun, FaceCorners};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use robust::{Coord, orient2d};
use thiserror::Error;

use crate::count::{counted, grouped};
use crate::mesh::{Dropped, FaceCornerList, Mesh, Polygons};
use crate::triangulate::Triangulator;

/// Why polygons cannot be turned into a mesh.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CleanError {
    /// Nothing is left after cleaning.
    #[error(
        "{file}: no triangles: {} of zero area, once scaled and welded ({} of fewer than three corners)",
        counted(*faces, "face"), dropped.faces
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
    #[error("{file}: {}, but at most {} fit in a file", counted(*found, "triangle"), grouped(*limit))]
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
/// Coordinates of -0 become +0, so that equal positions have equal bits. Runs in the current rayon pool.
/// Takes O(corners) time, at worst O(n^1.5) for each polygon of n corners.
pub fn mesh(polygons: Polygons, name: &str) -> Result<Mesh, CleanError> {
    let file = || name.to_owned();
    let expected = count_triangles(0, &polygons.ends);
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

/// How many faces a thread cleans at a time.
const FACES: usize = 1 << 14;

/// How many numbers a thread changes at a time.
const NUMBERS: usize = 1 << 16;

fn triangles(mut polygons: Polygons, expected: usize) -> Mesh {
    // Adding +0 turns -0 into +0 and changes nothing else.
    let numbers = polygons.positions.as_flattened_mut().par_chunks_mut(NUMBERS);
    numbers.for_each(|numbers| numbers.iter_mut().for_each(|x| *x += 0.0));
    let mut triangles = vec![[0; 3]; expected];
    let mut faces = vec![0; expected];
    let mut packed = vec![0; expected];
    let places = Places { triangles: &mut triangles, faces: &mut faces, packed: &mut packed };
    let parts: Vec<Part> =
        places.of_parts(&polygons.ends).into_par_iter().map(|part| part.clean(&polygons)).collect();
    let mut kept = 0;
    let mut listed = Vec::new();
    for part in &parts {
        close_gap(&mut triangles, part, kept);
        close_gap(&mut faces, part, kept);
        close_gap(&mut packed, part, kept);
        listed.extend(
            part.listed
                .iter()
                .map(|(index, corners)| FaceCorners { triangle: (kept + index) as u32, corners: *corners }),
        );
        kept += part.kept;
    }
    triangles.truncate(kept);
    faces.truncate(kept);
    packed.truncate(kept);
    let mut face_corners = FaceCornerList { packed, listed };
    face_corners.simplify();
    let dropped = parts.iter().map(|part| part.dropped).fold(Dropped::default(), |all, more| Dropped {
        triangles: all.triangles + more.triangles,
        faces: all.faces + more.faces,
    });
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
        fans: parts.iter().map(|part| part.fans).sum(),
    }
}

/// Moves a part's elements to where the ones before it end.
fn close_gap<T: Copy>(all: &mut [T], part: &Part, end: usize) {
    if part.start > end {
        all.copy_within(part.start..part.start + part.kept, end);
    }
}

/// Room for the triangles of some faces.
struct Places<'a> {
    triangles: &'a mut [[u32; 3]],
    faces: &'a mut [u32],
    packed: &'a mut [u16],
}

impl<'a> Places<'a> {
    /// Divides the room among parts of faces, given where the corners of each face end.
    fn of_parts(mut self, ends: &[u32]) -> Vec<Uncleaned<'a>> {
        let (mut start, mut first_corner, mut first_face) = (0, 0, 0);
        let mut parts = Vec::new();
        for ends in ends.chunks(FACES) {
            let room = count_triangles(first_corner, ends) as usize;
            let (triangles, other_triangles) = self.triangles.split_at_mut(room);
            let (faces, other_faces) = self.faces.split_at_mut(room);
            let (packed, other_packed) = self.packed.split_at_mut(room);
            self = Self { triangles: other_triangles, faces: other_faces, packed: other_packed };
            let places = Self { triangles, faces, packed };
            parts.push(Uncleaned { first_face, faces: ends.len(), first_corner, start, places });
            (start, first_face) = (start + room, first_face + ends.len());
            first_corner = ends.last().copied().unwrap_or(first_corner);
        }
        parts
    }
}

/// Some of the faces, and room for their triangles.
struct Uncleaned<'a> {
    first_face: usize,
    faces: usize,
    first_corner: u32,
    /// Where the room starts.
    start: usize,
    places: Places<'a>,
}

/// What became of some of the faces.
struct Part {
    /// Where their room starts.
    start: usize,
    /// How many triangles are there.
    kept: usize,
    /// Which of these have face corners that cannot be packed.
    listed: Vec<(usize, [u32; 3])>,
    dropped: Dropped,
    fans: u64,
}

impl Uncleaned<'_> {
    fn clean(self, polygons: &Polygons) -> Part {
        let Self { first_face, faces, first_corner, start, places } = self;
        let mut part = Part { start, kept: 0, listed: Vec::new(), dropped: Dropped::default(), fans: 0 };
        let mut triangulator = Triangulator::default();
        let before = polygons.reversals.partition_point(|first| (*first as usize) < first_face);
        let mut is_reversed = before % 2 == 1;
        let mut reversals = polygons.reversals[before..].iter().copied().peekable();
        let mut first = first_corner;
        for (face, end) in (first_face as u32..).zip(&polygons.ends[first_face..first_face + faces]) {
            let corners = &polygons.corners[first as usize..*end as usize];
            first = *end;
            while reversals.next_if(|first| *first <= face).is_some() {
                is_reversed = !is_reversed;
            }
            if corners.len() < 3 {
                part.dropped.faces += 1;
                continue;
            }
            let kept = part.kept;
            let is_tiled = triangulator.polygon(&polygons.positions, corners, |[a, b, c]| {
                let of_face = if is_reversed { [a, c, b] } else { [a, b, c] };
                let triangle = of_face.map(|corner| corners[corner as usize]);
                if is_flat(triangle.map(|corner| polygons.positions[corner as usize])) {
                    part.dropped.triangles += 1;
                    return;
                }
                places.triangles[part.kept] = triangle;
                places.faces[part.kept] = face;
                places.packed[part.kept] = FaceCorners::pack(of_face).unwrap_or_else(|| {
                    part.listed.push((part.kept, of_face));
                    FaceCorners::LISTED
                });
                part.kept += 1;
            });
            if !is_tiled && part.kept > kept {
                part.fans += 1;
            }
        }
        part
    }
}

/// How many triangles faces have, given where the corners of the first start and those of each end.
fn count_triangles(mut start: u32, ends: &[u32]) -> u64 {
    let triangles = |&end: &u32| {
        let corners = end - start;
        start = end;
        u64::from(corners.saturating_sub(2))
    };
    ends.iter().map(triangles).sum()
}

/// Whether three points are exactly collinear, that is, whether their projections along all three axes are.
pub(crate) fn is_flat(corners: [[f32; 3]; 3]) -> bool {
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

    /// Faces of all kinds, and reversals, in several parts: each copy of them is cleaned as the first is.
    #[test]
    fn many_faces_are_cleaned_as_few_are() {
        let circle = |corner: u32| {
            let (sine, cosine) = (0.15 * corner as f32).sin_cos();
            [cosine, sine, 0.0]
        };
        let round: Vec<u32> = (5..45).collect();
        let faces: [&[u32]; 9] =
            [&[0, 1, 2], &[0, 4, 2], &[], &[3, 1], &[1, 1, 2], &[2, 1, 0], &[0, 1, 2, 3], &round, &[0, 1, 3]];
        let copies = |count: u32| {
            let mut polygons = polygons(&faces.repeat(count as usize), vec![run(0, NONE)]);
            polygons.positions.extend((5..45).map(circle));
            // The last four faces of each copy are reversed.
            polygons.reversals = (0..count).flat_map(|copy| [9 * copy + 5, 9 * copy + 9]).collect();
            mesh(polygons, "a.obj").unwrap()
        };
        let (one, all) = (copies(1), copies(5000));
        let count = one.triangles.len();
        assert_eq!((count, one.face_corners.get(0), one.face_corners.get(1)), (43, [0, 1, 2], [0, 2, 1]));
        assert!(!one.face_corners.listed.is_empty());
        assert_eq!(all.triangles, one.triangles.repeat(5000));
        assert_eq!(all.dropped, Dropped { triangles: 2 * 5000, faces: 2 * 5000 });
        for triangle in 0..all.triangles.len() {
            let (copy, own) = (triangle / count, triangle % count);
            assert_eq!(all.faces[triangle], one.faces[own] + 9 * copy as u32);
            assert_eq!(all.face_corners.get(triangle as u32), one.face_corners.get(own as u32));
        }
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
