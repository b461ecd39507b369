//! Checks hashes and the zeros between sections, which do not depend on the contents of sections.

use bvhc_format::header::{ENTRY_LENGTH, HEADER_LENGTH, Header, SectionEntry, align_up};
use bvhc_format::section::{KindName, Need, SectionKind};

use crate::file;

/// What is wrong with the header, the directory or padding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameFault {
    /// The header's hash is not the hash of header and directory.
    #[error("the header holds the hash {found}, but header and directory have {expected} (H8)")]
    HeaderHash {
        /// The hash in the header.
        found: blake3::Hash,
        /// The computed hash.
        expected: blake3::Hash,
    },
    /// The directory's hash of a section is not the hash of its payload.
    #[error(
        "section {index} ({}): the directory holds the hash {found}, the payload has {expected} (D10)",
        KindName(*kind)
    )]
    SectionHash {
        /// Index in the directory, from 0.
        index: usize,
        /// The section's kind.
        kind: u32,
        /// The hash in the directory.
        found: blake3::Hash,
        /// The computed hash.
        expected: blake3::Hash,
    },
    /// A section that older readers must not skip is not marked as required.
    #[error("section {index} ({}) is not marked as required (D7)", kind.name())]
    Optional {
        /// Index of the section in the directory, from 0.
        index: usize,
        /// The section's kind.
        kind: SectionKind,
    },
    /// A byte after a payload is not zero.
    #[error("byte {offset}, behind section {index}, is {found:#04x} instead of zero (D9)")]
    Padding {
        /// Index of the section in the directory, from 0.
        index: usize,
        /// Its offset in the file.
        offset: usize,
        /// Its value.
        found: u8,
    },
}

/// Checks a file with this header and these sections.
pub(super) fn check<'a>(
    bytes: &[u8],
    header: &Header,
    sections: impl Iterator<Item = (SectionEntry, &'a [u8])>,
) -> Result<(), FrameFault> {
    let directory_end = HEADER_LENGTH + ENTRY_LENGTH * header.sections as usize;
    let (found, expected) = (header.hash.into(), file::header_hash(&bytes[..directory_end]));
    if found != expected {
        return Err(FrameFault::HeaderHash { found, expected });
    }
    for (index, (entry, payload)) in sections.enumerate() {
        if let Some(kind) = entry.known_kind()
            && kind.need() != Need::Optional
            && !entry.is_required()
        {
            return Err(FrameFault::Optional { index, kind });
        }
        let (found, expected) = (entry.hash.into(), file::hash(payload));
        if found != expected {
            return Err(FrameFault::SectionHash { index, kind: entry.kind, found, expected });
        }
        let end = entry.offset + entry.length;
        let padding = end as usize..align_up(end) as usize;
        if let Some(offset) = padding.into_iter().find(|offset| bytes[*offset] != 0) {
            return Err(FrameFault::Padding { index, offset, found: bytes[offset] });
        }
    }
    Ok(())
}
