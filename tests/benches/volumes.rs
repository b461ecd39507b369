//! What finds pairs fastest: oriented boxes, k-DOPs of each size however realigned, axis-aligned boxes.
//!
//! `cargo bench -p bvhc-tests --bench volumes [-- animals nested spheres twins]`. The figure of an encounter is the median
//! over its poses of the least time of several rounds (5, or `BVHC_ROUNDS`). All must find as many pairs; `BVHC_LEVEL`
//! holds them to a SIMD level.
#![allow(dead_code, reason = "each benchmark uses its part of what they share")]

mod peers;
mod shared;

use std::ops::ControlFlow;

use bvhc::compile::{Compiled, Options, compile};
use bvhc::kdop;
use bvhc::mesh::Mesh;
use bvhc_format::kdop::Tables;
use bvhc_runtime::{Effort, Model, Pose, Realign, Volume};
use bvhc_tests::scene::encounter::{self, Encounter};
use bvhc_tests::scene::write_obj;
use bvhc_tests::support::sample::bunny;
use shared::least::median;

/// Poses of each sort.
const POSES: usize = 8;

/// Trees, with what they are used for.
const TREES: [(u32, Tables, Realign); 13] = [
    (6, Tables::None, Realign::Axes),
    (14, Tables::None, Realign::Axes),
    (14, Tables::None, Realign::Triples),
    (14, Tables::Occupancy, Realign::Occupancy),
    (14, Tables::Profile, Realign::Profile),
    (18, Tables::None, Realign::Triples),
    (18, Tables::Occupancy, Realign::Occupancy),
    (18, Tables::Profile, Realign::Profile),
    (26, Tables::None, Realign::Axes),
    (26, Tables::None, Realign::Triples),
    (26, Tables::Occupancy, Realign::Occupancy),
    (26, Tables::Profile, Realign::Profile),
    (42, Tables::None, Realign::Triples),
];

type Make = fn() -> Encounter;

fn main() {
    // Cargo passes `--bench`.
    let filter: Vec<_> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let made: [(&str, Make); 4] = [
        ("animals", || encounter::animals(20_000, POSES)),
        ("nested", || encounter::nested(16, POSES)),
        ("spheres", || encounter::spheres(16, POSES)),
        ("twins", || encounter::twins(&bunny(), POSES)),
    ];
    for (name, make) in made {
        if filter.is_empty() || filter.iter().any(|wanted| wanted == name) {
            report(name, &make());
        }
    }
}

/// Prints the table of an encounter: microseconds, and the steps of finding all pairs.
fn report(name: &str, encounter: &Encounter) {
    println!(
        "\n| {name}, us, {} | yes/no apart | all apart | yes/no meeting | all meeting | steps apart | steps meeting |",
        peers::level().name()
    );
    println!("{}|", "|---".repeat(7));
    let whole = |mesh: &Mesh| file(mesh, None);
    let boxes = [whole(&encounter.a), whole(&encounter.b)];
    row("OBB", &boxes, encounter, Volume::Obb);
    row("AABB", &boxes, encounter, Volume::Aabb);
    let mut made: Option<(u32, Tables, [Compiled; 2])> = None;
    for (k, tables, realign) in TREES {
        let files = match made.take() {
            Some((of_k, of_tables, files)) if (of_k, of_tables) == (k, tables) => files,
            _ => [&encounter.a, &encounter.b]
                .map(|mesh| file(mesh, Some(kdop::Options { k, tables, ..Default::default() }))),
        };
        row(&format!("{k}-DOP, {}", realign.name()), &files, encounter, Volume::Kdop(realign));
        made = Some((k, tables, files));
    }
}

fn file(mesh: &Mesh, kdop: Option<kdop::Options>) -> Compiled {
    let obb = if kdop.is_some() { None } else { Options::default().obb };
    let options = Options { obb, kdop, ..Options::default() };
    compile(&write_obj(mesh), "encounter.obj", &options, &()).expect("the model compiles")
}

fn row(what: &str, files: &[Compiled; 2], encounter: &Encounter, volume: Volume) {
    let [a, b] = [0, 1].map(|side: usize| {
        Model::from_bytes(&files[side].bytes).expect("a compiled file opens").with_level(peers::level())
    });
    let (mut times, mut steps) = (Vec::new(), Vec::new());
    for (poses, meet) in [(&encounter.separated, false), (&encounter.colliding, true)] {
        let poses: Vec<Pose> =
            poses.iter().map(|pose| Pose::new(pose.rotation, pose.translation).expect("a pose")).collect();
        let mut effort = Effort::unlimited();
        for pose in &poses {
            assert_eq!(count(&a, &b, pose, volume, &mut effort) != 0, meet, "{what}");
        }
        let any = |pose: usize| {
            let first = a.first_pair_by(&b, &poses[pose], volume, &mut Effort::unlimited());
            u64::from(first.expect("the files have the volumes").is_some())
        };
        times.push(median(poses.len(), any));
        times.push(median(poses.len(), |pose| count(&a, &b, &poses[pose], volume, &mut Effort::unlimited())));
        let each = |sum: u64| sum / poses.len() as u64;
        steps.push(format!("{} + {}", each(effort.node_pairs), each(effort.leaf_pairs)));
    }
    let times: Vec<String> = times.iter().map(|seconds| format!("{:.2}", seconds * 1e6)).collect();
    println!("| {what} | {} | {} |", times.join(" | "), steps.join(" | "));
}

fn count(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume, effort: &mut Effort) -> u64 {
    let mut count = 0;
    let end = a.all_pairs_by(b, pose, volume, effort, |_| {
        count += 1;
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    count
}
