//! What all importers know.

/// A zero byte among this many first bytes shows that a file is not text.
pub(super) const TEXT_PROBE: usize = 4096;

/// The most vertices, and the most faces, that bvhc can number.
pub(super) const MAX_COUNT: u64 = 1 << 30;

/// The most corners of faces that bvhc can number.
pub(super) const MAX_CORNERS: u64 = u32::MAX as u64;

/// The formats that bvhc reads, in messages.
pub(super) const FORMATS: &str = "OBJ, glTF, STL, PLY and OFF";

/// How many vertices and corners of faces may be made of files of so many bytes: 2^24, or 4096 for each byte of larger ones.
/// What refers to the same data many times must not make of a few kilobytes what takes seconds.
pub(crate) fn most_made(bytes: u64) -> u64 {
    const MOST_OF_ANY: u64 = 1 << 24;
    const MOST_OF_BYTE: u64 = 1 << 12;
    bytes.saturating_mul(MOST_OF_BYTE).max(MOST_OF_ANY)
}
