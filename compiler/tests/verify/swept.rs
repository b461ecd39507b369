//! The tree of swept spheres.

use std::sync::LazyLock;

use bvhc::verify::VerifyError;
use bvhc_format::obb::{PairChild, PairRef};
use bvhc_format::swept::{Core, Cores, SweptLayout};

use crate::forge::{Forge, METADATA, ONE_TRIANGLE, SWEPT, source};
use crate::{breaks_frame, breaks_in};

/// The offsets of the root's slices.
const ROWS: usize = 24;

/// The sheet with each kind of core, and the shapes for a hybrid.
fn forge(cores: Cores) -> Forge {
    static FILES: LazyLock<[Forge; 4]> = LazyLock::new(|| {
        Cores::ALL.map(|cores| match cores {
            Cores::Same(_) => Forge::of_swept(&source(), cores),
            Cores::Hybrid => Forge::of_swept(&shapes(), cores),
        })
    });
    let index = Cores::ALL.iter().position(|known| *known == cores).unwrap();
    FILES[index].clone()
}

/// The sheet, and beside it octahedra and blades, which suit point and line cores.
fn shapes() -> String {
    let mut text = source();
    for i in 0..24 {
        let (x, y, z) = (30 + i % 5 * 7, i / 5 * 6, i * 5 % 11);
        for side in [-1, 1] {
            text += &format!("v {} {y} {z}\nv {x} {} {z}\nv {x} {y} {}\n", x + side, y + side, z + side);
        }
        for [a, b, c] in
            [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
        {
            text += &format!("f {} {} {}\n", a - 6, b - 6, c - 6);
        }
        text += &format!("v {i} -9 {z}\nv {i}.0625 -9 {z}\nv {i} -4{x} {z}\nf -3 -2 -1\n");
    }
    text
}

const RECTANGLES: Cores = Cores::Same(Core::Rectangle);

/// Breaks a rule in the sheet with rectangles.
fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(forge(RECTANGLES), rule, forgery);
}

/// Breaks a rule in the shapes with a hybrid.
fn breaks_hybrid(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(forge(Cores::Hybrid), rule, forgery);
}

fn layout(file: &Forge) -> SweptLayout {
    SweptLayout::of(file.u32(file.root(SWEPT) + 20), file.slice(SWEPT, ROWS).1).unwrap()
}

/// The first row and the core of all nodes.
fn nodes(file: &Forge) -> Vec<(usize, Core)> {
    let (start, layout) = (file.slice(SWEPT, ROWS).0, layout(file));
    let (mut nodes, mut left) = (Vec::new(), vec![layout.root()]);
    while let Some(reference) = left.pop() {
        let (first, core) = layout.start(reference).unwrap();
        nodes.push((first, core));
        let links =
            (0..4).map(|slot| PairRef(file.u32(start + 16 * (first + Core::CHILDREN) + 4 * slot)).get());
        left.extend(
            links.filter_map(|link| if let PairChild::Node(node) = link { Some(node) } else { None }),
        );
    }
    nodes.sort_unstable_by_key(|(first, _)| *first);
    nodes
}

/// The offset of a number of a slot of the node that starts at a row.
fn lane(file: &Forge, first: usize, row: usize, slot: usize) -> usize {
    file.slice(SWEPT, ROWS).0 + 16 * (first + row) + 4 * slot
}

/// All references except the empty ones, in order: first row of the node, slot and value.
fn children(file: &Forge) -> Vec<(usize, usize, u32)> {
    let slots = nodes(file).into_iter().flat_map(|(first, _)| (0..4).map(move |slot| (first, slot)));
    let read = |(first, slot)| (first, slot, file.u32(lane(file, first, Core::CHILDREN, slot)));
    slots.map(read).filter(|(.., child)| *child != u32::MAX).collect()
}

/// The location and value of a reference to a node, or to a leaf, by number.
fn child(file: &Forge, leaf: bool, index: usize) -> (usize, usize, u32) {
    *children(file).iter().filter(|(.., child)| (child >> 31 == 1) == leaf).nth(index).unwrap()
}

fn put_child(file: &mut Forge, (first, slot, _): (usize, usize, u32), child: u32) {
    let at = lane(file, first, Core::CHILDREN, slot);
    file.put_u32(at, child);
}

#[test]
fn trees_are_within_the_rules() {
    for cores in Cores::ALL {
        let file = forge(cores);
        assert_eq!(layout(&file).cores, cores);
        file.verify().unwrap();
        Forge::of_swept(ONE_TRIANGLE, cores).verify().unwrap();
        assert!(nodes(&file).len() > 8 && file.pair_leaves() > 40, "the scene is too small for these tests");
    }
    let hybrid = nodes(&forge(Cores::Hybrid));
    let counts = Core::ALL.map(|core| hybrid.iter().filter(|(_, found)| *found == core).count());
    assert!(counts.iter().all(|count| *count > 1), "{counts:?}");
}

#[test]
fn what_cannot_be_opened() {
    let rows = forge(RECTANGLES).slice(SWEPT, ROWS).1 as u32;
    for (field, wrong) in
        [(16, 41), (20, 3), (20, 7), (20, u32::MAX), (ROWS + 8, rows - 1), (ROWS + 8, rows + 22)]
    {
        let mut file = forge(RECTANGLES);
        file.put_u32(file.root(SWEPT) + field, wrong);
        file.seal();
        assert!(matches!(file.verify(), Err(VerifyError::Open(_))), "{field}");
    }
}

#[test]
fn the_section_is_optional() {
    breaks("M5", |file| file.drop_section(SWEPT));
}

/// The rules it shares with trees of oriented boxes.
#[test]
fn the_tree_as_a_whole() {
    for cores in [RECTANGLES, Cores::Hybrid] {
        let good = forge(cores);
        let to_leaf = |index| child(&good, true, index);
        let breaks = |rule, forgery: &dyn Fn(&mut Forge)| breaks_in(good.clone(), rule, forgery);
        for by in [-1, 1] {
            breaks("B2", &|file| file.add(file.root(SWEPT) + 16, by));
        }
        breaks("B3", &|file| put_child(file, to_leaf(0), to_leaf(1).2));
        breaks("B4", &|file| put_child(file, to_leaf(0), layout(file).root()));
        breaks("B5", &|file| put_child(file, to_leaf(0), to_leaf(0).2 + 10_000));
        let all = children(&good);
        let before_another =
            all.windows(2).find(|two| two[0].0 == two[1].0 && two[0].2 >> 31 == 1).unwrap()[0];
        breaks("B6", &|file| put_child(file, before_another, u32::MAX));
        breaks("G15", &|file| file.put_u32(file.pair_leaf(1), u32::MAX));
    }
    let to_node = |index| child(&forge(RECTANGLES), false, index);
    breaks("B3", |file| put_child(file, to_node(0), to_node(1).2));
    breaks("B4", |file| put_child(file, to_node(0), 0));
    breaks("B5", |file| put_child(file, to_node(0), nodes(file).len() as u32));
}

/// References to rows where no node starts, to nodes with a different core or to none, and nodes without a reference
/// from a preceding node.
#[test]
fn the_nodes_of_a_hybrid() {
    let good = forge(Cores::Hybrid);
    let all = nodes(&good);
    for index in [0, all.len() / 2, all.len() - 2] {
        let at = child(&good, false, index);
        for wrong in [at.2 ^ 1, at.2 ^ 2, at.2 | 3, at.2 + 4, 0x7fff_fffc, 0x7fff_fffe] {
            if wrong != at.2 {
                breaks_hybrid("R6", |file| put_child(file, at, wrong));
            }
        }
        // Two references to one node, so that another node has none.
        breaks_hybrid("R6", |file| put_child(file, at, child(file, false, all.len() - 2 - index / 2).2 ^ 1));
    }
    // A leaf in place of a node.
    breaks_hybrid("R6", |file| put_child(file, child(file, false, 3), child(file, true, 0).2));
    // The root with a different core.
    let first = layout(&good).first;
    for core in Core::ALL.into_iter().filter(|core| *core != first) {
        breaks_hybrid("R6", |file| file.put_u32(file.root(SWEPT) + 20, 4 + core as u32));
    }
}

#[test]
fn empty_slots_meet_nothing() {
    for cores in Cores::ALL {
        let good = Forge::of_swept(ONE_TRIANGLE, cores);
        let rows = nodes(&good)[0].1.rows();
        for (row, slot) in (0..rows).flat_map(|row| (1..4).map(move |slot| (row, slot))) {
            if row != Core::CHILDREN {
                breaks_in(good.clone(), "R3", |file| file.add(lane(file, 0, row, slot), 1));
            }
        }
        breaks_in(good, "R3", |file| file.put_f32(lane(file, 0, 1, 2), -0.0));
    }
}

/// Tests all nodes, so that spheres of leaves and those near the root are included.
#[test]
fn swept_spheres_hold_what_is_below() {
    for cores in Cores::ALL {
        let good = forge(cores);
        for (first, slot, _) in children(&good) {
            let at = lane(&good, first, Core::RADIUS, slot);
            let smaller = good.f32(at) - 1e-5;
            breaks_in(good.clone(), "R4", |file| file.put_f32(at, smaller));
        }
        let (second, core) = nodes(&good)[1];
        for (row, wrong) in [(0, f32::NAN), (2, f32::INFINITY), (4, f32::NAN), (4, -1e-30)] {
            breaks_in(good.clone(), "R4", |file| file.put_f32(lane(file, second, row, 0), wrong));
        }
        for row in Core::AXES..core.rows() {
            breaks_in(good.clone(), "R4", |file| file.put_f32(lane(file, second, row, 0), f32::NAN));
        }
    }
    // Half axes that are not perpendicular, with a sufficient radius.
    breaks("R4", |file| {
        for (row, number) in [(5, 1.0), (6, 0.0), (7, 0.0), (8, 0.001), (9, 1.0), (10, 0.0), (4, 50.0)] {
            file.put_f32(lane(file, 0, row, 0), number);
        }
        file.put_f32(file.root(SWEPT) + 12, 200.0);
    });
}

#[test]
fn the_root_reaches_all() {
    for cores in [RECTANGLES, Cores::Hybrid] {
        breaks_frame(SWEPT, "R5", || forge(cores));
    }
}

#[test]
fn statistics() {
    let record = |file: &Forge| file.slice(METADATA, 240).0 + 48;
    for good in [forge(RECTANGLES), forge(Cores::Hybrid)] {
        for field in [0, 4, 8, 16, 24, 44] {
            breaks_in(good.clone(), "M5", |file| file.add(record(file) + field, 1));
        }
        for field in [32, 36, 40] {
            for factor in [1.0 - 1e-4, 1.0 + 1e-4, f32::NAN] {
                breaks_in(good.clone(), "M6", |file| {
                    let at = record(file) + field;
                    file.put_f32(at, file.f32(at) * factor);
                });
            }
        }
    }
}
