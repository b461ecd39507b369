//! Checks of header and directory: every O rule in FORMAT.md's chapters "Header" and "Section directory".

use core::fmt;

use bvhc_format::header::{
    ENTRY_LENGTH, HEADER_LENGTH, Header, KNOWN_FEATURES, MAGIC, MAX_SECTIONS, SECTION_REQUIRED, SectionEntry,
};
use bvhc_format::section::SectionKind;
use bvhc_format::{ALIGNMENT, NONE, VERSION_MAJOR};

use crate::error::{OpenError, SectionFault};

/// The checked header and directory of a file, with one of its meshes selected.
#[derive(Clone, Copy)]
pub(crate) struct Directory<'a> {
    bytes: &'a [u8],
    header: Header,
    mesh: u32,
    /// The range of the mesh's entries, so that opening all meshes of a file takes time for each section once.
    own: (u32, u32),
}

impl<'a> Directory<'a> {
    /// Checks the header and the directory of a whole file. Cost: a few instructions per entry.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, OpenError> {
        let header = read_header(bytes)?;
        Self::with_header(bytes, header)
    }

    /// Checks the header and the directory at the start of a file of `length` bytes, of which payloads need not be there. The
    /// bytes may be at any address.
    fn read_head(head: &'a [u8], length: u64) -> Result<Self, OpenError> {
        Self::with_header(head, check_header(head, length)?)
    }

    fn with_header(bytes: &'a [u8], header: Header) -> Result<Self, OpenError> {
        let directory = Self { bytes, header, mesh: 0, own: (0, 0) };
        let end = HEADER_LENGTH as u64 + u64::from(header.sections) * ENTRY_LENGTH as u64;
        if (bytes.len() as u64) < end {
            return Err(OpenError::TooShort { found: bytes.len() as u64, expected: end });
        }
        directory.check_entries(end)?;
        Ok(directory.select(0))
    }

    /// The same directory with the entries of this mesh, or of the file, selected. They are together, as entries ascend by mesh.
    fn select(self, mesh: u32) -> Self {
        let table = self.table();
        let first = table.partition_point(|entry| SectionEntry::read(entry).mesh < mesh);
        let own = table[first..].partition_point(|entry| SectionEntry::read(entry).mesh == mesh);
        Self { mesh, own: (first as u32, (first + own) as u32), ..self }
    }

    /// The whole file.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The same directory with another mesh selected.
    pub(crate) fn of_mesh(self, mesh: u32) -> Result<Self, OpenError> {
        let count = self.mesh_count();
        if mesh < count { Ok(self.select(mesh)) } else { Err(OpenError::NoSuchMesh { mesh, count }) }
    }

    /// The number of meshes: 1 if the file has no sections of meshes, in which case opening fails for the missing
    /// sections.
    pub(crate) fn mesh_count(&self) -> u32 {
        self.stored_meshes().max(1)
    }

    /// The number of meshes of which the file has sections.
    pub(crate) fn stored_meshes(&self) -> u32 {
        let table = self.table();
        let of_meshes = table.partition_point(|entry| SectionEntry::read(entry).mesh != NONE);
        table[..of_meshes].last().map_or(0, |entry| SectionEntry::read(entry).mesh + 1)
    }

    /// The selected mesh.
    pub(crate) fn mesh(&self) -> u32 {
        self.mesh
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// All entries, of all meshes.
    pub(crate) fn entries(&self) -> impl Iterator<Item = SectionEntry> + use<'a> {
        self.table().iter().map(SectionEntry::read)
    }

    fn table(&self) -> &'a [[u8; ENTRY_LENGTH]] {
        let (entries, _) = self.bytes.get(HEADER_LENGTH..).unwrap_or_default().as_chunks::<ENTRY_LENGTH>();
        &entries[..entries.len().min(self.header.sections as usize)]
    }

    /// The payload of an entry of this directory.
    pub(crate) fn payload(&self, entry: &SectionEntry) -> &'a [u8] {
        let start = entry.offset as usize;
        self.bytes.get(start..start + entry.length as usize).unwrap_or_default()
    }

    /// The payload of the mesh's section of this kind; `None` if it has none of a version that this runtime reads.
    pub(crate) fn section(&self, kind: SectionKind) -> Option<&'a [u8]> {
        let entry = self.entry(kind).filter(|entry| entry.known_kind().is_some())?;
        Some(self.payload(&entry))
    }

    /// The same for a section of the file as a whole.
    pub(crate) fn section_of_file(self, kind: SectionKind) -> Option<&'a [u8]> {
        self.select(NONE).section(kind)
    }

    /// Whether the mesh has a section of this kind, of any version.
    pub(crate) fn has(&self, kind: SectionKind) -> bool {
        self.entry(kind).is_some()
    }

    fn entry(&self, kind: SectionKind) -> Option<SectionEntry> {
        let (first, end) = self.own;
        let own = self.table().get(first as usize..end as usize).unwrap_or_default();
        own.iter().map(SectionEntry::read).find(|entry| entry.kind == kind as u32)
    }

    fn check_entries(&self, directory_end: u64) -> Result<(), OpenError> {
        // The header's check was that the file has this length.
        let length = self.header.length;
        let mut expected = directory_end;
        let mut before = None;
        for (index, entry) in (0..).zip(self.entries()) {
            let fail = |fault| OpenError::Section { index, kind: entry.kind, fault };
            expected = check_place(&entry, expected, length).map_err(fail)?;
            check_kind(&entry).map_err(fail)?;
            check_order(&entry, before).map_err(fail)?;
            before = Some((entry.mesh, entry.kind));
        }
        if expected != length {
            return Err(OpenError::Length { found: length, header: expected });
        }
        Ok(())
    }
}

/// The start of a file, checked: its header and its directory, for programs that read the rest elsewhere or later.
///
/// ```
/// use bvhc_runtime::FileHead;
///
/// let file = std::fs::read("../tests/golden/quad.bvh")?;
/// let length = FileHead::length(&file).expect("it has a header");
/// let head = FileHead::from_bytes(&file[..length], file.len() as u64)?;
/// assert_eq!((head.mesh_count(), head.entries().count()), (1, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct FileHead<'a>(Directory<'a>);

impl<'a> FileHead<'a> {
    /// The bytes of header and directory, as a header at the start of these bytes says; `None` if there is none, as of other
    /// files.
    pub fn length(start: &[u8]) -> Option<usize> {
        let header = start.first_chunk::<HEADER_LENGTH>().filter(|start| start.starts_with(&MAGIC))?;
        let sections = Header::read(header).sections.min(MAX_SECTIONS);
        Some(HEADER_LENGTH + ENTRY_LENGTH * sections as usize)
    }

    /// Checks the header and the directory at the start of a file of `length` bytes. They may be at any address.
    ///
    /// # Errors
    /// As [`Model::from_bytes`](crate::Model::from_bytes), of which this is the first part.
    pub fn from_bytes(head: &'a [u8], length: u64) -> Result<Self, OpenError> {
        Directory::read_head(head, length).map(Self)
    }

    /// The header's fields.
    pub fn header(&self) -> &Header {
        self.0.header()
    }

    /// The entries of the directory.
    pub fn entries(&self) -> impl Iterator<Item = SectionEntry> + use<'a> {
        self.0.entries()
    }

    /// The number of meshes of which the file has sections.
    pub fn mesh_count(&self) -> u32 {
        self.0.stored_meshes()
    }
}

impl fmt::Debug for FileHead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FileHead").field(self.header()).finish()
    }
}

fn read_header(bytes: &[u8]) -> Result<Header, OpenError> {
    let header = check_header(bytes, bytes.len() as u64)?;
    let misalignment = bytes.as_ptr().addr() % ALIGNMENT;
    if misalignment != 0 {
        return Err(OpenError::Misaligned { misalignment });
    }
    Ok(header)
}

/// Checks the header at the start of a file of `found` bytes, given its first bytes.
pub(crate) fn check_header(bytes: &[u8], found: u64) -> Result<Header, OpenError> {
    let start = &bytes[..bytes.len().min(MAGIC.len())];
    if start != &MAGIC[..start.len()] {
        return Err(name_stranger(bytes));
    }
    let Some(header) = bytes.first_chunk::<HEADER_LENGTH>() else {
        return Err(OpenError::TooShort { found, expected: HEADER_LENGTH as u64 });
    };
    let header = Header::read(header);
    if header.major != VERSION_MAJOR {
        return Err(OpenError::Version { major: header.major, minor: header.minor });
    }
    if header.required_features & !KNOWN_FEATURES != 0 {
        return Err(OpenError::Features { unknown: header.required_features & !KNOWN_FEATURES });
    }
    if header.length != found {
        return Err(OpenError::Length { found, header: header.length });
    }
    if header.sections > MAX_SECTIONS {
        return Err(OpenError::TooManySections { found: header.sections });
    }
    Ok(header)
}

fn name_stranger(bytes: &[u8]) -> OpenError {
    if bytes.trim_ascii_start().starts_with(b"HIERARCHY") {
        return OpenError::MotionCapture;
    }
    let mut found = [0; 12];
    for (to, from) in found.iter_mut().zip(bytes) {
        *to = *from;
    }
    OpenError::NotBvhc { found }
}

/// Where the next section must start.
fn check_place(entry: &SectionEntry, expected: u64, length: u64) -> Result<u64, SectionFault> {
    if entry.offset != expected {
        return Err(SectionFault::Offset { found: entry.offset, expected });
    }
    if entry.alignment != ALIGNMENT as u32 {
        return Err(SectionFault::Alignment { found: entry.alignment });
    }
    if entry.flags & !SECTION_REQUIRED != 0 {
        return Err(SectionFault::Reserved);
    }
    // A length too large to be padded is also too large for the file.
    let end = entry.offset.saturating_add(entry.length);
    match end.checked_next_multiple_of(ALIGNMENT as u64) {
        Some(padded) if padded <= length => Ok(padded),
        _ => Err(SectionFault::PastEnd { end, length }),
    }
}

fn check_kind(entry: &SectionEntry) -> Result<(), SectionFault> {
    match SectionKind::from_number(entry.kind) {
        _ if entry.known_kind().is_some() || !entry.is_required() => Ok(()),
        Some(_) => Err(SectionFault::Version { found: entry.version }),
        None => Err(SectionFault::UnknownRequired),
    }
}

/// Entries must ascend by mesh and kind, without gaps between meshes.
fn check_order(entry: &SectionEntry, before: Option<(u32, u32)>) -> Result<(), SectionFault> {
    let this = (entry.mesh, entry.kind);
    match before {
        Some(before) if before == this => return Err(SectionFault::Duplicate),
        Some(before) if before > this => return Err(SectionFault::Order),
        _ => {}
    }
    let most = before.map_or(0, |(mesh, _)| mesh.saturating_add(1));
    if entry.mesh > most && entry.mesh != NONE {
        return Err(SectionFault::Mesh { found: entry.mesh, most });
    }
    Ok(())
}
