//! The leaves of the trees for pairs of models: addresses of triangles in the blocks.

use std::collections::HashMap;

use bvhc_format::obb::{PAIR_WIDTH, PairLeaf};
use bvhc_format::record::BLOCK_WIDTH;
use rkyv::rend::u32_le;

use super::block::corners;
use super::blocks::BlockTable;
use super::checked::Checked;
use super::geometry::GeometryFault;

/// What is wrong with a leaf.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LeafFault {
    /// An address does not lead to a triangle.
    #[error("lane {lane}: at its address {found:#x} no block holds a triangle (G15)")]
    NoTriangle {
        /// The lane.
        lane: usize,
        /// The address.
        found: u32,
    },
    /// Two leaves hold the same triangles.
    #[error("leaf {other} holds the same triangles (G15)")]
    Repeated {
        /// The leaf before it with these triangles.
        other: usize,
    },
    /// No tree refers to it.
    #[error("no tree refers to it (G16)")]
    Unused,
}

/// A leaf and the triangles that blocks hold at its addresses.
#[derive(Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) addresses: [u32; PAIR_WIDTH],
    pub(crate) triangles: [u32; PAIR_WIDTH],
}

/// G15, on valid blocks and triangle numbers.
pub(crate) fn read(
    records: &[PairLeaf],
    table: &BlockTable<'_>,
    numbers: &[u32_le],
) -> Result<Vec<Leaf>, GeometryFault> {
    let mut seen = HashMap::with_capacity(records.len());
    let leaf = |(leaf, record): (usize, &PairLeaf)| {
        let fail = |fault| GeometryFault::Leaf { leaf, fault };
        let mut triangles = [0; PAIR_WIDTH];
        for (lane, (triangle, &found)) in triangles.iter_mut().zip(&record.addresses).enumerate() {
            *triangle = triangle_at(found, table, numbers)
                .ok_or_else(|| fail(LeafFault::NoTriangle { lane, found }))?;
        }
        match seen.insert(set(triangles), leaf) {
            Some(other) => Err(fail(LeafFault::Repeated { other })),
            None => Ok(Leaf { addresses: record.addresses, triangles }),
        }
    };
    records.iter().enumerate().map(leaf).collect()
}

/// The triangles as a set: ascending, each once, filled up with `u32::MAX`.
fn set(mut triangles: [u32; PAIR_WIDTH]) -> [u32; PAIR_WIDTH] {
    triangles.sort_unstable();
    for lane in (1..PAIR_WIDTH).rev() {
        if triangles[lane] == triangles[lane - 1] {
            triangles[lane..].rotate_left(1);
            triangles[PAIR_WIDTH - 1] = u32::MAX;
        }
    }
    triangles
}

/// The number of the triangle at an address; `None` unless the address is that of a used lane of a block.
fn triangle_at(address: u32, table: &BlockTable<'_>, numbers: &[u32_le]) -> Option<u32> {
    let block = &table.blocks[table.index_of(address / BLOCK_WIDTH as u32)?];
    let lane = address as usize % BLOCK_WIDTH;
    let index = block.first as usize + lane;
    (lane < usize::from(block.triangles)).then(|| numbers[index].to_native())
}

/// G16, after all trees have been checked.
pub(crate) fn check_all_used(checked: &Checked<'_>) -> Result<(), GeometryFault> {
    let leaf = checked.referenced_leaves.get();
    if checked.skips_trees || leaf == checked.leaves().len() {
        return Ok(());
    }
    Err(GeometryFault::Leaf { leaf, fault: LeafFault::Unused })
}

/// The corners of the triangle in a lane of a leaf, as stored in the block.
pub(crate) fn exact_corners(leaf: &Leaf, lane: usize, table: &BlockTable<'_>) -> [[f32; 3]; 3] {
    let block = &table.blocks[table.number_of(leaf.addresses[lane] / BLOCK_WIDTH as u32)];
    corners(block, leaf.addresses[lane] as usize % BLOCK_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::set;

    #[test]
    fn sets() {
        const NONE: u32 = u32::MAX;
        assert_eq!(set([7, 2, 7, 7]), [2, 7, NONE, NONE]);
        assert_eq!(set([2, 7, 2, 2]), [2, 7, NONE, NONE]);
        assert_eq!(set([5, 5, 5, 5]), [5, NONE, NONE, NONE]);
        assert_eq!(set([4, 1, 3, 2]), [1, 2, 3, 4]);
    }
}
