//! Reads the slices of a payload, using only the declaration of its root record.

use std::ops::Range;

use bvhc_format::describe::Type;
use bvhc_format::section::SectionKind;

/// A slice of a payload.
pub(crate) struct Slice {
    /// Its byte range within the payload.
    pub(crate) bytes: Range<usize>,
    /// The type of its elements.
    pub(crate) element: &'static Type,
}

/// Where the root of a payload starts; `None` where the payload is shorter.
pub(crate) fn root_start(kind: SectionKind, payload: &[u8]) -> Option<usize> {
    payload.len().checked_sub(kind.root().size)
}

/// The slices of a payload, in the order of their fields. Ranges are taken from the file unchecked: they are within the
/// payload only if the runtime opens the file.
pub(crate) fn slices(kind: SectionKind, payload: &[u8]) -> Vec<Slice> {
    let Some(root) = root_start(kind, payload) else { return Vec::new() };
    let slice = |(field, element): (usize, &'static Type)| {
        let at = root + field;
        let (distance, count) = (read(payload, at) as usize, read(payload, at + 8) as usize);
        let start = at.wrapping_add(distance);
        Slice { bytes: start..start.wrapping_add(count.wrapping_mul(element.size)), element }
    };
    kind.root().slices().map(slice).collect()
}

fn read(payload: &[u8], at: usize) -> u64 {
    payload[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Size of a tree in bytes: all its slices, and for the AABB tree also the blocks of triangles. (Leaves that
/// trees share are in section geometry.)
pub(crate) fn tree_bytes(kind: u32, payload: &[u8], block_bytes: usize) -> u64 {
    let Some(kind) = SectionKind::from_number(kind) else { return 0 };
    let records: usize = slices(kind, payload).iter().map(|slice| slice.bytes.len()).sum();
    (records + if kind == SectionKind::AabbTree { block_bytes } else { 0 }) as u64
}
