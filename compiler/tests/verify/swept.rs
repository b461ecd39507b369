//! The tree of swept spheres.

use std::sync::LazyLock;

use bvhc::verify::VerifyError;
use bvhc_format::swept::Core;

use crate::forge::{Forge, METADATA, ONE_TRIANGLE, SWEPT, source};
use crate::{breaks_frame, breaks_in};

/// Where the root's slices are.
const LEAVES: usize = 24;
const ROWS: usize = 40;

/// The sheet, with each kind of core.
fn forge(core: Core) -> Forge {
    static FILES: LazyLock<[Forge; 3]> =
        LazyLock::new(|| Core::ALL.map(|core| Forge::of_swept(&source(), core)));
    FILES[core as usize].clone()
}

/// Of the sheet with rectangles.
fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(forge(Core::Rectangle), rule, forgery);
}

fn core(file: &Forge) -> Core {
    Core::from_number(file.u32(file.root(SWEPT) + 20)).unwrap()
}

/// A number of a slot of a node.
fn lane(file: &Forge, node: usize, row: usize, slot: usize) -> usize {
    file.slice(SWEPT, ROWS).0 + 16 * (core(file).rows() * node + row) + 4 * slot
}

fn nodes(file: &Forge) -> usize {
    file.slice(SWEPT, ROWS).1 / core(file).rows()
}

fn leaf(file: &Forge, index: usize) -> usize {
    file.slice(SWEPT, LEAVES).0 + 192 * index
}

/// All places of references but the empty ones, in order: nodes, slots and values.
fn children(file: &Forge) -> Vec<(usize, usize, u32)> {
    let slots = (0..nodes(file)).flat_map(|node| (0..4).map(move |slot| (node, slot)));
    let read = |(node, slot)| (node, slot, file.u32(lane(file, node, Core::CHILDREN, slot)));
    slots.map(read).filter(|(_, _, child)| *child != u32::MAX).collect()
}

fn put_child(file: &mut Forge, (node, slot, _): (usize, usize, u32), child: u32) {
    let at = lane(file, node, Core::CHILDREN, slot);
    file.put_u32(at, child);
}

#[test]
fn trees_are_within_the_rules() {
    for core in Core::ALL {
        let file = forge(core);
        assert_eq!(self::core(&file), core);
        file.verify().unwrap();
        Forge::of_swept(ONE_TRIANGLE, core).verify().unwrap();
        assert!(
            nodes(&file) > 8 && file.slice(SWEPT, LEAVES).1 > 40,
            "the scene is too small for these tests"
        );
    }
}

#[test]
fn what_cannot_be_opened() {
    let rows = forge(Core::Rectangle).slice(SWEPT, ROWS).1 as u32;
    for (field, wrong) in [(16, 41), (20, 3), (48, rows - 1), (48, rows + 22)] {
        let mut file = forge(Core::Rectangle);
        file.put_u32(file.root(SWEPT) + field, wrong);
        file.seal();
        assert!(matches!(file.verify(), Err(VerifyError::Open(_))), "{field}");
    }
}

#[test]
fn the_section_is_optional() {
    breaks("M5", |file| file.drop_section(SWEPT));
}

/// What it has in common with a tree of oriented boxes.
#[test]
fn the_tree_as_a_whole() {
    let all = children(&forge(Core::Rectangle));
    let to_node = |index: usize| *all.iter().filter(|(.., child)| child >> 31 == 0).nth(index).unwrap();
    let to_leaf = |index: usize| *all.iter().filter(|(.., child)| child >> 31 == 1).nth(index).unwrap();
    for by in [-1, 1] {
        breaks("B2", |file| file.add(file.root(SWEPT) + 16, by));
    }
    breaks("B3", |file| put_child(file, to_node(0), to_node(1).2));
    breaks("B3", |file| put_child(file, to_leaf(0), to_leaf(1).2));
    breaks("B4", |file| put_child(file, to_node(0), 0));
    breaks("B5", |file| put_child(file, to_node(0), nodes(file) as u32));
    breaks("B6", |file| put_child(file, (0, 0, 0), u32::MAX));
    breaks("B11", |file| file.add(leaf(file, 1) + 16, 1));
    breaks("B12", |file| file.add(leaf(file, 1) + 12, 1));
    breaks("B13", |file| file.add(leaf(file, 1) + 176, 1));
}

#[test]
fn empty_slots_meet_nothing() {
    for core in Core::ALL {
        let good = Forge::of_swept(ONE_TRIANGLE, core);
        for (row, slot) in (0..core.rows()).flat_map(|row| (1..4).map(move |slot| (row, slot))) {
            if row != Core::CHILDREN {
                breaks_in(good.clone(), "W3", |file| file.add(lane(file, 0, row, slot), 1));
            }
        }
        breaks_in(good, "W3", |file| file.put_f32(lane(file, 0, 1, 2), -0.0));
    }
}

/// In all nodes, so that leaves' spheres and those high above are among them.
#[test]
fn swept_spheres_hold_what_is_below() {
    for core in Core::ALL {
        for (node, slot, _) in children(&forge(core)) {
            let radius = |file: &Forge| file.f32(lane(file, node, Core::RADIUS, slot));
            let smaller = radius(&forge(core)) - 1e-5;
            breaks_in(forge(core), "W4", |file| file.put_f32(lane(file, node, Core::RADIUS, slot), smaller));
        }
        for (row, wrong) in [(0, f32::NAN), (2, f32::INFINITY), (4, f32::NAN), (4, -1e-30)] {
            breaks_in(forge(core), "W4", |file| file.put_f32(lane(file, 1, row, 0), wrong));
        }
    }
    for row in [5, 7, 8, 10] {
        breaks("W4", |file| file.put_f32(lane(file, 1, row, 0), f32::NAN));
    }
    // Turned, but as long, and with all the radius that it takes.
    breaks("W4", |file| {
        for (row, number) in [(5, 1.0), (6, 0.0), (7, 0.0), (8, 0.001), (9, 1.0), (10, 0.0), (4, 50.0)] {
            file.put_f32(lane(file, 0, row, 0), number);
        }
        file.put_f32(file.root(SWEPT) + 12, 200.0);
    });
}

#[test]
fn the_root_reaches_all() {
    breaks_frame(SWEPT, "W5", || forge(Core::Rectangle));
}

#[test]
fn statistics() {
    let record = |file: &Forge| file.slice(METADATA, 240).0 + 48;
    for field in [0, 4, 8, 16, 24, 44] {
        breaks("M5", |file| file.add(record(file) + field, 1));
    }
    for field in [32, 36, 40] {
        for factor in [1.0 - 1e-4, 1.0 + 1e-4, f32::NAN] {
            breaks("M6", |file| {
                let at = record(file) + field;
                file.put_f32(at, file.f32(at) * factor);
            });
        }
    }
}
