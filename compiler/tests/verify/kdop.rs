//! The tree of k-DOPs.

use std::sync::LazyLock;

use bvhc::verify::VerifyError;
use bvhc_format::kdop::{KdopLayout, KdopNumber, Spot, Tables};

use crate::forge::{Forge, KDOP, METADATA, ONE_TRIANGLE, source};
use crate::{breaks_frame, breaks_in};

/// The sheet, with each kind of tables.
fn forge(tables: Tables) -> Forge {
    static FILES: LazyLock<[Forge; 3]> =
        LazyLock::new(|| Tables::ALL.map(|tables| Forge::of_kdops(&source(), tables)));
    FILES[tables as usize].clone()
}

/// Breaks a rule in the sheet without tables.
fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(forge(Tables::None), rule, forgery);
}

fn layout(file: &Forge) -> KdopLayout {
    let root = file.root(KDOP);
    KdopLayout::of(file.u32(root + 20), file.u32(root + 24)).unwrap()
}

/// The offset of a number of a node.
fn at(file: &Forge, node: usize, spot: Spot) -> usize {
    file.slice(KDOP, 32).0 + 16 * (layout(file).rows() * node + spot.row) + 4 * spot.lane
}

fn nodes(file: &Forge) -> usize {
    file.slice(KDOP, 32).1 / layout(file).rows()
}

/// All references except the empty ones, in order: node, slot and value.
fn children(file: &Forge) -> Vec<(usize, usize, u32)> {
    let slots = (0..nodes(file)).flat_map(|node| (0..4).map(move |slot| (node, slot)));
    let read = |(node, slot)| (node, slot, file.u32(at(file, node, layout(file).child(slot))));
    slots.map(read).filter(|(_, _, child)| *child != u32::MAX).collect()
}

fn put_child(file: &mut Forge, (node, slot, _): (usize, usize, u32), child: u32) {
    let at = at(file, node, layout(file).child(slot));
    file.put_u32(at, child);
}

#[test]
fn trees_are_within_the_rules() {
    for tables in Tables::ALL {
        let file = forge(tables);
        assert_eq!(layout(&file).tables, tables);
        file.verify().unwrap();
        Forge::of_kdops(ONE_TRIANGLE, tables).verify().unwrap();
        assert!(nodes(&file) > 8 && file.pair_leaves() > 40, "the scene is too small for these tests");
    }
}

#[test]
fn what_cannot_be_opened() {
    let rows = forge(Tables::None).slice(KDOP, 32).1 as u32;
    for (field, wrong) in [(16, 41), (20, 8), (20, 0), (24, 3), (40, rows - 1), (40, rows + 16)] {
        let mut file = forge(Tables::None);
        file.put_u32(file.root(KDOP) + field, wrong);
        file.seal();
        assert!(matches!(file.verify(), Err(VerifyError::Open(_))), "{field}");
    }
}

#[test]
fn the_section_is_optional() {
    breaks("M5", |file| file.drop_section(KDOP));
    let mut file = forge(Tables::None);
    file.put(file.entry(KDOP) + 6, &[1]);
    file.seal();
    file.verify().unwrap();
}

/// The rules it shares with trees of oriented boxes.
#[test]
fn the_tree_as_a_whole() {
    let all = children(&forge(Tables::None));
    let to_node = |index: usize| *all.iter().filter(|(.., child)| child >> 31 == 0).nth(index).unwrap();
    let to_leaf = |index: usize| *all.iter().filter(|(.., child)| child >> 31 == 1).nth(index).unwrap();
    for by in [-1, 1] {
        breaks("B2", |file| file.add(file.root(KDOP) + 16, by));
    }
    breaks("B3", |file| put_child(file, to_node(0), to_node(1).2));
    breaks("B3", |file| put_child(file, to_leaf(0), to_leaf(1).2));
    breaks("B4", |file| put_child(file, to_node(0), 0));
    breaks("B5", |file| put_child(file, to_node(0), nodes(file) as u32));
    breaks("B5", |file| put_child(file, to_leaf(0), to_leaf(0).2 | 0xfff_ffff));
    breaks("B6", |file| put_child(file, (0, 0, 0), u32::MAX));
    breaks("G15", |file| file.put_u32(file.pair_leaf(1), u32::MAX));
}

#[test]
fn empty_slots_meet_nothing() {
    for tables in Tables::ALL {
        let good = Forge::of_kdops(ONE_TRIANGLE, tables);
        let (layout, mut tried) = (layout(&good), 0);
        for (row, lane) in (0..layout.rows()).flat_map(|row| (0..4).map(move |lane| (row, lane))) {
            let spot = Spot { row, lane };
            let (slot, number) = layout.number(spot);
            if slot > 0 && !matches!(number, KdopNumber::Child | KdopNumber::Filling) {
                breaks_in(good.clone(), "K3", |file| file.add(at(file, 0, spot), 1));
                tried += 1;
            }
        }
        assert_eq!(tried, 3 * [14, 3 + 42, 3 + 28][tables as usize]);
        if layout.has_tables() {
            breaks_in(good, "K3", |file| file.put_f32(at(file, 0, layout.centre(1, 2)), -0.0));
        }
    }
}

/// Tests all nodes, so that k-DOPs of leaves and those near the root are included.
#[test]
fn kdops_hold_what_is_below() {
    for tables in [Tables::None, Tables::Profile] {
        let good = forge(tables);
        let layout = layout(&good);
        for (node, slot, _) in children(&good) {
            for direction in 0..14 {
                breaks_in(good.clone(), "K4", |file| {
                    let at = at(file, node, layout.extent(direction, slot));
                    file.put_f32(at, file.f32(at) - 1e-5);
                });
            }
        }
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            breaks_in(good.clone(), "K4", |file| file.put_f32(at(file, 1, layout.extent(3, 0)), wrong));
            if layout.has_tables() {
                breaks_in(good.clone(), "K4", |file| file.put_f32(at(file, 1, layout.centre(2, 0)), wrong));
            }
        }
        if layout.has_tables() {
            breaks_in(good.clone(), "K4", |file| file.put_f32(at(file, 1, layout.extent(3, 0)), -1e-30));
            breaks_in(good, "K4", |file| {
                file.put_f32(file.root(KDOP) + 12, 100.0);
                let at = at(file, 0, layout.centre(0, 0));
                file.put_f32(at, file.f32(at) + 1e-4);
            });
        }
    }
}

#[test]
fn the_root_reaches_all_kdops() {
    breaks_frame(KDOP, "K5", || forge(Tables::None));
}

#[test]
fn profiles_tell_of_all_corners() {
    let layout = layout(&forge(Tables::Profile));
    for (node, slot, _) in children(&forge(Tables::Profile)) {
        for direction in 0..14 {
            breaks_in(forge(Tables::Profile), "K6", |file| {
                let at = at(file, node, layout.shell(direction, slot));
                file.put_f32(at, file.f32(at) - 1e-5);
            });
        }
    }
    for wrong in [f32::NAN, f32::INFINITY] {
        breaks_in(forge(Tables::Profile), "K6", |file| {
            file.put_f32(at(file, 0, layout.shell(0, 0)), wrong);
        });
    }
}

#[test]
fn occupancy_tells_of_all_corners() {
    let good = forge(Tables::Occupancy);
    let layout = layout(&good);
    let (mut bits, mut extents) = (0, 0);
    for (node, slot, _) in children(&good) {
        for direction in 0..14 {
            let ring = at(&good, node, layout.rings(direction, slot));
            breaks_in(good.clone(), "K7", |file| file.put_u32(ring, file.u32(ring) | 1));
            if good.u32(ring) != 0 {
                bits += 1;
                breaks_in(good.clone(), "K7", |file| file.put_u32(ring, 0));
            }
            let extent = at(&good, node, layout.shell(direction, slot));
            if good.f32(extent) > 1e-4 {
                extents += 1;
                breaks_in(good.clone(), "K7", |file| file.put_f32(extent, file.f32(extent) - 1e-5));
            }
        }
    }
    assert!(bits > 100 && extents > 100, "{bits} {extents}");
    for wrong in [f32::NAN, f32::INFINITY, -1.0] {
        breaks_in(good.clone(), "K7", |file| file.put_f32(at(file, 0, layout.shell(0, 0)), wrong));
    }
}

#[test]
fn what_fills_up_is_zero() {
    for byte in [28, 31] {
        breaks("K8", |file| file.put(file.root(KDOP) + byte, &[1]));
    }
    breaks("K8", |file| file.put_u32(at(file, 1, Spot { row: 3, lane: 3 }), 1));
    breaks_in(forge(Tables::Occupancy), "K8", |file| file.put_u32(at(file, 1, Spot { row: 47, lane: 3 }), 1));
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
