//! The errors of importers, with their location.

use bvhc_format::MAX_COORDINATE;
use thiserror::Error;

use super::FORMATS;
use crate::count::{counted, there_are};

/// Why a model file cannot be used.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ImportError {
    /// The input is one of bvhc's own output files.
    #[error("{file}: this is a compiled bvhc file; give the model that it was compiled from")]
    Compiled {
        /// The input's name.
        file: String,
    },
    /// The input is a Biovision Hierarchy file.
    #[error("{file}: this is a motion-capture file (Biovision Hierarchy, also called .bvh), not a mesh")]
    MotionCapture {
        /// The input's name.
        file: String,
    },
    /// The input places meshes in a world and is none itself.
    #[error("{file}: this is a world's manifest: `bvhc world MANIFEST -o OUT` compiles it")]
    Manifest {
        /// The input's name.
        file: String,
    },
    /// The input is in another format.
    #[error("{file}: this is {format}; bvhc reads {FORMATS}: export the model as one of these")]
    OtherFormat {
        /// The input's name.
        file: String,
        /// What the format is called.
        format: &'static str,
    },
    /// The input is binary, or text in UTF-16.
    #[error(
        "{file}: this is neither a text, byte {offset} is zero, nor a binary file of a format that bvhc reads: {FORMATS}"
    )]
    NotText {
        /// The input's name.
        file: String,
        /// The offset of the first zero byte.
        offset: usize,
    },
    /// No line of a text is one of an OBJ file.
    #[error(
        "{file}, line {line}: {text:?} is no line of an OBJ file, nor is any other; bvhc reads {FORMATS}"
    )]
    NotObj {
        /// The input's name.
        file: String,
        /// The first line that is neither empty nor a comment, from 1.
        line: u64,
        /// How it begins.
        text: String,
    },
    /// A line is wrong.
    #[error("{file}, line {line}: {fault}")]
    Line {
        /// The input's name.
        file: String,
        /// The line's number, from 1; for a continued line, that of its first part.
        line: u64,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// Something is wrong with the data of a file.
    #[error("{file}, {place}: {fault}")]
    Data {
        /// The input's name.
        file: String,
        /// Where, in the words of the format: a line, an element or a byte.
        place: String,
        /// What is wrong.
        fault: DataFault,
    },
    /// A file that the model refers to cannot be read.
    #[error("{file}: the file `{other}`, which it refers to, cannot be read: {reason}")]
    OtherFile {
        /// The input's name.
        file: String,
        /// The other file's name, as the model writes it.
        other: String,
        /// Why not.
        reason: String,
    },
    /// A coordinate of a mesh in memory is not finite or too large.
    #[error(
        "{file}: vertex {vertex} is at {found:?}; coordinates must be finite and at most {MAX_COORDINATE:e}"
    )]
    Position {
        /// The mesh's name.
        file: String,
        /// The vertex, from 0.
        vertex: usize,
        /// Its position.
        found: [f32; 3],
    },
    /// A triangle of a mesh in memory refers to a vertex that does not exist.
    #[error(
        "{file}: triangle {triangle} refers to vertex {found}, but {}, counted from 0", there_are(*vertices, "vertex")
    )]
    Corner {
        /// The mesh's name.
        file: String,
        /// The triangle, from 0.
        triangle: usize,
        /// The index.
        found: u32,
        /// How many vertices there are.
        vertices: u64,
    },
    /// The scale of a placement.
    #[error("{file}: the scale is {found}; it must be finite and greater than 0")]
    Scale {
        /// The input's name.
        file: String,
        /// The scale.
        found: f64,
    },
    /// A mesh in memory has more of something than bvhc can number.
    #[error("{file}: more than {limit} {counted}")]
    TooMany {
        /// The mesh's name.
        file: String,
        /// What there are too many of.
        counted: Counted,
        /// How many there may be.
        limit: u64,
    },
    /// There is nothing to build a tree on.
    #[error(
        "{file}: no triangles: the file has {} and {}, none of them with three corners or more",
        counted(*vertices, "vertex"), counted(*faces, "face")
    )]
    NoTriangle {
        /// The input's name.
        file: String,
        /// How many vertices there are.
        vertices: u64,
        /// How many faces there are, all of one or two corners.
        faces: u64,
    },
}

/// What is wrong with the data of a file, after its place.
pub(super) type Fault = (String, DataFault);

/// What is wrong with the data of a file.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DataFault {
    /// A coordinate is NaN or infinite.
    #[error("the coordinate {found} is not a finite number")]
    NotFinite {
        /// The coordinate.
        found: f64,
    },
    /// A coordinate is finite but too large to compute with.
    #[error("the coordinate {found:e} is beyond the limit of {MAX_COORDINATE:e}")]
    TooLarge {
        /// The coordinate.
        found: f64,
    },
    /// A face refers to a vertex that does not exist.
    #[error("a face refers to vertex {found}, but {}, counted from 0", there_are(*vertices, "vertex"))]
    Index {
        /// The index.
        found: i64,
        /// How many vertices there are.
        vertices: u64,
    },
    /// There is more of something than bvhc can number.
    #[error("more than {limit} {counted}")]
    TooMany {
        /// What there are too many of.
        counted: Counted,
        /// How many there may be.
        limit: u64,
    },
    /// The file ends too early.
    #[error("the file ends where {wanted} should be")]
    Ends {
        /// What is missing.
        wanted: String,
    },
    /// There is something else than what the format allows here.
    #[error("{found}, where {wanted} should be")]
    Unexpected {
        /// What there is.
        found: String,
        /// What should be there.
        wanted: String,
    },
    /// A rule of the format is broken, or something is asked for that bvhc cannot do.
    #[error("{0}")]
    Rule(String),
}

/// What is wrong with a line.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LineFault {
    /// There is a carriage return within a line.
    #[error("a carriage return within the line; lines end with LF or CR LF, or all of them with CR")]
    CarriageReturn,
    /// A number of a vertex is not written as a number.
    #[error("`{found}` is not a number")]
    Number {
        /// The text in its place.
        found: String,
    },
    /// A vertex has too few coordinates.
    #[error("a vertex needs three coordinates, this one has {found}")]
    Coordinates {
        /// How many there are.
        found: usize,
    },
    /// A coordinate is NaN, infinite or beyond the range of `f32`.
    #[error("the coordinate `{found}` is not a finite number")]
    NotFinite {
        /// The coordinate's text.
        found: String,
    },
    /// A coordinate is finite but too large to compute with.
    #[error("the coordinate {found} is beyond the limit of {MAX_COORDINATE:e}")]
    TooLarge {
        /// The coordinate, divided by the vertex's weight if it has one.
        found: f32,
    },
    /// The weight of a vertex, its fourth number, is zero; coordinates are divided by it.
    #[error("the vertex's weight is zero: its position is infinite")]
    ZeroWeight,
    /// A corner of a face is not written as an integer.
    #[error("the face's corner `{found}` is not a vertex index")]
    Index {
        /// The corner's text.
        found: String,
    },
    /// A corner refers to vertex 0; OBJ counts from 1.
    #[error("a face refers to vertex 0; indices count from 1")]
    IndexZero,
    /// A corner refers to a vertex that does not exist.
    #[error("a face refers to vertex {found}, but {}{}", there_are(*vertices, "vertex"), so_far(found))]
    IndexOutOfRange {
        /// The index as written.
        found: String,
        /// How many vertices there are: in the file, or before the line if the index is negative.
        vertices: u64,
    },
    /// There is more of something than bvhc can number.
    #[error("more than {limit} {counted}")]
    TooMany {
        /// What there are too many of.
        counted: Counted,
        /// How many there may be.
        limit: u64,
    },
    /// The OBJ parser refused the line for another reason.
    #[error(transparent)]
    Parser(#[from] tobj::LoadError),
}

/// Something that files may hold a limited number of.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Counted {
    /// Vertices.
    #[error("vertices")]
    Vertices,
    /// Faces.
    #[error("faces")]
    Faces,
    /// Corners of all faces.
    #[error("corners of faces")]
    Corners,
}

fn so_far(index: &str) -> &'static str {
    if index.starts_with('-') { " above this line" } else { "" }
}
