//! Where compiled meshes are kept from one world to the next.

use crate::file::Bytes;
use crate::mesh::Dropped;

/// Keeps compiled meshes, so that those that have not changed need not be compiled again with the next version of a world, or with
/// another world. [`link`](super::link) asks it for each mesh that it would compile.
pub trait MeshCache {
    /// The mesh that was kept with a key, if it is there and whole: of what is given it is checked only that it can be opened.
    fn get(&self, key: &blake3::Hash) -> Option<CachedMesh>;

    /// Keeps a mesh. The key is a digest of all that its file depends on, as [`key`](crate::key) is for a model alone.
    fn put(&self, key: &blake3::Hash, mesh: &CachedMesh);
}

/// A compiled mesh, and what its compilation reported.
#[derive(Clone, Debug)]
pub struct CachedMesh {
    /// The file.
    pub bytes: Bytes,
    /// What was dropped from it.
    pub dropped: Dropped,
    /// Its faces whose edges cross or touch.
    pub fans: u64,
    /// What may be other than its author expects.
    pub warnings: Vec<String>,
}
