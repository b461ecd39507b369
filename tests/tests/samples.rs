//! Samples beside oriented boxes: on every level they find the distances that boxes alone find, bit for bit, which the
//! oracles confirm, and approximate distances are within the tolerance.

use bvhc::compile::Layout;
use bvhc_runtime::{Exhausted, Model, PairError, Pose, Tolerance, Volume, WarmStart, WorkBudget};
use bvhc_tests::oracle::gap::of_surfaces;
use bvhc_tests::oracle::pairs::Surface;
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{encounter, icosphere};
use bvhc_tests::support::by_volume::{Expected, distance, poses};
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::{LAYOUTS, Scene, compiled_for_pairs, compiled_with_samples, levels, scenes};

const SAMPLES: Volume = Volume::Samples;

#[test]
fn meshes_at_any_pose() {
    let mut random = Random::new(1);
    let mut apart = 0;
    for (index, Scene { name, mesh }) in scenes(1).into_iter().enumerate() {
        let file = compiled_with_samples(&mesh, LAYOUTS[index % 2]);
        let model = Model::from_bytes(&file).expect("it opens");
        for pose in poses(&mut random, &mesh.positions, 10) {
            let expected = Expected::of(&model, &model, &pose);
            apart += u32::from(expected.distance.distance > 0.0);
            expected.check(&model, &model, &pose, SAMPLES, name);
        }
    }
    assert!(apart > 40, "only {apart} poses apart");
}

/// The results of oriented boxes are right.
#[test]
fn an_oracle_agrees() {
    let mesh = icosphere::displaced(6, 0.2, 1);
    let mut random = Random::new(2);
    for layout in LAYOUTS {
        let file = compiled_with_samples(&mesh, layout);
        let model = Model::from_bytes(&file).expect("it opens");
        let stored = stored(&model);
        let still = Surface::of(&stored);
        for pose in poses(&mut random, &mesh.positions, 5) {
            let transformed = Surface::transformed(&stored, &pose::Pose::of_query(&pose));
            let least = of_surfaces(&still, &transformed).expect("triangles").distance;
            let found = distance(&model, &model, &pose, SAMPLES).distance;
            assert!((found - least).abs() <= 1e-12 * least, "{layout:?}: {found} {least}");
        }
    }
}

#[test]
fn encounters() {
    for encounter in [encounter::animals(1000, 3), encounter::nested(4, 3), encounter::spheres(5, 3)] {
        let [a, b] = [&encounter.a, &encounter.b].map(|mesh| compiled_with_samples(mesh, Layout::Fast));
        let [a, b] = [&a, &b].map(|file| Model::from_bytes(file).expect("it opens"));
        for pose in encounter.separated.iter().chain(&encounter.approaching).chain(&encounter.colliding) {
            let pose = pose.for_query();
            Expected::of(&a, &b, &pose).check(&a, &b, &pose, SAMPLES, encounter.name);
        }
    }
}

#[test]
fn approximate_distances_are_within_the_allowance() {
    let mut random = Random::new(3);
    let mut greater = 0;
    for (index, Scene { name, mesh }) in scenes(1).into_iter().enumerate() {
        let file = compiled_with_samples(&mesh, LAYOUTS[index % 2]);
        let model = Model::from_bytes(&file).expect("it opens");
        for pose in poses(&mut random, &mesh.positions, 10) {
            let least = distance(&model, &model, &pose, Volume::Obb).distance;
            let allowed = [0.01, 0.25, 3.0].map(Tolerance::Relative);
            for allowance in allowed.into_iter().chain([Tolerance::Absolute(0.1), Tolerance::Absolute(10.0)])
            {
                let most = match allowance {
                    Tolerance::Relative(share) => least * (1.0 + share),
                    Tolerance::Absolute(by) => least + by,
                };
                for level in levels() {
                    let model = model.with_level(level);
                    let ask = |limit| {
                        let (mut warm_start, mut budget) = (WarmStart::default(), WorkBudget::unlimited());
                        model
                            .against(&model, &pose)
                            .volume(SAMPLES)
                            .limit(limit)
                            .tolerance(allowance)
                            .warm_start(&mut warm_start)
                            .budget(&mut budget)
                            .distance()
                    };
                    for limit in [f64::INFINITY, most, least] {
                        let found = ask(limit).expect("no limit").expect("triangles").distance;
                        let right = least..=(most * (1.0 + 1e-11)).min(limit);
                        assert!(right.contains(&found), "{name}, {allowance:?}: {found} {least}");
                        greater += u32::from(found > least);
                    }
                    if least > 0.0 {
                        assert_eq!(ask(least.next_down()), Ok(None), "{name}");
                    }
                }
            }
        }
    }
    assert!(greater > 100, "only {greater} distances are greater than the least");
}

/// Their purpose: fewer steps to decide that models are near, and for approximate distances.
#[test]
fn samples_spare_steps() {
    let encounter = encounter::animals(2000, 8);
    let [a, b] = [&encounter.a, &encounter.b].map(|mesh| compiled_with_samples(mesh, Layout::Fast));
    let [a, b] = [&a, &b].map(|file| Model::from_bytes(file).expect("it opens"));
    let steps = |volume| {
        let mut budget = WorkBudget::unlimited();
        for pose in encounter.separated.iter().chain(&encounter.approaching).map(pose::Pose::for_query) {
            let tolerance = 2.0 * distance(&a, &b, &pose, volume).distance;
            assert_eq!(a.against(&b, &pose).volume(volume).budget(&mut budget).within(tolerance), Ok(true));
        }
        budget.node_pairs + budget.leaf_pairs
    };
    let [boxes, samples] = [Volume::Obb, SAMPLES].map(steps);
    assert!(10 * samples < 9 * boxes, "{samples} {boxes}");
}

#[test]
fn what_files_do_not_have() {
    let mesh = icosphere::displaced(4, 0.2, 1);
    let [samples, boxes] =
        [compiled_with_samples(&mesh, Layout::Fast), compiled_for_pairs(&mesh, Layout::Fast)];
    let [samples, boxes] = [&samples, &boxes].map(|file| Model::from_bytes(file).expect("it opens"));
    let ask = |a: &Model<'_>, b: &Model<'_>, steps| {
        a.against(b, &Pose::IDENTITY).volume(SAMPLES).budget(&mut WorkBudget::of_steps(steps)).within(1.0)
    };
    assert_eq!(ask(&samples, &samples, u64::MAX), Ok(true));
    assert_eq!(ask(&samples, &samples, 0), Err(PairError::Exhausted(Exhausted)));
    for (a, b) in [(&samples, &boxes), (&boxes, &samples), (&boxes, &boxes)] {
        assert_eq!(ask(a, b, u64::MAX), Err(PairError::NoVolumes(Volume::Samples)));
        let first = a.against(b, &Pose::IDENTITY).volume(SAMPLES).first_pair();
        assert_eq!(first.map(|pair| pair.is_some()), Err(PairError::NoVolumes(Volume::Samples)));
    }
}
