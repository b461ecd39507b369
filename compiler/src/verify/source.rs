//! Compares a compiled file with the model it should have been compiled from.

use std::fmt;

use bvhc_format::NONE;
use bvhc_format::record::AttributeRun;
use bvhc_runtime::{Blocks, Model};
use rayon::slice::ParallelSliceMut;

use super::block;
use super::names::NameList;
use crate::clean;
use crate::compile::CompileError;
use crate::file;
use crate::import::{self, Imported, Input, OtherInput};
use crate::mesh::{Mesh, Names};
use crate::placement::Placement;

/// Where a file differs from a source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The source cannot be read as a mesh.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The source has a different length.
    #[error("compiled from a source of {found} bytes; {source_name} has {expected}")]
    Length {
        /// The length in the file.
        found: u64,
        /// The length of the source.
        expected: u64,
        /// The source.
        source_name: String,
    },
    /// The source has different bytes.
    #[error("compiled from a source with hash {found}; {source_name} has {expected}")]
    Hash {
        /// The hash in the file.
        found: blake3::Hash,
        /// The hash of the source.
        expected: blake3::Hash,
        /// The source.
        source_name: String,
    },
    /// Another file that the source refers to has different bytes, or is not referred to any more.
    #[error("compiled from another version of `{name}`, which the source refers to")]
    Input {
        /// Its name in the source.
        name: String,
    },
    /// A count differs.
    #[error("the file counts {found} {counted}, the source has {expected}")]
    Count {
        /// What is counted.
        counted: Counted,
        /// The count in the file.
        found: u64,
        /// The count in the source.
        expected: u64,
    },
    /// A triangle has different corners.
    #[error("triangle {triangle} has the corners {found:?} in the file, {expected:?} in the source")]
    Corners {
        /// The triangle.
        triangle: u32,
        /// Its corners in the file.
        found: [[f32; 3]; 3],
        /// Its corners in the source.
        expected: [[f32; 3]; 3],
    },
    /// A triangle's corners differ from those in the source by more than the file's position error.
    #[error(
        "triangle {triangle} has the corners {found:?} in the file, {expected:?} in the source: farther than {error} apart (P4)"
    )]
    Moved {
        /// The triangle.
        triangle: u32,
        /// Its corners in the file.
        found: [[f32; 3]; 3],
        /// Its corners in the source.
        expected: [[f32; 3]; 3],
        /// The position error: the largest difference allowed on each axis.
        error: f32,
    },
    /// A vertex of the source has two different positions in the file.
    #[error("the vertex {vertex:?} is at {one:?} for one triangle and at {other:?} for another (P5)")]
    Seam {
        /// Its position in the source.
        vertex: [f32; 3],
        /// Its position in one triangle.
        one: [f32; 3],
        /// Its position in another triangle.
        other: [f32; 3],
    },
    /// A triangle belongs to a different face.
    #[error("triangle {triangle} is of face {found} in the file, of face {expected} in the source")]
    Face {
        /// The triangle.
        triangle: u32,
        /// Its face in the file.
        found: u32,
        /// Its face in the source.
        expected: u32,
    },
    /// A triangle has different corners of its face.
    #[error(
        "triangle {triangle} has the corners {found:?} of its face in the file, {expected:?} in the source"
    )]
    FaceCorners {
        /// The triangle.
        triangle: u32,
        /// Its corners in the file.
        found: [u32; 3],
        /// Its corners in the source.
        expected: [u32; 3],
    },
    /// A triangle has a different name.
    #[error("triangle {triangle} has the {list} {found:?} in the file, {expected:?} in the source")]
    Name {
        /// The triangle.
        triangle: u32,
        /// Whether it is the material, the group or the object.
        list: NameList,
        /// The name in the file.
        found: Option<String>,
        /// The name in the source.
        expected: Option<String>,
    },
}

/// What is counted in file and source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Counted {
    Faces,
    Vertices,
    Triangles,
    DroppedTriangles,
    DroppedFaces,
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Faces => "faces",
            Self::Vertices => "vertices",
            Self::Triangles => "triangles",
            Self::DroppedTriangles => "dropped triangles",
            Self::DroppedFaces => "dropped faces",
        })
    }
}

/// Compares a model that [`verify`](super::verify) accepts with a source.
///
/// # Errors
/// The first difference, or why the source cannot be read.
pub fn compare(model: &Model<'_>, source: &Input<'_>) -> Result<(), SourceError> {
    let name = source.name;
    check_bytes(model, source.bytes, name)?;
    let Imported { mut polygons, inputs, .. } = import::read_all(source).map_err(CompileError::from)?;
    check_inputs(model, &inputs)?;
    let options = String::from_utf8_lossy(model.sections().metadata().options.get());
    Placement::of_flags(&options).apply(&mut polygons, name).map_err(CompileError::from)?;
    let mesh = clean::mesh(polygons, name).map_err(CompileError::from)?;
    check_counts(model, &mesh)?;
    check_corners(model, &mesh)?;
    check_seams(model, &mesh)?;
    check_faces(model, &mesh)?;
    check_names(model, &mesh)
}

fn check_bytes(model: &Model<'_>, source: &[u8], name: &str) -> Result<(), SourceError> {
    let metadata = model.sections().metadata();
    let (found, expected) = (metadata.source_length.to_native(), source.len() as u64);
    if found != expected {
        return Err(SourceError::Length { found, expected, source_name: name.to_owned() });
    }
    let (found, expected) = (metadata.source_hash.into(), file::hash(source));
    if found != expected {
        return Err(SourceError::Hash { found, expected, source_name: name.to_owned() });
    }
    Ok(())
}

/// The other files that the source refers to.
fn check_inputs(model: &Model<'_>, inputs: &[OtherInput]) -> Result<(), SourceError> {
    let metadata = model.sections().metadata();
    let found = |at: usize| {
        let record = metadata.inputs.get().get(at)?;
        let name = metadata.input_names.get(at)?.to_owned();
        Some(OtherInput { name, hash: record.hash.into(), length: record.length })
    };
    for at in 0..inputs.len().max(metadata.inputs.len()) {
        let (found, expected) = (found(at), inputs.get(at));
        if found.as_ref() != expected {
            let name = expected.or(found.as_ref()).map(|input| input.name.clone()).unwrap_or_default();
            return Err(SourceError::Input { name });
        }
    }
    Ok(())
}

fn check_counts(model: &Model<'_>, mesh: &Mesh) -> Result<(), SourceError> {
    let metadata = model.sections().metadata();
    let counts = [
        (Counted::Faces, metadata.source_faces, mesh.source_faces),
        (Counted::Vertices, metadata.source_vertices, mesh.source_vertices),
        (Counted::Triangles, metadata.triangles, mesh.triangles.len() as u64),
        (Counted::DroppedTriangles, metadata.dropped_triangles, mesh.dropped.triangles),
        (Counted::DroppedFaces, metadata.dropped_faces, mesh.dropped.faces),
    ];
    for (counted, found, expected) in counts {
        let found = found.to_native();
        if found != expected {
            return Err(SourceError::Count { counted, found, expected });
        }
    }
    Ok(())
}

fn check_corners(model: &Model<'_>, mesh: &Mesh) -> Result<(), SourceError> {
    let numbers = model.sections().geometry().triangles.get();
    let error = model.sections().blocks().position_error();
    let near = |(found, expected): (&f32, &f32)| {
        (f64::from(*found) - f64::from(*expected)).abs() <= f64::from(error)
    };
    for (_, block) in model.sections().blocks().iter() {
        let row = &numbers[block.first as usize..][..usize::from(block.triangles)];
        for (lane, number) in row.iter().enumerate() {
            let triangle = number.to_native();
            let (found, expected) = (block::corners(&block, lane), mesh.corners(triangle));
            if !found.as_flattened().iter().zip(expected.as_flattened()).all(near) {
                return Err(match model.sections().blocks() {
                    Blocks::Plain(_) => SourceError::Corners { triangle, found, expected },
                    Blocks::Packed(_) => SourceError::Moved { triangle, found, expected, error },
                });
            }
        }
    }
    Ok(())
}

/// Corners with equal positions in the source have equal positions in the file.
fn check_seams(model: &Model<'_>, mesh: &Mesh) -> Result<(), SourceError> {
    let bits = |position: [f32; 3]| position.map(f32::to_bits);
    let numbers = model.sections().geometry().triangles.get();
    let mut pairs = Vec::new();
    for (_, block) in model.sections().blocks().iter() {
        let row = &numbers[block.first as usize..][..usize::from(block.triangles)];
        for (lane, number) in row.iter().enumerate() {
            let corners = mesh.corners(number.to_native()).into_iter().zip(block::corners(&block, lane));
            pairs.extend(corners.map(|(source, found)| (bits(source), bits(found))));
        }
    }
    pairs.par_sort_unstable();
    pairs.dedup();
    match pairs.array_windows().find(|[(source, _), (next, _)]| source == next) {
        Some([(source, one), (_, other)]) => {
            let [vertex, one, other] = [source, one, other].map(|bits| bits.map(f32::from_bits));
            Err(SourceError::Seam { vertex, one, other })
        }
        None => Ok(()),
    }
}

fn check_faces(model: &Model<'_>, mesh: &Mesh) -> Result<(), SourceError> {
    let faces = model.sections().geometry().faces.get();
    for (triangle, &expected) in (0..).zip(&mesh.faces) {
        let found = faces.get(triangle as usize).map_or(triangle, |face| face.to_native());
        if found != expected {
            return Err(SourceError::Face { triangle, found, expected });
        }
        let expected = mesh.face_corners.get(triangle);
        let found = model.source_of(triangle).map_or([0; 3], |source| source.corners);
        if found != expected {
            return Err(SourceError::FaceCorners { triangle, found, expected });
        }
    }
    Ok(())
}

/// Compares the names of each triangle; runs may be divided and names numbered differently.
fn check_names(model: &Model<'_>, mesh: &Mesh) -> Result<(), SourceError> {
    let (found, expected) = (model.sections().geometry().runs.get(), &mesh.runs);
    let starts = found.iter().chain(expected).map(|run| run.first_triangle);
    for triangle in starts {
        let (found, expected) = (run_of(found, triangle), run_of(expected, triangle));
        for list in NameList::ALL {
            let found = list.of(model.sections().metadata()).get(index(list, found) as usize);
            let expected = names(list, &mesh.names).get(index(list, expected) as usize).map(String::as_str);
            if found != expected {
                let [found, expected] = [found, expected].map(|name| name.map(str::to_owned));
                return Err(SourceError::Name { triangle, list, found, expected });
            }
        }
    }
    Ok(())
}

/// The run that a triangle is in.
fn run_of(runs: &[AttributeRun], triangle: u32) -> AttributeRun {
    let after = runs.partition_point(|run| run.first_triangle <= triangle);
    let nameless = AttributeRun { first_triangle: 0, material: NONE, group: NONE, object: NONE };
    after.checked_sub(1).map_or(nameless, |index| runs[index])
}

/// A name's index in its list, or NONE, which is beyond every list.
fn index(list: NameList, run: AttributeRun) -> u32 {
    match list {
        NameList::Material => run.material,
        NameList::Group => run.group,
        NameList::Object => run.object,
    }
}

fn names(list: NameList, names: &Names) -> &[String] {
    match list {
        NameList::Material => &names.materials,
        NameList::Group => &names.groups,
        NameList::Object => &names.objects,
    }
}
