//! Models that are larger or smaller by a power of two have the same answers, scaled by it, bit for bit; winding numbers do not change.

use std::ops::ControlFlow;

use bvhc::compile::{Layout, Quality};
use bvhc::mesh::Mesh;
use bvhc_format::MAX_COORDINATE;
use bvhc_runtime::{Aabb, Ball, Capsule, ConvexHull, Cuboid, Model, Ray, Shape, ShapeCast, TriangleShape};
use bvhc_tests::oracle::winding;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{self, hall, icosphere, soup};
use bvhc_tests::support::answers::{all_hits, first_of, hit_bits, in_ball, in_box};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::{LAYOUTS, compiled_as, levels};

/// From where squares of coordinates are subnormal in f32 to where products of four differences overflow. Coordinates
/// themselves, multiples of 2^-20 here, stay exact.
const EXPONENTS: [i32; 7] = [-100, -60, -40, -20, 20, 40, 57];

/// Queries of each kind for each mesh, layout, scale and level.
const QUERIES: u32 = 100;

fn power_of_two(exponent: i32) -> f32 {
    2f32.powi(exponent)
}

fn meshes() -> [Mesh; 3] {
    let meshes = [icosphere::displaced(5, 0.2, 1), hall::hall(4, 8, 2), soup::needles(100, 3)];
    meshes.map(|mut mesh| {
        for x in mesh.positions.as_flattened_mut() {
            *x = on_grid(*x / 64.0);
        }
        mesh
    })
}

fn on_grid(x: f32) -> f32 {
    (x * power_of_two(20)).round() / power_of_two(20)
}

/// Queries a model and one that is `scale` times as large, on every level, for each mesh and layout.
fn compare(seed: u64, meshes: &[Mesh], mut ask: impl FnMut(&mut Queries<'_>, f32, [&Model<'_>; 2])) {
    for mesh in meshes {
        for layout in LAYOUTS {
            let own = compiled_as(mesh, Quality::Default, layout);
            let own = Model::from_bytes(&own).expect("it opens");
            for scale in EXPONENTS.map(power_of_two) {
                let mut scaled = mesh.clone();
                scaled.positions.as_flattened_mut().iter_mut().for_each(|x| *x *= scale);
                let file = compiled_as(&scaled, Quality::Default, layout);
                let model = Model::from_bytes(&file).expect("it opens");
                for level in levels() {
                    let mut queries = Queries::new(mesh, seed);
                    for _ in 0..QUERIES {
                        ask(&mut queries, scale, [&own, &model.with_level(level)]);
                    }
                }
            }
        }
    }
}

#[test]
fn closest_points() {
    compare(1, &meshes(), |queries, scale, [own, scaled]| {
        let point = queries.point().map(on_grid);
        if point.iter().any(|x| (x * scale).abs() > MAX_COORDINATE) {
            return;
        }
        let [a, b] = [(own, point), (scaled, point.map(|x| x * scale))]
            .map(|(model, point)| model.closest_point(point, f32::INFINITY).expect("no limit"));
        let context = format!("{point:?} times {scale:e}: {a:?} {b:?}");
        assert_eq!((b.triangle, b.distance), (a.triangle, a.distance * scale), "{context}");
    });
}

/// What shapes touch, what they touch first and at which depth is decided by exact tests after a filter in f32.
#[test]
fn shapes_meet_the_same_triangles() {
    compare(5, &meshes(), |queries, scale, [own, scaled]| {
        let mut corner = || queries.point().map(on_grid);
        let points = [corner(), corner(), corner(), corner()];
        if points.as_flattened().iter().any(|x| (x * scale).abs() > MAX_COORDINATE / 4.0) {
            return;
        }
        let size = on_grid((points[0][0] - points[1][0]).abs() / 4.0);
        let found = |model: &Model<'_>, scale: f32| {
            let at = points.map(|point| point.map(|x| x * scale));
            let near =
                [0, 1, 2, 3].map(|k| [0, 1, 2].map(|axis| at[0][axis] + (at[k][axis] - at[0][axis]) / 8.0));
            let half = [1.0, 0.5, 0.25].map(|share| share * size * scale);
            [
                in_shape(model, &Ball::new(at[0], size * scale)),
                in_shape(model, &Capsule::new(at[0], near[1], 0.5 * size * scale)),
                in_shape(model, &Cuboid::new(at[0], half)),
                in_shape(model, &ConvexHull::new(&near, 0.0)),
                in_shape(model, &ConvexHull::new(&near, 0.25 * size * scale)),
                in_shape(model, &TriangleShape::new([at[0], at[1], at[2]])),
            ]
        };
        let (mut a, mut b) = (found(own, 1.0), found(scaled, scale));
        // Depths are compared with a tolerance of at least the least normal number.
        if scale < power_of_two(-80) {
            a.iter_mut().chain(&mut b).for_each(|found| found.1 = None);
        }
        assert_eq!(a, b, "{points:?} times {scale:e}");
    });
}

/// The triangles that a shape touches, and the one that it is deepest in.
fn in_shape(model: &Model<'_>, shape: &impl Shape) -> (Vec<u32>, Option<u32>) {
    let mut triangles = Vec::new();
    let _ = model.overlap(shape, |found| {
        triangles.push(found.triangle);
        ControlFlow::Continue(())
    });
    triangles.sort_unstable();
    let hit = model.cast(&ShapeCast::new(shape, [0.0; 3]));
    assert_eq!(model.overlaps(shape), !triangles.is_empty());
    assert_eq!(hit.is_some(), !triangles.is_empty());
    (triangles, hit.map(|hit| hit.triangle))
}

/// Whether f32 or f64 decides a hit's `t` depends on the scale, but no ray into a triangle may miss.
#[test]
fn closest_hits() {
    // A point inside a needle is outside once it is rounded.
    compare(2, &meshes()[..2], |queries, scale, [_, scaled]| {
        let (origin, target) = (queries.point().map(on_grid), queries.inside_triangle());
        let direction = [0, 1, 2].map(|axis| (target[axis] - origin[axis]) * scale);
        let ray = Ray::new(origin.map(|x| x * scale), direction);
        if origin.iter().all(|x| (x * scale).abs() <= MAX_COORDINATE) && direction != [0.0; 3] {
            let hit = scaled.closest_hit(&ray);
            assert!(hit.is_some_and(|hit| hit.t <= 1.001), "{ray:?}: {hit:?}");
        }
    });
}

#[test]
fn overlaps() {
    compare(3, &meshes(), |queries, scale, [own, scaled]| {
        let query_box = queries.overlap_box();
        let [lower, upper] = [query_box.min, query_box.max].map(|corner| corner.map(on_grid));
        let large = Aabb::new(lower.map(|x| x * scale), upper.map(|x| x * scale));
        assert_eq!(
            in_box(scaled, &large),
            in_box(own, &Aabb::new(lower, upper)),
            "{query_box:?} times {scale:e}"
        );
        let (centre, radius) = queries.ball();
        let (centre, radius) = (centre.map(on_grid), on_grid(radius));
        let found = in_ball(scaled, centre.map(|x| x * scale), radius * scale);
        assert_eq!(found, in_ball(own, centre, radius), "{centre:?} {radius} times {scale:e}");
    });
}

/// Tetrahedra with coordinates of 2^41 to 2^46: some of the products of three coordinates, but not all, overflow in f32.
#[test]
fn winding_numbers() {
    let mut random = Random::new(5);
    for round in 0..100 {
        let tetrahedron = tetrahedron(&mut random);
        let scale = power_of_two(31 + round % 5);
        let mut scaled = tetrahedron.clone();
        scaled.positions.as_flattened_mut().iter_mut().for_each(|x| *x *= scale);
        let file = compiled_as(&scaled, Quality::Fast, LAYOUTS[0]);
        for _ in 0..100 {
            let point = between(&mut random, &tetrahedron.positions);
            let (expected, error) = winding::winding(&tetrahedron, point);
            if error > 0.1 {
                continue;
            }
            for level in levels() {
                let model = Model::from_bytes(&file).expect("it opens").with_level(level);
                let found = model.winding(point.map(|x| x * scale));
                let context = format!("{point:?} times {scale:e} in {:?}", tetrahedron.positions);
                assert_eq!(found.map(|found| found.value), Some(expected.round()), "{context}");
            }
        }
    }
}

/// With whole coordinates up to 1000.
fn tetrahedron(random: &mut Random) -> Mesh {
    let corners = [0; 4].map(|_| [0; 3].map(|_| random.integer(-1000, 1000) as f32));
    scene::mesh(corners.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
}

/// A point with whole coordinates near the middle of four others.
fn between(random: &mut Random, corners: &[[f32; 3]]) -> [f32; 3] {
    let shares: Vec<f32> = corners.iter().map(|_| random.f32(-0.1, 1.0)).collect();
    let sum: f32 = shares.iter().sum();
    let along =
        |axis: usize| shares.iter().zip(corners).map(|(share, corner)| share * corner[axis]).sum::<f32>();
    [0, 1, 2].map(|axis| (along(axis) / sum.max(0.5)).round())
}

/// Numbers that are nearly subnormal: boxes hide no hit, on any level, with directions of any length that is not scaled. With another
/// triangle, that is far away and large, margins of boxes are so wide that they leave out nothing.
#[test]
fn rays_among_the_least_numbers() {
    let (mut random, mut hits) = (Random::new(9), 0);
    for round in 0..120 {
        let scale = 2f64.powi(-128 + 2 * (round % 10)) as f32;
        let mut positions: Vec<[f32; 3]> =
            (0..180).map(|_| std::array::from_fn(|_| random.integer(-20, 20) as f32 * scale)).collect();
        positions.extend([[1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [1.0, 2.0, 1.0]]);
        let triangles: Vec<[u32; 3]> = (0..61).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let wide = scene::mesh(positions, triangles);
        let mut near = wide.clone();
        let far = near.triangles.len() as u32 - 1;
        near.triangles.pop();
        near.faces.pop();
        let [near_file, wide_file] =
            [&near, &wide].map(|mesh| compiled_as(mesh, Quality::Default, Layout::Fast));
        let [near_model, wide_model] =
            [&near_file, &wide_file].map(|file| Model::from_bytes(file).expect("it opens"));
        let rays: Vec<Ray> = (0..60)
            .map(|_| {
                let origin = near.positions[random.below(180) as usize];
                let length = power_of_two(random.integer(-19, 19));
                let direction: [f32; 3] = std::array::from_fn(|_| random.f32(-1.0, 1.0) * length);
                Ray::new(origin, direction).with_range(-1.0, 1.0)
            })
            .collect();
        for level in levels() {
            let [model, wide] = [&near_model, &wide_model].map(|model| model.with_level(level));
            let mut batch = vec![None; rays.len()];
            model.closest_hits(&rays, &mut batch);
            for (ray, of_batch) in rays.iter().zip(batch) {
                let context = format!("{} {near:?} {ray:?}", level.name());
                let mut expected = all_hits(&wide, ray);
                expected.retain(|hit| hit.triangle != far);
                let closest = first_of(&expected).map(hit_bits);
                assert_eq!(all_hits(&model, ray), expected, "{context}");
                assert_eq!(model.closest_hit(ray).as_ref().map(hit_bits), closest, "{context}");
                assert_eq!(of_batch.as_ref().map(hit_bits), closest, "{context}");
                assert_eq!(model.any_hit(ray), closest.is_some(), "{context}");
                hits += usize::from(closest.is_some());
            }
        }
    }
    assert!(hits > 1000, "only {hits}");
}
