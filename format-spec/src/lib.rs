//! The bvhc file format, version 3.0, as Rust types.
//!
//! `FORMAT.md` beside this crate is normative; the modules follow its chapters: [`header`] (the part that is not an
//! archive) and [`section`] (one rkyv archive each, made of the plain records in [`record`]). This crate only describes
//! the bytes. It does not open files, build trees or answer queries.
#![no_std]

#[cfg(target_endian = "big")]
compile_error!("bvhc records are read in place and are little-endian; big-endian targets are not supported");

pub mod describe;
pub mod edges;
pub mod field;
pub mod header;
pub mod hull;
pub mod hulls;
pub mod kdop;
pub mod obb;
pub mod packed;
mod plain;
pub mod record;
pub mod section;
pub mod solid;
pub mod swept;
pub mod world;

#[doc(hidden)]
pub use plain::{Plain, bytes_of_records, split_records};

/// The major version this crate describes. A reader refuses any other.
pub const VERSION_MAJOR: u16 = 3;
/// The minor version this crate describes. A reader accepts lower and higher ones.
pub const VERSION_MINOR: u16 = 0;

/// Sections start at multiples of this many bytes, and so must the whole file in memory.
pub const ALIGNMENT: usize = 64;

/// The deepest wide tree a file may hold, in levels of inner nodes (FORMAT.md, "Section aabb-tree").
pub const MAX_DEPTH: u32 = 96;

/// The most blocks that may hold the same split triangle (FORMAT.md, "Section splits").
pub const MAX_SPLIT_SLOTS: usize = 4096;

/// The largest magnitude of a coordinate, 2^60.
///
/// Keeps every product of the primitive tests finite (FORMAT.md, "Section geometry").
pub const MAX_COORDINATE: f32 = 1_152_921_504_606_846_976.0;

/// The most triangles of a mesh (FORMAT.md, "Section geometry").
pub const MAX_TRIANGLES: u64 = 1 << 30;

/// The most key-value pairs that users may add (FORMAT.md, M7).
pub const MAX_USER_PAIRS: usize = 1 << 12;

/// The largest length of a user's key in bytes (FORMAT.md, M8).
pub const MAX_KEY_LENGTH: usize = 255;

/// The largest total length of a user's keys and values in bytes (FORMAT.md, M8).
pub const MAX_USER_TEXT: usize = 1 << 20;

/// Stands for "none" in a `u32` field that otherwise holds an index.
pub const NONE: u32 = u32::MAX;
