//! Models in files, opened by path.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use memmap2::{Mmap, MmapMut};

use super::{Bytes, LoadedModel};
use crate::error::FileError;
use crate::model::Model;

/// A model in a memory-mapped file. Pages are loaded as queries touch them.
pub struct MappedModel {
    model: Model<'static>,
    _map: Mmap,
}

impl MappedModel {
    /// Maps the file at `path` and opens it, in time that does not depend on the file's size.
    ///
    /// # Errors
    /// [`FileError::Io`] if the file cannot be opened or mapped (always so on targets without files),
    /// [`FileError::Open`] if it is not a valid model.
    ///
    /// # Safety
    /// The file must not be changed or truncated while it is mapped, by this process or another.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the caller upholds the contract of `map`, which is that of `open`.
        let mapped = unsafe { Self::map(path.as_ref()) };
        mapped.map_err(|error| error.of(path.as_ref()))
    }

    /// # Safety
    /// As [`open`](Self::open).
    unsafe fn map(path: &Path) -> Result<Self, FileError> {
        let file = File::open(path)?;
        // SAFETY: the caller guarantees that the file does not change.
        let map = unsafe { Mmap::map(&file) }?;
        // SAFETY: the mapped bytes do not move when `Mmap` does, they do not change (guaranteed by the caller), and
        // they live as long as `_map`, which is dropped with the model. `model` shortens the lifetime before it returns
        // the model.
        let bytes: &'static [u8] = unsafe { core::slice::from_raw_parts(map.as_ptr(), map.len()) };
        Ok(Self { model: Model::from_bytes(bytes)?, _map: map })
    }

    /// The model, to query.
    pub fn model(&self) -> Model<'_> {
        self.model
    }
}

impl std::fmt::Debug for MappedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MappedModel").field(&self.model).finish()
    }
}

/// Whether `memmap2` can allocate pages; on other targets, such as wasm32-unknown-unknown, it cannot.
const HAS_PAGES: bool = cfg!(any(unix, windows));

impl LoadedModel {
    /// Reads the file at `path` into memory and opens it.
    ///
    /// Uses huge pages where the system has them. Unlike mapping, this reads the whole file, but queries are up to a
    /// tenth faster on models of many megabytes.
    ///
    /// # Errors
    /// [`FileError::Io`] if the file cannot be read, [`FileError::Open`] if it is not a valid model.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::read_path(path.as_ref()).map_err(|error| error.of(path.as_ref()))
    }

    fn read_path(path: &Path) -> Result<Self, FileError> {
        let mut file = File::open(path)?;
        let size = usize::try_from(file.metadata()?.len())
            .map_err(|_| std::io::Error::from(ErrorKind::FileTooLarge))?;
        Self::read_from(&mut file, size)
    }

    /// Reads a model from `reader` to its end. `capacity` is the number of bytes to allocate at first.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_from(reader: &mut impl Read, capacity: usize) -> Result<Self, FileError> {
        if !HAS_PAGES {
            let mut bytes = std::vec::Vec::new();
            reader.read_to_end(&mut bytes)?;
            return Ok(Self::from_bytes(&bytes)?);
        }
        let (pages, length) = read_to_pages(reader, capacity)?;
        // SAFETY: the pages do not move when `Mmap` does, are no longer writable, and are freed with the model. `model`
        // shortens the lifetime before it returns the model.
        let held: &'static [u8] = unsafe { core::slice::from_raw_parts(pages.as_ptr(), length) };
        Ok(Self { model: Model::from_bytes(held)?, _bytes: Bytes::Pages(pages) })
    }
}

/// Reads all of `reader` into newly mapped pages; also returns the number of bytes.
fn read_to_pages(reader: &mut impl Read, capacity: usize) -> std::io::Result<(Mmap, usize)> {
    // One byte more, to detect the end of the reader.
    let mut pages = huge_pages(capacity.saturating_add(1))?;
    let mut length = 0;
    loop {
        if length == pages.len() {
            let mut larger = huge_pages(length.saturating_mul(2))?;
            larger[..length].copy_from_slice(&pages);
            pages = larger;
        }
        match reader.read(&mut pages[length..]) {
            Ok(0) => return Ok((pages.make_read_only()?, length)),
            Ok(more) => length += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Pages for at least that many bytes, on huge pages except for a last part that would not fill one.
fn huge_pages(length: usize) -> std::io::Result<MmapMut> {
    let huge = length / HUGE_PAGE * HUGE_PAGE;
    // Linux aligns a mapping to huge pages only if its length is a multiple of one.
    let whole = if huge == 0 { Some(length) } else { length.checked_next_multiple_of(HUGE_PAGE) };
    let pages = MmapMut::map_anon(whole.ok_or(ErrorKind::FileTooLarge)?)?;
    // If huge pages cannot be had, small ones are used.
    #[cfg(target_os = "linux")]
    let _ = pages.advise_range(memmap2::Advice::HugePage, 0, huge);
    Ok(pages)
}

/// The size of a huge page on most systems.
const HUGE_PAGE: usize = 1 << 21;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_read_whatever_was_set_aside() {
        let bytes: std::vec::Vec<u8> = (0..HUGE_PAGE + 77).map(|index| index as u8).collect();
        for length in [0, 1, 4096, bytes.len()] {
            for capacity in [0, 1, length, HUGE_PAGE] {
                let (pages, found) = read_to_pages(&mut &bytes[..length], capacity).unwrap();
                assert_eq!(&pages[..found], &bytes[..length]);
            }
        }
    }

    #[test]
    fn more_than_there_can_be_is_an_error() {
        for capacity in [usize::MAX, usize::MAX - HUGE_PAGE, 1 << 62] {
            assert!(read_to_pages(&mut &[][..], capacity).is_err());
        }
    }
}
