//! The blocks of triangles, plain or packed.

use bvhc_format::packed::{HEAD, LEAST, PackedHead, UNIT, WINDOW};
use bvhc_format::record::{BLOCK_WIDTH, Block};
use bvhc_format::section::{ArchivedPackedBlocks, SectionKind};

use crate::error::OpenError;
use crate::prefetch::Records;
use crate::simd::Kernel;
use crate::triangle::corners;

/// The blocks of a model, in either form. A child reference means the same triangles in both.
#[derive(Clone, Copy, Debug)]
pub enum Blocks<'a> {
    /// Records with the source's exact coordinates. References are indices of blocks.
    Plain(&'a [Block]),
    /// Variable-sized records with rounded coordinates. References are offsets in units of 8 bytes.
    Packed(PackedBlocks<'a>),
}

impl<'a> Blocks<'a> {
    /// The number of blocks that the file gives.
    pub fn count(&self) -> usize {
        match self {
            Self::Plain(blocks) => blocks.len(),
            Self::Packed(blocks) => blocks.count as usize,
        }
    }

    /// The size of the blocks in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Plain(blocks) => size_of_val(*blocks),
            Self::Packed(blocks) => blocks.bytes.len(),
        }
    }

    /// The largest error of a vertex coordinate relative to the source, in the model's units.
    pub fn position_error(&self) -> f32 {
        match self {
            Self::Plain(_) => 0.0,
            Self::Packed(blocks) => blocks.position_error,
        }
    }

    /// The block at a child reference without its block bit.
    pub fn get(&self, reference: u32) -> Option<Block> {
        match self {
            Self::Plain(blocks) => blocks.get(reference as usize).copied(),
            Self::Packed(blocks) => blocks.get(reference),
        }
    }

    /// As [`get`](Self::get), but in place, or unpacked into `scratch` at the given SIMD level. The contents of lanes
    /// and slots that are not in use are arbitrary.
    #[inline(always)]
    pub(crate) fn fetch<'b, S: Kernel>(
        &self,
        simd: S,
        reference: u32,
        scratch: &'b mut Block,
    ) -> Option<&'b Block>
    where
        'a: 'b,
    {
        match self {
            Self::Plain(blocks) => blocks.get(reference as usize),
            Self::Packed(blocks) => blocks.unpack(simd, reference, scratch),
        }
    }

    /// The array that references index, for prefetching.
    pub(crate) fn records(&self) -> Records {
        match self {
            Self::Plain(blocks) => Records::at(blocks.as_ptr().cast(), size_of::<Block>()),
            Self::Packed(blocks) => Records::at(blocks.bytes.as_ptr(), UNIT),
        }
    }

    /// The position of a block's first triangle number.
    #[inline(always)]
    pub(crate) fn first(&self, reference: u32) -> Option<u32> {
        match self {
            Self::Plain(blocks) => blocks.get(reference as usize).map(|block| block.first),
            Self::Packed(blocks) => blocks.head(reference).map(|head| head.first),
        }
    }

    /// The corners of the triangle in a lane of a block.
    #[inline(always)]
    pub(crate) fn corners(&self, reference: u32, lane: usize) -> Option<[[f32; 3]; 3]> {
        match self {
            Self::Plain(blocks) => blocks.get(reference as usize).map(|block| corners(block, lane)),
            Self::Packed(blocks) => blocks.corners(reference, lane),
        }
    }

    /// All blocks with their references, in file order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, Block)> + use<'a> {
        let (blocks, mut reference, mut left) = (*self, 0, self.count());
        core::iter::from_fn(move || {
            left = left.checked_sub(1)?;
            let (at, block) = (reference, blocks.get(reference)?);
            reference += match blocks {
                Blocks::Plain(_) => 1,
                Blocks::Packed(packed) => (packed.head(at)?.size() / UNIT) as u32,
            };
            Some((at, block))
        })
    }
}

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

    /// The bytes of all blocks, with the zeros after them.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The head of the block at a reference; `None` past the end.
    pub fn head(&self, reference: u32) -> Option<PackedHead> {
        self.window(reference).map(|window| PackedHead::read(head_of(window)))
    }

    fn get(&self, reference: u32) -> Option<Block> {
        let window = self.window(reference)?;
        let head = PackedHead::read(head_of(window));
        let mut block = unpack_head(&head);
        let row = head.corner_bytes();
        for (k, slots) in block.corners.iter_mut().enumerate() {
            for (lane, slot) in slots[..usize::from(head.triangles)].iter_mut().enumerate() {
                *slot = window[HEAD + k * row + lane / 2] >> (4 * (lane % 2)) & 15;
            }
        }
        for (axis, places) in block.positions.iter_mut().enumerate() {
            let offset = |slot: usize| {
                let at = head.offsets_at(axis) + 2 * slot;
                f32::from(u16::from_le_bytes([window[at], window[at + 1]]))
            };
            for (slot, place) in places.iter_mut().enumerate() {
                let slot = if slot < usize::from(head.vertices) { slot } else { 0 };
                *place = head.origin[axis] + head.step() * offset(slot);
            }
        }
        Some(block)
    }

    /// As [`Blocks::corners`], without unpacking the block. For lanes not in use the corners are arbitrary.
    fn corners(&self, reference: u32, lane: usize) -> Option<[[f32; 3]; 3]> {
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
    fn unpack<'b, S: Kernel>(&self, simd: S, reference: u32, scratch: &'b mut Block) -> Option<&'b Block> {
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
