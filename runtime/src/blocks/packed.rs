//! Packed blocks, which are unpacked as they are visited.

use bvhc_format::packed::{HEAD, LEAST, PackedHead, UNIT, WINDOW};
use bvhc_format::record::{BLOCK_WIDTH, Block};
use bvhc_format::section::{ArchivedPackedBlocks, SectionKind};

use crate::error::OpenError;
use crate::simd::Kernel;

/// Blocks in packed form ([`bvhc_format::packed`]).
#[derive(Clone, Copy, Debug)]
pub struct PackedBlocks<'a> {
    bytes: &'a [u8],
    count: u32,
    position_error: f32,
}

impl<'a> PackedBlocks<'a> {
    pub(crate) fn of(section: &'a ArchivedPackedBlocks<'static>) -> Result<Self, OpenError> {
        let (bytes, count): (&[u8], u32) = (section.bytes.get(), section.count.to_native());
        if bytes.len() / LEAST < count as usize {
            return Err(OpenError::PackedBlocks { count, bytes: bytes.len() as u64 });
        }
        // The archive does not align bytes; rule A2 of FORMAT.md requires it.
        if !bytes.as_ptr().addr().is_multiple_of(UNIT) {
            return Err(OpenError::Archive(SectionKind::PackedBlocks));
        }
        Ok(Self { bytes, count, position_error: section.position_error.to_native() })
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn position_error(&self) -> f32 {
        self.position_error
    }

    /// The bytes of all blocks, with the zeros after them.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The head of the block at a reference; `None` past the end.
    pub fn head(&self, reference: u32) -> Option<PackedHead> {
        self.window(reference).map(|window| PackedHead::read(head_of(window)))
    }

    pub(super) fn get(&self, reference: u32) -> Option<Block> {
        let window = self.window(reference)?;
        let head = PackedHead::read(head_of(window));
        let mut block = unpack_head(&head);
        let row = head.corner_bytes();
        for (k, slots) in block.corners.iter_mut().enumerate() {
            for (lane, slot) in slots[..usize::from(head.triangles)].iter_mut().enumerate() {
                *slot = window[HEAD + k * row + lane / 2] >> (4 * (lane % 2)) & 15;
            }
        }
        for (axis, coordinates) in block.positions.iter_mut().enumerate() {
            let offset = |slot: usize| {
                let at = head.offsets_at(axis) + 2 * slot;
                f32::from(u16::from_le_bytes([window[at], window[at + 1]]))
            };
            for (slot, coordinate) in coordinates.iter_mut().enumerate() {
                let slot = if slot < usize::from(head.vertices) { slot } else { 0 };
                *coordinate = head.origin[axis] + head.step() * offset(slot);
            }
        }
        Some(block)
    }

    /// As [`Blocks::corners`](super::Blocks::corners), without unpacking the block. For lanes not in use the corners are arbitrary.
    pub(super) fn corners(&self, reference: u32, lane: usize) -> Option<[[f32; 3]; 3]> {
        let window = self.window(reference)?;
        let head = PackedHead::read(head_of(window));
        let (row, step) = (head.corner_bytes(), head.step());
        let corner = |k: usize| {
            let nibbles = window[HEAD + k * row + lane % (2 * row) / 2];
            let slot = usize::from(nibbles >> (4 * (lane % 2)) & 15);
            let along = |axis: usize| {
                let at = head.offsets_at(axis) + 2 * slot;
                head.origin[axis] + step * f32::from(u16::from_le_bytes([window[at], window[at + 1]]))
            };
            [along(0), along(1), along(2)]
        };
        Some([corner(0), corner(1), corner(2)])
    }

    #[inline(always)]
    pub(super) fn unpack<'b, S: Kernel>(
        &self,
        simd: S,
        reference: u32,
        scratch: &'b mut Block,
    ) -> Option<&'b Block> {
        let window = self.window(reference)?;
        let unpacked = simd.vectorize(
            #[inline(always)]
            || unpack(simd, window, scratch),
        );
        unpacked.then_some(scratch)
    }

    #[inline(always)]
    fn window(&self, reference: u32) -> Option<&'a [u8; WINDOW]> {
        self.bytes.get((reference as usize).checked_mul(UNIT)?..)?.first_chunk()
    }
}

fn head_of(window: &[u8; WINDOW]) -> &[u8; HEAD] {
    window.first_chunk().expect("a head is shorter than a window")
}

/// A block with everything except corners and vertices.
#[inline(always)]
fn unpack_head(head: &PackedHead) -> Block {
    Block {
        first: head.first,
        triangles: head.triangles,
        vertices: head.vertices,
        split: head.split,
        ..Block::EMPTY
    }
}

/// Unpacks a block in whole vectors; returns whether it lies within the window.
#[inline(always)]
fn unpack<S: Kernel>(simd: S, window: &[u8; WINDOW], scratch: &mut Block) -> bool {
    let head = PackedHead::read(head_of(window));
    scratch.first = head.first;
    scratch.triangles = head.triangles;
    scratch.vertices = head.vertices;
    scratch.split = head.split;
    let row = head.corner_bytes();
    for (k, slots) in scratch.corners.iter_mut().enumerate() {
        let Some(nibbles) = chunk_at(window, HEAD + k * row) else { return false };
        *slots = simd.spread_nibbles(nibbles);
    }
    let step = head.step();
    for (axis, along) in scratch.positions.iter_mut().enumerate() {
        let Some(offsets) = chunk_at::<{ 2 * BLOCK_WIDTH }>(window, head.offsets_at(axis)) else {
            return false;
        };
        *along = simd.on_lattice(offsets, head.origin[axis], step);
    }
    true
}

#[inline(always)]
fn chunk_at<const N: usize>(window: &[u8; WINDOW], at: usize) -> Option<&[u8; N]> {
    window.get(at..)?.first_chunk()
}
