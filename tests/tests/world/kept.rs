//! Kept pairs, with leaves of any fatness, against each box with each, the trees and the sweep, whatever happens between the frames.

use bvhc_runtime::{
    Aabb, Handle, KeptPairs, LoadedModel, MovingError, MovingWorld, MovingWorldFile, Snapshot, SweepAndPrune,
    ThingPair, World, WorldFile,
};
use bvhc_tests::random::Random;
use bvhc_tests::support::levels;
use bvhc_tests::support::world::Placed;

use super::changes::{Body, Changing};
use super::moving::{any_box, compiled, placed};
use super::moving_pairs::{on_grid, pairs_one_by_one};
use super::sweep::{NOTHING, swept};
use super::with_world;

/// The kept pairs: those of the trees, in their order.
pub(super) fn kept_pairs(kept: &mut KeptPairs<'_>, now: &Snapshot<'_>, margin: f32) -> Vec<ThingPair> {
    let places = if margin > 100.0 { 80_000 } else { 8_000 };
    let (mut pairs, mut wanted) = (vec![NOTHING; places], vec![NOTHING; places]);
    let count = kept.near_pairs_into(now, margin, &mut pairs).expect("there is memory");
    let by_trees = now.near_pairs_into(margin, &mut wanted).expect("there is memory");
    assert!(pairs[..count] == wanted[..by_trees], "{count} pairs, {by_trees} by the trees, {kept:?}");
    pairs.truncate(count);
    pairs
}

/// Runs frames of changes, with other margins, fatness and layers now and then.
fn run(world: &World<'_>, seed: u64, any: &mut dyn FnMut(&mut Random) -> Body) {
    let mut random = Random::new(seed);
    let mut memory = vec![0; MovingWorld::bytes_needed(90)];
    let moving = MovingWorld::new(*world, 90, &mut memory).expect("there is memory");
    let mut memory = [
        vec![7; KeptPairs::bytes_needed(90, 60_000)],
        vec![0; SweepAndPrune::bytes_needed(moving.box_capacity(), 60_000)],
    ];
    let [of_kept, of_sweep] = memory.each_mut();
    let mut kept = KeptPairs::new(90, 60_000, of_kept).expect("there is memory");
    let mut sweep = SweepAndPrune::new(moving.box_capacity(), 60_000, of_sweep).expect("there is memory");
    let mut changing = Changing::new(moving);
    let (mut begun, mut ways) = (0, [0; 3]);
    for frame in 0..180 {
        // Some frames change nothing, some nearly everything.
        for _ in 0..[0, 1, 2, 5, 9, 40, 400][random.below(7) as usize] {
            changing.change(&mut random, any);
        }
        if frame % 17 == 3 {
            let by = [0.0, 0.5, 2.0, 1e-30, 1e18][frame / 17 % 5];
            assert_eq!(changing.moving.fatten(by), Ok(()));
        }
        let margin = [0.0, 0.25, 3.0, 1e-30, f32::MAX, f32::INFINITY][frame / 15 % 6];
        let now = changing.moving.snapshot();
        let found = kept_pairs(&mut kept, &now, margin);
        let renewed = kept.renewed() as usize;
        ways[if renewed == 0 { 0 } else { 1 + usize::from(8 * renewed > changing.things.len()) }] += 1;
        if margin < 4.0 {
            assert!(found.iter().copied().eq(pairs_one_by_one(world, &changing.boxes(), margin.into())));
        }
        assert_eq!(found, swept(&mut sweep, &now, margin));
        begun += found.len();
        if frame % 30 == 7 {
            kept_pairs(&mut kept, &now.with_layers(2), margin);
        }
        if frame % 50 == 20 {
            kept.clear();
        }
    }
    assert!(begun > 5_000 && ways.iter().all(|frames| *frames > 5), "{begun} pairs, {ways:?}");
    for margin in [-1.0, f32::NAN] {
        assert!(kept_pairs(&mut kept, &changing.moving.snapshot(), margin).is_empty());
    }
}

#[test]
fn kept_pairs_are_those_of_trees_sweeps_and_each_box_with_each() {
    let mut random = Random::new(31);
    let file = compiled(&placed(60, 6.0, false, &mut random));
    for (level, seed) in levels().into_iter().zip(0..) {
        with_world(&file, level, |world| {
            run(world, seed, &mut |random| match random.below(3) {
                0 => Body::Instance(Placed::any(random.below(3) as usize, 9.0, false, random)),
                _ => Body::Box(any_box(random, 9.0)),
            });
            // Many planes are equal, some are a unit apart; boxes may be points.
            run(world, seed + 10, &mut |random| Body::Box(on_grid(random.below(100), random)));
        });
    }
}

/// How things move in a frame.
#[derive(Clone, Copy, PartialEq)]
enum Motion {
    Coherent,
    OneInHundred,
    Teleporting,
}

/// Many frames of a thousand boxes; returns how many things the last frames have renewed.
fn frames(motion: Motion, fatness: f32) -> u32 {
    let mut random = Random::new(32);
    let mut memory = vec![0; MovingWorld::bytes_needed(1000)];
    let mut moving = MovingWorld::of_models(&[], levels()[0], 1000, &mut memory).expect("there is memory");
    moving.fatten(fatness).expect("a fatness");
    let mut memory = vec![0; KeptPairs::bytes_needed(1000, 20_000)];
    let mut kept = KeptPairs::new(1000, 20_000, &mut memory).expect("there is memory");
    let place = |random: &mut Random| random.point([0.0; 3], [12.0; 3]);
    let mut places: Vec<[f32; 3]> = (0..1000).map(|_| place(&mut random)).collect();
    let around = |at: &[f32; 3]| Aabb::new(*at, at.map(|x| x + 1.0));
    let handles: Vec<Handle> =
        places.iter().map(|at| moving.add_box(&around(at), 1, 0).expect("it fits")).collect();
    let velocities: Vec<[f32; 3]> = (0..1000).map(|_| random.point([-0.05; 3], [0.05; 3])).collect();
    let (mut renewed, mut found) = (0, 0);
    for frame in 0..40 {
        for ((at, by), handle) in places.iter_mut().zip(&velocities).zip(&handles) {
            match motion {
                Motion::OneInHundred if random.below(100) > 0 => continue,
                Motion::Teleporting => *at = place(&mut random),
                _ => *at = [0, 1, 2].map(|axis| at[axis] + by[axis]),
            }
            moving.move_box(*handle, &around(at)).expect("it is there");
        }
        if frame % 3 > 0 {
            moving.update();
        }
        found += kept_pairs(&mut kept, &moving.snapshot(), 0.0).len();
        renewed += if frame < 20 { 0 } else { kept.renewed() };
    }
    assert!(found > 20_000, "{found} pairs");
    renewed
}

#[test]
fn few_leaves_change_where_things_move_little() {
    assert_eq!(frames(Motion::Coherent, 0.0), 20_000);
    let coherent = frames(Motion::Coherent, 0.1);
    assert!(coherent < 5_000, "{coherent} renewed");
    let few = frames(Motion::OneInHundred, 0.1);
    assert!(few < 100, "{few} renewed");
    let jumped = frames(Motion::Teleporting, 0.1);
    assert!(jumped > 19_900, "{jumped} renewed");
}

#[test]
fn things_that_are_gone_have_no_pairs_and_come_back() {
    let mut memory = vec![0; MovingWorld::bytes_needed(20)];
    let mut moving = MovingWorld::of_models(&[], levels()[0], 20, &mut memory).expect("there is memory");
    moving.fatten(0.5).expect("a fatness");
    let mut memory = vec![0; KeptPairs::bytes_needed(20, 200)];
    let mut kept = KeptPairs::new(20, 200, &mut memory).expect("there is memory");
    let bounds = Aabb::new([0.0; 3], [1.0; 3]);
    let handles: Vec<Handle> = (0..10).map(|_| moving.add_box(&bounds, 1, 0).expect("it fits")).collect();
    let mut counts = |moving: &MovingWorld<'_>| kept_pairs(&mut kept, &moving.snapshot(), 0.25).len();
    assert_eq!(counts(&moving), 45);
    moving.set_enabled(handles[3], false).expect("it is there");
    assert_eq!(counts(&moving), 36);
    // A disabled thing that moves, and one that comes back where it was, under another handle.
    moving.move_box(handles[3], &Aabb::new([1.2, 0.0, 0.0], [2.0, 1.0, 1.0])).expect("it is there");
    moving.remove(handles[5]).expect("it is there");
    let again = moving.add_box(&bounds, 1, 0).expect("it fits");
    assert!(again.number == handles[5].number && again != handles[5]);
    assert_eq!(counts(&moving), 36);
    moving.set_enabled(handles[3], true).expect("it is there");
    assert_eq!(counts(&moving), 45);
    moving.move_box(handles[3], &Aabb::new([1.3, 0.0, 0.0], [2.0, 1.0, 1.0])).expect("it is there");
    assert_eq!(counts(&moving), 36);
}

#[test]
fn fatness_goes_to_other_memory_and_wrong_one_is_an_error() {
    let mut memory = [vec![0; MovingWorld::bytes_needed(2)], vec![0; MovingWorld::bytes_needed(9)]];
    let [own, other] = memory.each_mut();
    let mut moving = MovingWorld::of_models(&[], levels()[0], 2, own).expect("there is memory");
    for wrong in [-1.0, f32::INFINITY, (1u64 << 60) as f32 * 1.5] {
        assert_eq!(moving.fatten(wrong), Err(MovingError::Fatness { found: wrong }));
    }
    assert!(moving.fatten(f32::NAN).is_err() && moving.fatten((1u64 << 60) as f32).is_ok());
    moving.fatten(1.0).expect("a fatness");
    let handle = moving.add_box(&Aabb::new([0.0; 3], [1.0; 3]), 1, 0).expect("it fits");
    let mut copy = moving.copy_into(9, other).expect("there is memory");
    let mut memory = vec![0; KeptPairs::bytes_needed(9, 9)];
    let mut kept = KeptPairs::new(9, 9, &mut memory).expect("there is memory");
    assert!(kept_pairs(&mut kept, &copy.snapshot(), 0.0).is_empty());
    for (x, renewed) in [(0.5, 0), (4.0, 1), (4.5, 0)] {
        let bounds = Aabb::new([x, 0.0, 0.0], [x + 1.0, 1.0, 1.0]);
        copy.move_box(handle, &bounds).expect("it is there");
        assert_eq!(copy.bounds(handle), Some(bounds));
        assert!(kept_pairs(&mut kept, &copy.snapshot(), 0.0).is_empty());
        assert_eq!(kept.renewed(), renewed, "{x}");
    }
    let file = compiled(&placed(3, 4.0, false, &mut Random::new(34)));
    let file = LoadedModel::from_bytes(&file).expect("a world");
    let file = WorldFile::loaded(file).expect("it opens");
    let mut owned = MovingWorldFile::new(file, 1).expect("there is memory");
    assert!(owned.fatten(0.5).is_ok() && owned.fatten(-0.5).is_err());
}

/// Worlds that are made one after the other in the same memory, and copies that become unlike their originals, all asked with the
/// same kept pairs and the same sweep.
#[test]
fn other_worlds_and_copies_are_told_apart() {
    let mut random = Random::new(36);
    let mut memory = [vec![0; MovingWorld::bytes_needed(30)], vec![0; MovingWorld::bytes_needed(30)]];
    let [own, other] = memory.each_mut();
    let mut memory =
        [vec![0; KeptPairs::bytes_needed(30, 500)], vec![0; SweepAndPrune::bytes_needed(30, 500)]];
    let [of_kept, of_sweep] = memory.each_mut();
    let mut kept = KeptPairs::new(30, 500, of_kept).expect("there is memory");
    let mut sweep = SweepAndPrune::new(30, 500, of_sweep).expect("there is memory");
    let mut found = 0;
    for _ in 0..20 {
        let mut moving = MovingWorld::of_models(&[], levels()[0], 30, own).expect("there is memory");
        let handles: Vec<Handle> =
            (0..30).map(|_| moving.add_box(&any_box(&mut random, 1.5), 1, 0).expect("it fits")).collect();
        found += kept_pairs(&mut kept, &moving.snapshot(), 0.0).len();
        assert_eq!(kept.renewed(), 30);
        swept(&mut sweep, &moving.snapshot(), 0.0);
        let mut copy = moving.copy_into(30, other).expect("there is memory");
        kept_pairs(&mut kept, &copy.snapshot(), 0.0);
        assert_eq!(kept.renewed(), 0);
        for step in 0..12 {
            let changed = if random.below(2) == 0 { &mut moving } else { &mut copy };
            let handle = handles[random.below(30) as usize];
            changed.move_box(handle, &any_box(&mut random, 1.5)).expect("it is there");
            let asked = if step % 3 == 0 { &moving } else { &copy };
            kept_pairs(&mut kept, &asked.snapshot(), 0.0);
            swept(&mut sweep, &asked.snapshot(), 0.0);
        }
    }
    assert!(found > 500, "{found} pairs");
}

#[test]
fn too_little_memory_is_an_error_with_the_size() {
    let mut random = Random::new(33);
    let file = compiled(&placed(30, 4.0, false, &mut random));
    with_world(&file, levels()[0], |world| {
        let needed = KeptPairs::bytes_needed(50, 100);
        let mut memory = vec![0; needed - 8];
        let error = KeptPairs::new(50, 100, &mut memory).err();
        assert_eq!(error, Some(MovingError::Memory { needed, found: needed - 8 }));
        assert!(KeptPairs::new((1 << 24) + 1, 0, &mut memory).is_err());
        let mut memory = vec![0; MovingWorld::bytes_needed(50)];
        let mut moving = MovingWorld::new(*world, 50, &mut memory).expect("there is memory");
        moving.fatten(0.25).expect("a fatness");
        for _ in 0..50 {
            moving.add_box(&any_box(&mut random, 4.0), 1, 0).expect("it fits");
        }
        // First for too few things, then for too few pairs, then what the errors have asked for.
        let (mut things, mut pairs, mut errors) = (20, 10, 0);
        let mut places = vec![NOTHING; 5000];
        loop {
            let mut memory = vec![0; KeptPairs::bytes_needed(things, pairs)];
            let mut kept = KeptPairs::new(things, pairs, &mut memory).expect("there is memory");
            match kept.near_pairs_into(&moving.snapshot(), 0.5, &mut places) {
                Err(MovingError::Kept { things: more, pairs: many, needed }) => {
                    assert!(more > things && many == pairs || more == things && many > pairs);
                    assert_eq!(needed, KeptPairs::bytes_needed(more, many));
                    (things, pairs, errors) = (more, many, errors + 1);
                }
                found => {
                    let count = found.expect("there is memory");
                    assert!(errors == 2 && count > 20 && count <= pairs);
                    let error = kept.near_pairs_into(&moving.snapshot(), 0.5, &mut places[..5]);
                    assert_eq!(error, Err(MovingError::Pairs { needed: count, found: 5 }));
                    kept_pairs(&mut kept, &moving.snapshot(), 0.5);
                    // With a larger margin there is too little; then all is as before.
                    let error = kept.near_pairs_into(&moving.snapshot(), 1e9, &mut places);
                    assert!(matches!(error, Err(MovingError::Kept { .. })), "{error:?}");
                    kept_pairs(&mut kept, &moving.snapshot(), 0.5);
                    break;
                }
            }
        }
    });
}

/// Memory of every size, in which the pairs of a few things that are new do not fit: each answer is right, or an error.
#[test]
fn no_pair_is_lost_where_few_new_things_have_too_many() {
    let file = compiled(&placed(40, 4.0, false, &mut Random::new(35)));
    with_world(&file, levels()[0], |world| {
        let [mut errors, mut answers] = [[0; 2]; 2];
        for places in 0..400 {
            let mut memory = vec![0; MovingWorld::bytes_needed(60)];
            let mut moving = MovingWorld::new(*world, 60, &mut memory).expect("there is memory");
            // All far from each other, and six around all the instances, which are not seen at first.
            for k in 0..54 {
                let x = 900.0 + 9.0 * k as f32;
                moving.add_box(&Aabb::new([x; 3], [x + 1.0; 3]), 1, 0).expect("it fits");
            }
            let large = [12.0, 13.0, 14.0, 15.0, 16.0, 17.0].map(|x| {
                let handle = moving.add_box(&Aabb::new([-x; 3], [x; 3]), 1, 0).expect("it fits");
                moving.set_enabled(handle, false).expect("it is there");
                handle
            });
            let boxes = moving.box_capacity();
            let mut memory = [
                vec![0; KeptPairs::bytes_needed(60, places)],
                vec![0; SweepAndPrune::bytes_needed(boxes, places)],
            ];
            let [of_kept, of_sweep] = memory.each_mut();
            let mut kept = KeptPairs::new(60, places, of_kept).expect("there is memory");
            let mut sweep = SweepAndPrune::new(boxes, places, of_sweep).expect("there is memory");
            let mut pairs = [vec![NOTHING; 1000], vec![NOTHING; 1000], vec![NOTHING; 1000]];
            let [wanted, by_kept, by_sweep] = pairs.each_mut();
            for frame in 0..3 {
                for handle in large.iter().filter(|_| frame == 1) {
                    moving.set_enabled(*handle, true).expect("it is there");
                }
                let now = moving.snapshot();
                let count = now.near_pairs_into(0.0, wanted).expect("there is memory");
                let found = [
                    kept.near_pairs_into(&now, 0.0, by_kept).map(|count| &by_kept[..count]),
                    sweep.near_pairs_into(&now, 0.0, by_sweep).map(|count| &by_sweep[..count]),
                ];
                for (way, found) in found.into_iter().enumerate() {
                    match found {
                        Ok(found) => {
                            assert_eq!(found, &wanted[..count], "{way}, {places}");
                            answers[way] += usize::from(frame > 0);
                        }
                        Err(MovingError::Kept { .. } | MovingError::Sweep { .. }) => errors[way] += 1,
                        Err(other) => panic!("{other}"),
                    }
                }
            }
        }
        assert!(errors.iter().chain(&answers).all(|count| *count > 100), "{errors:?} {answers:?}");
    });
}
