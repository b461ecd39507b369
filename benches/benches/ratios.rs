//! Tables in Markdown of rays, batches, points and first answers: all libraries in the same rounds, and the ratios.
//!
//! `cargo bench --bench ratios [-- bunny|sphere|hall|town] [rays|batches|points|loads]`: all models, or all tables, if
//! none is named. In each round every library answers every case once, one after the other, with warm caches; the
//! figure is the median over the rounds (6, or `BVHC_ROUNDS`) of the thread's own CPU time. Answers are checked first;
//! README.md lists the variables.

use bvhc_benches::peers::parry::Parry;
use bvhc_benches::peers::{Locator, Tracer, level};
use bvhc_benches::shared::load::{self, Files};
use bvhc_benches::shared::model::{Scene, Source};
use bvhc_benches::shared::roster::{batches, locators, tracers};
use bvhc_benches::shared::table::{Means, Reference, Table};
use bvhc_benches::shared::{check, points, rays};
use cpu_time::ThreadTime;
use std::time::Duration;

/// The references for ratios of rays.
const RAYS: [Reference; 5] = [
    Reference { title: "Embree HIGH or tinybvh", names: &["Embree HIGH", "tinybvh"] },
    Reference { title: "Embree ROBUST", names: &["Embree ROBUST"] },
    Reference { title: "parry3d", names: &["parry3d"] },
    Reference { title: "obvhs", names: &["obvhs BVH2", "obvhs CWBVH"] },
    Reference { title: "bvh", names: &["bvh"] },
];

/// The references for ratios of batches.
const BATCHES: [Reference; 1] = [Reference { title: "Embree HIGH 16", names: &["Embree HIGH 16"] }];

/// The references for ratios of points.
const POINTS: [Reference; 4] = [
    Reference { title: "FCPW", names: &["FCPW"] },
    Reference { title: "Embree HIGH", names: &["Embree HIGH"] },
    Reference { title: "parry3d", names: &["parry3d"] },
    Reference { title: "bvh", names: &["bvh"] },
];

/// The tables that can be named.
const TABLES: [&str; 4] = ["rays", "batches", "points", "loads"];

/// The first 1 / `WARMING` of the queries runs before timing starts: otherwise a runner that follows another one with
/// the same file would find it in the caches, and others would not.
const WARMING: usize = 8;

/// Ratios collected over the models.
#[derive(Default)]
struct Grid {
    rays: Means,
    batches: Means,
    points: Means,
}

fn main() {
    // Cargo passes `--bench`.
    let named: Vec<_> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let (tables, models): (Vec<_>, Vec<_>) =
        named.into_iter().partition(|name| TABLES.contains(&name.as_str()));
    let is_wanted = |names: &[String], name: &str| names.is_empty() || names.iter().any(|it| it == name);
    let mut grid = Grid::default();
    for source in Source::all() {
        if is_wanted(&models, source.name) {
            report(&source, &Scene::new(&source), |table| is_wanted(&tables, table), &mut grid);
        }
    }
    grid.rays.print("rays");
    grid.batches.print("batches of rays");
    grid.points.print("points");
    if let Some(source) = Source::large().filter(|_| is_wanted(&tables, "loads")) {
        print_loads(&Scene::new(&source), false);
    }
}

fn report(source: &Source, scene: &Scene, is_wanted: impl Fn(&str) -> bool, grid: &mut Grid) {
    let level = level().name();
    println!("\n## {}, {} triangles, {level}", scene.name, scene.mesh.triangles.len());
    let cases = rays::cases(scene);
    if is_wanted("rays") {
        let singles = tracers(scene);
        print_sizes(source, scene, &singles);
        grid.rays.add(&print_rays("Mrays/s", scene, &cases, &singles, &RAYS));
    }
    if is_wanted("batches") {
        let batches = batches(scene);
        grid.batches.add(&print_rays("Mrays/s, batches", scene, &cases, &batches, &BATCHES));
    }
    if is_wanted("points") {
        let locators = locators(scene);
        grid.points.add(&print_points(scene, &locators));
    }
    if is_wanted("loads") {
        print_loads(scene, true);
    }
}

fn print_sizes(source: &Source, scene: &Scene, tracers: &[Box<dyn Tracer + '_>]) {
    let per_triangle = |bytes: usize| bytes as f64 / scene.mesh.triangles.len() as f64;
    println!("\n| | bytes a triangle |\n|---|---|");
    println!("| bvhc, default file | {:.1} |", per_triangle(source.compile_by_default().bytes.len()));
    println!("| bvhc, file without oriented boxes | {:.1} |", per_triangle(scene.compiled.bytes.len()));
    for tracer in tracers {
        println!(
            "| {}, nodes and triangles in memory | {:.1} |",
            tracer.name(),
            per_triangle(tracer.bytes())
        );
    }
    println!("| parry3d, archive | {:.1} |", per_triangle(Parry::build(&scene.mesh).archive().len()));
}

fn print_rays<'a>(
    unit: &str,
    scene: &Scene,
    cases: &[rays::Case],
    tracers: &'a [Box<dyn Tracer + '_>],
    references: &'static [Reference],
) -> Table<'a> {
    let names = tracers.iter().map(|tracer| tracer.name()).collect();
    let mut table = Table::start(unit, names, references);
    for case in cases {
        check::rays(scene, case, tracers);
        let mut answers = vec![0.0; case.rays.len()];
        let few = case.rays.len() / WARMING;
        let seconds = medians(tracers.len(), |index| {
            tracers[index].trace(case.question, &case.rays[..few], &mut answers[..few]);
            let start = ThreadTime::now();
            tracers[index].trace(case.question, &case.rays, &mut answers);
            start.elapsed()
        });
        table.row(case.name, &seconds, case.rays.len());
    }
    table
}

fn print_points<'a>(scene: &Scene, locators: &'a [Box<dyn Locator + '_>]) -> Table<'a> {
    let names = locators.iter().map(|locator| locator.name()).collect();
    let mut table = Table::start("Mpoints/s", names, &POINTS);
    for case in points::cases(scene) {
        check::points(scene, &case, locators);
        let mut answers = vec![0.0; case.points.len()];
        let few = case.points.len() / WARMING;
        let seconds = medians(locators.len(), |index| {
            locators[index].locate(&case.points[..few], &mut answers[..few]);
            let start = ThreadTime::now();
            locators[index].locate(&case.points, &mut answers);
            start.elapsed()
        });
        table.row(case.name, &seconds, case.points.len());
    }
    table
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

/// The median seconds of each of `count` runners. They run in alternating order, since a runner is affected by the one
/// before it: by what that leaves in the caches and by its clock frequency.
fn medians(count: usize, mut run: impl FnMut(usize) -> Duration) -> Vec<f64> {
    let rounds = std::env::var("BVHC_ROUNDS").map_or(6, |rounds| rounds.parse().expect("BVHC_ROUNDS counts"));
    let mut times = vec![Vec::new(); count];
    for round in 0..rounds {
        for turn in 0..count {
            let index = if round % 2 == 0 { turn } else { count - 1 - turn };
            times[index].push(run(index).as_secs_f64());
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
