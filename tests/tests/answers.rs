//! Pins a digest of the answers to every kind of query: no change of layout, tree or kernel may change one bit of them.
//!
//! If `BVHC_BLESS` is 1, the list is rewritten instead.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use bvhc::compile::{Layout, Options};
use bvhc::mesh::Mesh;
use bvhc_runtime::{Distance, Model, Volume};
use bvhc_tests::random::Random;
use bvhc_tests::support::answers::{all_hits, hit_bits, in_ball, in_box, nearest_bits};
use bvhc_tests::support::by_volume::{distance, pairs, poses, within};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::volumes::file;
use bvhc_tests::support::{LAYOUTS, scenes};

/// Queries of each kind for each scene and layout.
const COUNT: usize = 600;

/// Poses of each scene against itself: walks take long where two trees overlap everywhere.
const POSES: usize = 15;

/// The numbers of answers, hashed in order.
#[derive(Default)]
struct Digest(blake3::Hasher);

impl Digest {
    fn add(&mut self, numbers: impl IntoIterator<Item = u32>) {
        numbers.into_iter().for_each(|number| {
            self.0.update(&number.to_le_bytes());
        });
    }

    /// A list that may be empty.
    fn add_list(&mut self, numbers: &[u32]) {
        self.add([numbers.len() as u32]);
        self.add(numbers.iter().copied());
    }

    fn finish(&self) -> String {
        self.0.finalize().to_hex()[..16].to_owned()
    }
}

fn of_rays(mesh: &Mesh, model: &Model<'_>) -> String {
    let (mut queries, mut digest) = (Queries::new(mesh, 71), Digest::default());
    for _ in 0..COUNT {
        let ray = queries.ray();
        digest.add(model.closest_hit(&ray).iter().flat_map(hit_bits));
        digest.add([u32::from(model.any_hit(&ray))]);
        digest.add(all_hits(model, &ray).iter().flat_map(hit_bits));
    }
    digest.finish()
}

fn of_points(mesh: &Mesh, model: &Model<'_>) -> String {
    let (mut queries, mut digest) = (Queries::new(mesh, 72), Digest::default());
    for _ in 0..COUNT {
        let (point, most) = (queries.point(), queries.max_distance());
        let nearest = model.closest_point(point, most);
        digest.add([u32::from(nearest.is_some())]);
        digest.add(nearest.iter().flat_map(nearest_bits));
    }
    digest.finish()
}

fn of_overlaps(mesh: &Mesh, model: &Model<'_>) -> String {
    let (mut queries, mut digest) = (Queries::new(mesh, 73), Digest::default());
    for _ in 0..COUNT {
        digest.add_list(&in_box(model, &queries.overlap_box()));
        let (centre, radius) = queries.ball();
        digest.add_list(&in_ball(model, centre, radius));
    }
    digest.finish()
}

/// If triangles meet, any meeting pair may be reported.
fn distance_bits(found: &Distance) -> Vec<u32> {
    let halves = |x: f64| [x.to_bits() as u32, (x.to_bits() >> 32) as u32];
    if found.distance == 0.0 {
        return vec![0];
    }
    let numbers = [found.distance].into_iter().chain(found.on_a).chain(found.on_b).chain(found.direction);
    numbers.flat_map(halves).chain([found.a, found.b]).collect()
}

fn of_pairs(mesh: &Mesh, model: &Model<'_>, volume: Volume) -> String {
    let (mut random, mut digest) = (Random::new(74), Digest::default());
    for pose in poses(&mut random, &mesh.positions, POSES) {
        let flat = |pairs: Vec<(u32, u32)>| pairs.into_iter().flat_map(|(a, b)| [a, b]).collect::<Vec<_>>();
        digest.add_list(&flat(pairs(model, model, &pose, volume)));
        let found = distance(model, model, &pose, volume);
        digest.add(distance_bits(&found));
        digest.add_list(&flat(within(model, model, &pose, volume, 1.05 * found.distance)));
    }
    digest.finish()
}

/// The answers of one scene in one layout; all volumes give the same.
fn list_of(name: &str, mesh: &Mesh, layout: Layout) -> String {
    let compiled = file(mesh, &Options { layout, ..Options::default() });
    let model = Model::from_bytes(&compiled.bytes).expect("it opens");
    let mut list = String::new();
    let mut tell = |kind: &str, digest: String| {
        writeln!(list, "{name}, {}, {kind}: {digest}", layout.name()).expect("a string takes all");
    };
    tell("rays", of_rays(mesh, &model));
    tell("points", of_points(mesh, &model));
    tell("overlaps", of_overlaps(mesh, &model));
    let boxes = of_pairs(mesh, &model, Volume::Obb);
    assert_eq!(of_pairs(mesh, &model, Volume::Aabb), boxes, "{name}");
    tell("pairs", boxes);
    list
}

#[test]
fn answers_are_pinned() {
    let list: String = scenes(1)
        .iter()
        .flat_map(|scene| LAYOUTS.map(|layout| list_of(scene.name, &scene.mesh, layout)))
        .collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/answers.txt");
    if std::env::var("BVHC_BLESS").is_ok_and(|value| value == "1") {
        fs::write(&path, &list).expect("the list can be written");
    }
    let pinned = fs::read_to_string(&path).expect("the list is there").replace("\r\n", "\n");
    assert_eq!(list, pinned, "answers have changed");
}
