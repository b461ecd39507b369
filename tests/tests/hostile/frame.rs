//! Header, directory and the layout of the sections.

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc_format::header::{ENTRY_LENGTH, HEADER_LENGTH, SectionEntry};
use bvhc_format::packed;
use bvhc_format::section::{Need, SectionKind};
use bvhc_runtime::{Level, Model, OpenError};
use bvhc_tests::support::forge::{self, with_bytes};
use bvhc_tests::support::{aligned, levels};

use super::{for_pairs, middling, middling_as, small, small_and_splits, splits_as, survive};

#[test]
fn every_truncation_is_refused() {
    for good in small_and_splits() {
        assert!(survive(&good, &levels()));
        for length in 0..good.len() {
            let error = Model::from_bytes(&aligned(&good[..length])).err();
            let fitting = match length {
                0..12 => matches!(error, Some(OpenError::NotBvhc { .. } | OpenError::TooShort { .. })),
                12..HEADER_LENGTH => matches!(error, Some(OpenError::TooShort { .. })),
                _ => matches!(error, Some(OpenError::Length { .. })),
            };
            assert!(fitting, "{length} bytes: {error:?}");
        }
    }
}

#[test]
fn extra_bytes_are_refused() {
    let good = small();
    for extra in [1, 63, 64, 65, 4096] {
        let mut longer = aligned(&good);
        longer.resize(good.len() + extra, 0);
        let error = Model::from_bytes(&longer).err();
        assert!(matches!(error, Some(OpenError::Length { .. })), "{extra} more bytes: {error:?}");
    }
}

/// A shorter or longer file whose header has been adapted is rejected because of its directory.
#[test]
fn truncation_with_a_fitting_header_is_refused() {
    for good in small_and_splits() {
        for length in (HEADER_LENGTH..good.len() + 256).filter(|length| *length != good.len()) {
            let mut forged = aligned(&good[..length.min(good.len())]);
            forged.resize(length, 0);
            forged[16..24].copy_from_slice(&(length as u64).to_le_bytes());
            assert!(Model::from_bytes(&forged).is_err(), "{length} bytes");
        }
    }
}

#[test]
fn every_forged_byte_of_header_and_directory() {
    // One without and one with the optional sections.
    for good in [small(), splits_as(Layout::Small)] {
        forged_bytes(&good);
    }
}

fn forged_bytes(good: &Bytes) {
    let best = [Level::detect().expect("a level")];
    let sections = forge::read_u32(good, 28) as usize;
    let end = HEADER_LENGTH + ENTRY_LENGTH * sections;
    for offset in 0..end {
        let (entry, within) = (offset - offset % ENTRY_LENGTH, offset % ENTRY_LENGTH);
        for value in 0..=255 {
            let forged = with_bytes(good, offset, &[value]);
            let opens = match within {
                // Of hashes queries know nothing.
                32..64 => Model::from_bytes(&forged).is_ok(),
                _ => survive(&forged, &best),
            };
            // A payload that is shorter by a multiple of 8 still pads to the same length: the root moves.
            let is_open = match within {
                16 if entry != 0 => continue,
                _ if value == good[offset] => true,
                // Opening does not check the minor version and the hashes.
                14..16 | 32..64 if entry == 0 => true,
                _ if entry == 0 => false,
                32..64 => true,
                0..8 | 28..32 => match opens_with(good, &forged, entry) {
                    Some(opens) => opens,
                    None => continue,
                },
                _ => false,
            };
            assert_eq!(opens, is_open, "{value} at byte {offset}");
        }
    }
}

/// Whether a file opens that differs from a good one in an entry's kind, version, flags or mesh; `None` where that
/// depends on whether one section's bytes happen to be valid for another's root.
fn opens_with(good: &Bytes, forged: &Bytes, at: usize) -> Option<bool> {
    let [entry, was] =
        [forged, good].map(|file| SectionEntry::read(file[at..].first_chunk().expect("an entry")));
    let order = |at: usize| (forge::read_u32(forged, at + 28), forge::read_u32(forged, at));
    let end = HEADER_LENGTH + ENTRY_LENGTH * forge::read_u32(good, 28) as usize;
    let before = (at > HEADER_LENGTH).then(|| order(at - ENTRY_LENGTH));
    let after = (at + ENTRY_LENGTH < end).then(|| order(at + ENTRY_LENGTH));
    let most = before.map_or(0, |(mesh, _)| mesh + 1);
    let in_order = before.is_none_or(|before| before < order(at))
        && after.is_none_or(|after| order(at) < after)
        && entry.mesh <= most;
    let moves = (entry.kind, entry.version, entry.mesh) != (was.kind, was.version, was.mesh);
    let was_needed = SectionKind::from_number(was.kind).is_some_and(|kind| kind.need() != Need::Optional);
    match entry.known_kind() {
        _ if !in_order || entry.flags > 1 => Some(false),
        None => Some(!entry.is_required() && !was_needed),
        Some(_) if !moves => Some(true),
        Some(_) if was_needed => Some(false),
        Some(kind) if kind as u32 != was.kind => None,
        Some(_) => Some(true),
    }
}

#[test]
fn misaligned_bytes_are_refused() {
    let good = small();
    let mut buffer = aligned(&good);
    buffer.resize(good.len() + 64, 0);
    for shift in 1..64 {
        buffer.copy_within(shift - 1..shift - 1 + good.len(), shift);
        let error = Model::from_bytes(&buffer[shift..shift + good.len()]).err();
        assert_eq!(error, Some(OpenError::Misaligned { misalignment: shift }));
    }
}

#[test]
fn depths_that_lie() {
    let good = for_pairs(Layout::Fast);
    for (kind, field, most) in [(SectionKind::AabbTree, 24, 96), (SectionKind::ObbTree, 16, 40)] {
        let place = forge::root(&good, kind) + field;
        for depth in [0u32, 1, most] {
            assert!(survive(&with_bytes(&good, place, &depth.to_le_bytes()), &levels()));
        }
        for found in [most + 1, 1 << 20, u32::MAX] {
            let error = Model::from_bytes(&with_bytes(&good, place, &found.to_le_bytes())).err();
            assert_eq!(error, Some(OpenError::TooDeep { kind, found, most }));
        }
    }
}

/// A walk's budget grows with the number of blocks, so that number must be checked.
#[test]
fn more_packed_blocks_than_bytes_are_refused() {
    const LEAST: u32 = packed::LEAST as u32;
    let good = middling_as(Layout::Small);
    let place = forge::root(&good, SectionKind::PackedBlocks) + 16;
    let bytes = forge::read_u64(&good, place - 8);
    for count in [0, 1, bytes as u32 / LEAST] {
        assert!(survive(&with_bytes(&good, place, &count.to_le_bytes()), &levels()));
    }
    for count in [bytes as u32 / LEAST + 1, 1 << 24, u32::MAX] {
        let error = Model::from_bytes(&with_bytes(&good, place, &count.to_le_bytes())).err();
        assert_eq!(error, Some(OpenError::PackedBlocks { count, bytes }));
    }
}

#[test]
fn bounds_that_are_no_box_are_refused() {
    let good = middling();
    let place = forge::root(&good, SectionKind::AabbTree);
    for index in 0..6 {
        let beyond = if index < 3 { 1e30f32 } else { -1e30 };
        for number in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.2e18, -1.2e18, beyond] {
            let forged = with_bytes(&good, place + 4 * index, &number.to_le_bytes());
            assert_eq!(Model::from_bytes(&forged).err(), Some(OpenError::Bounds), "{index} {number}");
        }
    }
}
