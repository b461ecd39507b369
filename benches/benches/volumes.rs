//! Which volumes find pairs fastest: oriented boxes, k-DOPs of each size and realignment, axis-aligned boxes, swept
//! spheres.
//!
//! `cargo bench --bench volumes [-- animals nested spheres twins]`. The figure of an encounter is the mean over its
//! poses of the minimum time of several rounds (5, or `BVHC_ROUNDS`). All must find as many pairs as the exact oracle;
//! `BVHC_LEVEL` limits their SIMD level.

use bvhc::compile::Compiled;
use bvhc_benches::peers::level;
use bvhc_benches::shared::encounters;
use bvhc_runtime::{Model, Pose, Volume, WorkBudget};
use bvhc_tests::oracle::pairs::{Surface, all};
use bvhc_tests::pose;
use bvhc_tests::scene::encounter::Encounter;
use bvhc_tests::support::least::mean;
use bvhc_tests::support::volumes::{self, KDOPS, count};

/// Pairs of volumes that a step tests.
const PAIRS: u64 = 16;

fn main() {
    // A million triangles in so many trees take too long.
    for (name, make) in encounters::chosen().filter(|(name, _)| *name != "giant") {
        report(name, &make());
    }
}

/// Prints the table of an encounter: microseconds, and the steps of finding all pairs.
fn report(name: &str, encounter: &Encounter) {
    println!(
        "\n| {name}, us, {} | yes/no apart | all apart | yes/no meeting | all meeting | steps apart | steps meeting | ns a pair of volumes, at most |",
        level().name()
    );
    println!("{}|", "|---".repeat(8));
    let meshes = [&encounter.a, &encounter.b];
    let still = Surface::of(&encounter.a);
    let exact = [&encounter.separated, &encounter.colliding].map(|poses| {
        let asked = poses.iter().map(|pose| pose::Pose::of_query(&pose.for_query()));
        asked.map(|pose| all(&still, &Surface::transformed(&encounter.b, &pose)).len() as u64).collect()
    });
    let mut visit = |name: &str, volume, files: &[Compiled]| row(name, files, encounter, volume, &exact);
    volumes::each(&meshes, &KDOPS, &mut visit);
    volumes::each_swept(&meshes, &mut visit);
}

/// Prints a volume's row; `exact` are the pairs at each of the separated and of the colliding poses.
fn row(what: &str, files: &[Compiled], encounter: &Encounter, volume: Volume, exact: &[Vec<u64>; 2]) {
    let [a, b] = [0, 1].map(|side: usize| {
        Model::from_bytes(&files[side].bytes).expect("a compiled file opens").with_level(level())
    });
    let (mut times, mut steps, mut pairs) = (Vec::new(), Vec::new(), 0);
    for (poses, exact) in [&encounter.separated, &encounter.colliding].into_iter().zip(exact) {
        let poses: Vec<Pose> = poses.iter().map(pose::Pose::for_query).collect();
        let mut budget = WorkBudget::unlimited();
        for (pose, exact) in poses.iter().zip(exact) {
            assert_eq!(count(&a, &b, pose, volume, &mut budget), *exact, "{what}");
        }
        let any = |pose: usize| {
            let first = a.against(&b, &poses[pose]).volume(volume).first_pair();
            u64::from(first.expect("the files have the volumes").is_some())
        };
        times.push(mean(poses.len(), any));
        times.push(mean(poses.len(), |pose| {
            count(&a, &b, &poses[pose], volume, &mut WorkBudget::unlimited())
        }));
        let each = |sum: u64| sum / poses.len() as u64;
        if steps.is_empty() {
            pairs = PAIRS * each(budget.node_pairs);
        }
        steps.push(format!("{} + {}", each(budget.node_pairs), each(budget.leaf_pairs)));
    }
    // The time of the whole walk, divided by the pairs that it realigns and tests.
    let bulk = times[1] * 1e9 / pairs as f64;
    let times: Vec<String> = times.iter().map(|seconds| format!("{:.2}", seconds * 1e6)).collect();
    println!("| {what} | {} | {} | {bulk:.1} |", times.join(" | "), steps.join(" | "));
}
