//! The caller's memory, divided into the records of a sweep.

use bvhc_format::split_records;

use super::super::MovingError;

/// The most boxes: endpoints have 31 bits for a box's number.
pub(super) const MAX_BOXES: u32 = i32::MAX as u32;

/// The records of a sweep. Those of a box are at its number: the leaves of the compiled world come first, then moving things.
pub(super) struct Memory<'m> {
    /// On each axis the endpoints of all boxes, ascending.
    pub(super) axes: [&'m mut [u64]; 3],
    /// As long as one axis: endpoints that are placed anew, or pairs that have begun or ended.
    pub(super) scratch: &'m mut [u64],
    /// The pairs, ascending.
    pub(super) pairs: &'m mut [u64],
    /// Where each box's endpoints are: lower and upper one on x, y, z.
    pub(super) places: &'m mut [[u32; 6]],
    /// What the endpoints are sorted by.
    pub(super) keys: &'m mut [[u32; 6]],
    /// See [`SEEN`].
    pub(super) states: &'m mut [u32],
}

/// Bit of a box's state: it is in the layers that the snapshot sees.
pub(super) const SEEN: u32 = 1;

/// Its endpoints are to be placed anew. Until then it has no pairs.
pub(super) const NEW: u32 = 2;

/// It is seen, was seen before, and has other bounds.
pub(super) const MOVED: u32 = 4;

/// The bytes of all records, with enough to start at any address.
pub(super) fn bytes_needed(boxes: u32, pairs: usize) -> usize {
    let of_box = 4 * 2 * size_of::<u64>() + 2 * size_of::<[u32; 6]>() + size_of::<u32>();
    (boxes as usize)
        .saturating_mul(of_box)
        .saturating_add(pairs.saturating_mul(size_of::<u64>()))
        .saturating_add(align_of::<u64>() - 1)
}

impl<'m> Memory<'m> {
    pub(super) fn of(bytes: &'m mut [u8], boxes: u32, pairs: usize) -> Result<Self, MovingError> {
        if boxes > MAX_BOXES {
            return Err(MovingError::Capacity { found: boxes, most: MAX_BOXES });
        }
        let (needed, found) = (bytes_needed(boxes, pairs), bytes.len());
        Self::divide(bytes, boxes as usize, pairs).ok_or(MovingError::Memory { needed, found })
    }

    /// By falling alignment, so that there is no gap.
    fn divide(bytes: &'m mut [u8], boxes: usize, pairs: usize) -> Option<Self> {
        let start = bytes.as_ptr().align_offset(align_of::<u64>());
        let (x, rest) = split_records(bytes.get_mut(start..)?, 2 * boxes)?;
        let (y, rest) = split_records(rest, 2 * boxes)?;
        let (z, rest) = split_records(rest, 2 * boxes)?;
        let (scratch, rest) = split_records(rest, 2 * boxes)?;
        let (pairs, rest) = split_records(rest, pairs)?;
        let (places, rest) = split_records(rest, boxes)?;
        let (keys, rest) = split_records(rest, boxes)?;
        let (states, _) = split_records(rest, boxes)?;
        Some(Self { axes: [x, y, z], scratch, pairs, places, keys, states })
    }
}
