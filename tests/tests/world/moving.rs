//! Moving things answer as a compiled world of the same instances, bit for bit, whatever happened before; and boxes as one by
//! one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bvhc::compile::{Options, Quality};
use bvhc::mesh::Mesh;
use bvhc_runtime::format::NONE;
use bvhc_runtime::{
    Aabb, Found, Handle, Hit, MovingError, MovingWorld, Pose, Ray, Similarity, Snapshot, Thing, ThingFilter,
    VisitControl, World,
};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere};
use bvhc_tests::support::levels;
use bvhc_tests::support::world::{Placed, compiled_world};

use super::moving_shapes::{self, Boxes};
use super::with_world;

fn meshes() -> [Mesh; 3] {
    [grid::cubes([2, 1, 1]), icosphere::displaced(6, 0.2, 1), grid::checkerboard(4)]
}

pub(super) fn compiled(placed: &[Placed]) -> bvhc::file::Bytes {
    let meshes = meshes();
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    compiled_world(&meshes, placed, &Options { obb: None, ..Options::of(Quality::Default) })
}

pub(super) fn placed(count: usize, range: f64, is_rigid: bool, random: &mut Random) -> Vec<Placed> {
    (0..count).map(|number| Placed::any(number % 3, range, is_rigid, random)).collect()
}

pub(super) fn similarity(placed: &Placed) -> Similarity {
    let pose = Pose::from_quaternion(placed.rotation, placed.position).expect("it is a pose");
    Similarity::new(pose, placed.scale, placed.mirror).expect("it is a scale")
}

pub(super) fn point(random: &mut Random, range: f64) -> [f32; 3] {
    [0; 3].map(|_| (range * (2.0 * random.unit() - 1.0)) as f32)
}

pub(super) fn any_box(random: &mut Random, range: f64) -> Aabb {
    let (a, size) = (point(random, range), point(random, 2.0));
    Aabb::new(a, [0, 1, 2].map(|axis| a[axis] + size[axis].abs()))
}

pub(super) fn ray(random: &mut Random, range: f64) -> Ray {
    let ray = Ray::new(point(random, range), random.direction());
    match random.below(4) {
        0 => ray.with_range(-50.0, 20.0),
        1 => ray.with_range(0.0, 8.0),
        _ => ray,
    }
}

pub(super) fn number(thing: Thing) -> u32 {
    match thing {
        Thing::Still(number) => number,
        Thing::Moving(handle) => handle.number,
    }
}

/// Adds what the world has in order, after much else was done with these and others.
fn in_motion<'a>(world: &World<'a>, memory: &'a mut [u8], random: &mut Random) -> MovingWorld<'a> {
    let capacity = world.instance_count() + 30;
    let mut moving =
        MovingWorld::of_models(world.meshes(), world.level(), capacity, memory).expect("there is memory");
    let anywhere = |random: &mut Random| similarity(&Placed::any(0, 40.0, false, random));
    let handles: Vec<Handle> = world
        .instances()
        .map(|it| moving.add_instance(it.mesh(), &anywhere(random), it.layers(), it.user()).expect("it fits"))
        .collect();
    let mut others = Vec::new();
    for _ in 0..600 {
        let of_these = handles[random.below(handles.len() as u32) as usize];
        match random.below(9) {
            0 if others.len() < 30 => {
                let place = anywhere(random);
                let mesh = random.below(world.mesh_count());
                others.push(moving.add_instance(mesh, &place, 7, 0).expect("it fits"));
            }
            1 if others.len() < 30 => {
                others.push(moving.add_box(&any_box(random, 40.0), 7, 0).expect("it fits"));
            }
            2 if !others.is_empty() => {
                let gone = others.swap_remove(random.below(others.len() as u32) as usize);
                moving.remove(gone).expect("it is there");
                assert_eq!(moving.remove(gone), Err(MovingError::NoSuchThing));
            }
            3 => moving.set_enabled(of_these, random.below(2) == 0).expect("it is there"),
            4 if random.below(10) == 0 => moving.rebuild(),
            5 => drop(moving.update()),
            6 => moving.set_layers(of_these, random.below(16)).expect("it is there"),
            _ => moving.move_instance(of_these, &anywhere(random)).expect("it is there"),
        }
    }
    for gone in others {
        moving.remove(gone).expect("it is there");
    }
    for (handle, instance) in handles.iter().zip(world.instances()) {
        moving.move_instance(*handle, &instance.similarity()).expect("it is there");
        moving.set_enabled(*handle, true).expect("it is there");
        moving.set_layers(*handle, instance.layers()).expect("it is there");
        assert_eq!(moving.mesh(*handle), Some(instance.mesh()));
        let (found, wanted) = (moving.similarity(*handle).expect("it is there"), instance.similarity());
        assert_eq!(found.apply([1.0, 2.0, 3.0]), wanted.apply([1.0, 2.0, 3.0]));
    }
    moving
}

/// Whether rays, points, boxes and balls answer alike.
fn compare(world: &World<'_>, moving: &Snapshot<'_>, random: &mut Random) {
    let ray = ray(random, 25.0);
    let found = moving.closest_hit(&ray).map(|found| (number(found.thing), found.answer));
    assert_eq!(found, world.closest_hit(&ray).map(|found| (found.instance, found.hit)), "{ray:?}");
    assert_eq!(moving.any_hit(&ray), world.any_hit(&ray));
    let (mut hits, mut wanted) = (BTreeMap::new(), BTreeMap::new());
    moving.all_hits(&ray, &mut (), |found| {
        assert!(hits.insert((number(found.thing), found.answer.triangle), found.answer.t).is_none());
        VisitControl::Continue
    });
    world.all_hits(&ray, |found| {
        wanted.insert((found.instance, found.hit.triangle), found.hit.t);
        VisitControl::Continue
    });
    assert_eq!(hits, wanted);
    let point = point(random, 25.0);
    let limit = [f32::INFINITY, 3.0][random.below(2) as usize];
    let found = moving.closest_point(point, limit, &mut ());
    let found = found.map(|found| {
        (number(found.thing), found.answer.distance, found.answer.point, found.answer.local.triangle)
    });
    let wanted = world.closest_point(point, limit);
    assert_eq!(found, wanted.map(|it| (it.instance, it.distance, it.point, it.local.triangle)), "{point:?}");
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    let query = any_box(random, 20.0);
    let _ = moving.overlap_box(&query, &mut (), |it| {
        found.push((number(it.thing), it.answer.triangle));
        ControlFlow::Continue(())
    });
    let _ = moving.overlap_sphere(point, 4.0, &mut (), |it| {
        found.push((number(it.thing), it.answer.triangle));
        ControlFlow::Continue(())
    });
    let mut visit = |it: bvhc_runtime::WorldOverlap| {
        wanted.push((it.instance, it.overlap.triangle));
        ControlFlow::Continue(())
    };
    let _ = world.overlap_box(&query, &mut visit);
    let _ = world.overlap_sphere(point, 4.0, &mut visit);
    found.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
    moving_shapes::compare(world, moving, point, random);
}

#[test]
fn moved_instances_answer_as_a_compiled_world() {
    for (seed, count) in [(1, 1), (2, 17), (3, 90)] {
        let mut random = Random::new(seed);
        let file = compiled(&placed(count, 20.0, false, &mut random));
        for level in levels() {
            with_world(&file, level, |world| {
                let mut memory = vec![0; MovingWorld::bytes_needed(world.instance_count() + 30)];
                let mut moving = in_motion(world, &mut memory, &mut random);
                for _ in 0..60 {
                    compare(world, &moving.snapshot(), &mut random);
                }
                moving.update();
                for _ in 0..60 {
                    compare(world, &moving.snapshot(), &mut random);
                }
                moving.rebuild();
                for _ in 0..60 {
                    compare(world, &moving.snapshot(), &mut random);
                }
                let masked = (world.with_layers(2), moving.snapshot().with_layers(2));
                for _ in 0..60 {
                    compare(&masked.0, &masked.1, &mut random);
                }
            });
        }
    }
}

#[test]
fn meshes_at_poses_meet_moved_instances_as_in_a_compiled_world() {
    let mut random = Random::new(7);
    let file = compiled(&placed(40, 8.0, true, &mut random));
    with_world(&file, levels()[0], |world| {
        let mut memory = vec![0; MovingWorld::bytes_needed(world.instance_count() + 30)];
        let moving = in_motion(world, &mut memory, &mut random);
        let (moving, mesh) = (moving.snapshot(), world.mesh(1).expect("it is there"));
        for _ in 0..40 {
            let pose = *similarity(&Placed::any(0, 12.0, true, &mut random)).pose();
            let (mut found, mut wanted) = (Vec::new(), Vec::new());
            let ended = moving.all_pairs(mesh, &pose, &mut (), |it| {
                found.push((number(it.thing), it.answer));
                ControlFlow::Continue(())
            });
            assert!(ended.is_ok());
            let ended = world.all_pairs(mesh, &pose, &mut (), |it| {
                wanted.push((it.instance, it.pair));
                ControlFlow::Continue(())
            });
            assert!(ended.is_ok());
            found.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(found, wanted);
            let first = moving.first_pair(mesh, &pose, &mut ()).expect("in time");
            assert_eq!(first.is_some(), !wanted.is_empty());
            let found = moving.distance(mesh, &pose, 5.0, &mut ()).expect("in time");
            let wanted = world.distance(mesh, &pose, 5.0, &mut ()).expect("in time");
            assert_eq!(moving.within(mesh, &pose, 5.0, &mut ()), Ok(found.is_some()));
            let found = found.map(|it| (number(it.thing), it.answer));
            assert_eq!(found, wanted.map(|it| (it.instance, it.distance)));
        }
    });
}

/// What a ray hits first of one box: the slabs, in f64.
fn hit_of_box(bounds: &Aabb, ray: &Ray) -> Option<f32> {
    let (mut from, mut to) = (f64::from(ray.t_min), f64::from(ray.t_max));
    for axis in 0..3 {
        let (o, d) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
        let (a, b) = ((f64::from(bounds.min[axis]) - o) / d, (f64::from(bounds.max[axis]) - o) / d);
        (from, to) = (from.max(a.min(b)), to.min(a.max(b)));
    }
    (from <= to).then_some(from as f32)
}

/// A compiled world, moving instances and boxes, each asked alone.
struct Mixed<'a> {
    world: &'a World<'a>,
    instances: Vec<(Handle, u32, Similarity)>,
    boxes: Vec<(Handle, Aabb)>,
}

impl Mixed<'_> {
    /// All hits, each thing's first.
    fn hits(&self, ray: &Ray, filter: &dyn Fn(Thing) -> bool) -> Vec<(f32, Thing, u32)> {
        let still = self.world.instances().map(|it| (Thing::Still(it.number()), it.mesh(), it.similarity()));
        let moving = self.instances.iter().map(|(it, mesh, place)| (Thing::Moving(*it), *mesh, *place));
        let of_mesh = |(thing, mesh, place): (Thing, u32, Similarity)| {
            let hit = self.world.mesh(mesh)?.closest_hit(&place.inverse_transform_ray(ray))?;
            Some((hit.t, thing, hit.triangle))
        };
        let of_box =
            |(it, bounds): &(Handle, Aabb)| Some((hit_of_box(bounds, ray)?, Thing::Moving(*it), NONE));
        let all = still.chain(moving).filter_map(of_mesh).chain(self.boxes.iter().filter_map(of_box));
        all.filter(|(_, thing, _)| filter(*thing)).collect()
    }

    fn check(&self, moving: &Snapshot<'_>, random: &mut Random) {
        let ray = ray(random, 15.0);
        let is_seen = |thing: Thing| !number(thing).is_multiple_of(5);
        for (found, filter) in [
            (moving.closest_hit(&ray), &(|_| true) as &dyn Fn(Thing) -> bool),
            (moving.closest_hit_with(&ray, &mut (|thing| is_seen(thing))), &is_seen),
        ] {
            let wanted = self
                .hits(&ray, filter)
                .into_iter()
                .min_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            let found = found.map(|Found { thing, answer: Hit { t, triangle, .. } }| (t, thing, triangle));
            assert_eq!(found, wanted, "{ray:?}");
        }
        let hits = self.hits(&ray, &|_| true);
        assert_eq!(moving.any_hit(&ray), !hits.is_empty());
        let mut boxes = 0;
        moving.all_hits(&ray, &mut (), |found| {
            boxes += usize::from(found.answer.triangle == NONE);
            VisitControl::Continue
        });
        assert_eq!(boxes, hits.iter().filter(|hit| hit.2 == NONE).count());
        self.check_boxes(moving, random);
    }

    fn check_boxes(&self, moving: &Snapshot<'_>, random: &mut Random) {
        let (query, centre) = (any_box(random, 12.0), point(random, 12.0));
        let gap = |it: &Aabb| {
            let clamped = [0, 1, 2].map(|axis| centre[axis].clamp(it.min[axis], it.max[axis]));
            let part = |axis: usize| (f64::from(clamped[axis]) - f64::from(centre[axis])).powi(2);
            part(0) + part(1) + part(2)
        };
        let touches =
            |it: &Aabb| (0..3).all(|axis| it.min[axis] <= query.max[axis] && query.min[axis] <= it.max[axis]);
        let listed = |is_it: &dyn Fn(&Aabb) -> bool| -> Vec<Thing> {
            let mut all: Vec<_> =
                self.boxes.iter().filter(|(_, it)| is_it(it)).map(|(it, _)| Thing::Moving(*it)).collect();
            all.sort_unstable();
            all
        };
        let (mut in_box, mut in_ball) = (Vec::new(), Vec::new());
        let _ = moving.overlap_box(&query, &mut (), |it| {
            in_box.extend((it.answer.triangle == NONE).then_some(it.thing));
            ControlFlow::Continue(())
        });
        let _ = moving.overlap_sphere(centre, 3.0, &mut (), |it| {
            in_ball.extend((it.answer.triangle == NONE).then_some(it.thing));
            ControlFlow::Continue(())
        });
        in_box.sort_unstable();
        in_ball.sort_unstable();
        assert_eq!(in_box, listed(&touches));
        assert_eq!(in_ball, listed(&|it| gap(it) <= 9.0));
        let only_boxes = |thing: Thing| self.boxes.iter().any(|(it, _)| Thing::Moving(*it) == thing);
        let found = moving.closest_point(centre, f32::INFINITY, &mut (|thing| only_boxes(thing)));
        let wanted = self
            .boxes
            .iter()
            .map(|(it, bounds)| (gap(bounds), *it))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let found = found.map(|it| (it.thing, it.answer.distance));
        assert_eq!(found, wanted.map(|(square, it)| (Thing::Moving(it), square.sqrt() as f32)));
        let boxes = Boxes { all: &self.boxes, moving };
        boxes.check_shapes(random);
        boxes.check_inside(centre);
    }
}

#[test]
fn still_and_moving_things_answer_as_one_by_one() {
    let mut random = Random::new(11);
    let file = compiled(&placed(20, 10.0, false, &mut random));
    for level in levels() {
        with_world(&file, level, |world| {
            let mut memory = vec![1; MovingWorld::bytes_needed(200)];
            let mut moving = MovingWorld::new(*world, 200, &mut memory).expect("there is memory");
            let mut mixed = Mixed { world, instances: Vec::new(), boxes: Vec::new() };
            for step in 0..400 {
                let place = similarity(&Placed::any(0, 10.0, false, &mut random));
                let bounds = any_box(&mut random, 10.0);
                match random.below(6) {
                    0 if moving.len() < 200 => {
                        let mesh = random.below(3);
                        let handle = moving.add_instance(mesh, &place, 1, 5).expect("it fits");
                        mixed.instances.push((handle, mesh, place));
                    }
                    1 | 2 if moving.len() < 200 => {
                        mixed.boxes.push((moving.add_box(&bounds, 1, 6).expect("it fits"), bounds));
                    }
                    3 if !mixed.boxes.is_empty() => {
                        let at = random.below(mixed.boxes.len() as u32) as usize;
                        mixed.boxes[at].1 = bounds;
                        moving.move_box(mixed.boxes[at].0, &bounds).expect("it is there");
                    }
                    4 if !mixed.instances.is_empty() => {
                        let at = random.below(mixed.instances.len() as u32) as usize;
                        mixed.instances[at].2 = place;
                        moving.move_instance(mixed.instances[at].0, &place).expect("it is there");
                    }
                    5 if mixed.boxes.len() > 20 => {
                        let at = random.below(mixed.boxes.len() as u32) as usize;
                        moving.remove(mixed.boxes.swap_remove(at).0).expect("it is there");
                    }
                    _ => drop(moving.update()),
                }
                if step % 4 == 0 {
                    mixed.check(&moving.snapshot(), &mut random);
                }
            }
        });
    }
}

/// Boxes in a row, added from one end: the worst for a tree without updates.
#[test]
fn rows_of_boxes_need_no_update() {
    let mut memory = vec![0; MovingWorld::bytes_needed(5000)];
    let mut moving = MovingWorld::of_models(&[], levels()[0], 5000, &mut memory).expect("there is memory");
    let at = |number: u32| Aabb::new([number as f32, 0.0, 0.0], [number as f32 + 0.5, 1.0, 1.0]);
    let handles: Vec<Handle> =
        (0..5000).map(|number| moving.add_box(&at(number), 1, number.into()).expect("it fits")).collect();
    let full = MovingError::Full { capacity: 5000, needed: MovingWorld::bytes_needed(5001) };
    assert_eq!(moving.add_box(&at(0), 1, 0), Err(full));
    let check = |moving: &MovingWorld<'_>| {
        for number in (0..5000).step_by(37) {
            let ray = Ray::new([number as f32 + 0.25, 0.5, 9.0], [0.0, 0.0, -1.0]);
            let found = moving.snapshot().closest_hit(&ray).expect("it hits");
            assert_eq!((found.thing, found.answer.t), (Thing::Moving(handles[number as usize]), 8.0));
            assert_eq!(found.answer.normal, [0.0, 0.0, 1.0]);
        }
    };
    check(&moving);
    assert!(moving.update().is_rebuilt || moving.len() == 5000);
    check(&moving);
    // Nothing changed, so there is nothing to do.
    let updated = moving.update();
    assert_eq!((updated.refitted, updated.is_rebuilt), (0, false));
    // Everything goes everywhere: the tree gets worse until it is built anew.
    let mut random = Random::new(3);
    for (number, handle) in handles.iter().enumerate() {
        let place = random.below(5000);
        moving.move_box(*handle, &at(place)).expect("it is there");
        assert_eq!(moving.bounds(*handle), Some(at(place)), "{number}");
    }
    assert!(moving.update().is_rebuilt);
    for (number, handle) in (0..).zip(&handles) {
        moving.move_box(*handle, &at(number)).expect("it is there");
    }
    check(&moving);
}

#[test]
fn handles_and_memory_are_checked() {
    let needed = MovingWorld::bytes_needed(10);
    let mut memory = vec![0; needed - 64];
    let error = MovingWorld::of_models(&[], levels()[0], 10, &mut memory).map(drop);
    assert_eq!(error, Err(MovingError::Memory { needed, found: needed - 64 }));
    let many = MovingWorld::of_models(&[], levels()[0], u32::MAX, &mut []).map(drop);
    assert!(matches!(many, Err(MovingError::Capacity { .. })));
    // Any address will do.
    let mut memory = vec![0; needed + 64];
    for start in 0..64 {
        let moving = MovingWorld::of_models(&[], levels()[0], 10, &mut memory[start..start + needed]);
        assert!(moving.is_ok(), "{start}");
    }
    let mut moving = MovingWorld::of_models(&[], levels()[0], 10, &mut memory).expect("there is memory");
    let unit = Aabb::new([0.0; 3], [1.0; 3]);
    let ray = Ray::new([0.5, 0.5, 5.0], [0.0, 0.0, -1.0]);
    assert!(moving.is_empty() && moving.snapshot().closest_hit(&ray).is_none());
    let old = moving.add_box(&unit, 1, 1).expect("it fits");
    moving.remove(old).expect("it is there");
    assert!(moving.snapshot().closest_hit(&ray).is_none());
    let new = moving.add_box(&unit, 1, 2).expect("it fits");
    assert_eq!((new.number, new.generation), (old.number, old.generation + 1));
    assert!(!moving.contains(old) && moving.user(new) == Some(2) && moving.user(old).is_none());
    let identity = Similarity::new(Pose::IDENTITY, 1.0, false).expect("1 is a scale");
    assert_eq!(moving.move_box(old, &unit), Err(MovingError::NoSuchThing));
    assert_eq!(moving.move_instance(new, &identity), Err(MovingError::OtherKind));
    assert_eq!(moving.add_instance(0, &identity, 1, 0), Err(MovingError::NoSuchMesh { mesh: 0 }));
    for broken in [f32::NAN, f32::INFINITY, -1.0] {
        let bounds = Aabb::new([0.0; 3], [1.0, broken, 1.0]);
        assert_eq!(moving.move_box(new, &bounds), Err(MovingError::Bounds));
    }
    moving.set_enabled(new, false).expect("it is there");
    assert!(moving.snapshot().closest_hit(&ray).is_none() && moving.contains(new));
    moving.move_box(new, &Aabb::new([0.0; 3], [1.0, 1.0, 2.0])).expect("it is there");
    moving.set_enabled(new, true).expect("it is there");
    assert_eq!(moving.snapshot().closest_hit(&ray).map(|found| found.answer.t), Some(3.0));
    assert!(moving.snapshot().with_layers(2).closest_hit(&ray).is_none());
    moving.set_enabled(new, false).expect("it is there");
    moving.set_layers(new, 2).expect("it is there");
    assert!(!moving.is_enabled(new) && moving.layers(new) == Some(2));
    assert!(moving.snapshot().closest_hit(&ray).is_none());
    moving.set_enabled(new, true).expect("it is there");
    assert!(moving.snapshot().with_layers(1).closest_hit(&ray).is_none());
    let found = moving.snapshot().with_layers(2).closest_hit(&ray).expect("it meets the box");
    assert!(
        moving.snapshot().mesh(found.thing).is_none() && moving.snapshot().similarity(found.thing).is_none()
    );
    moving.set_layers(new, 1).expect("it is there");
    assert!(moving.is_enabled(new) && moving.snapshot().with_layers(1).any_hit(&ray));
    assert!(moving.snapshot().mesh(Thing::Moving(old)).is_none() && moving.set_layers(old, 1).is_err());
    assert_eq!(Similarity::new(Pose::IDENTITY, 0.0, false), None);
    assert_eq!(Similarity::new(Pose::IDENTITY, f64::NAN, false), None);
}

struct NoTriangleOf(Thing);

impl ThingFilter for NoTriangleOf {
    fn filters_triangles(&self) -> bool {
        true
    }

    fn accepts_triangle(&mut self, thing: Thing, _: u32) -> bool {
        thing != self.0
    }
}

#[test]
fn triangles_are_filtered_by_thing() {
    let file = compiled(&[Placed::identity(0)]);
    with_world(&file, levels()[0], |world| {
        let mut memory = vec![0; MovingWorld::bytes_needed(1)];
        let mut moving = MovingWorld::new(*world, 1, &mut memory).expect("there is memory");
        let above = Pose::from_translation([0.0, 0.0, 5.0]).expect("it is a pose");
        let above = Similarity::new(above, 1.0, false).expect("1 is a scale");
        let handle = moving.add_instance(0, &above, 1, 0).expect("it fits");
        let ray = Ray::new([0.25, 0.5, 50.0], [0.0, 0.0, -1.0]);
        let moving = moving.snapshot();
        assert_eq!(moving.closest_hit(&ray).map(|it| it.thing), Some(Thing::Moving(handle)));
        let found = moving.closest_hit_with(&ray, &mut NoTriangleOf(Thing::Moving(handle)));
        assert_eq!(found.map(|it| it.thing), Some(Thing::Still(0)));
    });
}

/// Many threads may ask, and the world may live in a resource.
#[test]
fn worlds_go_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<MovingWorld<'_>>();
    check::<Snapshot<'_>>();
}
