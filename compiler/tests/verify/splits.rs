//! Triangles that several blocks hold.

use std::mem::offset_of;

use bvhc::compile::Layout;
use bvhc::file::{Section, assemble};
use bvhc_format::record::{BLOCK_WIDTH, Block, NODE_WIDTH};
use bvhc_format::section::Splits;

use crate::forge::{Forge, GEOMETRY, METADATA, PACKED, SPLITS, TREE};
use crate::{breaks_in, expect};

const LAYOUTS: [Layout; 2] = [Layout::Fast, Layout::Small];

/// Breaks a rule in a file of split triangles.
fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(Forge::of_splits(Layout::Fast), rule, forgery);
}

/// The offset of element `index` of a list of the section: `triangles` at field 0, `ends` at 16, `slots` at 32.
fn element(file: &Forge, field: usize, index: usize) -> usize {
    let (start, count) = file.slice(SPLITS, field);
    assert!(index < count);
    start + 4 * index
}

fn swap(file: &mut Forge, one: usize, other: usize) {
    let (a, b) = (file.u32(one), file.u32(other));
    file.put_u32(one, b);
    file.put_u32(other, a);
}

#[test]
fn split_triangles_are_within_the_rules() {
    for layout in LAYOUTS {
        let file = Forge::of_splits(layout);
        file.verify().unwrap();
        let (triangles, slots) = (file.slice(SPLITS, 0).1, file.slice(SPLITS, 32).1);
        assert!(file.nodes() > 2 && triangles > 10 && slots > 3 * triangles, "too small for these tests");
    }
}

#[test]
fn the_list_is_complete() {
    breaks("S1", |file| swap(file, element(file, 0, 0), element(file, 0, 1)));
    breaks("S1", |file| file.put_u32(element(file, 0, 0), u32::MAX));
    // One of the listed triangles is replaced by another.
    breaks("S1", |file| file.put_u32(element(file, 0, 1), file.u32(element(file, 0, 0))));
    breaks("S1", |file| file.drop_section(SPLITS));
}

/// A file without split triangles gets the section of another file.
#[test]
fn without_a_split_triangle_there_is_no_list() {
    let splits = Forge::of_splits(Layout::Fast);
    breaks_in(Forge::new(), "S1", |file| file.adopt(SPLITS, &splits));
    breaks_in(Forge::new(), "S1", |file| file.adopt(SPLITS, &list([vec![], vec![], vec![]])));
}

#[test]
fn ends_and_places() {
    breaks("S2", |file| file.add(element(file, 16, 0), 1));
    let last = |file: &Forge| element(file, 16, file.slice(SPLITS, 16).1 - 1);
    breaks("S2", |file| file.add(last(file), -1));
    breaks("S3", |file| file.add(element(file, 32, 0), 1));
    breaks("S3", |file| file.put_u32(element(file, 32, 2), u32::MAX));
    // Two slots of one triangle swapped.
    breaks("S3", |file| swap(file, element(file, 32, 0), element(file, 32, 1)));
}

/// Each of the lists too long or too short.
#[test]
fn lists_of_other_lengths() {
    for (rule, which) in [("S1", 0), ("S2", 1), ("S3", 2)] {
        for longer in [true, false] {
            breaks(rule, |file| {
                let mut lists = [0, 16, 32].map(|field| numbers(file, field));
                if longer {
                    lists[which].push(0)
                } else {
                    lists[which].truncate(1)
                }
                file.drop_section(SPLITS);
                file.adopt(SPLITS, &list(lists));
            });
        }
    }
}

fn numbers(file: &Forge, field: usize) -> Vec<u32> {
    (0..file.slice(SPLITS, field).1).map(|index| file.u32(element(file, field, index))).collect()
}

/// A file with only this section.
fn list([triangles, ends, slots]: [Vec<u32>; 3]) -> Forge {
    let splits = Splits { triangles: &triangles, ends: &ends, slots: &slots };
    Forge { bytes: assemble(vec![Section::new(&splits)]).to_vec() }
}

#[test]
fn marks_in_blocks() {
    // The offset of `split` in a block, and in a packed one.
    let [plain, packed] = [|file: &Forge| file.block(0) + 246, |file: &Forge| file.slice(PACKED, 0).0 + 18];
    for (layout, position) in LAYOUTS.into_iter().zip([plain, packed]) {
        for bit in 0..16 {
            breaks_in(Forge::of_splits(layout), "S4", |file| {
                let (at, byte) = (position(file) + bit / 8, 1 << (bit % 8));
                file.put(at, &[file.bytes[at] ^ byte]);
            });
        }
    }
    breaks_in(Forge::new(), "S4", |file| file.put(file.block(0) + 246, &[1]));
    breaks_in(Forge::packed(), "S4", |file| file.put(file.slice(PACKED, 0).0 + 19, &[128]));
}

/// A triangle that an earlier block holds, too, with its corners turned or two of them swapped.
#[test]
fn corners_are_the_same_in_all_blocks() {
    let file = Forge::of_splits(Layout::Fast);
    let listed = numbers(&file, 0);
    let mut held = Vec::new();
    let (block, lane) = (0..file.blocks())
        .find_map(|block| {
            let first = file.u32(file.block(block) + offset_of!(Block, first)) as usize;
            let lanes = usize::from(file.bytes[file.block(block) + offset_of!(Block, triangles)]);
            (0..lanes).find_map(|lane| {
                let triangle = file.u32(file.number(first + lane));
                let again = held.contains(&triangle);
                held.push(triangle);
                (again && listed.contains(&triangle)).then_some((block, lane))
            })
        })
        .expect("a triangle is in two blocks");
    for order in [[1, 0, 2], [0, 2, 1], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        breaks("S6", |file| {
            let slot =
                |corner: usize| file.block(block) + offset_of!(Block, corners) + BLOCK_WIDTH * corner + lane;
            let slots = order.map(|corner| file.bytes[slot(corner)]);
            let places = [0, 1, 2].map(slot);
            for (at, slot) in places.into_iter().zip(slots) {
                file.put(at, &[slot]);
            }
        });
    }
}

/// One number duplicated instead of another, which is then missing.
#[test]
fn every_triangle_is_in_a_block() {
    breaks("G7", |file| {
        let (numbers, count) = file.slice(GEOMETRY, 16);
        let highest = (0..count).map(|index| file.u32(numbers + 4 * index)).max().unwrap();
        for at in (0..count).map(|index| numbers + 4 * index) {
            let number = file.u32(at);
            file.put_u32(at, if number == highest { highest + 1 } else { number });
        }
    });
}

#[test]
fn boxes_cover_split_triangles_between_them() {
    let slots = Forge::of_splits(Layout::Fast).slice(SPLITS, 32).1;
    let mut uncovered = 0;
    for index in 0..slots {
        let mut file = Forge::of_splits(Layout::Fast);
        let slot_address = file.u32(element(&file, 32, index)) as usize;
        let plane = |plane: usize| file.plane(slot_address / NODE_WIDTH, plane, slot_address % NODE_WIDTH);
        // The blades are long in z, where the slabs are cut.
        let (lower, upper) = (plane(4), plane(5));
        file.put_f32(upper, file.f32(lower).next_up());
        file.seal();
        expect("T10", &file);
        uncovered += usize::from(file.verify().unwrap_err().to_string().contains("is split"));
    }
    assert!(uncovered > slots / 2, "{uncovered} of {slots}");
}

/// Moves a plane of a slot of a node below the root outward, beyond the box of the slot above.
#[test]
fn boxes_lie_within_those_above() {
    for plane in 0..6 {
        breaks("T13", |file| {
            let at = file.plane(1, plane, 0);
            let outward = if plane % 2 == 0 { -100.0 } else { 100.0 };
            file.put_f32(at, file.f32(at) + outward);
        });
    }
    // Without split triangles, boxes need not be nested. One step changes no figure by more than M6 allows.
    let mut file = Forge::new();
    let lower_x = (0..NODE_WIDTH).map(|slot| file.plane(1, 0, slot));
    let at = lower_x.min_by(|a, b| file.f32(*a).total_cmp(&file.f32(*b)));
    file.put_f32(at.unwrap(), file.f32(at.unwrap()).next_down());
    file.seal();
    file.verify().unwrap();
}

#[test]
fn references_are_counted_with_repetition() {
    let file = Forge::of_splits(Layout::Fast);
    let statistics = file.slice(METADATA, 240).0;
    assert_eq!(file.u64(statistics + 24) as usize, file.slice(GEOMETRY, 16).1);
    assert!(file.u64(statistics + 24) > 2 * file.u64(file.root(METADATA) + 56));
    breaks("M5", |file| file.add(statistics + 24, -1));
    assert!(file.slice(TREE, 32).1 > 1);
}
