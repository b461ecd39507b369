//! Header, directory and the frame of the sections.

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc_format::header::{ENTRY_LENGTH, HEADER_LENGTH};
use bvhc_format::section::SectionKind;
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

/// A shorter or longer file whose header has been adapted is refused for its directory.
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
    // One without and one with the sections that a file need not have.
    for good in [small(), splits_as(Layout::Small)] {
        forged_bytes(&good);
    }
}

fn forged_bytes(good: &Bytes) {
    let best = [Level::detect()];
    let sections = forge::read_u32(good, 28) as usize;
    for offset in 0..HEADER_LENGTH + ENTRY_LENGTH * sections {
        let mut opened = 0;
        for value in 0..=255 {
            opened += u32::from(survive(&with_bytes(good, offset, &[value]), &best));
        }
        // Only the minor version, the hashes and bit 0 of an entry's flags are not opening's business.
        let within = offset.wrapping_sub(HEADER_LENGTH) % 64;
        let may_be_skipped = good[offset - offset % 64 + 6] & 1 == 0;
        let expected = match offset {
            14..16 | 32..64 => 256,
            HEADER_LENGTH.. if within >= 32 => 256,
            HEADER_LENGTH.. if within == 6 => 2,
            // A kind that nobody knows; the root of some other section may happen to fit.
            HEADER_LENGTH.. if within == 0 && may_be_skipped => {
                assert!(opened > 256 - SectionKind::ALL.len() as u32, "byte {offset}: {opened}");
                continue;
            }
            HEADER_LENGTH.. if within < 4 && may_be_skipped => 256,
            // A payload that is shorter by a multiple of 8 still pads to the same length: the root moves.
            HEADER_LENGTH.. if within == 16 => continue,
            _ => 1,
        };
        assert_eq!(opened, expected, "byte {offset}");
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

/// A walk's budget grows with the number of blocks, so that number may not be made up.
#[test]
fn more_packed_blocks_than_bytes_are_refused() {
    let good = middling_as(Layout::Small);
    let place = forge::root(&good, SectionKind::PackedBlocks) + 16;
    let bytes = forge::read_u64(&good, place - 8);
    for count in [0, 1, (bytes / 32) as u32] {
        assert!(survive(&with_bytes(&good, place, &count.to_le_bytes()), &levels()));
    }
    for count in [(bytes / 32) as u32 + 1, 1 << 24, u32::MAX] {
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
