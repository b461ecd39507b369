//! The header and the section directory: the part of the file that is not an rkyv archive.
//!
//! Offsets and lengths are in bytes, numbers are little-endian (FORMAT.md, "Header").

use crate::ALIGNMENT;
use crate::describe::{Described, Field, Shape, Type};
use crate::section::{SECTION_VERSION, SectionKind};

/// The first 12 bytes of every file: `«BVHCOM»`, CR LF, ^Z, LF. Damage by a text transfer, or reading as a C string, is
/// then visible in these bytes.
pub const MAGIC: [u8; 12] = *b"\xABBVHCOM\xBB\r\n\x1A\n";

/// Bytes of the header.
pub const HEADER_LENGTH: usize = 64;
/// Bytes of one directory entry. The directory follows the header without a gap.
pub const ENTRY_LENGTH: usize = 64;
/// The most sections a file may have.
pub const MAX_SECTIONS: u32 = 1 << 16;
/// The range of the header's hash, which covers header and directory except itself.
pub const HASH_RANGE: core::ops::Range<usize> = 32..64;

/// Bit 0 of an entry's flags: a reader that does not know the section's kind or version must refuse the file.
pub const SECTION_REQUIRED: u16 = 1;
/// The required-feature flags this version knows: none.
pub const KNOWN_FEATURES: u32 = 0;

/// The header's fields after the magic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major format version; a change means a different layout.
    pub major: u16,
    /// Minor format version; a higher one may add optional sections.
    pub minor: u16,
    /// Length of the whole file.
    pub length: u64,
    /// Features required to read the file; readers must refuse unknown bits.
    pub required_features: u32,
    /// Entries in the section directory.
    pub sections: u32,
    /// BLAKE3 of bytes 0 to 31, followed by the directory.
    pub hash: [u8; 32],
}

/// One entry of the section directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionEntry {
    /// What the section holds; see [`SectionKind`].
    pub kind: u32,
    /// Version of the section's own layout.
    pub version: u16,
    /// [`SECTION_REQUIRED`] or 0; other bits are zero.
    pub flags: u16,
    /// Where the payload starts: a multiple of [`ALIGNMENT`].
    pub offset: u64,
    /// Length of the payload, without the zero padding after it.
    pub length: u64,
    /// Alignment of the payload: 64.
    pub alignment: u32,
    /// The mesh of the section, from 0; [`NONE`](crate::NONE) if the section is about the whole file.
    pub mesh: u32,
    /// BLAKE3 of the payload.
    pub hash: [u8; 32],
}

fn take<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&bytes[at..at + N]);
    field
}

impl Header {
    /// Reads the fields after the magic without checking them.
    pub fn read(bytes: &[u8; HEADER_LENGTH]) -> Self {
        Self {
            major: u16::from_le_bytes(take(bytes, 12)),
            minor: u16::from_le_bytes(take(bytes, 14)),
            length: u64::from_le_bytes(take(bytes, 16)),
            required_features: u32::from_le_bytes(take(bytes, 24)),
            sections: u32::from_le_bytes(take(bytes, 28)),
            hash: take(bytes, HASH_RANGE.start),
        }
    }

    /// The magic and the fields as bytes of the file.
    pub fn write(&self) -> [u8; HEADER_LENGTH] {
        let mut bytes = [0; HEADER_LENGTH];
        bytes[..12].copy_from_slice(&MAGIC);
        bytes[12..14].copy_from_slice(&self.major.to_le_bytes());
        bytes[14..16].copy_from_slice(&self.minor.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.length.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.required_features.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.sections.to_le_bytes());
        bytes[HASH_RANGE].copy_from_slice(&self.hash);
        bytes
    }
}

impl Described for Header {
    const TYPE: &'static Type = &Type {
        name: "Header",
        size: HEADER_LENGTH,
        alignment: ALIGNMENT,
        shape: Shape::Record {
            fields: &[
                Field { name: "magic", offset: 0, ty: <[u8; 12]>::TYPE },
                Field { name: "major", offset: 12, ty: u16::TYPE },
                Field { name: "minor", offset: 14, ty: u16::TYPE },
                Field { name: "length", offset: 16, ty: u64::TYPE },
                Field { name: "required_features", offset: 24, ty: u32::TYPE },
                Field { name: "sections", offset: 28, ty: u32::TYPE },
                Field { name: "hash", offset: HASH_RANGE.start, ty: <[u8; 32]>::TYPE },
            ],
        },
    };
}

impl Described for SectionEntry {
    const TYPE: &'static Type = &Type {
        name: "SectionEntry",
        size: ENTRY_LENGTH,
        alignment: ALIGNMENT,
        shape: Shape::Record {
            fields: &[
                Field { name: "kind", offset: 0, ty: u32::TYPE },
                Field { name: "version", offset: 4, ty: u16::TYPE },
                Field { name: "flags", offset: 6, ty: u16::TYPE },
                Field { name: "offset", offset: 8, ty: u64::TYPE },
                Field { name: "length", offset: 16, ty: u64::TYPE },
                Field { name: "alignment", offset: 24, ty: u32::TYPE },
                Field { name: "mesh", offset: 28, ty: u32::TYPE },
                Field { name: "hash", offset: 32, ty: <[u8; 32]>::TYPE },
            ],
        },
    };
}

impl SectionEntry {
    /// Whether a reader that does not know the section must refuse the file.
    pub const fn is_required(&self) -> bool {
        self.flags & SECTION_REQUIRED != 0
    }

    /// The section's kind, if this version can read it.
    pub fn known_kind(&self) -> Option<SectionKind> {
        SectionKind::from_number(self.kind).filter(|_| self.version == SECTION_VERSION)
    }

    /// Reads an entry without checking it.
    pub fn read(bytes: &[u8; ENTRY_LENGTH]) -> Self {
        Self {
            kind: u32::from_le_bytes(take(bytes, 0)),
            version: u16::from_le_bytes(take(bytes, 4)),
            flags: u16::from_le_bytes(take(bytes, 6)),
            offset: u64::from_le_bytes(take(bytes, 8)),
            length: u64::from_le_bytes(take(bytes, 16)),
            alignment: u32::from_le_bytes(take(bytes, 24)),
            mesh: u32::from_le_bytes(take(bytes, 28)),
            hash: take(bytes, 32),
        }
    }

    /// The entry as bytes of the file.
    pub fn write(&self) -> [u8; ENTRY_LENGTH] {
        let mut bytes = [0; ENTRY_LENGTH];
        bytes[..4].copy_from_slice(&self.kind.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.version.to_le_bytes());
        bytes[6..8].copy_from_slice(&self.flags.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.offset.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.length.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.alignment.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.mesh.to_le_bytes());
        bytes[32..].copy_from_slice(&self.hash);
        bytes
    }
}

/// The first multiple of [`ALIGNMENT`] not below `offset`.
pub const fn align_up(offset: u64) -> u64 {
    offset.next_multiple_of(crate::ALIGNMENT as u64)
}
