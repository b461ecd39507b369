//! Sweep and prune against each box with each and against the trees, whatever happens between the frames.

use bvhc_runtime::{
    Aabb, Handle, MovingError, MovingWorld, Snapshot, SweepAndPrune, Thing, ThingPair, World,
};
use bvhc_tests::random::Random;
use bvhc_tests::support::levels;
use bvhc_tests::support::world::Placed;

use super::changes::{Body, Changing};
use super::moving::{any_box, compiled, placed};
use super::moving_pairs::{on_grid, pairs_one_by_one};
use super::with_world;

pub(super) const NOTHING: ThingPair = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };

/// The pairs by the sweep: those of the trees, in their order.
pub(super) fn swept(sweep: &mut SweepAndPrune<'_>, now: &Snapshot<'_>, margin: f32) -> Vec<ThingPair> {
    let places = if margin > 100.0 { 80_000 } else { 8_000 };
    let (mut pairs, mut wanted) = (vec![NOTHING; places], vec![NOTHING; places]);
    let count = sweep.near_pairs_into(now, margin, &mut pairs).expect("there is memory");
    let by_trees = now.near_pairs_into(margin, &mut wanted).expect("there is memory");
    assert!(
        pairs[..count] == wanted[..by_trees],
        "{count} pairs, {by_trees} by the trees, {:?}",
        sweep.last()
    );
    pairs.truncate(count);
    pairs
}

/// Runs frames of changes; each answer is that of each box with each, and that of a sweep which begins anew.
fn run(world: &World<'_>, seed: u64, any: &mut dyn FnMut(&mut Random) -> Body) {
    let mut random = Random::new(seed);
    let mut memory = vec![0; MovingWorld::bytes_needed(90)];
    let moving = MovingWorld::new(*world, 90, &mut memory).expect("there is memory");
    let boxes = moving.box_capacity();
    let mut memory = [vec![0; SweepAndPrune::bytes_needed(boxes, 60_000)], vec![7; 7_000_000]];
    let [own, other] = memory.each_mut();
    let mut sweep = SweepAndPrune::new(boxes, 60_000, own).expect("there is memory");
    let mut fresh = SweepAndPrune::new(boxes, 60_000, other).expect("there is memory");
    let mut changing = Changing::new(moving);
    let mut begun = 0;
    for frame in 0..144 {
        // Some frames change nothing, some nearly everything.
        for _ in 0..[0, 1, 5, 40, 400][random.below(5) as usize] {
            changing.change(&mut random, any);
        }
        let margin = [0.0, 0.25, 3.0, 1e-30, f32::MAX, f32::INFINITY][frame / 12 % 6];
        let now = changing.moving.snapshot();
        let found = swept(&mut sweep, &now, margin);
        if margin < 4.0 {
            assert!(found.iter().copied().eq(pairs_one_by_one(world, &changing.boxes(), margin.into())));
        }
        fresh.clear();
        assert_eq!(found, swept(&mut fresh, &now, margin));
        begun += found.len();
        if frame % 30 == 7 {
            swept(&mut sweep, &now.with_layers(2), margin);
        }
    }
    assert!(begun > 5_000);
    for margin in [-1.0, f32::NAN] {
        assert!(swept(&mut sweep, &changing.moving.snapshot(), margin).is_empty());
    }
}

#[test]
fn sweeps_answer_as_trees_and_each_box_with_each() {
    let mut random = Random::new(11);
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

/// Slabs and rods that all overlap on one or two axes, and a crowd at one place.
#[test]
fn sweeps_of_elongated_and_clustered_scenes_are_bounded() {
    let mut random = Random::new(12);
    let level = levels()[0];
    for shape in 0..3 {
        let any = |random: &mut Random| {
            let corner = random.point([0.0; 3], [100.0; 3]);
            match shape {
                0 => Aabb::new([0.0, corner[1], corner[2]], [100.0, corner[1] + 0.5, corner[2] + 0.5]),
                1 => Aabb::new([corner[0], 0.0, 0.0], [corner[0] + 0.01, 100.0, 100.0]),
                _ => Aabb::new(corner.map(|x| 0.2 * x), corner.map(|x| 0.2 * x + 1.0)),
            }
        };
        let mut memory = vec![0; MovingWorld::bytes_needed(1500)];
        let mut moving = MovingWorld::of_models(&[], level, 1500, &mut memory).expect("there is memory");
        let mut memory = vec![0; SweepAndPrune::bytes_needed(1500, 60_000)];
        let mut sweep = SweepAndPrune::new(1500, 60_000, &mut memory).expect("there is memory");
        let handles: Vec<Handle> =
            (0..1500).map(|_| moving.add_box(&any(&mut random), 1, 0).expect("it fits")).collect();
        for frame in 0..8 {
            let found = swept(&mut sweep, &moving.snapshot(), 0.0);
            // At most the allowance, and what one box may take beyond it.
            assert!(sweep.last().swaps <= 12 * 1500 + 6 * 3000, "{:?}", sweep.last());
            assert!(frame != 0 || sweep.last().placed == 1500 && !found.is_empty());
            for handle in &handles {
                // All jump in even frames; in odd ones a few move a little.
                if frame % 2 == 0 {
                    moving.move_box(*handle, &any(&mut random)).expect("it is there");
                } else if handle.number % 100 == 0 {
                    let mut bounds = moving.bounds(*handle).expect("it is there");
                    // Not where all ends are equal: those would all be passed.
                    let Aabb { min, max } = bounds;
                    for axis in (0..3).filter(|axis| max[*axis] - min[*axis] < 99.0) {
                        bounds.min[axis] += 0.001;
                        bounds.max[axis] += 0.001;
                    }
                    moving.move_box(*handle, &bounds).expect("it is there");
                }
            }
            moving.update();
            if frame % 2 == 1 {
                swept(&mut sweep, &moving.snapshot(), 0.0);
                assert_eq!(sweep.last().placed, 0, "{shape}");
                assert_eq!(sweep.near_pairs_into(&moving.snapshot(), -1.0, &mut []), Ok(0));
                assert_eq!((sweep.last().placed, sweep.last().swaps), (0, 0));
            }
        }
    }
}

#[test]
fn too_little_memory_is_an_error_with_the_size() {
    let mut random = Random::new(13);
    let file = compiled(&placed(30, 4.0, false, &mut random));
    with_world(&file, levels()[0], |world| {
        let mut memory = vec![0; MovingWorld::bytes_needed(50)];
        let mut moving = MovingWorld::new(*world, 50, &mut memory).expect("there is memory");
        let boxes = moving.box_capacity();
        let needed = SweepAndPrune::bytes_needed(boxes, 100);
        let mut memory = vec![0; needed - 8];
        let error = SweepAndPrune::new(boxes, 100, &mut memory).err();
        assert_eq!(error, Some(MovingError::Memory { needed, found: needed - 8 }));
        assert!(SweepAndPrune::new(1 << 31, 0, &mut memory).is_err());
        for _ in 0..50 {
            moving.add_box(&any_box(&mut random, 4.0), 1, 0).expect("it fits");
        }
        // First too few boxes, then too few pairs, then what the errors have asked for.
        let (mut boxes, mut pairs, mut errors) = (20, 10, 0);
        let mut places = vec![NOTHING; 5000];
        loop {
            let mut memory = vec![0; SweepAndPrune::bytes_needed(boxes, pairs)];
            let mut sweep = SweepAndPrune::new(boxes, pairs, &mut memory).expect("there is memory");
            match sweep.near_pairs_into(&moving.snapshot(), 0.5, &mut places) {
                Err(MovingError::Sweep { boxes: more, pairs: many, needed }) => {
                    assert!(more > boxes && many == pairs || more == boxes && many > pairs);
                    assert_eq!(needed, SweepAndPrune::bytes_needed(more, many));
                    (boxes, pairs, errors) = (more, many, errors + 1);
                }
                found => {
                    let count = found.expect("there is memory");
                    assert!(errors == 2 && count > 20 && count <= pairs);
                    let error = sweep.near_pairs_into(&moving.snapshot(), 0.5, &mut places[..5]);
                    assert_eq!(error, Err(MovingError::Pairs { needed: count, found: 5 }));
                    swept(&mut sweep, &moving.snapshot(), 0.5);
                    // With a larger margin there is too little; then all is as before.
                    let error = sweep.near_pairs_into(&moving.snapshot(), 1e9, &mut places);
                    assert!(matches!(error, Err(MovingError::Sweep { .. })), "{error:?}");
                    swept(&mut sweep, &moving.snapshot(), 0.5);
                    break;
                }
            }
        }
    });
}
