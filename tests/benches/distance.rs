//! Distances of meshes: a page of tables for BENCHMARKS.md, in Markdown, with everybody in the same rounds.
//!
//! `cargo bench -p bvhc-tests --bench distance [-- animals nested spheres twins giant]`. The figure of an encounter is the
//! median over its separated poses of the least time of several rounds (5, or `BVHC_ROUNDS`), building excluded. Every
//! distance of bvhc is checked against the exact oracle first; `BVHC_LEVEL` holds it to a SIMD level. parry3d, which takes
//! up to seconds a query and is wrong about nested meshes, is asked about one pose where it is not too slow.
#![allow(dead_code, reason = "each benchmark uses its part of what they share")]

mod peers;
mod shared;

use bvhc_runtime::{Allowance, Effort, Hint, Model, Pose};
use bvhc_tests::oracle::gap::{of_triangles, within};
use bvhc_tests::oracle::pairs::Surface;
use bvhc_tests::pose;
use bvhc_tests::scene::encounter::Encounter;
use bvhc_tests::support::least::{least, median, rounds};
use peers::parry::Parry;
use shared::encounters;

/// More triangles than parry3d is asked about.
const TOO_MANY: usize = 25_000;

/// What is called near, and what is called about as near.
const SHARE: f64 = 0.05;

fn main() {
    println!(
        "\n| {}, us | distance | with a hint | within: yes | within: no | 5 % | parry3d | x | steps | precise |",
        peers::level().name()
    );
    println!("{}|", "|---".repeat(10));
    for (name, make) in encounters::chosen() {
        report(name, &make());
    }
}

fn report(name: &str, encounter: &Encounter) {
    let files = encounters::files(encounter);
    let [a, b] = [0, 1].map(|side: usize| files[side].model().with_level(peers::level()));
    let poses: Vec<Pose> = encounter.separated.iter().map(pose::Pose::for_query).collect();
    let still = Surface::of(&encounter.a);
    let mut effort = Effort::unlimited();
    let distances: Vec<f64> = poses
        .iter()
        .map(|pose| {
            let moved = Surface::moved(&encounter.b, &pose::Pose::of_query(pose));
            checked(&a, &b, pose, &still, &moved, &mut effort)
        })
        .collect();
    let distance = |pose: usize, allowance, hint: &mut Hint| {
        let mut effort = Effort::unlimited();
        let found = a.distance_with(&b, &poses[pose], f64::INFINITY, allowance, hint, &mut effort);
        found.ok().flatten().map_or(0.0, |found| found.distance)
    };
    let mut hints = vec![Hint::default(); poses.len()];
    let seconds = [
        median(poses.len(), |pose| distance(pose, Allowance::NONE, &mut Hint::default())),
        median(poses.len(), |pose| distance(pose, Allowance::NONE, &mut hints[pose])),
        median(poses.len(), |pose| {
            f64::from(u8::from(a.within(&b, &poses[pose], distances[pose] * (1.0 + SHARE))))
        }),
        median(poses.len(), |pose| {
            f64::from(u8::from(a.within(&b, &poses[pose], distances[pose] * (1.0 - SHARE))))
        }),
        median(poses.len(), |pose| distance(pose, Allowance::Relative(SHARE), &mut Hint::default())),
    ];
    let times = seconds.map(|seconds| format!("{:.2}", seconds * 1e6)).join(" | ");
    let theirs = of_parry(name, encounter, &poses[0], distances[0]);
    let theirs =
        theirs.map_or(" |".to_owned(), |theirs| format!("{:.0} | {:.0}", theirs * 1e6, theirs / seconds[0]));
    let each = |sum: u64| sum / poses.len() as u64;
    let steps = format!("{} + {}", each(effort.node_pairs), each(effort.leaf_pairs));
    println!("| {name} | {times} | {theirs} | {steps} | {} |", each(effort.exact_tests));
}

/// The distance, which is that of the triangles that are named, and no others are nearer.
fn checked(
    a: &Model<'_>,
    b: &Model<'_>,
    pose: &Pose,
    still: &Surface,
    moved: &Surface,
    effort: &mut Effort,
) -> f64 {
    let found = a.distance_with(b, pose, f64::INFINITY, Allowance::NONE, &mut Hint::default(), effort);
    let found = found.expect("there is no limit").expect("there are triangles");
    let exact = of_triangles(still.triangles()[found.a as usize], moved.triangles()[found.b as usize]);
    assert!((found.distance - exact).abs() <= 1e-12 * exact, "{found:?} {exact}");
    assert_eq!(within(still, moved, exact * (1.0 - 2e-12)), [], "something is nearer than {found:?}");
    assert!(a.within(b, pose, found.distance) && !a.within(b, pose, found.distance.next_down()));
    found.distance
}

/// Seconds that parry3d takes.
fn of_parry(name: &str, encounter: &Encounter, pose: &Pose, expected: f64) -> Option<f64> {
    if name == "nested" || encounter.a.triangles.len() > TOO_MANY {
        return None;
    }
    let theirs = [Parry::build(&encounter.a), Parry::build(&encounter.b)];
    let found = theirs[0].distance(&theirs[1], pose);
    assert!((found - expected).abs() <= 1e-4 * (1.0 + expected), "parry3d: {found}, {expected}");
    Some(least(rounds(), || theirs[0].distance(&theirs[1], pose)))
}
