//! Errors of opening bytes and files.

#[cfg(feature = "mmap")]
use core::fmt;
#[cfg(feature = "mmap")]
use std::path::{Path, PathBuf};

use bvhc_format::hull::MAX_CELLS;
use bvhc_format::section::{KindName, SECTION_VERSION, SectionKind};

#[cfg(feature = "mmap")]
use crate::world::WorldError;

/// Why bytes are not a model that this runtime can query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The bytes end before the header and the directory do.
    #[error("the file ends after {found} bytes, inside the header, which takes {expected}")]
    TooShort {
        /// The number of bytes.
        found: u64,
        /// The number of bytes that header and directory take.
        expected: u64,
    },
    /// The bytes are the text of a motion-capture file, whose suffix is also `.bvh`.
    #[error("this is a motion-capture file (Biovision Hierarchy), not a compiled bvhc model")]
    MotionCapture,
    /// The magic is missing: the bytes are not a bvhc file.
    #[error("the file does not begin with bvhc's magic; is it a file that bvhc compiled?")]
    NotBvhc {
        /// The bytes in place of the magic.
        found: [u8; 12],
    },
    /// The file's major version is not the one this runtime reads.
    #[error(
        "the file has format version {major}.{minor}; this runtime reads version {}.x: {}",
        bvhc_format::VERSION_MAJOR,
        advice(*major)
    )]
    Version {
        /// The file's major version.
        major: u16,
        /// The file's minor version.
        minor: u16,
    },
    /// The file needs features that this runtime does not have.
    #[error("the file needs features {unknown:#x} that this runtime does not have")]
    Features {
        /// The feature flags that this runtime does not know.
        unknown: u32,
    },
    /// The file has parts that are compiled into this runtime only with the named Cargo feature.
    #[error("the file can be queried only if bvhc-runtime is built with its feature `{0}`")]
    WithoutFeature(&'static str),
    /// The header's length differs from the number of bytes.
    #[error("the header says that the file has {header} bytes, but it has {found}")]
    Length {
        /// The number of bytes.
        found: u64,
        /// The length in the header.
        header: u64,
    },
    /// The bytes do not start at a multiple of 64 in memory.
    #[error(
        "the bytes start {misalignment} bytes past a multiple of {} in memory; embed them with `include_aligned!`, or use \
         `LoadedModel` or `MappedModel`",
        bvhc_format::ALIGNMENT
    )]
    Misaligned {
        /// The address modulo 64.
        misalignment: usize,
    },
    /// The file has more sections than are allowed.
    #[error("the file has {found} sections; at most {} are allowed", bvhc_format::header::MAX_SECTIONS)]
    TooManySections {
        /// The number of sections in the header.
        found: u32,
    },
    /// A directory entry breaks a rule.
    #[error("section {index} ({}): {fault}", KindName(*kind))]
    Section {
        /// Index in the directory, from 0.
        index: u32,
        /// The entry's kind.
        kind: u32,
        /// Which rule it breaks.
        fault: SectionFault,
    },
    /// A required section is missing.
    #[error("the {} section is missing", .0.name())]
    Missing(SectionKind),
    /// The file has no mesh of this index.
    #[error("there is no mesh {mesh}: the file has {count}, counted from 0")]
    NoSuchMesh {
        /// The requested mesh.
        mesh: u32,
        /// The number of meshes.
        count: u32,
    },
    /// The file is a thin world: its meshes are in files of their own.
    #[error(
        "the file is a thin world, which has no meshes of its own: open it as `ThinWorld`, and hand it its meshes"
    )]
    Thin,
    /// A section's payload is not a valid archive of its type.
    #[error("the {} section is corrupt: its archive does not check", .0.name())]
    Archive(SectionKind),
    /// A tree is deeper than is allowed.
    #[error("the {} section has {found} levels; at most {most} are allowed", kind.name())]
    TooDeep {
        /// The tree.
        kind: SectionKind,
        /// Levels of the tree, as stored.
        found: u32,
        /// The most levels that such a tree may have.
        most: u32,
    },
    /// The packed-blocks section is too small for the number of blocks it gives.
    #[error("the packed-blocks section says that there are {count} blocks in its {bytes} bytes")]
    PackedBlocks {
        /// The number of blocks it gives.
        count: u32,
        /// The number of bytes it has for them.
        bytes: u64,
    },
    /// The number of directions or the kind of tables is invalid, or the number of rows is not a multiple of a node's.
    #[error("the kdop-tree section has {rows} rows for nodes of {k} directions with tables of kind {tables}")]
    KdopTree {
        /// The number of directions, as stored.
        k: u32,
        /// The kind of tables, as stored.
        tables: u32,
        /// The number of rows.
        rows: u64,
    },
    /// The kind of cores is invalid, or the number of rows does not fit whole nodes.
    #[error("the swept-tree section has {rows} rows for nodes with cores of kind {core}")]
    SweptTree {
        /// The kind of cores, as stored.
        core: u32,
        /// The number of rows.
        rows: u64,
    },
    /// The samples and the tree of oriented boxes have different numbers of nodes.
    #[error("the samples section has {found} nodes beside the {expected} of the obb-tree section")]
    Samples {
        /// Nodes of samples.
        found: u64,
        /// Nodes of oriented boxes.
        expected: u64,
    },
    /// The hull has no vertices, or the number of its starts is not that of a cube of cells.
    #[error(
        "the hull section has {vertices} vertices, and {starts} starts instead of 6 n^2 with n from 1 to {MAX_CELLS}"
    )]
    Hull {
        /// The number of vertices.
        vertices: u64,
        /// The number of starts.
        starts: u64,
    },
    /// The box around the model is not finite, is inverted, or is too large.
    #[error("the bounds of the model are not a box of finite numbers within 2^60")]
    Bounds,
    /// The CPU has no instructions that the runtime can use.
    #[error("this CPU lacks SSE4.2 (x86-64-v2), which the runtime needs")]
    Cpu,
}

/// Which rule a directory entry breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SectionFault {
    /// The section does not start where the one before it, padded to 64 bytes, ends.
    #[error("it starts at byte {found}, but the sections before it end at {expected}")]
    Offset {
        /// Where the entry says it starts.
        found: u64,
        /// Where it must start.
        expected: u64,
    },
    /// The section extends beyond the file.
    #[error("it ends at byte {end}, beyond the file's {length} bytes")]
    PastEnd {
        /// Where the padded section ends; saturates at the largest number.
        end: u64,
        /// Length of the file.
        length: u64,
    },
    /// The entry asks for another alignment than 64.
    #[error("it asks for an alignment of {found} bytes instead of 64")]
    Alignment {
        /// The alignment it asks for.
        found: u32,
    },
    /// A reserved field or flag is not zero.
    #[error("a reserved field is not zero")]
    Reserved,
    /// The layout's version is not the one this runtime reads.
    #[error(
        "it is required, but its layout has version {found}; this runtime reads version {SECTION_VERSION}"
    )]
    Version {
        /// The layout's version.
        found: u16,
    },
    /// The section is required, but this runtime does not know its kind.
    #[error("the section is required, but this runtime does not know its kind")]
    UnknownRequired,
    /// The mesh has two sections of this kind.
    #[error("the mesh has another section of this kind")]
    Duplicate,
    /// The entries do not ascend by mesh and kind.
    #[error("it is listed after a section of a later mesh, or of a greater kind of the same mesh")]
    Order,
    /// A mesh between this section's and the previous section's has no section.
    #[error("it is of mesh {found}, but the sections before it leave at most {most}")]
    Mesh {
        /// The mesh that the entry names.
        found: u32,
        /// The largest it may be.
        most: u32,
    },
}

/// Why a file could not be opened. The message begins with the file's path, if there is one.
#[cfg(feature = "mmap")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system could not open, map or read the file.
    #[error("{}{error}", Prefix(path))]
    Io {
        /// The file; `None` if the bytes came from a reader.
        path: Option<PathBuf>,
        /// The system's error.
        #[source]
        error: std::io::Error,
    },
    /// The file's bytes are not a model.
    #[error("{}{error}", Prefix(path))]
    Open {
        /// The file; `None` if the bytes came from a reader.
        path: Option<PathBuf>,
        /// Which rule they break.
        #[source]
        error: OpenError,
    },
    /// The file is not a world as it should be.
    #[error("{}{error}", Prefix(path))]
    World {
        /// The file; `None` if the bytes came from a reader.
        path: Option<PathBuf>,
        /// What is wrong with it.
        #[source]
        error: WorldError,
    },
}

#[cfg(feature = "mmap")]
impl FileError {
    /// The same error, for the file at `path`.
    pub(crate) fn of(self, path: &Path) -> Self {
        let path = Some(PathBuf::from(path));
        match self {
            Self::Io { error, .. } => Self::Io { path, error },
            Self::Open { error, .. } => Self::Open { path, error },
            Self::World { error, .. } => Self::World { path, error },
        }
    }
}

#[cfg(feature = "mmap")]
impl From<std::io::Error> for FileError {
    fn from(error: std::io::Error) -> Self {
        Self::Io { path: None, error }
    }
}

#[cfg(feature = "mmap")]
impl From<OpenError> for FileError {
    fn from(error: OpenError) -> Self {
        Self::Open { path: None, error }
    }
}

#[cfg(feature = "mmap")]
impl From<WorldError> for FileError {
    fn from(error: WorldError) -> Self {
        Self::World { path: None, error }
    }
}

/// A path as the prefix of a message.
#[cfg(feature = "mmap")]
struct Prefix<'a>(&'a Option<PathBuf>);

#[cfg(feature = "mmap")]
impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(path) => write!(f, "{}: ", path.display()),
            None => Ok(()),
        }
    }
}

/// The advice for a file of another version.
fn advice(major: u16) -> &'static str {
    if major < bvhc_format::VERSION_MAJOR {
        "recompile the model with this version's bvhc"
    } else {
        "update the runtime, or recompile the model with this version's bvhc"
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn messages_say_what_to_do() {
        let old = OpenError::Version { major: 1, minor: 3 }.to_string();
        assert!(old.ends_with("recompile the model with this version's bvhc"), "{old}");
        let new = OpenError::Version { major: 99, minor: 0 }.to_string();
        assert!(new.contains("update the runtime"), "{new}");
        let fault = SectionFault::Duplicate;
        let kind = SectionKind::ObbTree as u32;
        let twice = OpenError::Section { index: 3, kind, fault }.to_string();
        assert!(twice.starts_with("section 3 (obb-tree): "), "{twice}");
        let unknown = OpenError::Section { index: 3, kind: 0xffff, fault }.to_string();
        assert!(unknown.starts_with("section 3 (kind-65535): "), "{unknown}");
    }

    #[cfg(feature = "mmap")]
    #[test]
    fn files_are_named() {
        let error = FileError::from(OpenError::Bounds);
        assert!(error.to_string().starts_with("the bounds"));
        assert!(error.of(Path::new("a.bvh")).to_string().starts_with("a.bvh: the bounds"));
    }
}
