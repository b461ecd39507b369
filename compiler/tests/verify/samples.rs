//! The samples beside the tree of oriented boxes.

use std::sync::LazyLock;

use bvhc::compile::Layout;
use bvhc::verify::VerifyError;
use bvhc_format::obb::{PairChild, PairRef};

use crate::breaks_in;
use crate::forge::{Forge, OBB, ONE_TRIANGLE, SAMPLES, source};

/// The sheet.
fn forge() -> Forge {
    static FILE: LazyLock<Forge> = LazyLock::new(|| Forge::of_samples(&source(), Layout::Fast));
    FILE.clone()
}

fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(forge(), rule, forgery);
}

fn count(file: &Forge) -> usize {
    file.slice(SAMPLES, 0).1
}

/// The offset of a coordinate of a sample.
fn position(file: &Forge, node: usize, slot: usize, axis: usize) -> usize {
    file.slice(SAMPLES, 0).0 + 64 * node + 16 * axis + 4 * slot
}

fn entry(file: &Forge, node: usize, slot: usize) -> usize {
    file.slice(SAMPLES, 0).0 + 64 * node + 48 + 4 * slot
}

/// What a slot of a node of oriented boxes refers to.
fn child(file: &Forge, node: usize, slot: usize) -> PairChild {
    PairRef(file.u32(file.slice(OBB, 24).0 + 192 * node + 160 + 4 * slot)).get()
}

/// A slot that refers to a leaf with an unused lane.
fn short_leaf(file: &Forge) -> (usize, usize, u32) {
    let slots = (0..count(file)).flat_map(|node| (0..4).map(move |slot| (node, slot)));
    let of = |(node, slot)| match child(file, node, slot) {
        PairChild::Leaf(leaf, 1..=3) => Some((node, slot, leaf)),
        _ => None,
    };
    slots.into_iter().find_map(of).expect("a leaf of fewer than four triangles")
}

#[test]
fn samples_are_within_the_rules() {
    let file = forge();
    file.verify().unwrap();
    assert!(count(&file) > 8, "the scene is too small for these tests");
    Forge::of_samples(&source(), Layout::Small).verify().unwrap();
    let triangle = Forge::of_samples(ONE_TRIANGLE, Layout::Fast);
    triangle.verify().unwrap();
    assert_eq!((count(&triangle), triangle.u32(entry(&triangle, 0, 3))), (1, 0));
}

/// A different number of nodes than the tree has, or no tree.
#[test]
fn what_cannot_be_opened() {
    let mut file = forge();
    file.add(file.root(SAMPLES) + 8, -1);
    file.seal();
    assert!(matches!(file.verify(), Err(VerifyError::Open(_))));
    let mut file = forge();
    file.drop_section(OBB);
    file.seal();
    assert!(matches!(file.verify(), Err(VerifyError::Open(_))));
}

#[test]
fn the_section_is_optional() {
    let mut file = forge();
    file.drop_section(SAMPLES);
    file.seal();
    file.verify().unwrap();
    let mut file = forge();
    file.put(file.entry(SAMPLES) + 6, &[1]);
    file.seal();
    file.verify().unwrap();
}

#[test]
fn places_are_below_their_slots() {
    let leaves = forge().pair_leaves() as u32;
    for (node, slot) in [(0, 0), (0, 1), (count(&forge()) - 1, 0)] {
        for wrong in [4 * leaves, u32::MAX] {
            breaks("N2", |file| file.put_u32(entry(file, node, slot), wrong));
        }
    }
    // The slot address of another slot, with its position.
    breaks("N2", |file| {
        for axis in 0..3 {
            file.put_u32(position(file, 0, 0, axis), file.u32(position(file, 0, 1, axis)));
        }
        file.put_u32(entry(file, 0, 0), file.u32(entry(file, 0, 1)));
    });
    // The last lane repeats lane 0, but is unused.
    breaks("N2", |file| {
        let (node, slot, leaf) = short_leaf(file);
        file.put_u32(entry(file, node, slot), 4 * leaf + 3);
    });
}

#[test]
fn positions_are_those_of_corners() {
    for node in [0, count(&forge()) - 1] {
        for axis in 0..3 {
            for by in [-1, 1] {
                breaks("N3", |file| file.add(position(file, node, 0, axis), by));
            }
            breaks("N3", |file| file.put_f32(position(file, node, 0, axis), f32::NAN));
        }
    }
}

#[test]
fn empty_slots_repeat_the_first() {
    let good = Forge::of_samples(ONE_TRIANGLE, Layout::Fast);
    for slot in 1..4 {
        breaks_in(good.clone(), "N4", |file| file.put_u32(entry(file, 0, slot), 1));
        for axis in 0..3 {
            breaks_in(good.clone(), "N4", |file| file.add(position(file, 0, slot, axis), 1));
        }
    }
}

/// A change to any byte of the section is detected.
#[test]
fn every_byte_counts() {
    let good = Forge::of_samples(ONE_TRIANGLE, Layout::Fast);
    for at in good.payload(SAMPLES) {
        let mut file = good.clone();
        file.bytes[at] ^= 0x80;
        file.seal();
        assert!(file.verify().is_err(), "byte {at}");
    }
}
