//! Assembles a file: serialises, places, pads and hashes the sections. Makes no decisions about geometry.

#[cfg(feature = "cli")]
mod hashed;

#[cfg(feature = "cli")]
pub(crate) use hashed::Hashed;

use std::io::{self, Write};

use bvhc_format::header::{
    ENTRY_LENGTH, HASH_RANGE, HEADER_LENGTH, Header, SECTION_REQUIRED, SectionEntry, align_up,
};
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
pub fn assemble(sections: Vec<Section>) -> Bytes {
    Plan::of_sections(sections).into_bytes()
}

/// A section of a file that is yet to be written.
pub(crate) struct Planned {
    pub(crate) kind: u32,
    pub(crate) version: u16,
    pub(crate) flags: u16,
    pub(crate) mesh: u32,
    pub(crate) hash: [u8; 32],
    pub(crate) payload: Payload,
}

/// Where the bytes of a section are.
pub(crate) enum Payload {
    Memory(Bytes),
    Elsewhere(Elsewhere),
}

/// A section's bytes in another file.
#[derive(Clone, Copy)]
pub(crate) struct Elsewhere {
    /// The file, by a number that means something to whoever copies.
    pub(crate) file: usize,
    /// The section's kind.
    pub(crate) kind: u32,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// BLAKE3 of the bytes.
    pub(crate) hash: [u8; 32],
}

impl Payload {
    fn length(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Elsewhere(it) => it.length,
        }
    }

    /// Writes the bytes, and zeros up to where the next section starts.
    fn write(&self, out: &mut dyn Write, copy: &mut Copy<'_>) -> io::Result<()> {
        match self {
            Self::Memory(bytes) => out.write_all(bytes)?,
            Self::Elsewhere(it) => copy(it, out)?,
        }
        let padding = align_up(self.length()) - self.length();
        out.write_all(&[0; ALIGNMENT][..padding as usize])
    }
}

impl From<Section> for Planned {
    fn from(Section { kind, version, flags, mesh, payload }: Section) -> Self {
        let hash = *hash(&payload).as_bytes();
        Self { kind, version, flags, mesh, hash, payload: Payload::Memory(payload) }
    }
}

/// A whole file that is yet to be written: header and directory, then the payloads in their order.
pub(crate) struct Plan {
    head: Vec<u8>,
    payloads: Vec<Payload>,
    /// The length of the file in bytes.
    pub(crate) length: u64,
}

/// Copies a section's bytes from another file.
pub(crate) type Copy<'a> = dyn FnMut(&Elsewhere, &mut dyn Write) -> io::Result<()> + 'a;

impl Plan {
    /// Sections in a file, ordered by mesh and kind.
    pub(crate) fn of(mut sections: Vec<Planned>) -> Self {
        sections.sort_by_key(|section| (section.mesh, section.kind));
        let mut head = vec![0; HEADER_LENGTH];
        let mut end = (HEADER_LENGTH + ENTRY_LENGTH * sections.len()) as u64;
        for section in &sections {
            head.extend_from_slice(&entry_of(section, end).write());
            end = align_up(end + section.payload.length());
        }
        let header = Header {
            major: VERSION_MAJOR,
            minor: VERSION_MINOR,
            length: end,
            required_features: 0,
            sections: sections.len() as u32,
            hash: [0; 32],
        };
        head[..HEADER_LENGTH].copy_from_slice(&header.write());
        let hash = header_hash(&head);
        head[HASH_RANGE].copy_from_slice(hash.as_bytes());
        Self { head, payloads: sections.into_iter().map(|section| section.payload).collect(), length: end }
    }

    /// Sections in memory, in a file of their own.
    pub(crate) fn of_sections(sections: Vec<Section>) -> Self {
        Self::of(sections.into_iter().map(Planned::from).collect())
    }

    /// The hash in the header, which covers the whole file.
    pub(crate) fn hash(&self) -> blake3::Hash {
        blake3::Hash::from_slice(&self.head[HASH_RANGE]).expect("a header's hash has its length")
    }

    /// Writes the file. `copy` writes what is in other files.
    pub(crate) fn write(&self, out: &mut dyn Write, copy: &mut Copy<'_>) -> io::Result<()> {
        out.write_all(&self.head)?;
        self.payloads.iter().try_for_each(|payload| payload.write(out, copy))
    }

    /// The bytes of a file of sections in memory, each of which is dropped once it is there.
    pub(crate) fn into_bytes(self) -> Bytes {
        let mut bytes = Bytes::with_capacity(self.length as usize);
        bytes.extend_from_slice(&self.head);
        for payload in self.payloads {
            payload.write(&mut bytes, &mut nothing_elsewhere).expect("there is memory");
        }
        bytes
    }
}

/// For files whose sections are all in memory.
fn nothing_elsewhere(_: &Elsewhere, _: &mut dyn Write) -> io::Result<()> {
    Ok(())
}

fn entry_of(section: &Planned, offset: u64) -> SectionEntry {
    let Planned { kind, version, flags, mesh, hash, ref payload } = *section;
    let (length, alignment) = (payload.length(), ALIGNMENT as u32);
    SectionEntry { kind, version, flags, offset, length, alignment, mesh, hash }
}

/// Joins the meshes of several files into one file, in this order. Sections that belong to no mesh are left out.
///
/// # Errors
/// The error of the first file that cannot be opened.
pub fn join(files: &[&[u8]]) -> Result<Bytes, OpenError> {
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
    Ok(assemble(sections))
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
