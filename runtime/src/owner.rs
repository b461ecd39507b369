//! Owners of a file's bytes: one maps the file, one reads it.
//!
//! Unsafe room: the map, and a model that borrows from its own owner.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use memmap2::Mmap;
use rkyv::util::AlignedVec;

use crate::error::FileError;
use crate::model::Model;

/// A model in a memory-mapped file. The pages come in as queries touch them.
pub struct MappedModel {
    model: Model<'static>,
    _map: Mmap,
}

impl MappedModel {
    /// Maps the file at `path` and opens it, in time that does not grow with the file.
    ///
    /// # Errors
    /// [`FileError::Io`] where the file cannot be opened or mapped, [`FileError::Open`] where it is no model.
    ///
    /// # Safety
    /// Nobody may change or truncate the file while it is mapped, in this process or another.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let file = File::open(path)?;
        // SAFETY: the caller promises that the file stays as it is.
        let map = unsafe { Mmap::map(&file) }?;
        // SAFETY: the mapped bytes do not move when `Mmap` does, nobody changes them (the caller's
        // promise), and they live as long as `_map`, which is dropped with the model. `model` shortens
        // the lifetime again before it hands the model out.
        let bytes: &'static [u8] = unsafe { core::slice::from_raw_parts(map.as_ptr(), map.len()) };
        Ok(Self { model: Model::from_bytes(bytes)?, _map: map })
    }

    /// The model, to query.
    pub fn model(&self) -> Model<'_> {
        self.model
    }
}

/// A model in a file that was read into memory. Faster than a map for small files.
pub struct LoadedModel {
    model: Model<'static>,
    _bytes: AlignedVec<{ bvhc_format::ALIGNMENT }>,
}

impl LoadedModel {
    /// Reads the file at `path` into an aligned buffer and opens it.
    ///
    /// # Errors
    /// [`FileError::Io`] where the file cannot be read, [`FileError::Open`] where it is no model.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let mut file = File::open(path)?;
        let size = usize::try_from(file.metadata()?.len())
            .map_err(|_| std::io::Error::from(ErrorKind::FileTooLarge))?;
        Self::read_from(&mut file, size)
    }

    /// Reads a model to the end of `reader`, for which `capacity` bytes are set aside at first.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_from(reader: &mut impl Read, capacity: usize) -> Result<Self, FileError> {
        let mut bytes = AlignedVec::with_capacity(capacity);
        bytes.extend_from_reader(reader)?;
        // SAFETY: the buffer does not move when the vector does, nothing changes it from here on, and it
        // is dropped with the model. `model` shortens the lifetime before it hands the model out.
        let held: &'static [u8] = unsafe { core::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
        Ok(Self { model: Model::from_bytes(held)?, _bytes: bytes })
    }

    /// The model, to query.
    pub fn model(&self) -> Model<'_> {
        self.model
    }
}
