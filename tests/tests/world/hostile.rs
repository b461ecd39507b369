//! Whatever the bytes of a world are, opening rejects them or every query on them ends, without a panic.

use std::mem::offset_of;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bvhc::compile::Options;
use bvhc::file::Bytes;
use bvhc_format::NONE;
use bvhc_format::section::SectionKind;
use bvhc_format::world::Instance;
use bvhc_runtime::{
    Aabb, Ball, Cuboid, InsideRule, KeptPairs, KeptStart, Level, Model, MovingWorld, Pose, Ray, ShapeCast,
    Similarity, SweepAndPrune, Thing, ThingPair, Touches, VisitControl, WarmStarts, World,
};
use bvhc_tests::random::Random;
use bvhc_tests::scene::grid;
use bvhc_tests::support::forge::{read_u32, read_u64};
use bvhc_tests::support::world::{Placed, compiled_world};
use bvhc_tests::support::{aligned, levels};

use super::with_world;

/// Far more than any query of these files may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// A world with opened meshes and several levels of nodes.
fn world() -> Bytes {
    let (cubes, stairs) = (grid::diagonal(12), grid::staircase(20));
    let mut random = Random::new(1);
    let placed: Vec<Placed> =
        (0..24).map(|number| Placed::any(number % 2, 5.0, number % 3 != 0, &mut random)).collect();
    let file = compiled_world(&[&cubes, &stairs], &placed, &Options::default());
    let leaves = with_world(&file, levels()[0], |world| world.section().leaves.len());
    assert!(leaves > 2 * placed.len(), "{leaves}");
    file
}

/// Where the first payload of a kind is.
pub(super) fn payload(file: &[u8], kind: SectionKind) -> std::ops::Range<usize> {
    let mut entry = 64;
    while read_u32(file, entry) != kind as u32 {
        entry += 64;
    }
    let (offset, length) = (read_u64(file, entry + 8) as usize, read_u64(file, entry + 16) as usize);
    offset..offset + length
}

/// Opens a world and asks everything; returns whether it opened.
fn survive(bytes: &Bytes, levels: &[Level]) -> bool {
    let start = Instant::now();
    let mut opened = false;
    for level in levels {
        let mut meshes = [const { None }; 8];
        let Ok(world) = World::from_bytes_with_level(bytes, *level, &mut meshes) else { continue };
        opened = true;
        ask(&world);
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    opened
}

pub(super) fn ask(world: &World<'_>) {
    let go_on = || ControlFlow::Continue(());
    for ray in [
        Ray::new([0.1, 0.2, 9.0], [0.0, 0.1, -1.0]),
        Ray::new([-9.0, 0.3, 0.4], [1.0, 0.0, 0.0]).with_range(f32::NEG_INFINITY, f32::INFINITY),
        Ray::new([0.25, 0.25, -9.0], [1e-20, -1e-20, 1e20]),
    ] {
        std::hint::black_box((world.closest_hit(&ray), world.any_hit(&ray)));
        world.all_hits(&ray, |_| VisitControl::Continue);
    }
    std::hint::black_box(world.closest_point([0.3, 0.2, 0.1], f32::INFINITY));
    let everything = Aabb::new([f32::NEG_INFINITY; 3], [f32::INFINITY; 3]);
    for query in [everything, Aabb::new([-1.0; 3], [1.5; 3])] {
        let _ = world.overlap_box(&query, |_| go_on());
    }
    for radius in [2.0, f32::INFINITY] {
        let _ = world.overlap_sphere([0.3, 0.2, 0.1], radius, |_| go_on());
    }
    let (ball, cuboid) = (Ball::new([0.3, 0.2, 0.1], 0.75), Cuboid::new([0.0; 3], [2.0, 1.0, 1.5]));
    let _ = world.overlap(&cuboid, |_| go_on());
    let cast = ShapeCast::new(&ball, [3.0, -2.0, 1.0]).with_t_max(f64::INFINITY);
    std::hint::black_box((world.cast(&cast), world.cast_any(&cast)));
    let _ = world.all_casts(&cast, |_| go_on());
    let _ = world.touches(&Touches::new(&cuboid, 0.25).without_seams(0.1), |_| go_on());
    std::hint::black_box(world.winding([0.3, 0.2, 0.1]));
    std::hint::black_box(world.signed_distance([0.3, 0.2, 0.1], InsideRule::Odd));
    std::hint::black_box((world.find_name("i.3"), world.find(7), world.instances().count()));
    let Some(mesh) = world.mesh(0) else { return };
    let pose = Pose::from_translation([0.5, 0.25, -0.125]).expect("a pose");
    let _ = std::hint::black_box(world.first_pair(mesh, &pose, &mut ()));
    let _ = std::hint::black_box(world.distance(mesh, &pose, 0.1, &mut ()));
    ask_beside_moving(world);
}

/// Moving things near the instances, of which each pair is asked.
fn ask_beside_moving(world: &World<'_>) {
    let mut memory = vec![0; MovingWorld::bytes_needed(4)];
    let mut moving = MovingWorld::new(*world, 4, &mut memory).expect("there is memory");
    let _ = moving.add_box(&Aabb::new([-1.0; 3], [1.5; 3]), u32::MAX, 0);
    for (mesh, scale) in [(0, 0.5), (0, 3.0), (1, 1.0)] {
        let place = Similarity::new(Pose::IDENTITY, scale, mesh == 1).expect("a scale");
        let _ = moving.add_instance(mesh, &place, u32::MAX, 0);
    }
    let now = moving.snapshot();
    let mut places = [KeptStart::NONE; 20];
    let mut starts = WarmStarts::new(&mut places);
    let boxes = moving.box_capacity();
    let mut memory = vec![0; SweepAndPrune::bytes_needed(boxes, 50)];
    let mut sweep = SweepAndPrune::new(boxes, 50, &mut memory).expect("there is memory");
    let mut memory = vec![0; KeptPairs::bytes_needed(4, 50)];
    let mut kept = KeptPairs::new(4, 50, &mut memory).expect("there is memory");
    let mut found = [ThingPair { a: Thing::Still(0), b: Thing::Still(0) }; 20];
    for margin in [0.0, 0.5] {
        let _ = std::hint::black_box(sweep.near_pairs_into(&now, margin, &mut found));
        let _ = std::hint::black_box(kept.near_pairs_into(&now, margin, &mut found));
    }
    for margin in [0.5, f32::INFINITY] {
        let (mut pairs, mut found) = ([ThingPair { a: Thing::Still(0), b: Thing::Still(0) }; 20], 0);
        let _ = now.near_pairs(margin, |pair| {
            pairs[found % 20] = pair;
            found += 1;
            ControlFlow::Continue(())
        });
        let _ = now.separations(&pairs[..found.min(20)], 0.25, &mut starts, |pair, separation| {
            let _ = std::hint::black_box((separation, now.between(pair).map(|between| between.collides())));
            ControlFlow::Continue(())
        });
    }
}

/// A copy of a file with up to four changes in a range.
pub(super) fn mutated(good: &[u8], range: &std::ops::Range<usize>, random: &mut Random) -> Bytes {
    let numbers = [0, 1, 0x7fff_ffff, u32::MAX, 0x8000_0000, 0x7fc0_0000, 0x7f80_0000, 0x7e96_7699, 0x100];
    let mut forged = aligned(good);
    for _ in 0..=random.below(3) {
        let place = range.start + random.below(range.len() as u32) as usize;
        match random.below(3) {
            0 => forged[place] ^= 1 << random.below(8),
            1 => {
                forged[place & !3..][..4].copy_from_slice(&numbers[random.below(9) as usize].to_le_bytes());
            }
            _ => {
                let number = random.below(64) | random.below(2) << 31;
                forged[place & !3..][..4].copy_from_slice(&number.to_le_bytes());
            }
        }
    }
    forged
}

#[test]
fn mutated_worlds() {
    let (good, levels) = (world(), levels());
    assert!(survive(&good, &levels));
    let (range, mut random) = (payload(&good, SectionKind::World), Random::new(2));
    let mut opened = 0;
    for _ in 0..1500 {
        let forged = mutated(&good, &range, &mut random);
        opened += u32::from(survive(&forged, &levels[..1 + random.below(levels.len() as u32) as usize]));
    }
    assert!(opened > 500, "{opened}");
}

const HUGE: [f32; 6] = [-3e38, -3e38, -3e38, 3e38, 3e38, 3e38];

/// An instance without a mesh, as the boxes of a caller are, whose bounds are none.
#[test]
fn instances_are_no_boxes() {
    let good = world();
    let records = {
        let mut meshes = [None; 2];
        let world = World::from_bytes(&good, &mut meshes).expect("it opens");
        world.section().instances.get().as_ptr().addr() - good.as_ptr().addr()
    };
    for bounds in [[f32::NAN; 6], [1e9, 1e9, 1e9, -1e9, -1e9, -1e9], [f32::NEG_INFINITY; 6], HUGE] {
        for instance in 0..24 {
            let mut forged = aligned(&good);
            let record = records + instance * size_of::<Instance>();
            let mesh = record + offset_of!(Instance, mesh);
            forged[mesh..mesh + 4].copy_from_slice(&NONE.to_le_bytes());
            for (number, bound) in bounds.iter().enumerate() {
                let at = record + offset_of!(Instance, bounds) + 4 * number;
                forged[at..at + 4].copy_from_slice(&bound.to_le_bytes());
            }
            assert!(survive(&forged, &levels()));
        }
    }
}

/// References in circles: walks end.
#[test]
fn circles_end() {
    let good = world();
    let section = {
        let mut meshes = [None; 2];
        let world = World::from_bytes(&good, &mut meshes).expect("it opens");
        world.section().nodes.get().as_ptr().addr() - good.as_ptr().addr()
    };
    let mut forged = aligned(&good);
    for slot in 0..16 {
        for plane in 0..6 {
            let at = section + 64 * plane + 4 * slot;
            let number: f32 = if plane % 2 == 0 { -1e9 } else { 1e9 };
            forged[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        forged[section + 384 + 4 * slot..][..4].copy_from_slice(&0u32.to_le_bytes());
    }
    assert!(survive(&forged, &levels()));
}

#[test]
fn cut_files_are_refused() {
    let good = world();
    for length in (0..good.len()).step_by(997) {
        let cut = aligned(&good[..length]);
        assert!(Model::mesh_count(&cut).is_err());
        assert!(World::from_bytes(&cut, &mut [None; 2]).is_err());
    }
}
