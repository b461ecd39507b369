//! The bytes of a file: sections serialised, placed, padded and hashed. No geometry is decided here.

use bvhc_format::header::{ENTRY_LENGTH, HASH_RANGE, HEADER_LENGTH, Header, SECTION_REQUIRED, SectionEntry};
use bvhc_format::section::{SECTION_VERSION, SectionKind};
use bvhc_format::{ALIGNMENT, VERSION_MAJOR, VERSION_MINOR};
use rkyv::api::high::{HighSerializer, to_bytes_in};
use rkyv::rancor::Failure;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;

/// Bytes that start at a multiple of 64.
pub type Bytes = AlignedVec<ALIGNMENT>;

/// A section's payload.
pub struct Section {
    kind: SectionKind,
    flags: u16,
    payload: Bytes,
}

impl Section {
    /// Serialises a section's root and all it refers to. Who does not know the section cannot read the file.
    pub fn new<T>(kind: SectionKind, root: &T) -> Self
    where
        T: for<'a> rkyv::Serialize<HighSerializer<Bytes, ArenaHandle<'a>, Failure>>,
    {
        Self { flags: SECTION_REQUIRED, ..Self::optional(kind, root) }
    }

    /// The same for a section that may be passed over.
    pub fn optional<T>(kind: SectionKind, root: &T) -> Self
    where
        T: for<'a> rkyv::Serialize<HighSerializer<Bytes, ArenaHandle<'a>, Failure>>,
    {
        // Nothing here can fail: there are no shared pointers, and the buffer grows.
        let payload = to_bytes_in::<_, Failure>(root, Bytes::new()).expect("a section serialises");
        Self { kind, flags: 0, payload }
    }
}

/// Puts sections into a file, in this order.
pub fn assemble(sections: &[Section]) -> Bytes {
    let directory_end = HEADER_LENGTH + ENTRY_LENGTH * sections.len();
    let padded = |section: &Section| section.payload.len().next_multiple_of(ALIGNMENT);
    let mut bytes = Bytes::with_capacity(directory_end + sections.iter().map(padded).sum::<usize>());
    bytes.resize(directory_end, 0);
    for (index, section) in sections.iter().enumerate() {
        let entry = SectionEntry {
            kind: section.kind as u32,
            version: SECTION_VERSION,
            flags: section.flags,
            offset: bytes.len() as u64,
            length: section.payload.len() as u64,
            alignment: ALIGNMENT as u32,
            reserved: 0,
            hash: *hash(&section.payload).as_bytes(),
        };
        bytes.extend_from_slice(&section.payload);
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        let place = HEADER_LENGTH + ENTRY_LENGTH * index;
        bytes[place..place + ENTRY_LENGTH].copy_from_slice(&entry.write());
    }
    let header = Header {
        major: VERSION_MAJOR,
        minor: VERSION_MINOR,
        length: bytes.len() as u64,
        required_features: 0,
        sections: sections.len() as u32,
        hash: [0; 32],
    };
    bytes[..HEADER_LENGTH].copy_from_slice(&header.write());
    let hash = header_hash(&bytes[..directory_end]);
    bytes[HASH_RANGE].copy_from_slice(hash.as_bytes());
    bytes
}

/// The hash of a header and its directory, which leaves out the place of the hash itself.
pub fn header_hash(header_and_directory: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header_and_directory[..HASH_RANGE.start]);
    hasher.update(&header_and_directory[HASH_RANGE.end..]);
    hasher.finalize()
}

/// The hash of a source or a payload, by the threads of the current pool.
pub fn hash(bytes: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update_rayon(bytes);
    hasher.finalize()
}
