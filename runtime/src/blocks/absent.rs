//! Stands in for packed blocks in builds without the feature `packed`.

use core::convert::Infallible;
use core::marker::PhantomData;

use bvhc_format::packed::PackedHead;
use bvhc_format::record::Block;
use bvhc_format::section::ArchivedPackedBlocks;

use crate::error::OpenError;
use crate::simd::Kernel;

/// Blocks in packed form, of which there are none without the feature `packed`.
#[derive(Clone, Copy, Debug)]
pub struct PackedBlocks<'a> {
    never: Infallible,
    bytes: PhantomData<&'a [u8]>,
}

impl<'a> PackedBlocks<'a> {
    pub(crate) fn of(_: &'a ArchivedPackedBlocks<'static>) -> Result<Self, OpenError> {
        Err(OpenError::WithoutFeature("packed"))
    }

    pub(super) fn count(&self) -> u32 {
        match self.never {}
    }

    pub(super) fn position_error(&self) -> f32 {
        match self.never {}
    }

    /// The bytes of all blocks.
    pub fn as_bytes(&self) -> &'a [u8] {
        match self.never {}
    }

    /// The head of the block at a reference.
    pub fn head(&self, _: u32) -> Option<PackedHead> {
        match self.never {}
    }

    pub(super) fn get(&self, _: u32) -> Option<Block> {
        match self.never {}
    }

    pub(super) fn corners(&self, _: u32, _: usize) -> Option<[[f32; 3]; 3]> {
        match self.never {}
    }

    pub(super) fn unpack<'b, S: Kernel>(&self, _: S, _: u32, _: &'b mut Block) -> Option<&'b Block> {
        match self.never {}
    }
}
