//! Instances at any rotation and scale, against every triangle's image in f64.

use std::ops::ControlFlow;

use bvhc::compile::Options;
use bvhc::mesh::Mesh;
use bvhc_runtime::{Aabb, Ray, World};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{icosphere, terrain};
use bvhc_tests::support::levels;
use bvhc_tests::support::world::{Placed, compiled_world};

use super::with_world;

type Point = [f64; 3];

fn sub(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn along(origin: Point, direction: Point, t: f64) -> Point {
    [0, 1, 2].map(|axis| origin[axis] + t * direction[axis])
}

/// Every triangle of a world in f64, with its instance.
fn images(world: &World<'_>, meshes: &[&Mesh]) -> Vec<(u32, [Point; 3])> {
    let mut images = Vec::new();
    for instance in world.instances() {
        let (similarity, mesh) = (instance.similarity(), meshes[instance.mesh() as usize]);
        let corner = |index: u32| similarity.apply(mesh.positions[index as usize].map(f64::from));
        images.extend(mesh.triangles.iter().map(|corners| (instance.number(), corners.map(corner))));
    }
    images
}

/// The t of a hit, and how far inside the triangle it is, in shares of it (Möller, Trumbore).
fn hit(ray: &Ray, [a, b, c]: &[Point; 3]) -> Option<(f64, f64)> {
    let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
    let (ab, ac) = (sub(*b, *a), sub(*c, *a));
    let p = cross(direction, ac);
    let determinant = dot(ab, p);
    let from_a = sub(origin, *a);
    let q = cross(from_a, ab);
    let (u, v, t) = (dot(from_a, p) / determinant, dot(direction, q) / determinant, dot(ac, q) / determinant);
    let inside = u.min(v).min(1.0 - u - v);
    (determinant != 0.0 && inside >= 0.0 && t >= 0.0).then_some((t, inside))
}

/// The distance of a point from a triangle (Ericson, 5.1.5, by projecting on the sides).
fn distance(point: Point, [a, b, c]: &[Point; 3]) -> f64 {
    let on_side = |from: Point, to: Point| {
        let side = sub(to, from);
        let share = (dot(sub(point, from), side) / dot(side, side)).clamp(0.0, 1.0);
        let off = sub(point, along(from, side, share));
        dot(off, off).sqrt()
    };
    let sides = on_side(*a, *b).min(on_side(*b, *c)).min(on_side(*c, *a));
    let normal = cross(sub(*b, *a), sub(*c, *a));
    let is_above = [(a, b), (b, c), (c, a)]
        .into_iter()
        .all(|(from, to)| dot(cross(normal, sub(*to, *from)), sub(point, *from)) >= 0.0);
    let height = dot(sub(point, *a), normal).abs() / dot(normal, normal).sqrt();
    if is_above { height } else { sides }
}

/// By how much a triangle and a box are apart along the best separating axis, relative to the coordinates; negative where
/// they overlap.
fn gap(query: &Aabb, corners: &[Point; 3]) -> f64 {
    let [a, b, c] = *corners;
    let edges = [sub(b, a), sub(c, b), sub(a, c)];
    let units = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let crossed = units.iter().flat_map(|unit| edges.map(|edge| cross(*unit, edge)));
    let axes = units.into_iter().chain([cross(edges[0], edges[1])]).chain(crossed);
    let mut most = f64::NEG_INFINITY;
    for axis in axes {
        let length = dot(axis, axis).sqrt();
        if length < 1e-9 {
            continue;
        }
        let of_box = |is_upper: bool| -> f64 {
            let end = |k: usize| {
                let takes_max = (axis[k] > 0.0) == is_upper;
                axis[k] * f64::from(if takes_max { query.max[k] } else { query.min[k] })
            };
            end(0) + end(1) + end(2)
        };
        let heights = corners.map(|corner| dot(axis, corner));
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most = most.max((low - of_box(true)).max(of_box(false) - high) / length);
    }
    most
}

#[test]
fn every_query_agrees_with_all_triangles() {
    let meshes = [icosphere::displaced(4, 0.2, 1), terrain::terrain(8, 9, 2)];
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    for (count, range, seed) in [(3, 2.0, 1), (30, 8.0, 2), (12, 900.0, 3)] {
        let mut random = Random::new(seed);
        let placed: Vec<Placed> =
            (0..count).map(|number| Placed::any(number % 2, range, false, &mut random)).collect();
        let file = compiled_world(&meshes, &placed, &Options::default());
        // Rounding of a query's coordinates, and some more.
        let slack = range * 4e-6 + 1e-5;
        for level in levels() {
            with_world(&file, level, |world| {
                let images = images(world, &meshes);
                let mut random = Random::new(seed + 10);
                let reach = range as f32 * 1.5 + 3.0;
                for round in 0..120 {
                    let origin = random.point([-reach; 3], [reach; 3]);
                    // Most rays go to some triangle, so that they hit.
                    let (_, target) = &images[random.below(images.len() as u32) as usize];
                    let to = |axis: usize| (target[0][axis] + target[1][axis] + target[2][axis]) / 3.0;
                    let towards = [0, 1, 2].map(|axis| to(axis) as f32 - origin[axis]);
                    let ray = Ray::new(origin, if round % 5 == 0 { random.direction() } else { towards });
                    check_ray(world, &images, &ray, slack);
                    check_point(world, &images, origin, slack);
                    let size = random.point([0.0; 3], [range as f32 * 0.2 + 0.5; 3]);
                    let middle = target[0].map(|x| x as f32);
                    let query = Aabb::new(middle, [0, 1, 2].map(|axis| middle[axis] + size[axis]));
                    check_box(world, &images, &query, slack);
                    check_sphere(world, &images, middle, size[0], slack);
                }
            });
        }
    }
}

fn check_ray(world: &World<'_>, images: &[(u32, [Point; 3])], ray: &Ray, slack: f64) {
    let length = dot(ray.direction.map(f64::from), ray.direction.map(f64::from)).sqrt();
    let nearest = images
        .iter()
        .filter_map(|(instance, corners)| hit(ray, corners).map(|(t, inside)| (t, inside, *instance)))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let found = world.closest_hit(ray);
    assert_eq!(found.is_some(), world.any_hit(ray));
    match (nearest, found) {
        // What is hit close to a side may be missed, for another side or for what is behind.
        (Some((t, inside, _)), found) if inside > 1e-3 => {
            let found = found.unwrap_or_else(|| panic!("{ray:?} misses what is at {t}"));
            let by = (f64::from(found.hit.t) - t).abs() * length;
            // A ray at a small angle with a triangle multiplies what its origin is off.
            assert!(by <= 200.0 * slack, "{ray:?}: {} instead of {t}", found.hit.t);
        }
        (None, Some(found)) => {
            let at = along(ray.origin.map(f64::from), ray.direction.map(f64::from), found.hit.t.into());
            let off = images.iter().map(|(_, corners)| distance(at, corners)).fold(f64::INFINITY, f64::min);
            assert!(off <= slack, "{ray:?} hits what is {off} away");
        }
        _ => {}
    }
}

fn check_point(world: &World<'_>, images: &[(u32, [Point; 3])], point: [f32; 3], slack: f64) {
    let wanted = images
        .iter()
        .map(|(_, corners)| distance(point.map(f64::from), corners))
        .fold(f64::INFINITY, f64::min);
    let found = world.closest_point(point, f32::INFINITY).expect("there is something");
    assert!((f64::from(found.distance) - wanted).abs() <= slack, "{point:?}: {found:?}, not {wanted}");
    let off = sub(found.point.map(f64::from), point.map(f64::from));
    assert!((dot(off, off).sqrt() - wanted).abs() <= slack);
}

fn check_box(world: &World<'_>, images: &[(u32, [Point; 3])], query: &Aabb, _: f64) {
    let mut found = 0;
    let _ = world.overlap_box(query, |_| {
        found += 1;
        ControlFlow::Continue(())
    });
    // The images are those that the answer is exact for, so only the oracle rounds.
    let gaps = || images.iter().map(|(_, corners)| gap(query, corners));
    let (sure, maybe) =
        (gaps().filter(|gap| *gap < -1e-9).count(), gaps().filter(|gap| *gap <= 1e-9).count());
    assert!((sure..=maybe).contains(&found), "{query:?}: {found} instead of {sure} to {maybe}");
}

fn check_sphere(world: &World<'_>, images: &[(u32, [Point; 3])], centre: [f32; 3], radius: f32, slack: f64) {
    let mut found = 0;
    let _ = world.overlap_sphere(centre, radius, |_| {
        found += 1;
        ControlFlow::Continue(())
    });
    let within = |by: f64| {
        let is = |(_, corners): &&(u32, [Point; 3])| {
            distance(centre.map(f64::from), corners) <= f64::from(radius) + by
        };
        images.iter().filter(is).count()
    };
    let (sure, maybe) = (within(-slack), within(slack));
    assert!((sure..=maybe).contains(&found), "{centre:?} {radius}: {found} instead of {sure} to {maybe}");
}

/// In the space of a small instance, the radius is beyond f32.
#[test]
fn spheres_beyond_f32_have_small_instances_or_not() {
    let mesh = icosphere::displaced(1, 0.0, 1);
    let placed = Placed { scale: (-40f64).exp2(), ..Placed::identity(0) };
    let file = compiled_world(&[&mesh], &[placed], &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            for (radius, wanted) in
                [(1.2e27, 0), (1.5e27, mesh.triangles.len()), (f32::INFINITY, mesh.triangles.len())]
            {
                let mut found = 0;
                let _ = world.overlap_sphere([1e27, 1e27, 0.0], radius, |_| {
                    found += 1;
                    ControlFlow::Continue(())
                });
                assert_eq!(found, wanted, "{radius}");
            }
        });
    }
}
