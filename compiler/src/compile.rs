//! The whole way from a source's bytes to a file's bytes.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use bvhc_format::record::TreeStatistics;
use rkyv::util::AlignedVec;

use crate::clean::{self, CleanError};
use crate::import::{self, ImportError};
use crate::mesh::Dropped;

/// How much time a compilation may take for a faster file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Binned splits: builds in the least time.
    Fast,
    /// Full sweeps: what most should use.
    #[default]
    Default,
    /// The best tree there is, however long it takes. For now the same as `Default`.
    Best,
}

impl Quality {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Default => "default",
            Self::Best => "best",
        }
    }
}

/// What decides the file's bytes, and how many threads work on them, which does not.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How much time the tree may take.
    pub quality: Quality,
    /// How many threads to use; all processors where `None`.
    pub threads: Option<NonZeroUsize>,
}

/// The stages of a compilation, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Hash and parse the source.
    Import,
    /// Triangulate and clean.
    Clean,
    /// Build the binary tree.
    Build,
    /// Collapse it to wide nodes and pack the triangles into blocks.
    Layout,
    /// Serialise and hash the sections.
    Serialise,
}

impl Stage {
    /// All stages, in their order.
    pub const ALL: [Self; 5] = [Self::Import, Self::Clean, Self::Build, Self::Layout, Self::Serialise];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Clean => "clean",
            Self::Build => "build",
            Self::Layout => "layout",
            Self::Serialise => "serialise",
        }
    }
}

/// Who wants to know how far a compilation is. Called from any thread.
pub trait Progress: Sync {
    /// A stage begins; it will advance by `steps` in all (0 where that is not known).
    fn begin(&self, _stage: Stage, _steps: u64) {}

    /// The stage has advanced by this many steps.
    fn advance(&self, _steps: u64) {}
}

/// Nobody wants to know.
impl Progress for () {}

/// A compiled file and what there is to say about it.
pub struct Compiled {
    /// The file.
    pub bytes: AlignedVec<{ bvhc_format::ALIGNMENT }>,
    /// What happened.
    pub report: Report,
}

/// What a compilation did.
#[derive(Clone, Debug)]
pub struct Report {
    /// BLAKE3 of the source.
    pub source_hash: blake3::Hash,
    /// Length of the source in bytes.
    pub source_length: u64,
    /// Faces of the source.
    pub source_faces: u64,
    /// Vertices of the source.
    pub source_vertices: u64,
    /// Triangles in the file.
    pub triangles: u64,
    /// Distinct positions in the file.
    pub vertices: u64,
    /// What cleaning left out.
    pub dropped: Dropped,
    /// Figures of each tree.
    pub trees: Vec<TreeStatistics>,
    /// Bytes of nodes and blocks.
    pub tree_bytes: u64,
    /// How long each stage took.
    pub seconds: Vec<(Stage, Duration)>,
}

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
    /// The threads could not be started.
    #[error("the worker threads could not be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}
