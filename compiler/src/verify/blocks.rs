//! The blocks in unpacked form, whichever form the file has, for checking the rules.

use bvhc_format::record::Block;
use bvhc_runtime::{Blocks, Model};
use std::borrow::Cow;

/// All blocks, unpacked, and the child references that lead to them.
pub(crate) struct BlockTable<'a> {
    pub(super) blocks: Cow<'a, [Block]>,
    /// The reference of each block, ascending; `None` if references are block numbers.
    references: Option<Vec<u32>>,
}

impl<'a> BlockTable<'a> {
    pub(super) fn of(model: &Model<'a>) -> Self {
        match model.sections().blocks() {
            Blocks::Plain(blocks) => Self { blocks: Cow::Borrowed(blocks), references: None },
            packed @ Blocks::Packed(_) => {
                let (references, blocks): (Vec<u32>, Vec<Block>) = packed.iter().unzip();
                Self { blocks: Cow::Owned(blocks), references: Some(references) }
            }
        }
    }

    /// Whether vertices are exactly those of the source.
    pub(super) fn is_exact(&self) -> bool {
        self.references.is_none()
    }

    /// The number of the block that a child reference leads to.
    pub(super) fn index_of(&self, reference: u32) -> Option<usize> {
        match &self.references {
            None => Some(reference as usize).filter(|index| *index < self.blocks.len()),
            Some(references) => references.binary_search(&reference).ok(),
        }
    }

    /// The same for a reference that is known to be valid. Panics on others.
    pub(super) fn number_of(&self, reference: u32) -> usize {
        self.index_of(reference).expect("the nodes have been checked")
    }
}
