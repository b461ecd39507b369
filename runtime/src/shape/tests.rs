//! Tests of shapes against one triangle: with oracles in integers that look at all features.

use std::prelude::v1::*;
use std::vec::Vec;

use super::core_points::CorePoints;
use super::gjk::Nearest;
use super::simplex::Simplex;
use super::*;
use crate::triangle::testing::{Random, float};

mod casts;
mod contacts;

type Grid = [i128; 3];

fn minus(a: Grid, b: Grid) -> Grid {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn times(a: Grid, b: Grid) -> i128 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn across(a: Grid, b: Grid) -> Grid {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Whether a point is within a squared radius of a closed triangle, which may be degenerate.
fn point_is_near(p: Grid, t: [Grid; 3], square: i128) -> bool {
    let normal = across(minus(t[1], t[0]), minus(t[2], t[0]));
    let height = times(normal, minus(p, t[0]));
    let inside = (0..3).all(|k| times(normal, across(minus(t[(k + 1) % 3], t[k]), minus(p, t[k]))) >= 0);
    let above = times(normal, normal) > 0 && inside && height * height <= square * times(normal, normal);
    above || (0..3).any(|k| point_is_near_segment(p, [t[k], t[(k + 1) % 3]], square))
}

fn point_is_near_segment(p: Grid, [a, b]: [Grid; 2], square: i128) -> bool {
    let (edge, offset) = (minus(b, a), minus(p, a));
    let ends = [a, b].iter().any(|end| times(minus(p, *end), minus(p, *end)) <= square);
    let along = times(edge, offset);
    let moment = across(edge, offset);
    ends || (0 < along && along < times(edge, edge) && times(moment, moment) <= square * times(edge, edge))
}

/// Whether the lines' nearest points are inside both segments, and that near. Other nearest points are ends.
fn segments_are_near([a, b]: [Grid; 2], [c, d]: [Grid; 2], square: i128) -> bool {
    let (u, v, w) = (minus(b, a), minus(d, c), minus(c, a));
    let normal = across(u, v);
    let scale = times(normal, normal);
    if scale == 0 {
        return false;
    }
    let (s, t) = (times(across(w, v), normal), times(across(w, u), normal));
    let height = times(w, normal);
    (0..=scale).contains(&s) && (0..=scale).contains(&t) && height * height <= square * scale
}

fn segment_meets_triangle([p, q]: [Grid; 2], t: [Grid; 3]) -> bool {
    let volume =
        |a: Grid, b: Grid, c: Grid, d: Grid| times(minus(a, d), across(minus(b, d), minus(c, d))).signum();
    let (sp, sq) = (volume(t[0], t[1], t[2], p), volume(t[0], t[1], t[2], q));
    if sp == sq || sp * sq > 0 {
        return false;
    }
    let around = [0, 1, 2].map(|k| volume(p, q, t[k], t[(k + 1) % 3]));
    !(around.contains(&1) && around.contains(&-1))
}

fn tetrahedron_holds(t: [Grid; 4], p: Grid) -> bool {
    let volume =
        |a: Grid, b: Grid, c: Grid, d: Grid| times(minus(a, d), across(minus(b, d), minus(c, d))).signum();
    let whole = volume(t[0], t[1], t[2], t[3]);
    whole != 0
        && (0..4).all(|k| {
            let mut with = t;
            with[k] = p;
            volume(with[0], with[1], with[2], with[3]) * whole >= 0
        })
}

/// Whether the hull of points is within a squared radius of a triangle: all features with all features.
fn hull_is_near(points: &[Grid], t: [Grid; 3], square: i128) -> bool {
    let count = points.len();
    let edges = [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    for i in 0..count {
        if point_is_near(points[i], t, square) {
            return true;
        }
        for j in 0..i {
            let segment = [points[i], points[j]];
            let near = edges.iter().any(|edge| segments_are_near(*edge, segment, square))
                || t.iter().any(|corner| point_is_near_segment(*corner, segment, square));
            if near || segment_meets_triangle(segment, t) {
                return true;
            }
            for k in 0..j {
                let face = [points[i], points[j], points[k]];
                let near = t.iter().any(|corner| point_is_near(*corner, face, square));
                if near || edges.iter().any(|edge| segment_meets_triangle(*edge, face)) {
                    return true;
                }
                if (0..k).any(|l| tetrahedron_holds([face[0], face[1], face[2], points[l]], t[0])) {
                    return true;
                }
            }
        }
    }
    false
}

/// A polytope on a grid, and the shape that is the same.
struct Case {
    points: Vec<Grid>,
    radius: i128,
    kind: usize,
}

const KINDS: usize = 5;

impl Case {
    fn random(random: &mut Random, kind: usize, size: i128) -> Self {
        let radius = if random.below(3) == 0 { 0 } else { random.below(size) };
        let count = [1, 2, 3, 8, 4 + random.below(3) as usize][kind];
        let mut points: Vec<Grid> = (0..count).map(|_| random.point(size)).collect();
        if kind == 3 {
            // The centre and the half extents: corners are on the grid.
            let half = random.point(size / 2 + 1);
            let centre = points[0];
            points = (0..8)
                .map(|bits| {
                    [0, 1, 2].map(|k| centre[k] + if bits >> k & 1 == 0 { -half[k] } else { half[k] })
                })
                .collect();
        }
        let radius = if kind == 2 || kind == 3 { 0 } else { radius };
        Self { points, radius, kind }
    }

    /// Calls `ask` with the shape, scaled.
    fn ask<R>(&self, factor: f32, ask: impl FnOnce(&dyn Shape) -> R) -> R {
        let points: Vec<[f32; 3]> = self.points.iter().map(|point| float(*point, factor)).collect();
        let radius = self.radius as f32 * factor;
        match self.kind {
            0 => ask(&Ball::new(points[0], radius)),
            1 => ask(&Capsule::new(points[0], points[1], radius)),
            2 => ask(&TriangleShape::new([points[0], points[1], points[2]])),
            3 => {
                let middle = [0, 1, 2].map(|k| 0.5 * (points[0][k] + points[7][k]));
                let half = [0, 1, 2].map(|k| 0.5 * (points[7][k] - points[0][k]));
                ask(&Cuboid::new(middle, half))
            }
            _ => ask(&ConvexHull::new(&points, radius)),
        }
    }
}

fn corners(triangle: [Grid; 3], factor: f32) -> Corners {
    triangle.map(|corner| float(corner, factor).map(f64::from))
}

/// Half of subnormals are not on the grid.
const FACTORS: [f32; 4] = [1.0, 0.125, f32::from_bits(4), 281_474_976_710_656.0];

#[test]
fn polytopes_touch_what_all_their_features_say() {
    let mut random = Random(11);
    for size in [3, 6, 30] {
        let mut touching = 0;
        for round in 0..12_000 {
            let case = Case::random(&mut random, round % KINDS, size);
            let triangle = [0, 1, 2].map(|_| random.point(size));
            let (by, t) = (random.point(size), [0.0, 1.0, -2.0, 0.0][round / 16 % 4]);
            let moved: Vec<Grid> =
                case.points.iter().map(|p| [0, 1, 2].map(|k| p[k] + t as i128 * by[k])).collect();
            let expected = hull_is_near(&moved, triangle, case.radius * case.radius);
            touching += usize::from(expected);
            let factor = FACTORS[round / 4 % 4];
            let displacement = Displacement::new(t, float(by, factor));
            let found = case.ask(factor, |shape| shape.touches(&corners(triangle, factor), &displacement));
            assert_eq!(found, expected, "{:?} {} {triangle:?} {t} {by:?}", case.points, case.radius);
            let points: Vec<[f32; 3]> = case.points.iter().map(|point| float(*point, factor)).collect();
            let radius = f64::from(case.radius as f32 * factor);
            let triangle = corners(triangle, factor);
            // From one difference, as integers alone find it.
            let start = case.ask(factor, |shape| Simplex::towards(shape, &triangle, displacement.rounded()));
            let exactly = exact::Question {
                points: CorePoints::Listed(&points),
                radius,
                triangle: &triangle,
                displacement: &displacement,
                swept: false,
            }
            .touches(&start);
            assert_eq!(exactly, expected, "{:?} {} {triangle:?} {t} {by:?}", case.points, case.radius);
        }
        assert!((1_000..11_000).contains(&touching), "{touching} of size {size}");
    }
}

/// A convex polygon in homogeneous integer coordinates.
fn clipped(polygon: &[[i128; 4]], side: impl Fn(&[i128; 4]) -> i128) -> Vec<[i128; 4]> {
    let mut out = Vec::new();
    for (index, p) in polygon.iter().enumerate() {
        let q = &polygon[(index + 1) % polygon.len()];
        let (f, g) = (side(p), side(q));
        if f >= 0 {
            out.push(*p);
        }
        if f.signum() * g.signum() < 0 {
            out.push([0, 1, 2, 3].map(|k| f.signum() * (f * q[k] - g * p[k])));
        }
    }
    out
}

/// The part of the triangle between the caps, seen along the axis, against a disk.
fn cylinder_is_near(a: Grid, b: Grid, radius: i128, t: [Grid; 3]) -> bool {
    let axis = minus(b, a);
    let polygon: Vec<[i128; 4]> = t
        .iter()
        .map(|corner| {
            let [x, y, z] = minus(*corner, a);
            [x, y, z, 1]
        })
        .collect();
    let along = |p: &[i128; 4]| times([p[0], p[1], p[2]], axis);
    let polygon = clipped(&polygon, along);
    let polygon = clipped(&polygon, |p| times(axis, axis) * p[3] - along(p));
    if polygon.is_empty() {
        return false;
    }
    // Offsets from the axis times its length, homogeneous.
    let flat: Vec<(Grid, i128)> = polygon.iter().map(|p| (across([p[0], p[1], p[2]], axis), p[3])).collect();
    let limit = radius * radius * times(axis, axis);
    let mut sides = [false; 2];
    for (index, (p, v)) in flat.iter().enumerate() {
        let (q, w) = flat[(index + 1) % flat.len()];
        if times(*p, *p) <= limit * v * v {
            return true;
        }
        // The edge from p / v to q / w.
        let edge = [0, 1, 2].map(|k| q[k] * v - p[k] * w);
        let before = -times(*p, edge);
        let moment = across(*p, q);
        if 0 < before && before * w < times(edge, edge) && times(moment, moment) <= limit * times(edge, edge)
        {
            return true;
        }
        let turn = times(moment, axis);
        sides[0] |= turn > 0;
        sides[1] |= turn < 0;
    }
    // The axis passes through the inside.
    sides[0] != sides[1]
}

#[test]
fn cylinders_touch_what_is_near_their_axes() {
    let mut random = Random(12);
    for size in [3, 6, 20] {
        let mut touching = 0;
        for round in 0..12_000 {
            let (a, mut b) = (random.point(size), random.point(size));
            if round % 3 == 0 {
                b = [a[0], b[1], a[2]];
            }
            let radius = random.below(size);
            let triangle = [0, 1, 2].map(|_| random.point(size));
            let factor = FACTORS[round % 4];
            let cylinder = Cylinder::new(float(a, factor), float(b, factor), radius as f32 * factor);
            if a == b {
                assert!(Bounds::of(&cylinder).is_none());
                continue;
            }
            let expected = cylinder_is_near(a, b, radius, triangle);
            touching += usize::from(expected);
            let found = cylinder.touches(&corners(triangle, factor), &Displacement::NONE);
            assert_eq!(found, expected, "{a:?} {b:?} {radius} {triangle:?} {factor}");
            let exactly =
                cylinder::touches_exactly(&cylinder, &corners(triangle, factor), &Displacement::NONE);
            assert_eq!(exactly, expected, "{a:?} {b:?} {radius} {triangle:?} {factor}");
        }
        assert!((1_000..11_000).contains(&touching), "{touching} of size {size}");
    }
}

/// The distance of the displaced shape from the triangle, in f64.
fn distance(shape: &dyn Shape, triangle: &Corners, moved: [f64; 3]) -> f64 {
    Nearest::of(shape, triangle, moved).distance() - shape.radius()
}

#[test]
fn empty_shapes_have_no_bounds() {
    let is_empty = |shape: &dyn Shape| Bounds::of(shape).is_none();
    assert!(is_empty(&Ball::new([0.0; 3], -1.0)) && is_empty(&Ball::new([0.0; 3], f32::NAN)));
    assert!(is_empty(&Ball::new([f32::NAN, 0.0, 0.0], 1.0)) && is_empty(&Ball::new([f32::INFINITY; 3], 1.0)));
    assert!(is_empty(&Capsule::new([0.0; 3], [0.0, f32::NAN, 0.0], 1.0)));
    assert!(is_empty(&Cuboid::new([0.0; 3], [1.0, -1.0, 1.0])));
    assert!(is_empty(&ConvexHull::new(&[], 1.0)) && is_empty(&Cylinder::new([0.0; 3], [0.0; 3], 1.0)));
    assert!(is_empty(&Cylinder::new([0.0; 3], [1.0; 3], -1.0)));
    assert!(is_empty(&Ball::new([1e30, 0.0, 0.0], 1.0)));
    assert!(!is_empty(&Ball::new([0.0; 3], 0.0)) && !is_empty(&Cuboid::new([0.0; 3], [0.0; 3])));
}
