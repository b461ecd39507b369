//! Worlds that own their files.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
#[cfg(feature = "mmap")]
use std::path::Path;

use super::LoadedModel;
#[cfg(feature = "mmap")]
use super::MappedModel;
use super::thin::Storage;
#[cfg(feature = "mmap")]
use crate::error::FileError;
use crate::model::Model;
use crate::world::{ThinWorld, World, WorldError};

/// A world that owns its file and the memory of its meshes. It can be moved, shared between threads that query it, and kept
/// in a resource of an entity component system.
///
/// ```
/// use bvhc_runtime::{LoadedModel, WorldFile};
///
/// // `WorldFile::read("level.bvh")` reads a file.
/// let file = LoadedModel::from_bytes(include_bytes!("../../../tests/golden/world.bvh"))?;
/// let level = WorldFile::loaded(file)?;
/// assert_eq!(level.world().instance_count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WorldFile {
    world: World<'static>,
    first: Model<'static>,
    _meshes: Vec<Option<Model<'static>>>,
    _files: Vec<ModelFile>,
    /// The file of the world, where it has no meshes.
    _thin: Option<Storage>,
}

/// A model that owns its bytes, wherever they are.
#[derive(Debug)]
#[non_exhaustive]
pub enum ModelFile {
    /// In memory.
    Loaded(LoadedModel),
    /// In a mapped file.
    #[cfg(feature = "mmap")]
    Mapped(MappedModel),
}

impl WorldFile {
    /// The world of a file in memory. Needs the feature `alloc`.
    ///
    /// # Errors
    /// [`WorldError`], for example if the file has no world.
    pub fn loaded(file: LoadedModel) -> Result<Self, WorldError> {
        Self::open(file.into())
    }

    /// The world of a mapped file.
    ///
    /// # Errors
    /// As [`loaded`](Self::loaded).
    #[cfg(feature = "mmap")]
    pub fn mapped(file: MappedModel) -> Result<Self, WorldError> {
        Self::open(file.into())
    }

    /// Reads the file at `path` into memory and opens its world, as [`LoadedModel::read`] does a model.
    ///
    /// # Errors
    /// [`FileError::Io`] if the file cannot be read, [`FileError::Open`] if it is not valid or is a thin world, which a
    /// [`ThinWorldFile`](super::ThinWorldFile) reads, [`FileError::World`] if it has no world.
    #[cfg(feature = "mmap")]
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::loaded(LoadedModel::read(path)?).map_err(|error| FileError::from(error).of(path))
    }

    /// Maps the file at `path` and opens its world, as [`MappedModel::open`] does a model.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    ///
    /// # Safety
    /// As [`MappedModel::open`].
    #[cfg(feature = "mmap")]
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        // SAFETY: the caller upholds the contract.
        let file = unsafe { MappedModel::open(path) }?;
        Self::mapped(file).map_err(|error| FileError::from(error).of(path))
    }

    fn open(file: ModelFile) -> Result<Self, WorldError> {
        // SAFETY: the file is kept with the world, and dropped after it.
        let first = unsafe { file.model_of_owner() };
        let mut meshes = vec![None; first.meshes() as usize];
        // SAFETY: the places are kept with the world, as above.
        let places = unsafe { places_of(&mut meshes) };
        let world = World::from_bytes(first.sections().bytes(), places)?;
        Ok(Self { world, first, _meshes: meshes, _files: vec![file], _thin: None })
    }

    /// The world of a thin file, of which the storage is `bytes`, with meshes in these files, one each.
    ///
    /// # Safety
    /// `thin` must be of these bytes.
    pub(super) unsafe fn link(
        thin: ThinWorld<'static>,
        bytes: Storage,
        files: Vec<ModelFile>,
    ) -> Result<Self, WorldError> {
        // SAFETY: the files are kept with the world, and dropped after it.
        let model = |file: &ModelFile| Some(unsafe { file.model_of_owner() });
        let mut meshes: Vec<Option<Model<'static>>> = files.iter().map(model).collect();
        let missing = WorldError::Memory { needed: thin.mesh_count(), found: 0 };
        let first = meshes.first().copied().flatten().ok_or(missing)?;
        // SAFETY: the places are kept with the world, as above.
        let places = unsafe { places_of(&mut meshes) };
        let world = thin.link(places)?;
        Ok(Self { world, first, _meshes: meshes, _files: files, _thin: Some(bytes) })
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
        self.first
    }
}

/// The places of meshes, for a world that is kept with them and dropped before them.
///
/// # Safety
/// That must be so, and nothing else may read or write them.
unsafe fn places_of(meshes: &mut [Option<Model<'static>>]) -> &'static mut [Option<Model<'static>>] {
    // SAFETY: the places do not move when the `Vec` does; the rest is the caller's promise.
    unsafe { core::slice::from_raw_parts_mut(meshes.as_mut_ptr(), meshes.len()) }
}

impl ModelFile {
    /// The model, to query.
    pub fn model(&self) -> Model<'_> {
        match self {
            Self::Loaded(file) => file.model(),
            #[cfg(feature = "mmap")]
            Self::Mapped(file) => file.model(),
        }
    }

    /// The model for a value that this one is part of, too.
    ///
    /// # Safety
    /// Nothing of it may be used once this value is dropped.
    unsafe fn model_of_owner(&self) -> Model<'static> {
        match self {
            // SAFETY: as the caller's.
            Self::Loaded(file) => unsafe { file.model_of_owner() },
            #[cfg(feature = "mmap")]
            // SAFETY: as the caller's.
            Self::Mapped(file) => unsafe { file.model_of_owner() },
        }
    }
}

impl From<LoadedModel> for ModelFile {
    fn from(file: LoadedModel) -> Self {
        Self::Loaded(file)
    }
}

#[cfg(feature = "mmap")]
impl From<MappedModel> for ModelFile {
    fn from(file: MappedModel) -> Self {
        Self::Mapped(file)
    }
}

impl fmt::Debug for WorldFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorldFile").field(&self.world).finish()
    }
}
