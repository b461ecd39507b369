//! The tree of oriented boxes.

use bvhc::file::{Section, assemble};
use bvhc::verify::VerifyError;
use bvhc_format::section::ObbTree;

use crate::forge::{Forge, METADATA, OBB, SPLITS};
use crate::{breaks, breaks_frame, breaks_small};

/// Bytes of a node.
const NODE: usize = 192;
/// The bits of the half extents of an empty slot.
const EMPTY_EXTENT: u32 = 0xF149_F2CA;

fn node(file: &Forge, index: usize) -> usize {
    file.slice(OBB, 24).0 + NODE * index
}

fn nodes(file: &Forge) -> usize {
    file.slice(OBB, 24).1
}

/// The offset of a number of a slot: 0 to 3 are the quaternion, 4 to 6 the centre, 7 to 9 the half extents.
fn number(file: &Forge, of: usize, slot: usize, number: usize) -> usize {
    node(file, of) + 16 * number + 4 * slot
}

fn child(file: &Forge, of: usize, slot: usize) -> usize {
    node(file, of) + 160 + 4 * slot
}

/// The offsets of all references except the empty ones, in order, with their values.
fn children(file: &Forge) -> Vec<(usize, u32)> {
    let slots = (0..nodes(file)).flat_map(|node| (0..4).map(move |slot| (node, slot)));
    let references = slots.map(|(node, slot)| child(file, node, slot)).map(|at| (at, file.u32(at)));
    references.filter(|(_, child)| *child != u32::MAX).collect()
}

fn to_nodes(file: &Forge) -> Vec<(usize, u32)> {
    children(file).into_iter().filter(|(_, child)| child >> 31 == 0).collect()
}

fn to_leaves(file: &Forge) -> Vec<(usize, u32)> {
    children(file).into_iter().filter(|(_, child)| child >> 31 == 1).collect()
}

/// How many triangles each leaf has.
fn counts(file: &Forge) -> Vec<usize> {
    to_leaves(file).iter().map(|(_, child)| (child >> 29 & 3) as usize + 1).collect()
}

/// The first leaf with this number of triangles.
fn leaf_of(file: &Forge, triangles: usize) -> usize {
    file.pair_leaf(counts(file).iter().position(|count| *count == triangles).unwrap())
}

fn empty(file: &mut Forge, of: usize, slot: usize) {
    for index in 0..10 {
        let bits =
            [0, 1.0f32.to_bits(), 0, EMPTY_EXTENT][usize::from(index == 3) + 3 * usize::from(index >= 7)];
        file.put_u32(number(file, of, slot, index), bits);
    }
    file.put_u32(child(file, of, slot), u32::MAX);
}

/// Copies one lane of a leaf to another.
fn repeat(file: &mut Forge, leaf: usize, from: usize, to: usize) {
    file.put_u32(leaf + 4 * to, file.u32(leaf + 4 * from));
}

/// Bytes where a small change may leave a file valid: boxes may be larger than necessary, and origins may move as far
/// as rounding tolerates.
pub(crate) fn is_free(file: &Forge, at: usize) -> bool {
    if !file.has(OBB) {
        return false;
    }
    let (root, (nodes, count)) = (file.root(OBB), file.slice(OBB, 24));
    if (nodes..nodes + NODE * count).contains(&at) {
        let (index, within) = ((at - nodes) / NODE, (at - nodes) % NODE);
        return within < 160 && file.u32(child(file, index, within / 4 % 4)) != u32::MAX;
    }
    (root..root + 16).contains(&at)
}

#[test]
fn oriented_boxes_are_within_the_rules() {
    for file in [Forge::new(), Forge::packed(), Forge::of_one_triangle()] {
        assert!(file.has(OBB));
        file.verify().unwrap();
    }
    let file = Forge::new();
    assert!(to_nodes(&file).len() > 8 && file.pair_leaves() > 40, "the scene is too small for these tests");
    assert!(counts(&file).iter().any(|count| *count < 4) && counts(&file).contains(&4));
}

#[test]
fn what_cannot_be_opened() {
    let mut deep = Forge::new();
    deep.put_u32(deep.root(OBB) + 16, 41);
    let mut twice = Forge::new();
    twice.adopt(OBB, &Forge::new());
    for mut file in [deep, twice] {
        file.seal();
        assert!(matches!(file.verify(), Err(VerifyError::Open(_))));
    }
}

/// The section cannot be dropped without its statistics, and may be marked as required.
#[test]
fn the_section_is_optional() {
    breaks("M5", |file| file.drop_section(OBB));
    let mut file = Forge::new();
    file.put(file.entry(OBB) + 6, &[1]);
    file.seal();
    file.verify().unwrap();
}

#[test]
fn the_tree_as_a_whole() {
    for by in [-1, 1] {
        breaks("B2", |file| file.add(file.root(OBB) + 16, by));
    }
    breaks("B3", |file| {
        let tree = ObbTree { radius: 1.0, depth: 1, ..ObbTree::EMPTY };
        let bytes = assemble(vec![Section::new(&tree)]).to_vec();
        file.drop_section(OBB);
        file.adopt(OBB, &Forge { bytes });
    });
    for byte in [20, 23] {
        breaks("B16", |file| file.put(file.root(OBB) + byte, &[1]));
    }
}

/// One child referenced twice and another never, two swapped, and leaves out of order.
#[test]
fn references() {
    breaks("B3", |file| {
        let to = to_nodes(file);
        file.put_u32(to[0].0, to[1].1);
    });
    breaks("B3", |file| {
        let to = to_leaves(file);
        file.put_u32(to[0].0, to[1].1);
    });
    breaks("B3", |file| {
        let to = to_leaves(file);
        file.put_u32(to[0].0, to[1].1);
        file.put_u32(to[1].0, to[0].1);
    });
    breaks("B15", |file| {
        let at = to_leaves(file).last().unwrap().0 - node(file, 0);
        let (of, slot) = (at / NODE, (at % NODE - 160) / 4);
        assert!(slot > 0 && (slot == 3 || file.u32(child(file, of, slot + 1)) == u32::MAX));
        empty(file, of, slot);
    });
    breaks("B4", |file| file.put_u32(to_nodes(file)[0].0, 0));
    breaks("B5", |file| file.put_u32(to_nodes(file)[0].0, nodes(file) as u32));
    breaks("B5", |file| file.put_u32(to_leaves(file)[0].0, file.pair_leaves() as u32 | 0xE000_0000));
}

#[test]
fn slots() {
    breaks("B6", |file| empty(file, 0, 0));
    breaks("B6", |file| (0..4).for_each(|slot| empty(file, 0, slot)));
    for index in 0..10 {
        breaks_small("B7", |file| {
            let at = number(file, 0, 3, index);
            file.put_u32(at, file.u32(at) ^ 1 << 31);
        });
        breaks_small("B7", |file| file.add(number(file, 0, 2, index), 1));
    }
    for byte in 176..NODE {
        breaks("B16", |file| file.put(node(file, 1) + byte, &[1]));
    }
}

#[test]
fn quaternions_are_rotations() {
    let scaled = |factor: f32| {
        move |file: &mut Forge| {
            for at in [0, 1, 2, 3].map(|index| number(file, 1, 0, index)) {
                file.put_f32(at, file.f32(at) * factor);
            }
        }
    };
    for factor in [0.0, -2.0, 0.999_999, 1.000_001, f32::NAN, f32::INFINITY] {
        breaks("B8", scaled(factor));
    }
    // The opposite sign is the same rotation.
    let mut file = Forge::new();
    scaled(-1.0)(&mut file);
    file.seal();
    file.verify().unwrap();
}

#[test]
fn boxes_are_boxes() {
    for index in 4..10 {
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            breaks("B9", |file| file.put_f32(number(file, 1, 0, index), wrong));
        }
    }
    for index in 7..10 {
        breaks("B9", |file| {
            let at = number(file, 1, 0, index);
            file.put_f32(at, -file.f32(at));
        });
    }
}

/// Tests all nodes, so that boxes of leaves and those near the root are included.
#[test]
fn boxes_hold_what_is_below() {
    let good = Forge::new();
    for of in 0..nodes(&good) {
        let used = (0..4).filter(|slot| good.u32(child(&good, of, *slot)) != u32::MAX);
        for slot in used {
            for axis in 0..3 {
                breaks("B9", |file| {
                    let at = number(file, of, slot, 7 + axis);
                    file.put_f32(at, file.f32(at) - 1e-5);
                });
            }
            breaks("B9", |file| {
                file.put_f32(file.root(OBB) + 12, 100.0);
                let at = number(file, of, slot, 4);
                file.put_f32(at, file.f32(at) + 1e-4);
            });
        }
    }
}

/// A box that is rotated about its centre.
#[test]
fn orientations_count() {
    breaks("B9", |file| {
        let parts = [0, 1, 2, 3].map(|index| file.f32(number(file, 0, 0, index)));
        let [x, y, z, w] = parts;
        let half = std::f32::consts::FRAC_1_SQRT_2;
        // By 90 degrees around the last axis, which is the shortest, and then around the first.
        let turned = [half * (x + y), half * (y - x), half * (z + w), half * (w - z)];
        let [x, y, z, w] = turned;
        let turned = [half * (x + w), half * (y + z), half * (z - y), half * (w - x)];
        for (index, part) in turned.into_iter().enumerate() {
            file.put_f32(number(file, 0, 0, index), part);
        }
    });
}

#[test]
fn the_root_reaches_all_boxes() {
    for axis in 0..3 {
        // A different origin moves all boxes.
        breaks("B9", |file| {
            let at = file.root(OBB) + 4 * axis;
            file.put_f32(at, file.f32(at) + 1.0);
        });
    }
    breaks_frame(OBB, "B10", Forge::new);
}

#[test]
fn addresses_lead_to_triangles() {
    for address in [u32::MAX, 0x8000_0000] {
        breaks("G15", |file| file.put_u32(leaf_of(file, 4), address));
    }
    // A lane of a block that holds no triangle.
    breaks("G15", |file| file.put_u32(leaf_of(file, 4) + 4, file.u32(leaf_of(file, 4) + 4) | 15));
    // A different lane or block, which holds a different triangle or none.
    for by in [1, -1, 16, -16] {
        let mut file = Forge::new();
        let at = leaf_of(&file, 4) + 4;
        file.add(at, by);
        file.seal();
        let fault = file.verify().unwrap_err().to_string();
        assert!(fault.contains("G15") || fault.contains("B9") || fault.contains("B15"), "{fault}");
    }
}

#[test]
fn unused_lanes_repeat_the_first() {
    breaks("B14", |file| {
        let of_one = counts(file).iter().position(|count| *count < 4).unwrap();
        file.put_u32(file.pair_leaf(of_one) + 12, file.u32(leaf_of(file, 4)));
    });
    // Lanes that hold triangles are counted as unused.
    breaks("B14", |file| {
        let at = to_leaves(file).into_iter().find(|(_, child)| child >> 29 == 7).unwrap().0;
        file.put_u32(at, file.u32(at) & !(1 << 30));
    });
}

#[test]
fn every_triangle_is_in_one_leaf() {
    breaks("B15", |file| {
        let leaf = leaf_of(file, 4);
        repeat(file, leaf, 0, 2);
    });
    breaks("B15", |file| {
        let (at, child) = to_leaves(file).into_iter().find(|(_, child)| child >> 29 == 7).unwrap();
        let leaf = leaf_of(file, 4);
        repeat(file, leaf, 0, 3);
        file.put_u32(at, child & !(1 << 29));
    });
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

/// For a triangle in several blocks, any of its addresses is valid.
#[test]
fn split_triangles_are_in_one_leaf() {
    let file = Forge::of_splits_and_obbs();
    file.verify().unwrap();
    assert!(file.has(SPLITS) && file.has(OBB));
}
