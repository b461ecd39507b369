//! The offsets of a file's parts, and files with one thing changed.

use std::mem::offset_of;

use bvhc::file::Bytes;
use bvhc_format::header::{ENTRY_LENGTH, HEADER_LENGTH};
use bvhc_format::obb::{PAIR_WIDTH, PairLeaf};
use bvhc_format::record::{Block, NODE_WIDTH, WideNode};
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Blocks, Model};

use super::aligned;

/// Offsets of the parts of a good file.
#[derive(Clone, Copy, Debug)]
pub struct Offsets {
    /// Node 0.
    pub nodes: usize,
    /// How many nodes there are.
    pub node_count: usize,
    /// Block 0, or the bytes of packed ones.
    pub blocks: usize,
    /// How many blocks there are.
    pub block_count: usize,
    /// Node 0 of the tree of oriented boxes; 0 where there is none.
    pub obb_nodes: usize,
    /// How many nodes it has.
    pub obb_node_count: usize,
    /// Leaf 0 of the trees for pairs of models.
    pub pair_leaves: usize,
    /// How many leaves they have.
    pub pair_leaf_count: usize,
    /// Their layout.
    pub obb: &'static ObbRecords,
}

/// Bytes of a node.
pub const NODE: usize = size_of::<WideNode>();

/// Bytes of a block.
pub const BLOCK: usize = size_of::<Block>();

/// The layout of the records of a tree of oriented boxes.
#[derive(Debug)]
pub struct ObbRecords {
    /// Bytes of a node.
    pub node: usize,
    /// Bytes of each number in a node's slot.
    pub number: usize,
    /// How many numbers of that size a slot's rotation takes.
    pub rotation: usize,
    /// The offset and size of each of a node's other numbers.
    pub scales: &'static [(usize, usize)],
}

static PLAIN: ObbRecords = ObbRecords { node: 192, number: 4, rotation: 4, scales: &[] };

static PACKED: ObbRecords =
    ObbRecords { node: 96, number: 2, rotation: 2, scales: &[(80, 4), (84, 4), (88, 4), (92, 2), (94, 2)] };

impl Offsets {
    /// Finds the parts of a file.
    pub fn of(file: &Bytes) -> Self {
        let model = Model::from_bytes(file).expect("a good file opens");
        let offset = |address: usize| address - file.as_ptr().addr();
        let pair_leaves = offset_of(model.sections().pair_leaves());
        let (obb_nodes, obb) = match model.sections().obb_tree() {
            None => (None, &PLAIN),
            Some(tree) if tree.packed_nodes.is_empty() => (Some(offset_of(tree.nodes.get())), &PLAIN),
            Some(tree) => (Some(offset_of(tree.packed_nodes.get())), &PACKED),
        };
        Self {
            nodes: offset(model.sections().nodes().as_ptr().addr()),
            node_count: model.sections().nodes().len(),
            blocks: offset(match model.sections().blocks() {
                Blocks::Plain(blocks) => blocks.as_ptr().addr(),
                Blocks::Packed(blocks) => blocks.as_bytes().as_ptr().addr(),
            }),
            block_count: model.sections().blocks().count(),
            obb_nodes: obb_nodes.map_or(0, |(at, _)| offset(at)),
            obb_node_count: obb_nodes.map_or(0, |(_, count)| count),
            pair_leaves: offset(pair_leaves.0),
            pair_leaf_count: pair_leaves.1,
            obb,
        }
    }

    /// Offset of the child reference in a slot of a node.
    pub fn child(&self, node: usize, slot: usize) -> usize {
        self.nodes + NODE * node + offset_of!(WideNode, children) + 4 * slot
    }

    /// Offset of a node's word of visiting orders for a rank.
    pub fn order(&self, node: usize, rank: usize) -> usize {
        self.nodes + NODE * node + offset_of!(WideNode, order) + 4 * rank
    }

    /// Offset of a node of the tree of oriented boxes.
    pub fn obb_node(&self, node: usize) -> usize {
        self.obb_nodes + self.obb.node * node
    }

    /// Offset of the child reference in a slot of such a node.
    pub fn obb_child(&self, node: usize, slot: usize) -> usize {
        self.obb_number(node, 10, 0) + 4 * slot
    }

    /// Writes one of the numbers of such a slot or, if it has 16 bits, the upper half: 0 to 3 are the rotation's, 4 to 6
    /// the centre's, 7 to 9 the half extents'.
    pub fn write_obb_number(&self, file: &mut [u8], node: usize, number: usize, slot: usize, bits: u32) {
        let (at, size) = (self.obb_number(node, number, slot), self.obb.number);
        file[at..at + size].copy_from_slice(&bits.to_le_bytes()[4 - size..]);
    }

    fn obb_number(&self, node: usize, number: usize, slot: usize) -> usize {
        let row = (number + self.obb.rotation).saturating_sub(4);
        self.obb_node(node) + self.obb.number * (PAIR_WIDTH * row + slot)
    }

    /// Writes one of a node's numbers that are for all its slots or, if it has 16 bits, the upper half.
    pub fn write_obb_scale(&self, file: &mut [u8], node: usize, scale: (usize, usize), bits: u32) {
        let (at, size) = (self.obb_node(node) + scale.0, scale.1);
        file[at..at + size].copy_from_slice(&bits.to_le_bytes()[4 - size..]);
    }

    /// Offset of a leaf of that tree.
    pub fn obb_leaf(&self, leaf: usize) -> usize {
        self.pair_leaves + size_of::<PairLeaf>() * leaf
    }

    /// Offset of the plane of a slot of a node: lower x, upper x, lower y and so on.
    pub fn plane(&self, node: usize, plane: usize, slot: usize) -> usize {
        self.nodes + NODE * node + 4 * (NODE_WIDTH * plane + slot)
    }
}

/// The offset of records, and their number.
fn offset_of<T>(records: &[T]) -> (usize, usize) {
    (records.as_ptr().addr(), records.len())
}

/// The entry of a section in the directory, and its payload: offset and length.
pub fn section(file: &[u8], kind: SectionKind) -> (usize, usize, usize) {
    let mut entry = HEADER_LENGTH;
    while read_u32(file, entry) != kind as u32 {
        entry += ENTRY_LENGTH;
    }
    (entry, read_u64(file, entry + 8) as usize, read_u64(file, entry + 16) as usize)
}

/// Offset of a section's root, by its size.
pub fn root(file: &[u8], kind: SectionKind) -> usize {
    let (_, offset, length) = section(file, kind);
    offset + length - kind.root().size
}

/// Offsets of a root's slice fields from its start, each with the size of its elements.
pub fn slices(kind: SectionKind) -> Vec<(usize, usize)> {
    kind.root().slices().map(|(field, element)| (field, element.size)).collect()
}

/// Where the slice of the field at an offset begins, and how many elements it has.
pub fn slice_at(file: &[u8], field: usize) -> (usize, usize) {
    (field.wrapping_add(read_u64(file, field) as usize), read_u64(file, field + 8) as usize)
}

/// The file with these bytes at this offset.
pub fn with_bytes(file: &[u8], offset: usize, bytes: &[u8]) -> Bytes {
    let mut forged = aligned(file);
    forged[offset..offset + bytes.len()].copy_from_slice(bytes);
    forged
}

/// The `u32` at an offset.
pub fn read_u32(file: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(file[offset..offset + 4].try_into().expect("four bytes"))
}

/// The `u64` at an offset.
pub fn read_u64(file: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(file[offset..offset + 8].try_into().expect("eight bytes"))
}
