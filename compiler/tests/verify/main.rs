//! Breaks each rule of FORMAT.md that only `verify` checks, and expects it to report that rule.

mod edges;
mod field;
mod forge;
mod hull;
mod hulls;
mod intersections;
mod kdop;
mod leaves;
mod linked;
mod obb;
mod packed;
mod packed_obb;
mod samples;
mod sections;
mod solid;
/// The splitting builder of the test suites.
#[path = "../../../tests/src/support/split.rs"]
#[allow(unreachable_pub)]
mod split;
mod splits;
mod swept;
mod world;

use std::mem::offset_of;

use bvhc::compile::{Layout, Options, Quality, compile};
use bvhc::import::Input;
use bvhc::optimise::Stop;
use bvhc::verify::source::compare;
use bvhc::verify::{VerifyError, verify};
use bvhc_format::record::{NODE_WIDTH, WideNode};
use bvhc_runtime::Model;
use forge::{Forge, GEOMETRY, METADATA, PACKED, SIDE, SPLITS, TREE, blades, source};

/// Breaks a rule, seals the file and expects that rule's id at the end of the message.
fn breaks(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(Forge::new(), rule, forgery);
}

/// The same for a file of one triangle.
fn breaks_small(rule: &str, forgery: impl FnOnce(&mut Forge)) {
    breaks_in(Forge::of_one_triangle(), rule, forgery);
}

fn breaks_in(mut file: Forge, rule: &str, forgery: impl FnOnce(&mut Forge)) {
    forgery(&mut file);
    file.seal();
    expect(rule, &file);
}

/// Breaks the origin and the radius at the start of a tree's root.
fn breaks_frame(section: u32, rule: &str, good: impl Fn() -> Forge) {
    for axis in 0..3 {
        for wrong in [f32::NAN, f32::INFINITY, -2e18] {
            breaks_in(good(), rule, |file| file.put_f32(file.root(section) + 4 * axis, wrong));
        }
    }
    for wrong in [f32::NAN, f32::INFINITY, 0.0, -100.0] {
        breaks_in(good(), rule, |file| file.put_f32(file.root(section) + 12, wrong));
    }
    breaks_in(good(), rule, |file| {
        let at = file.root(section) + 12;
        file.put_f32(at, file.f32(at).next_down());
    });
}

fn expect(rule: &str, file: &Forge) {
    let message = file.verify().expect_err(rule).to_string();
    assert!(message.ends_with(&format!("({rule})")), "{rule}: {message}");
    assert!(!message.contains('\n'), "{message}");
}

#[test]
fn a_compiled_file_is_perfect() {
    let file = Forge::new();
    file.verify().unwrap();
    Forge::of_one_triangle().verify().unwrap();
    assert!(file.nodes() > 1 && file.blocks() > 8, "the scene is too small for these tests");
}

/// Coordinates next to 0 or to whole numbers, as sines of multiples of a right angle leave them, are rounded away in sums.
#[test]
fn boxes_have_their_margin_where_coordinates_differ_in_size() {
    let noise = ["0", "6.1e-17", "-6.1e-17", "3e-27", "-3e-27", "1e-38", "-1.5e-9"];
    let mut state = 1u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    for round in 0..200 {
        let mut text = String::new();
        for _ in 0..3 + 9 * (round % 4) {
            let mut coordinate = || match next(3) {
                0 => ["1", "-1", "0.5", "1000"][next(4)],
                _ => noise[next(noise.len())],
            };
            text += &format!("v {} {} {}\n", coordinate(), coordinate(), coordinate());
        }
        text += "v 0 1 0\nv 0 0 0\nv 1 1 3e-27\n";
        text += &(0..1 + 3 * (round % 4)).map(|_| "f -1 -2 -3\n").collect::<String>();
        let corners = text.matches("v ").count();
        let faces =
            (0..20).map(|_| format!("f {} {} {}\n", 1 + next(corners), 1 + next(corners), 1 + next(corners)));
        text += &faces.collect::<String>();
        for options in [
            Options::of(Quality::Fast),
            Options { stop: Stop::Steps(0), ..Options::of(Quality::Best) },
            Options { layout: Layout::Small, ..Options::of(Quality::Fast) },
        ] {
            let file = compile(text.as_bytes(), "noise.obj", &options, &()).unwrap();
            verify(&file.bytes).unwrap_or_else(|error| panic!("{error}\n{text}"));
        }
    }
}

#[test]
fn hashes_and_padding() {
    let mut file = Forge::new();
    file.bytes[40] ^= 1;
    expect("H8", &file);
    let mut file = Forge::new();
    let payload = file.payload(GEOMETRY);
    file.bytes[payload.start] ^= 1;
    expect("D10", &file);
    for kind in [SPLITS, PACKED] {
        breaks_in(Forge::of_splits(Layout::Small), "D7", |file| file.put(file.entry(kind) + 6, &[0]));
    }
    let mut file = Forge::new();
    let gap =
        [METADATA, GEOMETRY, TREE].map(|kind| file.payload(kind).end).into_iter().find(|end| end % 64 != 0);
    file.bytes[gap.unwrap()] = 1;
    expect("D9", &file);
}

#[test]
fn what_cannot_be_opened_cannot_be_verified() {
    let mut file = Forge::new();
    file.bytes[0] = 0;
    assert!(matches!(file.verify(), Err(VerifyError::Open(_))));
    // One more byte of padding in the payload breaks A1.
    let mut file = Forge::new();
    let at = file.entry(METADATA) + 16;
    assert_ne!(file.u64(at) % 64, 0);
    file.add(at, 1);
    file.seal();
    assert!(matches!(file.verify(), Err(VerifyError::Open(_))));
    for kind in [METADATA, SPLITS, PACKED, TREE] {
        let (mut file, other) = (Forge::of_splits(Layout::Small), Forge::of_splits(Layout::Small));
        file.adopt(kind, &other);
        file.seal();
        assert!(matches!(file.verify(), Err(VerifyError::Open(_))), "two sections of kind {kind}");
    }
    for length in [0, 63, 64, 300, file.bytes.len() - 64] {
        let mut bytes = Forge::new().aligned();
        bytes.resize(length, 0);
        assert!(matches!(verify(&bytes), Err(VerifyError::Open(_))), "{length} bytes");
    }
}

#[test]
fn archives() {
    // The object's name, `sheet`, leaves 3 bytes before the next list of ends.
    breaks("A4", |file| {
        let (text, length) = file.slice(METADATA, 208);
        let (ends, _) = file.slice(METADATA, 224);
        assert!(text + length < ends);
        file.bytes[text + length] = 1;
    });
    // With one element removed from a slice, its last element is outside all slices.
    breaks("A4", |file| {
        let at = file.root(TREE) + 40;
        file.add(at, -1);
        let statistics = file.slice(METADATA, 240).0;
        file.add(statistics + 8, -1);
    });
}

#[test]
fn metadata() {
    for field in [56, 64] {
        breaks("M1", |file| file.add(file.root(METADATA) + field, 1));
    }
    for bound in 0..6 {
        // Changed in both sections, or T2 would be reported first.
        breaks("M2", |file| {
            for at in [file.root(METADATA) + 88, file.root(TREE)].map(|at| at + 4 * bound) {
                let wider = if bound < 3 { file.f32(at).next_down() } else { file.f32(at).next_up() };
                file.put_f32(at, wider);
            }
        });
    }
    // Materials `red` and `green`: ends 3 and 8.
    breaks("M3", |file| file.put_u32(file.slice(METADATA, 160).0, 9));
    breaks("M3", |file| file.put_u32(file.slice(METADATA, 160).0 + 4, 7));
    for field in [112, 128, 144, 176, 208] {
        breaks("M4", |file| file.put(file.slice(METADATA, field).0, &[0xFF]));
    }
}

#[test]
fn statistics() {
    for field in [0, 4, 8, 16, 24, 44] {
        breaks("M5", |file| file.add(file.slice(METADATA, 240).0 + field, 1));
    }
    for field in [32, 36, 40] {
        for factor in [1.0 - 1e-4, 1.0 + 1e-4, f32::NAN] {
            breaks("M6", |file| {
                let at = file.slice(METADATA, 240).0 + field;
                file.put_f32(at, file.f32(at) * factor);
            });
        }
    }
}

#[test]
fn blocks() {
    for (field, count) in [(244, 0), (244, 17), (245, 2), (245, 17)] {
        breaks("G1", |file| file.put(file.block(0) + field, &[count]));
    }
    breaks_small("G2", |file| file.put(file.block(0) + 192, &[3]));
    breaks_small("G2", |file| file.put(file.block(0) + 192 + 15, &[1]));
    breaks_small("G3", |file| file.put_f32(file.block(0) + 64 + 4 * 15, 9.0));
    for coordinate in [f32::NAN, f32::INFINITY, -2e18, -0.0] {
        breaks("G4", |file| file.put_f32(file.block(1) + 4, coordinate));
    }
    breaks("G5", |file| file.add(file.block(1) + 240, 1));
    breaks("G6", |file| {
        let (a, b) = (file.u32(file.number(0)), file.u32(file.number(1)));
        file.put_u32(file.number(0), b);
        file.put_u32(file.number(1), a);
    });
    breaks("G8", |file| {
        // The second corner is set to the first.
        let corner = file.bytes[file.block(0) + 192];
        file.put(file.block(0) + 208, &[corner]);
    });
    for byte in 248..256 {
        breaks("G12", |file| file.put(file.block(2) + byte, &[1]));
    }
}

#[test]
fn triangle_numbers() {
    breaks("G7", |file| {
        let last = usize::from(file.bytes[file.block(0) + 244]) - 1;
        let triangles = file.slice(GEOMETRY, 16).1 as u32;
        file.put_u32(file.number(last), triangles);
    });
    // A number from another block: one occurs twice, another is missing.
    breaks("G7", |file| {
        let count = usize::from(file.bytes[file.block(0) + 244]);
        let (last, total) = (file.u32(file.number(count - 1)), file.slice(GEOMETRY, 16).1);
        let other = (count..total).map(|index| file.u32(file.number(index))).find(|other| *other > last);
        file.put_u32(file.number(count - 1), other.unwrap());
    });
}

#[test]
fn faces_and_runs() {
    breaks("G9", |file| file.put_u32(file.slice(GEOMETRY, 32).0 + 40, 80));
    breaks("G9", |file| {
        let (faces, count) = file.slice(GEOMETRY, 32);
        file.put_u32(faces + 4 * (count - 1), (SIDE * SIDE) as u32);
    });
    breaks("G10", |file| file.put_u32(file.run(0), 1));
    breaks("G10", |file| file.put_u32(file.run(1), 0));
    breaks("G10", |file| file.put_u32(file.run(1), (2 * SIDE * SIDE) as u32));
    for (field, names) in [(4, 2), (8, 1), (12, 1)] {
        breaks("G11", |file| file.put_u32(file.run(1) + field, names));
    }
}

#[test]
fn the_tree_as_a_whole() {
    breaks("T2", |file| {
        let at = file.root(TREE);
        file.put_f32(at, file.f32(at).next_down());
    });
    for by in [-1, 1] {
        breaks("T4", |file| file.add(file.root(TREE) + 24, by));
    }
    // One block is referenced twice, another never.
    breaks("T5", |file| {
        let blocks: Vec<_> =
            file.children().into_iter().filter(|(_, c)| c >> 31 == 1 && *c != u32::MAX).collect();
        file.put_u32(blocks[0].0, blocks[1].1);
    });
    // Two blocks are swapped.
    breaks("T5", |file| {
        let blocks: Vec<_> =
            file.children().into_iter().filter(|(_, c)| c >> 31 == 1 && *c != u32::MAX).collect();
        file.put_u32(blocks[0].0, blocks[1].1);
        file.put_u32(blocks[1].0, blocks[0].1);
    });
    // A reference to a node becomes one to a block: the node is never referenced.
    breaks("T5", |file| {
        let (at, child) = file.children().into_iter().find(|(_, child)| child >> 31 == 0).unwrap();
        file.put_u32(at, child | 1 << 31);
    });
    breaks("T12", |file| file.add(file.root(TREE) + 28, 1));
}

/// Every mesh of a file is checked, not the first one's bytes again.
#[test]
fn the_second_mesh_keeps_the_rules_as_well() {
    let golden = include_bytes!("../../../tests/golden/world.bvh");
    let mut file = Forge { bytes: golden.to_vec() };
    file.verify().unwrap();
    let entry = file.entry_of(TREE, 1);
    let end = file.u64(entry + 8) + file.u64(entry + 16);
    file.add(end as usize - 48 + 28, 1);
    file.seal();
    expect("T12", &file);
}

#[test]
fn nodes() {
    let inner = |file: &Forge| file.children().into_iter().find(|(_, child)| child >> 31 == 0).unwrap().0;
    breaks("T6", |file| file.put_u32(inner(file), 0));
    breaks("T7", |file| file.put_u32(inner(file), file.nodes() as u32));
    breaks("T7", |file| file.put_u32(inner(file), file.blocks() as u32 | 1 << 31));
    breaks("T8", |file| {
        empty(file, 0, 0);
    });
    breaks("T8", |file| (0..NODE_WIDTH).for_each(|slot| empty(file, 0, slot)));
    for plane in 0..6 {
        breaks_small("T9", |file| {
            let at = file.plane(0, plane, NODE_WIDTH - 1);
            file.put_f32(at, file.f32(at) * 2.0);
        });
    }
}

fn empty(file: &mut Forge, node: usize, slot: usize) {
    for plane in 0..6 {
        file.put_f32(file.plane(node, plane, slot), if plane % 2 == 0 { 1e30 } else { -1e30 });
    }
    file.put_u32(file.child(node, slot), u32::MAX);
}

#[test]
fn boxes() {
    for plane in 0..6 {
        breaks("T10", |file| file.put_f32(file.plane(0, plane, 0), f32::NAN));
        breaks("T10", |file| file.put_f32(file.plane(0, plane, 1), f32::INFINITY));
        // The compiler's boxes are as tight as the growth allows, so moving a plane inward breaks the rule. Not every
        // slot's plane has to be tight, but the outermost one of the whole model is.
        breaks("T10", |file| {
            let planes = (0..NODE_WIDTH).map(|slot| file.plane(0, plane, slot));
            let used = planes.filter(|at| file.f32(*at).abs() < 1e30);
            let key = |at: &usize| if plane % 2 == 0 { file.f32(*at) } else { -file.f32(*at) };
            let at = used.min_by(|a, b| key(a).total_cmp(&key(b))).unwrap();
            let inward = if plane % 2 == 0 { file.f32(at) + 0.001 } else { file.f32(at) - 0.001 };
            file.put_f32(at, inward);
        });
    }
}

#[test]
fn visiting_orders() {
    for octant in 0..8 {
        breaks("T11", |file| {
            let words = [0, 1].map(|rank| file.order(1, rank));
            let slot = file.u32(words[0]) >> (4 * octant) & 15;
            let other = file.u32(words[1]) & !(15 << (4 * octant)) | slot << (4 * octant);
            file.put_u32(words[1], other);
        });
    }
    // Still a permutation, but changed for one octant only.
    breaks("T11", |file| {
        let words = [0, 1].map(|rank| file.order(0, rank));
        let [a, b] = words.map(|at| file.u32(at));
        file.put_u32(words[0], a & !15 | b & 15);
        file.put_u32(words[1], b & !15 | a & 15);
    });
}

/// Bytes where a small change may leave a file valid and consistent with its source.
fn is_free(file: &Forge, at: usize) -> bool {
    let (compiler, options) = (file.slice(METADATA, 112), file.slice(METADATA, 128));
    let texts = [compiler, options].iter().any(|(start, length)| (*start..start + length).contains(&at));
    let (trees, count) = file.slice(METADATA, 240);
    let figures = (trees..trees + 48 * count).contains(&at) && (32..44).contains(&((at - trees) % 48));
    // Boxes may be larger than necessary.
    let nodes = file.node(0)..file.node(file.nodes());
    let planes =
        nodes.contains(&at) && (at - nodes.start) % size_of::<WideNode>() < offset_of!(WideNode, children);
    // A reader must accept any minor version, and an optional section that is marked as required or has another
    // version.
    let minor = (14..16).contains(&at);
    let entry = (64..file.directory_end()).contains(&at) && (4..7).contains(&(at % 64));
    let required = entry && ![METADATA, GEOMETRY, SPLITS, PACKED, TREE].contains(&file.u32(at - at % 64));
    // An unused slot repeats slot 0, and no rule forbids counting it as used.
    let blocks = file.slice(GEOMETRY, 0);
    let used_slots = (blocks.0..blocks.0 + 256 * blocks.1).contains(&at) && (at - blocks.0) % 256 == 245;
    let position = packed::positions(file).iter().any(|range| range.contains(&at));
    let boxes = planes || obb::is_free(file, at);
    texts || boxes || used_slots || position || minor || required || figures
}

#[test]
fn every_other_byte_counts() {
    check_every_byte(&Forge::new(), &source());
}

/// The same for the optional sections.
#[test]
fn every_other_byte_counts_in_packed_and_split_files() {
    check_every_byte(&Forge::of_splits(Layout::Small), &blades());
}

fn check_every_byte(file: &Forge, source: &str) {
    let hashes: Vec<_> = (64..file.directory_end()).step_by(64).map(|entry| entry + 32..entry + 64).collect();
    for at in (0..file.bytes.len()).filter(|at| !is_free(file, *at)) {
        for bit in [0x01, 0x80] {
            let mut forged = file.clone();
            forged.bytes[at] ^= bit;
            assert!(forged.verify().is_err(), "bit {bit:#x} of byte {at}, unsealed");
            if Model::from_bytes(&forged.aligned()).is_err() {
                continue;
            }
            let covered = 32..64;
            if covered.contains(&at) || hashes.iter().any(|hash| hash.contains(&at)) {
                continue;
            }
            forged.seal();
            let bytes = forged.aligned();
            let passes = verify(&bytes).is_ok()
                && compare(&Model::from_bytes(&bytes).unwrap(), &Input::new(source.as_bytes(), "source"))
                    .is_ok();
            assert!(!passes, "bit {bit:#x} of byte {at}, sealed");
        }
    }
}
