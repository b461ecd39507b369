//! The records of the four-wide tree of oriented boxes.

mod packed;
mod sample;

use crate::plain::plain_record;
pub use packed::{PackedObbNode, PackedRotation, PackedStep};
pub use sample::SampleNode;

/// The children of a node, and the most triangles of a leaf. A step of a walk through two trees tests all 16 pairs.
pub const PAIR_WIDTH: usize = 4;

/// The most levels of nodes in a tree.
pub const MAX_OBB_DEPTH: u32 = 40;

/// A reference from a node to a child.
///
/// ```text
///  31 30 29 28                        0
/// +--+-----+---------------------------+
/// |L | n-1 |           index           |   L = 1: a leaf of n triangles
/// +--+-----+---------------------------+   L = 0: a node; n - 1 is part of the index
/// ```
///
/// All ones marks an empty slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairRef(pub u32);

/// What a [`PairRef`] refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairChild {
    /// An empty slot of the node.
    Empty,
    /// The index of a node.
    Node(u32),
    /// The index of a leaf, and the number of its lanes that hold triangles.
    Leaf(u32, u32),
}

impl PairRef {
    /// The empty slot.
    pub const EMPTY: Self = Self(u32::MAX);
    /// The bit that is set for leaves.
    pub const LEAF_BIT: u32 = 1 << 31;
    /// Indices of leaves are below this.
    pub const MAX_LEAVES: u32 = (1 << 29) - 1;

    /// A reference to the node at `index`, which must be below 2^31.
    pub const fn node(index: u32) -> Self {
        Self(index)
    }

    /// A reference to the leaf at `index`, below [`MAX_LEAVES`](Self::MAX_LEAVES), of 1 to 4 triangles.
    pub const fn leaf(index: u32, triangles: u32) -> Self {
        Self(Self::LEAF_BIT | (triangles - 1) << 29 | index)
    }

    /// What the reference refers to.
    #[inline(always)]
    pub const fn get(self) -> PairChild {
        if self.0 == Self::EMPTY.0 {
            PairChild::Empty
        } else if self.0 & Self::LEAF_BIT != 0 {
            PairChild::Leaf(self.0 & ((1 << 29) - 1), (self.0 >> 29 & 3) + 1)
        } else {
            PairChild::Node(self.0)
        }
    }
}

/// A node: four children, each with its own oriented box, as a structure of arrays.
///
/// A box is the set of points `origin + centre + R y` with `|y| <= half_extents` on each axis, where `R` is the
/// rotation of the quaternion divided by its length. It contains every triangle below it. An empty slot has half
/// extents of -1e30.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct ObbNode {
    /// x, y, z and w of the quaternions; their lengths are 1 within 2^-22.
    pub rotation: [[f32; PAIR_WIDTH]; 4],
    /// x, y and z of the centres, relative to the tree's origin.
    pub centre: [[f32; PAIR_WIDTH]; 3],
    /// Half the boxes' extents along their own axes.
    pub half_extents: [[f32; PAIR_WIDTH]; 3],
    /// [`PairRef`] of each slot.
    pub children: [u32; PAIR_WIDTH],
    /// Zero.
    pub reserved: [u32; 4],
}

/// The half extents of an empty slot.
pub const EMPTY_EXTENT: f32 = -1e30;

impl ObbNode {
    /// A node without children.
    pub const EMPTY: Self = Self {
        rotation: [[0.0; PAIR_WIDTH], [0.0; PAIR_WIDTH], [0.0; PAIR_WIDTH], [1.0; PAIR_WIDTH]],
        centre: [[0.0; PAIR_WIDTH]; 3],
        half_extents: [[EMPTY_EXTENT; PAIR_WIDTH]; 3],
        children: [PairRef::EMPTY.0; PAIR_WIDTH],
        reserved: [0; 4],
    };
}

plain_record!(ObbNode, 192, 64, [rotation, centre, half_extents, children, reserved]);

/// Up to four triangles, by their addresses, in either layout of the blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct PairLeaf {
    /// The triangles' addresses: 16 times the reference of a block, plus a lane in it. Lanes beyond the leaf's count
    /// repeat lane 0.
    pub addresses: [u32; PAIR_WIDTH],
}

plain_record!(PairLeaf, 16, 16, [addresses]);
