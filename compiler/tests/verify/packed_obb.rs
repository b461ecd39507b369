//! The tree of oriented boxes in packed form.

use bvhc::file::{Section, assemble};
use bvhc_format::obb::{ObbNode, PackedObbNode};
use bvhc_format::section::ObbTree;

use crate::breaks_in;
use crate::forge::{Forge, METADATA, OBB};

const NODE: usize = 96;

fn node(file: &Forge, index: usize) -> usize {
    file.slice(OBB, 40).0 + NODE * index
}

fn nodes(file: &Forge) -> usize {
    file.slice(OBB, 40).1
}

fn child(file: &Forge, of: usize, slot: usize) -> usize {
    node(file, of) + 64 + 4 * slot
}

/// A node that has an empty slot, and the slot.
fn empty_slot(file: &Forge) -> (usize, usize) {
    let slots = (0..nodes(file)).flat_map(|node| (0..4).map(move |slot| (node, slot)));
    slots.into_iter().find(|(node, slot)| file.u32(child(file, *node, *slot)) == u32::MAX).unwrap()
}

fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(Forge::packed(), rule, forgery);
}

#[test]
fn a_packed_tree_is_perfect() {
    let file = Forge::packed();
    assert!(nodes(&file) > 2);
    file.verify().unwrap();
}

#[test]
fn references() {
    breaks("B3", |file| file.put_u32(child(file, 0, 0), file.u32(child(file, 0, 1))));
    breaks("B4", |file| file.put_u32(child(file, 0, 0), 0));
    breaks("B5", |file| file.put_u32(child(file, 0, 0), nodes(file) as u32));
    breaks("B6", |file| {
        let root = node(file, 0);
        file.put(root, &[0; 64]);
        file.put(root + 64, &[0xff; 16]);
    });
}

#[test]
fn numbers() {
    const EXTENT_STEP: usize = 94;
    breaks("B9", |file| file.put_f32(node(file, 0) + 80, f32::NAN));
    breaks("B9", |file| file.put(node(file, 0) + EXTENT_STEP, &[0x80, 0x7f]));
    breaks("B9", |file| {
        let sign = node(file, 0) + EXTENT_STEP + 1;
        file.put(sign, &[file.bytes[sign] | 0x80]);
    });
    for (at, size) in [(0, 4), (16, 2), (40, 2)] {
        breaks("B17", |file| {
            let (of, slot) = empty_slot(file);
            file.put(node(file, of) + at + size * slot, &[1]);
        });
    }
}

/// Boxes that are too small in one direction, by a few steps.
#[test]
fn boxes() {
    for axis in 0..3 {
        breaks("B9", |file| {
            let at = node(file, 0) + 40 + 8 * axis;
            let half = u16::from_le_bytes([file.bytes[at], file.bytes[at + 1]]);
            file.put(at, &(half - 8).to_le_bytes());
        });
    }
    breaks("B10", |file| {
        let radius = file.root(OBB) + 12;
        file.put_f32(radius, file.f32(radius) * 0.99);
    });
}

#[test]
fn leaves() {
    breaks("G15", |file| file.put_u32(file.pair_leaf(0), u32::MAX));
    breaks("B15", |file| {
        (0..2).for_each(|lane| file.put_u32(file.pair_leaf(0) + 4 * lane, file.u32(file.pair_leaf(1))))
    });
}

#[test]
fn statistics_are_of_the_unpacked() {
    let record = |file: &Forge| file.slice(METADATA, 240).0 + 48;
    breaks("M6", |file| {
        let cost = record(file) + 32;
        file.put_f32(cost, file.f32(cost) * 1.01);
    });
}

#[test]
fn one_form_at_a_time() {
    let tree = ObbTree { nodes: &[ObbNode::EMPTY], packed_nodes: &[PackedObbNode::EMPTY], ..ObbTree::EMPTY };
    let bytes = assemble(vec![Section::new(&tree)]).to_vec();
    breaks("B17", |file| {
        file.drop_section(OBB);
        file.adopt(OBB, &Forge { bytes });
    });
}
