//! Tests of shapes that move towards one triangle.

use super::*;
use crate::math::vector::{cross, dot, scale, sub};
use crate::shape::first_touch::{Limit, Mover, Touch, TouchTime};
use crate::shape::moving_ball::MovingBall;
use crate::shape::moving_capsule::{MovingCapsule, segment_of};
use crate::shape::separating_axes::SolidBox;

fn mover<'a>(shape: &'a dyn Shape, direction: [f32; 3], size: f64) -> Mover<'a> {
    let tolerance = size / (1u64 << 32) as f64;
    let fastest = direction.iter().fold(0.0f64, |most, x| most.max(f64::from(x.abs())));
    let bounds = Bounds::of(shape).expect("a shape");
    Mover {
        shape,
        solid: SolidBox::of(shape),
        segment: segment_of(shape, &bounds),
        bounds,
        direction,
        t_max: 1.0,
        tolerance,
        grain: (-40f64).exp2() * if fastest > 0.0 { size / fastest } else { 1.0 },
    }
}

fn described(mover: &Mover<'_>, triangle: &Corners, found: &TouchTime) -> Touch {
    mover.describe(triangle, found, mover.contact_normal(triangle, found))
}

/// On grids, whether a shape meets a triangle is known, and the contact is checked by what it must be.
#[test]
fn moving_shapes_stop_where_they_touch() {
    let mut random = Random(13);
    for size in [4, 8, 40] {
        let mut met = 0;
        for round in 0..8_000 {
            let case = Case::random(&mut random, round % KINDS, size);
            let triangle = [0, 1, 2].map(|_| random.point(size));
            let by = random.point(2 * size).map(|x| x - size);
            let swept: Vec<Grid> =
                case.points.iter().flat_map(|p| [*p, [0, 1, 2].map(|k| p[k] + by[k])]).collect();
            let expected = hull_is_near(&swept, triangle, case.radius * case.radius);
            met += usize::from(expected);
            let at_start = hull_is_near(&case.points, triangle, case.radius * case.radius);
            let factor = [1.0, 0.125][round % 2];
            let triangle = corners(triangle, factor);
            case.ask(factor, |shape| {
                let mover = mover(shape, float(by, factor), size as f64 * f64::from(factor));
                let all = Displacement::new(1.0, mover.direction);
                assert_eq!(shape.touches_during(&triangle, &all), Some(expected));
                let found = mover.first_touch(&triangle, Limit::NONE);
                let found = found.map(|found| described(&mover, &triangle, &found));
                let case = (round, &case.points, case.radius, triangle, by);
                assert_eq!(found.is_some(), expected, "{case:?}");
                let Some(found) = found else { return };
                assert_eq!(found.from.depth.is_some(), at_start, "{case:?}");
                let moved = Displacement::new(found.t, mover.direction);
                if at_start {
                    assert_eq!(found.t, 0.0);
                    check_way_out(shape, &triangle, &found, mover.tolerance);
                    let face = TriangleShape::new(triangle.map(|corner| corner.map(|x| x as f32)));
                    let at = [found.point; 3];
                    let off = distance(shape, &at, [0.0; 3]).max(distance(&face, &at, [0.0; 3]));
                    assert!(off < 1e-9 * size as f64, "{off}: {case:?} {found:?}");
                } else {
                    assert!(!shape.touches(&triangle, &moved), "{case:?} {found:?}");
                    let distance = distance(shape, &triangle, moved.rounded());
                    assert!(
                        distance < 1e-6 * size as f64 * f64::from(factor),
                        "{case:?} {found:?} {distance}"
                    );
                    // The point is on the triangle, and as near to the shape as the triangle is.
                    let point = [found.point; 3];
                    let from_shape = self::distance(shape, &point, moved.rounded());
                    let face = TriangleShape::new(triangle.map(|corner| corner.map(|x| x as f32)));
                    let from_face = self::distance(&face, &point, [0.0; 3]);
                    assert!(
                        from_shape <= distance + 8.0 * mover.tolerance,
                        "{case:?} {found:?} {from_shape}"
                    );
                    assert!(from_face <= mover.tolerance, "{case:?} {found:?} {from_face}");
                }
            });
        }
        assert!((1_000..7_500).contains(&met), "{met} of size {size}");
    }
}

/// Along the way out by its depth, the two are just in contact.
fn check_way_out(shape: &dyn Shape, triangle: &Corners, found: &Touch, tolerance: f64) {
    let depth = found.from.depth.expect("at the start");
    let out = |depth: f64| scale(found.from.normal, depth);
    if found.from.normal == [0.0; 3] {
        return;
    }
    assert!((dot(found.from.normal, found.from.normal) - 1.0).abs() < 1e-12);
    let beyond = Separation::of(shape, triangle, out(depth + 4.0 * tolerance));
    assert!(beyond.is_some(), "{found:?}");
}

#[test]
fn cylinders_stop_where_they_touch() {
    let mut random = Random(14);
    let mut met = 0;
    for round in 0..6_000 {
        let size = 12;
        let (a, b) = (random.point(size), random.point(size));
        if a == b {
            continue;
        }
        let cylinder = Cylinder::new(float(a, 1.0), float(b, 1.0), 0.5 + random.below(4) as f32);
        let triangle = corners([0, 1, 2].map(|_| random.point(size)), 1.0);
        let by = float(random.point(2 * size).map(|x| x - size), 1.0);
        let mover = mover(&cylinder, by, size as f64);
        let found = mover.first_touch(&triangle, Limit::NONE);
        let found = found.map(|found| described(&mover, &triangle, &found));
        // Steps in between miss short contacts, but those that they see are there.
        let seen =
            (0..=64).any(|step| cylinder.touches(&triangle, &Displacement::new(f64::from(step) / 64.0, by)));
        assert!(found.is_some() || !seen, "{round}: {cylinder:?} {triangle:?} {by:?}");
        let Some(found) = found else { continue };
        met += 1;
        let moved = Displacement::new(found.t, by);
        assert_eq!(cylinder.touches(&triangle, &moved), found.from.depth.is_some());
        if found.from.depth.is_none() {
            let distance = distance(&cylinder, &triangle, moved.rounded());
            assert!(distance < 1e-6 * size as f64, "{found:?} {distance}");
        }
    }
    assert!(met > 1_000, "{met}");
}

/// Shapes that come from 10^5 sizes away, and needles.
#[test]
fn far_casts_and_slivers_are_neither_missed_nor_entered() {
    let mut random = Random(15);
    for round in 0..4_000 {
        let corner = || [0.0; 3];
        let mut triangle = [corner(), corner(), corner()];
        for point in &mut triangle {
            *point = [0, 1, 2].map(|_| f64::from(random.centred() as f32));
        }
        if round % 2 == 0 {
            // Thinner than 1e-5 of its length.
            let share = random.centred();
            let off = [0, 1, 2].map(|_| 1e-6 * random.centred());
            let along = sub(triangle[1], triangle[0]);
            triangle[2] = [0, 1, 2].map(|k| f64::from((triangle[0][k] + share * along[k] + off[k]) as f32));
        }
        let aim = [0, 1, 2].map(|k| (triangle[0][k] + triangle[1][k] + triangle[2][k]) / 3.0);
        let from = [0, 1, 2].map(|_| random.centred());
        let far = [1.0, 1e2, 1e5][round % 3];
        let start = [0, 1, 2].map(|k| (aim[k] + far * (2.0 + from[k])) as f32);
        let by = [0, 1, 2].map(|k| ((aim[k] - f64::from(start[k])) * 1.5) as f32);
        let radius = [0.0, 0.01, 0.3][round / 6 % 3];
        let second = [0, 1, 2].map(|k| start[k] + 0.25 * random.centred() as f32);
        let turned = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        let shapes: [&dyn Shape; 4] = [
            &Ball::new(start, radius),
            &Capsule::new(start, second, radius),
            &Cuboid::new(start, [0.1, 0.2, 0.05]),
            &Cuboid::new(start, [0.1, 0.2, 0.05]).rotated(turned).expect("a rotation"),
        ];
        for shape in shapes {
            let mover = mover(shape, by, 2.0);
            let all = Displacement::new(1.0, by);
            let expected = shape.touches_during(&triangle, &all).expect("polytopes know");
            let found = mover.first_touch(&triangle, Limit::NONE);
            let found = found.map(|found| described(&mover, &triangle, &found));
            assert_eq!(found.is_some(), expected, "{round} {triangle:?} {start:?} {by:?} {radius}");
            if let Some(found) = found.filter(|found| found.from.depth.is_none()) {
                let moved = Displacement::new(found.t, by);
                assert!(!shape.touches(&triangle, &moved));
                assert!(distance(shape, &triangle, moved.rounded()) < 2e-6, "{round} {found:?}");
            }
        }
    }
}

/// The closed form for capsules proposes what steps towards the triangle come to.
#[test]
fn capsules_are_as_early_as_by_steps() {
    let mut random = Random(23);
    let mut met = 0;
    for round in 0..4_000 {
        let mut triangle = [[0.0; 3]; 3];
        for point in &mut triangle {
            *point = [0, 1, 2].map(|_| f64::from(random.centred() as f32));
        }
        let start = [0, 1, 2].map(|_| 4.0 * random.centred() as f32);
        let second = [0, 1, 2].map(|k| start[k] + 0.5 * random.centred() as f32);
        let by = [0, 1, 2].map(|k| 1.5 * (triangle[round % 3][k] as f32 - start[k]));
        let capsule = Capsule::new(start, second, 0.1);
        let at_once = mover(&capsule, by, 2.0);
        let by_steps = Mover { segment: None, ..mover(&capsule, by, 2.0) };
        let [a, b] = [&at_once, &by_steps].map(|mover| mover.first_touch(&triangle, Limit::NONE));
        assert_eq!(a.is_some(), b.is_some(), "{round} {triangle:?} {capsule:?} {by:?}");
        if let (Some(a), Some(b)) = (a, b) {
            met += 1;
            let speed = by.iter().fold(0.0f64, |most, x| most.max(f64::from(x.abs())));
            assert!((a.t - b.t).abs() * speed <= 128.0 * at_once.tolerance, "{round} {a:?} {b:?}");
        }
    }
    assert!(met > 1_000, "{met}");
}

/// Hulls meet triangles by portals, boxes by separating axes: at about the same time; and whatever contact is known already only
/// leaves out later ones.
#[test]
fn hulls_are_as_early_as_boxes() {
    let mut random = Random(29);
    let (mut met, mut left_out) = (0, 0);
    for round in 0..6_000 {
        // Half of them on a coarse lattice, where much is parallel, and edges meet corners. Sums of numbers on either are exact.
        let steps = if round % 2 == 0 { 4.0 } else { 1024.0 };
        let mut number = |size: f64| ((steps * size * random.centred()).round() / steps) as f32;
        let mut point = |size: f64| [number(size), number(size), number(size)];
        let triangle = [point(4.0), point(4.0), point(4.0)].map(|corner| corner.map(f64::from));
        let (centre, half) = (point(12.0), point(4.0).map(|x| x.abs() + 0.25));
        let by = [0, 1, 2].map(|k| 2.0 * (triangle[round % 3][k] as f32 - centre[k]));
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|index: usize| {
            [0, 1, 2].map(|k| if index >> k & 1 == 0 { centre[k] - half[k] } else { centre[k] + half[k] })
        });
        let (hull, cuboid) = (ConvexHull::new(&corners, 0.0), Cuboid::new(centre, half));
        let (of_hull, of_box) = (mover(&hull, by, 8.0), mover(&cuboid, by, 8.0));
        let [a, b] = [&of_hull, &of_box].map(|mover| mover.first_touch(&triangle, Limit::NONE));
        assert_eq!(a.is_some(), b.is_some(), "{round} {triangle:?} {cuboid:?} {by:?}");
        let (Some(a), Some(b)) = (a, b) else { continue };
        met += 1;
        assert_eq!(a.from_start, b.from_start, "{round} {triangle:?} {cuboid:?} {by:?}");
        let speed = by.iter().fold(0.0f64, |most, x| most.max(f64::from(x.abs())));
        assert!((a.t - b.t).abs() * speed <= 128.0 * of_hull.tolerance, "{round} {a:?} {b:?}");
        let (of_a, of_b) = (described(&of_hull, &triangle, &a), described(&of_box, &triangle, &b));
        if !a.from_start {
            assert!(distance(&hull, &triangle, Displacement::new(a.t, by).rounded()) > 0.0);
            let alike = dot(of_a.from.normal, of_b.from.normal);
            assert!(a.foot.is_none() || alike > 1.0 - 1e-9, "{round} {of_a:?} {of_b:?}");
        }
        for (share, normal) in [
            (0.5, [0.0; 3]),
            (1.0 - 1e-12, of_a.from.normal),
            (1.0, of_a.from.normal),
            (2.0, by.map(f64::from)),
        ] {
            let limit = Limit { t: share * a.t, normal };
            match of_hull.first_touch(&triangle, limit) {
                Some(again) => assert_eq!((again.t, again.foot), (a.t, a.foot), "{round}"),
                None => {
                    left_out += 1;
                    assert!(limit.t < a.t, "{round}");
                }
            }
        }
    }
    assert!(met > 2_000 && left_out > 1_000, "{met} {left_out}");
}

/// Shapes come down on flat ground ever more nearly along it, at a known time, which is the same for all triangles.
#[test]
fn what_slides_over_the_ground_touches_it_when_it_reaches_it() {
    let grounds = [
        [[-64.0, -64.0, 0.0], [128.0, -64.0, 0.0], [-64.0, 128.0, 0.0]],
        [[3.0, 1.0, 0.0], [5.0, 1.0, 0.0], [4.0, 3.0, 0.0]],
        [[4.0, 1.0, 0.0], [6.0, 2.0, 0.0], [3.0, 2.0, 0.0]],
    ];
    for steepness in 0..20 {
        let fall = 8.0 / (1u32 << steepness) as f32;
        let direction = [8.0, 3.0, -fall];
        let bottom = 0.5 * fall;
        let points: Vec<[f32; 3]> = [[-2.0, -2.0], [2.0, -2.0], [-2.0, 2.0], [3.0, 3.0]]
            .iter()
            .flat_map(|[x, y]| [0.0, 2.0].map(|up| [*x, *y, bottom + up]))
            .collect();
        let cuboid = Cuboid::new([0.0, 0.0, bottom + 1.0], [2.0, 2.0, 1.0]);
        let tilted = [[-2.0, -2.0, bottom], [2.0, 1.0, bottom + 1.0], [-2.0, 2.0, bottom]];
        let (hull, face) = (ConvexHull::new(&points, 0.0), TriangleShape::new(tilted));
        for shape in [&cuboid as &dyn Shape, &hull, &face] {
            let mover = mover(shape, direction, 192.0);
            let found = grounds[..if shape.fills_core_axes() { 3 } else { 1 }]
                .iter()
                .map(|ground| mover.first_touch(ground, Limit::NONE).expect("it comes down"));
            let mut first = None;
            for found in found {
                assert!(!found.from_start);
                assert!(found.t <= 0.5 && 0.5 - found.t <= mover.early_by(), "{steepness}: {found:?}");
                assert!(!shape.touches(&grounds[0], &Displacement::new(found.t, direction)));
                assert_eq!(*first.get_or_insert(found.t), found.t, "{steepness}");
            }
        }
    }
}

/// A contact that is known already leaves out later ones only, whatever is near it: else the first would depend on the tree.
#[test]
fn limits_leave_out_nothing_earlier() {
    let mut random = Random(37);
    let (mut kept, mut left_out) = (0, 0);
    for round in 0..24_000 {
        let mut whole = |size: f64| (size * random.centred()).round() as f32;
        let mut place = |size: f64| [whole(size), whole(size), whole(size)];
        // With a corner or an edge in common.
        let (a, b) = ([place(4.0), place(4.0), place(4.0)], place(4.0));
        let b = if round % 2 == 0 { [a[0], a[1], b] } else { [a[0], b, place(4.0)] };
        let [a, b] = [a, b].map(|triangle| triangle.map(|corner| corner.map(f64::from)));
        let by = place(8.0);
        // Short and long casts past a corner, and in a plane through it.
        let away = [1.0, 3.0, 1000.0][round % 3];
        let beside = place(2.0);
        let start = [0, 1, 2].map(|k| a[round % 3][k] as f32 - away * by[k] + beside[k]);
        let mut near = || {
            let offset = place(6.0);
            [0, 1, 2].map(|k| start[k] + offset[k])
        };
        let points = [start, near(), near(), near(), near(), near()];
        let cylinder = Cylinder::new(points[0], points[1], 1.0);
        let hull = ConvexHull::new(&points, 0.0);
        let rounded = ConvexHull::new(&points[..4], 0.5);
        let capsule = Capsule::new(points[0], points[1], 1.0);
        let three = TriangleShape::new([points[0], points[1], points[2]]);
        let shapes: [&dyn Shape; 5] = [&cylinder, &hull, &rounded, &capsule, &three];
        let shape = shapes[round % 5];
        if Bounds::of(shape).is_none() || by == [0.0; 3] {
            continue;
        }
        let mover = Mover { t_max: 2000.0, ..mover(shape, by, 8.0) };
        let [first, other] = [&a, &b].map(|triangle| mover.first_touch(triangle, Limit::NONE));
        let (Some(first), Some(other)) = (first, other) else { continue };
        let limit = Limit { t: first.t, normal: first.normal };
        match mover.first_touch(&b, limit) {
            Some(again) if other.t <= first.t => {
                kept += 1;
                assert_eq!(again.t, other.t, "{round} {a:?} {b:?} {points:?} {by:?}");
            }
            None => {
                left_out += 1;
                assert!(other.t > first.t, "{round} {first:?} {other:?} {a:?} {b:?} {points:?} {by:?}");
            }
            Some(_) => {}
        }
    }
    assert!(kept > 1_000 && left_out > 1_000, "{kept} {left_out}");
}

/// A rim next to an edge makes flat simplices, which hold the origin by rounding: the point is at the contact all the same.
#[test]
fn contacts_of_cylinders_are_near_them() {
    let triangle = [[2.0, 0.0, -4.0], [-1.0, -1.0, 4.0], [0.0, -1.0, 4.0]];
    let cylinder = Cylinder::new([-4.0, -3.0, 2.0], [-10.0, -5.0, -2.0], 1.0);
    let mover = Mover { t_max: 9.0, ..mover(&cylinder, [4.0, 2.0, -1.0], 8.0) };
    let found = mover.first_touch(&triangle, Limit::NONE).expect("it is in the way");
    let touch = described(&mover, &triangle, &found);
    let wanted = [0.430_79, -0.523_07, 0.184_55];
    assert!((0..3).all(|k| (touch.point[k] - wanted[k]).abs() < 1e-3), "{touch:?}");
}

/// The side of a cylinder meets a corner along the line from there to the axis.
#[test]
fn normals_of_cylinders_are_radial() {
    let mut random = Random(41);
    let mut met = 0;
    for _ in 0..20_000 {
        let mut point = |size: f64| [0, 1, 2].map(|_| (size * random.centred()) as f32);
        let corner = point(1.0);
        let (by, along) = (point(1.0), point(1.0));
        let start = [0, 1, 2].map(|k| corner[k] - 2.0 * by[k] - 0.5 * along[k]);
        let end = [0, 1, 2].map(|k| start[k] + along[k]);
        let cylinder = Cylinder::new(start, end, 0.05);
        // Beyond the corner, as seen from the cylinder.
        let behind = |a: [f32; 3]| {
            [0, 1, 2].map(|k| f64::from(corner[k]) + 0.5 * f64::from(by[k]) + 0.05 * f64::from(a[k]))
        };
        let triangle = [corner.map(f64::from), behind(point(1.0)), behind(point(1.0))];
        let mover = Mover { t_max: 4.0, ..mover(&cylinder, by, 2.0) };
        let found = mover.first_touch(&triangle, Limit::NONE).expect("it is in the way");
        let from = mover.contact_normal(&triangle, &found);
        if from.feature != Feature::Vertex(0) {
            continue;
        }
        let axis = along.map(f64::from);
        let offset = [0, 1, 2].map(|k| f64::from(start[k]) + found.t * f64::from(by[k]) - triangle[0][k]);
        let share = -dot(offset, axis) / dot(axis, axis);
        if !(0.01..0.99).contains(&share) {
            continue;
        }
        met += 1;
        let radial = [0, 1, 2].map(|k| offset[k] + share * axis[k]);
        let cosine = dot(radial, from.normal) / dot(radial, radial).sqrt();
        assert!(cosine > 1.0 - 1e-10, "{} {from:?} {found:?}", 1.0 - cosine);
    }
    assert!(met > 10_000, "{met}");
}

/// Two that are apart by less than f64 tells: a point beside the middle of an edge, which integers know.
#[test]
fn normals_of_what_is_hardly_apart_are_known() {
    let triangle = [
        [1.0f32, 0.0, 6.123_234e-17],
        [0.572_061_4, -0.415_626_94, -0.707_106_77],
        [0.707_106_77, 0.0, -0.707_106_77],
    ];
    let triangle = triangle.map(|corner| corner.map(f64::from));
    let ball = Ball::new([0.786_030_7, -0.207_813_47, -0.353_553_38], 0.0);
    assert!(!ball.touches(&triangle, &Displacement::NONE));
    let mover = Mover { t_max: 1.0, ..mover(&ball, [-1.018_220_9, 0.844_130_5, 0.872_855_7], 1.0) };
    let found = mover.first_touch(&triangle, Limit::NONE).expect("it is in the way");
    let from = mover.contact_normal(&triangle, &found);
    assert!((dot(from.normal, from.normal) - 1.0).abs() < 1e-12, "{from:?} {found:?}");
}

/// Where a ball or a capsule is nearer to a corner or an edge than f64 tells, though integers say that it does not touch it, its normal is
/// that of the way to its core.
#[test]
fn normals_of_round_shapes_that_hardly_touch_are_known() {
    let fin = [[0.0; 3], [1.0, 0.0, -1.0], [-1.0, 0.0, -1.0]];
    let wall = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]];
    for off in [0.0f32, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7] {
        let (ball, at_edge) = (Ball::new([off, off, 1.0], 1.0), Ball::new([off, 0.0, 1.0], 1.0));
        let capsule = Capsule::new([off, off, 1.0], [off, off, 2.0], 1.0);
        let cases: [(&dyn Shape, _, _, _); 4] = [
            (&ball, fin, [0.0, 0.0, -1.0], Feature::Vertex(0)),
            (&ball, fin, [0.0, 0.3, -1.0], Feature::Vertex(0)),
            (&capsule, fin, [0.0, 0.0, -1.0], Feature::Vertex(0)),
            (&at_edge, wall, [0.5, 0.0, -1.0], Feature::Edge(0)),
        ];
        for (shape, triangle, direction, feature) in cases {
            let mover = mover(shape, direction, 4.0);
            let found = mover.first_touch(&triangle, Limit::NONE).expect("they touch");
            let from = mover.contact_normal(&triangle, &found);
            let [x, y, z] = from.normal;
            assert!(z > 1.0 - 1e-9 && x.abs() + y.abs() < 1e-6, "{off:e} {direction:?}: {from:?}");
            assert_eq!(from.feature, feature, "{off:e} {direction:?}");
        }
    }
}

/// A point that moves along the plane of a triangle, beside it by less than f64 tells, has the normal of its side.
#[test]
fn normals_along_a_face_are_on_the_side_of_the_shape() {
    let (a, b, c) = ([0.0; 3], [1.0, 2.0, 3.0], [-2.0, 1.0, 1.0]);
    let face = cross(b, c);
    // On the edge from b to c, and on from the other corner through it.
    let (point, direction) = (Ball::new([-0.5, 1.5, 2.0], 0.0), [-1.0, 3.0, 4.0]);
    for off in [-4e-15, -2e-15, 2e-15, 4e-15] {
        let triangle = [a, b, c].map(|corner| sub(corner, scale(face, off)));
        let mover = mover(&point, direction, 4.0);
        let time = TouchTime { t: 0.0, from_start: false, normal: [0.0; 3], is_known: false, foot: None };
        let from = mover.contact_normal(&triangle, &time);
        assert!(dot(from.normal, face) * off > 0.0, "{off:e} {from:?}");
    }
}

/// A capsule that lies along the plane of a face meets it in closed form, whichever way its ends and the corners go.
#[test]
fn lying_capsules_need_no_steps() {
    let mut random = Random(23);
    let mut met = 0;
    for round in 0..2000 {
        let mut number = || f64::from(random.centred() as f32);
        let mut triangle = [[number(), number(), 0.0], [number(), number(), 0.0], [number(), number(), 0.0]];
        if round % 2 == 1 {
            triangle.swap(0, 1);
        }
        let (centre, axis) = ([number(), number(), 2.0], [number(), number(), 0.0]);
        let ball = MovingBall { centre, radius: 0.5, direction: [0.1 * number(), 0.1 * number(), -1.0] };
        let capsule = MovingCapsule { ball, axis };
        let found = capsule.first_contact(&triangle);
        // Over the middle of the capsule.
        let at = [0, 1].map(|k| capsule.ball.centre_at(1.5)[k] - 0.5 * axis[k]);
        let inside = |k: usize| {
            let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
            (b[0] - a[0]) * (at[1] - a[1]) - (b[1] - a[1]) * (at[0] - a[0]) > 0.0
        };
        if [0, 1, 2].map(inside).windows(2).all(|pair| pair[0] == pair[1]) {
            met += 1;
            let found = found.expect("it lies on the face");
            assert!((found.t - 1.5).abs() < 1e-9, "{round}: {}", found.t);
            assert!(found.foot[2].abs() < 1e-9 && (found.normal[2] - 1.0).abs() < 1e-9, "{round}");
        }
    }
    assert!(met > 50, "{met}");
}
