//! Every SIMD level, and every tree over the same triangles, gives the same answers, bit for bit.

use std::fmt::Debug;

use bvhc::compile::Quality;
use bvhc::file::Bytes;
use bvhc::mesh::Mesh;
use bvhc_runtime::Model;
use bvhc_tests::scene::{grid, hall, icosphere, soup, terrain};
use bvhc_tests::support::answers::{all_hits, hit_bits, in_ball, in_box, nearest_bits};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::{compiled, levels};

/// Rays in all: 10^5 and more, as are the points.
const QUERIES: u32 = 120_000;

fn meshes() -> Vec<Mesh> {
    vec![
        icosphere::displaced(32, 0.2, 1),
        hall::hall(100, 200, 2),
        soup::triangles(10_000, 0.02, 3),
        soup::needles(3000, 4),
        soup::duplicates(1000, 5),
        terrain::terrain(80, 80, 6),
        grid::cubes([7, 6, 5]),
    ]
}

/// A mesh and its files, one a quality.
struct Trial {
    mesh: Mesh,
    files: [Bytes; 2],
}

impl Trial {
    fn all() -> Vec<Self> {
        let trials = meshes().into_iter().map(|mesh| {
            let files = [Quality::Fast, Quality::Default].map(|quality| compiled(&mesh, quality));
            Self { mesh, files }
        });
        trials.collect()
    }

    /// One model for each file and level; those of the first file come first.
    fn models(&self) -> Vec<Model<'_>> {
        let models = self.files.iter().flat_map(|file| {
            let model = Model::from_bytes(file).expect("the compiler's file opens");
            levels().into_iter().map(move |level| model.with_level(level))
        });
        models.collect()
    }

    /// Asks every model the same and expects the same answer; returns how often `draw`'s query had one.
    fn compare<'a, Q: Debug, A: PartialEq + Debug>(
        &'a self,
        seed: u64,
        count: u32,
        mut draw: impl FnMut(&mut Queries<'a>) -> Q,
        ask: impl Fn(&Model<'_>, &Q) -> Option<A>,
    ) -> u32 {
        let mut queries = Queries::new(&self.mesh, seed);
        let models = self.models();
        let mut answered = 0;
        for _ in 0..count {
            let query = draw(&mut queries);
            let expected = ask(&models[0], &query);
            answered += u32::from(expected.is_some());
            for (index, model) in models.iter().enumerate().skip(1) {
                let level = model.level().name();
                assert_eq!(ask(model, &query), expected, "model {index}, level {level}: {query:?}");
            }
        }
        answered
    }
}

/// As many queries for each of the meshes.
fn share() -> u32 {
    QUERIES / meshes().len() as u32
}

#[test]
fn trees_differ() {
    for trial in Trial::all().iter().take(5) {
        let [fast, default] = &trial.files;
        let nodes = |file| Model::from_bytes(file).expect("it opens").nodes().to_vec();
        assert_ne!(nodes(fast), nodes(default));
    }
}

#[test]
fn closest_hit() {
    for trial in &Trial::all() {
        let count = share();
        let hits =
            trial.compare(1, count, Queries::ray, |model, ray| model.closest_hit(ray).as_ref().map(hit_bits));
        assert!(hits > count / 50, "only {hits} of {count} rays hit");
    }
}

#[test]
fn any_hit() {
    for trial in &Trial::all() {
        let hits =
            trial.compare(2, share(), Queries::ray, |model, ray| model.any_hit(ray).then_some(ray.t_min));
        assert!(hits > share() / 50);
    }
}

#[test]
fn all_hits_of_a_ray() {
    for trial in &Trial::all() {
        trial.compare(3, share() / 4, Queries::ray, |model, ray| {
            Some(all_hits(model, ray).iter().map(hit_bits).collect::<Vec<_>>())
        });
    }
}

#[test]
fn closest_point() {
    for trial in &Trial::all() {
        let draw = |queries: &mut Queries<'_>| (queries.point(), queries.max_distance());
        let found = trial.compare(4, share(), draw, |model, &(point, reach)| {
            model.closest_point(point, reach).as_ref().map(nearest_bits)
        });
        assert!(found > share() / 3);
    }
}

#[test]
fn overlaps() {
    for trial in &Trial::all() {
        trial.compare(5, share() / 20, Queries::overlap_box, |model, reach| Some(in_box(model, reach)));
        trial.compare(6, share() / 20, Queries::ball, |model, &(centre, radius)| {
            Some(in_ball(model, centre, radius))
        });
    }
}
