//! Trees of convex hulls: on every level they find the pairs and the distances that oriented boxes find, bit for bit,
//! which the oracles confirm.

use bvhc::compile::Layout;
use bvhc_runtime::{Exhausted, Model, PairError, Pose, Volume, WorkBudget};
use bvhc_tests::oracle::gap::of_surfaces;
use bvhc_tests::oracle::pairs::{Surface, all};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{encounter, icosphere};
use bvhc_tests::support::by_volume::{Expected, distance, pairs, poses};
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::{LAYOUTS, Scene, compiled_for_pairs, compiled_with_hulls, scenes};

#[test]
fn meshes_at_any_pose() {
    let mut random = Random::new(1);
    let (mut found, mut apart) = (0, 0);
    for (index, Scene { name, mesh }) in scenes(1).into_iter().enumerate() {
        let file = compiled_with_hulls(&mesh, LAYOUTS[index % 2]);
        let model = Model::from_bytes(&file).expect("it opens");
        for pose in poses(&mut random, &mesh.positions, 10) {
            let expected = Expected::of(&model, &model, &pose);
            found += expected.pairs.len();
            apart += usize::from(expected.distance.distance > 0.0);
            expected.check(&model, &model, &pose, Volume::Hulls, name);
        }
    }
    assert!(found > 2_000 && apart > 15, "only {found} pairs, {apart} poses apart");
}

/// The results of oriented boxes are right.
#[test]
fn an_oracle_agrees() {
    let mesh = icosphere::displaced(6, 0.2, 1);
    let mut random = Random::new(2);
    let file = compiled_with_hulls(&mesh, Layout::Fast);
    let model = Model::from_bytes(&file).expect("it opens");
    let stored = stored(&model);
    let still = Surface::of(&stored);
    for pose in poses(&mut random, &mesh.positions, 8) {
        let transformed = Surface::transformed(&stored, &pose::Pose::of_query(&pose));
        assert_eq!(pairs(&model, &model, &pose, Volume::Hulls), all(&still, &transformed));
        let least = of_surfaces(&still, &transformed).expect("triangles").distance;
        let found = distance(&model, &model, &pose, Volume::Hulls).distance;
        assert!((found - least).abs() <= 1e-12 * least, "{found} {least}");
    }
}

#[test]
fn encounters() {
    for encounter in [encounter::animals(1000, 3), encounter::nested(4, 3), encounter::spheres(5, 3)] {
        let file = |mesh| compiled_with_hulls(mesh, Layout::Fast);
        let (a, b) = (file(&encounter.a), file(&encounter.b));
        let [a, b] = [&a, &b].map(|file| Model::from_bytes(file).expect("it opens"));
        for pose in encounter.separated.iter().chain(&encounter.colliding) {
            let pose = pose.for_query();
            Expected::of(&a, &b, &pose).check(&a, &b, &pose, Volume::Hulls, encounter.name);
        }
    }
}

#[test]
fn what_files_do_not_have() {
    let mesh = icosphere::displaced(4, 0.2, 1);
    let [hulls, boxes] = [compiled_with_hulls(&mesh, Layout::Fast), compiled_for_pairs(&mesh, Layout::Fast)];
    let [hulls, boxes] = [&hulls, &boxes].map(|file| Model::from_bytes(file).expect("it opens"));
    let ask = |a: &Model<'_>, b: &Model<'_>, steps| {
        let mut budget = WorkBudget::of_steps(steps);
        a.against(b, &Pose::IDENTITY).volume(Volume::Hulls).budget(&mut budget).within(0.0)
    };
    assert_eq!(ask(&hulls, &hulls, u64::MAX), Ok(true));
    assert_eq!(ask(&hulls, &hulls, 0), Err(PairError::Exhausted(Exhausted)));
    for (a, b) in [(&hulls, &boxes), (&boxes, &hulls), (&boxes, &boxes)] {
        assert_eq!(ask(a, b, u64::MAX), Err(PairError::NoVolumes(Volume::Hulls)));
    }
}
