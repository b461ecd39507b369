//! Tests of contacts of shapes at rest with one triangle.

use super::*;
use crate::math::vector::{dot, scale, sub};
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
