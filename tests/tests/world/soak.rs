//! A long life of a world: changes at random, and answers in samples against each box with each and a world built anew.
//!
//! The test takes a short one. A million updates take minutes:
//! `cargo test --release -p bvhc-tests --test world -- --ignored soak`.

use bvhc_runtime::{Handle, KeptPairs, MovingWorld, Snapshot, SweepAndPrune, Thing, World};
use bvhc_tests::random::Random;
use bvhc_tests::support::levels;
use bvhc_tests::support::world::Placed;

use super::changes::{Body, Changing};
use super::kept::kept_pairs;
use super::moving::{any_box, compiled, placed, point, ray};
use super::moving_pairs::pairs_one_by_one;
use super::sweep::swept;
use super::with_world;

const CAPACITY: u32 = 120;

fn any(random: &mut Random) -> Body {
    match random.below(2) {
        0 => Body::Instance(Placed::any(random.below(3) as usize, 12.0, false, random)),
        _ => Body::Box(any_box(random, 12.0)),
    }
}

/// The same things, added in the order of their numbers, so that equal answers go to the same ones.
fn built_anew<'a>(
    world: &World<'a>,
    life: &Changing<'_>,
    memory: &'a mut [u8],
) -> (MovingWorld<'a>, Vec<Handle>) {
    let mut things = life.things.clone();
    things.sort_unstable_by_key(|thing| thing.handle);
    let mut anew = MovingWorld::new(*world, CAPACITY, memory).expect("there is memory");
    for thing in &things {
        let handle = thing.body.add(&mut anew, thing.layers, 0).expect("it fits");
        anew.set_enabled(handle, thing.is_enabled).expect("it is there");
    }
    (anew, things.into_iter().map(|thing| thing.handle).collect())
}

/// Whether rays, points and places answer alike; handles are of the things by their order.
fn compare(now: &Snapshot<'_>, anew: &Snapshot<'_>, handles: &[Handle], random: &mut Random) {
    let as_now = |thing: Thing| match thing {
        Thing::Moving(handle) => Thing::Moving(handles[handle.number as usize]),
        still @ Thing::Still(_) => still,
    };
    for _ in 0..4 {
        let ray = ray(random, 14.0);
        let found = now.closest_hit(&ray).map(|found| (found.thing, found.answer));
        let wanted = anew.closest_hit(&ray).map(|found| (as_now(found.thing), found.answer));
        assert_eq!(found, wanted);
        let point = point(random, 14.0);
        let found = now.closest_point(point, 5.0, &mut ()).map(|found| (found.thing, found.answer));
        let wanted = anew.closest_point(point, 5.0, &mut ()).map(|found| (as_now(found.thing), found.answer));
        assert_eq!(found, wanted);
        let rule = bvhc_runtime::InsideRule::NonZero;
        let (found, wanted) = (now.contains(point, rule, &mut ()), anew.contains(point, rule, &mut ()));
        assert_eq!((found.place, found.thing), (wanted.place, wanted.thing.map(as_now)));
    }
}

/// So many updates, with a sample of answers after each `interval` of them.
fn live(updates: u32, interval: u32) {
    let mut random = Random::new(22);
    let file = compiled(&placed(80, 10.0, false, &mut random));
    with_world(&file, levels()[0], |world| {
        let mut memory = vec![0; MovingWorld::bytes_needed(CAPACITY)];
        let mut life =
            Changing::new(MovingWorld::new(*world, CAPACITY, &mut memory).expect("there is memory"));
        let boxes = life.moving.box_capacity();
        let mut memory = vec![0; SweepAndPrune::bytes_needed(boxes, 80_000)];
        let mut sweep = SweepAndPrune::new(boxes, 80_000, &mut memory).expect("there is memory");
        let mut memory = vec![0; KeptPairs::bytes_needed(CAPACITY, 80_000)];
        let mut kept = KeptPairs::new(CAPACITY, 80_000, &mut memory).expect("there is memory");
        let (mut samples, mut pairs) = (0, 0);
        for update in 1..=updates {
            life.change(&mut random, &mut any);
            life.moving.update();
            if update % interval == 0 {
                let margin = [0.0, 0.5][samples % 2];
                let now = life.moving.snapshot();
                let found = swept(&mut sweep, &now, margin);
                assert_eq!(found, kept_pairs(&mut kept, &now, margin));
                assert!(found.iter().copied().eq(pairs_one_by_one(world, &life.boxes(), margin.into())));
                let mut memory = vec![0; MovingWorld::bytes_needed(CAPACITY)];
                let (anew, handles) = built_anew(world, &life, &mut memory);
                compare(&now, &anew.snapshot(), &handles, &mut random);
                (samples, pairs) = (samples + 1, pairs + found.len());
            } else if update % 7 == 0 {
                // Frames without a sample are what the sweep goes on from.
                let (now, margin) = (life.moving.snapshot(), [0.0, 0.5][samples % 2]);
                assert_eq!(swept(&mut sweep, &now, margin), kept_pairs(&mut kept, &now, margin));
            }
            if update % (9 * interval) == 0 {
                // Every other stretch of life is with fat leaves, which change no answer.
                let by = [0.0, 0.25, 0.0, 3.0][(update / (9 * interval)) as usize % 4];
                life.moving.fatten(by).expect("a fatness");
            }
        }
        println!("{updates} updates, {samples} samples, {pairs} pairs in them");
        assert!(samples > 10 && pairs > 100);
    });
}

#[test]
fn a_short_soak() {
    live(6_000, 100);
}

#[test]
#[ignore = "takes minutes"]
fn a_long_soak() {
    live(1_000_000, 500);
}
