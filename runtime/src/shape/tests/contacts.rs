//! Tests of contacts of shapes at rest with one triangle.

use super::*;
use crate::math::vector::{dot, scale, sub};
use crate::shape::first_touch::Feature;
use crate::shape::gjk::gap;
use crate::shape::near::{MOST_POINTS, Near};

/// A lying cylinder is as deep in a floor as a cast tells, or as far above it; its points are found by tilted directions.
#[test]
fn contacts_of_cylinders_tell_the_depth() {
    let floor = [[-1e4, -1e4, 0.0], [1e4, -1e4, 0.0], [0.0, 1e4, 0.0]];
    for height in [0.0625, 4.0, -0.0625] {
        let (x, y, z) = (530.0, 848.0, 1000.0 - height);
        let cylinder = Cylinder::new([-x, -y, z], [x, y, z], 1000.0);
        let near = Near::of(&cylinder, &floor, 1.0, 1e-6).expect("it is near");
        let mut points = [near; MOST_POINTS];
        let count = near.spread(&cylinder, &floor, 1.0, &mut points);
        let gap = points[..count].iter().fold(f64::INFINITY, |least, point| least.min(point.gap));
        assert!((gap + f64::from(height)).abs() < 1e-9, "{gap} {near:?}");
    }
}

/// Rims and needles beside corners, edges and faces, where a search by support points ends early; distances in 60 digits.
#[test]
fn distances_of_cylinders_are_not_those_of_a_search() {
    let (coin, coin_radius) = ([[0.0, 0.0, 0.0], [0.0, 0.0, 7.327_869e-5]], 1.0);
    let cases = [
        (
            coin,
            coin_radius,
            [
                [3.215_942_6e-9, -2.434_805_2e-9, -2.346_769_4e-9],
                [3.477_772_7e-9, 1.568_684_3e-9, -5.621_419_3e-15],
                [1.278_822_3e-9, 1.759_568_2e-9, -5.621_419_3e-15],
            ],
            5.621_419_3e-15,
        ),
        (
            [[0.315_074_35, -0.420_926_42, 0.053_868_026], [0.314_676_02, -0.420_715_75, 0.053_426_96]],
            9.031_885e-6,
            [
                [0.315_069_05, -0.420_927_46, 0.053_875_003],
                [-0.445_375_98, 0.322_561_26, -0.414_501_5],
                [0.710_833_7, 0.391_262_3, 0.475_086_3],
            ],
            3.0705e-8,
        ),
        (
            [[-0.025_163_038, -0.268_262_92, -0.556_182_1], [0.131_228_09, -0.318_738_9, -0.555_840_13]],
            7.897_632e-5,
            [
                [-0.025_115_363, -0.268_238_63, -0.556_301_9],
                [0.778_350_83, 0.812_010_65, -0.267_504_9],
                [-0.920_966_15, 0.801_001_85, 0.017_905_708],
            ],
            3.952_01e-5,
        ),
        (
            [[-3.0, 6.0, 2.0], [-3.0, 9.0, 6.0]],
            5.0,
            [[-1.0, -1.0, -4.0], [-1.0, 1.0, 7.0], [-4.0, 7.0, -4.0]],
            5.606_565_031_600e-3,
        ),
    ];
    for ([a, b], radius, triangle, distance) in cases {
        let cylinder = Cylinder::new(a, b, radius);
        let triangle = triangle.map(|corner: [f32; 3]| corner.map(f64::from));
        let near = Near::of(&cylinder, &triangle, 1.0, 1e-9).expect("it is near");
        let bound = 1.0 / (1u64 << 40) as f64 * 9.0 + 1e-5 * distance;
        assert!((near.gap - distance).abs() < bound, "{} instead of {distance}: {cylinder:?}", near.gap);
        assert!(Near::of(&cylinder, &triangle, 1e-9 + 1.1 * distance, 1e-9).is_some());
    }
}

/// What is farther than the nearest points of two is a plane between them: nothing is nearer than that.
#[test]
fn planes_prove_the_distances_of_cylinders() {
    let mut random = Random(47);
    let (mut apart, mut found) = (0, [0; 3]);
    for round in 0..20_000 {
        let mut number = || random.centred() as f32;
        let mut triangle = [(); 3].map(|()| [(); 3].map(|()| number()));
        if round % 3 == 0 {
            triangle[2] = [0, 1, 2].map(|k| triangle[1][k] + 1e-3 * number());
        } else if round % 6 == 1 {
            // As high as the roundings of coordinates, and a little more.
            let (share, height) = (number().abs(), [0.0, 1e-6, 1e-4][round / 36 % 3]);
            let between = |k: usize| triangle[0][k] + share * (triangle[1][k] - triangle[0][k]);
            triangle[2] = [0, 1, 2].map(|k| between(k) + height * number());
        }
        let radius = [1e-7, 1e-4, 0.1, 1.0][round / 3 % 4];
        let from = [(); 3].map(|()| 1.5 * number());
        let length = [1e-5, 0.1, 1.0][round / 12 % 3];
        let to = [0, 1, 2].map(|k| from[k] + length * number());
        let cylinder = Cylinder::new(from, to, radius);
        let triangle = triangle.map(|corner| corner.map(f64::from));
        if cylinder.touches(&triangle, &Displacement::NONE) {
            continue;
        }
        apart += 1;
        let near = Near::of(&cylinder, &triangle, 10.0, 1e-9).expect("it is near");
        found[match near.feature {
            Feature::Face => 0,
            Feature::Edge(_) => 1,
            Feature::Vertex(_) => 2,
        }] += 1;
        let [on_triangle, on_cylinder] =
            cylinder.nearest_points(&triangle, [0.0; 3]).expect("cylinders know them");
        let way = sub(on_cylinder, on_triangle);
        let distance = dot(way, way).sqrt();
        let proven = gap(&cylinder, &triangle, [0.0; 3], scale(way, 1.0 / distance));
        let slack = 1e-12 + 1e-15 / distance;
        assert!((distance - proven).abs() < slack, "{distance} {proven} {cylinder:?} {triangle:?}");
        assert!((near.gap - distance).abs() < 1e-12, "{distance} {near:?} {cylinder:?} {triangle:?}");
    }
    assert!(apart > 10_000 && found.iter().all(|found| *found > 500), "{found:?} of {apart}");
}

/// A search by simplices sees this sliver a ten-thousandth nearer than a plane proves that it is.
#[test]
fn slivers_are_as_far_as_planes_tell() {
    let sliver = [
        [0.9834614f32, 0.4393407, -0.35293558],
        [1.6392276, 1.0036365, -0.83761734],
        [1.0238681, 0.47411126, -0.3828005],
    ];
    let (from, to) = ([1.0171039, 0.46817484, -0.37785146], [1.0170597, 0.46766523, -0.37831637]);
    let cylinder = Cylinder::new(from, to, 0.0003554659);
    let near =
        Near::of(&cylinder, &sliver.map(|corner| corner.map(f64::from)), 1.0, 1e-9).expect("it is near");
    assert!((near.gap - 6.7647531e-5).abs() < 1e-12, "{}", near.gap);
}

/// The distance of a cap that is far wider than the triangle that it faces.
#[test]
fn wide_caps_are_as_far_as_planes_tell() {
    let mut random = Random(43);
    for round in 0..3_000 {
        let size = [1e-5, 1e-3, 1e-1][round % 3];
        let triangle = [0; 3].map(|_| [0; 3].map(|_| f64::from((size * random.centred()) as f32)));
        let axis = [random.centred(), random.centred(), 1.0 + random.centred()];
        let unit = scale(axis, 1.0 / dot(axis, axis).sqrt());
        let [from, to] = [3.0 * size, 3.0 * size + 1.0].map(|along| scale(unit, along).map(|x| x as f32));
        let cylinder = Cylinder::new(from, to, 1.0);
        let Some(near) = Near::of(&cylinder, &triangle, 10.0, 1e-9) else { continue };
        // The cap is above all of the triangle.
        let [start, end] = [from, to].map(|end| end.map(f64::from));
        let axis = sub(end, start);
        let axis = scale(axis, 1.0 / dot(axis, axis).sqrt());
        let gap =
            triangle.iter().fold(f64::INFINITY, |least, corner| least.min(dot(sub(start, *corner), axis)));
        assert!((near.gap - gap).abs() < 1.0 / (1u64 << 41) as f64, "{round}: {} {gap}", near.gap);
    }
}

/// What has no area is touched at itself, and not beside it, whatever faces it.
#[test]
fn contacts_with_flat_triangles_are_on_them() {
    let mut random = Random(31);
    let mut found = 0;
    for triangle in [[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]], [[0.25, -0.5, 0.125]; 3]] {
        for round in 0..1_000 {
            let centre = [0, 1, 2].map(|_| 3.0 * random.centred() as f32);
            let (cuboid, ball) = (Cuboid::new(centre, [0.5, 0.75, 1.0]), Ball::new(centre, 1.0));
            let shape: &dyn Shape = if round % 2 == 0 { &cuboid } else { &ball };
            let Some(near) = Near::of(shape, &triangle, 1.0, 1e-9) else { continue };
            let mut points = [near; MOST_POINTS];
            let count = near.spread(shape, &triangle, 1.0, &mut points);
            for contact in &points[..count] {
                found += 1;
                let at = TriangleShape::new([contact.point.map(|x| x as f32); 3]);
                assert!(distance(&at, &triangle, [0.0; 3]) < 1e-6, "{contact:?} {centre:?}");
            }
        }
    }
    assert!(found > 200, "{found}");
}
