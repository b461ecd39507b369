//! The records of sections world and linked-meshes: instances of meshes, the leaves of the tree over them, and meshes in files
//! of their own.

use crate::plain::plain_record;

/// A mesh at a place in the world (FORMAT.md, "Section world").
///
/// A point (x, y, z) of the mesh lies at `rotation * (s x, s y, s z) + position`, where s is `scale`; the first
/// coordinate is `-s x` if [`MIRROR`](Self::MIRROR) is set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Instance {
    /// Where the mesh's origin is, in the world's units.
    pub position: [f64; 3],
    /// The rows of a rotation.
    pub rotation: [[f64; 3]; 3],
    /// The scale, greater than 0.
    pub scale: f64,
    /// [`instance_id`] of the name.
    pub id: u64,
    /// Whatever the user likes.
    pub user: u64,
    /// The mesh.
    pub mesh: u32,
    /// The layers that the instance is in, a bit each.
    pub layers: u32,
    /// [`MIRROR`](Self::MIRROR) and [`MOVABLE`](Self::MOVABLE).
    pub flags: u32,
    /// Zero.
    pub reserved: u32,
    /// A box around the instance: lower x, y, z, upper x, y, z, in the world's units.
    pub bounds: [f32; 6],
}

plain_record!(
    Instance,
    160,
    32,
    [position, rotation, scale, id, user, mesh, layers, flags, reserved, bounds]
);

impl Instance {
    /// The flag of an instance whose mesh is mirrored: x becomes -x before all else.
    pub const MIRROR: u32 = 1;

    /// The flag of an instance that the user may move.
    pub const MOVABLE: u32 = 2;
}

/// A leaf of the world's tree: an instance, or the part of it below a slot of its mesh's AABB tree.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct InstanceLeaf {
    /// A box around it: lower x, y, z, upper x, y, z, in the world's units.
    pub bounds: [f32; 6],
    /// The instance.
    pub instance: u32,
    /// The slot address, or [`NONE`](crate::NONE) for the whole mesh.
    pub slot: u32,
}

plain_record!(InstanceLeaf, 32, 32, [bounds, instance, slot]);

/// A mesh that a thin world has in a file of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(8))]
pub struct LinkedMesh {
    /// The hash in the header of the mesh's file, which covers all of that file.
    pub hash: [u8; 32],
    /// The length of that file in bytes.
    pub length: u64,
    /// The mesh's triangles.
    pub triangles: u64,
    /// The box around all used slots of node 0 of the mesh's AABB tree: lower x, y, z, upper x, y, z, in the mesh's units.
    pub bounds: [f32; 6],
}

plain_record!(LinkedMesh, 72, 8, [hash, length, triangles, bounds]);

/// The id of an instance: FNV-1a of its name's bytes, with 64 bits.
///
/// Based on: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", 1991.
pub const fn instance_id(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let (mut hash, mut index) = (0xcbf2_9ce4_8422_2325_u64, 0);
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        index += 1;
    }
    hash
}
