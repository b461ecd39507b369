//! Blocks: up to 16 triangles over up to 16 welded vertices.

use bvhc_format::record::{BLOCK_WIDTH, Block};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::weld::Weld;
use crate::mesh::Mesh;
use crate::tree::binary::{BinaryTree, Node};

/// Subtrees with more references are not considered, even if they refer to few distinct triangles.
const MAX_REFERENCES: usize = 4 * BLOCK_WIDTH;

/// So many always fit: all their corners do.
pub const ALWAYS_FIT: usize = BLOCK_WIDTH / 3;

/// How many nodes a thread looks at at a time.
const CHUNK: usize = 1 << 12;

/// For each node of the tree, whether its triangles fit into one block. Below a node whose do, all do.
pub fn fits(tree: &BinaryTree, mesh: &Mesh, weld: &Weld) -> Vec<bool> {
    let is_split = tree.order.len() > mesh.triangles.len();
    let fits = |node: &Node| {
        let (first, count) = (node.first as usize, node.count as usize);
        if count <= ALWAYS_FIT || count > MAX_REFERENCES {
            return count <= ALWAYS_FIT;
        }
        let references = &tree.order[first..first + count];
        if is_split {
            let mut triangles = [0; MAX_REFERENCES];
            triangles[..count].copy_from_slice(references);
            let distinct = sort_distinct(&mut triangles[..count]);
            distinct <= BLOCK_WIDTH && fit(&triangles[..distinct], mesh, weld)
        } else {
            count <= BLOCK_WIDTH && fit(references, mesh, weld)
        }
    };
    let mut all = vec![false; tree.nodes.len()];
    tree.nodes.par_chunks(CHUNK).zip(all.par_chunks_mut(CHUNK)).for_each(|(nodes, all)| {
        // Nodes are numbered depth first: what follows a node is below it as long as its primitives are the node's.
        let mut end = 0;
        for (node, is_fitting) in nodes.iter().zip(all) {
            *is_fitting = node.first < end || fits(node);
            if *is_fitting {
                end = end.max(node.first + node.count);
            }
        }
    });
    all
}

/// Whether triangles have so few distinct corners that one block holds them.
fn fit(triangles: &[u32], mesh: &Mesh, weld: &Weld) -> bool {
    // No position has the last number.
    let mut held = [u32::MAX; BLOCK_WIDTH];
    let mut count = 0;
    for vertex in triangles.iter().flat_map(|triangle| mesh.triangles[*triangle as usize]) {
        let position = weld.numbers[vertex as usize];
        if held.contains(&position) {
            continue;
        }
        let Some(slot) = held.get_mut(count) else { return false };
        *slot = position;
        count += 1;
    }
    true
}

/// Puts the distinct numbers among some in front, ascending, and returns how many they are.
pub(super) fn sort_distinct(numbers: &mut [u32]) -> usize {
    numbers.sort_unstable();
    let mut distinct = 0;
    for index in 0..numbers.len() {
        if distinct == 0 || numbers[distinct - 1] != numbers[index] {
            numbers[distinct] = numbers[index];
            distinct += 1;
        }
    }
    distinct
}

/// The positions a block holds so far.
#[derive(Default)]
struct Slots {
    held: [u32; BLOCK_WIDTH],
    count: usize,
}

impl Slots {
    /// The slot of a position, allocated if it has none yet; `None` if the block is full.
    fn find(&mut self, position: u32) -> Option<usize> {
        if let Some(slot) = self.held[..self.count].iter().position(|held| *held == position) {
            return Some(slot);
        }
        let slot = self.count;
        *self.held.get_mut(slot)? = position;
        self.count += 1;
        Some(slot)
    }
}

/// Packs triangles that fit into one block. Their numbers are ascending and start at index `first` of the file's list.
pub(super) fn pack(mesh: &Mesh, weld: &Weld, triangles: &[u32], first: u32) -> Block {
    let mut slots = Slots::default();
    let mut block = Block {
        positions: [[0.0; BLOCK_WIDTH]; 3],
        corners: [[0; BLOCK_WIDTH]; 3],
        first,
        triangles: triangles.len() as u8,
        vertices: 0,
        split: 0,
        reserved: [0; 8],
    };
    for (lane, triangle) in triangles.iter().enumerate() {
        for (k, vertex) in mesh.triangles[*triangle as usize].iter().enumerate() {
            let slot = slots.find(weld.numbers[*vertex as usize]).expect("only what fits is packed");
            block.corners[k][lane] = slot as u8;
            for axis in 0..3 {
                block.positions[axis][slot] = mesh.positions[*vertex as usize][axis];
            }
        }
    }
    block.vertices = slots.count as u8;
    for axis in &mut block.positions {
        let repeated = axis[0];
        axis[slots.count..].fill(repeated);
    }
    block
}
