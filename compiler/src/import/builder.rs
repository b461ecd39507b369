//! Collects the vertices and faces of a source, with the checks that all formats share.

use bvhc_format::MAX_COORDINATE;

use super::attributes::{Attribute, Attributes};
use super::{Counted, DataFault, ImportError, MAX_CORNERS, MAX_COUNT};
use crate::mesh::Polygons;

/// Vertices and faces so far.
#[derive(Default)]
pub(super) struct Builder {
    polygons: Polygons,
    attributes: Attributes,
    is_reversed: bool,
    source_vertices: Option<u64>,
}

impl Builder {
    /// How many vertices there are.
    pub(super) fn vertices(&self) -> u32 {
        self.polygons.positions.len() as u32
    }

    /// Makes room for this many more vertices and corners of faces, as far as there is memory for them.
    pub(super) fn reserve(&mut self, vertices: usize, corners: usize) {
        // Without room it grows step by step, and fails where that fails.
        let _ = self.polygons.positions.try_reserve(vertices);
        let _ = self.polygons.corners.try_reserve(corners);
        let _ = self.polygons.ends.try_reserve(corners / 3);
    }

    /// How many vertices the source has, if not as many as are added.
    pub(super) fn set_source_vertices(&mut self, vertices: u64) {
        self.source_vertices = Some(vertices);
    }

    /// How many faces there are.
    pub(super) fn faces(&self) -> u32 {
        self.polygons.ends.len() as u32
    }

    /// Adds a vertex. Coordinates are rounded to the nearest f32.
    pub(super) fn vertex(&mut self, position: [f64; 3]) -> Result<(), DataFault> {
        let position = check_position(position)?;
        at_most(self.polygons.positions.len() as u64 + 1, MAX_COUNT, Counted::Vertices)?;
        self.polygons.positions.push(position);
        Ok(())
    }

    /// The faces from here on have this material, group or object, or none if the name is empty.
    pub(super) fn name(&mut self, attribute: Attribute, name: &str) {
        self.attributes.set(attribute, name.to_owned());
    }

    /// Whether the faces from here on have their fronts where their corners go clockwise.
    pub(super) fn set_reversed(&mut self, is_reversed: bool) {
        if is_reversed != self.is_reversed {
            self.is_reversed = is_reversed;
            let face = self.polygons.ends.len() as u32;
            // Without a face in between, the last change is undone.
            if self.polygons.reversals.last() == Some(&face) {
                self.polygons.reversals.pop();
            } else {
                self.polygons.reversals.push(face);
            }
        }
    }

    /// Adds a face between vertices that were added before. One of fewer than three corners counts as a face.
    pub(super) fn face(&mut self, corners: &[u32]) -> Result<(), DataFault> {
        let vertices = self.polygons.positions.len() as u64;
        if let Some(found) = corners.iter().find(|corner| u64::from(**corner) >= vertices) {
            return Err(DataFault::Index { found: i64::from(*found), vertices });
        }
        let face = self.polygons.ends.len() as u32;
        at_most(u64::from(face) + 1, MAX_COUNT, Counted::Faces)?;
        if corners.len() >= 3 {
            let end = self.polygons.corners.len() as u64 + corners.len() as u64;
            at_most(end, MAX_CORNERS, Counted::Corners)?;
            self.polygons.corners.extend_from_slice(corners);
        }
        self.polygons.ends.push(self.polygons.corners.len() as u32);
        self.attributes.face(face);
        Ok(())
    }

    /// The polygons; `name` is the source's name in messages.
    pub(super) fn finish(self, name: &str) -> Result<Polygons, ImportError> {
        let vertices = self.source_vertices.unwrap_or(self.polygons.positions.len() as u64);
        let faces = self.polygons.ends.len() as u64;
        if self.polygons.corners.is_empty() {
            return Err(ImportError::NoTriangle { file: name.to_owned(), vertices, faces });
        }
        let (names, face_runs) = self.attributes.finish();
        Ok(Polygons { source_vertices: vertices, names, face_runs, ..self.polygons })
    }
}

/// A position as stored.
fn check_position(position: [f64; 3]) -> Result<[f32; 3], DataFault> {
    if let Some(found) = position.into_iter().find(|x| !x.is_finite()) {
        return Err(DataFault::NotFinite { found });
    }
    let rounded = position.map(|x| x as f32);
    match (0..3).find(|axis| rounded[*axis].abs() > MAX_COORDINATE) {
        Some(axis) => Err(DataFault::TooLarge { found: position[axis] }),
        None => Ok(rounded),
    }
}

fn at_most(count: u64, limit: u64, counted: Counted) -> Result<(), DataFault> {
    if count > limit { Err(DataFault::TooMany { counted, limit }) } else { Ok(()) }
}
