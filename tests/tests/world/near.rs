//! Pairs of instances, and meshes at poses, against all pairs of meshes.

use std::ops::ControlFlow;

use bvhc::compile::Options;
use bvhc::mesh::Mesh;
use bvhc_runtime::{Model, Pose, World, WorldPairError};
use bvhc_tests::pose;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere};
use bvhc_tests::support::levels;
use bvhc_tests::support::world::{Placed, compiled_world};

use super::with_world;

fn rigid(count: usize, range: f64, seed: u64) -> Vec<Placed> {
    let mut random = Random::new(seed);
    (0..count).map(|number| Placed::any(number % 2, range, true, &mut random)).collect()
}

fn meshes() -> [Mesh; 2] {
    [icosphere::displaced(3, 0.2, 1), grid::cubes([1, 1, 1])]
}

/// The pose of an instance, by the constructors that callers have.
fn pose_of(world: &World<'_>, instance: u32) -> Pose {
    let similarity = world.instance(instance).expect("it is there").similarity();
    Pose::from_rows(similarity.pose().rotation(), similarity.pose().translation()).expect("a pose")
}

#[test]
fn pairs_of_instances_are_those_of_all_meshes() {
    let meshes = meshes();
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let file = compiled_world(&meshes, &rigid(40, 6.0, 1), &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            let mut wanted = Vec::new();
            for a in 0..world.instance_count() {
                for b in a + 1..world.instance_count() {
                    let mesh =
                        |it| world.mesh(world.instance(it).expect("it is there").mesh()).expect("a mesh");
                    let relative = pose_of(world, a).inverse().compose(&pose_of(world, b)).expect("near");
                    let found = mesh(a).distance(mesh(b), &relative).expect("in time").expect("no limit");
                    wanted.push((a, b, found.distance));
                }
            }
            for margin in [0.0, 0.3, 2.0, 1e9] {
                let mut found = Vec::new();
                let all = world.near_instances(margin, |pair| {
                    found.push((pair.a, pair.b, pair.distance));
                    ControlFlow::Continue(())
                });
                assert_eq!(all, Ok(ControlFlow::Continue(())));
                found.sort_by_key(|pair| (pair.0, pair.1));
                let expected: Vec<_> = wanted.iter().filter(|pair| pair.2 <= margin).copied().collect();
                assert_eq!(found.len(), expected.len(), "{margin}");
                for (one, other) in found.iter().zip(&expected) {
                    assert_eq!((one.0, one.1), (other.0, other.1), "{margin}");
                    // Poses of the caller's are rotations once more than those of the file.
                    assert!((one.2 - other.2).abs() <= 1e-12, "{one:?} {other:?}");
                }
                assert!(margin == 0.0 || !found.is_empty());
            }
        });
    }
}

#[test]
fn meshes_at_poses_meet_what_they_meet_one_by_one() {
    let meshes = meshes();
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let file = compiled_world(&meshes, &rigid(30, 4.0, 2), &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            let other: Model<'_> = *world.mesh(0).expect("a mesh");
            let mut random = Random::new(3);
            for _ in 0..30 {
                let at = random.point([-5.0; 3], [5.0; 3]).map(f64::from);
                let pose = Pose::from_rows(pose::any(&mut random), at).expect("a pose");
                let (mut count, mut least) = (0, f64::INFINITY);
                for instance in world.instances() {
                    let relative = pose_of(world, instance.number()).inverse().compose(&pose).expect("near");
                    let mesh = world.mesh(instance.mesh()).expect("a mesh");
                    let _ = mesh.all_pairs(&other, &relative, |_| {
                        count += 1;
                        ControlFlow::Continue(())
                    });
                    let found = mesh.distance(&other, &relative).expect("in time").expect("no limit");
                    least = least.min(found.distance);
                }
                let mut found = 0;
                let _ = world.all_pairs(&other, &pose, &mut (), |_| {
                    found += 1;
                    ControlFlow::Continue(())
                });
                assert_eq!(found, count);
                let near = world.distance(&other, &pose, f64::INFINITY, &mut ()).expect("in time");
                let near = near.expect("no limit").distance;
                assert_eq!(near.distance, least);
                let off = [0, 1, 2].map(|axis| near.on_b[axis] - near.on_a[axis]);
                let length = off.iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!((length - least).abs() < 1e-9, "{length} {least}");
                assert!(least == 0.0 || world.distance(&other, &pose, least * 0.99, &mut ()) == Ok(None));
            }
        });
    }
}

/// What exact tests cannot decide is an error, where it matters.
#[test]
fn scaled_instances_are_named() {
    let cube = grid::cubes([1, 1, 1]);
    let far = Placed { position: [40.0, 0.0, 0.0], scale: 2.0, ..Placed::identity(0) };
    let mirrored = Placed { position: [80.0, 0.0, 0.0], mirror: true, ..Placed::identity(0) };
    let file = compiled_world(&[&cube], &[Placed::identity(0), far, mirrored], &Options::default());
    let level = Model::from_bytes(&file).expect("it opens").level();
    with_world(&file, level, |world| {
        let cube = *world.mesh(0).expect("a mesh");
        let at = |x: f64| Pose::from_translation([x, 0.0, 0.25]).expect("a pose");
        let near = |x: f64, limit: f64| {
            world.distance(&cube, &at(x), limit, &mut ()).map(|found| found.map(|it| it.instance))
        };
        assert_eq!(near(3.0, f64::INFINITY), Ok(Some(0)));
        assert_eq!(near(30.0, f64::INFINITY), Err(WorldPairError::NotRigid { instance: 1 }));
        assert_eq!(near(30.0, 2.0), Ok(None));
        assert_eq!(near(78.5, f64::INFINITY), Err(WorldPairError::NotRigid { instance: 2 }));
        assert_eq!(
            world.first_pair(&cube, &at(40.5), &mut ()),
            Err(WorldPairError::NotRigid { instance: 1 })
        );
        assert!(world.first_pair(&cube, &at(0.5), &mut ()).is_ok_and(|pair| pair.is_some()));
        let nothing = |_| ControlFlow::Continue(());
        assert!(world.near_instances(1.0, nothing).is_ok());
        assert!(matches!(world.near_instances(60.0, nothing), Err(WorldPairError::NotRigid { .. })));
    });
}
