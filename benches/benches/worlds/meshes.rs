//! A mesh at random poses in worlds: whether it meets anything, in how many pairs of triangles, and how far the nearest instance is,
//! beside the dynamic trees of FCL and coal. Nothing is scaled, as these libraries do not scale.
//!
//! The figure is the mean over the poses of the least time of several rounds (5, or `BVHC_ROUNDS`). bvhc must have the answers that
//! asking each instance alone has; how many of the peers' differ is printed.

use std::ops::ControlFlow;

use bvhc::compile::{Layout, Options};
use bvhc_benches::peers::colliders::level::Level;
use bvhc_benches::peers::colliders::{self, Placed};
use bvhc_benches::peers::level;
use bvhc_benches::shared::peer_times::PeerTimes;
use bvhc_runtime::{Model, Pose, World};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::compiled_for_pairs;
use bvhc_tests::support::least::mean;
use bvhc_tests::support::world::compiled_world;

use crate::scenes::{self, Scene};

const POSES: usize = 64;
/// Those that every instance is asked at.
const CHECKED: usize = 4;
/// Distances of peers are as exact as rounding allows.
const SLACK: f64 = 1e-9;

/// Prints the tables of the scenes that are wanted.
pub(super) fn report(is_wanted: impl Fn(&str) -> bool) {
    println!(
        "\n| a mesh of 1,280 triangles, {}, us | instances | meet | meets | all pairs | distance |",
        level().name()
    );
    println!("{}|", "|---".repeat(6));
    let mut theirs = PeerTimes::of(&["meets", "all pairs", "distance"]);
    for (name, make) in scenes::ALL {
        if is_wanted(name) {
            report_scene(name, &rigid(make()), &mut theirs);
        }
    }
    theirs.print();
}

fn rigid(scene: Scene) -> Scene {
    let placed = scene.placed.into_iter();
    Scene {
        placed: placed.map(|it| bvhc_tests::support::world::Placed { scale: 1.0, ..it }).collect(),
        ..scene
    }
}

/// What a mesh at a pose is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Answer {
    meets: bool,
    pairs: usize,
    distance: f64,
}

fn report_scene(name: &str, scene: &Scene, theirs: &mut PeerTimes) {
    let options = Options::default();
    let file = compiled_world(&scene.meshes.iter().collect::<Vec<_>>(), &scene.placed, &options);
    let mut models = vec![None; scene.meshes.len()];
    let world = World::from_bytes_with_level(&file, level(), &mut models).expect("it opens");
    let mesh = icosphere::displaced(8, 0.2, 77);
    let file = compiled_for_pairs(&mesh, Layout::Fast);
    let model = Model::from_bytes(&file).expect("it opens").with_level(level());
    let poses = poses(&world);
    let ours: Vec<Answer> = poses.iter().map(|pose| answer(&world, &model, pose)).collect();
    for (pose, ours) in poses.iter().zip(&ours).take(CHECKED) {
        assert_eq!(*ours, one_by_one(&world, &model, pose), "{name} {pose:?}");
    }
    let seconds = [
        mean(POSES, |at| meets(&world, &model, &poses[at])),
        mean(POSES, |at| count_pairs(&world, &model, &poses[at])),
        mean(POSES, |at| distance(&world, &model, &poses[at])),
    ];
    let times = seconds.map(|seconds| format!("{:.2}", seconds * 1e6)).join(" | ");
    let meet = ours.iter().filter(|it| it.meets).count();
    println!("| {name} | {} | {meet} of {POSES} | {times} |", world.instance_count());
    let placed: Vec<(u32, Placed)> = world
        .instances()
        .map(|instance| (instance.mesh(), colliders::placed(instance.similarity().pose())))
        .collect();
    let at: Vec<Placed> = poses.iter().map(colliders::placed).collect();
    for peer in Level::present(&scene.meshes, &placed, &mesh) {
        let answers = at.iter().map(|pose| Answer {
            meets: peer.meets(pose),
            pairs: peer.count_pairs(pose),
            distance: peer.distance(pose),
        });
        check(name, peer.name(), &ours, &answers.collect::<Vec<_>>());
        let theirs_seconds = [
            mean(POSES, |pose| u64::from(peer.meets(&at[pose]))),
            mean(POSES, |pose| peer.count_pairs(&at[pose]) as u64),
            mean(POSES, |pose| peer.distance(&at[pose]).to_bits()),
        ];
        theirs.add(name, peer.name(), &theirs_seconds.map(Some), &seconds);
    }
}

/// Anywhere in the world's bounds, turned.
fn poses(world: &World<'_>) -> Vec<Pose> {
    let (bounds, mut random) = (world.bounds(), Random::new(15));
    let mut place = || {
        let translation = random.point(bounds.min, bounds.max).map(f64::from);
        pose::Pose { rotation: pose::any(&mut random), translation }.for_query()
    };
    (0..POSES).map(|_| place()).collect()
}

fn meets(world: &World<'_>, mesh: &Model<'_>, pose: &Pose) -> bool {
    world.first_pair(mesh, pose, &mut ()).expect("there is no limit").is_some()
}

fn count_pairs(world: &World<'_>, mesh: &Model<'_>, pose: &Pose) -> usize {
    let mut count = 0;
    let end = world.all_pairs(mesh, pose, &mut (), |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    assert!(end.is_ok());
    count
}

fn distance(world: &World<'_>, mesh: &Model<'_>, pose: &Pose) -> f64 {
    let nearest = world.distance(mesh, pose, f64::INFINITY, &mut ()).expect("there is no limit");
    nearest.expect("the world has triangles").distance.distance
}

fn answer(world: &World<'_>, mesh: &Model<'_>, pose: &Pose) -> Answer {
    Answer {
        meets: meets(world, mesh, pose),
        pairs: count_pairs(world, mesh, pose),
        distance: distance(world, mesh, pose),
    }
}

/// What asking each instance's mesh alone has.
fn one_by_one(world: &World<'_>, mesh: &Model<'_>, pose: &Pose) -> Answer {
    let mut all = Answer { meets: false, pairs: 0, distance: f64::INFINITY };
    for instance in world.instances() {
        let own = world.mesh(instance.mesh()).expect("the world has its meshes");
        let pose = pose.relative_to(instance.similarity().pose()).expect("it is near");
        let mut count = 0;
        let end = own.all_pairs(mesh, &pose, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        assert!(end.is_ok());
        let distance =
            own.distance(mesh, &pose).expect("there is no limit").expect("it has triangles").distance;
        all.meets |= count > 0;
        all.pairs += count;
        all.distance = all.distance.min(distance);
    }
    all
}

/// Prints how many answers differ; few may.
fn check(scene: &str, peer: &str, ours: &[Answer], theirs: &[Answer]) {
    let differs = |(ours, theirs): (&Answer, &Answer)| {
        let far = (ours.distance - theirs.distance.max(0.0)).abs() > SLACK * ours.distance.max(1.0);
        [ours.meets != theirs.meets, ours.pairs != theirs.pairs, far]
    };
    let mut count = [0; 3];
    for differs in ours.iter().zip(theirs).map(differs) {
        count.iter_mut().zip(differs).for_each(|(count, differs)| *count += usize::from(differs));
    }
    eprintln!("{scene}, {peer}: of {POSES} answers {count:?} differ: whether it meets, pairs, distances");
    assert!(count[0] <= 1 && count[2] <= 1, "too many");
}
