//! Convex shapes against models: casts and overlaps, bvhc and parry3d.
//!
//! `cargo bench --bench shapes [-- bunny hall town sphere]`. Times are the minimum of several rounds (5, or
//! `BVHC_ROUNDS`) over 1,000 queries, in microseconds a query. A peer's answers are compared first: a wrong one is a
//! contact that is off by more than a hundredth of the shape's size, or a different yes or no, although bvhc's tests of
//! single triangles are exact. `BVHC_LEVEL` limits the SIMD level.

use bvhc_benches::peers::level;
use bvhc_benches::peers::parry::Parry;
use bvhc_benches::peers::parry::shapes::Placed;
use bvhc_benches::shared::model::{Scene, Source};
use bvhc_benches::shared::shapes::{KINDS, Query, casts, overlaps};
use bvhc_benches::shared::vector::length;
use bvhc_tests::support::least::{least, rounds};

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    println!("{}\n", level().name());
    println!("| us a query (parry3d over bvhc; its wrong answers) | cast | overlap |\n|---|---|---|");
    for source in Source::all() {
        if chosen.is_empty() || chosen.iter().any(|name| name == source.name) {
            report(&Scene::new(&source));
        }
    }
}

fn report(scene: &Scene) {
    let parry = Parry::build(&scene.mesh);
    for (kind, name) in KINDS.iter().enumerate() {
        let cells =
            [cast(scene, &parry, &casts(scene, kind)), overlap(scene, &parry, &overlaps(scene, kind))];
        println!("| {}, {name} | {} |", scene.name, cells.join(" | "));
    }
}

fn placed(queries: &[Query]) -> Vec<Option<Placed>> {
    queries.iter().map(|query| Placed::new(&query.shape)).collect()
}

/// The shapes that both have, with the peer's.
fn both<'a>(queries: &'a [Query], placed: &'a [Option<Placed>]) -> Vec<(&'a Query, &'a Placed)> {
    queries.iter().zip(placed).filter_map(|(query, placed)| Some((query, placed.as_ref()?))).collect()
}

fn cast(scene: &Scene, parry: &Parry, queries: &[Query]) -> String {
    let (model, placed) = (scene.model().with_level(level()), placed(queries));
    let both = both(queries, &placed);
    let slack = 1e-4 * f64::from(scene.size());
    let is_wrong = |(query, placed): &&(&Query, &Placed)| {
        let (ours, theirs) = (query.cast(&model), parry.cast(placed, query.displacement));
        ours.is_finite() != theirs.is_finite()
            || (ours - theirs).abs() * f64::from(length(query.displacement)) > slack
    };
    let wrong = both.iter().filter(is_wrong).count();
    let ours = || both.iter().map(|(query, _)| query.cast(&model).min(2.0)).sum::<f64>();
    let theirs = || both.iter().map(|(query, it)| parry.cast(it, query.displacement).min(2.0)).sum::<f64>();
    cell(both.len(), wrong, ours, theirs)
}

fn overlap(scene: &Scene, parry: &Parry, queries: &[Query]) -> String {
    let (model, placed) = (scene.model().with_level(level()), placed(queries));
    let both = both(queries, &placed);
    let wrong = both.iter().filter(|(query, it)| query.overlaps(&model) != parry.overlaps(it)).count();
    let ours = || both.iter().filter(|(query, _)| query.overlaps(&model)).count() as f64;
    let theirs = || both.iter().filter(|(_, it)| parry.overlaps(it)).count() as f64;
    cell(both.len(), wrong, ours, theirs)
}

fn cell(count: usize, wrong: usize, ours: impl Fn() -> f64, theirs: impl Fn() -> f64) -> String {
    let (mut mine, mut peer) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..rounds() {
        mine = mine.min(least(1, &ours));
        peer = peer.min(least(1, &theirs));
    }
    format!("{:.2} ({:.1}; {wrong} of {count})", mine / count as f64 * 1e6, peer / mine)
}
