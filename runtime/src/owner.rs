//! Models that own their bytes, either a mapped file or a buffer in memory.
//!
//! Unsafe code is allowed here for the memory map, for 64-byte lines viewed as bytes, and for a model that borrows from
//! its own owner.
#![allow(unsafe_code)]

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use bvhc_format::ALIGNMENT;

use crate::error::OpenError;
use crate::model::Model;

#[cfg(feature = "mmap")]
mod file;
#[cfg(feature = "mmap")]
mod folder;
mod moving;
mod thin;
mod world;

#[cfg(feature = "mmap")]
pub use file::MappedModel;
#[cfg(feature = "mmap")]
pub use folder::MeshFolder;
pub use moving::MovingWorldFile;
#[cfg(feature = "mmap")]
pub use thin::CompiledFile;
pub use thin::ThinWorldFile;
pub use world::{ModelFile, WorldFile};

/// A model that owns its bytes, in memory at a suitable alignment.
///
/// ```
/// use bvhc_runtime::LoadedModel;
///
/// // Downloaded, or from an archive of assets: the address is arbitrary.
/// let downloaded = include_bytes!("../../tests/golden/quad.bvh").to_vec();
/// let loaded = LoadedModel::from_bytes(&downloaded)?;
/// assert_eq!(loaded.model().triangle_count(), 3);
/// # Ok::<(), bvhc_runtime::OpenError>(())
/// ```
pub struct LoadedModel {
    model: Model<'static>,
    _bytes: Bytes,
}

/// The storage of the bytes. Moving it does not move the bytes, and they do not change.
#[allow(dead_code, reason = "they are held, not read")]
enum Bytes {
    Lines(Vec<Line>),
    #[cfg(feature = "mmap")]
    Pages(memmap2::MmapMut),
}

/// As many bytes as the alignment of files.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

impl LoadedModel {
    /// Copies a file's bytes, which may be at any address, and opens the copy. Needs the feature `alloc`.
    ///
    /// # Errors
    /// [`OpenError`] says which rule of FORMAT.md the bytes break.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, OpenError> {
        let lines = aligned(bytes);
        // SAFETY: the lines hold at least that many bytes, without padding, all initialised. They do not move when the
        // `Vec` does, do not change, and are freed with the model. `model` shortens the lifetime before it returns the
        // model.
        let held: &'static [u8] = unsafe { core::slice::from_raw_parts(lines.as_ptr().cast(), bytes.len()) };
        Ok(Self { model: Model::from_bytes(held)?, _bytes: Bytes::Lines(lines) })
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        self.model.sections().bytes()
    }

    /// The model, to query.
    pub fn model(&self) -> Model<'_> {
        self.model
    }

    /// The model for a value that this one is part of, too.
    ///
    /// # Safety
    /// Nothing of it may be used once this value is dropped.
    unsafe fn model_of_owner(&self) -> Model<'static> {
        self.model
    }
}

/// A copy of bytes, followed by zeros to the end of a line.
fn aligned(bytes: &[u8]) -> Vec<Line> {
    let mut lines = vec![Line([0; ALIGNMENT]); bytes.len().div_ceil(ALIGNMENT)];
    for (line, part) in lines.iter_mut().zip(bytes.chunks(ALIGNMENT)) {
        line.0[..part.len()].copy_from_slice(part);
    }
    lines
}

impl fmt::Debug for LoadedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LoadedModel").field(&self.model).finish()
    }
}
