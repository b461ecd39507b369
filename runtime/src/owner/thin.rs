//! Thin worlds that own their files.

use alloc::vec::Vec;
use core::fmt;
#[cfg(feature = "mmap")]
use std::io::Read;
#[cfg(feature = "mmap")]
use std::path::Path;

#[cfg(feature = "mmap")]
use bvhc_format::section::SectionKind;

#[cfg(feature = "mmap")]
use super::LoadedModel;
#[cfg(feature = "mmap")]
use super::file::{map, read_checked, read_path};
use super::{Bytes, ModelFile, WorldFile, aligned};
#[cfg(feature = "mmap")]
use crate::directory::Directory;
#[cfg(feature = "mmap")]
use crate::error::FileError;
use crate::world::{LinkedMesh, ThinWorld, WorldError};

/// A thin world that owns its file, and becomes a [`WorldFile`] once it has its meshes.
///
/// ```
/// use bvhc_runtime::{LoadedModel, MeshFolder, ThinWorldFile};
///
/// let thin = ThinWorldFile::read("../tests/golden/thin.bvh")?;
/// let folder = MeshFolder::open("../tests/golden")?;
/// let level = thin.link(|mesh| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(LoadedModel::read(folder.find(mesh)?)?.into())
/// })?;
/// assert_eq!(level.world().find_name("board.1"), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ThinWorldFile {
    thin: ThinWorld<'static>,
    bytes: Storage,
}

/// The storage of the bytes. Moving it does not move the bytes, and they do not change.
#[allow(dead_code, reason = "they are held, not read")]
pub(super) enum Storage {
    Loaded(Bytes),
    #[cfg(feature = "mmap")]
    Mapped(memmap2::Mmap),
}

impl ThinWorldFile {
    /// Copies a file's bytes, which may be at any address, and opens the copy. Needs the feature `alloc`.
    ///
    /// # Errors
    /// As [`ThinWorld::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WorldError> {
        let lines = aligned(bytes);
        // SAFETY: the lines hold at least that many bytes, without padding, all initialised. They do not move when the `Vec` does,
        // do not change, and are freed with the world. `thin` shortens the lifetime before it returns the world.
        let held: &'static [u8] = unsafe { core::slice::from_raw_parts(lines.as_ptr().cast(), bytes.len()) };
        Ok(Self { thin: ThinWorld::from_bytes(held)?, bytes: Storage::Loaded(Bytes::Lines(lines)) })
    }

    /// Reads the file at `path` into memory and opens it.
    ///
    /// # Errors
    /// [`FileError`]; [`FileError::World`] if it has no thin world.
    #[cfg(feature = "mmap")]
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        read_path(path.as_ref()).and_then(Self::of).map_err(|error| error.of(path.as_ref()))
    }

    #[cfg(feature = "mmap")]
    fn of((bytes, length): (Bytes, usize)) -> Result<Self, FileError> {
        // SAFETY: as in `from_bytes`.
        let held: &'static [u8] = unsafe { core::slice::from_raw_parts(bytes.as_ptr(), length) };
        Ok(Self { thin: open(held)?, bytes: Storage::Loaded(bytes) })
    }

    /// Maps the file at `path` and opens it.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    ///
    /// # Safety
    /// As [`MappedModel::open`](super::MappedModel::open).
    #[cfg(feature = "mmap")]
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the caller upholds the contract; the bytes live as long as the map, which is dropped with the world, and `thin`
        // shortens the lifetime before it returns the world.
        let mapped = unsafe { map(path.as_ref()) };
        let opened =
            mapped.and_then(|(map, bytes)| Ok(Self { thin: open(bytes)?, bytes: Storage::Mapped(map) }));
        opened.map_err(|error| error.of(path.as_ref()))
    }

    /// The world, which says what meshes it needs.
    pub fn thin(&self) -> ThinWorld<'_> {
        self.thin
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        self.thin.bytes()
    }

    /// The world with its meshes: `open` is asked for the file of each. As [`ThinWorld::link`], it compares hashes in headers.
    ///
    /// # Errors
    /// The first of `open`, or those of [`ThinWorld::link`]; [`WorldError::MeshTwice`] before anything is opened.
    pub fn link<E: From<WorldError>>(
        self,
        mut open: impl FnMut(&LinkedMesh<'_>) -> Result<ModelFile, E>,
    ) -> Result<WorldFile, E> {
        self.check_hashes()?;
        let files: Vec<ModelFile> = self.thin.meshes().map(|mesh| open(&mesh)).collect::<Result<_, E>>()?;
        // SAFETY: the world is of these bytes.
        Ok(unsafe { WorldFile::link(self.thin, self.bytes, files) }?)
    }
}

/// A compiled file in memory, whatever it holds: for programs that are given any, of which a pipe can be read but once.
#[cfg(feature = "mmap")]
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time, and it is moved once")]
pub enum CompiledFile {
    /// A model, or several, perhaps with a world: [`WorldFile::loaded`] opens that.
    Model(LoadedModel),
    /// A thin world, without its meshes.
    Thin(ThinWorldFile),
}

#[cfg(feature = "mmap")]
impl CompiledFile {
    /// Reads the file at `path` into memory and opens it.
    ///
    /// # Errors
    /// As [`LoadedModel::read`] and [`ThinWorldFile::read`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        read_path(path.as_ref()).and_then(Self::of).map_err(|error| error.of(path.as_ref()))
    }

    /// Reads a file from `reader` to its end, as [`LoadedModel::read_from`] does.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_from(reader: &mut impl Read) -> Result<Self, FileError> {
        Self::of(read_checked(reader, None)?)
    }

    fn of((mut bytes, length): (Bytes, usize)) -> Result<Self, FileError> {
        let directory = Directory::read(&bytes.as_mut_slice()[..length])?;
        let is_thin = directory.section_of_file(SectionKind::LinkedMeshes).is_some();
        let read = (bytes, length);
        if is_thin { ThinWorldFile::of(read).map(Self::Thin) } else { LoadedModel::of(read).map(Self::Model) }
    }
}

impl ThinWorldFile {
    /// X5: no mesh is listed twice. So memory for meshes is bounded by that of different files.
    fn check_hashes(&self) -> Result<(), WorldError> {
        let mut hashes: Vec<_> = self.thin.meshes().map(|mesh| (*mesh.hash(), mesh.number())).collect();
        hashes.sort_unstable();
        match hashes.array_windows().find(|[a, b]| a.0 == b.0) {
            Some([_, (_, mesh)]) => Err(WorldError::MeshTwice { mesh: *mesh }),
            None => Ok(()),
        }
    }
}

#[cfg(feature = "mmap")]
fn open(bytes: &'static [u8]) -> Result<ThinWorld<'static>, FileError> {
    ThinWorld::from_bytes(bytes).map_err(|error| match error {
        WorldError::Open(error) => error.into(),
        error => error.into(),
    })
}

impl fmt::Debug for ThinWorldFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ThinWorldFile").field(&self.thin).finish()
    }
}
