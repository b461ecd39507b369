//! Corrupt trees of oriented boxes, and queries for every pair of triangles and for distances.

use std::ops::ControlFlow;

use bvhc::compile::Layout;
use bvhc::file::Bytes;
use bvhc_format::section::SectionKind;
use bvhc_runtime::{Exhausted, Level, Model, PairError, Pose, WorkBudget};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{icosphere, soup};
use bvhc_tests::support::answers::{ask_distances, count_pairs, poses};
use bvhc_tests::support::forge::{self, Offsets, with_bytes};
use bvhc_tests::support::work::spent;
use bvhc_tests::support::{LAYOUTS, aligned, compiled_for_pairs, levels, levels_of_turn};

use super::{NUMBERS, PATIENCE, for_pairs, survive, write};

/// Two levels of nodes, and few enough triangles to query all pairs, whatever the file says.
fn few(layout: Layout) -> Bytes {
    compiled_for_pairs(&soup::triangles(40, 0.6, 9), layout)
}

/// As [`survive`], and distances and all pairs of the model with itself, without a budget and with budgets of any size.
fn survive_pairs(bytes: &Bytes, levels: &[Level]) -> bool {
    let start = std::time::Instant::now();
    let opened = Model::from_bytes(bytes).map(|model| {
        for level in levels {
            let model = model.with_level(*level);
            for pose in poses() {
                std::hint::black_box(model.collides(&model, &pose).ok());
                for steps in [0, 1, 300] {
                    std::hint::black_box(ask_distances(&model, &pose, steps));
                }
                for steps in [0, 1, 17, 300, u64::MAX] {
                    std::hint::black_box(count_pairs(&model, &pose, &mut WorkBudget::of_steps(steps)));
                }
            }
        }
    });
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    survive(bytes, levels) && opened.is_ok()
}

/// The slots of all nodes.
fn slots(offsets: &Offsets) -> impl Iterator<Item = (usize, usize)> + use<> {
    (0..offsets.obb_node_count).flat_map(|node| (0..4).map(move |slot| (node, slot)))
}

/// All boxes unbounded, all children as `child` says for a slot: then every walk goes wherever it can.
fn with_children(good: &Bytes, child: impl Fn(usize, usize) -> u32) -> Bytes {
    let (mut forged, offsets) = (aligned(good), Offsets::of(good));
    for (node, slot) in slots(&offsets) {
        write(&mut forged, offsets.obb_child(node, slot), child(node, slot));
        (7..10).for_each(|half| offsets.write_obb_number(&mut forged, node, half, slot, 1e30f32.to_bits()));
    }
    for node in 0..offsets.obb_node_count {
        for scale in offsets.obb.scales {
            offsets.write_obb_scale(&mut forged, node, *scale, 1e30f32.to_bits());
        }
    }
    forged
}

/// A reference to a leaf of four triangles.
const LEAF: u32 = 0xE000_0000;

#[test]
fn good_files_have_pairs() {
    for good in LAYOUTS.map(few) {
        assert!(survive_pairs(&good, &levels()));
        let model = Model::from_bytes(&good).expect("it opens");
        assert!(Offsets::of(&good).obb_node_count > 2);
        for pose in poses() {
            assert!(count_pairs(&model, &pose, &mut WorkBudget::unlimited()) > 40);
        }
    }
}

#[test]
fn children_that_go_in_circles() {
    for good in LAYOUTS.map(few) {
        let (levels, count) = (levels(), Offsets::of(&good).obb_node_count as u32);
        let circles: [&dyn Fn(usize, usize) -> u32; 8] = [
            &|node, _| node as u32,
            &|_, _| 0,
            &|_, _| count - 1,
            &|node, _| (node as u32 + 1) % count,
            &|node, slot| (node as u32 + slot as u32) % count,
            &|_, slot| if slot == 0 { 0 } else { LEAF },
            &|node, slot| if slot == 0 { (node as u32 + 1) % count } else { LEAF | node as u32 },
            &|_, _| LEAF,
        ];
        for circle in circles {
            assert!(survive_pairs(&with_children(&good, circle), &levels));
        }
    }
}

/// Every node refers four times to the next one and the last one to a leaf: there are more ways through two such trees than
/// anyone has time for.
#[test]
fn the_default_limit_ends_queries_and_says_so() {
    let forged = |frequency: u32| {
        let good = compiled_for_pairs(&icosphere::displaced(frequency, 0.2, 1), Layout::Fast);
        let count = Offsets::of(&good).obb_node_count;
        with_children(&good, |node, _| if node + 1 < count { node as u32 + 1 } else { LEAF })
    };
    let [small, large] = [6, 24].map(forged);
    let exhausted = PairError::Exhausted(Exhausted);
    // The first leaf does not meet itself when it is moved by this.
    let moved = Pose::from_translation([0.5, 0.4, 0.3]).expect("a pose");
    for level in levels() {
        let model = Model::from_bytes(&small).expect("it opens").with_level(level);
        assert_eq!(model.collides(&model, &moved), Err(exhausted));
        assert_eq!(model.first_pair(&model, &moved), Err(exhausted));
        assert_eq!(model.within(&model, &moved, 0.01), Err(exhausted));
        assert_eq!(model.pairs_within(&model, &moved, 0.01, |_| ControlFlow::Continue(())), Err(exhausted));
    }
    let model = Model::from_bytes(&large).expect("it opens");
    let mut budget = WorkBudget::of_models([&model; 2]);
    let steps = budget.left;
    assert_eq!(steps, 32 * large.len() as u64);
    assert_eq!(model.against(&model, &moved).budget(&mut budget).first_pair(), Err(exhausted));
    assert_eq!((budget.left, spent(&budget)), (0, steps));
}

/// The same pairs over and over: queries report at most as many as there are pairs of triangles.
#[test]
fn reports_end_where_no_more_pairs_can_be() {
    let good = few(Layout::Fast);
    let forged = with_children(&good, |node, slot| if slot < 3 { node as u32 + 1 } else { LEAF });
    for level in levels() {
        let model = Model::from_bytes(&forged).expect("it opens").with_level(level);
        let most = model.triangle_count() * model.triangle_count();
        let [mut meeting, mut near] = [0; 2];
        let met = model.all_pairs(&model, &Pose::IDENTITY, |_| {
            meeting += 1;
            ControlFlow::Continue(())
        });
        let neared = model.pairs_within(&model, &Pose::IDENTITY, 1.0, |_| {
            near += 1;
            ControlFlow::Continue(())
        });
        assert!(meeting <= most && near <= most, "{meeting} {near} {most} {met:?} {neared:?}");
        assert_eq!(
            (met, neared),
            (Err(PairError::Exhausted(Exhausted)), Err(PairError::Exhausted(Exhausted)))
        );
    }
}

#[test]
fn children_that_are_not_there() {
    for good in LAYOUTS.map(few) {
        let (levels, offsets) = (levels(), Offsets::of(&good));
        let (nodes, leaves) = (offsets.obb_node_count as u32, offsets.pair_leaf_count as u32);
        for outside in [nodes, 0x7fff_ffff, LEAF | leaves, 0x9fff_ffff, 0xffff_fffe, 0xffff_ffff] {
            assert!(survive_pairs(&with_children(&good, |_, _| outside), &levels));
        }
    }
}

/// A chain of nodes deeper than the stack's capacity, with all siblings to be visited.
#[test]
fn chains_deeper_than_the_stack() {
    let good = compiled_for_pairs(&icosphere::displaced(12, 0.2, 1), Layout::Fast);
    let count = Offsets::of(&good).obb_node_count as u32;
    assert!(count > 200, "{count} nodes are too few for an overflow");
    let next = |node: usize| (node as u32 + 1).min(count - 1);
    let chains: [&dyn Fn(usize, usize) -> u32; 3] =
        [&|node, _| next(node), &|node, slot| if slot == 3 { next(node) } else { LEAF }, &|node, slot| {
            if slot % 2 == 0 { next(node) } else { next(node + 1) }
        }];
    for chain in chains {
        assert!(survive(&with_children(&good, chain), &levels()));
    }
}

/// One number of the boxes, of the leaves or of the root, everywhere.
#[test]
fn numbers_that_are_none() {
    for good in LAYOUTS.map(few) {
        let (levels, offsets) = (levels(), Offsets::of(&good));
        let root = forge::root(&good, SectionKind::ObbTree);
        for number in NUMBERS {
            for index in 0..10 {
                let mut forged = aligned(&good);
                slots(&offsets).for_each(|(node, slot)| {
                    offsets.write_obb_number(&mut forged, node, index, slot, number);
                });
                assert!(survive_pairs(&forged, &levels), "number {index} is {number:#x}");
            }
            for scale in offsets.obb.scales {
                let mut forged = aligned(&good);
                for node in 0..offsets.obb_node_count {
                    offsets.write_obb_scale(&mut forged, node, *scale, number);
                }
                assert!(survive_pairs(&forged, &levels), "byte {} of nodes is {number:#x}", scale.0);
            }
            let mut forged = aligned(&good);
            for (leaf, lane) in
                (0..offsets.pair_leaf_count).flat_map(|leaf| (0..4).map(move |lane| (leaf, lane)))
            {
                write(&mut forged, offsets.obb_leaf(leaf) + 4 * lane, number);
            }
            assert!(survive_pairs(&forged, &levels), "addresses are {number:#x}");
            for field in [0, 4, 8, 12] {
                let forged = with_bytes(&good, root + field, &number.to_le_bytes());
                assert!(survive_pairs(&forged, &levels), "byte {field} of the root is {number:#x}");
            }
        }
    }
}

/// Every unit of the packed blocks and just beyond, every lane of every block and beyond.
#[test]
fn places_from_anywhere() {
    let levels = levels();
    for good in LAYOUTS.map(few) {
        let offsets = Offsets::of(&good);
        for first in (0..16 * 256).step_by(61) {
            let mut forged = aligned(&good);
            for leaf in 0..offsets.pair_leaf_count {
                for lane in 0..4 {
                    let address = first + 4 * leaf + lane;
                    write(&mut forged, offsets.obb_leaf(leaf) + 4 * lane, address as u32);
                }
            }
            assert!(survive_pairs(&forged, &levels));
        }
    }
}

/// Changes only the tree, so that every file opens.
#[test]
fn mutated_trees() {
    let (levels, mut random) = (levels(), Random::new(4));
    for good in [few(Layout::Fast), few(Layout::Small), for_pairs(Layout::Fast)] {
        let offsets = Offsets::of(&good);
        let (nodes, leaves) = (offsets.obb_node_count as u32, offsets.pair_leaf_count as u32);
        for turn in 0..1500 {
            let mut forged = aligned(&good);
            for _ in 0..1 + random.below(12) {
                let (node, slot) = (random.below(nodes) as usize, random.below(4) as usize);
                let link = random.below(2 * nodes) | random.below(8) << 29;
                let number = NUMBERS[random.below(12) as usize];
                write(&mut forged, offsets.obb_child(node, slot), link);
                offsets.write_obb_number(&mut forged, node, random.below(10) as usize, slot, number);
                let leaf = offsets.obb_leaf(random.below(leaves) as usize);
                let at = 4 * random.below(4) as usize;
                write(&mut forged, leaf + at, [number, random.below(1024)][random.below(2) as usize]);
            }
            assert!(survive(&forged, levels_of_turn(&levels, turn)));
        }
    }
}
