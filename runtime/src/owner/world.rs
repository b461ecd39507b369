//! Worlds that own their files.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::LoadedModel;
#[cfg(feature = "mmap")]
use super::MappedModel;
use crate::model::Model;
use crate::world::{World, WorldError};

/// A world that owns its file and the memory of its meshes. It can be moved, shared between threads that query it, and kept
/// in a resource of an entity component system.
///
/// ```
/// use bvhc_runtime::{LoadedModel, WorldFile};
///
/// let file = LoadedModel::from_bytes(include_bytes!("../../../tests/golden/world.bvh"))?;
/// let level = WorldFile::loaded(file)?;
/// assert_eq!(level.world().instance_count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WorldFile {
    world: World<'static>,
    _meshes: Vec<Option<Model<'static>>>,
    file: File,
}

/// The storage of the bytes. Moving it does not move the bytes, and they do not change.
#[allow(dead_code, reason = "the map is held, not read")]
enum File {
    Loaded(LoadedModel),
    #[cfg(feature = "mmap")]
    Mapped(MappedModel),
}

impl WorldFile {
    /// The world of a file in memory. Needs the feature `alloc`.
    ///
    /// # Errors
    /// [`WorldError`], for example if the file has no world.
    pub fn loaded(file: LoadedModel) -> Result<Self, WorldError> {
        Self::open(File::Loaded(file))
    }

    /// The world of a mapped file.
    ///
    /// # Errors
    /// As [`loaded`](Self::loaded).
    #[cfg(feature = "mmap")]
    pub fn mapped(file: MappedModel) -> Result<Self, WorldError> {
        Self::open(File::Mapped(file))
    }

    fn open(file: File) -> Result<Self, WorldError> {
        let bytes = file.model().sections().bytes();
        // SAFETY: the bytes do not move when their owner does, do not change, and are freed with the world. `world` shortens
        // the lifetime before it returns the world.
        let bytes: &'static [u8] = unsafe { core::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
        let mut meshes = vec![None; file.model().meshes() as usize];
        // SAFETY: the places do not move when the `Vec` does, nothing else reads or writes them, and they are freed with the
        // world, as above.
        let places = unsafe { core::slice::from_raw_parts_mut(meshes.as_mut_ptr(), meshes.len()) };
        Ok(Self { world: World::from_bytes(bytes, places)?, _meshes: meshes, file })
    }

    /// The world for a value that this one is part of, too.
    ///
    /// # Safety
    /// Nothing of it may be used once the file is dropped.
    pub(super) unsafe fn world_of_owner(&self) -> World<'static> {
        self.world
    }

    /// The world, to query.
    pub fn world(&self) -> World<'_> {
        self.world
    }

    /// The first mesh, as if it were alone in the file.
    pub fn model(&self) -> Model<'_> {
        self.file.model()
    }
}

impl File {
    fn model(&self) -> Model<'_> {
        match self {
            Self::Loaded(file) => file.model(),
            #[cfg(feature = "mmap")]
            Self::Mapped(file) => file.model(),
        }
    }
}

impl fmt::Debug for WorldFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorldFile").field(&self.world).finish()
    }
}
