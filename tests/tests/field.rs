//! Distance fields: against the distance from every triangle and against exact signs, wherever they are sampled.

use std::num::NonZeroUsize;

use bvhc::compile::Options;
use bvhc::mesh::Mesh;
use bvhc::{FieldBits, FieldOptions};
use bvhc_runtime::{Field, FieldSample, InsideRule, Model, Place};
use bvhc_tests::oracle::{point, winding};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{self, grid, icosphere, soup, terrain, tips};
use bvhc_tests::support::{LAYOUTS, compiled_with, far};

fn options(resolution: u32) -> Options {
    Options { field: Some(FieldOptions::new(resolution)), obb: None, ..Options::default() }
}

/// A sphere within a sphere, which is not inside.
fn shell() -> Mesh {
    let mut hollow = icosphere::icosphere(4);
    for triangle in &mut hollow.triangles {
        triangle.swap(0, 1);
    }
    let positions = hollow.positions.iter().map(|position| position.map(|x| x * 0.8)).collect();
    scene::join(&icosphere::displaced(6, 0.05, 2), &scene::mesh(positions, hollow.triangles))
}

/// A sphere with a hole, so that signs around it are rounded.
fn holed() -> Mesh {
    let mut mesh = icosphere::displaced(7, 0.1, 4);
    mesh.triangles.drain(40..46);
    scene::mesh(mesh.positions, mesh.triangles)
}

/// The signed distance from all triangles, and whether the sign is certain.
fn truth(mesh: &Mesh, at: [f32; 3]) -> (f64, bool) {
    let distance = point::closest(mesh, at).expect("there are triangles").distance;
    let (number, error) = winding::winding(mesh, at);
    let is_certain = ((number - number.floor()) - 0.5).abs() > error;
    (if number.round() == 0.0 { distance } else { -distance }, is_certain)
}

/// Points at corners of cells, on borders of bricks, within cells, and near the surface.
fn place(field: &Field<'_>, mesh: &Mesh, random: &mut Random) -> [f32; 3] {
    let points = field.points();
    let kind = random.below(6);
    if kind == 0 {
        let triangle = random.below(mesh.triangles.len() as u32);
        let [corner, ..] = mesh.corners(triangle);
        let reach = 2.0 * field.voxel() as f32;
        return corner.map(|x| x + random.f32(-reach, reach));
    }
    std::array::from_fn(|axis| {
        let whole = random.below(points[axis]);
        let index = match kind {
            1 => f64::from(whole),
            2 => f64::from(whole / 8 * 8 + 7) + f64::from(random.f32(0.0, 1.0)),
            3 => f64::from(whole) + 0.5,
            _ => f64::from(whole) + f64::from(random.f32(0.0, 1.0)),
        };
        (field.origin()[axis] + index * field.voxel()) as f32
    })
}

/// Asserts that a sample is within its error of the truth, both limited to the band.
fn check(field: &Field<'_>, mesh: &Mesh, at: [f32; 3]) -> FieldSample {
    let found = field.sample(at).expect("a finite point");
    let (distance, is_certain) = truth(mesh, at);
    let (band, error) = (f64::from(field.band()), f64::from(found.error));
    let value = f64::from(found.value);
    if field.signs_are_exact() {
        let expected = distance.clamp(-band, band);
        let apart = (value - expected).abs();
        assert!(apart <= error || !is_certain, "{at:?}: {found:?} instead of {expected}");
    } else {
        let expected = distance.abs().min(band);
        assert!((value.abs() - expected).abs() <= error, "{at:?}: {found:?} instead of {expected}");
    }
    found
}

#[test]
fn samples_are_within_their_errors() {
    let scenes = [
        ("displaced", icosphere::displaced(8, 0.2, 1), 24),
        ("far", far(icosphere::displaced(5, 0.2, 5), 1e4), 16),
        ("cubes", grid::cubes([4, 3, 2]), 16),
        ("shell", shell(), 40),
        ("tips", tips::tips(8, 7), 20),
        ("open", terrain::terrain(8, 8, 6), 24),
        ("holed", holed(), 24),
        ("soup", soup::triangles(60, 0.3, 3), 16),
        ("needles", soup::needles(40, 4), 16),
    ];
    let mut random = Random::new(31);
    for (name, mesh, resolution) in scenes {
        for bits in [FieldBits::Eight, FieldBits::Sixteen] {
            let field = FieldOptions { bits, band: 2 + resolution % 3, resolution };
            let file = compiled_with(&mesh, &Options { field: Some(field), ..options(resolution) });
            let model = Model::from_bytes(&file).expect("it opens");
            let field = model.field().expect("it was asked for");
            let mut near = 0;
            for _ in 0..400 {
                let at = place(&field, &mesh, &mut random);
                let found = check(&field, &mesh, at);
                near += u32::from(found.value.abs() < field.band());
            }
            assert!(near > 40, "{name}: only {near} within the band");
        }
    }
}

/// Where the surface is smooth, errors are a small part of a cell; so they say something.
#[test]
fn errors_are_small() {
    let file = compiled_with(&icosphere::icosphere(16), &options(64));
    let model = Model::from_bytes(&file).expect("it opens");
    let field = model.field().expect("it was asked for");
    let section = model.sections().field().expect("it is there");
    let mut errors: Vec<f64> =
        section.bricks.get().iter().map(|brick| f64::from(brick.error) / field.voxel()).collect();
    errors.sort_by(f64::total_cmp);
    let median = errors[errors.len() / 2];
    assert!(median < 0.25, "{median} of a cell");
    let active = section.active.to_native() as f64;
    let bytes = (size_of_val(section.bricks.get()) + section.values.len()) as f64;
    assert!(bytes / active < 1.5, "{bytes} bytes for {active} points");
}

/// Samples on both sides of a border of bricks differ as little as the points do, whatever the bricks' errors are.
#[test]
fn samples_are_continuous_and_gradients_are_slopes() {
    let mesh = icosphere::displaced(8, 0.2, 3);
    let file = compiled_with(&mesh, &options(32));
    let model = Model::from_bytes(&file).expect("it opens");
    let field = model.field().expect("it was asked for");
    let voxel = field.voxel();
    let at = |index: [f64; 3]| {
        let point = std::array::from_fn(|axis| (field.origin()[axis] + index[axis] * voxel) as f32);
        field.sample(point).expect("a finite point")
    };
    let mut random = Random::new(5);
    let mut checked = 0;
    for _ in 0..20_000 {
        let mut index: [f64; 3] =
            std::array::from_fn(|axis| f64::from(random.f32(0.0, field.points()[axis] as f32 - 1.0)));
        let axis = random.below(3) as usize;
        // Across a face between cells, every eighth of which is a border of bricks.
        let mut before = index;
        (before[axis], index[axis]) = (index[axis].floor() - 1e-3, index[axis].floor() + 1e-3);
        let (one, other) = (at(before), at(index));
        assert!(f64::from((one.value - other.value).abs()) < 0.01 * voxel, "{index:?}: {one:?} {other:?}");
        // Within a cell.
        (before[axis], index[axis]) = (index[axis] + 0.4, index[axis] + 0.6);
        let (one, other) = (at(before), at(index));
        let slope = f64::from(other.value - one.value) / (0.2 * voxel);
        let middle = f64::from(one.gradient[axis] + other.gradient[axis]) / 2.0;
        assert!((slope - middle).abs() < 1e-3, "{index:?}: {slope} {middle}");
        checked += u32::from(slope != 0.0);
    }
    assert!(checked > 1000, "{checked}");
}

/// The field decides of most points whether they are inside, as winding numbers do; of open surfaces it does not.
#[test]
fn places_are_those_without_a_field() {
    let mut inside_out = icosphere::displaced(5, 0.1, 3);
    inside_out.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    inside_out.positions.iter_mut().for_each(|position| position[0] += 0.75);
    let overlapping = scene::join(&icosphere::icosphere(4), &inside_out);
    let scenes = [
        ("displaced", icosphere::displaced(8, 0.2, 1), 24),
        ("far", far(icosphere::displaced(5, 0.2, 5), 1e5), 16),
        ("cubes", grid::cubes([4, 3, 2]), 16),
        ("shell", shell(), 40),
        ("overlapping", overlapping, 20),
        ("tips", tips::tips(8, 7), 20),
        ("holed", holed(), 24),
    ];
    let (mut random, mut inside) = (Random::new(32), 0);
    for (name, mesh, resolution) in scenes {
        for (layout, bits) in LAYOUTS.into_iter().zip([FieldBits::Eight, FieldBits::Sixteen]) {
            let asked = FieldOptions { bits, band: 1 + resolution % 3, resolution };
            let [with, without] = [Some(asked), None]
                .map(|field| compiled_with(&mesh, &Options { layout, field, ..options(resolution) }));
            let [with, without] = [&with, &without].map(|file| Model::from_bytes(file).expect("it opens"));
            let field = with.field().expect("it was asked for");
            let mut points: Vec<[f32; 3]> = (0..600).map(|_| place(&field, &mesh, &mut random)).collect();
            points.extend((0..mesh.triangles.len() as u32).map(|triangle| mesh.corners(triangle)[0]));
            points.extend([[f32::NAN; 3], [f32::INFINITY, 0.0, 0.0], [1e30, -1e30, 3.0], with.bounds().min]);
            for rule in [InsideRule::NonZero, InsideRule::Positive, InsideRule::Odd] {
                let (mut places, mut signed) = (vec![Place::On; points.len()], vec![None; points.len()]);
                with.contains_each(&points, rule, &mut places);
                with.signed_distances(&points, rule, &mut signed);
                for ((point, place), signed) in points.iter().zip(&places).zip(&signed) {
                    let expected = without.contains(*point, rule);
                    assert_eq!(*place, expected, "{name}: {point:?}, {rule:?}");
                    assert_eq!(with.contains(*point, rule), expected, "{name}: {point:?}, {rule:?}");
                    assert_eq!(*signed, without.signed_distance(*point, rule), "{name}: {point:?}, {rule:?}");
                }
                inside += places.iter().filter(|place| **place == Place::In).count();
            }
        }
    }
    assert!(inside > 4000, "only {inside} are inside");
}

/// Values at points of the lattice are nearer to the distance than samples may be.
#[test]
fn values_are_within_the_error_of_points() {
    let mesh = icosphere::displaced(8, 0.2, 1);
    for bits in [FieldBits::Eight, FieldBits::Sixteen] {
        let asked = FieldOptions { bits, band: 3, resolution: 24 };
        let file = compiled_with(&mesh, &Options { field: Some(asked), ..options(24) });
        let model = Model::from_bytes(&file).expect("it opens");
        let field = model.field().expect("it was asked for");
        let band = f64::from(field.band());
        let half_step = band / if bits == FieldBits::Eight { 254.0 } else { 65_534.0 };
        let error = field.point_error();
        assert!(error >= half_step && error < half_step + 1e-3 * field.voxel(), "{error} {half_step}");
        let mut random = Random::new(33);
        for _ in 0..2000 {
            let index = field.points().map(|count| random.below(count));
            let at = std::array::from_fn(|axis| {
                (field.origin()[axis] + f64::from(index[axis]) * field.voxel()) as f32
            });
            let (distance, _) = truth(&mesh, at);
            let apart = (f64::from(field.value_at(index)) - distance.clamp(-band, band)).abs();
            // The value is an f32.
            assert!(apart <= error + band / f64::from(1 << 23), "{at:?}: {apart} instead of {error}");
        }
    }
}

/// What is not there, not finite, or far away.
#[test]
fn answers_beyond_the_band_are_defined() {
    let file = compiled_with(&icosphere::icosphere(8), &options(32));
    let model = Model::from_bytes(&file).expect("it opens");
    let field = model.field().expect("it was asked for");
    let sample = |point: [f32; 3]| field.sample(point);
    let far = FieldSample { value: field.band(), gradient: [0.0; 3], error: 0.0 };
    assert_eq!(sample([1e30, 0.0, 0.0]), Some(far));
    assert_eq!(sample([-2.0, f32::MAX, 1.0]), Some(far));
    assert_eq!(sample([0.0, f32::NAN, 0.0]), None);
    assert_eq!(sample([f32::INFINITY, 0.0, 0.0]), None);
    let deep = sample([0.0; 3]).expect("a finite point");
    assert_eq!((deep.value, deep.gradient), (-field.band(), [0.0; 3]));
    let bare = compiled_with(&icosphere::icosphere(1), &Options::default());
    assert!(Model::from_bytes(&bare).expect("it opens").field().is_none());
}

/// Far from the origin, f32 tells few points apart: that is said.
#[test]
fn rough_fields_are_reported() {
    let mut mesh = icosphere::icosphere(3);
    let warnings = |mesh: &Mesh| {
        let made = bvhc::compile(&scene::write_obj(mesh), "far.obj", &options(64)).expect("it compiles");
        made.report.warnings
    };
    assert!(warnings(&mesh).is_empty());
    for position in &mut mesh.positions {
        position[0] += 1e6;
    }
    let found = warnings(&mesh);
    assert!(found.len() == 1 && found[0].contains("voxels"), "{found:?}");
}

#[test]
fn threads_do_not_change_bytes() {
    let mesh = holed();
    let [one, three] = [1, 3].map(|threads| {
        let options = Options { threads: NonZeroUsize::new(threads), ..options(40) };
        bvhc::compile(&scene::write_obj(&mesh), "holed.obj", &options).expect("it compiles").bytes
    });
    assert_eq!(*one, *three);
}

/// The field is that of the vertices as they are in the file.
#[test]
fn small_layouts_have_fields_of_their_own() {
    let mesh = icosphere::displaced(6, 0.2, 1);
    for layout in LAYOUTS {
        let file = compiled_with(&mesh, &Options { layout, ..options(20) });
        bvhc::verify::verify(&file).expect("it verifies");
    }
}

/// A small layout may leave nothing but a point.
#[test]
fn a_point_has_no_field() {
    let positions = vec![[1e6; 3], [1e6 + 0.0625, 1e6, 1e6], [1e6, 1e6 + 0.0625, 1e6]];
    let triangle = scene::write_obj(&scene::mesh(positions, vec![[0, 1, 2]]));
    let compiled = |layout| bvhc::compile(&triangle, "point.obj", &Options { layout, ..options(30) });
    let [fast, small] = LAYOUTS.map(compiled);
    bvhc::verify::verify(&fast.expect("it is a triangle").bytes).expect("it verifies");
    let error = small.err().expect("it is a point").to_string();
    assert!(error.contains("all of its vertices are at one position"), "{error}");
    // Where f32 has no more than multiples of its least number, there is none, either.
    let scaled = |by: f32| {
        let mut mesh = grid::cubes([3, 2, 2]);
        mesh.positions.as_flattened_mut().iter_mut().for_each(|x| *x *= by);
        bvhc::compile(&scene::write_obj(&mesh), "tiny.obj", &options(48))
    };
    bvhc::verify::verify(&scaled(1e-30).expect("it compiles").bytes).expect("it verifies");
    let error = scaled(1e-42).err().expect("it is too small").to_string();
    assert!(error.contains("at least 1e-30"), "{error}");
}

/// Where f32 is rougher than cells are wide, points are zeroed, and the errors of the bricks beside them say so.
#[test]
fn rough_fields_verify() {
    for (cells, resolution) in [(2.0, 20), (3.0, 33), (3.0, 48)] {
        for seed in 0..8 {
            let mut mesh = icosphere::displaced(5, 0.2, seed);
            // Coordinates are rounded to about so many cells.
            let away = cells * (1u32 << 23) as f32 / resolution as f32;
            for [x, y, z] in &mut mesh.positions {
                (*x, *y, *z) = (0.5 * *x + away, 0.5 * *y + 0.3 * away, 0.5 * *z);
            }
            for bits in [FieldBits::Eight, FieldBits::Sixteen] {
                let field = FieldOptions { bits, band: 5, resolution };
                let file = compiled_with(&mesh, &Options { field: Some(field), ..options(resolution) });
                bvhc::verify::verify(&file).expect("it verifies");
            }
        }
    }
}
