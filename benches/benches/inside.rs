//! Whether points are inside closed models: bvhc, and libigl's fast winding numbers and Open3D's occupancy in Python.
//!
//! `cargo bench --bench inside [-- bunny sphere spot ...]`. `BVHC_PYTHON` is a Python that has numpy and the peers; without it,
//! or without one of them, they are left out. Times are the minimum of several rounds (5, or `BVHC_ROUNDS`) over 8,192 points,
//! in nanoseconds of this thread's time a point. bvhc is asked twice, without a distance field and with one. `BVHC_LEVEL` limits
//! its SIMD level.

use bvhc::FieldOptions;
use bvhc::compile::Options;
use bvhc::mesh::Mesh;
use bvhc_benches::peers::level;
use bvhc_benches::shared::model::{Scene, Source, load, quality};
use bvhc_benches::shared::points::{self, Case};
use bvhc_runtime::{InsideRule, Model, Place};
use bvhc_tests::oracle::winding::winding;
use bvhc_tests::support::least::{least, rounds};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Cells of the field along the longest axis.
const RESOLUTION: u32 = 256;

/// The peers, as `python/inside.py` calls them.
const PEERS: [&str; 2] = ["libigl", "open3d"];

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("{}\n", level().name());
    let own = format!("bvhc | with a field of {RESOLUTION}");
    println!(
        "| ns a point (over both of bvhc; other answers) | {own} | libigl | Open3D |\n|---|---|---|---|---|"
    );
    for source in Source::closed() {
        if chosen.is_empty() || chosen.iter().any(|name| name == source.name) {
            report(&source);
        }
    }
}

fn report(source: &Source) {
    let scene = Scene::new(source);
    let field = Some(FieldOptions::new(RESOLUTION));
    let with_field =
        load(&source.compile_as(&Options { quality: quality(), obb: None, field, ..Options::default() }));
    for case in points::cases(&scene) {
        let (seconds, places) = timed(&scene.model(), &case);
        check(&scene, &case, &places);
        let (by_field, same) = timed(&with_field.model(), &case);
        assert!(places == same, "{}: other answers with a field", scene.name);
        let peers = PEERS.map(|name| peer(name, &scene.mesh, &case, &places, [seconds, by_field]));
        let [own, by_field] = [seconds, by_field].map(|seconds| nanoseconds(seconds, case.points.len()));
        println!("| {}, {} | {own:.0} | {by_field:.0} | {} |", scene.name, case.name, peers.join(" | "));
    }
}

/// The least time of a batch, and its answers.
fn timed(model: &Model<'_>, case: &Case) -> (f64, Vec<Place>) {
    let model = model.with_level(level());
    let mut places = vec![Place::Out; case.points.len()];
    let seconds = least(rounds(), || model.contains_each(&case.points, InsideRule::NonZero, &mut places));
    (seconds, places)
}

/// The points whose winding numbers are added up over all triangles before anything is timed.
const SAMPLE: usize = 40;

fn check(scene: &Scene, case: &Case, places: &[Place]) {
    let step = case.points.len() / SAMPLE;
    for (point, place) in case.points.iter().zip(places).step_by(step) {
        let (number, error) = winding(&scene.mesh, *point);
        let is_in = *place == Place::In;
        assert!(error > 0.1 || is_in == (number.abs() > 0.5), "{}: {point:?} is {place:?}", scene.name);
    }
}

/// What a peer takes and how many of its answers are others; a dash where it is absent.
fn peer(name: &str, mesh: &Mesh, case: &Case, places: &[Place], ours: [f64; 2]) -> String {
    let Some((seconds, inside)) = ask(name, mesh, case) else { return "-".into() };
    let others =
        inside.iter().zip(places).filter(|(inside, place)| **inside != (**place == Place::In)).count();
    let (time, ratios) = (nanoseconds(seconds, case.points.len()), ours.map(|ours| seconds / ours));
    format!("{time:.0} ({:.1}, {:.1}; {others} of {})", ratios[0], ratios[1], inside.len())
}

/// Seconds and answers of a peer; `None` where it is absent.
fn ask(name: &str, mesh: &Mesh, case: &Case) -> Option<(f64, Vec<bool>)> {
    let python = std::env::var_os("BVHC_PYTHON")?;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |file: &str, bytes: Vec<u8>| fs::write(folder.path().join(file), bytes).expect("a file");
    write("vertices", mesh.positions.iter().flatten().flat_map(|x| x.to_le_bytes()).collect());
    write("triangles", mesh.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect());
    write("points", case.points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/inside.py");
    let output = Command::new(python)
        .args([script.as_os_str(), folder.path().as_os_str(), name.as_ref()])
        .arg(rounds().to_string())
        .output()
        .expect("BVHC_PYTHON runs");
    if !output.status.success() {
        eprintln!(
            "{name} is absent: {}",
            String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("")
        );
        return None;
    }
    let seconds = String::from_utf8_lossy(&output.stdout).trim().parse().expect("seconds");
    let answers = fs::read(folder.path().join(name)).expect("answers");
    Some((seconds, answers.iter().map(|byte| *byte != 0).collect()))
}

fn nanoseconds(seconds: f64, points: usize) -> f64 {
    seconds / points as f64 * 1e9
}
