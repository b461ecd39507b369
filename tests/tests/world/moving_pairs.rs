//! All pairs of things whose boxes are near, against each box with each.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bvhc_runtime::{Aabb, Change, Handle, MovingError, MovingWorld, Snapshot, Thing, ThingPair, World};
use bvhc_tests::random::Random;
use bvhc_tests::support::levels;

use super::moving::{any_box, compiled, placed};
use super::with_world;

/// All pairs by comparing each box with each.
pub(super) fn pairs_one_by_one(
    world: &World<'_>,
    boxes: &[(Handle, Aabb)],
    margin: f64,
) -> BTreeSet<ThingPair> {
    let gap = |a: &Aabb, b: &Aabb, axis: usize| f64::from(a.min[axis]) - f64::from(b.max[axis]);
    let are_near =
        |a: &Aabb, b: &Aabb, margin: f64| (0..3).all(|axis| gap(a, b, axis).max(gap(b, a, axis)) <= margin);
    let mut pairs = BTreeSet::new();
    for (moving, own) in boxes {
        let b = Thing::Moving(*moving);
        let others = boxes.iter().filter(|(a, other)| a < moving && are_near(own, other, margin));
        pairs.extend(others.map(|(a, _)| ThingPair { a: Thing::Moving(*a), b }));
        let lower = own.min.map(|x| ((f64::from(x) - margin) as f32).next_down());
        let upper = own.max.map(|x| ((f64::from(x) + margin) as f32).next_up());
        let grown = Aabb::new(lower, upper);
        for leaf in world.section().leaves.get() {
            let [x, y, z, to_x, to_y, to_z] = leaf.bounds;
            if are_near(&Aabb::new([x, y, z], [to_x, to_y, to_z]), &grown, 0.0) {
                pairs.insert(ThingPair { a: Thing::Still(leaf.instance), b });
            }
        }
    }
    pairs
}

#[test]
fn pairs_are_those_of_all_boxes_and_begin_and_end() {
    let mut random = Random::new(5);
    let file = compiled(&placed(60, 6.0, false, &mut random));
    for level in levels() {
        with_world(&file, level, |world| {
            let mut memory = vec![0; MovingWorld::bytes_needed(80)];
            let mut moving = MovingWorld::new(*world, 80, &mut memory).expect("there is memory");
            let mut boxes = Vec::new();
            for _ in 0..80 {
                let bounds = any_box(&mut random, 9.0);
                boxes.push((moving.add_box(&bounds, 1, 0).expect("it fits"), bounds));
            }
            let nothing = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };
            let (mut places, mut before) = (vec![nothing; 10_000], Vec::new());
            for round in 0..12 {
                let margin = [0.0, 0.25, 3.0][round % 3];
                let count = moving.snapshot().near_pairs_into(margin, &mut places).expect("there are places");
                let wanted = pairs_one_by_one(world, &boxes, margin.into());
                let wanted: Vec<ThingPair> = wanted.into_iter().collect();
                assert!(places[..count] == wanted, "{count} pairs, {} by the oracle", wanted.len());
                assert!(count > 10);
                let few = moving.snapshot().near_pairs_into(margin, &mut places[..5]);
                assert_eq!(few, Err(MovingError::Pairs { needed: count, found: 5 }));
                let mut held: BTreeSet<ThingPair> = before.iter().copied().collect();
                ThingPair::changes(&before, &wanted, |pair, change| match change {
                    Change::Begun => assert!(held.insert(pair)),
                    Change::Ended => assert!(held.remove(&pair)),
                });
                assert!(held.iter().eq(&wanted));
                before = wanted;
                for (handle, bounds) in boxes.iter_mut().step_by(3) {
                    *bounds = any_box(&mut random, 9.0);
                    moving.move_box(*handle, bounds).expect("it is there");
                }
                if round % 4 == 1 {
                    let (gone, bounds) = boxes.remove(7);
                    moving.remove(gone).expect("it is there");
                    boxes.push((moving.add_box(&bounds, 1, 0).expect("it fits"), bounds));
                    moving.update();
                }
            }
        });
    }
}

/// All pairs by the tree, in the order in which it finds them: each once.
fn found(moving: &Snapshot<'_>, margin: f32) -> BTreeSet<ThingPair> {
    let mut pairs = BTreeSet::new();
    let ended = moving.near_pairs(margin, |pair| {
        assert!(pairs.insert(pair), "{pair:?} is found once");
        ControlFlow::Continue(())
    });
    assert!(ended.is_continue());
    pairs
}

/// A box whose planes are multiples of a quarter, or a unit beside.
pub(super) fn on_grid(number: u32, random: &mut Random) -> Aabb {
    let far = if number.is_multiple_of(7) { 4096.0 } else { 0.0 };
    let corner = [0; 3].map(|_| far + 0.25 * random.integer(-30, 30) as f32);
    let size = [0; 3].map(|_| 0.25 * random.integer(0, 6) as f32);
    let end = [0, 1, 2].map(|axis| corner[axis] + size[axis]);
    // Some are a unit larger, or smaller.
    match number % 5 {
        0 => Aabb::new(corner, end.map(f32::next_up)),
        1 if size.iter().all(|x| *x > 0.0) => Aabb::new(corner.map(f32::next_up), end),
        _ => Aabb::new(corner, end),
    }
}

/// Boxes that touch, or are apart by exactly the margin or one unit more; near the origin and far away; in trees of several
/// levels, built at once, grown by additions or torn apart by motion.
#[test]
fn pairs_at_the_margin_are_found_in_any_tree() {
    let mut random = Random::new(6);
    let file = compiled(&placed(120, 9.0, false, &mut random));
    for level in levels() {
        with_world(&file, level, |world| {
            let mut memory = vec![0; MovingWorld::bytes_needed(700)];
            let mut moving = MovingWorld::new(*world, 700, &mut memory).expect("there is memory");
            let mut boxes = Vec::new();
            for number in 0..700 {
                let (bounds, layers) = (on_grid(number, &mut random), 1 << (number % 3));
                boxes.push((moving.add_box(&bounds, layers, 0).expect("it fits"), bounds));
            }
            for round in 0..4 {
                for margin in [0.0, 0.25, 0.5, 1e-30] {
                    let wanted = pairs_one_by_one(world, &boxes, margin.into());
                    assert!(found(&moving.snapshot(), margin) == wanted, "{margin} {round}");
                }
                match round {
                    0 => moving.rebuild(),
                    1 => {
                        for (number, (handle, bounds)) in boxes.iter_mut().enumerate() {
                            *bounds = on_grid(number as u32 + 1, &mut random);
                            moving.move_box(*handle, bounds).expect("it is there");
                        }
                    }
                    _ => drop(moving.update()),
                }
            }
            // Layers hide things of both.
            let is_seen = |thing: Thing| match thing {
                Thing::Still(number) => world.instance(number).expect("it is there").layers() & 2 != 0,
                Thing::Moving(handle) => handle.number % 3 == 1,
            };
            let wanted = pairs_one_by_one(world, &boxes, 0.25);
            let seen = wanted.iter().filter(|pair| is_seen(pair.a) && is_seen(pair.b));
            let few = found(&moving.snapshot().with_layers(2), 0.25);
            assert!(few.len() > 50 && few.iter().eq(seen), "{}", few.len());
            let mut visits = 0;
            let ended = moving.snapshot().near_pairs(0.25, |_| {
                visits += 1;
                if visits == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert_eq!((ended, visits), (ControlFlow::Break(()), 3));
            let all = found(&moving.snapshot(), f32::INFINITY);
            let instances = (0..world.instance_count()).filter(|it| world.instance(*it).is_some()).count();
            assert_eq!(all.len(), 700 * 699 / 2 + 700 * instances);
            for margin in [-1.0, f32::NAN] {
                assert!(found(&moving.snapshot(), margin).is_empty());
            }
        });
    }
}
