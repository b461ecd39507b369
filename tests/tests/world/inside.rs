//! Winding numbers, places and signed distances in worlds, against the mesh of all triangles and against each instance alone.

use bvhc::compile::{Options, Quality};
use bvhc::mesh::Mesh;
use bvhc_runtime::{
    Aabb, InsideRule, InstanceFilter, Model, MovingWorld, Place, ThingPlace, World, WorldPlace,
};
use bvhc_tests::oracle::winding;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere, mesh, terrain};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::world::{Placed, compiled_world, flattened};
use bvhc_tests::support::{compiled, levels, scenes};

use super::with_world;

const RULES: [InsideRule; 3] = [InsideRule::NonZero, InsideRule::Positive, InsideRule::Odd];

/// A mesh with its fronts inside.
fn inside_out(mut of: Mesh) -> Mesh {
    for triangle in &mut of.triangles {
        triangle.swap(0, 1);
    }
    mesh(of.positions, of.triangles)
}

/// All triangles of a world, with their fronts outside where the meshes' are.
fn with_fronts(world: &World<'_>, meshes: &[&Mesh]) -> Mesh {
    let (mut flat, origins) = flattened(world, meshes);
    for (triangle, (instance, _)) in flat.triangles.iter_mut().zip(&origins) {
        if world.instance(*instance).expect("it is there").similarity().mirrors() {
            triangle.swap(1, 2);
        }
    }
    mesh(flat.positions, flat.triangles)
}

fn local(world: &World<'_>, instance: u32, point: [f32; 3]) -> [f32; 3] {
    let similarity = world.instance(instance).expect("it is there").similarity();
    similarity.inverse_apply(point.map(f64::from)).map(|x| x as f32)
}

/// Where a point is, asking each of these instances alone.
fn place(world: &World<'_>, point: [f32; 3], rule: InsideRule, seen: &dyn Fn(u32) -> bool) -> WorldPlace {
    let mut found = WorldPlace { place: Place::Out, instance: None };
    let rank =
        |place: Place| [Place::In, Place::Unsure, Place::On, Place::Out].iter().position(|it| *it == place);
    for instance in world.instances().filter(|it| seen(it.number())) {
        let number = instance.number();
        let model = world.mesh(instance.mesh()).expect("it is there");
        let at = local(world, number, point);
        let is_out = is_beside(at, &model.bounds()) || is_beside(point, &instance.bounds());
        let place = if is_out { Place::Out } else { model.contains(at, rule) };
        if rank(place) < rank(found.place) {
            found = WorldPlace { place, instance: Some(number) };
        }
    }
    found
}

fn is_beside(point: [f32; 3], bounds: &Aabb) -> bool {
    (0..3).any(|k| point[k] < bounds.min[k] || point[k] > bounds.max[k])
}

/// Whether places and distances are those of each instance alone.
fn check(world: &World<'_>, point: [f32; 3]) -> WorldPlace {
    for rule in RULES {
        assert_eq!(world.contains(point, rule), place(world, point, rule, &|_| true), "{point:?}");
    }
    let odd = |instance: u32| instance % 2 == 1;
    let filtered = world.contains_with(point, InsideRule::NonZero, &mut InstanceFilter(odd));
    assert_eq!(filtered, place(world, point, InsideRule::NonZero, &odd));
    let found = world.signed_distance(point, InsideRule::NonZero).expect("there is something");
    assert_eq!(Some(found.nearest), world.closest_point(point, f32::INFINITY));
    assert_eq!(found.distance.abs(), found.nearest.distance);
    assert_eq!(found.place, world.contains(point, InsideRule::NonZero));
    let is_unsure = found.place.place == Place::Unsure;
    assert!(is_unsure || found.distance.is_sign_negative() == (found.place.place == Place::In));
    found.place
}

/// Points on a grid, so that the mesh of all triangles is asked about the same ones.
fn dyadic(random: &mut Random, range: i32) -> [f32; 3] {
    let step = [256, 4, 1][random.below(3) as usize];
    [0; 3].map(|_| random.integer(-step * range, step * range) as f32 / step as f32)
}

/// Numbers are exact where meshes are closed and f32 holds the images; also where instances are opened.
#[test]
fn numbers_add_up_as_in_the_mesh_of_all_triangles() {
    let meshes = [
        grid::cubes([6, 5, 4]),
        inside_out(grid::cubes([2, 2, 1])),
        grid::cubes([1, 1, 1]),
        grid::diagonal(12),
    ];
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    for (count, range, seed) in [(1, 4, 1), (24, 6, 2), (80, 20, 3)] {
        let mut random = Random::new(seed);
        let placed: Vec<Placed> =
            (0..count).map(|number| Placed::exact(number % 4, range, false, &mut random)).collect();
        let file = compiled_world(&meshes, &placed, &Options::default());
        for level in levels() {
            with_world(&file, level, |world| {
                assert!(count != 24 || world.section().leaves.len() > count + 10, "some are opened");
                let flat = compiled(&with_fronts(world, &meshes), Quality::Fast);
                let flat = Model::from_bytes(&flat).expect("it opens").with_level(level);
                let mut places = [0; 3];
                let mut random = Random::new(seed + 10);
                for _ in 0..400 {
                    let point = dyadic(&mut random, range + 8);
                    assert_eq!(world.winding(point), flat.winding(point), "{point:?}");
                    let found = check(world, point);
                    places[found.place as usize] += 1;
                    if found.place == Place::Out {
                        assert_eq!(flat.winding(point).map(|it| it.value), Some(0.0));
                    }
                }
                assert!(count == 1 || places.iter().all(|count| *count > 10), "{places:?}");
            });
        }
    }
}

/// A closed mesh without some of its triangles.
fn with_holes(mut of: Mesh, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    of.triangles.retain(|_| random.below(12) > 0);
    mesh(of.positions, of.triangles)
}

/// Meshes with holes hold points within their bounds, also where they are opened; numbers are within their errors of what all
/// solid angles are.
#[test]
fn open_meshes_hold_points_within_their_bounds() {
    let meshes =
        [icosphere::displaced(8, 0.2, 1), terrain::terrain(16, 16, 2), with_holes(grid::diagonal(12), 6)];
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let mut random = Random::new(4);
    let placed: Vec<Placed> =
        (0..40).map(|number| Placed::any(number % 3, 4.0, false, &mut random)).collect();
    let file = compiled_world(&meshes, &placed, &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            let leaves = world.section().leaves.get();
            let several = leaves.windows(2).filter(|pair| pair[0].instance == pair[1].instance);
            let mesh_of = |number: u32| world.instance(number).expect("it is there").mesh();
            assert!(
                several.filter(|pair| mesh_of(pair[0].instance) == 2).count() > 5,
                "open ones are opened"
            );
            let mut random = Random::new(5);
            let (mut held, mut by_open) = (0, 0);
            for _ in 0..300 {
                let point = random.point([-6.0; 3], [6.0; 3]);
                let place = check(world, point);
                held += u32::from(place.place == Place::In);
                by_open += u32::from(place.instance.is_some_and(|instance| mesh_of(instance) == 2));
                let found = world.winding(point).expect("not on a surface");
                let (mut wanted, mut error) = (0.0, found.error);
                for instance in world.instances() {
                    let mesh = meshes[instance.mesh() as usize];
                    let (value, off) = winding::winding(mesh, local(world, instance.number(), point));
                    (wanted, error) = (wanted + value, error + off);
                }
                assert!((found.value - wanted).abs() <= error && found.error < 1e-6, "{found:?} {wanted}");
            }
            assert!(held > 40 && by_open > 20, "{held} {by_open}");
        });
    }
}

#[test]
fn a_world_of_one_mesh_answers_as_the_mesh() {
    let mut closed = 0;
    for scene in scenes(1) {
        let file = compiled_world(&[&scene.mesh], &[Placed::identity(0)], &Options::default());
        for level in levels() {
            let model = Model::from_bytes(&file).expect("it opens").with_level(level);
            let is_closed = model.sections().solid().is_some_and(|solid| solid.boundary.is_empty());
            closed += u32::from(is_closed);
            with_world(&file, level, |world| {
                let mut queries = Queries::new(&scene.mesh, 9);
                for round in 0..200 {
                    let point = if round % 3 == 0 { queries.on_surface() } else { queries.point() };
                    let bits = |it: Option<bvhc_runtime::Winding>| {
                        it.map(|it| [it.value, it.error].map(f64::to_bits))
                    };
                    assert_eq!(bits(world.winding(point)), bits(model.winding(point)));
                    let bounds = model.bounds();
                    let is_beside = (0..3).any(|k| point[k] < bounds.min[k] || point[k] > bounds.max[k]);
                    if is_beside && !is_closed {
                        assert_eq!(world.contains(point, InsideRule::NonZero).place, Place::Out);
                        continue;
                    }
                    for rule in RULES {
                        assert_eq!(world.contains(point, rule).place, model.contains(point, rule));
                        let (its, own) =
                            (world.signed_distance(point, rule), model.signed_distance(point, rule));
                        let its = its.map(|it| (it.distance.to_bits(), it.place.place, it.nearest.local));
                        assert_eq!(its, own.map(|it| (it.distance.to_bits(), it.place, it.nearest)));
                    }
                }
            });
        }
    }
    assert!(closed > 1, "{closed}");
}

#[test]
fn points_that_are_nowhere_are_outside() {
    let file = compiled_world(&[&grid::cubes([1, 1, 1])], &[Placed::identity(0)], &Options::default());
    with_world(&file, levels()[0], |world| {
        for point in [[f32::NAN; 3], [f32::INFINITY, 0.5, 0.5], [1e30, 0.5, 0.5]] {
            assert_eq!(world.contains(point, InsideRule::NonZero).place, Place::Out);
            assert_eq!(world.winding(point).map(|it| it.value), Some(0.0));
            assert_eq!(world.signed_distance(point, InsideRule::NonZero), None);
        }
        assert_eq!(world.contains([0.5; 3], InsideRule::NonZero).instance, Some(0));
        assert_eq!(world.with_layers(2).contains([0.5; 3], InsideRule::NonZero).place, Place::Out);
        assert_eq!(world.with_layers(2).signed_distance([0.5; 3], InsideRule::NonZero), None);
    });
}

#[test]
fn many_points_at_once_answer_as_each_alone() {
    let mut random = Random::new(9);
    let placed: Vec<Placed> = (0..20).map(|_| Placed::any(0, 5.0, false, &mut random)).collect();
    let file = compiled_world(&[&grid::cubes([2, 2, 1])], &placed, &Options::default());
    with_world(&file, levels()[0], |world| {
        let points: Vec<[f32; 3]> = (0..50).map(|_| random.point([-6.0; 3], [6.0; 3])).collect();
        let rule = InsideRule::Odd;
        let mut memory = vec![0; MovingWorld::bytes_needed(1)];
        let mut moving = MovingWorld::new(*world, 1, &mut memory).expect("there is memory");
        moving.add_box(&Aabb::new([-2.0; 3], [1.0; 3]), 1, 0).expect("it fits");
        let now = moving.snapshot();
        let mut windings = [(); 2].map(|()| vec![None; 60]);
        world.windings(&points, &mut windings[0]);
        now.windings(&points, &mut (), &mut windings[1]);
        let nowhere = WorldPlace { place: Place::Out, instance: None };
        let (mut places, mut of_things) =
            (vec![nowhere; 49], vec![ThingPlace { place: Place::Out, thing: None }; 50]);
        world.contains_each(&points, rule, &mut places);
        now.contains_each(&points, rule, &mut (), &mut of_things);
        let (mut distances, mut of_moving) = (vec![None; 50], vec![None; 50]);
        world.signed_distances(&points, rule, &mut distances);
        now.signed_distances(&points, rule, &mut (), &mut of_moving);
        for (index, point) in points.iter().enumerate() {
            assert_eq!(windings[0][index], world.winding(*point));
            assert_eq!(windings[1][index], now.winding(*point, &mut ()));
            assert!(index == 49 || places[index] == world.contains(*point, rule));
            assert_eq!(of_things[index], now.contains(*point, rule, &mut ()));
            assert_eq!(distances[index], world.signed_distance(*point, rule));
            assert_eq!(of_moving[index], now.signed_distance(*point, rule, &mut ()));
        }
        assert!(windings.iter().all(|answers| answers[50..].iter().all(Option::is_none)));
    });
}

/// Three copies of one square of n by n quads, whose normal is (1, 1, 0): half of a full turn each, which is more than none.
fn sheets(n: u32) -> Mesh {
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for copy in 0..3 {
        let first = (n + 1) * (n + 1) * copy;
        let along = |k: u32| 8.0 * k as f32 / n as f32 - 4.0;
        positions.extend(
            (0..(n + 1) * (n + 1)).map(|k| [-along(k / (n + 1)), along(k / (n + 1)), along(k % (n + 1))]),
        );
        for (i, j) in (0..n * n).map(|k| (k / n, k % n)) {
            let at = |i: u32, j: u32| first + i * (n + 1) + j;
            triangles.push([at(i, j), at(i, j + 1), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i + 1, j)]);
        }
    }
    mesh(positions, triangles)
}

/// Where a point is does not depend on what else is in the world: neither by the tree's boxes nor by the half-line's direction.
#[test]
fn open_meshes_hold_nothing_beyond_their_bounds_whatever_else_there_is() {
    let (sheet, cube) = (sheets(16), grid::cubes([1, 1, 1]));
    let half = std::f64::consts::FRAC_PI_8;
    let rotation = [0.0, 0.0, half.sin(), half.cos()];
    let turned = Placed { position: [0.0, 10.0, 0.0], rotation, ..Placed::identity(0) };
    let cube_at = |position: [f64; 3]| Placed { position, ..Placed::identity(1) };
    for other in [[0.0, 14.0, 0.0], [0.0, 30.0, 0.0], [0.0, 100.0, 0.0], [0.0, 5000.0, 0.0]] {
        let placed = [turned, cube_at(other), cube_at([100.0, 0.0, 100.0])];
        let file = compiled_world(&[&sheet, &cube], &placed, &Options::of(Quality::Default));
        for level in levels() {
            with_world(&file, level, |world| {
                let found = [9.0, 11.0].map(|y| check(world, [0.0, y, 0.0]).place);
                assert_eq!(found, [Place::Out; 2], "a cube at {other:?}");
            });
        }
    }
}
