//! Batches of rays and points have the same answers as single queries, bit for bit, on every level and in every file.

use bvhc_runtime::{Filter, Model, Ray, Sides};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, hall, icosphere, soup};
use bvhc_tests::support::Scene;
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::trial::Trial;

/// One ray; fewer and more than a vector of 8 or 16; one packet of either level, and more than one.
const SIZES: [usize; 9] = [1, 7, 8, 15, 17, 32, 64, 65, 200];

/// Rays in similar directions: from nearly one point, over a range of directions.
fn fan(queries: &mut Queries<'_>, random: &mut Random, count: usize) -> Vec<Ray> {
    let (target, size) = (queries.on_surface(), queries.size());
    let away = random.direction();
    let origin: [f32; 3] = std::array::from_fn(|axis| target[axis] + 2.0 * size * away[axis]);
    // From narrow bundles of rays to frusta that contain half the scene; some of them cross octants and main axes.
    let (jitter, spread) = (random.f32(0.0, 0.02) * size, size * random.f32(0.0, 1.0).powi(3));
    let near = |random: &mut Random, place: [f32; 3], by: f32| {
        let offset = random.direction();
        std::array::from_fn(|axis| place[axis] + by * offset[axis])
    };
    let mut ray = || {
        let (origin, aim): ([f32; 3], [f32; 3]) =
            (near(random, origin, jitter), near(random, target, spread));
        Ray::new(origin, std::array::from_fn(|axis| aim[axis] - origin[axis]))
    };
    (0..count).map(|_| ray()).collect()
}

/// Gives some of the rays another range, only one visible side or invalid values, or replaces them by random ones.
fn disturb(rays: &mut [Ray], queries: &mut Queries<'_>, random: &mut Random) {
    for ray in rays {
        *ray = match random.below(40) {
            0 => ray.with_range(random.f32(-1.0, 1.0), random.f32(0.5, 3.0)),
            1 => ray.with_sides(Sides::Front),
            2 => ray.with_sides(Sides::Back),
            3 => Ray { direction: [0.0; 3], ..*ray },
            4 => Ray { origin: [f32::NAN, 0.0, 0.0], ..*ray },
            5 => Ray { direction: ray.direction.map(|x| x * 1e-20), ..*ray },
            6 => Ray { direction: ray.direction.map(|x| x * 1e20), ..*ray },
            7 => Ray { direction: [ray.direction[0], 0.0, -0.0], ..*ray },
            8 => queries.ray(),
            _ => *ray,
        };
    }
}

fn compare(model: &Model<'_>, rays: &[Ray], context: &str) -> u32 {
    let (mut hits, mut any) = (vec![None; rays.len()], vec![false; rays.len()]);
    model.closest_hits(rays, &mut hits);
    model.any_hits(rays, &mut any);
    for (index, ray) in rays.iter().enumerate() {
        let context = || format!("{context}, level {}, ray {index}: {ray:?}", model.level().name());
        assert_eq!(hits[index], model.closest_hit(ray), "{}", context());
        assert_eq!(any[index], model.any_hit(ray), "{}", context());
    }
    let found = any.iter().map(|hit| u32::from(*hit)).sum();
    // Interleaved, as in models larger than those of the tests.
    let (mut hits_interleaved, mut any_interleaved) = (vec![None; rays.len()], vec![true; rays.len()]);
    model.closest_hits_interleaved(rays, &mut hits_interleaved);
    model.any_hits_interleaved(rays, &mut any_interleaved);
    assert!(hits == hits_interleaved && any == any_interleaved, "{context}, level {}", model.level().name());
    found
}

/// Some of the points are invalid; returns how many are within reach.
fn compare_points(model: &Model<'_>, queries: &mut Queries<'_>, count: usize, context: &str) -> u32 {
    let mut points: Vec<_> = (0..count).map(|_| queries.point()).collect();
    for point in points.iter_mut().skip(5).step_by(11) {
        point[1] = f32::NAN;
    }
    let max_distance = queries.max_distance();
    let (mut answers, mut interleaved) = (vec![None; count], vec![None; count]);
    let (mut some, mut some_interleaved) = (vec![None; count], vec![None; count]);
    let mut odd = Filter(|triangle| triangle % 2 == 1);
    model.closest_points(&points, max_distance, &mut answers);
    model.closest_points_with(&points, max_distance, &mut some, &mut odd);
    // Interleaved, as in models larger than those of the tests.
    model.closest_points_interleaved(&points, max_distance, &mut interleaved, &mut ());
    model.closest_points_interleaved(&points, max_distance, &mut some_interleaved, &mut odd);
    for (index, point) in points.iter().enumerate() {
        let context =
            || format!("{context}, level {}, point {index}: {point:?} {max_distance}", model.level().name());
        let alone = model.closest_point(*point, max_distance);
        assert_eq!((answers[index], interleaved[index]), (alone, alone), "{}", context());
        let alone = model.closest_point_with(*point, max_distance, &mut odd);
        assert_eq!((some[index], some_interleaved[index]), (alone, alone), "{}", context());
    }
    answers.iter().map(|answer| u32::from(answer.is_some())).sum()
}

fn check(scene: &Scene, seed: u64) {
    let (mut asked, mut hit, mut near) = (0, 0, 0);
    for trial in Trial::of(scene) {
        let (mut queries, mut random) = (Queries::new(&trial.mesh, seed), Random::new(!seed));
        for round in 0..120 {
            let mut rays = fan(&mut queries, &mut random, SIZES[round % SIZES.len()]);
            if round % 3 != 0 {
                disturb(&mut rays, &mut queries, &mut random);
            }
            for model in trial.models() {
                hit += compare(&model, &rays, trial.name);
                near += compare_points(&model, &mut queries, rays.len(), trial.name);
                asked += rays.len() as u32;
            }
        }
    }
    assert!(hit > asked / 10 && hit < asked, "{hit} of {asked} hit: that proves little");
    assert!(near > asked / 10 && near < asked, "{near} of {asked} are within reach: that proves little");
}

#[test]
fn on_a_displaced_sphere() {
    check(&Scene::new("displaced", icosphere::displaced(20, 0.2, 1)), 1);
}

#[test]
fn in_a_hall() {
    check(&Scene::new("hall", hall::hall(40, 60, 2)), 2);
}

#[test]
fn in_a_soup() {
    check(&Scene::new("soup", soup::triangles(3000, 0.05, 3)), 3);
}

#[test]
fn among_cubes_whose_faces_are_there_twice() {
    check(&Scene::new("cubes", grid::cubes([4, 3, 3])), 4);
}

#[test]
fn the_longer_slice_is_left_alone_beyond_the_shorter() {
    let scene = Scene::new("sphere", icosphere::icosphere(2));
    let trial = &Trial::of(&scene)[0];
    let rays = vec![Ray::new([0.0, 0.0, 3.0], [0.0, 0.0, -1.0]); 40];
    for model in trial.models() {
        let mut hits = vec![None; 50];
        model.closest_hits(&rays, &mut hits);
        assert!(hits[..40].iter().all(Option::is_some) && hits[40..].iter().all(Option::is_none));
        let mut any = vec![false; 20];
        model.any_hits(&rays, &mut any);
        assert!(any.iter().all(|hit| *hit));
        model.any_hits(&[], &mut any);
        model.closest_hits(&rays, &mut []);
        let points = [[0.0, 0.0, 3.0]; 40];
        for ask in [Model::closest_points_with::<()>, Model::closest_points_interleaved::<()>] {
            let mut nearest = vec![None; 50];
            ask(&model, &points, f32::INFINITY, &mut nearest, &mut ());
            assert!(nearest[..40].iter().all(Option::is_some) && nearest[40..].iter().all(Option::is_none));
            ask(&model, &points, f32::INFINITY, &mut nearest[..20], &mut ());
            ask(&model, &points, f32::INFINITY, &mut [], &mut ());
            ask(&model, &[], f32::INFINITY, &mut nearest, &mut ());
        }
    }
}
