//! Meshes that are compiled already: what linking needs of their files, and the bytes to copy.

use std::io::{self, Read, SeekFrom, Write};

use bvhc_format::describe::Type;
use bvhc_format::header::{HEADER_LENGTH, Header, MAGIC, SectionEntry};
use bvhc_format::record::WideNode;
use bvhc_format::section::{KindName, SectionKind};
use bvhc_format::world::LinkedMesh;
use bvhc_format::{Plain, split_records};
use bvhc_runtime::{FileHead, OpenError};

use super::place;
use crate::count::counted;
use crate::file::{self, Bytes, Elsewhere};
use crate::import::{Files, ReadSeek, reason};

/// Why a compiled file cannot be linked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkFault {
    /// The file is no compiled file that this version reads.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The file cannot be read.
    #[error("{}", reason(.0))]
    Read(#[from] io::Error),
    /// The file does not hold one mesh.
    #[error("it holds {found}; a world is linked from files of one mesh each")]
    NotOneMesh {
        /// What it holds.
        found: String,
    },
    /// The header's hash is wrong.
    #[error(
        "it is damaged: its header and directory do not have the hash that the header tells; compile it again"
    )]
    HeaderHash,
    /// The hash of a section is wrong.
    #[error(
        "it is damaged: its {section} section does not have the hash that the directory tells; compile it again"
    )]
    SectionHash {
        /// The section.
        section: String,
    },
    /// The file is another one than before: somebody has written it in the meantime.
    #[error("it was changed while it was linked; link again")]
    Changed,
    /// The tree of axis-aligned boxes has no root, or one that is no box.
    #[error("it is corrupt: its tree has no root with a box")]
    NoRoot,
}

/// A compiled file that holds one mesh.
#[derive(Clone, Debug)]
pub(super) struct CompiledMesh {
    /// Its name, as the manifest writes it.
    pub(super) file: String,
    /// The hash in its header.
    pub(super) hash: blake3::Hash,
    pub(super) record: LinkedMesh,
    /// Node 0 of its tree of axis-aligned boxes.
    pub(super) root: Box<WideNode>,
    /// Whether triangles are split.
    pub(super) has_splits: bool,
    /// The sections of the mesh.
    pub(super) entries: Vec<SectionEntry>,
}

/// Whether a file begins as compiled files do. Leaves the reader at its start.
pub(super) fn is_compiled(file: &mut dyn ReadSeek) -> io::Result<bool> {
    let start = read_start(file, MAGIC.len())?;
    file.rewind()?;
    Ok(start == MAGIC)
}

/// Reads header, directory and bounds. Checks these, not the contents of sections, and that the header is still there then: so
/// bounds and hash are of one file.
pub(super) fn read(file: &mut dyn ReadSeek, name: &str) -> Result<CompiledMesh, LinkFault> {
    let length = file.seek(SeekFrom::End(0))?;
    let first = read_range(file, 0, length.min(HEADER_LENGTH as u64))?;
    let head_length = FileHead::length(&first).unwrap_or(HEADER_LENGTH) as u64;
    let bytes = read_range(file, 0, length.min(head_length))?;
    let head = FileHead::from_bytes(&bytes, length)?;
    check_one_mesh(&head)?;
    let hash = blake3::Hash::from_bytes(head.header().hash);
    if file::header_hash(&bytes) != hash {
        return Err(LinkFault::HeaderHash);
    }
    let entries: Vec<SectionEntry> = head.entries().filter(|entry| entry.mesh == 0).collect();
    let metadata = entry_of(&entries, SectionKind::Metadata)?;
    let triangles = read_field(file, metadata, SectionKind::Metadata, "triangles")?;
    entry_of(&entries, SectionKind::Geometry)?;
    let root = Box::new(root(file, entry_of(&entries, SectionKind::AabbTree)?)?);
    let has_splits = entry_of(&entries, SectionKind::Splits).is_ok();
    let [[a, b, c], [d, e, f]] = place::node_box(&root).map(|corner| corner.map(|x| x as f32));
    let record = LinkedMesh { hash: head.header().hash, length, triangles, bounds: [a, b, c, d, e, f] };
    let mesh = CompiledMesh { file: name.to_owned(), hash, record, root, has_splits, entries };
    if mesh.is_in(file)? { Ok(mesh) } else { Err(LinkFault::Changed) }
}

fn check_one_mesh(head: &FileHead<'_>) -> Result<(), LinkFault> {
    let mut kinds = head.entries().filter_map(|entry| entry.known_kind());
    let found = match head.mesh_count() {
        _ if kinds.any(SectionKind::is_of_file) => "a world".to_owned(),
        1 => return Ok(()),
        count => counted(count.into(), "mesh"),
    };
    Err(LinkFault::NotOneMesh { found })
}

fn entry_of(entries: &[SectionEntry], kind: SectionKind) -> Result<&SectionEntry, OpenError> {
    entries.iter().find(|entry| entry.known_kind() == Some(kind)).ok_or(OpenError::Missing(kind))
}

/// The root of a tree, if there is a box around its used slots.
fn root(file: &mut dyn ReadSeek, entry: &SectionEntry) -> Result<WideNode, LinkFault> {
    let (start, count) = nodes_of(file, entry)?;
    if count == 0 {
        return Err(LinkFault::NoRoot);
    }
    let root = records::<WideNode>(read_range(file, entry.offset + start, size_of::<WideNode>() as u64)?)[0];
    if place::is_root(&place::node_box(&root)) { Ok(root) } else { Err(LinkFault::NoRoot) }
}

/// Where the nodes of a tree start in its payload, and how many there are. They are within the payload.
fn nodes_of(file: &mut dyn ReadSeek, entry: &SectionEntry) -> Result<(u64, u64), LinkFault> {
    let kind = SectionKind::AabbTree;
    let (field, _) = offset_of(kind.root(), "nodes");
    let root = entry.length.checked_sub(kind.root().size as u64).ok_or(OpenError::Archive(kind))?;
    let slice = read_range(file, entry.offset + root + field, 16)?;
    let number = |at: usize| u64::from_le_bytes(slice[at..at + 8].try_into().expect("eight bytes"));
    let (start, count) = ((root + field).wrapping_add(number(0)), number(8));
    let end = count.checked_mul(size_of::<WideNode>() as u64).and_then(|bytes| bytes.checked_add(start));
    match end {
        Some(end) if end <= root => Ok((start, count)),
        _ => Err(OpenError::Archive(kind).into()),
    }
}

/// A number in the root of a section.
fn read_field(
    file: &mut dyn ReadSeek,
    entry: &SectionEntry,
    kind: SectionKind,
    name: &str,
) -> Result<u64, LinkFault> {
    let (field, size) = offset_of(kind.root(), name);
    let root = entry.length.checked_sub(kind.root().size as u64).ok_or(OpenError::Archive(kind))?;
    let bytes = read_range(file, entry.offset + root + field, size as u64)?;
    Ok(u64::from_le_bytes(bytes[..].try_into().expect("the field has eight bytes")))
}

/// The offset and the size of a field.
fn offset_of(root: &Type, name: &str) -> (u64, usize) {
    let field = root.fields().iter().find(|field| field.name == name).expect("the root has this field");
    (field.offset as u64, field.ty.size)
}

impl CompiledMesh {
    /// The nodes of its tree of axis-aligned boxes. Checks the hash of the section.
    pub(super) fn nodes(&self, files: &dyn Files) -> Result<Vec<WideNode>, LinkFault> {
        let mut file = files.open(&self.file)?;
        let entry = entry_of(&self.entries, SectionKind::AabbTree)?;
        if !self.is_in(&mut *file)? {
            return Err(LinkFault::Changed);
        }
        let (start, count) = nodes_of(&mut *file, entry)?;
        let payload = read_range(&mut *file, entry.offset, entry.length)?;
        if *file::hash(&payload).as_bytes() != entry.hash {
            return Err(LinkFault::SectionHash { section: SectionKind::AabbTree.name().to_owned() });
        }
        // Within the payload, which is in memory.
        let length = count as usize * size_of::<WideNode>();
        let mut own = Bytes::with_capacity(length);
        own.extend_from_slice(&payload[start as usize..][..length]);
        Ok(records(own))
    }
}

impl CompiledMesh {
    /// Whether a file is still the one that was read: whether it has the header with its hash, and its length.
    pub(super) fn is_in(&self, file: &mut dyn ReadSeek) -> io::Result<bool> {
        file.rewind()?;
        let start = read_start(file, HEADER_LENGTH)?;
        let header = start.first_chunk().map(Header::read);
        let has_hash = header.is_some_and(|header| header.hash == self.record.hash);
        Ok(has_hash && file.seek(SeekFrom::End(0))? == self.record.length)
    }
}

/// Copies a section's bytes, and checks their hash. `fault` makes errors of what is wrong with the file.
pub(super) fn copy(
    file: &mut dyn ReadSeek,
    section: &Elsewhere,
    buffer: &mut Vec<u8>,
    out: &mut dyn Write,
    fault: &dyn Fn(LinkFault) -> io::Error,
) -> io::Result<()> {
    file.seek(SeekFrom::Start(section.offset)).map_err(|error| fault(error.into()))?;
    buffer.resize(BUFFER, 0);
    let (mut hasher, mut left) = (blake3::Hasher::new(), section.length);
    while left > 0 {
        let part = &mut buffer[..left.min(BUFFER as u64) as usize];
        file.read_exact(part).map_err(|error| fault(error.into()))?;
        hasher.update(part);
        out.write_all(part)?;
        left -= part.len() as u64;
    }
    let is_right = *hasher.finalize().as_bytes() == section.hash;
    if is_right {
        Ok(())
    } else {
        Err(fault(LinkFault::SectionHash { section: KindName(section.kind).to_string() }))
    }
}

/// What is copied at a time.
const BUFFER: usize = 1 << 20;

/// Records in bytes.
fn records<T: Plain>(mut bytes: Bytes) -> Vec<T> {
    let count = bytes.len() / size_of::<T>();
    split_records(&mut bytes, count).map(|(records, _)| records.to_vec()).unwrap_or_default()
}

/// The first bytes of a file, or all if it has fewer.
fn read_start(file: &mut dyn ReadSeek, length: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(length);
    file.take(length as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// A length in memory; an error where so much cannot be had: [`Bytes`] would abort, and a sparse file may claim any length.
pub(super) fn check_memory(length: u64) -> io::Result<usize> {
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    Vec::<u8>::new().try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    Ok(length)
}

/// Bytes of a file.
fn read_range(file: &mut dyn ReadSeek, offset: u64, length: u64) -> io::Result<Bytes> {
    let length = check_memory(length)?;
    let mut bytes = Bytes::with_capacity(length);
    bytes.resize(length, 0);
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
