//! Corrupt nodes.

use std::mem::offset_of;

use bvhc::compile::{Layout, Quality};
use bvhc::file::Bytes;
use bvhc_format::MAX_DEPTH;
use bvhc_format::record::{Block, NODE_WIDTH, WideNode};
use bvhc_runtime::{Level, Model};
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::forge::{BLOCK, NODE, Offsets};
use bvhc_tests::support::work::ask_bounded;
use bvhc_tests::support::{LAYOUTS, aligned, compiled_as, levels, levels_of_turn};

use super::{NUMBERS, middling, middling_as, splits_as, survive, write};

/// Changes only the parts that queries walk through, so that every file opens.
#[test]
fn mutated_trees() {
    let (levels, mut random) = (levels(), Random::new(2));
    for good in [middling(), splits_as(Layout::Fast), splits_as(Layout::Small)] {
        let offsets = Offsets::of(&good);
        for turn in 0..5000 {
            let mut forged = aligned(&good);
            for _ in 0..1 + random.below(20) {
                let node = random.below(offsets.node_count as u32) as usize;
                let slot = random.below(NODE_WIDTH as u32) as usize;
                let index = random.below(2 * offsets.node_count as u32) | random.below(2) << 31;
                let plane = random.below(6) as usize;
                write(&mut forged, offsets.child(node, slot), index);
                write(&mut forged, offsets.plane(node, plane, slot), NUMBERS[random.below(12) as usize]);
            }
            assert!(survive(&forged, levels_of_turn(&levels, turn)));
            if turn % 10 == 0 {
                stays_bounded(&forged, levels_of_turn(&levels, turn / 10));
            }
        }
    }
}

fn stays_bounded(forged: &Bytes, levels: &[Level]) {
    let model = Model::from_bytes(forged).expect("it opened");
    levels.iter().for_each(|level| ask_bounded(&model.with_level(*level), 100));
}

/// All boxes unbounded, all children as `child` says for a node: then every query goes wherever it can.
fn with_children(good: &Bytes, child: impl Fn(usize, usize) -> u32) -> Bytes {
    let (mut forged, offsets) = (aligned(good), Offsets::of(good));
    for node in 0..offsets.node_count {
        for slot in 0..NODE_WIDTH {
            write(&mut forged, offsets.child(node, slot), child(node, slot));
            for plane in 0..6 {
                let bound = if plane % 2 == 0 { -1e30f32 } else { 1e30 };
                write(&mut forged, offsets.plane(node, plane, slot), bound.to_bits());
            }
        }
    }
    forged
}

#[test]
fn children_that_go_in_circles() {
    for layout in LAYOUTS {
        circles(&middling_as(layout));
    }
}

fn circles(good: &Bytes) {
    let (levels, count) = (levels(), Offsets::of(good).node_count as u32);
    let circles: [&dyn Fn(usize, usize) -> u32; 7] = [
        &|node, _| node as u32,
        &|_, _| 0,
        &|_, _| count - 1,
        &|node, _| (node as u32 + 1) % count,
        &|node, slot| (node as u32 + slot as u32) % count,
        &|_, slot| if slot == 0 { 0 } else { 1 << 31 },
        &|_, _| 1 << 31,
    ];
    for circle in circles {
        let forged = with_children(good, circle);
        assert!(survive(&forged, &levels));
        stays_bounded(&forged, &levels);
    }
    for outside in [count, 0x7fff_ffff, 0x8fff_ffff, 0xffff_fffe, 0xffff_ffff] {
        assert!(survive(&with_children(good, |_, _| outside), &levels));
    }
}

/// A chain of nodes deeper than the stack's capacity, with all siblings to be visited.
#[test]
fn chains_deeper_than_the_stack() {
    for layout in LAYOUTS {
        chains(&compiled_as(&icosphere::displaced(40, 0.2, 1), Quality::Default, layout));
    }
}

fn chains(good: &Bytes) {
    let count = Offsets::of(good).node_count as u32;
    assert!(count > 2 * MAX_DEPTH, "{count} nodes are too few for an overflow");
    let next = |node: usize| (node as u32 + 1).min(count - 1);
    let chains: [&dyn Fn(usize, usize) -> u32; 4] = [
        &|node, _| next(node),
        &|node, slot| if slot == NODE_WIDTH - 1 { next(node) } else { 1 << 31 },
        &|node, slot| if slot == 0 { next(node) } else { 1 << 31 },
        &|node, slot| if slot % 2 == 0 { next(node) } else { next(node + 1) },
    ];
    for chain in chains {
        assert!(survive(&with_children(good, chain), &levels()));
    }
}

#[test]
fn planes_and_positions_that_are_no_numbers() {
    let (good, levels) = (middling(), levels());
    let offsets = Offsets::of(&good);
    for number in NUMBERS {
        let mut forged = aligned(&good);
        for offset in (offsets.nodes..offsets.nodes + NODE * offsets.node_count).step_by(4) {
            if (offset - offsets.nodes) % NODE < offset_of!(WideNode, children) {
                write(&mut forged, offset, number);
            }
        }
        assert!(survive(&forged, &levels));
        let mut forged = with_children(&good, |node, slot| (NODE_WIDTH * node + slot) as u32 | 1 << 31);
        for offset in (offsets.blocks..offsets.blocks + BLOCK * offsets.block_count).step_by(4) {
            if (offset - offsets.blocks) % BLOCK < offset_of!(Block, corners) {
                write(&mut forged, offset, number);
            }
        }
        assert!(survive(&forged, &levels));
    }
}

/// Orders that name one slot sixteen times, and words of all ones.
#[test]
fn orders_that_are_no_permutations() {
    let good = middling();
    let offsets = Offsets::of(&good);
    for word in NUMBERS {
        let mut forged = aligned(&good);
        for node in 0..offsets.node_count {
            (0..NODE_WIDTH).for_each(|rank| write(&mut forged, offsets.order(node, rank), word));
        }
        assert!(survive(&forged, &levels()));
    }
}
