//! Winding numbers, places and signed distances: against solid angles, and against what is known of lattices.

use std::sync::LazyLock;

use bvhc::mesh::Mesh;
use bvhc_runtime::{InsideRule, Model, Place, SignedDistance, Winding};
use bvhc_tests::oracle::number::is_degenerate;
use bvhc_tests::oracle::{overlap_sphere, winding};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{self, grid, hall, icosphere, soup, terrain, tips};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::trial::Trial;
use bvhc_tests::support::{Scene, compiled_as, far};

const RULES: [InsideRule; 3] = [InsideRule::NonZero, InsideRule::Positive, InsideRule::Odd];

/// A closed mesh without some triangles, with some twice and some turned around.
fn dirty(mut mesh: Mesh, seed: u64) -> Mesh {
    let mut random = Random::new(seed);
    let mut triangles = Vec::new();
    for triangle in &mesh.triangles {
        let [a, b, c] = *triangle;
        match random.below(24) {
            0 => {}
            1 => triangles.push([b, a, c]),
            2 => triangles.extend([*triangle; 2]),
            3 => triangles.extend([*triangle, [a, c, b]]),
            _ => triangles.push(*triangle),
        }
    }
    mesh.triangles = triangles;
    scene::mesh(mesh.positions, mesh.triangles)
}

/// One after the other, overlapping, the second inside out.
fn overlapping() -> Mesh {
    let mut inside_out = icosphere::displaced(5, 0.1, 3);
    for position in &mut inside_out.positions {
        position[0] += 0.75;
    }
    for triangle in &mut inside_out.triangles {
        triangle.swap(0, 1);
    }
    scene::join(&icosphere::icosphere(4), &scene::join(&inside_out, &icosphere::displaced(3, 0.2, 8)))
}

/// Closed, open and dirty meshes, small enough for an oracle that sees every triangle.
static TRIALS: LazyLock<Vec<Trial>> = LazyLock::new(|| {
    let scenes = [
        Scene::new("displaced", icosphere::displaced(8, 0.2, 1)),
        Scene::new("far", far(icosphere::displaced(6, 0.2, 5), 1e4)),
        Scene::new("cubes", grid::cubes([4, 3, 2])),
        Scene::new("tips", tips::tips(20, 7)),
        Scene::new("overlapping", overlapping()),
        Scene::new("hall", hall::hall(4, 10, 2)),
        Scene::new("open", terrain::terrain(12, 12, 6)),
        Scene::new("staircase", grid::staircase(6)),
        Scene::new("checkerboard", grid::checkerboard(5)),
        Scene::new("dirty", dirty(icosphere::displaced(6, 0.2, 4), 9)),
        Scene::new("dirty cubes", dirty(grid::cubes([3, 3, 3]), 10)),
        Scene::new("soup", soup::triangles(200, 0.3, 3)),
        Scene::new("needles", soup::needles(100, 4)),
        Scene::new("duplicates", soup::duplicates(100, 5)),
    ];
    scenes.iter().flat_map(Trial::of).collect()
});

/// Points near and far, on the surface, on a lattice, and above or beside vertices along an axis.
fn point(queries: &mut Queries<'_>, random: &mut Random) -> [f32; 3] {
    match random.below(4) {
        0 => queries.quarters(),
        1 => {
            let (mut point, away) = (queries.on_surface(), queries.point());
            let axis = random.below(3) as usize;
            point[axis] = away[axis];
            point
        }
        _ => queries.point(),
    }
}

#[test]
fn numbers_are_those_of_solid_angles() {
    for trial in TRIALS.iter() {
        let models = trial.models();
        let (mut queries, mut random) = (Queries::new(&trial.mesh, 1), Random::new(2));
        let (mut compared, mut rounds) = (0, 0);
        for _ in 0..trial.share(1500) {
            let point = point(&mut queries, &mut random);
            let found = models[0].winding(point);
            rounds += 1;
            for model in &models {
                let bits =
                    |winding: Option<Winding>| winding.map(|it| [it.value, it.error].map(f64::to_bits));
                assert_eq!(bits(model.winding(point)), bits(found), "{} {point:?}", trial.name);
            }
            let is_on = !overlap_sphere::all(&trial.mesh, point, 0.0).is_empty();
            assert_eq!(found.is_none(), is_on, "{} {point:?}", trial.name);
            let Some(found) = found else { continue };
            let (expected, error) = winding::winding(&trial.mesh, point);
            let off = (found.value - expected).abs();
            assert!(off <= found.error + error, "{} {point:?}: {found:?}, {expected}, {error:e}", trial.name);
            compared += u32::from(error < 1e-6 && found.error < 1e-6);
        }
        assert!(compared > rounds / 4, "{}: only {compared} of {rounds}", trial.name);
    }
}

/// A vertex of the boundary that is exactly ahead on the half-line, or nearly, costs no accuracy.
#[test]
fn vertices_ahead_cost_no_accuracy() {
    let mesh = scene::mesh(vec![[-2.0, -1.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1.0]], vec![[0, 1, 2]]);
    for trial in Trial::of(&Scene::new("triangle", mesh)) {
        for beside in [0.0, 1e-30, 1e-12, 1e-6, 1e-3] {
            for (x, y) in [(beside, 0.0), (-beside, 0.0), (0.0, beside), (0.0, -beside), (beside, beside)] {
                for z in [0.75, 0.5625, 0.984_375] {
                    check_bound(&trial, [x, y, z], 1e-11);
                }
            }
        }
    }
}

/// At points of a lattice whose half-lines pass through many of the vertices, exactly.
#[test]
fn bounds_are_small_unless_the_boundary_is_near() {
    let mut random = Random::new(13);
    for range in [2, 3, 6, 12] {
        let positions = (0..60).map(|_| [0; 3].map(|_| (2 * random.integer(-range, range)) as f32)).collect();
        let triangles = (0..20).map(|triangle| [0, 1, 2].map(|corner| 3 * triangle + corner));
        let mut mesh = scene::mesh(positions, triangles.collect());
        mesh = scene::mesh(mesh.positions.clone(), proper_triangles(&mesh));
        let trials = Trial::of(&Scene::new("soup", mesh));
        for _ in 0..300 {
            let point = [0; 3].map(|_| random.integer(-2 * range - 1, 2 * range + 1) as f32);
            check_bound(&trials[0], point, 1e-10);
        }
    }
}

/// Those that have an area.
fn proper_triangles(mesh: &Mesh) -> Vec<[u32; 3]> {
    let has_area = |triangle: &u32| !is_degenerate(mesh.corners(*triangle));
    (0..mesh.triangles.len() as u32)
        .filter(has_area)
        .map(|triangle| mesh.triangles[triangle as usize])
        .collect()
}

/// Compares the winding number with that of solid angles, and its error with the largest that it may be.
fn check_bound(trial: &Trial, point: [f32; 3], most: f64) {
    let (expected, error) = winding::winding(&trial.mesh, point);
    let found = trial.models().iter().map(|model| model.winding(point)).collect::<Vec<_>>();
    let bits = |found: Option<Winding>| found.map(|found| [found.value, found.error].map(f64::to_bits));
    assert!(found.iter().all(|other| bits(*other) == bits(found[0])), "{} {point:?}", trial.name);
    // On the surface there is none.
    let Some(found) = found[0] else { return };
    let context = format!("{} {point:?}: {found:?}, {expected} {error:e}", trial.name);
    assert!((found.value - expected).abs() <= found.error + error && found.error <= most, "{context}");
}

#[test]
fn numbers_of_closed_meshes_are_integers() {
    let closed = ["displaced", "far", "cubes", "tips", "overlapping"];
    for trial in TRIALS.iter().filter(|trial| closed.contains(&trial.name)) {
        let model = trial.models()[0];
        let (mut queries, mut random) = (Queries::new(&trial.mesh, 3), Random::new(4));
        for _ in 0..trial.share(8000) {
            let point = point(&mut queries, &mut random);
            let Some(found) = model.winding(point) else { continue };
            assert!(found.is_exact() && found.value.fract() == 0.0, "{} {point:?} {found:?}", trial.name);
            for rule in RULES {
                let place = model.contains(point, rule);
                let is_in = match rule {
                    InsideRule::NonZero => found.value != 0.0,
                    InsideRule::Positive => found.value > 0.0,
                    InsideRule::Odd => found.value % 2.0 != 0.0,
                };
                assert_eq!(place, if is_in { Place::In } else { Place::Out });
            }
        }
    }
}

/// A million points of a lattice, many of them in line with edges and vertices: each is in one of the cubes, or on a wall.
#[test]
fn lattices_are_exact() {
    let mesh = grid::cubes([6, 5, 4]);
    let steps = [124, 104, 84];
    for trial in Trial::of(&Scene::new("cubes", mesh)) {
        let model = trial.models()[0];
        let count = if trial.layout == bvhc::compile::Layout::Fast { steps[2] } else { 6 };
        for z in 0..count {
            for y in 0..steps[1] {
                let row = (0..steps[0]).map(|x| [x, y, z].map(|at| (at - 2) as f32 / 20.0));
                row.for_each(|point| check_lattice(&model, point, [6.0, 5.0, 4.0]));
            }
        }
    }
}

fn check_lattice(model: &Model<'_>, point: [f32; 3], size: [f32; 3]) {
    let is_beyond = (0..3).any(|axis| point[axis] < 0.0 || point[axis] > size[axis]);
    let expected = match point.iter().any(|x| x.fract() == 0.0) {
        _ if is_beyond => Place::Out,
        true => Place::On,
        false => Place::In,
    };
    assert_eq!(model.contains(point, InsideRule::NonZero), expected, "{point:?}");
}

#[test]
fn signed_distances_are_closest_points_with_the_sign_of_the_place() {
    for trial in TRIALS.iter() {
        let model = trial.models()[0];
        let (mut queries, mut random) = (Queries::new(&trial.mesh, 5), Random::new(6));
        for _ in 0..trial.share(2000) {
            let point = point(&mut queries, &mut random);
            let rule = RULES[random.below(3) as usize];
            let found = model.signed_distance(point, rule).expect("the point is finite");
            let nearest = model.closest_point(point, f32::INFINITY).expect("no limit");
            assert_eq!((found.nearest, found.distance.abs()), (nearest, nearest.distance));
            assert_eq!(found.place, model.contains(point, rule));
            match found.place {
                Place::In => assert!(found.distance < 0.0 || nearest.distance == 0.0),
                Place::Out | Place::On => assert!(found.distance >= 0.0),
                Place::Unsure => {}
            }
        }
    }
}

#[test]
fn batches_answer_as_single_queries_do() {
    for trial in TRIALS.iter().take(30) {
        let model = trial.models()[0];
        let (mut queries, mut random) = (Queries::new(&trial.mesh, 7), Random::new(8));
        // More than two runs of signed distances, and a rest.
        let points: Vec<_> = (0..70).map(|_| point(&mut queries, &mut random)).collect();
        let mut windings = vec![None; points.len()];
        let mut places = vec![Place::Unsure; points.len()];
        let mut distances: Vec<Option<SignedDistance>> = vec![None; points.len()];
        model.windings(&points, &mut windings);
        // Interleaved, as in models larger than those of the tests.
        let mut interleaved = vec![None; points.len()];
        model.windings_interleaved(&points, &mut interleaved);
        assert_eq!(interleaved, windings);
        model.contains_each(&points, InsideRule::Odd, &mut places);
        model.signed_distances(&points, InsideRule::Odd, &mut distances);
        for (index, point) in points.iter().enumerate() {
            assert_eq!(windings[index], model.winding(*point));
            assert_eq!(places[index], model.contains(*point, InsideRule::Odd));
            assert_eq!(distances[index], model.signed_distance(*point, InsideRule::Odd));
        }
        // What is beyond the points stays.
        let known = distances.clone();
        model.signed_distances(&points[..points.len() - 3], InsideRule::Odd, &mut distances);
        assert_eq!(distances, known);
    }
}

#[test]
fn points_that_are_nowhere_are_outside() {
    let mesh = icosphere::icosphere(2);
    let file = compiled_as(&mesh, bvhc::compile::Quality::Default, bvhc::compile::Layout::Fast);
    let model = Model::from_bytes(&file).expect("it opens");
    for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
        for axis in 0..3 {
            let mut point = [0.0; 3];
            point[axis] = odd;
            assert_eq!(model.winding(point), Some(Winding { value: 0.0, error: 0.0 }));
            assert_eq!(model.contains(point, InsideRule::NonZero), Place::Out);
            assert_eq!(model.signed_distance(point, InsideRule::NonZero), None);
        }
    }
}
