//! Mesh against mesh: a page of tables for BENCHMARKS.md, in Markdown, with everybody in the same rounds.
//!
//! `cargo bench --bench pairs [-- animals nested spheres twins giant]`. The figure of an encounter is the mean over
//! its poses of the least time of several rounds (5, or `BVHC_ROUNDS`), building excluded. Every answer of bvhc is
//! checked against the exact oracle first; `BVHC_LEVEL` holds it to a SIMD level.

use std::ops::ControlFlow;

use bvhc_benches::peers::fcl::{self, Fcl, Kind};
use bvhc_benches::peers::level;
use bvhc_benches::peers::parry::Parry;
use bvhc_benches::peers::parry::pairs::Placed;
use bvhc_benches::shared::encounters;
use bvhc_runtime::{Model, Pose, WorkBudget};
use bvhc_tests::oracle::pairs::{Surface, all};
use bvhc_tests::pose;
use bvhc_tests::scene::encounter::Encounter;
use bvhc_tests::support::least::mean;

/// The share of a peer's pairs that may be missing or too many: f32 decides for parry3d, a tolerance for coal, which finds
/// 168 pairs where there are 164.
const ALLOWANCE: f64 = 2.5e-2;

fn main() {
    println!(
        "\n| {}, us | bvhc yes/no | bvhc all pairs | parry3d yes/no | parry3d all pairs | x yes/no | x all pairs | pairs | steps | {} |",
        level().name(),
        FCLS.map(|kind| format!("{0} yes/no | {0} all pairs", kind.name())).join(" | ")
    );
    println!("{}|", "|---".repeat(9 + 2 * FCLS.len()));
    let mut ratios = Vec::new();
    for (name, make) in encounters::chosen() {
        report(name, &make(), &mut ratios);
    }
    let peers = ["parry3d", FCLS[0].name(), FCLS[1].name()];
    for peer in peers {
        for (index, what) in ["yes/no", "all pairs"].iter().enumerate() {
            let of_peer: Vec<f64> =
                ratios.iter().filter(|(name, _)| *name == peer).map(|(_, ratios)| ratios[index]).collect();
            if !of_peer.is_empty() {
                let mean = (of_peer.iter().map(|ratio| ratio.ln()).sum::<f64>() / of_peer.len() as f64).exp();
                let least = of_peer.iter().copied().fold(f64::INFINITY, f64::min);
                println!("\n{what}, {peer}: geometric mean {mean:.2}, least {least:.2}");
            }
        }
    }
}

/// A peer, and its times over ours.
type Ratios = (&'static str, [f64; 2]);

/// Those of which not everybody has the library.
const FCLS: [Kind; 2] = [Kind::Coal, Kind::Fcl];

/// Prints a row for the separated and one for the colliding poses.
fn report(name: &str, encounter: &Encounter, ratios: &mut Vec<Ratios>) {
    let files = encounters::files(encounter);
    let [a, b] = [0, 1].map(|side: usize| files[side].model().with_level(level()));
    let theirs = [Parry::build(&encounter.a), Parry::build(&encounter.b)];
    let fcls = Fcl::present(&encounter.a, &encounter.b);
    let still = Surface::of(&encounter.a);
    for (what, poses) in [("separated", &encounter.separated), ("colliding", &encounter.colliding)] {
        let poses: Vec<Pose> = poses.iter().map(pose::Pose::for_query).collect();
        let placed: Vec<Placed> = poses.iter().map(Placed::new).collect();
        let mut budget = WorkBudget::unlimited();
        let mut count = 0;
        for (pose, placed) in poses.iter().zip(&placed) {
            let expected = all(&still, &Surface::moved(&encounter.b, &pose::Pose::of_query(pose)));
            count += expected.len();
            check(&a, &b, pose, &expected, &mut budget);
            let found = theirs[0].count_pairs(&theirs[1], placed);
            check_count("parry3d", found, expected.len());
            for peer in &fcls {
                let pose = fcl::placed(pose);
                check_count(peer.kind.name(), peer.count_pairs(&pose), expected.len());
                assert_eq!(peer.collides(&pose), !expected.is_empty(), "{}", peer.kind.name());
            }
        }
        let seconds = [
            mean(poses.len(), |pose| u64::from(a.collides(&b, &poses[pose]))),
            mean(poses.len(), |pose| count_pairs(&a, &b, &poses[pose])),
            mean(poses.len(), |pose| u64::from(theirs[0].collides(&theirs[1], &placed[pose]))),
            mean(poses.len(), |pose| theirs[0].count_pairs(&theirs[1], &placed[pose]) as u64),
        ];
        let [yes, pairs] = [seconds[2] / seconds[0], seconds[3] / seconds[1]];
        let times = seconds.map(|seconds| format!("{:.2}", seconds * 1e6)).join(" | ");
        let each = |sum: u64| sum / poses.len() as u64;
        let steps = format!("{} + {}", each(budget.node_pairs), each(budget.leaf_pairs));
        ratios.push(("parry3d", [yes, pairs]));
        let of_fcl = FCLS.map(|kind| {
            let Some(peer) = fcls.iter().find(|peer| peer.kind == kind) else { return "- | -".to_owned() };
            let [yes, pairs] = of_fcl(peer, &poses);
            ratios.push((kind.name(), [yes / seconds[0], pairs / seconds[1]]));
            format!(
                "{:.2} ({:.1}x) | {:.2} ({:.1}x)",
                yes * 1e6,
                yes / seconds[0],
                pairs * 1e6,
                pairs / seconds[1]
            )
        });
        println!(
            "| {name}, {what} | {times} | {yes:.2} | {pairs:.2} | {} | {steps} | {} |",
            count / poses.len(),
            of_fcl.join(" | ")
        );
    }
}

/// Seconds that coal or FCL takes: yes/no, and all pairs.
fn of_fcl(peer: &Fcl, poses: &[Pose]) -> [f64; 2] {
    let placed: Vec<_> = poses.iter().map(fcl::placed).collect();
    [
        mean(placed.len(), |pose| u64::from(peer.collides(&placed[pose]))),
        mean(placed.len(), |pose| peer.count_pairs(&placed[pose]) as u64),
    ]
}

fn check_count(peer: &str, found: usize, expected: usize) {
    assert!(
        (found as f64 - expected as f64).abs() <= 2.0 + ALLOWANCE * found as f64,
        "{peer}: {found}, {expected}"
    );
}

fn check(a: &Model<'_>, b: &Model<'_>, pose: &Pose, expected: &[(u32, u32)], budget: &mut WorkBudget) {
    let mut found = Vec::new();
    let end = a.against(b, pose).budget(budget).all_pairs(|pair| {
        found.push((pair.a, pair.b));
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    found.sort_unstable();
    assert!(found == expected, "bvhc finds other pairs than the oracle");
    assert_eq!(a.collides(b, pose), !expected.is_empty());
}

fn count_pairs(a: &Model<'_>, b: &Model<'_>, pose: &Pose) -> u64 {
    let mut count = 0;
    let _ = a.all_pairs(b, pose, |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    count
}
