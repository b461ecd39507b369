//! The packing of a payload: its slices in order, with only zero padding for alignment between them.

use bvhc_format::NONE;
use bvhc_format::header::SectionEntry;
use bvhc_format::section::SectionKind;
use bvhc_runtime::Model;

use super::error::VerifyError;
use super::sections_of;
use crate::archive::{Slice, root_start, slices};

/// What is wrong with the packing of a payload. Offsets count from the payload's start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveFault {
    /// A slice starts before the end of the previous one.
    #[error("slice {slice} starts at byte {found}, before the end of the last one at {end} (A3)")]
    Order {
        /// The slice, counted from 0 in the order of the fields.
        slice: usize,
        /// Where it starts.
        found: usize,
        /// Where the previous one ends.
        end: usize,
    },
    /// There is more padding before a slice or the root than alignment requires.
    #[error("there are {found} bytes between {end} and what follows; at most {most} are allowed (A4)")]
    Gap {
        /// Where the padding starts.
        end: usize,
        /// Its length in bytes.
        found: usize,
        /// The greatest length allowed.
        most: usize,
    },
    /// A padding byte is not zero.
    #[error("byte {offset} fills up to an alignment and is {found:#04x} instead of zero (A4)")]
    Filling {
        /// Its offset.
        offset: usize,
        /// What it is.
        found: u8,
    },
}

pub(super) fn check(model: &Model<'_>) -> Result<(), VerifyError> {
    check_all(sections_of(model))
}

/// The same for the sections of the file as a whole.
pub(super) fn check_file<'a>(
    sections: impl Iterator<Item = (SectionEntry, &'a [u8])>,
) -> Result<(), VerifyError> {
    check_all(sections.filter(|(entry, _)| entry.mesh == NONE))
}

fn check_all<'a>(sections: impl Iterator<Item = (SectionEntry, &'a [u8])>) -> Result<(), VerifyError> {
    for (entry, payload) in sections {
        if let Some(kind) = entry.known_kind() {
            check_payload(kind, payload).map_err(|fault| VerifyError::Archive { kind, fault })?;
        }
    }
    Ok(())
}

/// A4. A1 to A3 are checked on opening; A3 is checked again, because the code below relies on it.
fn check_payload(kind: SectionKind, payload: &[u8]) -> Result<(), ArchiveFault> {
    let mut end = 0;
    let all = slices(kind, payload);
    let count = all.len();
    for (slice, Slice { bytes, element, .. }) in all.into_iter().enumerate() {
        if bytes.start < end || bytes.end > payload.len() || bytes.end < bytes.start {
            return Err(ArchiveFault::Order { slice, found: bytes.start, end });
        }
        check_gap(payload, end, bytes.start, element.alignment)?;
        end = bytes.end;
    }
    let root = root_start(kind, payload).unwrap_or(0);
    if root < end {
        return Err(ArchiveFault::Order { slice: count, found: root, end });
    }
    check_gap(payload, end, root, kind.root().alignment)
}

fn check_gap(payload: &[u8], end: usize, start: usize, alignment: usize) -> Result<(), ArchiveFault> {
    let found = start - end;
    if found >= alignment {
        return Err(ArchiveFault::Gap { end, found, most: alignment - 1 });
    }
    match (end..start).find(|offset| payload[*offset] != 0) {
        Some(offset) => Err(ArchiveFault::Filling { offset, found: payload[offset] }),
        None => Ok(()),
    }
}
