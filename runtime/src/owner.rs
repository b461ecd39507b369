//! Owners of a file's bytes: one maps the file, one holds it in memory.
//!
//! Unsafe room: the map, bytes in lines of 64, and a model that borrows from its own owner.
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
pub use file::MappedModel;

/// A model whose bytes are in memory, at an address as it must be.
///
/// ```
/// use bvhc_runtime::LoadedModel;
///
/// // As they come from a network or an archive of assets: at any address.
/// let downloaded = include_bytes!("../../tests/golden/quad.bvh").to_vec();
/// let loaded = LoadedModel::from_bytes(&downloaded)?;
/// assert_eq!(loaded.model().triangle_count(), 3);
/// # Ok::<(), bvhc_runtime::OpenError>(())
/// ```
pub struct LoadedModel {
    model: Model<'static>,
    _bytes: Bytes,
}

/// What holds the bytes. They stay where they are when it is moved, and nobody changes them.
#[allow(dead_code, reason = "they are held, not read")]
enum Bytes {
    Lines(Vec<Line>),
    #[cfg(feature = "mmap")]
    Pages(memmap2::Mmap),
}

/// As many bytes as files are aligned to.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

impl LoadedModel {
    /// Copies a file's bytes, which may be at any address, and opens the copy. Needs the feature `alloc`.
    ///
    /// # Errors
    /// [`OpenError`] says which rule of FORMAT.md the bytes break.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, OpenError> {
        let mut lines = vec![Line([0; ALIGNMENT]); bytes.len().div_ceil(ALIGNMENT)];
        for (line, part) in lines.iter_mut().zip(bytes.chunks(ALIGNMENT)) {
            line.0[..part.len()].copy_from_slice(part);
        }
        // SAFETY: the lines are at least as many bytes, without padding between them, and initialised. They do not move when
        // the `Vec` does, nobody changes them, and they are given back with the model. `model` shortens the lifetime before
        // it hands the model out.
        let held: &'static [u8] = unsafe { core::slice::from_raw_parts(lines.as_ptr().cast(), bytes.len()) };
        Ok(Self { model: Model::from_bytes(held)?, _bytes: Bytes::Lines(lines) })
    }

    /// The model, to query.
    pub fn model(&self) -> Model<'_> {
        self.model
    }
}

impl fmt::Debug for LoadedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LoadedModel").field(&self.model).finish()
    }
}
