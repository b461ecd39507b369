//! The leaves of trees for pairs of models: addresses of triangles in the blocks.

use bvhc_format::obb::{PAIR_WIDTH, PairLeaf};
use bvhc_format::record::BLOCK_WIDTH;
use rkyv::rend::u32_le;

use super::ObbFault;
use crate::verify::block::corners;
use crate::verify::blocks::BlockTable;

/// What is wrong with a leaf of the tree of oriented boxes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObbLeafFault {
    /// An address does not lead to a triangle.
    #[error("lane {lane}: at its address {found:#x} no block holds a triangle (B13)")]
    NoTriangle {
        /// The lane.
        lane: usize,
        /// The address.
        found: u32,
    },
    /// An unused lane does not repeat lane 0.
    #[error("lane {lane} is unused, but does not repeat lane 0 (B14)")]
    Unused {
        /// The lane.
        lane: usize,
    },
}

/// The blocks that the addresses in leaves refer to.
pub(in crate::verify) struct Source<'a> {
    pub(in crate::verify) table: &'a BlockTable<'a>,
    /// The triangle numbers of all blocks.
    pub(in crate::verify) numbers: &'a [u32_le],
}

/// A leaf and the triangles that blocks hold at its addresses.
#[derive(Clone, Copy)]
pub(in crate::verify) struct Leaf {
    pub(in crate::verify) addresses: [u32; PAIR_WIDTH],
    pub(in crate::verify) triangles: [u32; PAIR_WIDTH],
}

/// B13
pub(in crate::verify) fn leaves(records: &[PairLeaf], source: &Source<'_>) -> Result<Vec<Leaf>, ObbFault> {
    let leaf = |(leaf, record): (usize, &PairLeaf)| {
        let mut triangles = [0; PAIR_WIDTH];
        for (lane, (triangle, &found)) in triangles.iter_mut().zip(&record.addresses).enumerate() {
            let fault = ObbLeafFault::NoTriangle { lane, found };
            *triangle = source.triangle_at(found).ok_or(ObbFault::Leaf { leaf, fault })?;
        }
        Ok(Leaf { addresses: record.addresses, triangles })
    };
    records.iter().enumerate().map(leaf).collect()
}

/// B14
pub(super) fn check(leaf: &Leaf, used: usize) -> Result<(), ObbLeafFault> {
    match (used..PAIR_WIDTH).find(|lane| leaf.addresses[*lane] != leaf.addresses[0]) {
        Some(lane) => Err(ObbLeafFault::Unused { lane }),
        None => Ok(()),
    }
}

impl Source<'_> {
    /// The number of the triangle at an address; `None` unless the address is that of a used lane of a block.
    pub(super) fn triangle_at(&self, place: u32) -> Option<u32> {
        let block = &self.table.blocks[self.table.index_of(place / BLOCK_WIDTH as u32)?];
        let lane = place as usize % BLOCK_WIDTH;
        let index = block.first as usize + lane;
        (lane < usize::from(block.triangles)).then(|| self.numbers[index].to_native())
    }
}

/// The corners of the triangle in a lane of a leaf, as stored in the block.
pub(in crate::verify) fn exact_corners(leaf: &Leaf, lane: usize, table: &BlockTable<'_>) -> [[f32; 3]; 3] {
    let block = &table.blocks[table.number_of(leaf.addresses[lane] / BLOCK_WIDTH as u32)];
    corners(block, leaf.addresses[lane] as usize % BLOCK_WIDTH)
}
