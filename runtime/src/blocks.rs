//! The blocks of triangles, plain or packed.

#[cfg(not(feature = "packed"))]
mod absent;
#[cfg(feature = "packed")]
mod packed;

use bvhc_format::packed::UNIT;
use bvhc_format::record::Block;

#[cfg(not(feature = "packed"))]
pub use absent::PackedBlocks;
#[cfg(feature = "packed")]
pub use packed::PackedBlocks;

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
            Self::Packed(blocks) => blocks.count() as usize,
        }
    }

    /// The size of the blocks in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Plain(blocks) => size_of_val(*blocks),
            Self::Packed(blocks) => blocks.as_bytes().len(),
        }
    }

    /// The largest error of a vertex coordinate relative to the source, in the model's units.
    pub fn position_error(&self) -> f32 {
        match self {
            Self::Plain(_) => 0.0,
            Self::Packed(blocks) => blocks.position_error(),
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
            Self::Packed(blocks) => Records::at(blocks.as_bytes().as_ptr(), UNIT),
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
