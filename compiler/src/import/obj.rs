//! Wavefront OBJ, parsed by tobj, which reads through a line filter.

mod common;
mod face;
mod filter;
mod lines;
#[cfg(test)]
mod tests;
mod vertex;

use super::text::{self, Words};
use super::{ImportError, Imported, Input, LineFault, Notes};
use crate::mesh::Polygons;
use filter::Filter;
use tobj::{LoadError, LoadOptions};

/// Reads an OBJ file. Faces are numbered in order of the `f` lines, from 0.
pub(super) fn read(input: &Input<'_>) -> Result<Imported, ImportError> {
    common(input.bytes).map_or_else(|| by_tobj(input), Ok)
}

/// The first words of lines of OBJ files, in groups: vertices, elements, groups, appearance, curves and surfaces.
const WORDS: &[&[u8]] = &[
    b"v",
    b"vt",
    b"vn",
    b"vp",
    b"f",
    b"fo",
    b"l",
    b"p",
    b"g",
    b"o",
    b"s",
    b"mg",
    b"usemtl",
    b"mtllib",
    b"usemap",
    b"maplib",
    b"bevel",
    b"c_interp",
    b"d_interp",
    b"lod",
    b"shadow_obj",
    b"trace_obj",
    b"call",
    b"csh",
    b"cstype",
    b"deg",
    b"bmat",
    b"step",
    b"curv",
    b"curv2",
    b"surf",
    b"parm",
    b"trim",
    b"hole",
    b"scrv",
    b"sp",
    b"end",
    b"con",
    b"ctech",
    b"stech",
];

/// How much of a line is shown.
const SHOWN: usize = 60;

/// If no line of a text is one of OBJ, the number, from 1, and the beginning of the first that is neither empty nor a comment.
pub(super) fn first_strange_line(text: &[u8]) -> Option<(u64, String)> {
    let mut lines = text::Lines::new(text);
    let mut first = None;
    while let Some(line) = lines.next_line() {
        match Words(line).next() {
            Some(word) if WORDS.contains(&word) => return None,
            Some(word) if first.is_none() && !word.starts_with(b"#") => {
                first = Some((lines.number(), &line[..line.len().min(SHOWN)]));
            }
            _ => {}
        }
    }
    first.map(|(number, line)| (number, String::from_utf8_lossy(line).into_owned()))
}

/// Reads an OBJ file whose lines are all of common kinds.
pub fn common(bytes: &[u8]) -> Option<Imported> {
    common::read(super::without_mark(bytes))
}

/// Reads any OBJ file as tobj does: what the other way to read one is held to.
pub fn by_tobj(input: &Input<'_>) -> Result<Imported, ImportError> {
    let name = input.name;
    let text = super::without_mark(input.bytes);
    let mut filter = Filter::new(text);
    let loaded = tobj::load_obj_buf(&mut filter, &LoadOptions::default(), |_| Ok(Default::default()));
    // A dangling index is also an error in a face that was withheld from tobj.
    let dangling = filter.has_dangling_index();
    match loaded {
        Ok((models, _)) if !dangling => {
            let mesh = models.into_iter().next().map(|model| model.mesh);
            let notes = Notes { ignored: std::mem::take(&mut filter.ignored), ..Notes::default() };
            let polygons = polygons(mesh.unwrap_or_default(), filter, name)?;
            Ok(Imported { polygons, notes, inputs: Vec::new() })
        }
        loaded => {
            let (line, fault) = diagnose(text, filter, loaded.err());
            let file = name.to_owned();
            Err(ImportError::Line { file, line, fault })
        }
    }
}

/// The line that stopped tobj or the filter, and why.
fn diagnose(text: &[u8], mut filter: Filter, error: Option<LoadError>) -> (u64, LineFault) {
    if let Some(fault) = filter.fault.take() {
        return (filter.number, fault);
    }
    if let Some(fault) = filter.blame() {
        return (filter.number, fault);
    }
    // tobj checks indices after the last line.
    if let Some(found) = Filter::find_dangling_index(text) {
        return found;
    }
    (filter.number, LineFault::Parser(error.unwrap_or(LoadError::FaceVertexOutOfBounds)))
}

/// Combines the results of tobj and of the filter.
fn polygons(mesh: tobj::Mesh, filter: Filter, name: &str) -> Result<Polygons, ImportError> {
    if mesh.indices.is_empty() {
        return Err(ImportError::NoTriangle {
            file: name.to_owned(),
            vertices: filter.vertices,
            faces: filter.faces,
        });
    }
    let ends = ends(&mesh, &filter);
    let (names, face_runs) = filter.attributes.finish();
    Ok(Polygons {
        positions: mesh.positions.as_chunks().0.to_vec(),
        source_vertices: filter.vertices,
        corners: mesh.indices,
        ends,
        names,
        face_runs,
        reversals: Vec::new(),
    })
}

/// The end of each face's corners, with the withheld faces merged back in.
fn ends(mesh: &tobj::Mesh, filter: &Filter) -> Vec<u32> {
    // tobj omits the arities if all are 3.
    let triangles = mesh.face_arities.is_empty();
    let mut arities = mesh.face_arities.iter().copied();
    let mut short_faces = filter.short_faces.iter().copied().peekable();
    let mut end = 0;
    (0..filter.faces as u32)
        .map(|face| {
            if short_faces.next_if_eq(&face).is_none() {
                end += if triangles { 3 } else { arities.next().unwrap_or(0) };
            }
            end
        })
        .collect()
}
