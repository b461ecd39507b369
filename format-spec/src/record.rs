//! The bulk records: fixed-size, aligned, read in place by the runtime's kernels.

use crate::plain::plain_record;

/// The children of a wide node, and the boxes that one step of a walk tests.
pub const NODE_WIDTH: usize = 16;
/// The most vertices, and the most triangles, of a block.
pub const BLOCK_WIDTH: usize = 16;

/// A reference from a wide node to a child (FORMAT.md, "Child reference").
///
/// ```text
///  31 30                            0
/// +--+-------------------------------+
/// |B |            index              |   B = 1: a block of the geometry section
/// +--+-------------------------------+   B = 0: a node of the same tree
/// ```
///
/// All ones marks an empty slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildRef(pub u32);

/// What a [`ChildRef`] refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Child {
    /// An empty slot of the node.
    Empty,
    /// The index of a node of the same tree.
    Node(u32),
    /// The index of a block of the geometry section.
    Block(u32),
}

impl ChildRef {
    /// The empty slot.
    pub const EMPTY: Self = Self(u32::MAX);
    /// The bit that is set for blocks.
    pub const BLOCK_BIT: u32 = 1 << 31;

    /// A reference to the node at `index`, which must be below 2^31.
    pub const fn node(index: u32) -> Self {
        Self(index)
    }

    /// A reference to the block at `index`, which must be below 2^31 - 1.
    pub const fn block(index: u32) -> Self {
        Self(index | Self::BLOCK_BIT)
    }

    /// What the reference refers to.
    pub const fn get(self) -> Child {
        if self.0 == Self::EMPTY.0 {
            Child::Empty
        } else if self.0 & Self::BLOCK_BIT != 0 {
            Child::Block(self.0 & !Self::BLOCK_BIT)
        } else {
            Child::Node(self.0)
        }
    }
}

/// An inner node of the wide AABB tree: sixteen child boxes, their references and their visiting orders.
///
/// The boxes are a structure of arrays in the order lower x, upper x, lower y, upper y, lower z, upper z, in the
/// model's units and space, so that a ray selects its near planes by an offset. A box contains every triangle below it.
/// An empty slot has lower planes of +1e30 and upper planes of -1e30.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct WideNode {
    /// `planes[2 * axis]` are the lower, `planes[2 * axis + 1]` the upper planes of the boxes.
    pub planes: [[f32; NODE_WIDTH]; 6],
    /// [`ChildRef`] of each slot.
    pub children: [u32; NODE_WIDTH],
    /// Visiting orders: bits `4 * o .. 4 * o + 4` of `order[rank]` are the slot that a ray of octant `o` visits at
    /// `rank` (bits 0, 1 and 2 of `o` are set where x, y and z of the direction are negative).
    pub order: [u32; NODE_WIDTH],
}

/// The lower planes of an empty slot; the upper ones are its negative.
pub const EMPTY_PLANE: f32 = 1e30;

impl WideNode {
    /// A node without children.
    pub const EMPTY: Self = Self {
        planes: [
            [EMPTY_PLANE; NODE_WIDTH],
            [-EMPTY_PLANE; NODE_WIDTH],
            [EMPTY_PLANE; NODE_WIDTH],
            [-EMPTY_PLANE; NODE_WIDTH],
            [EMPTY_PLANE; NODE_WIDTH],
            [-EMPTY_PLANE; NODE_WIDTH],
        ],
        children: [ChildRef::EMPTY.0; NODE_WIDTH],
        order: [0; NODE_WIDTH],
    };

    /// What a slot refers to. Panics if `slot` is not below [`NODE_WIDTH`].
    pub const fn child(&self, slot: usize) -> Child {
        ChildRef(self.children[slot]).get()
    }
}

plain_record!(WideNode, 512, 64, [planes, children, order]);

/// Up to 16 triangles over up to 16 vertices, with the exact coordinates of the source.
///
/// Lanes `0..triangles` hold triangles, ascending by triangle number; further lanes repeat vertex 0 three times. Slots
/// `0..vertices` hold vertices; further slots repeat vertex 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Block {
    /// x, y and z of the vertices, in the model's units and space.
    pub positions: [[f32; BLOCK_WIDTH]; 3],
    /// `corners[k][lane]`: the vertex slot (0..16) of corner `k` of the triangle in `lane`.
    pub corners: [[u8; BLOCK_WIDTH]; 3],
    /// The index of this block's first triangle number in the geometry section's `triangles`.
    pub first: u32,
    /// How many lanes hold triangles: 1 to 16.
    pub triangles: u8,
    /// How many slots hold vertices: 3 to 16.
    pub vertices: u8,
    /// Bit `i` is set if other blocks also hold the triangle in lane `i` (section splits).
    pub split: u16,
    /// Zero.
    pub reserved: [u8; 8],
}

plain_record!(Block, 256, 64, [positions, corners, first, triangles, vertices, split, reserved]);

impl Block {
    /// A block without triangles.
    pub const EMPTY: Self = Self {
        positions: [[0.0; BLOCK_WIDTH]; 3],
        corners: [[0; BLOCK_WIDTH]; 3],
        first: 0,
        triangles: 0,
        vertices: 0,
        split: 0,
        reserved: [0; 8],
    };
}

/// What the triangles from `first_triangle` up to the next run's have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct AttributeRun {
    /// The first triangle number of the run.
    pub first_triangle: u32,
    /// Index of the material's name, or [`NONE`](crate::NONE).
    pub material: u32,
    /// Index of the group's name, or [`NONE`](crate::NONE).
    pub group: u32,
    /// Index of the object's name, or [`NONE`](crate::NONE).
    pub object: u32,
}

plain_record!(AttributeRun, 16, 4, [first_triangle, material, group, object]);

/// What a file that the source refers to contained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// 32-bit x86 would align its u64 to 4 bytes only.
#[repr(C, align(8))]
pub struct InputFile {
    /// BLAKE3 of its bytes.
    pub hash: [u8; 32],
    /// Its length in bytes.
    pub length: u64,
}

plain_record!(InputFile, 40, 8, [hash, length]);

/// The corners of its source face that a triangle has, if their indices are too large for [`pack`](Self::pack).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FaceCorners {
    /// The triangle's number.
    pub triangle: u32,
    /// For each corner of the triangle, its index among the corners of the face.
    pub corners: [u32; 3],
}

plain_record!(FaceCorners, 16, 4, [triangle, corners]);

impl FaceCorners {
    /// The packed form which means that the corners are listed as a record.
    pub const LISTED: u16 = 0xffff;

    /// The corners in 15 bits: corner `k` of the triangle in bits `5 k` to `5 k + 4`. `None` if an index is above 31.
    pub fn pack([a, b, c]: [u32; 3]) -> Option<u16> {
        (a.max(b).max(c) < 32).then_some((a | b << 5 | c << 10) as u16)
    }

    /// The corners that [`pack`](Self::pack) packed.
    pub fn unpack(packed: u16) -> [u32; 3] {
        [0, 5, 10].map(|shift| u32::from(packed >> shift & 31))
    }
}

/// Statistics of one tree, for `inspect` and for tools that choose between files.
#[derive(Clone, Copy, Debug, PartialEq)]
// 32-bit x86 would align its u64 to 4 bytes only.
#[repr(C, align(8))]
pub struct TreeStatistics {
    /// The kind of the tree's section ([`SectionKind`](crate::section::SectionKind)).
    pub kind: u32,
    /// Levels of inner nodes.
    pub depth: u32,
    /// Inner nodes.
    pub nodes: u64,
    /// References from nodes to blocks.
    pub leaves: u64,
    /// References from blocks to triangles: the number of triangles, plus one for each time a triangle was split.
    pub references: u64,
    /// Surface-area heuristic: expected cost of a random ray that meets the root box, where a node
    /// costs 1 and a block costs 1.
    pub sah_cost: f32,
    /// Mean share of a node's slots in use, 0 to 1.
    pub node_fill: f32,
    /// Mean share of a block's lanes in use, 0 to 1.
    pub block_fill: f32,
    /// Zero.
    pub reserved: u32,
}

plain_record!(
    TreeStatistics,
    48,
    8,
    [kind, depth, nodes, leaves, references, sah_cost, node_fill, block_fill, reserved]
);
