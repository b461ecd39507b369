//! The tree of convex hulls.

use std::sync::LazyLock;

use bvhc::compile::{Layout, Options, compile};
use bvhc::verify::VerifyError;
use bvhc_format::hulls::HULL_VERTICES;
use bvhc_format::obb::{EMPTY_EXTENT, PAIR_WIDTH};

use crate::forge::{Forge, HULLS, METADATA, ONE_TRIANGLE, source};
use crate::{breaks_frame, breaks_in};

/// Bytes of a node.
const NODE: usize = 16 * ROWS;
/// Rows of four numbers of a node, one for each slot.
const ROWS: usize = RADIUS + 2;
/// The row of radii; those before it have the vertices, the one after it the references.
const RADIUS: usize = 3 * HULL_VERTICES;

fn compiled(source: &str, layout: Layout) -> Forge {
    let options = Options { layout, obb: None, hulls: true, ..Options::default() };
    Forge { bytes: compile(source.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
}

/// The sheet.
fn forge() -> Forge {
    static FILE: LazyLock<Forge> = LazyLock::new(|| compiled(&source(), Layout::Fast));
    FILE.clone()
}

fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(forge(), rule, forgery);
}

fn nodes(file: &Forge) -> usize {
    file.slice(HULLS, 24).1
}

fn number(file: &Forge, node: usize, row: usize, slot: usize) -> usize {
    file.slice(HULLS, 24).0 + NODE * node + 16 * row + 4 * slot
}

/// The offsets of all references except the empty ones, with their values.
fn children(file: &Forge) -> Vec<(usize, u32)> {
    let slots = (0..nodes(file)).flat_map(|node| (0..PAIR_WIDTH).map(move |slot| (node, slot)));
    let all = slots.map(|(node, slot)| number(file, node, RADIUS + 1, slot)).map(|at| (at, file.u32(at)));
    all.filter(|(_, child)| *child != u32::MAX).collect()
}

#[test]
fn hulls_are_within_the_rules() {
    for file in [forge(), compiled(&source(), Layout::Small), compiled(ONE_TRIANGLE, Layout::Fast)] {
        file.verify().unwrap();
    }
    assert!(nodes(&forge()) > 8 && forge().pair_leaves() > 40, "the scene is too small for these tests");
}

#[test]
fn what_cannot_be_opened() {
    let mut file = forge();
    file.put_u32(file.root(HULLS) + 16, 41);
    file.seal();
    assert!(matches!(file.verify(), Err(VerifyError::Open(_))));
}

#[test]
fn the_section_is_optional() {
    breaks("M5", |file| file.drop_section(HULLS));
}

/// The rules it shares with trees of oriented boxes.
#[test]
fn the_tree_as_a_whole() {
    let all = children(&forge());
    let to = |leaf: bool, index: usize| {
        *all.iter().filter(|(_, child)| (child >> 31 == 1) == leaf).nth(index).unwrap()
    };
    for by in [-1, 1] {
        breaks("B2", |file| file.add(file.root(HULLS) + 16, by));
    }
    breaks("B3", |file| file.put_u32(to(false, 0).0, to(false, 1).1));
    breaks("B3", |file| file.put_u32(to(true, 0).0, to(true, 1).1));
    breaks("B4", |file| file.put_u32(to(false, 0).0, 0));
    breaks("B5", |file| file.put_u32(to(false, 0).0, nodes(file) as u32));
    breaks("B5", |file| file.put_u32(to(true, 0).0, to(true, 0).1 | 0xfff_ffff));
    breaks("B6", |file| file.put_u32(number(file, 0, RADIUS + 1, 0), u32::MAX));
    breaks("B14", |file| file.put_u32(to(true, 0).0, to(true, 0).1 & !(3 << 29)));
}

#[test]
fn empty_slots_meet_nothing() {
    for (row, slot) in (0..=RADIUS).flat_map(|row| (1..PAIR_WIDTH).map(move |slot| (row, slot))) {
        let expected = if row == RADIUS { EMPTY_EXTENT } else { 0.0 };
        for wrong in [-0.0, 1.0, expected.next_up()] {
            breaks_in(compiled(ONE_TRIANGLE, Layout::Fast), "E2", |file| {
                let at = number(file, 0, row, slot);
                assert_eq!(file.u32(at), expected.to_bits());
                file.put_f32(at, wrong);
            });
        }
    }
}

#[test]
fn numbers_are_finite() {
    for (row, wrong) in
        (0..=RADIUS).flat_map(|row| [f32::NAN, f32::INFINITY, -f32::INFINITY].map(|wrong| (row, wrong)))
    {
        breaks("E3", |file| file.put_f32(number(file, 0, row, 1), wrong));
    }
    breaks("E3", |file| file.put_f32(number(file, 0, RADIUS, 0), -1e-30));
}

/// Tests all slots, so that hulls of leaves and those near the root are included.
#[test]
fn hulls_hold_their_triangles() {
    let good = forge();
    for at in (0..nodes(&good)).map(|node| number(&good, node, 0, 0)) {
        breaks("E3", |file| {
            (0..HULL_VERTICES).for_each(|vertex| {
                let x = at + 48 * vertex;
                file.put_f32(x, 0.5 * file.f32(x));
            })
        });
    }
    let grown = (0..nodes(&good)).map(|node| number(&good, node, RADIUS, 0)).find(|at| good.f32(*at) > 1e-3);
    let grown = grown.expect("a hull of more vertices");
    breaks("E3", |file| file.put_f32(grown, 0.9 * file.f32(grown)));
    // A different origin moves all hulls.
    breaks("E3", |file| {
        let at = file.root(HULLS);
        file.put_f32(at, file.f32(at) + 1.0);
    });
}

#[test]
fn the_root() {
    breaks_frame(HULLS, "E4", forge);
    breaks("E5", |file| file.put(file.root(HULLS) + 20, &[1]));
}

#[test]
fn statistics() {
    let record = |file: &Forge| file.slice(METADATA, 240).0 + 48;
    for field in [0, 4, 8, 16, 24, 44] {
        breaks("M5", |file| file.add(record(file) + field, 1));
    }
    for field in [32, 36, 40] {
        breaks("M6", |file| {
            let at = record(file) + field;
            file.put_f32(at, file.f32(at) * (1.0 + 1e-4));
        });
    }
}
