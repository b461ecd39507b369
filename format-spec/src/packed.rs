//! The packed form of a block: the same triangles in 10 to 16 bytes each, instead of 256 bytes per block.
//!
//! Vertices lie on a lattice that each block defines: `origin + step * offset` on each axis, where `step` is a power of
//! two and the sum is exactly an f32. A vertex has the same position in every block that uses it.
//!
//! ```text
//!  0       12      16   17   18     20             20 + 3 r        20 + 3 r + 6 v
//! +-------+-------+----+----+------+--------------+---------------+---------+
//! | origin| first | e  | c  | split|  corners     |  offsets      | 0 ...   |   to a multiple of 8
//! +-------+-------+----+----+------+--------------+---------------+---------+
//!   f32[3]   u32    u8   u8   u16    u8[3][r]        u16[3][v]
//! ```
//!
//! `step` is 2^(e - 127). The lower four bits of `c` are the number of triangles minus one, the upper four bits the
//! number of vertices v minus one. r is half the number of triangles, rounded up. A byte of `corners` holds the slots
//! of two lanes, that of the lower lane in its lower four bits.

use crate::describe::{Described, Field, Shape, Type};
use crate::record::BLOCK_WIDTH;

/// The unit of child references, in bytes.
pub const UNIT: usize = 8;

/// Bytes before the corners.
pub const HEAD: usize = 20;

/// The number of bytes that a reader may load from the start of any block, whatever the block's size.
pub const WINDOW: usize = 144;

/// The size of the smallest block: one triangle with three vertices.
pub const LEAST: usize = (HEAD + 3 + 3 * 6).next_multiple_of(UNIT);

// The largest block, and a full load of 16 offsets from anywhere in it.
const _: () = assert!(HEAD + 3 * BLOCK_WIDTH / 2 + 4 * BLOCK_WIDTH + 2 * BLOCK_WIDTH <= WINDOW);

/// The fields of a packed block before its corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedHead {
    /// The position of offset 0 on each axis, in the model's units: a multiple of the step.
    pub origin: [f32; 3],
    /// As [`Block::first`](crate::record::Block::first).
    pub first: u32,
    /// The step's binary exponent plus 127: 1 to 254.
    pub exponent: u8,
    /// How many lanes hold triangles: 1 to 16.
    pub triangles: u8,
    /// How many slots hold vertices: 1 to 16.
    pub vertices: u8,
    /// As [`Block::split`](crate::record::Block::split).
    pub split: u16,
}

impl Described for PackedHead {
    const TYPE: &'static Type = &Type {
        name: "PackedHead",
        size: HEAD,
        alignment: UNIT,
        shape: Shape::Record {
            fields: &[
                Field { name: "origin", offset: 0, ty: <[f32; 3]>::TYPE },
                Field { name: "first", offset: 12, ty: u32::TYPE },
                Field { name: "exponent", offset: 16, ty: u8::TYPE },
                Field { name: "counts", offset: 17, ty: u8::TYPE },
                Field { name: "split", offset: 18, ty: u16::TYPE },
            ],
        },
    };
}

impl PackedHead {
    /// Reads the head without checking it.
    #[inline(always)]
    pub fn read(bytes: &[u8; HEAD]) -> Self {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Self {
            origin: [f32::from_bits(word(0)), f32::from_bits(word(4)), f32::from_bits(word(8))],
            first: word(12),
            exponent: bytes[16],
            triangles: (bytes[17] & 15) + 1,
            vertices: (bytes[17] >> 4) + 1,
            split: u16::from_le_bytes([bytes[18], bytes[19]]),
        }
    }

    /// The head as bytes of the file.
    pub fn write(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        for (axis, origin) in self.origin.iter().enumerate() {
            bytes[4 * axis..4 * axis + 4].copy_from_slice(&origin.to_le_bytes());
        }
        bytes[12..16].copy_from_slice(&self.first.to_le_bytes());
        bytes[16] = self.exponent;
        bytes[17] = (self.triangles - 1) | (self.vertices - 1) << 4;
        bytes[18..20].copy_from_slice(&self.split.to_le_bytes());
        bytes
    }

    /// The lattice's step: 2^(exponent - 127).
    #[inline(always)]
    pub fn step(&self) -> f32 {
        f32::from_bits(u32::from(self.exponent) << 23)
    }

    /// The number of bytes that hold one corner's slots of all triangles.
    #[inline(always)]
    pub fn corner_bytes(&self) -> usize {
        usize::from(self.triangles).div_ceil(2)
    }

    /// Where the offsets on an axis start, relative to the block.
    #[inline(always)]
    pub fn offsets_at(&self, axis: usize) -> usize {
        HEAD + 3 * self.corner_bytes() + 2 * axis * usize::from(self.vertices)
    }

    /// The size of the whole block in bytes: a multiple of [`UNIT`].
    pub fn size(&self) -> usize {
        self.offsets_at(3).next_multiple_of(UNIT)
    }
}
