//! Every query on every SIMD level against the oracles, which test every triangle.

use std::sync::LazyLock;

use bvhc::compile::{Layout, Quality};
use bvhc::mesh::Mesh;
use bvhc_runtime::{ClosestPoint, Filter, Hit, Model, Ray, Sides, SurfacePoint, VisitControl};
use bvhc_tests::oracle::classification::{self, Answer, Fault};
use bvhc_tests::oracle::distance::Part;
use bvhc_tests::oracle::ray::{self, Class, Crossing};
use bvhc_tests::oracle::{overlap_box, overlap_sphere, point};
use bvhc_tests::random::Random;
use bvhc_tests::scene;
use bvhc_tests::support::answers::{all_hits, first_of, hit_bits, in_ball, in_box};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::trial::Trial;
use bvhc_tests::support::{compiled_as, integer_scenes, levels, scenes};

/// For each scene, half of them for its small files. Enough for each combination of origin, direction, unit, range and
/// sides to occur several times.
const RAYS: u32 = 4000;
const POINTS: u32 = 2000;
const OVERLAPS: u32 = 1200;

/// Compiled once for all tests.
static TRIALS: LazyLock<Vec<Trial>> =
    LazyLock::new(|| scenes(1).iter().chain(&integer_scenes()).flat_map(Trial::of).collect());

/// Those on the integer grid. In a small layout as well: its lattices contain small integers.
fn integer_trials() -> impl Iterator<Item = &'static Trial> {
    let names: Vec<_> = integer_scenes().iter().map(|scene| scene.name).collect();
    TRIALS.iter().filter(move |trial| names.contains(&trial.name))
}

fn exact_ray(ray: &Ray) -> ray::Ray {
    ray::Ray { origin: ray.origin, direction: ray.direction, t_min: ray.t_min, t_max: ray.t_max }
}

/// The visible side is certain wherever the oracle is certain of the hit.
fn visible(crossing: &Crossing, sides: Sides) -> bool {
    match sides {
        Sides::Both => true,
        Sides::Front => crossing.class == Class::Border || crossing.front,
        Sides::Back => crossing.class == Class::Border || !crossing.front,
    }
}

fn answer(hit: &Hit) -> Answer {
    Answer { triangle: hit.triangle, t: hit.t.into(), u: hit.u.into(), v: hit.v.into() }
}

/// What the oracles do not check: sides, the normal, and that the three ray queries agree bit for bit.
fn check_hits(mesh: &Mesh, crossings: &[Crossing], hits: &[Hit], closest: Option<&Hit>) {
    for hit in hits {
        let crossing = crossings.iter().find(|crossing| crossing.triangle == hit.triangle);
        let crossing = crossing.expect("the classification has found it");
        assert!(crossing.class == Class::Border || hit.back != crossing.front, "{hit:?} {crossing:?}");
        check_normal(mesh, hit);
    }
    assert_eq!(closest.map(hit_bits), first_of(hits).map(hit_bits));
}

fn check_normal(mesh: &Mesh, hit: &Hit) {
    let [a, b, c] = mesh.corners(hit.triangle).map(|corner| corner.map(f64::from));
    let edge = |to: [f64; 3]| [0, 1, 2].map(|axis| to[axis] - a[axis]);
    let ([e, f], n) = ([edge(b), edge(c)], hit.normal.map(f64::from));
    let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let cross = [e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]];
    let length = dot(cross, cross).sqrt();
    if length == 0.0 {
        // Flattened by packing; hit because the ray's frame is rounded.
        assert_eq!(hit.normal, [0.0; 3], "{hit:?}");
        return;
    }
    assert!((dot(n, n) - 1.0).abs() < 1e-6, "{hit:?}");
    assert!(dot(n, cross) > (1.0 - 1e-6) * length, "{hit:?}");
}

fn classify(mesh: &Mesh, model: &Model<'_>, ray: &Ray, crossings: &[Crossing]) -> Result<(), Fault> {
    let closest = model.closest_hit(ray);
    let hits = all_hits(model, ray);
    let answers: Vec<_> = hits.iter().map(answer).collect();
    classification::closest(crossings, closest.as_ref().map(answer))?;
    classification::all(crossings, &answers)?;
    classification::any(crossings, model.any_hit(ray))?;
    assert_eq!(model.any_hit(ray), closest.is_some());
    check_hits(mesh, crossings, &hits, closest.as_ref());
    Ok(())
}

#[test]
fn rays() {
    for trial in TRIALS.iter() {
        let mut queries = Queries::new(&trial.mesh, 1);
        let (models, mut sure) = (trial.models(), 0u32);
        for _ in 0..trial.share(RAYS) {
            let ray = queries.ray();
            let mut crossings = ray::all(&trial.mesh, &exact_ray(&ray));
            crossings.retain(|crossing| visible(crossing, ray.sides));
            sure += u32::from(crossings.iter().any(|crossing| crossing.class == Class::Hit));
            for model in &models {
                let classification = classify(&trial.mesh, model, &ray, &crossings);
                assert_eq!(classification, Ok(()), "{} {} {ray:?}", trial.name, model.level().name());
            }
        }
        assert!(sure > trial.share(RAYS) / 20, "{}: only {sure} rays hit for sure", trial.name);
    }
}

/// Queries with a triangle filter find what the oracle finds without the rejected triangles.
#[test]
fn rays_through_a_filter() {
    for trial in TRIALS.iter() {
        let mut queries = Queries::new(&trial.mesh, 2);
        let models = trial.models();
        for _ in 0..trial.share(RAYS / 4) {
            let ray = queries.ray();
            let mut crossings = ray::all(&trial.mesh, &exact_ray(&ray));
            crossings.retain(|crossing| visible(crossing, ray.sides) && crossing.triangle % 3 == 1);
            for model in &models {
                let mut only = Filter(|triangle| triangle % 3 == 1);
                let closest = model.closest_hit_with(&ray, &mut only);
                let mut hits = Vec::new();
                model.all_hits_with(&ray, &mut only, |hit| {
                    hits.push(*hit);
                    VisitControl::Continue
                });
                let any = model.any_hit_with(&ray, &mut only);
                let answers: Vec<_> = hits.iter().map(answer).collect();
                assert_eq!(
                    classification::closest(&crossings, closest.as_ref().map(answer)),
                    Ok(()),
                    "{ray:?}"
                );
                assert_eq!(classification::all(&crossings, &answers), Ok(()), "{ray:?}");
                assert_eq!(any, closest.is_some());
                check_hits(&trial.mesh, &crossings, &hits, closest.as_ref());
            }
        }
    }
}

/// Where no arithmetic rounds, the answers are the exact ones: set, `t`, side, and the lowest number among ties.
#[test]
fn rays_on_the_integer_grid() {
    for trial in integer_trials() {
        let mut queries = Queries::new(&trial.mesh, 3);
        let (models, mut ties) = (trial.models(), 0);
        for _ in 0..trial.share(2 * RAYS) {
            let ray = queries.integer_ray();
            let mut expected = ray::all(&trial.mesh, &exact_ray(&ray));
            let wanted = |crossing: &Crossing| match ray.sides {
                Sides::Both => true,
                Sides::Front => crossing.front,
                Sides::Back => !crossing.front,
            };
            expected.retain(|crossing| crossing.exact && wanted(crossing));
            ties += usize::from(tied_first(&expected).len() > 1);
            for model in &models {
                let context = format!("{} {} {ray:?}", trial.name, model.level().name());
                check_exactly(model, &ray, &expected, &context);
            }
        }
        assert!(ties > trial.share(RAYS) as usize / 30, "{}: only {ties} rays with a tie", trial.name);
    }
}

/// The crossings with the smallest `t`.
fn tied_first(crossings: &[Crossing]) -> Vec<&Crossing> {
    let first = crossings.iter().map(|crossing| crossing.t).fold(f64::INFINITY, f64::min);
    crossings.iter().filter(|crossing| (crossing.t - first).abs() < 1e-9).collect()
}

fn check_exactly(model: &Model<'_>, ray: &Ray, expected: &[Crossing], context: &str) {
    let hits = all_hits(model, ray);
    let found: Vec<_> = hits.iter().map(|hit| hit.triangle).collect();
    let wanted: Vec<_> = expected.iter().map(|crossing| crossing.triangle).collect();
    assert_eq!(found, wanted, "{context}");
    for (hit, crossing) in hits.iter().zip(expected) {
        let t = crossing.t;
        // One rounding to f32, and the oracle's own rounding in f64.
        assert!((f64::from(hit.t) - t).abs() <= 6e-8 * t.abs() + 1e-12, "{context}: {hit:?} {crossing:?}");
        assert_eq!(hit.back, !crossing.front, "{context}: {hit:?}");
    }
    let closest = model.closest_hit(ray);
    let lowest = tied_first(expected).iter().map(|crossing| crossing.triangle).min();
    assert_eq!(closest.map(|hit| hit.triangle), lowest, "{context}");
    assert_eq!(model.any_hit(ray), closest.is_some(), "{context}");
}

/// A visitor that shrinks the range ends with the closest hit; one that stops is not called again.
#[test]
fn visitors_steer_the_search() {
    for trial in TRIALS.iter() {
        let mut queries = Queries::new(&trial.mesh, 4);
        for _ in 0..trial.share(400) {
            let ray = queries.ray();
            for model in trial.models() {
                let mut best: Option<Hit> = None;
                model.all_hits(&ray, |hit| {
                    let closer = best.is_none_or(|held| (hit.t, hit.triangle) < (held.t, held.triangle));
                    best = if closer { Some(*hit) } else { best };
                    VisitControl::UpTo(hit.t)
                });
                assert_eq!(best, model.closest_hit(&ray), "{ray:?}");
                let mut calls = 0;
                model.all_hits(&ray, |_| {
                    calls += 1;
                    VisitControl::Stop
                });
                assert_eq!(calls, usize::from(best.is_some()));
            }
        }
    }
}

#[test]
fn rays_that_make_no_sense_hit_nothing() {
    let trial = &TRIALS[0];
    let good = Ray::new([0.0; 3], [1.0, 0.0, 0.0]);
    let bad = [
        Ray::new([0.0; 3], [0.0; 3]),
        Ray::new([0.0; 3], [f32::NAN, 1.0, 0.0]),
        Ray::new([0.0; 3], [f32::INFINITY, 1.0, 0.0]),
        Ray::new([f32::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]),
        Ray::new([0.0, f32::INFINITY, 0.0], [1.0, 0.0, 0.0]),
        Ray::new([0.0, 0.0, -1.2e18], [0.0, 0.0, 1.0]),
        good.with_range(f32::NAN, 1.0),
        good.with_range(0.0, f32::NAN),
        good.with_range(2.0, 1.0),
        // Directions so short that both ends of the range are 0 in f32 where the ray is scaled.
        Ray::new([0.0; 3], [f32::from_bits(1), 0.0, 0.0]).with_range(0.4, 0.3),
        Ray::new([0.0; 3], [f32::from_bits(1), 0.0, 0.0]).with_range(0.3, 0.4),
    ];
    for model in trial.models() {
        assert!(model.any_hit(&good));
        for ray in bad {
            assert_eq!(model.closest_hit(&ray), None, "{ray:?}");
            assert!(!model.any_hit(&ray) && all_hits(&model, &ray).is_empty(), "{ray:?}");
        }
    }
}

#[test]
fn closest_points() {
    for trial in TRIALS.iter() {
        let mut queries = Queries::new(&trial.mesh, 5);
        let (models, size) = (trial.models(), f64::from(queries.size()));
        for _ in 0..trial.share(POINTS) {
            let (point, max_distance) = (queries.point(), queries.max_distance());
            let nearest = point::closest(&trial.mesh, point).expect("a mesh has triangles");
            for model in &models {
                let context = format!("{} {} {point:?} {max_distance}", trial.name, model.level().name());
                check_nearest(&trial.mesh, model, (point, max_distance), &nearest, size, &context);
            }
        }
    }
}

fn check_nearest(
    mesh: &Mesh,
    model: &Model<'_>,
    (point, max_distance): ([f32; 3], f32),
    nearest: &point::Nearest,
    size: f64,
    context: &str,
) {
    // Half a unit of f32, and the error of f64 in slivers.
    let slack = 1e-7 * nearest.distance + 1e-9 * size;
    let Some(found) = model.closest_point(point, max_distance) else {
        assert!(nearest.distance >= f64::from(max_distance) - slack, "{context}: {nearest:?}");
        return;
    };
    assert!(nearest.distance <= f64::from(max_distance) + slack, "{context}: {found:?}");
    assert!((f64::from(found.distance) - nearest.distance).abs() <= slack, "{context} {found:?} {nearest:?}");
    let (own, place) = point::on_triangle(mesh.corners(found.triangle), point);
    assert!(own <= nearest.distance + slack, "{context}: {found:?} {nearest:?}");
    let largest = place.iter().fold(size, |largest, x| largest.max(x.abs()));
    for (axis, place) in place.iter().enumerate() {
        let error = (f64::from(found.point[axis]) - place).abs();
        assert!(error <= 1e-7 * largest + sliver_slack(own, size), "{context}: {found:?} {place:?}");
    }
    check_description(
        mesh.corners(found.triangle),
        point,
        (&found, &model.surface_at(&found)),
        largest,
        context,
    );
}

/// The weights reproduce the point, and normal and side are those of the triangle.
fn check_description(
    corners: [[f32; 3]; 3],
    point: [f32; 3],
    (found, surface): (&ClosestPoint, &SurfacePoint),
    largest: f64,
    context: &str,
) {
    let (u, v) = (f64::from(surface.u), f64::from(surface.v));
    assert!(u >= 0.0 && v >= 0.0 && u + v <= 1.0 + 1e-7, "{context}: {found:?}");
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    let sub = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|axis| p[axis] - q[axis]);
    let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let (ab, ac) = (sub(b, a), sub(c, a));
    let n = [0, 1, 2].map(|k| ab[(k + 1) % 3] * ac[(k + 2) % 3] - ab[(k + 2) % 3] * ac[(k + 1) % 3]);
    let (length, longest) = (dot(n, n).sqrt(), dot(ab, ab).max(dot(ac, ac)));
    // For thinner ones f64 is not precise enough for this comparison.
    if length <= 1e-8 * longest {
        return;
    }
    for axis in 0..3 {
        let place = a[axis] + u * ab[axis] + v * ac[axis];
        let error = (place - f64::from(found.point[axis])).abs();
        assert!(error <= 1e-6 * largest, "{context}: {found:?} {place}");
        assert!((f64::from(surface.normal[axis]) - n[axis] / length).abs() < 1e-6, "{context}: {found:?}");
    }
    let height = dot(n, sub(point.map(f64::from), a)) / length;
    if height.abs() > 1e-9 * largest {
        assert_eq!(surface.back, height < 0.0, "{context}: {found:?}");
    }
}

/// How far the closest point may move along a triangle while its distance changes by f64's rounding.
fn sliver_slack(distance: f64, size: f64) -> f64 {
    (1e-14 * (distance + size) * (distance + size)).sqrt()
}

/// On the grid distances are exact in f64, so ties are detected and the lowest number is returned.
#[test]
fn closest_points_on_the_integer_grid() {
    let names = ["cubes", "one cube", "checkerboard"];
    for trial in TRIALS.iter().filter(|trial| names.contains(&trial.name)) {
        let mut queries = Queries::new(&trial.mesh, 6);
        let (models, mut ties) = (trial.models(), 0);
        for _ in 0..trial.share(POINTS) {
            let point = queries.quarters();
            let nearest = point::closest(&trial.mesh, point).expect("a mesh has triangles");
            ties += usize::from(nearest.ties.len() > 1);
            for model in &models {
                let found = model.closest_point(point, f32::INFINITY).expect("no limit");
                let context = format!("{} {} {point:?}", trial.name, model.level().name());
                assert_eq!(found.triangle, nearest.ties[0].0, "{context}: {found:?} {nearest:?}");
                assert_eq!(found.distance, nearest.distance as f32, "{context}");
                assert_eq!(model.closest_point(point, found.distance.next_up()), Some(found), "{context}");
            }
        }
        assert!(ties > trial.share(POINTS) as usize / 15, "{}: only {ties} points with a tie", trial.name);
    }
}

/// As [`check_nearest`] allows for ties, the lowest number is tested here: two triangles that share an edge, or a corner, are equally
/// far from a point to which nothing else of them is as near, from whichever end their edges run.
#[test]
fn closest_edges_and_corners_are_of_the_lowest_triangle() {
    let mut random = Random::new(8);
    let mut shared = [0; 2];
    for round in 0..6000 {
        let mut corner = || -> [f32; 3] { std::array::from_fn(|_| random.f32(-4.0, 4.0)) };
        let [a, b, c, d, e] = [corner(), corner(), corner(), corner(), corner()];
        let point = corner().map(|x| 2.0 * x);
        let other = [[1, 0, 3], [0, 1, 3], [1, 3, 0], [0, 3, 4]][round % 4];
        let mesh = scene::mesh(vec![a, b, c, d, e], vec![[0, 1, 2], other]);
        let near = [0, 1].map(|triangle| point::nearest(mesh.corners(triangle), point).1);
        let is_shared = match near {
            [Part::Edge(0), Part::Edge(edge)] => {
                let ends = [other[edge], other[(edge + 1) % 3]];
                ends == [0, 1] || ends == [1, 0]
            }
            [Part::Corner(one), Part::Corner(two)] => other[two] == one as u32,
            _ => false,
        };
        if !is_shared {
            continue;
        }
        shared[usize::from(matches!(near[0], Part::Corner(_)))] += 1;
        let file = compiled_as(&mesh, Quality::Default, Layout::Fast);
        let model = Model::from_bytes(&file).expect("it opens");
        for level in levels() {
            let found = model.with_level(level).closest_point(point, f32::INFINITY).expect("no limit");
            assert_eq!(found.triangle, 0, "{} {mesh:?} {point:?}", level.name());
        }
    }
    assert!(shared[0] > 50 && shared[1] > 200, "{shared:?}");
}

#[test]
fn closest_points_through_a_filter() {
    for trial in TRIALS.iter() {
        let mut queries = Queries::new(&trial.mesh, 7);
        let mut rest = trial.mesh.clone();
        rest.triangles = rest.triangles.into_iter().skip(1).step_by(3).collect();
        for _ in 0..trial.share(POINTS / 5) {
            let point = queries.point();
            let nearest = point::closest(&rest, point).expect("triangles are left");
            for model in trial.models() {
                let mut only = Filter(|triangle| triangle % 3 == 1);
                let found = model.closest_point_with(point, f32::INFINITY, &mut only).expect("no limit");
                let slack = 1e-7 * nearest.distance + 1e-9 * f64::from(queries.size());
                assert!((f64::from(found.distance) - nearest.distance).abs() <= slack, "{point:?} {found:?}");
                assert_eq!(found.triangle % 3, 1);
            }
        }
    }
}

#[test]
fn points_that_make_no_sense_have_no_closest() {
    let trial = &TRIALS[0];
    for model in trial.models() {
        assert!(model.closest_point([0.0; 3], f32::INFINITY).is_some());
        for bad in [f32::NAN, f32::INFINITY, -1.2e18] {
            assert_eq!(model.closest_point([0.0, bad, 0.0], f32::INFINITY), None);
        }
        for bad in [f32::NAN, -1.0, -f32::INFINITY] {
            assert_eq!(model.closest_point([0.0; 3], bad), None);
        }
    }
}

#[test]
fn overlaps() {
    for trial in TRIALS.iter() {
        let mut queries = Queries::new(&trial.mesh, 8);
        let (models, mut found) = (trial.models(), 0u32);
        for _ in 0..trial.share(OVERLAPS) {
            let query_box = queries.overlap_box();
            let expected = overlap_box::all(&trial.mesh, query_box.min, query_box.max);
            found += u32::from(!expected.is_empty());
            for model in &models {
                let context = format!("{} {} {query_box:?}", trial.name, model.level().name());
                assert_eq!(in_box(model, &query_box), expected, "{context}");
            }
            let (centre, radius) = queries.ball();
            let expected = overlap_sphere::all(&trial.mesh, centre, radius);
            for model in &models {
                let context = format!("{} {} {centre:?} {radius}", trial.name, model.level().name());
                assert_eq!(in_ball(model, centre, radius), expected, "{context}");
            }
        }
        assert!(found > trial.share(OVERLAPS) / 20, "{}: only {found} boxes touch", trial.name);
    }
}

/// Boxes and balls with corners, faces and surfaces exactly on triangles: touching counts.
#[test]
fn overlaps_on_the_integer_grid() {
    for trial in integer_trials() {
        let mut queries = Queries::new(&trial.mesh, 9);
        let models = trial.models();
        for round in 0..trial.share(OVERLAPS) {
            let (corner, extent) = (queries.quarters(), (round % 9) as f32 / 4.0);
            let query_box = bvhc_runtime::Aabb::new(corner, corner.map(|x| x + extent));
            let boxed = overlap_box::all(&trial.mesh, query_box.min, query_box.max);
            let near = overlap_sphere::all(&trial.mesh, corner, extent);
            for model in &models {
                let context = format!("{} {} {query_box:?}", trial.name, model.level().name());
                assert_eq!(in_box(model, &query_box), boxed, "{context}");
                assert_eq!(in_ball(model, corner, extent), near, "{context}");
            }
        }
    }
}
