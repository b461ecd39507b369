//! Pairs of instances, and meshes at poses, against all pairs of meshes.

use std::ops::ControlFlow;

use bvhc::compile::Options;
use bvhc::mesh::Mesh;
use bvhc_runtime::{Model, Pose, TriangleFilter, World, WorldFilter};
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
                    let relative = pose_of(world, b).relative_to(&pose_of(world, a)).expect("near");
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

/// What is near to each other is as far apart as it would be beside the origin.
#[test]
fn distances_are_as_precise_far_from_the_origin() {
    let meshes = meshes();
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let turned = [0.5, -0.5, 0.1, (1.0f64 - 0.51).sqrt()];
    let distance = |far: f64| {
        let at = |mesh, x| Placed {
            position: [far + x, -far, 0.5 * far],
            rotation: turned,
            ..Placed::identity(mesh)
        };
        let file = compiled_world(&meshes, &[at(0, 0.0), at(1, 3.25)], &Options::default());
        let mut found = Vec::new();
        with_world(&file, levels()[0], |world| {
            let _ = world.near_instances(9.0, |pair| {
                found.push(pair.distance);
                ControlFlow::Continue(())
            });
        });
        assert_eq!(found.len(), 1);
        found[0]
    };
    let near = distance(0.0);
    assert!(near > 0.1);
    for far in [1e3, 1e6, 1e9] {
        let apart = (distance(far) - near).abs();
        assert!(apart <= 1e-14, "{far}: {apart}");
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
                    let relative = pose.relative_to(&pose_of(world, instance.number())).expect("near");
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

/// Scaled and mirrored instances are asked as others are.
#[test]
fn scaled_instances_have_distances() {
    let cube = grid::cubes([1, 1, 1]);
    let far = Placed { position: [40.0, 0.0, 0.0], scale: 2.0, ..Placed::identity(0) };
    let mirrored = Placed { position: [80.0, 0.0, 0.0], mirror: true, ..Placed::identity(0) };
    let small = Placed { position: [0.0, 90.0, 0.0], scale: 0.25, ..Placed::identity(0) };
    let file = compiled_world(&[&cube], &[Placed::identity(0), far, mirrored, small], &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            let cube = *world.mesh(0).expect("a mesh");
            let at = |x: f64, y: f64| Pose::from_translation([x, y, 0.0]).expect("a pose");
            let near = |x: f64, y: f64, limit: f64| {
                let found = world.distance(&cube, &at(x, y), limit, &mut ()).expect("in time");
                found.map(|it| (it.instance, it.distance.distance))
            };
            assert_eq!(near(3.0, 0.25, f64::INFINITY), Some((0, 2.0)));
            assert_eq!(near(30.0, 0.25, f64::INFINITY), Some((1, 9.0)));
            assert_eq!((near(30.0, 0.25, 9.0), near(30.0, 0.25, 8.75)), (Some((1, 9.0)), None));
            assert_eq!(near(78.5, 0.25, f64::INFINITY), Some((2, 0.0)));
            assert_eq!(near(0.0, 91.25, 5.0), Some((3, 1.0)));
            assert_eq!(world.within(&cube, &at(0.0, 91.25), 0.75, &mut ()), Ok(false));
            let first = world.first_pair(&cube, &at(40.5, 0.25), &mut ()).expect("in time");
            assert_eq!(first.map(|it| it.instance), Some(1));
            let found = world.distance(&cube, &at(0.0, 91.25), 5.0, &mut ()).expect("in time");
            let found = found.expect("it is near").distance;
            assert_eq!((found.on_a[1], found.on_b[1], found.direction), (90.25, 91.25, [0.0, 1.0, 0.0]));
            let mut pairs = Vec::new();
            let _ = world.near_instances(39.0, |it| {
                pairs.push((it.a, it.b, it.distance));
                ControlFlow::Continue(())
            });
            pairs.sort_by_key(|pair| (pair.0, pair.1));
            assert_eq!(pairs, [(0, 1, 39.0), (1, 2, 37.0)]);
        });
    }
}

/// Of pairs, filters choose instances and their triangles; a visitor that ends the walk is answered as it says.
#[test]
fn filters_choose_triangles_of_pairs() {
    let meshes = meshes();
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let mut random = Random::new(5);
    let placed: Vec<_> = (0..30).map(|number| Placed::any(number % 2, 3.0, false, &mut random)).collect();
    let file = compiled_world(&meshes, &placed, &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            let other: Model<'_> = *world.mesh(0).expect("a mesh");
            let (mut some, mut none) = (0, 0);
            for _ in 0..60 {
                let at = random.point([-12.0; 3], [12.0; 3]).map(f64::from);
                let pose = Pose::from_rows(pose::any(&mut random), at).expect("a pose");
                let pairs = |filter: &mut dyn WorldFilter| {
                    let mut pairs = Vec::new();
                    let ended = world.all_pairs(&other, &pose, filter, |it| {
                        pairs.push(it);
                        ControlFlow::Continue(())
                    });
                    assert_eq!(ended, Ok(ControlFlow::Continue(())));
                    pairs.sort_unstable();
                    pairs
                };
                let accepts = |instance: u32, triangle: u32| (instance + triangle).is_multiple_of(7);
                let wanted: Vec<_> =
                    pairs(&mut ()).into_iter().filter(|it| accepts(it.instance, it.pair.a)).collect();
                assert_eq!(pairs(&mut TriangleFilter(accepts)), wanted);
                let first = world.first_pair(&other, &pose, &mut TriangleFilter(accepts)).expect("in time");
                assert_eq!(first.is_some(), !wanted.is_empty());
                assert!(first.is_none_or(|first| wanted.contains(&first)));
                let ended = world.all_pairs(&other, &pose, &mut (), |_| ControlFlow::Break(()));
                let is_alone = pairs(&mut ()).is_empty();
                assert_eq!(ended.expect("in time").is_continue(), is_alone);
                (some, none) = (some + usize::from(!wanted.is_empty()), none + usize::from(is_alone));
            }
            assert!(some > 2 && none > 0, "{some} {none}");
        });
    }
}
