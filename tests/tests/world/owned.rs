//! Worlds that own their files and the memory of what moves.

use std::ops::ControlFlow;

use bvhc::compile::{Options, Quality};
use bvhc::file::Bytes;
use bvhc_runtime::{
    Handle, LoadedModel, MovingError, MovingWorld, MovingWorldFile, Snapshot, Thing, WorldFile,
};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere};
use bvhc_tests::support::world::{Placed, compiled_world};

use super::moving::{any_box, ray, similarity};

fn file(random: &mut Random) -> Bytes {
    let meshes = [grid::cubes([2, 1, 1]), icosphere::displaced(6, 0.2, 1)];
    let placed: Vec<Placed> = (0..20).map(|number| Placed::any(number % 2, 30.0, false, random)).collect();
    compiled_world(&meshes.each_ref(), &placed, &Options { obb: None, ..Options::of(Quality::Default) })
}

fn opened(file: &Bytes) -> WorldFile {
    WorldFile::loaded(LoadedModel::from_bytes(file).expect("it opens")).expect("it has a world")
}

/// The answers to some rays and all pairs that are near.
fn answers(snapshot: &Snapshot<'_>, seed: u64) -> Vec<(Option<Thing>, u32)> {
    let mut random = Random::new(seed);
    let hit = |random: &mut Random| {
        let found = snapshot.closest_hit(&ray(random, 30.0));
        (found.as_ref().map(|it| it.thing), found.map_or(0, |it| it.answer.t.to_bits()))
    };
    let mut all: Vec<_> = (0..50).map(|_| hit(&mut random)).collect();
    let mut near = Vec::new();
    let end = snapshot.near_pairs(0.5, |pair| {
        near.push(pair);
        ControlFlow::Continue(())
    });
    assert_eq!(end, ControlFlow::Continue(()));
    near.sort();
    all.extend(near.iter().flat_map(|pair| [(Some(pair.a), 0), (Some(pair.b), 0)]));
    all
}

/// What grows from nothing is at each step what has had enough memory from the start.
#[test]
fn memory_grows_and_nothing_is_lost() {
    let mut random = Random::new(1);
    let file = file(&mut random);
    let still = opened(&file);
    let mut memory = vec![0xa5; MovingWorld::bytes_needed(1000)];
    let mut enough = MovingWorld::new(still.world(), 1000, &mut memory).expect("there is memory");
    let mut owned = MovingWorldFile::new(opened(&file), 0).expect("there is memory");
    let (mut handles, mut capacities): (Vec<(Handle, bool)>, _) = (Vec::new(), vec![0]);
    for step in 0..1500 {
        let any = |random: &mut Random| random.below(handles.len() as u32) as usize;
        match random.below(6) {
            0 if !handles.is_empty() => {
                let (handle, _) = handles.swap_remove(any(&mut random));
                assert_eq!((owned.remove(handle), enough.remove(handle)), (Ok(()), Ok(())));
                assert_eq!(owned.remove(handle), Err(MovingError::NoSuchThing));
            }
            1 if !handles.is_empty() => {
                let (handle, is_box) = handles[any(&mut random)];
                if is_box {
                    let bounds = any_box(&mut random, 30.0);
                    assert_eq!(owned.move_box(handle, &bounds), enough.move_box(handle, &bounds));
                } else {
                    let place = similarity(&Placed::any(0, 30.0, false, &mut random));
                    assert_eq!(owned.move_instance(handle, &place), enough.move_instance(handle, &place));
                }
            }
            2 if !handles.is_empty() => {
                let (handle, _) = handles[any(&mut random)];
                let is_enabled = random.below(3) != 0;
                assert_eq!(owned.set_enabled(handle, is_enabled), enough.set_enabled(handle, is_enabled));
                let layers = 1 + random.below(3);
                assert_eq!(owned.set_layers(handle, layers), enough.set_layers(handle, layers));
            }
            3 => {
                let bounds = any_box(&mut random, 30.0);
                let handle = owned.add_box(&bounds, u32::MAX, step).expect("it grows");
                assert_eq!(enough.add_box(&bounds, u32::MAX, step), Ok(handle));
                handles.push((handle, true));
            }
            _ => {
                let (mesh, layers) = (random.below(2), 1 + random.below(3));
                let place = similarity(&Placed::any(0, 30.0, false, &mut random));
                let handle = owned.add_instance(mesh, &place, layers, step).expect("it grows");
                assert_eq!(enough.add_instance(mesh, &place, layers, step), Ok(handle));
                handles.push((handle, false));
            }
        }
        if *capacities.last().expect("one") != owned.world().capacity() {
            capacities.push(owned.world().capacity());
        }
        if step % 20 == 0 {
            owned.update();
            enough.update();
            assert_eq!(answers(&owned.snapshot(), step), answers(&enough.snapshot(), step), "step {step}");
        }
    }
    assert_eq!(capacities[..5], [0, 16, 32, 64, 128]);
    for (handle, _) in handles {
        assert_eq!(
            (owned.world().user(handle), owned.world().bounds(handle)),
            (enough.user(handle), enough.bounds(handle))
        );
    }
}

/// A resource of an entity component system: it goes to another thread, and many query it.
#[test]
fn it_is_moved_and_shared() {
    fn is_resource<T: Send + Sync + 'static>(_: &T) {}
    let mut random = Random::new(2);
    let file = file(&mut random);
    let mut owned = MovingWorldFile::new(opened(&file), 4).expect("there is memory");
    for number in 0..100 {
        owned.add_box(&any_box(&mut random, 30.0), u32::MAX, number).expect("it grows");
    }
    is_resource(&owned);
    let expected = answers(&owned.snapshot(), 3);
    let owned = std::thread::spawn(move || {
        owned.rebuild();
        Box::new(owned)
    });
    let owned = owned.join().expect("it ends");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(answers(&owned.snapshot(), 3), expected));
        }
    });
    assert_eq!(owned.file().world().instance_count(), 20);
}

#[test]
fn memory_of_any_size() {
    let mut random = Random::new(3);
    let file = opened(&file(&mut random));
    let [mut first, mut small] = [100, 99].map(|capacity| vec![0; MovingWorld::bytes_needed(capacity)]);
    let mut world = MovingWorld::new(file.world(), 100, &mut first).expect("there is memory");
    let handle = world.add_box(&any_box(&mut random, 30.0), 1, 7).expect("it fits");
    let needed = MovingWorld::bytes_needed(100);
    let refused = world.copy_into(1, &mut small).map(|_| ());
    assert_eq!(refused, Err(MovingError::Memory { needed, found: MovingWorld::bytes_needed(99) }));
    let mut other = vec![0; needed];
    let copy = world.copy_into(1, &mut other).expect("there is memory");
    assert_eq!((copy.capacity(), copy.len(), copy.user(handle)), (100, 1, Some(7)));
    let found = MovingWorld::MAX_CAPACITY + 1;
    let refused = MovingWorldFile::new(file, found).map(|_| ());
    assert_eq!(refused, Err(MovingError::Capacity { found, most: MovingWorld::MAX_CAPACITY }));
}
