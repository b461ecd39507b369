//! Why a source could not be compiled.

use super::user::UserMetadataError;
use crate::clean::CleanError;
use crate::count::{counted, grouped};
use crate::field;
use crate::import::ImportError;

/// Why a source could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The source could not be read as a mesh.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// Nothing was left to compile.
    #[error(transparent)]
    Clean(#[from] CleanError),
    /// The user's keys and values cannot be stored.
    #[error(transparent)]
    UserMetadata(#[from] UserMetadataError),
    /// Compiling would take more memory than it may.
    #[error(
        "{file}: compiling {} would take about {} MiB of memory, more than the limit of {} MiB",
        counted(*triangles, "triangle"), grouped(needed >> 20), grouped(limit >> 20)
    )]
    Memory {
        /// The source's name.
        file: String,
        /// Triangles of the mesh.
        triangles: u64,
        /// How many bytes it would take, about.
        needed: u64,
        /// How many it may take.
        limit: u64,
    },
    /// The threads could not be started.
    #[error("the worker threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The packed blocks take more bytes than references can address.
    #[error("the model is too large for a small layout: its packed blocks would take more than 16 GiB")]
    TooLargeToPack,
    /// There are more blocks than the leaves of a tree for pairs of models can address.
    #[error("the model is too large for trees of other volumes: its blocks take more than 2^28 references")]
    TooLargeForObbs,
    /// There are more rows of nodes than a hybrid of swept spheres can address.
    #[error("the model is too large for a hybrid of swept spheres: its nodes take more than 2^29 rows")]
    TooLargeForHybrid,
    /// There is no set with this number of directions.
    #[error("there are no k-DOPs of {k} directions")]
    NoSuchKdop {
        /// How many were requested.
        k: u32,
    },
    /// A distance field of the model would take too long: its surface has very many open edges, or very large triangles.
    #[error(
        "a distance field of this model takes too long: it has very many open edges or large triangles; close it, or take fewer cells (--field)"
    )]
    FieldTooCostly,
    /// To find the triangles that intersect others would take too long.
    #[error(
        "the triangles that intersect others take too long to find (--intersections): too many are near each other, as around a corner that \
         a hundred thousand share"
    )]
    IntersectionsTooCostly,
    /// A distance field of the model would have no cells.
    #[error(
        "a distance field of this model has no cells: all of its vertices are at one position, where a small layout may have moved them"
    )]
    FieldOfPoint,
    /// Cells of a distance field would be so small that f32 is not precise there.
    #[error("a distance field is not made of a model that extends over {extent:e}: at least {least:e}", least = field::LEAST_EXTENT)]
    FieldTooSmall {
        /// The longest extent of the bounds.
        extent: f32,
    },
    /// A distance field of that many cells, or with a band of that width, is not made.
    #[error(
        "a distance field has {} to {} cells along the longest axis, and a band of {} to {} cells: not {resolution} and {band}",
        field::Options::RESOLUTIONS.start(), field::Options::RESOLUTIONS.end(),
        field::Options::BANDS.start(), field::Options::BANDS.end(),
    )]
    NoSuchField {
        /// The cells along the longest axis that were requested.
        resolution: u32,
        /// The cells of the band.
        band: u32,
    },
}
