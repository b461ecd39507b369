//! Opening and querying do not allocate: a counting allocator proves it.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ops::ControlFlow;

use bvhc::FieldOptions;
use bvhc::compile::{Options, Quality};
use bvhc::mesh::Mesh;
use bvhc_runtime::{
    Aabb, Capsule, Contact, Counters, Filter, Found, InsideRule, KeptPairs, KeptStart, Model, MovingWorld,
    Place, Pose, Ray, ShapeCast, Similarity, SweepAndPrune, ThinWorld, Thing, ThingPair, Tolerance, Touches,
    VisitControl, WarmStarts, WorkBudget, World, WorldContact,
};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{hall, icosphere};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::trial::Trial;
use bvhc_tests::support::world::{Placed, compiled_apart, compiled_world, manifest};
use bvhc_tests::support::{Scene, aligned, compiled, compiled_with};

thread_local! {
    /// How often this thread has allocated. `const`, so that it needs no memory itself.
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator, with a count per thread: the test harness has threads of its own.
struct Counting;

fn count() {
    REQUESTS.with(|requests| requests.set(requests.get() + 1));
}

// SAFETY: every call is forwarded unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps `alloc`'s contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps `alloc_zeroed`'s contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps `realloc`'s contract, and `pointer` came from the system's allocator.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps `dealloc`'s contract, and `pointer` came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations during `run`.
fn requests(run: impl FnOnce()) -> u64 {
    let before = REQUESTS.get();
    run();
    REQUESTS.get() - before
}

#[test]
fn counting_counts() {
    assert!(requests(|| drop(std::hint::black_box(vec![1u8; 10]))) > 0);
    assert_eq!(requests(|| ()), 0);
}

#[test]
fn opening_allocates_nothing() {
    let mesh = icosphere::displaced(10, 0.2, 1);
    let file = compiled(&mesh, Quality::Default);
    let mut triangles = 0;
    let counted = requests(|| triangles = Model::from_bytes(&file).expect("it opens").triangle_count());
    assert_eq!((counted, triangles), (0, 2000));
    let refusals = requests(|| {
        assert!(Model::from_bytes(&file[..100]).is_err());
        assert!(Model::from_bytes(&file[64..]).is_err());
    });
    assert_eq!(refusals, 0);
}

#[test]
fn queries_allocate_nothing() {
    check(icosphere::displaced(20, 0.2, 1));
    check(hall::hall(10, 20, 3));
}

/// Every quality and layout, and split triangles.
fn check(mesh: Mesh) {
    for trial in Trial::of(&Scene::new("", mesh)) {
        let mut queries = Queries::new(&trial.mesh, 2);
        for model in trial.models() {
            for _ in 0..100 {
                let (ray, point) = (queries.ray(), queries.point());
                assert_eq!(requests(|| ask(&model, &ray, point)), 0, "{}", model.level().name());
            }
        }
    }
}

#[test]
fn samples_of_a_field_allocate_nothing() {
    let options = Options { field: Some(FieldOptions::new(24)), obb: None, ..Options::default() };
    let file = compiled_with(&icosphere::displaced(4, 0.2, 1), &options);
    let model = Model::from_bytes(&file).expect("it opens");
    let mut random = Random::new(8);
    for _ in 0..100 {
        let at = random.point([-1.5; 3], [1.5; 3]);
        let counted = requests(|| {
            std::hint::black_box(model.field().map(|field| field.sample(at)));
        });
        assert_eq!(counted, 0);
    }
}

#[test]
fn queries_of_two_models_allocate_nothing() {
    let mesh = icosphere::displaced(10, 0.2, 1);
    for trial in Trial::of(&Scene::new("", mesh)) {
        for model in trial.models() {
            for shift in [0.5, 2.1, 2.5] {
                let pose = Pose::from_translation([shift, 0.1, 0.2]).expect("a pose");
                assert_eq!(requests(|| ask_both(&model, &pose)), 0, "{}", model.level().name());
            }
        }
    }
}

/// All queries on a model and itself.
fn ask_both(model: &Model<'_>, pose: &Pose) {
    let mut found = 0u64;
    let _ = model.all_pairs(model, pose, |pair| {
        found += u64::from(pair.a);
        ControlFlow::Continue(())
    });
    let near = model.distance(model, pose).unwrap_or(None);
    let about = model.against(model, pose).tolerance(Tolerance::Relative(0.1)).distance().unwrap_or(None);
    let _ = model.pairs_within(model, pose, 0.2, |near| {
        found += u64::from(near.a);
        ControlFlow::Continue(())
    });
    let budget = &mut WorkBudget::unlimited();
    let _ =
        model.against(model, pose).tolerance(Tolerance::Absolute(0.1)).budget(budget).decreasing_distances(
            |near| {
                found += u64::from(near.b);
                ControlFlow::Continue(())
            },
        );
    let answers =
        [model.collides(model, pose), model.within(model, pose, 0.2)].map(|answer| answer == Ok(true));
    std::hint::black_box((found, near, about, answers));
}

/// Every query, its `_with` variant, and the look-ups for a hit.
fn ask(model: &Model<'_>, ray: &Ray, point: [f32; 3]) {
    let mut found = 0;
    let mut counters = Counters::default();
    let mut only = Filter(|triangle| triangle % 2 == 0);
    let around = bvhc_runtime::Aabb::new(point.map(|x| x - 0.2), point.map(|x| x + 0.2));
    let hit = model.closest_hit(ray).or(model.closest_hit_with(ray, &mut only));
    found += u32::from(model.any_hit(ray)) + u32::from(model.any_hit_with(ray, &mut counters));
    let mut signed = [None; 3];
    model.signed_distances(&[point; 3], InsideRule::Odd, &mut signed);
    found += u32::from(model.contains(point, InsideRule::NonZero) == Place::In)
        + signed.iter().flatten().count() as u32;
    let mut see = |triangle| {
        found += model.source_of(triangle).map_or(0, |source| source.face & 1);
        ControlFlow::Continue(())
    };
    model.all_hits(ray, |hit| {
        let _ = see(hit.triangle);
        VisitControl::Continue
    });
    model.all_hits_with(ray, &mut counters, |hit| VisitControl::UpTo(hit.t));
    let nearest = model.closest_point(point, f32::INFINITY);
    let other = model.closest_point_with(point, 0.5, &mut counters);
    let mut answers = [None; 3];
    model.closest_points(&[point; 3], f32::INFINITY, &mut answers);
    model.closest_points_interleaved(&[point; 3], f32::INFINITY, &mut answers, &mut counters);
    let _ = model.overlap_box(&around, |overlap| see(overlap.triangle));
    let _ = model.overlap_box_with(&around, &mut only, |_| ControlFlow::Break(()));
    let _ = model.overlap_sphere(point, 0.2, |overlap| see(overlap.triangle));
    let _ = model.overlap_sphere_with(point, 0.2, &mut counters, |_| ControlFlow::Break(()));
    let capsule = Capsule::new(point, ray.origin, 0.1);
    let cast = ShapeCast::new(&capsule, ray.direction);
    let _ = model.overlap(&capsule, |overlap| see(overlap.triangle));
    let mut contacts = [Contact::NONE; 16];
    let touches = Touches::new(&capsule, 0.01).without_seams(0.1);
    std::hint::black_box((model.manifold(&touches, &mut contacts).ok(), &contacts));
    let _ = model.all_casts_with(&cast, &mut only, |hit| see(hit.triangle));
    let cast = (model.overlaps(&capsule), model.cast(&cast), model.cast_any_with(&cast, &mut counters));
    std::hint::black_box((hit, nearest, other, answers, found, model.material_name(0), counters, cast));
}

/// Nor does linking a thin one.
#[test]
fn thin_worlds_allocate_nothing() {
    let (options, placed) = (Options::default(), [Placed::identity(0), Placed::identity(0)]);
    let files = compiled_apart(&[&icosphere::icosphere(5)], &options);
    let text = manifest(1, &placed).replace(".obj", ".bvh");
    let linked = bvhc::world::link_thin(text.as_bytes(), "w.toml", &files, &options, &()).expect("it links");
    let mut thin = bvhc::Bytes::new();
    linked.write_to(&mut thin).expect("there is memory");
    let mesh = aligned(&files.0[0].1);
    let count = requests(|| {
        let mut meshes = [Some(Model::from_bytes(&mesh).expect("it opens"))];
        let thin = ThinWorld::from_bytes(&thin).expect("it opens");
        assert_eq!(thin.meshes().map(|mesh| mesh.name().len()).sum::<usize>(), 3);
        assert!(thin.link(&mut [None]).is_err());
        let world = thin.link(&mut meshes).expect("it has its mesh");
        assert!(world.any_hit(&Ray::new([0.1, 0.2, 9.0], [0.0, 0.0, -1.0])));
    });
    assert_eq!(count, 0);
}

/// Opening a world takes the caller's memory, and queries take none.
#[test]
fn worlds_allocate_nothing() {
    let mesh = icosphere::icosphere(4);
    let mut random = Random::new(1);
    let placed: Vec<Placed> = (0..40).map(|_| Placed::any(0, 4.0, true, &mut random)).collect();
    let file = compiled_world(&[&mesh], &placed, &Options::default());
    let mut meshes = [None; 1];
    let count = requests(|| {
        let world = World::from_bytes(&file, &mut meshes).expect("it opens");
        let ray = Ray::new([9.0, 0.2, 0.1], [-1.0, 0.0, 0.0]);
        world.all_hits(&ray, |_| VisitControl::Continue);
        let _ = world.overlap_box(&Aabb::new([-1.0; 3], [1.0; 3]), |_| ControlFlow::Continue(()));
        let _ = world.overlap_sphere([0.5; 3], 2.0, |_| ControlFlow::Continue(()));
        let mesh = world.mesh(0).expect("a mesh");
        let pose = Pose::from_translation([0.5, 0.25, 0.125]).expect("a pose");
        let person = Capsule::new([0.0; 3], [0.0, 0.0, 1.0], 0.5);
        let cast = ShapeCast::new(&person, [5.0, 1.0, 0.0]);
        let _ = world.overlap(&person, |_| ControlFlow::Continue(()));
        let _ = world.all_casts(&cast, |_| ControlFlow::Continue(()));
        let mut contacts = [WorldContact::NONE; 64];
        let _ = world.manifold(&Touches::new(&person, 0.1), &mut contacts);
        std::hint::black_box((world.cast(&cast), world.signed_distance([0.1; 3], InsideRule::NonZero)));
        std::hint::black_box((
            world.closest_hit(&ray),
            world.any_hit(&ray),
            world.closest_point([7.0, 0.0, 0.0], f32::INFINITY),
            world.first_pair(mesh, &pose, &mut ()).is_ok(),
            world.distance(mesh, &pose, f64::INFINITY, &mut ()).is_ok(),
            world.near_instances(0.25, |_| ControlFlow::Continue(())).is_ok(),
            world.find_name("i.7"),
        ));
    });
    assert_eq!(count, 0);
}

/// Neither do changes of moving things, new trees, and queries among them.
#[test]
fn moving_worlds_allocate_nothing() {
    let mesh = icosphere::icosphere(4);
    let file = compiled_world(&[&mesh], &[Placed::identity(0)], &Options::default());
    let (mut meshes, mut memory) = ([None; 1], vec![0; MovingWorld::bytes_needed(500)]);
    let mut of_sweep = vec![0; SweepAndPrune::bytes_needed(501, 4000)];
    let mut of_kept = vec![0; KeptPairs::bytes_needed(500, 4000)];
    let count = requests(|| {
        let world = World::from_bytes(&file, &mut meshes).expect("it opens");
        let mut moving = MovingWorld::new(world, 500, &mut memory).expect("there is memory");
        let pose =
            |x: i32| Pose::from_translation([f64::from(x % 20), f64::from(x / 20), 3.0]).expect("a pose");
        for x in 0..500 {
            let place = Similarity::new(pose(x), 0.25, x % 2 == 0).expect("a scale");
            let handle = moving.add_instance(0, &place, 1, 0).expect("it fits");
            let place = Similarity::new(pose(499 - x), 1.0, false).expect("a scale");
            moving.move_instance(handle, &place).expect("it is there");
            if x % 3 == 0 {
                moving.remove(handle).expect("it is there");
            }
        }
        moving.fatten(0.01).expect("a fatness");
        moving.update();
        moving.rebuild();
        let ray = Ray::new([9.0, 0.2, 9.0], [0.0, 0.0, -1.0]);
        let now = moving.snapshot();
        now.all_hits(&ray, &mut (), |_| VisitControl::Continue);
        let _ = now.overlap_box(&Aabb::new([-1.0; 3], [5.0; 3]), &mut (), |_| ControlFlow::Continue(()));
        let _ = now.overlap_sphere([0.5; 3], 2.0, &mut (), |_| ControlFlow::Continue(()));
        let mesh = world.mesh(0).expect("a mesh");
        let person = Capsule::new([0.0; 3], [0.0, 0.0, 1.0], 0.5);
        let cast = ShapeCast::new(&person, [5.0, 1.0, 0.0]);
        let _ = now.overlap(&person, &mut (), |_| ControlFlow::Continue(()));
        let mut contacts = [Found::<Contact>::NONE; 64];
        let _ = now.manifold(&Touches::new(&person, 0.1), &mut (), &mut contacts);
        let mut pairs = [ThingPair { a: Thing::Still(0), b: Thing::Still(0) }; 4000];
        let count = now.near_pairs_into(0.1, &mut pairs).expect("there are places");
        assert!(count > 100);
        let mut sweep = SweepAndPrune::new(501, 4000, &mut of_sweep).expect("there is memory");
        let mut kept = KeptPairs::new(500, 4000, &mut of_kept).expect("there is memory");
        for _ in 0..2 {
            assert_eq!(sweep.near_pairs_into(&now, 0.1, &mut pairs), Ok(count));
            assert_eq!(kept.near_pairs_into(&now, 0.1, &mut pairs), Ok(count));
        }
        let mut places = [KeptStart::NONE; 200];
        let mut starts = WarmStarts::new(&mut places);
        for _ in 0..2 {
            let _ = now.separations(&pairs[..count], 1.0, &mut starts, |_, found| {
                assert!(found.is_ok());
                ControlFlow::Continue(())
            });
        }
        let between = now.between(pairs[0]).expect("both have meshes");
        std::hint::black_box((
            between.collides().is_ok(),
            between.all_pairs(|_| ControlFlow::Continue(())).is_ok(),
        ));
        std::hint::black_box((
            now.cast(&cast, &mut ()),
            now.signed_distance([0.1; 3], InsideRule::NonZero, &mut ()),
            now.closest_hit(&ray),
            now.any_hit(&ray),
            now.closest_point([7.0, 0.0, 0.0], f32::INFINITY, &mut ()),
            now.first_pair(mesh, &pose(3), &mut ()).is_ok(),
            now.distance(mesh, &pose(3), f64::INFINITY, &mut ()).is_ok(),
        ));
    });
    assert_eq!(count, 0);
}
