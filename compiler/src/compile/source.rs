//! The input of a compilation: a model file, or a mesh in memory.

use crate::file;
use crate::import::{self, Files, ImportError, Imported, Input, Notes, OtherInput};

/// Where the triangles come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// The bytes of a model file, in a format that bvhc knows, which refers to no other file.
    File(&'a [u8]),
    /// The bytes of a model file, and the files that it may refer to, as glTF does.
    Files {
        /// The model file.
        bytes: &'a [u8],
        /// The other files, for example those of its [`Folder`](crate::import::Folder).
        files: &'a dyn Files,
    },
    /// A mesh in memory.
    Mesh {
        /// The vertices, in the model's units and space.
        positions: &'a [[f32; 3]],
        /// The corners of each triangle, counter-clockwise as seen from its front: indices into `positions`.
        triangles: &'a [[u32; 3]],
    },
}

impl Source<'_> {
    pub(super) fn import(&self, name: &str) -> Result<Imported, ImportError> {
        match *self {
            Self::File(bytes) => import::read_all(&Input::new(bytes, name)),
            Self::Files { bytes, files } => import::read_all(&Input { bytes, name, files }),
            Self::Mesh { positions, triangles } => Ok(Imported {
                polygons: import::mesh(positions, triangles, name)?,
                inputs: Vec::new(),
                notes: Notes::default(),
            }),
        }
    }

    /// The other files that it refers to.
    pub(super) fn others(&self, name: &str) -> Result<Vec<OtherInput>, ImportError> {
        match *self {
            Self::File(bytes) | Self::Files { bytes, .. } => match import::may_refer(bytes, name)? {
                true => Ok(self.import(name)?.inputs),
                false => Ok(Vec::new()),
            },
            Self::Mesh { .. } => Ok(Vec::new()),
        }
    }

    /// The hash in the file's metadata. A mesh is hashed as its coordinates followed by its indices, little-endian.
    pub(super) fn hash(&self) -> blake3::Hash {
        match *self {
            Self::File(bytes) | Self::Files { bytes, .. } => file::hash(bytes),
            Self::Mesh { positions, triangles } => {
                let positions = positions.as_flattened().iter().flat_map(|x| x.to_le_bytes());
                let indices = triangles.as_flattened().iter().flat_map(|index| index.to_le_bytes());
                file::hash(&positions.chain(indices).collect::<Vec<u8>>())
            }
        }
    }

    /// The number of bytes hashed.
    pub(super) fn length(&self) -> u64 {
        match *self {
            Self::File(bytes) | Self::Files { bytes, .. } => bytes.len() as u64,
            Self::Mesh { positions, triangles } => (size_of_val(positions) + size_of_val(triangles)) as u64,
        }
    }
}
