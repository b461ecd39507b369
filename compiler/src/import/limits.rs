//! What all importers know.

/// A zero byte among this many first bytes shows that a file is not text.
pub(super) const TEXT_PROBE: usize = 4096;

/// The most vertices, and the most faces, that bvhc can number.
pub(super) const MAX_COUNT: u64 = 1 << 30;

/// The most corners of faces that bvhc can number.
pub(super) const MAX_CORNERS: u64 = u32::MAX as u64;

/// The formats that bvhc reads, in messages.
pub(super) const FORMATS: &str = "OBJ, glTF, STL, PLY and OFF";
