//! One page of tables for BENCHMARKS.md, in Markdown: everybody in the same rounds, and the ratios.
//!
//! `cargo bench -p bvhc-tests --bench ratios [-- bunny|sphere]`. In each round everybody answers every case once, one after
//! the other; the figure is the median over the rounds (5, or `BVHC_ROUNDS`) of the thread's own CPU time. Where
//! obvhs has two trees, the ratio is to the faster one. Answers are checked first; [`shared`] tells the variables.
#![allow(dead_code, reason = "each benchmark uses its part of what they share")]

mod peers;
mod shared;

use cpu_time::ThreadTime;
use peers::Tracer;
use peers::parry::Parry;
use shared::load::{self, Files};
use shared::model::{Scene, Source};
use shared::{check, locators, points, rays, tracers};
use std::time::Duration;

/// The peers that ratios are to, by the beginning of their names.
const PEERS: [&str; 3] = ["parry3d", "obvhs", "bvh"];

fn main() {
    // Cargo passes `--bench`.
    let filter: Vec<_> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for source in Source::all() {
        if filter.is_empty() || filter.iter().any(|name| name == source.name) {
            report(&Scene::new(&source));
        }
    }
    if let Some(source) = Source::large() {
        print_loads(&Scene::new(&source), false);
    }
}

fn report(scene: &Scene) {
    let level = scene.model().level().name();
    println!("\n## {}, {} triangles, {level}", scene.name, scene.mesh.triangles.len());
    let tracers = tracers(scene);
    print_sizes(scene, &tracers);
    print_rays(scene, &tracers);
    print_points(scene);
    print_loads(scene, true);
}

fn print_sizes(scene: &Scene, tracers: &[Box<dyn Tracer + '_>]) {
    let per_triangle = |bytes: usize| bytes as f64 / scene.mesh.triangles.len() as f64;
    println!("\n| | bytes a triangle |\n|---|---|");
    for tracer in tracers {
        println!(
            "| {}, nodes and triangles in memory | {:.1} |",
            tracer.name(),
            per_triangle(tracer.bytes())
        );
    }
    println!("| bvhc, whole file | {:.1} |", per_triangle(scene.compiled.bytes.len()));
    println!("| parry3d, whole archive | {:.1} |", per_triangle(Parry::build(&scene.mesh).archive().len()));
}

fn print_rays(scene: &Scene, tracers: &[Box<dyn Tracer + '_>]) {
    let names: Vec<_> = tracers.iter().map(|tracer| tracer.name()).collect();
    print_head("Mrays/s", &names);
    for case in rays::cases(scene) {
        check::rays(scene, &case, tracers);
        let mut answers = vec![0.0; case.rays.len()];
        let seconds = medians(tracers.len(), |index| {
            let start = ThreadTime::now();
            tracers[index].trace(case.question, &case.rays, &mut answers);
            start.elapsed()
        });
        print_row(case.name, &names, &seconds, case.rays.len());
    }
}

fn print_points(scene: &Scene) {
    let locators = locators(scene);
    let names: Vec<_> = locators.iter().map(|locator| locator.name()).collect();
    print_head("Mpoints/s", &names);
    for case in points::cases(scene) {
        check::points(scene, &case, &locators);
        let mut answers = vec![0.0; case.points.len()];
        let seconds = medians(locators.len(), |index| {
            let start = ThreadTime::now();
            locators[index].locate(&case.points, &mut answers);
            start.elapsed()
        });
        print_row(case.name, &names, &seconds, case.points.len());
    }
}

fn print_loads(scene: &Scene, with_peers: bool) {
    let files = Files::write(scene, with_peers);
    let ray = load::ray(scene);
    let ways = files.ways(&scene.mesh);
    load::check(&ways, &ray);
    let seconds = medians(ways.len(), |index| {
        let start = ThreadTime::now();
        let first = ways[index].go(&ray);
        let passed = start.elapsed();
        drop(first);
        passed
    });
    println!("\n| first answer, {} | ms | in times of {} |\n|---|---|---|", scene.name, ways[0].name);
    for (way, time) in ways.iter().zip(&seconds) {
        println!("| {} | {:.3} | {:.1} |", way.name, time * 1e3, time / seconds[0]);
    }
}

/// The median seconds of each of `count` runners, who take turns.
fn medians(count: usize, mut run: impl FnMut(usize) -> Duration) -> Vec<f64> {
    let rounds = std::env::var("BVHC_ROUNDS").map_or(5, |rounds| rounds.parse().expect("BVHC_ROUNDS counts"));
    let mut times = vec![Vec::new(); count];
    for _ in 0..rounds {
        for (index, times) in times.iter_mut().enumerate() {
            times.push(run(index).as_secs_f64());
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn print_head(unit: &str, names: &[&str]) {
    let ratios: Vec<_> = peers(names).map(|peer| format!("x {peer}")).collect();
    println!("\n| {unit} | {} | {} |", names.join(" | "), ratios.join(" | "));
    println!("{}|", "|---".repeat(1 + names.len() + ratios.len()));
}

/// A line of throughputs in millions, then of ratios to the peers.
fn print_row(case: &str, names: &[&str], seconds: &[f64], count: usize) {
    let rates = seconds.iter().map(|time| format!("{:.2}", count as f64 / time * 1e-6));
    let ratios = peers(names).map(|peer| {
        let theirs = names.iter().zip(seconds).filter(|(name, _)| belongs(name, peer));
        let best = theirs.map(|(_, time)| *time).fold(f64::INFINITY, f64::min);
        format!("{:.2}", best / seconds[0])
    });
    println!("| {case} | {} |", rates.chain(ratios).collect::<Vec<_>>().join(" | "));
}

/// The peers among these names.
fn peers<'a>(names: &'a [&str]) -> impl Iterator<Item = &'static str> + 'a {
    PEERS.into_iter().filter(|peer| names.iter().any(|name| belongs(name, peer)))
}

/// Whether this is a name of the peer's: its own, or that of one of its trees.
fn belongs(name: &str, peer: &str) -> bool {
    name.split(' ').next() == Some(peer)
}
