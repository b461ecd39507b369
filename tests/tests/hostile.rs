//! Whatever the bytes say, opening refuses them or every query on them ends, without a panic.

use std::time::{Duration, Instant};

use bvhc::compile::{Options, Quality, compile};
use bvhc::file::Bytes;
use bvhc_format::header::HEADER_LENGTH;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Level, Model, OpenError, Ray};
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::answers::ask_everything;
use bvhc_tests::support::forge::{self, Places, RECORD, with_bytes};
use bvhc_tests::support::{aligned, compiled, levels};

/// Far more than any file of these sizes may take on a busy machine; a walk without end would take for ever.
const PATIENCE: Duration = Duration::from_secs(10);

/// Names, several runs and faces, and one node: about 2000 bytes.
fn small() -> Bytes {
    let source = b"o object\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\ng one\nusemtl red\nf 1 2 3 4\n\
                   g two\nusemtl green\nf 1 2 5\nf 2 3 5\n";
    compile(source, "small.obj", &Options::default(), &()).expect("it compiles").bytes
}

/// Three levels of nodes, a few dozen blocks.
fn middling() -> Bytes {
    compiled(&icosphere::displaced(6, 0.2, 1), Quality::Default)
}

/// Some rays and points in, on and off models about as large as 1.
fn queries() -> (Vec<Ray>, Vec<[f32; 3]>) {
    let rays = vec![
        Ray::new([0.1, 0.2, 3.0], [0.0, 0.1, -1.0]),
        Ray::new([-5.0, 0.3, 0.4], [1.0, 0.0, 0.0]).with_range(f32::NEG_INFINITY, f32::INFINITY),
        Ray::new([0.25, 0.25, -1.0], [1e-20, -1e-20, 1e20]),
    ];
    (rays, vec![[0.3, 0.2, 0.1], [100.0, -50.0, 0.0]])
}

/// Opens bytes and, where they open, asks everything on every level; returns whether they opened.
fn survive(bytes: &Bytes, levels: &[Level]) -> bool {
    let start = Instant::now();
    let opened = Model::from_bytes(bytes).map(|model| {
        let (rays, points) = queries();
        for level in levels {
            std::hint::black_box(ask_everything(&model.with_level(*level), &rays, &points));
        }
    });
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    opened.is_ok()
}

#[test]
fn every_truncation_is_refused() {
    let good = small();
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
    let good = small();
    for length in (HEADER_LENGTH..good.len() + 256).filter(|length| *length != good.len()) {
        let mut forged = aligned(&good[..length.min(good.len())]);
        forged.resize(length, 0);
        forged[16..24].copy_from_slice(&(length as u64).to_le_bytes());
        assert!(Model::from_bytes(&forged).is_err(), "{length} bytes");
    }
}

#[test]
fn every_forged_byte_of_header_and_directory() {
    let good = small();
    let best = [Level::detect()];
    for offset in 0..HEADER_LENGTH + 3 * 64 {
        let mut opened = 0;
        for value in 0..=255 {
            opened += u32::from(survive(&with_bytes(&good, offset, &[value]), &best));
        }
        // Only the minor version, the hashes and bit 0 of an entry's flags are not opening's business.
        let within = offset.wrapping_sub(HEADER_LENGTH) % 64;
        let expected = match offset {
            14..16 | 32..64 => 256,
            HEADER_LENGTH.. if within >= 32 => 256,
            HEADER_LENGTH.. if within == 6 => 2,
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
fn slices_that_lead_nowhere_are_refused() {
    let good = small();
    for kind in SectionKind::ALL {
        for (field, size) in forge::slices(kind) {
            let place = forge::root(&good, kind) + field;
            for distance in [i64::MIN, -(1 << 40), 1 << 20, i64::MAX] {
                let forged = with_bytes(&good, place, &distance.to_le_bytes());
                assert_eq!(Model::from_bytes(&forged).err(), Some(OpenError::Archive(kind)), "{distance}");
            }
            let overflow = (u64::MAX / *size as u64).saturating_add(1);
            for count in [1 << 20, 1 << 32, 1 << 58, overflow, 1 << 63, u64::MAX] {
                let forged = with_bytes(&good, place + 8, &count.to_le_bytes());
                assert_eq!(Model::from_bytes(&forged).err(), Some(OpenError::Archive(kind)), "{count}");
            }
        }
    }
}

#[test]
fn slices_that_lead_elsewhere_do_no_harm() {
    let (good, levels) = (small(), levels());
    for kind in SectionKind::ALL {
        for (field, _) in forge::slices(kind) {
            let place = forge::root(&good, kind) + field;
            for change in -600..=600 {
                let distance = forge::read_u64(&good, place).wrapping_add_signed(change);
                survive(&with_bytes(&good, place, &distance.to_le_bytes()), &levels);
            }
            for count in 0..=300u64 {
                survive(&with_bytes(&good, place + 8, &count.to_le_bytes()), &levels);
            }
        }
    }
}

/// What a mutation writes where a number is expected.
const NUMBERS: [u32; 12] = [
    0,
    1,
    0x7fff_ffff,
    0xffff_ffff,
    0x8000_0000,
    0x7fc0_0000, // NaN
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7e96_7699, // 1e38
    0xfe96_7699,
    0x0000_0100,
    0x8000_0001,
];

/// Changes one thing: a bit, a byte, a number, or two records.
fn mutate(bytes: &mut Bytes, random: &mut Random) {
    // Header and directory are a small part of the places, and most changes there are refused.
    let first = if random.below(10) == 0 { 0 } else { 256 };
    let mut offset = || first + random.below((bytes.len() - first) as u32) as usize;
    let (place, other) = (offset(), offset());
    match random.below(6) {
        0 => bytes[place] ^= 1 << random.below(8),
        1 => bytes[place] = random.u32() as u8,
        2..4 => {
            let number = NUMBERS[random.below(NUMBERS.len() as u32) as usize];
            bytes[place & !3..][..4].copy_from_slice(&number.to_le_bytes());
        }
        4 => {
            let number = random.below(64) | random.below(2) << 31;
            bytes[place & !3..][..4].copy_from_slice(&number.to_le_bytes());
        }
        _ => swap_records(bytes, place, other),
    }
}

fn swap_records(bytes: &mut Bytes, one: usize, other: usize) {
    let count = bytes.len() / 64 - RECORD / 64 + 1;
    let (one, other) = (one / 64 % count * 64, other / 64 % count * 64);
    if one.abs_diff(other) >= RECORD {
        let kept: [u8; RECORD] = bytes[one..one + RECORD].try_into().expect("a record");
        bytes.copy_within(other..other + RECORD, one);
        bytes[other..other + RECORD].copy_from_slice(&kept);
    }
}

#[test]
fn mutated_files() {
    let (levels, mut random) = (levels(), Random::new(1));
    for (good, count) in [(small(), 70_000), (middling(), 30_000)] {
        let (mut opened, mut forged) = (0, aligned(&good));
        for _ in 0..count {
            forged.copy_from_slice(&good);
            for _ in 0..=random.below(8) {
                mutate(&mut forged, &mut random);
            }
            opened += u32::from(survive(&forged, &levels));
        }
        assert!(opened > count / 10, "only {opened} of {count} files opened");
    }
}

/// Only the parts that queries walk over, so that every file opens.
#[test]
fn mutated_trees() {
    let (levels, mut random, good) = (levels(), Random::new(2), middling());
    let places = Places::of(&good);
    for _ in 0..10_000 {
        let mut forged = aligned(&good);
        for _ in 0..1 + random.below(20) {
            let (node, slot) = (random.below(places.node_count as u32) as usize, random.below(8) as usize);
            let index = random.below(2 * places.node_count as u32) | random.below(2) << 31;
            let plane = random.below(6) as usize;
            write(&mut forged, places.child(node, slot), index);
            write(&mut forged, places.plane(node, plane, slot), NUMBERS[random.below(12) as usize]);
        }
        assert!(survive(&forged, &levels));
    }
}

fn write(bytes: &mut Bytes, offset: usize, number: u32) {
    bytes[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
}

/// All boxes everywhere, all children as `child` says for a node: then every query goes wherever it can.
fn with_children(good: &Bytes, child: impl Fn(usize, usize) -> u32) -> Bytes {
    let (mut forged, places) = (aligned(good), Places::of(good));
    for node in 0..places.node_count {
        for slot in 0..8 {
            write(&mut forged, places.child(node, slot), child(node, slot));
            for plane in 0..6 {
                let bound = if plane % 2 == 0 { -1e30f32 } else { 1e30 };
                write(&mut forged, places.plane(node, plane, slot), bound.to_bits());
            }
        }
    }
    forged
}

#[test]
fn children_that_go_in_circles() {
    let (good, levels) = (middling(), levels());
    let count = Places::of(&good).node_count as u32;
    let circles: [&dyn Fn(usize, usize) -> u32; 7] = [
        &|node, _| node as u32,
        &|_, _| 0,
        &|_, _| count - 1,
        &|node, _| (node as u32 + 1) % count,
        &|node, slot| (node as u32 + slot as u32) % count,
        &|_, slot| if slot == 0 { 0 } else { 1 << 31 },
        &|_, _| 1 << 31,
    ];
    for circle in circles {
        assert!(survive(&with_children(&good, circle), &levels));
    }
    for outside in [count, 0x7fff_ffff, 0x8fff_ffff, 0xffff_fffe, 0xffff_ffff] {
        assert!(survive(&with_children(&good, |_, _| outside), &levels));
    }
}

/// A chain of nodes deeper than the stack has room for, with all siblings to be visited.
#[test]
fn chains_deeper_than_the_stack() {
    let good = compiled(&icosphere::displaced(40, 0.2, 1), Quality::Default);
    let count = Places::of(&good).node_count as u32;
    assert!(count > 500, "{count} nodes are too few for an overflow");
    let next = |node: usize| (node as u32 + 1).min(count - 1);
    let chains: [&dyn Fn(usize, usize) -> u32; 4] = [
        &|node, _| next(node),
        &|node, slot| if slot == 7 { next(node) } else { 1 << 31 },
        &|node, slot| if slot == 0 { next(node) } else { 1 << 31 },
        &|node, slot| if slot % 2 == 0 { next(node) } else { next(node + 1) },
    ];
    for chain in chains {
        assert!(survive(&with_children(&good, chain), &levels()));
    }
}

#[test]
fn depths_that_lie() {
    let good = middling();
    let place = forge::root(&good, SectionKind::AabbTree) + 24;
    for depth in [0u32, 1, 96] {
        assert!(survive(&with_bytes(&good, place, &depth.to_le_bytes()), &levels()));
    }
    for found in [97, 1 << 20, u32::MAX] {
        let error = Model::from_bytes(&with_bytes(&good, place, &found.to_le_bytes())).err();
        assert_eq!(error, Some(OpenError::TooDeep { found }));
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

#[test]
fn planes_and_positions_that_are_no_numbers() {
    let (good, levels) = (middling(), levels());
    let places = Places::of(&good);
    for number in NUMBERS {
        let mut forged = aligned(&good);
        for offset in (places.nodes..places.nodes + RECORD * places.node_count).step_by(4) {
            if (offset - places.nodes) % RECORD < 192 {
                write(&mut forged, offset, number);
            }
        }
        assert!(survive(&forged, &levels));
        let mut forged = with_children(&good, |node, slot| (8 * node + slot) as u32 | 1 << 31);
        for offset in (places.blocks..places.blocks + RECORD * places.block_count).step_by(4) {
            if (offset - places.blocks) % RECORD < 192 {
                write(&mut forged, offset, number);
            }
        }
        assert!(survive(&forged, &levels));
    }
}

/// Orders that name one slot eight times, and words of all ones.
#[test]
fn orders_that_are_no_permutations() {
    let good = middling();
    let places = Places::of(&good);
    for word in NUMBERS {
        let mut forged = aligned(&good);
        for node in 0..places.node_count {
            (0..8).for_each(|rank| write(&mut forged, places.child(node, 8) + 4 * rank, word));
        }
        assert!(survive(&forged, &levels()));
    }
}

#[test]
fn blocks_that_lie_about_their_contents() {
    let (good, levels) = (middling(), levels());
    let places = Places::of(&good);
    for value in [0u8, 1, 15, 16, 17, 31, 32, 127, 128, 254, 255] {
        for field in [192..240, 244..245, 245..246, 246..256, 240..244, 192..256] {
            let mut forged = aligned(&good);
            for block in 0..places.block_count {
                let start = places.blocks + RECORD * block;
                forged[start + field.start..start + field.end].fill(value);
            }
            assert!(survive(&forged, &levels), "{field:?} {value}");
        }
    }
}

#[test]
fn names_that_do_not_end_where_they_should() {
    let good = small();
    let root = forge::root(&good, SectionKind::Metadata);
    for field in [144, 176, 208] {
        let ends = root + field + 16;
        let first = ends.wrapping_add(forge::read_u64(&good, ends) as usize);
        let count = forge::read_u64(&good, ends + 8) as usize;
        for number in [0, 1, 7, 1000, u32::MAX] {
            for index in 0..count {
                let forged = with_bytes(&good, first + 4 * index, &u32::to_le_bytes(number));
                assert!(survive(&forged, &levels()));
            }
        }
        let text = root + field;
        let start = text.wrapping_add(forge::read_u64(&good, text) as usize);
        let forged = with_bytes(&good, start, &[0xff]);
        let model = Model::from_bytes(&forged).expect("text is verify's business");
        let names = [model.material_name(0), model.group_name(0), model.object_name(0)];
        assert_eq!(names.iter().filter(|name| name.is_none()).count(), 1, "one name is no UTF-8");
    }
}
