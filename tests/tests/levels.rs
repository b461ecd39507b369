//! Every SIMD level, and every tree over the same triangles, gives the same answers, bit for bit.

use std::fmt::Debug;
use std::sync::LazyLock;

use bvhc_runtime::Model;
use bvhc_tests::scene::{grid, hall, icosphere, soup, terrain, tips};
use bvhc_tests::support::Scene;
use bvhc_tests::support::answers::{all_hits, hit_bits, in_ball, in_box, nearest_bits};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::trial::Trial;

/// Rays in total: 10^5 and more, and as many points.
const QUERIES: u32 = 120_000;

/// Sizes at which trees have 4 to 6 levels; a thousand needles and duplicates are as difficult as more of them.
static SCENES: LazyLock<Vec<Scene>> = LazyLock::new(|| {
    vec![
        Scene::new("displaced", icosphere::displaced(20, 0.2, 1)),
        Scene::new("hall", hall::hall(60, 120, 2)),
        Scene::new("soup", soup::triangles(8000, 0.02, 3)),
        Scene::new("needles", soup::needles(1000, 4)),
        Scene::new("duplicates", soup::duplicates(1000, 5)),
        Scene::new("terrain", terrain::terrain(50, 50, 6)),
        Scene::new("cubes", grid::cubes([7, 6, 5])),
        Scene::new("tips", tips::tips(300, 7)),
    ]
});

/// Compiled once for all tests.
static TRIALS: LazyLock<Vec<Trial>> = LazyLock::new(|| SCENES.iter().flat_map(Trial::of).collect());

/// Runs the same queries on every model of a trial and expects equal answers, until the trial's share of `QUERIES` over
/// `part` is spent; returns the fraction of `draw`'s queries that had an answer.
fn compare<'a, Q: Debug, A: PartialEq + Debug>(
    trial: &'a Trial,
    seed: u64,
    part: u32,
    mut draw: impl FnMut(&mut Queries<'a>) -> Q,
    ask: impl Fn(&Model<'_>, &Q) -> Option<A>,
) -> f64 {
    let mut queries = Queries::new(&trial.mesh, seed);
    let (models, count) = (trial.models(), trial.share(QUERIES / SCENES.len() as u32) / part);
    let mut answered = 0;
    for _ in 0..count {
        let query = draw(&mut queries);
        let expected = ask(&models[0], &query);
        answered += u32::from(expected.is_some());
        for (index, model) in models.iter().enumerate().skip(1) {
            let context = format_args!("{} model {index}, level {}", trial.name, model.level().name());
            assert_eq!(ask(model, &query), expected, "{context}: {query:?}");
        }
    }
    f64::from(answered) / f64::from(count)
}

#[test]
fn trees_differ() {
    for trial in TRIALS.iter().filter(|trial| trial.files.len() > 1 && trial.name != "cubes") {
        let nodes = |file| Model::from_bytes(file).expect("it opens").sections().nodes().to_vec();
        let splits = |file| Model::from_bytes(file).expect("it opens").sections().splits().is_some();
        assert_ne!(nodes(&trial.files[0]), nodes(&trial.files[1]), "{}", trial.name);
        assert!(splits(&trial.files[3]), "{}", trial.name);
    }
}

#[test]
fn closest_hit() {
    for trial in TRIALS.iter() {
        let hits =
            compare(trial, 1, 1, Queries::ray, |model, ray| model.closest_hit(ray).as_ref().map(hit_bits));
        assert!(hits > 0.02, "{}: only {hits} of all rays hit", trial.name);
    }
}

#[test]
fn any_hit() {
    for trial in TRIALS.iter() {
        let hits = compare(trial, 2, 1, Queries::ray, |model, ray| model.any_hit(ray).then_some(ray.t_min));
        assert!(hits > 0.02);
    }
}

#[test]
fn all_hits_of_a_ray() {
    for trial in TRIALS.iter() {
        compare(trial, 3, 4, Queries::ray, |model, ray| {
            Some(all_hits(model, ray).iter().map(hit_bits).collect::<Vec<_>>())
        });
    }
}

#[test]
fn closest_point() {
    for trial in TRIALS.iter() {
        let draw = |queries: &mut Queries<'_>| (queries.point(), queries.max_distance());
        let found = compare(trial, 4, 1, draw, |model, &(point, max_distance)| {
            model.closest_point(point, max_distance).as_ref().map(nearest_bits)
        });
        assert!(found > 0.3);
    }
}

#[test]
fn overlaps() {
    for trial in TRIALS.iter() {
        compare(trial, 5, 20, Queries::overlap_box, |model, query_box| Some(in_box(model, query_box)));
        compare(trial, 6, 20, Queries::ball, |model, &(centre, radius)| Some(in_ball(model, centre, radius)));
    }
}
