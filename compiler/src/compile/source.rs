//! The input of a compilation: a model file, or a mesh in memory.

use crate::file;
use crate::import::{self, ImportError};
use crate::mesh::Polygons;

/// Where the triangles come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// The bytes of a model file, in a format that bvhc knows (Wavefront OBJ).
    File(&'a [u8]),
    /// A mesh in memory.
    Mesh {
        /// The vertices, in the model's units and space.
        positions: &'a [[f32; 3]],
        /// The corners of each triangle, counter-clockwise as seen from its front: indices into `positions`.
        triangles: &'a [[u32; 3]],
    },
}

impl Source<'_> {
    pub(super) fn polygons(&self, name: &str) -> Result<Polygons, ImportError> {
        match *self {
            Self::File(bytes) => import::read(bytes, name),
            Self::Mesh { positions, triangles } => import::mesh(positions, triangles, name),
        }
    }

    /// The hash in the file's metadata. A mesh is hashed as its coordinates followed by its indices, little-endian.
    pub(super) fn hash(&self) -> blake3::Hash {
        match *self {
            Self::File(bytes) => file::hash(bytes),
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
            Self::File(bytes) => bytes.len() as u64,
            Self::Mesh { positions, triangles } => (size_of_val(positions) + size_of_val(triangles)) as u64,
        }
    }
}
