//! Files with random changes anywhere.

use bvhc::file::Bytes;
use bvhc_runtime::Model;
use bvhc_tests::random::Random;
use bvhc_tests::support::edit::edited;
use bvhc_tests::support::forge::{BLOCK, NODE};
use bvhc_tests::support::work::ask_bounded;
use bvhc_tests::support::{LAYOUTS, aligned, levels, levels_of_turn};

use super::{NUMBERS, for_pairs, middling_as, small_as, splits_as, survive};

/// Changes one thing: a bit, a byte, a number, or two records.
fn mutate(bytes: &mut Bytes, random: &mut Random) {
    // Header and directory are a small part of the file, and most changes there are rejected.
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
        _ => swap_records(bytes, place, other, [BLOCK, NODE][random.below(2) as usize]),
    }
}

fn swap_records(bytes: &mut Bytes, one: usize, other: usize, size: usize) {
    let count = bytes.len() / 64 - size / 64 + 1;
    let (one, other) = (one / 64 % count * 64, other / 64 % count * 64);
    if one.abs_diff(other) >= size {
        let kept = bytes[one..one + size].to_vec();
        bytes.copy_within(other..other + size, one);
        bytes[other..other + size].copy_from_slice(&kept);
    }
}

#[test]
fn mutated_files() {
    let (levels, mut random) = (levels(), Random::new(1));
    let [fast, packed] = LAYOUTS;
    let files = [
        (small_as(fast), 40_000),
        (small_as(packed), 20_000),
        (middling_as(fast), 12_000),
        (middling_as(packed), 8_000),
        (splits_as(fast), 12_000),
        (splits_as(packed), 8_000),
        (for_pairs(fast), 4_000),
        (for_pairs(packed), 3_000),
    ];
    for (good, count) in files {
        let (mut opened, mut forged) = (0, aligned(&good));
        for turn in 0..count {
            forged.copy_from_slice(&good);
            for _ in 0..=random.below(8) {
                mutate(&mut forged, &mut random);
            }
            opened += u32::from(survive(&forged, levels_of_turn(&levels, turn as usize)));
        }
        assert!(opened > count / 10, "only {opened} of {count} files opened");
    }
}

/// What the fuzz target `bounded_work` does, with random bytes.
#[test]
fn edited_files() {
    let (levels, mut random) = (levels(), Random::new(4));
    let (mut opened, count) = (0, 4_000);
    for turn in 0..count {
        let bytes: Vec<u8> = (0..10 + 8 * random.below(12)).map(|_| random.u32() as u8).collect();
        let (file, steps) = edited(&bytes).expect("enough bytes");
        if let Ok(model) = Model::from_bytes(&file) {
            opened += 1;
            for level in levels_of_turn(&levels, turn) {
                ask_bounded(&model.with_level(*level), steps);
            }
        }
    }
    assert!(opened > count / 2, "only {opened} of {count} files opened");
}
