//! Balls that roll over floors feel no seams: normals at internal edges are those of faces.

use std::ops::ControlFlow;

use bvhc::compile::{Options, Quality};
use bvhc::file::Bytes;
use bvhc_runtime::{Ball, Capsule, Contact, Cuboid, Feature, Model, Shape, Touches};
use bvhc_tests::random::Random;
use bvhc_tests::support::levels;

type Triangle = [[f32; 3]; 3];

/// The limit of the angle: a degree.
const ANGLE: f32 = 0.0175;

fn compiled(triangles: &[Triangle], edges: bool, quality: Quality) -> Bytes {
    let positions: Vec<[f32; 3]> = triangles.iter().flatten().copied().collect();
    let indices: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let options = Options { edges, ..Options::of(quality) };
    bvhc::compile_mesh(&positions, &indices, &options).expect("it compiles").bytes
}

fn quad(a: [f32; 3], b: [f32; 3], c: [f32; 3], d: [f32; 3]) -> [Triangle; 2] {
    [[a, b, c], [a, c, d]]
}

fn all_contacts<T: Shape>(model: &Model<'_>, touches: &Touches<'_, T>) -> Vec<Contact> {
    let mut contacts = Vec::new();
    let _ = model.touches(touches, |contact| {
        contacts.push(*contact);
        ControlFlow::Continue(())
    });
    contacts
}

fn cosine(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Rolls a ball along many lines over the floor, a little in it and a little above it, and expects the normal `up` of all
/// contacts. Returns how many normals would have been others without the section.
fn roll(
    triangles: &[Triangle],
    [lower, upper]: [[f32; 2]; 2],
    up: [f32; 3],
    height: impl Fn(f32, f32) -> f32,
) -> usize {
    let mut corrected = 0;
    for quality in [Quality::Fast, Quality::Best] {
        let (with, without) = (compiled(triangles, true, quality), compiled(triangles, false, quality));
        let (with, without) = (Model::from_bytes(&with).unwrap(), Model::from_bytes(&without).unwrap());
        let mut random = Random::new(3);
        for _ in 0..40 {
            let mut end = || {
                [0, 1].map(|k| {
                    lower[k] + (upper[k] - lower[k]) * random.below(1 << 20) as f32 / (1 << 20) as f32
                })
            };
            let (from, to) = (end(), end());
            for step in 0..50 {
                let share = step as f32 / 49.0;
                let [x, y] = [0, 1].map(|k| from[k] + share * (to[k] - from[k]));
                let sink = [-0.01, 0.0, 0.004][step % 3];
                let foot = [x, y, height(x, y)];
                let ball = Ball::new(std::array::from_fn(|k| foot[k] + (0.3 + sink) * up[k]), 0.3);
                let touches = Touches::new(&ball, 0.01).without_seams(ANGLE);
                for level in levels() {
                    let found = all_contacts(&with.with_level(level), &touches);
                    assert!(!found.is_empty());
                    for contact in &found {
                        assert!(cosine(contact.normal, up) > 1.0 - 1e-6, "{contact:?} at {x} {y}");
                    }
                }
                let plain = all_contacts(&without, &touches);
                corrected += plain.iter().filter(|contact| cosine(contact.normal, up) < 0.9999).count();
            }
        }
    }
    corrected
}

#[test]
fn a_flat_grid_has_no_seams() {
    let quads = (0..100).map(|k| (k % 10, k / 10));
    let at = |i: i32, j: i32| [i as f32 * 0.3, j as f32 * 0.3, 0.0];
    let grid: Vec<Triangle> =
        quads.flat_map(|(i, j)| quad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1))).collect();
    let corrected = roll(&grid, [[0.4; 2], [2.6; 2]], [0.0, 0.0, 1.0], |_, _| 0.0);
    assert!(corrected > 1000, "{corrected}");
    // Tilted, so that its corners are rounded.
    let tilted: Vec<Triangle> =
        grid.iter().map(|corners| corners.map(|[x, y, _]| [x, y, 0.3 * x - 0.2 * y])).collect();
    let length = (1.0f32 + 0.09 + 0.04).sqrt();
    let up = [-0.3 / length, 0.2 / length, 1.0 / length];
    let corrected = roll(&tilted, [[0.4; 2], [2.6; 2]], up, |x, y| 0.3 * x - 0.2 * y);
    assert!(corrected > 1000, "{corrected}");
}

/// The shortest way out of a triangle beside a box that leans is across the box's side, and so a little downwards.
#[test]
fn askew_boxes_are_not_pushed_through_a_floor() {
    let quads = (0..144).map(|k| (k % 12, k / 12));
    let at = |i: i32, j: i32| [i as f32 * 0.25, j as f32 * 0.25, 0.0];
    let grid: Vec<Triangle> =
        quads.flat_map(|(i, j)| quad(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1))).collect();
    let file = compiled(&grid, true, Quality::Default);
    let model = Model::from_bytes(&file).unwrap();
    let mut corrected = 0;
    for degrees in [0.0f32, 0.5, 1.0, 2.0, 5.0, 12.0, 30.0, 42.0] {
        let (s, c) = degrees.to_radians().sin_cos();
        let lowest = 0.2 * s + 0.25 * c;
        for step in 0..120u8 {
            let (x, sink) = (1.0 + f32::from(step) * 0.008, [0.02, 0.05, 0.005][usize::from(step) % 3]);
            let cuboid = Cuboid::new([x, 1.37, lowest - sink], [0.2, 0.2, 0.25]);
            let cuboid = cuboid.rotated([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]).unwrap();
            let touches = Touches::new(&cuboid, 0.01);
            for contact in all_contacts(&model, &touches.without_seams(ANGLE)) {
                assert_eq!(contact.normal, [0.0, 0.0, 1.0], "{degrees} {x}: {contact:?}");
            }
            let plain = all_contacts(&model, &touches);
            corrected += plain.iter().filter(|contact| contact.normal[2] < 0.0).count();
        }
    }
    assert!(corrected > 100, "{corrected}");
}

/// Where tread and riser are tiled differently, nothing is one face across the nose; normals there are between those of the two all the
/// same.
#[test]
fn normals_at_a_nose_of_t_junctions_are_between_its_faces() {
    let tread = [0.0f32, 1.0, 2.0, 3.0]
        .windows(2)
        .flat_map(|y| quad([1.0, y[0], 0.75], [2.0, y[0], 0.75], [2.0, y[1], 0.75], [1.0, y[1], 0.75]));
    let riser = [0.0f32, 0.7, 1.6, 2.3, 3.0]
        .windows(2)
        .flat_map(|y| quad([1.0, y[1], 0.75], [1.0, y[1], 0.25], [1.0, y[0], 0.25], [1.0, y[0], 0.75]));
    let file = compiled(&tread.chain(riser).collect::<Vec<_>>(), true, Quality::Default);
    let model = Model::from_bytes(&file).unwrap();
    let mut at_nose = 0;
    for step in 0..60u8 {
        // Before the riser, and a little below the nose.
        let z = 0.75 - 0.002 * f32::from(step);
        let capsule = Capsule::new([0.83, 0.9, z], [0.83, 2.1, z], 0.18);
        for contact in all_contacts(&model, &Touches::new(&capsule, 0.02).without_seams(ANGLE)) {
            if matches!(contact.feature, Feature::Edge(_)) {
                at_nose += 1;
                assert!(contact.normal[2] > -1e-3 && contact.normal[0] < 0.0, "{contact:?}");
            }
        }
    }
    assert!(at_nose > 50, "{at_nose}");
}

/// Strips of tiles of different sizes: hardly a corner meets one of the next strip.
#[test]
fn a_floor_of_t_junctions_has_no_seams() {
    let mut floor = Vec::new();
    for strip in 0..6u8 {
        let tiles = [1u8, 3, 7, 2, 5, 4][usize::from(strip)];
        let (low, high) = (f32::from(strip) * 0.5, f32::from(strip + 1) * 0.5);
        let at = |k: u8| 3.0 * f32::from(k) / f32::from(tiles);
        for k in 0..tiles {
            let (x, to) = (at(k), at(k + 1));
            floor.extend(quad([x, low, 0.0], [to, low, 0.0], [to, high, 0.0], [x, high, 0.0]));
        }
    }
    let corrected = roll(&floor, [[0.4; 2], [2.6; 2]], [0.0, 0.0, 1.0], |_, _| 0.0);
    assert!(corrected > 500, "{corrected}");
}

/// Stairs along x: five steps, each of four tiles side by side.
fn stairs() -> Vec<Triangle> {
    let mut stairs = Vec::new();
    for step in 0..5u8 {
        let (x, z) = (f32::from(step), 0.5 * f32::from(step));
        for tile in 0..4u8 {
            let (y, to) = (f32::from(tile) * 0.75, f32::from(tile + 1) * 0.75);
            stairs.extend(quad([x, y, z], [x + 1.0, y, z], [x + 1.0, to, z], [x, to, z]));
            if step > 0 {
                stairs.extend(quad([x, to, z - 0.5], [x, to, z], [x, y, z], [x, y, z - 0.5]));
            }
        }
    }
    stairs
}

/// On the treads of stairs, from nose to riser: normals are up or against the riser. Only those at corners of the nose, around
/// which the surface bends, stay as they are.
#[test]
fn treads_have_no_seams() {
    let file = compiled(&stairs(), true, Quality::Default);
    let model = Model::from_bytes(&file).unwrap();
    let (up, back) = ([0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]);
    let mut random = Random::new(4);
    let mut seen = [0; 3];
    for _ in 0..20_000 {
        let step = random.below(5);
        let share = |random: &mut Random| random.below(1 << 20) as f32 / (1 << 20) as f32;
        // From where its centre is above the nose to where the ball is in the riser by a hundredth.
        let nose = step as f32;
        let x = nose + 0.001 + 0.709 * share(&mut random);
        let y = 0.4 + 2.2 * share(&mut random);
        let z = 0.5 * nose + 0.3 - 0.01 * share(&mut random);
        let ball = Ball::new([x, y, z], 0.3);
        for contact in all_contacts(&model, &Touches::new(&ball, 0.02).without_seams(ANGLE)) {
            let is_tread = contact.face_normal[2] > 0.5;
            let at_nose = matches!(contact.feature, Feature::Vertex(_)) && contact.point[0] == nose;
            seen[2] += usize::from(contact.feature != Feature::Face);
            if at_nose {
                continue;
            }
            if is_tread {
                assert!(cosine(contact.normal, up) > 1.0 - 1e-6, "{contact:?}");
                seen[0] += 1;
            } else {
                let is_one =
                    cosine(contact.normal, up) > 1.0 - 1e-6 || cosine(contact.normal, back) > 1.0 - 1e-6;
                assert!(is_one, "{contact:?}");
                seen[1] += 1;
            }
        }
    }
    assert!(seen[0] > 10_000 && seen[1] > 1_000 && seen[2] > 1_000, "{seen:?}");
}

/// At the nose itself a ball may lean over the edge: its normals there are between those of the faces, and stay.
#[test]
fn convex_edges_and_rims_keep_their_normals() {
    let file = compiled(&stairs(), true, Quality::Default);
    let model = Model::from_bytes(&file).unwrap();
    // In front of the fourth step's nose, below it, in contact with the edge.
    let ball = Ball::new([3.0 - 0.2, 1.2, 1.5 + 0.2], 0.3);
    let leaning = |touches: Touches<'_, Ball>| {
        let found = all_contacts(&model, &touches);
        found.iter().filter(|it| it.normal[0] < -0.5 && it.normal[2] > 0.5).count()
    };
    let touches = Touches::new(&ball, 0.001);
    assert!(leaning(touches) > 0);
    assert_eq!(leaning(touches.without_seams(ANGLE)), leaning(touches));
    // With a limit of more than a right angle, all edges are internal.
    assert_eq!(leaning(touches.without_seams(2.0)), 0);
    // Beyond the rim of the floor.
    let ball = Ball::new([-0.2, 1.2, 0.2], 0.3);
    let touches = Touches::new(&ball, 0.001).without_seams(ANGLE);
    assert!(all_contacts(&model, &touches).iter().all(|it| it.normal[0] < -0.5 && it.normal[2] > 0.5));
}

/// Casts name the face across an edge.
#[test]
fn casts_know_what_is_across() {
    let roof = [
        [[0.0, 0.0, 1.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
        [[2.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, -1.0, 0.0f32]],
    ];
    let ball = Ball::new([1.0, 0.0, 3.0], 0.25);
    let cast = bvhc_runtime::ShapeCast::new(&ball, [0.0, 0.0, -3.0]);
    for edges in [true, false] {
        let file = compiled(&roof, edges, Quality::Default);
        let hit = Model::from_bytes(&file).unwrap().cast(&cast).expect("it falls on the ridge");
        assert!(matches!(hit.feature, Feature::Edge(0)), "{hit:?}");
        assert_eq!(hit.across, edges.then_some(1 - hit.triangle));
    }
}
