//! Assembles a file: serialises, places, pads and hashes the sections. Makes no decisions about geometry.

use bvhc_format::header::{ENTRY_LENGTH, HASH_RANGE, HEADER_LENGTH, Header, SECTION_REQUIRED, SectionEntry};
use bvhc_format::section::{Need, RootOf, SECTION_VERSION};
use bvhc_format::{ALIGNMENT, NONE, VERSION_MAJOR, VERSION_MINOR};
use bvhc_runtime::{Model, OpenError};
use rkyv::api::high::{HighSerializer, to_bytes_in};
use rkyv::rancor::Failure;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;

/// Bytes that start at a multiple of 64.
pub type Bytes = AlignedVec<ALIGNMENT>;

/// A section's payload and the fields of its directory entry.
pub struct Section {
    /// What it holds: the number of a [`SectionKind`](bvhc_format::section::SectionKind) or of a vendor's kind.
    pub kind: u32,
    /// The version of its layout.
    pub version: u16,
    /// [`SECTION_REQUIRED`] or 0.
    pub flags: u16,
    /// The mesh it belongs to, or [`NONE`].
    pub mesh: u32,
    /// Its bytes.
    pub payload: Bytes,
}

impl Section {
    /// Serialises a section's root and everything it refers to, for the first mesh.
    pub fn new<T>(root: &T) -> Self
    where
        T: RootOf + for<'a> rkyv::Serialize<HighSerializer<Bytes, ArenaHandle<'a>, Failure>>,
    {
        // This cannot fail: there are no shared pointers, and the buffer grows.
        // With room for alignment and the root, so that large payloads need not be moved as they grow.
        let buffer = Bytes::with_capacity(root.slice_bytes() + 4096);
        let payload = to_bytes_in::<_, Failure>(root, buffer).expect("a section serialises");
        let flags = if T::KIND.need() == Need::Optional { 0 } else { SECTION_REQUIRED };
        Self { kind: T::KIND as u32, version: SECTION_VERSION, flags, mesh: 0, payload }
    }
}

/// Puts sections into a file, ordered by mesh and kind. Each is dropped once it is there: at no time are all in memory twice.
pub fn assemble(mut sections: Vec<Section>) -> Bytes {
    sections.sort_by_key(|section| (section.mesh, section.kind));
    let directory_end = HEADER_LENGTH + ENTRY_LENGTH * sections.len();
    let padded = |section: &Section| section.payload.len().next_multiple_of(ALIGNMENT);
    let mut bytes = Bytes::with_capacity(directory_end + sections.iter().map(padded).sum::<usize>());
    bytes.resize(directory_end, 0);
    let count = sections.len() as u32;
    for (index, section) in sections.into_iter().enumerate() {
        let entry = entry_of(&section, bytes.len() as u64);
        bytes.extend_from_slice(&section.payload);
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        let at = HEADER_LENGTH + ENTRY_LENGTH * index;
        bytes[at..at + ENTRY_LENGTH].copy_from_slice(&entry.write());
    }
    let header = Header {
        major: VERSION_MAJOR,
        minor: VERSION_MINOR,
        length: bytes.len() as u64,
        required_features: 0,
        sections: count,
        hash: [0; 32],
    };
    bytes[..HEADER_LENGTH].copy_from_slice(&header.write());
    let hash = header_hash(&bytes[..directory_end]);
    bytes[HASH_RANGE].copy_from_slice(hash.as_bytes());
    bytes
}

fn entry_of(section: &Section, offset: u64) -> SectionEntry {
    let Section { kind, version, flags, mesh, ref payload } = *section;
    SectionEntry {
        kind,
        version,
        flags,
        offset,
        length: payload.len() as u64,
        alignment: ALIGNMENT as u32,
        mesh,
        hash: *hash(payload).as_bytes(),
    }
}

/// Joins the meshes of several files into one file, in this order. Sections that belong to no mesh are left out.
///
/// # Errors
/// The error of the first file that cannot be opened.
pub fn join(files: &[&[u8]]) -> Result<Bytes, OpenError> {
    Ok(assemble(sections_of(files)?))
}

/// The sections of the meshes of several files, for one file.
pub(crate) fn sections_of(files: &[&[u8]]) -> Result<Vec<Section>, OpenError> {
    let mut sections = Vec::new();
    let mut meshes = 0;
    for file in files {
        let model = Model::from_bytes(file)?;
        for (entry, bytes) in model.sections().entries().filter(|(entry, _)| entry.mesh != NONE) {
            let mut payload = Bytes::with_capacity(bytes.len());
            payload.extend_from_slice(bytes);
            let (kind, version, flags, mesh) = (entry.kind, entry.version, entry.flags, meshes + entry.mesh);
            sections.push(Section { kind, version, flags, mesh, payload });
        }
        meshes += Model::mesh_count(file)?;
    }
    Ok(sections)
}

/// The hash of a header and its directory, skipping the bytes of the hash itself.
pub fn header_hash(header_and_directory: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&header_and_directory[..HASH_RANGE.start]);
    hasher.update(&header_and_directory[HASH_RANGE.end..]);
    hasher.finalize()
}

/// The hash of a source or a payload, computed on the current thread pool.
pub fn hash(bytes: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update_rayon(bytes);
    hasher.finalize()
}
