//! Trees of swept spheres: on every level they find the pairs and the distances that oriented boxes find, bit for bit,
//! which the oracles confirm.

use bvhc::compile::Layout;
use bvhc_format::swept::{Core, Cores};
use bvhc_runtime::{Exhausted, Level, Model, PairError, Pose, Volume, WorkBudget};
use bvhc_tests::oracle::gap::of_surfaces;
use bvhc_tests::oracle::pairs::{Surface, all};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{encounter, icosphere, shapes};
use bvhc_tests::support::by_volume::{Expected, distance, pairs, poses};
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::swept::count_cores;
use bvhc_tests::support::{LAYOUTS, Scene, compiled_for_pairs, compiled_with_swept, scenes};

const LINES: Cores = Cores::Same(Core::Line);

#[test]
fn meshes_at_any_pose() {
    let mut random = Random::new(1);
    let (mut found, mut apart) = (0, 0);
    for (index, Scene { name, mesh }) in scenes(1).into_iter().enumerate() {
        for (cores, number) in Cores::ALL.into_iter().zip(0..) {
            let layout = LAYOUTS[(index + number) % 2];
            let file = compiled_with_swept(&mesh, layout, cores);
            let model = Model::from_bytes(&file).expect("it opens");
            assert_eq!(model.sections().swept_tree().map(|(_, layout)| layout.cores), Some(cores));
            for pose in poses(&mut random, &mesh.positions, 3) {
                let expected = Expected::of(&model, &model, &pose);
                found += expected.pairs.len();
                apart += u32::from(expected.distance.distance > 0.0);
                expected.check(&model, &model, &pose, Volume::Swept(cores), name);
            }
        }
    }
    assert!(found > 4_000 && apart > 20, "only {found} pairs, {apart} poses apart");
}

/// The results of oriented boxes are right.
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
            let transformed = Surface::transformed(&stored, &pose::Pose::of_query(&pose));
            assert_eq!(pairs(&model, &model, &pose, volume), all(&still, &transformed), "{cores:?}");
            let least = of_surfaces(&still, &transformed).expect("triangles").distance;
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
        expected.check(&model, &model, &pose, Volume::Swept(Cores::Hybrid), "shapes");
    }
    assert!(found > 50, "only {found} pairs");
    let rows = |cores| {
        let file = compiled_with_swept(&mesh, Layout::Fast, cores);
        Model::from_bytes(&file).expect("it opens").sections().swept_tree().expect("a tree").0.rows.len()
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
                Expected::of(&a, &b, &pose).check(&a, &b, &pose, Volume::Swept(cores), encounter.name);
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
        let (mut budget, volume) = (WorkBudget::unlimited(), Volume::Swept(cores));
        let pairs = a
            .against(b, &Pose::IDENTITY)
            .volume(volume)
            .budget(&mut budget)
            .first_pair()
            .map(|pair| pair.is_some());
        assert_eq!(a.against(b, &Pose::IDENTITY).volume(volume).budget(&mut budget).within(1.0), pairs);
        pairs
    };
    assert_eq!(ask(&lines, &lines, LINES), Ok(true));
    for cores in Cores::ALL {
        for (a, b) in [(&lines, &boxes), (&boxes, &lines), (&boxes, &boxes)] {
            assert_eq!(ask(a, b, cores), Err(PairError::NoVolumes(Volume::Swept(cores))));
        }
    }
    for cores in [Cores::Same(Core::Rectangle), Cores::Hybrid] {
        assert_eq!(ask(&lines, &lines, cores), Err(PairError::NoVolumes(Volume::Swept(cores))));
    }
    let volume = Volume::Swept(LINES);
    let none = lines
        .against(&lines, &Pose::IDENTITY)
        .volume(volume)
        .budget(&mut WorkBudget::of_steps(0))
        .within(0.0);
    assert_eq!(none, Err(PairError::Exhausted(Exhausted)));
    let lines = lines.with_level(Level::detect().expect("a level"));
    assert_eq!(lines.against(&lines, &Pose::IDENTITY).volume(volume).within(-1.0), Ok(false));
}
