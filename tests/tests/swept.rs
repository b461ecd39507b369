//! Trees of swept spheres: on every level they find the pairs and the distances that oriented boxes find, bit for bit, which
//! the oracles vouch for.

use std::ops::ControlFlow;

use bvhc::compile::Layout;
use bvhc_format::swept::{Core, Cores};
use bvhc_runtime::{Allowance, Distance, Effort, Exhausted, Hint, Level, Model, Pose, Volume, VolumeError};
use bvhc_tests::oracle::gap::of_surfaces;
use bvhc_tests::oracle::pairs::{Surface, all};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{encounter, icosphere, shapes};
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::swept::count_cores;
use bvhc_tests::support::{LAYOUTS, Scene, compiled_for_pairs, compiled_with_swept, levels, scenes};

const LINES: Cores = Cores::Same(Core::Line);

fn pairs(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let end = a.all_pairs_by(b, pose, volume, &mut Effort::unlimited(), |pair| {
        pairs.push((pair.a, pair.b));
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    pairs.sort_unstable();
    pairs
}

fn within(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume, limit: f64) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let end = a.pairs_within_by(b, pose, volume, limit, &mut Effort::unlimited(), |found| {
        pairs.push((found.a, found.b));
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    pairs.sort_unstable();
    pairs
}

fn distance(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume) -> Distance {
    let (mut hint, mut effort) = (Hint::default(), Effort::unlimited());
    let found = a.distance_by(b, pose, volume, f64::INFINITY, Allowance::NONE, &mut hint, &mut effort);
    found.expect("the files have them").expect("triangles")
}

/// What oriented boxes find.
struct Expected {
    pairs: Vec<(u32, u32)>,
    distance: Distance,
    within: Vec<(u32, u32)>,
}

impl Expected {
    fn of(a: &Model<'_>, b: &Model<'_>, pose: &Pose) -> Self {
        let distance = distance(a, b, pose, Volume::Obb);
        let within = within(a, b, pose, Volume::Obb, 1.01 * distance.distance);
        Self { pairs: pairs(a, b, pose, Volume::Obb), distance, within }
    }

    fn check(&self, a: &Model<'_>, b: &Model<'_>, pose: &Pose, cores: Cores, what: &str) {
        let (volume, least) = (Volume::Swept(cores), self.distance.distance);
        for level in levels() {
            let (a, b) = (a.with_level(level), b.with_level(level));
            let what = || format!("{what}, {cores:?}, {}, {pose:?}", level.name());
            assert_eq!(pairs(&a, &b, pose, volume), self.pairs, "{}", what());
            let first = a.first_pair_by(&b, pose, volume, &mut Effort::unlimited()).expect("no limit");
            assert_eq!(first.is_some(), !self.pairs.is_empty(), "{}", what());
            let found = distance(&a, &b, pose, volume);
            assert!(found == self.distance || found.distance == 0.0 && least == 0.0, "{}: {found:?}", what());
            assert_eq!(within(&a, &b, pose, volume, 1.01 * least), self.within, "{}", what());
            let ask = |limit| a.within_by(&b, pose, volume, limit, &mut Effort::unlimited());
            assert_eq!((ask(least), ask(least.next_down())), (Ok(true), Ok(false)), "{}", what());
        }
    }
}

/// Poses from meeting to far away.
fn poses(random: &mut Random, positions: &[[f32; 3]], count: usize) -> Vec<Pose> {
    let far = positions.as_flattened().iter().fold(0.0f64, |far, x| far.max(f64::from(x.abs())));
    let mut draw = |index: usize| {
        let rotation = if index % 3 == 2 { pose::of_axes(random) } else { pose::any(random) };
        let [from, to] =
            [(); 2].map(|()| positions[random.below(positions.len() as u32) as usize].map(f64::from));
        let pose = pose::Pose::taking(rotation, from, to);
        let reach = far * [0.0, 1.0, 3.0, 0.2, 30.0][index % 5];
        let aside = random.direction().map(|x| reach * f64::from(x));
        let translation = std::array::from_fn(|axis| pose.translation[axis] + aside[axis]);
        pose::Pose { translation, ..pose }.for_query()
    };
    (0..count).map(&mut draw).collect()
}

#[test]
fn meshes_at_any_pose() {
    let mut random = Random::new(1);
    let (mut found, mut apart) = (0, 0);
    for (index, Scene { name, mesh }) in scenes(1).into_iter().enumerate() {
        for (cores, number) in Cores::ALL.into_iter().zip(0..) {
            let layout = LAYOUTS[(index + number) % 2];
            let file = compiled_with_swept(&mesh, layout, cores);
            let model = Model::from_bytes(&file).expect("it opens");
            assert_eq!(model.swept_tree().map(|(_, layout)| layout.cores), Some(cores));
            for pose in poses(&mut random, &mesh.positions, 3) {
                let expected = Expected::of(&model, &model, &pose);
                found += expected.pairs.len();
                apart += u32::from(expected.distance.distance > 0.0);
                expected.check(&model, &model, &pose, cores, name);
            }
        }
    }
    assert!(found > 4_000 && apart > 20, "only {found} pairs, {apart} poses apart");
}

/// What oriented boxes find is what is there.
#[test]
fn an_oracle_agrees() {
    let mesh = icosphere::displaced(6, 0.2, 1);
    let mut random = Random::new(2);
    for cores in Cores::ALL {
        let file = compiled_with_swept(&mesh, Layout::Fast, cores);
        let model = Model::from_bytes(&file).expect("it opens");
        let (stored, volume) = (stored(&model), Volume::Swept(cores));
        let still = Surface::of(&stored);
        for pose in poses(&mut random, &mesh.positions, 3) {
            let moved = Surface::moved(&stored, &pose::Pose::of_query(&pose));
            assert_eq!(pairs(&model, &model, &pose, volume), all(&still, &moved), "{cores:?}");
            let least = of_surfaces(&still, &moved).expect("triangles").distance;
            let found = distance(&model, &model, &pose, volume).distance;
            assert!((found - least).abs() <= 1e-12 * least, "{cores:?}: {found} {least}");
        }
    }
}

/// A scene in which some nodes of a hybrid have points, some lines and some rectangles.
#[test]
fn all_cores_in_one_tree() {
    let mesh = shapes::shapes(12, 1);
    let file = compiled_with_swept(&mesh, Layout::Fast, Cores::Hybrid);
    let model = Model::from_bytes(&file).expect("it opens");
    let counts = count_cores(&model);
    assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
    let mut random = Random::new(3);
    let mut found = 0;
    for pose in poses(&mut random, &mesh.positions, 20) {
        let expected = Expected::of(&model, &model, &pose);
        found += expected.pairs.len();
        expected.check(&model, &model, &pose, Cores::Hybrid, "shapes");
    }
    assert!(found > 50, "only {found} pairs");
    let rows = |cores| {
        let file = compiled_with_swept(&mesh, Layout::Fast, cores);
        Model::from_bytes(&file).expect("it opens").swept_tree().expect("a tree").0.rows.len()
    };
    let [points, lines, rectangles] = Core::ALL.map(|core| rows(Cores::Same(core)));
    let hybrid: usize = Core::ALL.into_iter().zip(counts).map(|(core, count)| core.rows() * count).sum();
    assert_eq!(rows(Cores::Hybrid), hybrid);
    assert!(points < lines && hybrid < rectangles);
}

#[test]
fn encounters() {
    for encounter in [encounter::animals(1000, 3), encounter::nested(4, 3), encounter::spheres(5, 3)] {
        for cores in Cores::ALL {
            let file = |mesh| compiled_with_swept(mesh, Layout::Fast, cores);
            let (a, b) = (file(&encounter.a), file(&encounter.b));
            let [a, b] = [&a, &b].map(|file| Model::from_bytes(file).expect("it opens"));
            for pose in encounter.separated.iter().chain(&encounter.colliding) {
                let pose = pose.for_query();
                Expected::of(&a, &b, &pose).check(&a, &b, &pose, cores, encounter.name);
            }
        }
    }
}

#[test]
fn what_files_do_not_have() {
    let mesh = icosphere::displaced(4, 0.2, 1);
    let [lines, boxes] =
        [compiled_with_swept(&mesh, Layout::Fast, LINES), compiled_for_pairs(&mesh, Layout::Fast)];
    let [lines, boxes] = [&lines, &boxes].map(|file| Model::from_bytes(file).expect("it opens"));
    let ask = |a: &Model<'_>, b: &Model<'_>, cores| {
        let (mut effort, volume) = (Effort::unlimited(), Volume::Swept(cores));
        let pairs = a.first_pair_by(b, &Pose::IDENTITY, volume, &mut effort).map(|pair| pair.is_some());
        assert_eq!(a.within_by(b, &Pose::IDENTITY, volume, 1.0, &mut effort), pairs);
        pairs
    };
    assert_eq!(ask(&lines, &lines, LINES), Ok(true));
    for cores in Cores::ALL {
        for (a, b) in [(&lines, &boxes), (&boxes, &lines), (&boxes, &boxes)] {
            assert_eq!(ask(a, b, cores), Err(VolumeError::NoSwept(cores)));
        }
    }
    for cores in [Cores::Same(Core::Rectangle), Cores::Hybrid] {
        assert_eq!(ask(&lines, &lines, cores), Err(VolumeError::NoSwept(cores)));
    }
    let volume = Volume::Swept(LINES);
    let none = lines.within_by(&lines, &Pose::IDENTITY, volume, 0.0, &mut Effort::of_steps(0));
    assert_eq!(none, Err(VolumeError::Exhausted(Exhausted)));
    let lines = lines.with_level(Level::detect());
    assert_eq!(lines.within_by(&lines, &Pose::IDENTITY, volume, -1.0, &mut Effort::unlimited()), Ok(false));
}
