//! Instances whose triangles f32 holds exactly: the world answers as the mesh of all its triangles, bit for bit where the
//! arithmetic is the same.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bvhc::compile::{Options, Quality};
use bvhc::mesh::Mesh;
use bvhc_runtime::{
    Aabb, Hit, InstanceFilter, Model, Pose, Ray, TriangleFilter, VisitControl, World, WorldHit,
};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere};
use bvhc_tests::support::world::{Placed, compiled_world, flattened};
use bvhc_tests::support::{compiled_for_pairs, levels};

use super::with_world;

/// Meshes of whole coordinates.
fn meshes() -> [Mesh; 3] {
    [grid::cubes([2, 1, 1]), grid::staircase(6), grid::checkerboard(4)]
}

/// A world of these meshes.
fn placed(count: u32, range: i32, is_rigid: bool, seed: u64) -> Vec<Placed> {
    let mut random = Random::new(seed);
    (0..count).map(|number| Placed::exact(number as usize % 3, range, is_rigid, &mut random)).collect()
}

/// A point on a grid of 1/256 within a range.
fn dyadic(random: &mut Random, range: i32) -> [f32; 3] {
    [0; 3].map(|_| random.integer(-256 * range, 256 * range) as f32 / 256.0)
}

/// A ray from such a point.
fn ray(random: &mut Random, range: i32) -> Ray {
    let ray = Ray::new(dyadic(random, range), random.direction());
    match random.below(4) {
        0 => ray.with_range(-50.0, 20.0),
        1 => ray.with_range(0.0, 8.0),
        _ => ray,
    }
}

/// The instance, the triangle and the numbers of a hit that the mesh of all triangles would have. Fronts of mirrored
/// instances stay fronts; in that mesh their corners go the other way round.
fn as_flat(world: &World<'_>, found: &WorldHit) -> (u32, u32, [f32; 6], bool) {
    let mirrors = world.instance(found.instance).expect("it is there").similarity().mirrors();
    let Hit { t, u, v, triangle, normal, back } = found.hit;
    let [x, y, z] = normal.map(|x| if mirrors { 0.0 - x } else { x + 0.0 });
    (found.instance, triangle, [t, u, v, x, y, z], back != mirrors)
}

/// The same of a hit on that mesh.
fn of_flat(origins: &[(u32, u32)], hit: &Hit) -> (u32, u32, [f32; 6], bool) {
    let (instance, triangle) = origins[hit.triangle as usize];
    let [x, y, z] = hit.normal.map(|x| x + 0.0);
    (instance, triangle, [hit.t, hit.u, hit.v, x, y, z], hit.back)
}

/// All of it, as comparable bits, sorted.
fn sorted(mut found: Vec<(u32, u32, [f32; 6], bool)>) -> Vec<(u32, u32, [u32; 6], bool)> {
    found.sort_by_key(|it| (it.0, it.1));
    found.into_iter().map(|(a, b, numbers, back)| (a, b, numbers.map(f32::to_bits), back)).collect()
}

/// Asks a world and the mesh of all its triangles.
fn compare(count: u32, range: i32, seed: u64) {
    let meshes = meshes();
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let placed = placed(count, range, false, seed);
    let options = Options { obb: None, ..Options::of(Quality::Default) };
    let file = compiled_world(&meshes, &placed, &options);
    for level in levels() {
        with_world(&file, level, |world| {
            let (flat, origins) = flattened(world, &meshes);
            let flat = bvhc_tests::support::compiled(&flat, Quality::Default);
            let flat = Model::from_bytes(&flat).expect("it opens").with_level(level);
            let mut random = Random::new(seed + 1);
            for _ in 0..400 {
                rays(world, &flat, &origins, &ray(&mut random, 2 * range));
                points(world, &flat, dyadic(&mut random, 2 * range));
                overlaps(world, &flat, &origins, &mut random, range);
            }
        });
    }
}

fn rays(world: &World<'_>, flat: &Model<'_>, origins: &[(u32, u32)], ray: &Ray) {
    let (found, wanted) = (world.closest_hit(ray), flat.closest_hit(ray));
    let found: Vec<_> = found.iter().map(|hit| as_flat(world, hit)).collect();
    let wanted: Vec<_> = wanted.iter().map(|hit| of_flat(origins, hit)).collect();
    assert_eq!(sorted(found), sorted(wanted), "{ray:?}");
    assert_eq!(world.any_hit(ray), flat.any_hit(ray), "{ray:?}");
    let (mut found, mut wanted) = (Vec::new(), Vec::new());
    world.all_hits(ray, |hit| {
        found.push(as_flat(world, hit));
        VisitControl::Continue
    });
    flat.all_hits(ray, |hit| {
        wanted.push(of_flat(origins, hit));
        VisitControl::Continue
    });
    assert_eq!(sorted(found), sorted(wanted), "{ray:?}");
}

/// Sums of three products round differently where axes are swapped: distances may differ by a unit.
fn points(world: &World<'_>, flat: &Model<'_>, point: [f32; 3]) {
    let found = world.closest_point(point, f32::INFINITY).expect("there is something");
    let wanted = flat.closest_point(point, f32::INFINITY).expect("there is something");
    let near = |a: f32, b: f32| (a - b).abs() <= 2.0 * f32::EPSILON * a.abs().max(b.abs());
    assert!(near(found.distance, wanted.distance), "{point:?}: {found:?} {wanted:?}");
    let below = found.distance.next_down().next_down().next_down();
    assert!(below < 0.0 || world.closest_point(point, below).is_none());
    assert!(world.closest_point(point, found.distance.next_up().next_up()).is_some());
}

fn overlaps(world: &World<'_>, flat: &Model<'_>, origins: &[(u32, u32)], random: &mut Random, range: i32) {
    let (a, size) = (dyadic(random, range), dyadic(random, 3));
    let query = Aabb::new(a, [0, 1, 2].map(|axis| a[axis] + size[axis].abs()));
    let (mut found, mut wanted) = (Vec::new(), BTreeSet::new());
    let _ = world.overlap_box(&query, |it| {
        found.push((it.instance, it.overlap.triangle));
        ControlFlow::Continue(())
    });
    let _ = flat.overlap_box(&query, |it| {
        wanted.insert(origins[it.triangle as usize]);
        ControlFlow::Continue(())
    });
    assert_eq!(found.len(), wanted.len(), "each is reported once");
    assert_eq!(BTreeSet::from_iter(found), wanted, "{query:?}");
    let (centre, radius) = (dyadic(random, range), size[0].abs());
    let (mut found, mut wanted) = (Vec::new(), BTreeSet::new());
    let _ = world.overlap_sphere(centre, radius, |it| {
        found.push((it.instance, it.overlap.triangle));
        ControlFlow::Continue(())
    });
    let _ = flat.overlap_sphere(centre, radius, |it| {
        wanted.insert(origins[it.triangle as usize]);
        ControlFlow::Continue(())
    });
    assert_eq!(found.len(), wanted.len(), "each is reported once");
    assert_eq!(BTreeSet::from_iter(found), wanted, "{centre:?} {radius}");
}

/// From one instance to several levels of nodes; apart, and so near that they overlap.
#[test]
fn worlds_answer_as_their_triangles() {
    compare(1, 8, 1);
    compare(17, 12, 2);
    compare(40, 3, 3);
    compare(300, 40, 4);
}

/// The same mesh in the same place several times: the lowest instance answers.
#[test]
fn ties_go_to_the_lowest_instance() {
    let cube = grid::cubes([1, 1, 1]);
    let placed = [Placed { position: [9.0, 9.0, 9.0], ..Placed::identity(0) }; 1]
        .into_iter()
        .chain([Placed::identity(0); 20])
        .collect::<Vec<_>>();
    let file = compiled_world(&[&cube], &placed, &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            let ray = Ray::new([0.25, 0.5, 5.0], [0.0, 0.0, -1.0]);
            assert_eq!(world.closest_hit(&ray).map(|hit| hit.instance), Some(1));
            assert_eq!(world.closest_point([0.25, 0.5, 5.0], 10.0).map(|it| it.instance), Some(1));
            let mut filter = InstanceFilter(|instance| instance != 1);
            assert_eq!(world.closest_hit_with(&ray, &mut filter).map(|hit| hit.instance), Some(2));
            let model = *world.mesh(0).expect("it is there");
            let pose = Pose::from_translation([0.0, 0.0, 3.0]).expect("a pose");
            let near = world.distance(&model, &pose, 9.0, &mut ()).expect("in time").expect("it is near");
            assert_eq!((near.instance, near.distance.distance), (1, 2.0));
        });
    }
}

/// Instances that overlap are opened; what is in several leaves is reported once.
#[test]
fn opened_instances_answer_as_their_triangles() {
    let meshes = [grid::cubes([6, 5, 4]), grid::staircase(60), grid::checkerboard(24)];
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let placed = placed(24, 6, true, 5);
    let file = compiled_world(&meshes, &placed, &Options::default());
    let other = compiled_for_pairs(&icosphere::icosphere(2), bvhc::compile::Layout::Fast);
    let other = Model::from_bytes(&other).expect("it opens");
    for level in levels() {
        with_world(&file, level, |world| {
            assert!(world.section().leaves.len() > 48, "{} leaves", world.section().leaves.len());
            let (flat, origins) = flattened(world, &meshes);
            let flat = compiled_for_pairs(&flat, bvhc::compile::Layout::Fast);
            let flat = Model::from_bytes(&flat).expect("it opens").with_level(level);
            let mut random = Random::new(6);
            for _ in 0..150 {
                rays(world, &flat, &origins, &ray(&mut random, 12));
                points(world, &flat, dyadic(&mut random, 12));
                overlaps(world, &flat, &origins, &mut random, 10);
            }
            for _ in 0..12 {
                pairs(world, &flat, &origins, &other, dyadic(&mut random, 9));
            }
        });
    }
}

/// Scales are powers of two, and rotations swap axes: the images of triangles are exact in either space.
#[test]
fn scaled_and_mirrored_instances_meet_as_their_triangles() {
    let meshes = [grid::cubes([3, 2, 2]), grid::staircase(8), grid::checkerboard(6)];
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let other = compiled_for_pairs(&icosphere::icosphere(2), bvhc::compile::Layout::Fast);
    let other = Model::from_bytes(&other).expect("it opens");
    for (options, seed) in [(Options::default(), 11), (Options { obb: None, ..Options::default() }, 12)] {
        let file = compiled_world(&meshes, &placed(24, 8, false, seed), &options);
        for level in levels() {
            with_world(&file, level, |world| {
                let (flat, origins) = flattened(world, &meshes);
                let flat = compiled_for_pairs(&flat, bvhc::compile::Layout::Fast);
                let flat = Model::from_bytes(&flat).expect("it opens").with_level(level);
                let mut random = Random::new(seed);
                for _ in 0..16 {
                    pairs(world, &flat, &origins, &other, dyadic(&mut random, 9));
                }
            });
        }
    }
}

/// A mesh at a pose against the world and against the mesh of its triangles.
fn pairs(world: &World<'_>, flat: &Model<'_>, origins: &[(u32, u32)], other: &Model<'_>, at: [f32; 3]) {
    let pose = Pose::from_translation(at).expect("a pose");
    let (mut found, mut wanted) = (Vec::new(), BTreeSet::new());
    let all = world.all_pairs(other, &pose, &mut (), |it| {
        found.push((it.instance, it.pair.a, it.pair.b));
        ControlFlow::Continue(())
    });
    assert_eq!(all, Ok(ControlFlow::Continue(())));
    let _ = flat.all_pairs(other, &pose, |pair| {
        let (instance, triangle) = origins[pair.a as usize];
        wanted.insert((instance, triangle, pair.b));
        ControlFlow::Continue(())
    });
    assert_eq!(found.len(), wanted.len(), "each is reported once");
    assert_eq!(BTreeSet::from_iter(found), wanted, "{at:?}");
    let first = world.first_pair(other, &pose, &mut ()).expect("in time");
    assert_eq!(first.is_some(), !wanted.is_empty());
    let found = world.distance(other, &pose, f64::INFINITY, &mut ()).expect("in time").expect("no limit");
    let wanted = flat.distance(other, &pose).expect("in time").expect("no limit");
    let (one, two) = (found.distance.distance, wanted.distance);
    assert!((one - two).abs() <= 1e-12 * two, "{at:?}: {one} {two}");
    assert_eq!(world.within(other, &pose, one, &mut ()), Ok(true));
    assert_eq!(world.within(other, &pose, one * 0.999 - 1e-9, &mut ()), Ok(false));
}

/// Layers and filters leave what a world without the others has.
#[test]
fn layers_and_filters_hide_instances() {
    let meshes = meshes();
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let placed = placed(60, 10, false, 8);
    let file = compiled_world(&meshes, &placed, &Options::default());
    let seen: Vec<usize> = (0..placed.len()).filter(|number| placed[*number].layers == 2).collect();
    let few: Vec<Placed> = seen.iter().map(|number| placed[*number]).collect();
    let few = compiled_world(&meshes, &few, &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            with_world(&few, level, |few| {
                let masked = world.with_layers(2);
                let is_seen = |instance: u32| seen.contains(&(instance as usize));
                let number =
                    |instance: u32| seen.iter().position(|it| *it == instance as usize).map(|at| at as u32);
                let mut random = Random::new(9);
                for _ in 0..300 {
                    let (ray, point) = (ray(&mut random, 20), dyadic(&mut random, 20));
                    let wanted = few.closest_hit(&ray).map(|it| (Some(it.instance), it.hit));
                    let renumbered = |it: WorldHit| (number(it.instance), it.hit);
                    assert_eq!(masked.closest_hit(&ray).map(renumbered), wanted);
                    let mut by_instance = InstanceFilter(is_seen);
                    assert_eq!(world.closest_hit_with(&ray, &mut by_instance).map(renumbered), wanted);
                    let mut by_triangle = TriangleFilter(|instance, _| is_seen(instance));
                    assert_eq!(world.closest_hit_with(&ray, &mut by_triangle).map(renumbered), wanted);
                    assert_eq!(masked.any_hit(&ray), few.any_hit(&ray));
                    let found = masked.closest_point(point, f32::INFINITY).map(|it| (it.distance, it.point));
                    let wanted = few.closest_point(point, f32::INFINITY).map(|it| (it.distance, it.point));
                    assert_eq!(found, wanted);
                }
                assert_eq!(world.with_layers(0).closest_point([0.0; 3], f32::INFINITY), None);
            });
        });
    }
}
