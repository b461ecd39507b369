//! What the qualities cost and what they gain: compile time against the times of queries.
//!
//! `cargo bench --bench qualities [-- bunny hall town sphere]`. Compile times are of the program's work from the OBJ text to
//! the file's bytes, on all processors. Rays, points, pairs and distances are times relative to those of the default; each
//! is the minimum of several rounds (5, or `BVHC_ROUNDS`), in which the qualities take turns. A model meets itself at 24 random
//! poses. Answers must be the same for all qualities. `BVHC_LEVEL` limits the SIMD level.

use std::ops::ControlFlow;
use std::time::Instant;

use bvhc::compile::{Options, Quality, compile};
use bvhc_benches::peers::{Question, level};
use bvhc_benches::shared::model::{Scene, Source, load};
use bvhc_benches::shared::table::geometric_mean;
use bvhc_benches::shared::{points, rays};
use bvhc_runtime::{LoadedModel, Model, Pose};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::support::least::{least, rounds};

/// The qualities; ratios are to the second.
const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Default, Quality::Best];
const REFERENCE: usize = 1;

/// A query: it returns a digest of its answers.
type Ask<'a> = Box<dyn Fn(&Model<'_>) -> u64 + 'a>;

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("{}", level().name());
    for source in Source::all() {
        if chosen.is_empty() || chosen.iter().any(|name| name == source.name) {
            report(&source);
        }
    }
}

fn report(source: &Source) {
    let (mut seconds, mut bytes, mut loaded) = (Vec::new(), Vec::new(), Vec::new());
    for quality in QUALITIES {
        let start = Instant::now();
        let compiled =
            compile(&source.obj, source.name, &Options::of(quality), &()).expect("the model compiles");
        seconds.push(start.elapsed().as_secs_f64());
        bytes.push(compiled.bytes.len() as f64 / compiled.report.triangles as f64);
        loaded.push(load(&compiled));
    }
    let scene = Scene::new(source);
    let kinds = [
        ("rays", rays_of(&scene)),
        ("points", points_of(&scene)),
        ("yes or no", pairs_of(&scene, |a, pose| u64::from(a.collides(a, pose).expect("within its limit")))),
        ("all pairs", pairs_of(&scene, count)),
        ("distances", pairs_of(&scene, distance)),
    ];
    println!(
        "\n| {} | compile, s | bytes a triangle | {} |",
        source.name,
        kinds.each_ref().map(|(name, _)| *name).join(" | ")
    );
    println!("{}|", "|---".repeat(3 + kinds.len()));
    let ratios: Vec<Vec<f64>> = kinds.iter().map(|(name, asks)| ratios(name, asks, &loaded)).collect();
    for (row, quality) in QUALITIES.into_iter().enumerate() {
        let cells: Vec<String> = ratios.iter().map(|ratios| format!("{:.2}", ratios[row])).collect();
        println!("| {} | {:.2} | {:.1} | {} |", quality.name(), seconds[row], bytes[row], cells.join(" | "));
    }
}

/// For each quality the geometric mean of its times over those of the reference.
fn ratios(name: &str, asks: &[Ask<'_>], files: &[LoadedModel]) -> Vec<f64> {
    let models: Vec<Model<'_>> = files.iter().map(|file| file.model().with_level(level())).collect();
    let mut all = vec![Vec::new(); models.len()];
    for ask in asks {
        let answers: Vec<u64> = models.iter().map(ask).collect();
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{name}: {answers:?}");
        let mut times = vec![f64::INFINITY; models.len()];
        for _ in 0..rounds() {
            for (time, model) in times.iter_mut().zip(&models) {
                *time = time.min(least(1, || ask(model)));
            }
        }
        for (ratios, time) in all.iter_mut().zip(&times) {
            ratios.push(time / times[REFERENCE]);
        }
    }
    all.iter().map(|ratios| geometric_mean(ratios)).collect()
}

/// Each kind of rays, one ray at a time.
fn rays_of(scene: &Scene) -> Vec<Ask<'static>> {
    let ask = |case: rays::Case| -> Ask<'static> {
        Box::new(move |model| match case.question {
            Question::ClosestHit => case.rays.iter().fold(0, |digest, ray| {
                mix(digest, model.closest_hit(ray).map_or(0, |hit| 1 + u64::from(hit.triangle)))
            }),
            Question::AnyHit => case.rays.iter().map(|ray| u64::from(model.any_hit(ray))).sum(),
        })
    };
    rays::cases(scene).into_iter().map(ask).collect()
}

fn points_of(scene: &Scene) -> Vec<Ask<'static>> {
    let ask = |case: points::Case| -> Ask<'static> {
        Box::new(move |model| {
            case.points.iter().fold(0, |digest, point| {
                let nearest = model.closest_point(*point, f32::INFINITY);
                mix(digest, nearest.map_or(0, |nearest| 1 + u64::from(nearest.triangle)))
            })
        })
    };
    points::cases(scene).into_iter().map(ask).collect()
}

/// A question about a model and itself, at poses of which every second has a smaller offset.
fn pairs_of<'a>(scene: &Scene, ask: impl Fn(&Model<'_>, &Pose) -> u64 + Copy + 'a) -> Vec<Ask<'a>> {
    let mut random = Random::new(7);
    let centre = scene.centre().map(f64::from);
    let pose = |index: usize| {
        let reach = f64::from(scene.size()) * if index.is_multiple_of(2) { 0.3 } else { 0.9 };
        let rotation = pose::any(&mut random);
        let to = [0, 1, 2].map(|axis: usize| centre[axis] + reach * (random.unit() - 0.5));
        pose::Pose::taking(rotation, centre, to).for_query()
    };
    let poses: Vec<Pose> = (0..24).map(pose).collect();
    poses.into_iter().map(|pose| -> Ask<'a> { Box::new(move |model| ask(model, &pose)) }).collect()
}

fn count(a: &Model<'_>, pose: &Pose) -> u64 {
    let mut pairs = 0;
    let _ = a.all_pairs(a, pose, |_| {
        pairs += 1;
        ControlFlow::Continue(())
    });
    pairs
}

fn distance(a: &Model<'_>, pose: &Pose) -> u64 {
    let found = a.distance(a, pose).expect("within its limit");
    found.map_or(0, |found| found.distance.to_bits())
}

fn mix(digest: u64, answer: u64) -> u64 {
    digest.rotate_left(5) ^ answer
}
