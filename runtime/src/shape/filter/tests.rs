//! The filter loses no contact, and no deep one, and what it calls sure touches.

use std::prelude::v1::*;
use std::vec::Vec;

use super::*;
use crate::shape::first_touch::{Limit, Mover};
use crate::shape::moving_capsule::segment_of;
use crate::shape::separating_axes::SolidBox;
use crate::shape::{Ball, Capsule, ConvexHull, Corners, Cuboid, Cylinder, Displacement, TriangleShape};
use crate::simd::dispatch;
use crate::triangle::testing::Random;
use crate::{Level, Pose};

/// From -1 to 1.
fn number(random: &mut Random) -> f32 {
    let [x, ..] = random.point(1 << 20);
    (x - (1 << 19)) as f32 / (1 << 19) as f32
}

fn point(random: &mut Random, size: f32) -> [f32; 3] {
    [number(random) * size, number(random) * size, number(random) * size]
}

/// Triangles of all sizes, needles and points among them.
fn block(random: &mut Random, factor: f32) -> Block {
    let mut block = Block { triangles: 16, vertices: 16, ..Block::EMPTY };
    for slot in 0..16 {
        let place = point(random, if slot % 4 == 0 { 1.0 } else { 0.2 });
        for (positions, x) in block.positions.iter_mut().zip(place) {
            positions[slot] = x * factor;
        }
    }
    for lane in 0..16 {
        for k in 0..3 {
            block.corners[k][lane] = (random.point(16)[0] % 16) as u8;
        }
    }
    block
}

fn corners_in(block: &Block, lane: usize) -> Corners {
    [0, 1, 2].map(|k| {
        let slot = usize::from(block.corners[k][lane]);
        [0, 1, 2].map(|axis| f64::from(block.positions[axis][slot]))
    })
}

/// Calls `ask` with a shape of each kind around a point.
fn each_shape(random: &mut Random, middle: [f32; 3], factor: f32, mut ask: impl FnMut(&dyn Shape)) {
    let place = crate::math::vector::add(middle, point(random, factor));
    let radius = 0.3 * number(random).abs() * factor;
    let around = |random: &mut Random| crate::math::vector::add(place, point(random, 0.3 * factor));
    let half = point(random, 0.3 * factor).map(f32::abs);
    let turned = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
    let points: Vec<[f32; 3]> = (0..7).map(|_| around(random)).collect();
    ask(&Ball::new(place, radius));
    ask(&Capsule::new(place, around(random), radius));
    ask(&Cuboid::new(place, half));
    ask(&Cuboid::new(place, half).rotated(turned).expect("a rotation"));
    let thin = [half[0], 0.01 * half[1], half[2]];
    ask(&Cuboid::new(place, thin).rotated(turned).expect("a rotation"));
    ask(&Cylinder::new(place, around(random), radius));
    ask(&TriangleShape::new([place, around(random), around(random)]));
    ask(&ConvexHull::new(&points, 0.0));
    ask(&ConvexHull::new(&points, radius));
}

#[test]
fn no_contact_is_lost_and_no_deep_one() {
    let mut random = Random(23);
    let mut kept = [0; 3];
    for round in 0..2_000 {
        let factor = [1.0, 1e-12, 3e4, (1u64 << 57) as f32][round % 4];
        let block = block(&mut random, factor);
        let mut direction = point(&mut random, 1.9);
        direction[round % 3] = if round % 2 == 0 { 1.5 } else { -1.0 };
        if round % 5 == 0 {
            direction[(round + 1) % 3] = 0.0;
        }
        each_shape(&mut random, [0.0; 3], factor, |shape| {
            check(shape, &block, direction, f64::from(factor), &mut kept)
        });
    }
    let [asked, met, deep] = kept;
    assert!(met > asked / 100 && met < asked / 4 && deep > asked / 100 && deep < met, "{kept:?}");
}

fn seen_points(shape: &MovingShape<'_>) -> SeenPoints {
    let mut points = SeenPoints::new();
    shape.see_points(&mut points);
    points
}

/// The lanes that may touch, and those of them that surely do. Each is found once.
fn touched(level: Level, block: &Block, shape: &MovingShape<'_>, points: &SeenPoints) -> (u32, u32) {
    let mut touched = (0, 0);
    let mut found = |maybe: u32, surely: u32| {
        assert!(touched.0 & maybe == 0 && surely & !maybe == 0);
        touched = (touched.0 | maybe, touched.1 | surely);
        ControlFlow::Continue(())
    };
    let all = dispatch!(level.inner(), simd => touched_in_block(simd, block, shape, points, &mut found));
    assert!(all.is_continue());
    touched
}

fn check(shape: &dyn Shape, block: &Block, direction: [f32; 3], size: f64, kept: &mut [u32; 3]) {
    let bounds = ShapeBounds::of(shape).expect("a shape");
    let tolerance = size / (1u64 << 30) as f64;
    let t_max = 2.0 * size;
    let solid = SolidBox::of(shape);
    let mover = Mover {
        shape,
        solid,
        segment: segment_of(shape, &bounds),
        bounds,
        direction,
        t_max,
        tolerance,
        grain: size / (1u64 << 44) as f64,
    };
    let inverse = direction.map(|x| (1.0 / x).clamp(-1e20, 1e20));
    let (middle, largest) = (bounds.centre(), size as f32);
    let place = Place { at: &Similarity::IDENTITY, middle, slack: 4.0 * tolerance, largest };
    let resting = MovingShape::new(shape, &bounds, &place);
    let points = seen_points(&resting);
    let moving = resting.moving(direction, inverse);
    for level in Level::available() {
        let mut entries = [f32::INFINITY; BLOCK_WIDTH];
        let enter = |normal: Option<[f32; 3]>, entries: &mut Entries| {
            let limit = (t_max as f32).next_up();
            let plane = normal.map(|normal| moving.seen_plane(&points, normal));
            dispatch!(level.inner(), simd => entries_in_block(simd, block, &moving, &points, limit, plane.as_ref(), entries))
        };
        let met = enter(None, &mut entries);
        kept[0] += 16;
        kept[1] += met.count_ones();
        for (lane, entry) in entries.into_iter().enumerate() {
            let triangle = corners_in(block, lane);
            let Some(found) = mover.first_touch(&triangle, Limit::NONE) else { continue };
            let case = || std::format!("{triangle:?} {direction:?} {level:?} {:?}", shape.core_bounds());
            assert!(met >> lane & 1 != 0, "a contact at {} is lost: {}", found.t, case());
            assert!(f64::from(entry) <= found.t, "{entry} is after {}: {}", found.t, case());
            for normal in [found.normal.map(|x| x as f32), [direction[1], -direction[2], direction[0]]] {
                let mut entries = [f32::INFINITY; BLOCK_WIDTH];
                assert!(enter(Some(normal), &mut entries) >> lane & 1 != 0, "lost by {normal:?}: {}", case());
                assert!(f64::from(entries[lane]) <= found.t, "late by {normal:?}: {}", case());
            }
            let Some(depth) = mover.contact_normal(&triangle, &found).depth else { continue };
            kept[2] += 1;
            let depth = depth as f32;
            let deep = |directions: Directions, least: f32| dispatch!(level.inner(), simd => deep_in_block(simd, block, &resting, &points, directions, least, &mut [0.0; BLOCK_WIDTH]));
            let (maybe, _) = touched(level, block, &resting, &points);
            assert!(maybe >> lane & 1 != 0, "an overlap is lost: {}", case());
            let directions = if shape.fills_core_axes() { Directions::All } else { Directions::OfTriangles };
            let is_deep = deep(directions, depth) >> lane & 1 != 0;
            assert!(is_deep, "a depth of {depth} is lost: {}", case());
        }
    }
}

/// Shapes at poses among triangles of all sizes, as instances see them, too: what surely touches does, exactly, and most of what
/// touches boxes, balls and capsules is sure.
#[test]
fn what_surely_touches_does() {
    let mut random = Random(29);
    let (mut touching, mut sure) = ([0u32; 9], [0u32; 9]);
    for round in 0..2_000 {
        let factor = [1.0, 1e-12, 3e4, (1u64 << 30) as f32][round % 4];
        let block = block(&mut random, factor);
        let at = if round % 3 == 0 { Similarity::IDENTITY } else { similarity(&mut random, factor) };
        let mut kind = 0;
        let middle = at.pose().translation().map(|x| x as f32);
        each_shape(&mut random, middle, factor * at.scale() as f32, |shape| {
            let bounds = ShapeBounds::of(shape).expect("a shape");
            let place = Place { at: &at, middle: bounds.centre(), slack: 0.0, largest: factor };
            let resting = MovingShape::new(shape, &bounds, &place);
            let points = seen_points(&resting);
            for level in Level::available() {
                let (maybe, surely) = touched(level, &block, &resting, &points);
                for lane in 0..16 {
                    let triangle = corners_in(&block, lane).map(|corner| at.apply(corner));
                    let (touches, is_sure) =
                        (shape.touches(&triangle, &Displacement::NONE), surely >> lane & 1 != 0);
                    let case = || std::format!("{triangle:?} {at:?} {level:?} {:?}", shape.core_bounds());
                    assert!(touches || !is_sure, "not touched: {}", case());
                    assert!(!touches || maybe >> lane & 1 != 0, "lost: {}", case());
                    touching[kind] += u32::from(touches);
                    sure[kind] += u32::from(is_sure);
                }
            }
            kind += 1;
        });
    }
    // Balls, capsules and boxes; in percent.
    for (kind, least) in [(0, 85), (1, 80), (2, 50), (3, 50)] {
        assert!(
            touching[kind] > 1_000 && 100 * sure[kind] > least * touching[kind],
            "{sure:?} of {touching:?}"
        );
    }
}

/// Near the origin, or many sizes away.
fn similarity(random: &mut Random, factor: f32) -> Similarity {
    let [x, y, z] = point(random, 1.0).map(f64::from);
    let (sine, cosine) = (3.0 * x).sin_cos();
    let scale = [1.0, 0.37, 1.0 / (1u64 << 40) as f64, 300.0][(x.abs() * 1e6) as usize % 4];
    let far = f64::from(factor) * scale * [0.0, 1.0, 1e5][(y.abs() * 1e6) as usize % 3];
    let rows = [[0.8 * cosine, -0.8 * sine, 0.6], [sine, cosine, 0.0], [-0.6 * cosine, 0.6 * sine, 0.8]];
    let pose = Pose::from_rows(rows, [far * x, far * y, far * z]).expect("a pose");
    Similarity::new(pose, scale, z > 0.0).expect("a scale")
}

/// Points as near to the surfaces of shapes as f32 can tell, inside and outside: proofs keep their distance.
#[test]
fn what_is_sure_is_not_by_rounding() {
    let mut random = Random(31);
    let (mut sure, mut touching, mut apart) = (0, 0, 0);
    for round in 0..6_000 {
        let factor = [1.0, 1e-12, 3e4, (1u64 << 40) as f32][round % 4];
        let centre = point(&mut random, [0.0, 1.0, 1e3][round % 3] * factor);
        let mut half = point(&mut random, factor).map(|x| x.abs() + 1e-3 * factor);
        half[round % 2] *= [1.0, 1e-2, 1e-6][round / 4 % 3];
        let turned = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
        let aligned = Cuboid::new(centre, half);
        let rotated = aligned.rotated(turned).expect("a rotation");
        let ball = Ball::new(centre, half[2]);
        let capsule = Capsule::new(
            vector::sub(centre, [half[0], 0.0, 0.0]),
            vector::add(centre, [half[0], 0.0, 0.0]),
            half[2],
        );
        let shapes: [&dyn Shape; 4] = [&aligned, &rotated, &ball, &capsule];
        let shape = shapes[round / 12 % 4];
        let mut block = Block { triangles: 16, vertices: 16, ..Block::EMPTY };
        for slot in 0..16 {
            let direction = point(&mut random, 1.0).map(f64::from);
            let end = shape.support(direction);
            let outwards = f64::from(if shape.radius() > 0.0 { half[2] } else { 0.0 })
                / vector::dot(direction, direction).sqrt();
            // The farthest points of boxes are corners: others of their surface are between these.
            let other = shape.support([-direction[0], direction[1], direction[2]]);
            let share = f64::from(number(&mut random).abs());
            let beyond = 1.0
                + f64::from(number(&mut random)) * f64::from(1u32 << (slot as u32 % 8)) / (1u64 << 24) as f64;
            for axis in 0..3 {
                let middle = f64::from(centre[axis]);
                let at = share * end[axis] + (1.0 - share) * other[axis] + outwards * direction[axis];
                block.positions[axis][slot] = (middle + (at - middle) * beyond) as f32;
            }
            block.corners.iter_mut().for_each(|corners| corners[slot] = slot as u8);
        }
        let bounds = ShapeBounds::of(shape).expect("a shape");
        let place =
            Place { at: &Similarity::IDENTITY, middle: bounds.centre(), slack: 0.0, largest: 2e3 * factor };
        let resting = MovingShape::new(shape, &bounds, &place);
        let points = seen_points(&resting);
        for level in Level::available() {
            let (maybe, surely) = touched(level, &block, &resting, &points);
            for lane in 0..16 {
                let triangle = corners_in(&block, lane);
                let touches = shape.touches(&triangle, &Displacement::NONE);
                let case = || std::format!("{triangle:?} {level:?} {:?}", shape.core_bounds());
                assert!(touches || surely >> lane & 1 == 0, "not touched: {}", case());
                assert!(!touches || maybe >> lane & 1 != 0, "lost: {}", case());
                sure += surely >> lane & 1;
                touching += u32::from(touches);
                apart += u32::from(!touches);
            }
        }
    }
    assert!(apart > 10_000 && touching > 10_000 && sure < touching, "{sure} of {touching}, {apart} apart");
}
