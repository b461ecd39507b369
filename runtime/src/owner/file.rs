//! Models in files, opened by path.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::vec::Vec;

use bvhc_format::ALIGNMENT;
use bvhc_format::header::{HEADER_LENGTH, Header};
use memmap2::{Mmap, MmapMut};

use super::{Bytes, Line, LoadedModel};
use crate::directory::check_header;
use crate::error::{FileError, OpenError};
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
    /// The file must not be changed or truncated while it is mapped, by this process or another. (On Unix it may be replaced by a
    /// rename, as the compiler does: the map keeps the old one.) Where a page cannot be read from the disk the system ends the
    /// process, as for any mapped file.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        // SAFETY: the caller upholds the contract of `map`, which is that of `open`.
        let mapped = unsafe { map(path.as_ref()) };
        let opened = mapped.and_then(|(map, bytes)| Ok(Self { model: Model::from_bytes(bytes)?, _map: map }));
        opened.map_err(|error| error.of(path.as_ref()))
    }

    /// The model for a value that this one is part of, too.
    ///
    /// # Safety
    /// Nothing of it may be used once this value is dropped.
    pub(super) unsafe fn model_of_owner(&self) -> Model<'static> {
        self.model
    }

    /// The model, to query.
    pub fn model(&self) -> Model<'_> {
        self.model
    }
}

/// Maps a file; also returns its bytes, for a value that holds the map and shortens their lifetime before it returns anything that
/// refers to them.
///
/// # Safety
/// As [`MappedModel::open`]; and the bytes may not be used once the map is dropped.
pub(super) unsafe fn map(path: &Path) -> Result<(Mmap, &'static [u8]), FileError> {
    let (file, _) = open_regular(path)?;
    // SAFETY: the caller guarantees that the file does not change.
    let map = unsafe { Mmap::map(&file) }?;
    // SAFETY: the mapped bytes do not move when `Mmap` does, they do not change (guaranteed by the caller), and the caller uses
    // them as long as the map lives, not longer.
    let bytes = unsafe { core::slice::from_raw_parts(map.as_ptr(), map.len()) };
    Ok((map, bytes))
}

/// Opens a file that has a length, and returns it. A pipe would be waited for, and neither it nor a folder can be mapped.
pub(super) fn open_regular(path: &Path) -> std::io::Result<(File, u64)> {
    let is_file = fs::metadata(path)?.is_file();
    let file = if is_file { File::open(path)? } else { return Err(not_regular()) };
    let metadata = file.metadata()?;
    // The path may lead to something else by now.
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(not_regular()) }
}

fn not_regular() -> std::io::Error {
    std::io::Error::new(ErrorKind::InvalidInput, "not a regular file")
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
    /// Header and length are checked before memory is allocated for the rest.
    ///
    /// # Errors
    /// [`FileError::Io`] if the file cannot be read or does not fit into memory, [`FileError::Open`] if it is not a valid
    /// model.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::read_path(path.as_ref()).map_err(|error| error.of(path.as_ref()))
    }

    fn read_path(path: &Path) -> Result<Self, FileError> {
        Self::of(read_path(path)?)
    }

    pub(super) fn of((bytes, length): (Bytes, usize)) -> Result<Self, FileError> {
        // SAFETY: the bytes do not move when their owner does, do not change, and are freed with the model. `model` shortens
        // the lifetime before it returns the model.
        let held: &'static [u8] = unsafe { core::slice::from_raw_parts(bytes.as_ptr(), length) };
        Ok(Self { model: Model::from_bytes(held)?, _bytes: bytes })
    }

    /// Reads a model from `reader` to its end. Allocates what the model's header says, but no more than 64 MiB or twice what
    /// the reader has delivered.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_from(reader: &mut impl Read) -> Result<Self, FileError> {
        Self::of(read_checked(reader, None)?)
    }
}

/// Reads a compiled file, and the number of its bytes.
pub(super) fn read_path(path: &Path) -> Result<(Bytes, usize), FileError> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    // Pipes and devices have no length.
    read_checked(&mut file, metadata.is_file().then_some(metadata.len()))
}

/// Reads a compiled file from a reader of that many bytes, if they are known.
pub(super) fn read_checked(reader: &mut impl Read, length: Option<u64>) -> Result<(Bytes, usize), FileError> {
    let mut first = [0; HEADER_LENGTH];
    let found = read_full(reader, &mut first)?;
    let first = &first[..found];
    let is_known = length.is_some();
    let end = if found < HEADER_LENGTH { Some(found as u64) } else { length };
    // Without a length, the header's is believed until the end of the reader.
    let declared = || first.first_chunk::<HEADER_LENGTH>().map_or(0, |header| Header::read(header).length);
    let length = check_header(first, end.unwrap_or_else(declared))?.length;
    let too_large = |_| std::io::Error::from(ErrorKind::FileTooLarge);
    let size = usize::try_from(length).map_err(too_large)?;
    // Without a length, what is read so far is at least half of what is allocated, so that a header cannot claim memory.
    let capacity = if is_known { size } else { size.min(FIRST_CAPACITY) };
    let (bytes, found) = read_rest(reader, first, size, capacity)?;
    if found as u64 != length {
        return Err(OpenError::Length { found: found as u64, header: length }.into());
    }
    Ok((bytes, found))
}

/// Fills `bytes` as far as the reader goes; returns how far.
fn read_full(reader: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match reader.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// Reads what follows the first bytes of a file of `length` bytes; returns all of them, and how many there are, which may
/// be fewer, or one more to tell that there are more. Allocates `capacity` bytes at first, then twice as many each time.
fn read_rest(
    reader: &mut impl Read,
    first: &[u8],
    length: usize,
    mut capacity: usize,
) -> std::io::Result<(Bytes, usize)> {
    let mut bytes = Bytes::zeroed(capacity)?;
    bytes.as_mut_slice()[..first.len()].copy_from_slice(first);
    let mut found = first.len();
    loop {
        let end = capacity.min(length);
        found += read_full(reader, &mut bytes.as_mut_slice()[found..end])?;
        if found < end {
            return Ok((bytes, found));
        }
        if found == length {
            let more = read_full(reader, &mut [0])?;
            return Ok((bytes, found + more));
        }
        capacity = capacity.saturating_mul(2).min(length);
        let mut larger = Bytes::zeroed(capacity)?;
        larger.as_mut_slice()[..found].copy_from_slice(&bytes.as_mut_slice()[..found]);
        bytes = larger;
    }
}

/// Allocated before anything is known of a stream but its header.
const FIRST_CAPACITY: usize = 1 << 26;

impl Bytes {
    /// Zeros, from new pages where the system has them.
    fn zeroed(length: usize) -> std::io::Result<Self> {
        if HAS_PAGES {
            return huge_pages(length.max(1)).map(Self::Pages);
        }
        let count = length.div_ceil(ALIGNMENT);
        let mut lines = Vec::new();
        lines.try_reserve_exact(count).map_err(|_| ErrorKind::OutOfMemory)?;
        lines.resize(count, Line([0; ALIGNMENT]));
        Ok(Self::Lines(lines))
    }

    pub(super) fn as_ptr(&self) -> *const u8 {
        match self {
            Self::Lines(lines) => lines.as_ptr().cast(),
            Self::Pages(pages) => pages.as_ptr(),
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [u8] {
        match self {
            // SAFETY: a line is 64 initialised bytes without padding.
            Self::Lines(lines) => unsafe {
                core::slice::from_raw_parts_mut(lines.as_mut_ptr().cast(), size_of_val(&**lines))
            },
            Self::Pages(pages) => pages,
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
    use std::string::ToString;

    use super::*;

    /// A header that claims so many bytes.
    fn header(length: u64) -> Vec<u8> {
        let header = Header {
            major: bvhc_format::VERSION_MAJOR,
            minor: 0,
            length,
            required_features: 0,
            sections: 0,
            hash: [0; 32],
        };
        header.write().to_vec()
    }

    #[test]
    fn all_bytes_are_read_whatever_was_allocated() {
        for length in [64, 65, 4096, HUGE_PAGE + 77] {
            let bytes: Vec<u8> = (0..length).map(|index| index as u8).collect();
            for read in [length - 1, length, length + 1] {
                let mut source = bytes.clone();
                source.resize(read, 0);
                for capacity in [64, 1000.min(length), length] {
                    let (first, mut rest) = source.split_at(HEADER_LENGTH.min(read));
                    let (mut found, count) = read_rest(&mut rest, first, length, capacity).unwrap();
                    assert_eq!(count, read);
                    let kept = read.min(length);
                    assert!(found.as_mut_slice()[..kept] == bytes[..kept]);
                }
            }
        }
    }

    #[test]
    fn a_header_cannot_claim_memory() {
        let claims = header(1 << 60);
        let error = LoadedModel::read_from(&mut &claims[..]).unwrap_err().to_string();
        assert!(error.ends_with("it has 64"), "{error}");
        assert!(error.contains(&(1u64 << 60).to_string()), "{error}");
        let error = LoadedModel::read_from(&mut std::io::repeat(0)).unwrap_err();
        assert!(matches!(error, FileError::Open { error: OpenError::NotBvhc { .. }, .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn sparse_and_endless_files_are_refused_at_once() {
        let path = std::env::temp_dir().join(std::format!("bvhc-sparse-{}", std::process::id()));
        for first in [Vec::new(), header(64), header(1 << 41)] {
            std::fs::write(&path, first).unwrap();
            File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
            let error = LoadedModel::read(&path).unwrap_err();
            assert!(matches!(error, FileError::Open { .. }), "{error}");
        }
        std::fs::remove_file(path).unwrap();
        assert!(LoadedModel::read("/dev/zero").is_err());
    }
}
