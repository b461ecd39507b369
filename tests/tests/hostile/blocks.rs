//! Corrupt blocks and split triangles.

use std::array;
use std::mem::offset_of;

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc_format::MAX_SPLIT_SLOTS;
use bvhc_format::packed::WINDOW;
use bvhc_format::record::{Block, ChildRef, NODE_WIDTH};
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Aabb, Blocks, Model};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{soup, write_obj};
use bvhc_tests::support::answers::nearest_bits;
use bvhc_tests::support::forge::{self, BLOCK, Offsets};
use bvhc_tests::support::split::split;
use bvhc_tests::support::work::ask_for_all;
use bvhc_tests::support::{LAYOUTS, aligned, levels};

use super::{NUMBERS, middling, middling_as, splits_as, survive, write};

#[test]
fn blocks_that_lie_about_their_contents() {
    let (good, levels) = (middling(), levels());
    let offsets = Offsets::of(&good);
    for value in [0u8, 1, 15, 16, 17, 31, 32, 127, 128, 254, 255] {
        for field in [192..240, 244..245, 245..246, 246..256, 240..244, 192..256] {
            let mut forged = aligned(&good);
            for block in 0..offsets.block_count {
                let start = offsets.blocks + BLOCK * block;
                forged[start + field.start..start + field.end].fill(value);
            }
            assert!(survive(&forged, &levels), "{field:?} {value}");
        }
    }
}

/// No level looks at lanes that a block does not have.
#[test]
fn blocks_that_claim_more_triangles_than_lanes() {
    let mut forged = middling();
    let (offsets, levels) = (Offsets::of(&forged), levels());
    for block in 0..offsets.block_count {
        forged[offsets.blocks + BLOCK * block + offset_of!(Block, triangles)] = 32;
    }
    let model = Model::from_bytes(&forged).expect("it opens");
    let mut random = Random::new(5);
    for _ in 0..400 {
        let point = random.point([-2.0; 3], [2.0; 3]);
        let found = levels.iter().map(|level| {
            model.with_level(*level).closest_point(point, f32::INFINITY).as_ref().map(nearest_bits)
        });
        let found: Vec<_> = found.collect();
        assert!(found.iter().all(|other| *other == found[0]), "{point:?}: {found:?}");
    }
}

/// Heads that claim more than there is, lattices that are NaN or infinite, corners beyond the vertices.
#[test]
fn packed_blocks_that_lie_about_their_contents() {
    let levels = levels();
    for good in [middling_as(Layout::Small), splits_as(Layout::Small)] {
        let offsets = Offsets::of(&good);
        for value in [0u8, 1, 15, 16, 0x7f, 0x80, 0xf0, 0xff] {
            for field in [0..12, 12..16, 16..17, 17..18, 18..20, 20..40, 0..40] {
                let mut forged = aligned(&good);
                for start in packed(&good).map(|reference| offsets.blocks + 8 * reference as usize) {
                    forged[start + field.start..start + field.end].fill(value);
                }
                assert!(survive(&forged, &levels), "{field:?} {value}");
            }
        }
    }
}

/// The references of the packed blocks.
fn packed(file: &[u8]) -> impl Iterator<Item = u32> {
    let blocks = Model::from_bytes(file).expect("a good file opens").sections().blocks();
    assert!(matches!(blocks, Blocks::Packed(_)));
    blocks.iter().map(|(reference, _)| reference).collect::<Vec<_>>().into_iter()
}

/// References to every byte of the packed blocks at which a unit begins, and just beyond.
#[test]
fn packed_blocks_from_anywhere() {
    let (good, levels) = (middling_as(Layout::Small), levels());
    let (offsets, payload) = (Offsets::of(&good), forge::root(&good, SectionKind::PackedBlocks));
    let units = (payload - offsets.blocks - WINDOW) / 8;
    for first in (0..units + 2 * WINDOW / 8).step_by(NODE_WIDTH) {
        let mut forged = aligned(&good);
        for slot in 0..NODE_WIDTH {
            write(&mut forged, offsets.child(0, slot), (first + slot) as u32 | 1 << 31);
        }
        assert!(survive(&forged, &levels));
    }
}

/// Split triangles that are not listed, or whose addresses lead nowhere, into cycles or to each other.
#[test]
fn splits_that_lie() {
    let (levels, mut random) = (levels(), Random::new(3));
    for good in LAYOUTS.map(splits_as) {
        let root = forge::root(&good, SectionKind::Splits);
        for field in [0, 16, 32] {
            let (start, count) = forge::slice_at(&good, root + field);
            for number in NUMBERS {
                let mut forged = aligned(&good);
                (0..count).for_each(|index| write(&mut forged, start + 4 * index, number));
                assert!(survive(&forged, &levels));
            }
            for _ in 0..500 {
                let mut forged = aligned(&good);
                for _ in 0..1 + random.below(8) {
                    let index = random.below(count as u32) as usize;
                    write(&mut forged, start + 4 * index, random.below(2 * count as u32));
                }
                assert!(survive(&forged, &levels));
            }
        }
    }
}

/// Sixteen triangles by turns in all lanes of all blocks, more than a query remembers. The slot addresses of each are all the same,
/// except the last one that a reader looks at.
fn triangles_everywhere(address: u32, last: u32) -> Bytes {
    let mut forged = split(&write_obj(&soup::triangles(14_000, 0.6, 9)), 0.02, Layout::Fast);
    let list = |kind: SectionKind, field: usize| forge::slice_at(&forged, forge::root(&forged, kind) + field);
    let [(split, _), (ends, _), (slots, count)] = [0, 16, 32].map(|field| list(SectionKind::Splits, field));
    assert!(count > 100_000, "{count} slots are not many");
    let (lanes, lane_count) = list(SectionKind::Geometry, 16);
    const TRIANGLES: usize = 16;
    let triangles: [u32; TRIANGLES] = array::from_fn(|index| forge::read_u32(&forged, split + 4 * index));
    (0..lane_count).for_each(|lane| write(&mut forged, lanes + 4 * lane, triangles[lane % TRIANGLES]));
    (0..count).for_each(|index| write(&mut forged, slots + 4 * index, address));
    for index in 1..=TRIANGLES {
        let end = index * MAX_SPLIT_SLOTS;
        write(&mut forged, ends + 4 * (index - 1), end as u32);
        write(&mut forged, slots + 4 * (end - 1), last);
    }
    let records = Offsets::of(&forged);
    for block in 0..records.block_count {
        let marks = records.blocks + BLOCK * block + offset_of!(Block, split);
        forged[marks..marks + 2].fill(0xff);
    }
    forged
}

/// So many slots, all invalid, that looking up all of them for each lane would take practically for ever.
#[test]
fn a_triangle_whose_slots_do_not_exist() {
    let forged = triangles_everywhere(u32::MAX, u32::MAX);
    let model = Model::from_bytes(&forged).expect("it opens");
    for level in levels() {
        let [in_box, hit] = ask_for_all(&model.with_level(level), &Aabb { min: [-10.0; 3], max: [10.0; 3] });
        assert_eq!(in_box, model.triangle_count());
        assert!(hit > 0);
    }
}

/// All slots but the last are that of the first block, which the query does not meet, so that every lane of every block
/// would test four thousand slots.
#[test]
fn a_triangle_whose_slots_are_all_tested() {
    let address = |forged: &[u8], block: u32| {
        let model = Model::from_bytes(forged).expect("it opens");
        let children = model.sections().nodes().iter().flat_map(|node| node.children);
        let reference = |child: &u32| *child == ChildRef::block(block).0;
        children.enumerate().find(|(_, child)| reference(child)).expect("every block has a slot").0
    };
    let honest = triangles_everywhere(0, 0);
    let last = Model::from_bytes(&honest).expect("it opens").sections().blocks().count() as u32 - 1;
    let [of_first, of_last] = [0, last].map(|block| address(&honest, block));
    let forged = triangles_everywhere(of_first as u32, of_last as u32);
    let model = Model::from_bytes(&forged).expect("it opens");
    let box_of = |address: usize| {
        let node = &model.sections().nodes()[address / NODE_WIDTH];
        let plane = |side: usize| [0, 1, 2].map(|axis| node.planes[2 * axis + side][address % NODE_WIDTH]);
        Aabb { min: plane(0), max: plane(1) }
    };
    let (first, last) = (box_of(of_first), box_of(of_last));
    // A half of the model that has the last block and not the first one.
    let whole = Aabb { min: [-10.0; 3], max: [10.0; 3] };
    let halves = (0..3).flat_map(|axis| {
        let (mut above, mut below) = (whole, whole);
        above.min[axis] = first.max[axis].next_up();
        below.max[axis] = first.min[axis].next_down();
        [above, below]
    });
    let meets_last =
        |half: &Aabb| (0..3).all(|axis| half.min[axis] <= last.max[axis] && half.max[axis] >= last.min[axis]);
    let half = halves.into_iter().find(meets_last).expect("the two are apart");
    for level in levels() {
        ask_for_all(&model.with_level(level), &half);
    }
}
