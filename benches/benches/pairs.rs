//! Mesh against mesh: tables in Markdown, with all libraries in the same run.
//!
//! `cargo bench --bench pairs [-- animals nested spheres twins giant]`. The figure of an encounter is the mean over its
//! poses of the minimum time of several rounds (5, or `BVHC_ROUNDS`), building excluded. bvhc must find exactly the
//! pairs of the oracle; the pairs in which peers differ from it are counted and printed. `BVHC_LEVEL` limits bvhc's
//! SIMD level.

use std::ops::ControlFlow;

use bvhc_benches::peers::colliders::{self, Collider};
use bvhc_benches::peers::level;
use bvhc_benches::peers::parry::Parry;
use bvhc_benches::peers::parry::pairs::Placed;
use bvhc_benches::shared::differences::Differences;
use bvhc_benches::shared::encounters;
use bvhc_benches::shared::peer_times::PeerTimes;
use bvhc_runtime::{Model, Pose, WorkBudget};
use bvhc_tests::oracle::pairs::{Surface, all};
use bvhc_tests::pose;
use bvhc_tests::scene::encounter::Encounter;
use bvhc_tests::support::least::mean;

/// parry3d's walk through two trees with this project's tests.
const WALK: &str = "parry's walk, our tests";

fn main() {
    println!(
        "\n| {}, us | yes/no | all pairs | pairs | nodes + leaves |\n{}|",
        level().name(),
        "|---".repeat(5)
    );
    let (mut theirs, mut differences) = (PeerTimes::of(&["yes/no", "all pairs"]), Differences::default());
    for (name, make) in encounters::chosen() {
        report(name, &make(), &mut theirs, &mut differences);
    }
    theirs.print();
    differences.print();
}

/// Prints a row for the separated and one for the colliding poses; adds those of the peers.
fn report(name: &str, encounter: &Encounter, theirs: &mut PeerTimes, differences: &mut Differences) {
    let files = encounters::files(encounter);
    let [a, b] = [0, 1].map(|side: usize| files[side].model().with_level(level()));
    let trees = [Parry::build(&encounter.a), Parry::build(&encounter.b)];
    let colliders = Collider::present(&encounter.a, &encounter.b);
    let still = Surface::of(&encounter.a);
    for (what, poses) in [("separated", &encounter.separated), ("colliding", &encounter.colliding)] {
        let row = format!("{name}, {what}");
        let poses: Vec<Pose> = poses.iter().map(pose::Pose::for_query).collect();
        let moved = poses.iter().map(|pose| Surface::transformed(&encounter.b, &pose::Pose::of_query(pose)));
        let exact: Vec<_> = moved.map(|moved| all(&still, &moved)).collect();
        let ours = report_bvhc(&row, [&a, &b], &poses, &exact);
        let mut add = |peer, seconds: [f64; 2]| theirs.add(&row, peer, &seconds.map(Some), &ours);
        add(WALK, of_walk(&trees, &poses, &exact, differences));
        for peer in &colliders {
            add(peer.kind.name(), of_collider(peer, &poses, &exact, differences));
        }
    }
}

type Pairs = Vec<(u32, u32)>;

/// Prints bvhc's row, after its answers are checked, and returns its seconds.
fn report_bvhc(row: &str, [a, b]: [&Model<'_>; 2], poses: &[Pose], exact: &[Pairs]) -> [f64; 2] {
    let mut budget = WorkBudget::unlimited();
    for (pose, exact) in poses.iter().zip(exact) {
        check(a, b, pose, exact, &mut budget);
    }
    let seconds = [
        mean(poses.len(), |pose| u64::from(a.collides(b, &poses[pose]) == Ok(true))),
        mean(poses.len(), |pose| count_pairs(a, b, &poses[pose])),
    ];
    let times = seconds.map(|seconds| format!("{:.2}", seconds * 1e6)).join(" | ");
    let pairs = exact.iter().map(Vec::len).sum::<usize>() / poses.len();
    let each = |sum: u64| sum / poses.len() as u64;
    println!("| {row} | {times} | {pairs} | {} + {} |", each(budget.node_pairs), each(budget.leaf_pairs));
    seconds
}

/// Seconds of parry3d's walk.
fn of_walk(trees: &[Parry; 2], poses: &[Pose], exact: &[Pairs], differences: &mut Differences) -> [f64; 2] {
    let placed: Vec<Placed> = poses.iter().map(Placed::new).collect();
    for (pose, exact) in placed.iter().zip(exact) {
        let found = trees[0].pairs(&trees[1], pose).collect();
        differences.add(WALK, found, trees[0].collides(&trees[1], pose), exact);
    }
    [
        mean(placed.len(), |pose| u64::from(trees[0].collides(&trees[1], &placed[pose]))),
        mean(placed.len(), |pose| trees[0].pairs(&trees[1], &placed[pose]).count() as u64),
    ]
}

/// Seconds of a C++ library.
fn of_collider(peer: &Collider, poses: &[Pose], exact: &[Pairs], differences: &mut Differences) -> [f64; 2] {
    let placed: Vec<_> = poses.iter().map(colliders::placed).collect();
    for (pose, exact) in placed.iter().zip(exact) {
        differences.add(peer.kind.name(), peer.pairs(pose), peer.collides(pose), exact);
    }
    [
        mean(placed.len(), |pose| u64::from(peer.collides(&placed[pose]))),
        mean(placed.len(), |pose| peer.count_pairs(&placed[pose]) as u64),
    ]
}

fn check(a: &Model<'_>, b: &Model<'_>, pose: &Pose, exact: &[(u32, u32)], budget: &mut WorkBudget) {
    let mut found = Vec::new();
    let end = a.against(b, pose).budget(budget).all_pairs(|pair| {
        found.push((pair.a, pair.b));
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    found.sort_unstable();
    assert!(found == exact, "bvhc finds other pairs than the oracle");
    assert_eq!(a.collides(b, pose), Ok(!exact.is_empty()));
}

fn count_pairs(a: &Model<'_>, b: &Model<'_>, pose: &Pose) -> u64 {
    let mut count = 0;
    let _ = a.all_pairs(b, pose, |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    count
}
