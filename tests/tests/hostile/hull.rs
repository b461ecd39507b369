//! Corrupt hulls, and models against themselves with them.

use std::time::Instant;

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc_format::kdop::Tables;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Model, Pose, Realign, Volume, WorkBudget};
use bvhc_tests::random::Random;
use bvhc_tests::support::answers::poses;
use bvhc_tests::support::forge::{root, slice_at, with_bytes};
use bvhc_tests::support::{aligned, levels};

use super::{NUMBERS, PATIENCE, kdop, survive, write};

fn good() -> Bytes {
    kdop::few(Layout::Fast, 14, Tables::None)
}

/// Where a slice of the section begins, and its count.
fn slice(file: &Bytes, field: usize) -> (usize, usize) {
    slice_at(file, root(file, SectionKind::Hull) + field)
}

/// As [`survive`], and queries at several poses whether the model meets itself and is near itself.
fn survive_climbs(bytes: &Bytes) {
    let start = Instant::now();
    if let Ok(model) = Model::from_bytes(bytes) {
        let volume = Volume::Kdop(Realign::Hull);
        let away = [[3.0, 0.0, 0.0], [0.0, -1e3, 1e4]].map(|by| Pose::from_translation(by).expect("a pose"));
        for pose in poses().into_iter().chain(away) {
            let mut budget = WorkBudget::of_steps(300);
            std::hint::black_box(
                model.against(&model, &pose).volume(volume).budget(&mut budget).first_pair().ok(),
            );
            std::hint::black_box(
                model.against(&model, &pose).volume(volume).budget(&mut budget).within(0.5).ok(),
            );
        }
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    survive(bytes, &levels()[..1]);
}

#[test]
fn good_hulls_tell_apart() {
    let file = good();
    let model = Model::from_bytes(&file).expect("it opens");
    let away = Pose::from_translation([3.0, 0.0, 0.0]).expect("a pose");
    let mut budget = WorkBudget::unlimited();
    assert_eq!(
        model.against(&model, &away).volume(Volume::Kdop(Realign::Hull)).budget(&mut budget).first_pair(),
        Ok(None)
    );
    assert_eq!(budget.node_pairs, 0);
}

/// Vertices and neighbours that lead nowhere, to one vertex, to themselves, or to the whole list.
#[test]
fn numbers_that_are_anything() {
    let good = good();
    let [(vertices, count), (neighbours, edges), (starts, cells)] =
        [0, 16, 32].map(|field| slice(&good, field));
    for number in NUMBERS.into_iter().chain([count as u32 - 1, count as u32, edges as u32, edges as u32 + 1])
    {
        for field in (0..16).step_by(4) {
            let mut forged = aligned(&good);
            (0..count).for_each(|vertex| write(&mut forged, vertices + 16 * vertex + field, number));
            survive_climbs(&forged);
        }
        for (first, count) in [(neighbours, edges), (starts, cells)] {
            let mut forged = aligned(&good);
            (0..count).for_each(|index| write(&mut forged, first + 4 * index, number));
            survive_climbs(&forged);
        }
    }
    let mut forged = aligned(&good);
    for vertex in 0..count {
        write(&mut forged, vertices + 16 * vertex + 12, if vertex % 2 == 0 { edges as u32 } else { 0 });
    }
    survive_climbs(&forged);
}

#[test]
fn mutated_hulls() {
    let (good, mut random) = (good(), Random::new(11));
    let (first, root) = (slice(&good, 0).0, root(&good, SectionKind::Hull));
    let count = slice(&good, 0).1 as u32;
    for _ in 0..4000 {
        let mut forged = aligned(&good);
        for _ in 0..1 + random.below(12) {
            let at = first + 4 * random.below((root - first) as u32 / 4) as usize;
            let number = match random.below(3) {
                0 => NUMBERS[random.below(NUMBERS.len() as u32) as usize],
                1 => random.below(count),
                _ => random.u32(),
            };
            write(&mut forged, at, number);
        }
        survive_climbs(&forged);
    }
    for field in 0..48 {
        for number in [0u8, 1, 6, 24, 0x80, 0xff] {
            survive_climbs(&with_bytes(&good, root + field, &[number]));
        }
    }
}
