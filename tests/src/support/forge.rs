//! Where in a file what stands, and files with one thing changed.

use bvhc::file::Bytes;
use bvhc_format::header::{ENTRY_LENGTH, HEADER_LENGTH};
use bvhc_format::obb::OBB_WIDTH;
use bvhc_format::record::NODE_WIDTH;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Blocks, Model};

use super::aligned;

/// Offsets of the parts of a good file.
#[derive(Clone, Copy, Debug)]
pub struct Places {
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
    /// Its leaf 0.
    pub obb_leaves: usize,
    /// How many leaves it has.
    pub obb_leaf_count: usize,
}

/// Bytes of a node and of a block.
pub const RECORD: usize = 256;

/// Bytes of a node and of a leaf of a tree of oriented boxes.
pub const OBB_RECORD: usize = 192;

impl Places {
    /// Looks a file over.
    pub fn of(file: &Bytes) -> Self {
        let model = Model::from_bytes(file).expect("a good file opens");
        let offset = |address: usize| address - file.as_ptr().addr();
        let (obb_nodes, obb_leaves) =
            model.obb_tree().map_or((None, None), |tree| (Some(tree.nodes.get()), Some(tree.leaves.get())));
        Self {
            nodes: offset(model.nodes().as_ptr().addr()),
            node_count: model.nodes().len(),
            blocks: offset(match model.blocks() {
                Blocks::Plain(blocks) => blocks.as_ptr().addr(),
                Blocks::Packed(blocks) => blocks.as_bytes().as_ptr().addr(),
            }),
            block_count: model.blocks().count(),
            obb_nodes: obb_nodes.map_or(0, |nodes| offset(nodes.as_ptr().addr())),
            obb_node_count: obb_nodes.map_or(0, <[_]>::len),
            obb_leaves: obb_leaves.map_or(0, |leaves| offset(leaves.as_ptr().addr())),
            obb_leaf_count: obb_leaves.map_or(0, <[_]>::len),
        }
    }

    /// The child reference in a slot of a node.
    pub fn child(&self, node: usize, slot: usize) -> usize {
        self.nodes + RECORD * node + 192 + 4 * slot
    }

    /// The child reference in a slot of a node of the tree of oriented boxes.
    pub fn obb_child(&self, node: usize, slot: usize) -> usize {
        self.obb_number(node, 10, slot)
    }

    /// One of the numbers of such a slot: 0 to 3 are the quaternion's, 4 to 6 the centre's, 7 to 9 the half extents'.
    pub fn obb_number(&self, node: usize, number: usize, slot: usize) -> usize {
        self.obb_nodes + OBB_RECORD * node + 4 * (OBB_WIDTH * number + slot)
    }

    /// A leaf of that tree.
    pub fn obb_leaf(&self, leaf: usize) -> usize {
        self.obb_leaves + OBB_RECORD * leaf
    }

    /// The plane of a slot of a node: lower x, upper x, lower y and so on.
    pub fn plane(&self, node: usize, plane: usize, slot: usize) -> usize {
        self.nodes + RECORD * node + 4 * (NODE_WIDTH * plane + slot)
    }
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
    offset + length - root_size(kind)
}

/// Bytes of a section's root (FORMAT.md, "Archives").
pub const fn root_size(kind: SectionKind) -> usize {
    match kind {
        SectionKind::Metadata => 256,
        SectionKind::Geometry => 64,
        SectionKind::PackedBlocks => 24,
        SectionKind::Splits | SectionKind::AabbTree => 48,
        SectionKind::ObbTree => 56,
        SectionKind::KdopTree => 64,
    }
}

/// Offsets of a root's slice fields from its start, each with the size of its elements.
pub const fn slices(kind: SectionKind) -> &'static [(usize, usize)] {
    match kind {
        SectionKind::Metadata => {
            &[(112, 1), (128, 1), (144, 1), (160, 4), (176, 1), (192, 4), (208, 1), (224, 4), (240, 48)]
        }
        SectionKind::Geometry => &[(0, 256), (16, 4), (32, 4), (48, 16)],
        SectionKind::Splits => &[(0, 4), (16, 4), (32, 4)],
        SectionKind::PackedBlocks => &[(0, 1)],
        SectionKind::AabbTree => &[(32, 256)],
        SectionKind::ObbTree => &[(24, 192), (40, 192)],
        SectionKind::KdopTree => &[(32, 16), (48, 192)],
    }
}

/// A file with these bytes at this offset.
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
