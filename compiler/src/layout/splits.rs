//! The triangles that several blocks hold, and where the tree refers to those blocks.

use bvhc_format::record::{Block, Child, NODE_WIDTH, WideNode};

/// The contents of section splits.
#[derive(Default)]
pub struct SplitTable {
    /// The triangles, ascending.
    pub triangles: Vec<u32>,
    /// For each triangle, the end of its range in `slots`.
    pub ends: Vec<u32>,
    /// `16 * node + slot` of each reference to a block that holds the triangle, by ascending block.
    pub slots: Vec<u32>,
}

/// Finds those of `count` triangles that several blocks hold, and marks them in the blocks. `numbers` are the triangles
/// in the blocks' lanes. Cost: two passes over the nodes.
pub(super) fn mark(nodes: &[WideNode], blocks: &mut [Block], numbers: &[u32], count: usize) -> SplitTable {
    let mut references = vec![0u32; count];
    for number in numbers {
        references[*number as usize] += 1;
    }
    if references.iter().all(|references| *references < 2) {
        return SplitTable::default();
    }
    for block in &mut *blocks {
        let is_split = |(_, number): &(usize, &u32)| references[**number as usize] > 1;
        let lanes = lanes(block, numbers).iter().enumerate().filter(is_split);
        block.split = lanes.fold(0, |split, (lane, _)| split | 1 << lane);
    }
    table(nodes, blocks, numbers, &references)
}

fn table(nodes: &[WideNode], blocks: &[Block], numbers: &[u32], references: &[u32]) -> SplitTable {
    let mut table = SplitTable::default();
    // The index of the next slot of each split triangle.
    let mut next = vec![0; references.len()];
    for (triangle, references) in (0..).zip(references).filter(|(_, references)| **references > 1) {
        let start = table.ends.last().copied().unwrap_or(0);
        next[triangle as usize] = start;
        table.triangles.push(triangle);
        table.ends.push(start + references);
    }
    table.slots.resize(table.ends.last().copied().unwrap_or(0) as usize, 0);
    for (block, slot_address) in blocks.iter().zip(slots(nodes, blocks.len())) {
        for number in lanes(block, numbers) {
            if references[*number as usize] > 1 {
                let next = &mut next[*number as usize];
                table.slots[*next as usize] = slot_address;
                *next += 1;
            }
        }
    }
    table
}

/// The slot address of the reference to each of `count` blocks.
fn slots(nodes: &[WideNode], count: usize) -> Vec<u32> {
    let mut slots = vec![0; count];
    for (node, slot) in (0..nodes.len()).flat_map(|node| (0..NODE_WIDTH).map(move |slot| (node, slot))) {
        if let Child::Block(block) = nodes[node].child(slot) {
            slots[block as usize] = (node * NODE_WIDTH + slot) as u32;
        }
    }
    slots
}

/// The triangles of a block.
fn lanes<'a>(block: &Block, numbers: &'a [u32]) -> &'a [u32] {
    &numbers[block.first as usize..][..usize::from(block.triangles)]
}
