//! Section packed-blocks: every block starts where the previous one ends, and its lattice is exact in f32.

use bvhc_format::packed::{HEAD, PackedHead, UNIT, WINDOW};
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Blocks, Model, PackedBlocks};

use super::error::Fault;

/// What is wrong with the packed blocks.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PackedFault {
    /// The geometry section also has blocks.
    #[error("the geometry section holds {found} blocks as well (P1)")]
    Both {
        /// How many.
        found: usize,
    },
    /// There are too few bytes for the blocks, or bytes left over.
    #[error("there are {found} bytes; {count} blocks and {WINDOW} bytes after them take {expected} (P2)")]
    Length {
        /// How many bytes there are.
        found: usize,
        /// How many bytes there should be, as far as that is known.
        expected: usize,
        /// The number of blocks according to the file.
        count: u32,
    },
    /// A padding byte after the blocks or within a block is not zero.
    #[error("byte {offset} is {found:#04x} instead of zero (P2)")]
    Filling {
        /// Its offset in the section's bytes.
        offset: usize,
        /// What it is.
        found: u8,
    },
    /// A step is not a normal number.
    #[error("the block at byte {offset} has the exponent {found}; 1 to 254 are allowed (P3)")]
    Exponent {
        /// Where the block starts.
        offset: usize,
        /// The exponent.
        found: u8,
    },
    /// Some coordinates on a block's lattice are not exact multiples of its step in f32.
    #[error(
        "the block at byte {offset}: axis {axis} reaches from {origin:e} to {end:e}, not all of which are exact multiples of its step (P3)"
    )]
    Lattice {
        /// Where the block starts.
        offset: usize,
        /// The axis, 0 to 2.
        axis: usize,
        /// The coordinate of offset 0.
        origin: f32,
        /// The coordinate of the largest offset.
        end: f64,
    },
    /// The position error is not a finite number of at least 0.
    #[error("its position error is {found}, which is not a finite number of at least 0 (P4)")]
    Error {
        /// What it is.
        found: f32,
    },
}

impl Fault for PackedFault {
    const SECTION: SectionKind = SectionKind::PackedBlocks;
}

/// P1 to P4.
pub(super) fn check(model: &Model<'_>) -> Result<(), PackedFault> {
    let Blocks::Packed(packed) = model.sections().blocks() else { return Ok(()) };
    let found = model.sections().geometry().blocks.len();
    if found != 0 {
        return Err(PackedFault::Both { found });
    }
    let found = model.sections().blocks().position_error();
    if !(0.0..f32::INFINITY).contains(&found) {
        return Err(PackedFault::Error { found });
    }
    let end = check_row(&packed, model.sections().blocks().count() as u32)?;
    check_zeros(&packed, end..packed.as_bytes().len())
}

/// Walks from block to block, and returns where the last one ends.
fn check_row(packed: &PackedBlocks<'_>, count: u32) -> Result<usize, PackedFault> {
    let bytes = packed.as_bytes();
    let mut offset = 0;
    for _ in 0..count {
        let head = packed.head((offset / UNIT) as u32);
        // A reader may load a whole window of bytes after the block.
        let Some(head) = head.filter(|head| offset + head.size() + WINDOW <= bytes.len()) else {
            return Err(PackedFault::Length { found: bytes.len(), expected: offset + WINDOW, count });
        };
        check_block(bytes, offset, &head)?;
        check_zeros(packed, offset + head.offsets_at(3)..offset + head.size())?;
        offset += head.size();
    }
    let (found, expected) = (bytes.len(), offset + WINDOW);
    if found == expected { Ok(offset) } else { Err(PackedFault::Length { found, expected, count }) }
}

fn check_zeros(packed: &PackedBlocks<'_>, range: std::ops::Range<usize>) -> Result<(), PackedFault> {
    match range.into_iter().find(|offset| packed.as_bytes()[*offset] != 0) {
        Some(offset) => Err(PackedFault::Filling { offset, found: packed.as_bytes()[offset] }),
        None => Ok(()),
    }
}

/// A block whose window lies within the bytes.
fn check_block(bytes: &[u8], offset: usize, head: &PackedHead) -> Result<(), PackedFault> {
    if !(1..=254).contains(&head.exponent) {
        return Err(PackedFault::Exponent { offset, found: head.exponent });
    }
    // The upper half of the last byte of each row is unused if the number of triangles is odd.
    for row in 1..=3 {
        let last = offset + HEAD + row * head.corner_bytes() - 1;
        if head.triangles % 2 == 1 && bytes[last] >> 4 != 0 {
            return Err(PackedFault::Filling { offset: last, found: bytes[last] });
        }
    }
    let step = f64::from(head.step());
    for axis in 0..3 {
        let at = offset + head.offsets_at(axis);
        let offsets = bytes[at..at + 2 * usize::from(head.vertices)].as_chunks::<2>().0;
        let most = offsets.iter().map(|offset| u16::from_le_bytes(*offset)).max().unwrap_or(0);
        let origin = head.origin[axis];
        let end = f64::from(origin) + f64::from(most) * step;
        let exact =
            |coordinate: f64| coordinate.abs() <= step * f64::from(1 << 24) && coordinate % step == 0.0;
        let negative_zero = origin == 0.0 && origin.is_sign_negative();
        if !exact(f64::from(origin)) || !exact(end) || negative_zero {
            return Err(PackedFault::Lattice { offset, axis, origin, end });
        }
    }
    Ok(())
}
