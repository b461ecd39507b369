//! Shapes in worlds, against tests of every triangle's image in f64: what touches is decided by [`Shape::touches`] and
//! [`Shape::touches_during`], which the runtime's own tests hold to integers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use bvhc::compile::{Options, Quality};
use bvhc::mesh::Mesh;
use bvhc_runtime::{
    Ball, Capsule, Contact, ConvexHull, Cuboid, Cylinder, Displacement, InstanceFilter, Level, Model, Shape,
    ShapeCast, Sides, StartContact, Touches, TriangleFilter, TriangleShape, World, WorldContact,
};
use bvhc_tests::oracle::gap;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere, terrain};
use bvhc_tests::support::queries::Queries;
use bvhc_tests::support::world::{Placed, compiled_world};
use bvhc_tests::support::{levels, scenes};

use super::with_world;

type Point = [f64; 3];

/// A triangle in the world: its instance, its number, and its corners, front outside.
type Image = (u32, u32, [Point; 3]);

const ROOM: usize = 1 << 14;

/// Every triangle of a world in f64.
fn images(world: &World<'_>, meshes: &[&Mesh]) -> Vec<Image> {
    let mut images = Vec::new();
    for instance in world.instances() {
        let (similarity, mesh) = (instance.similarity(), meshes[instance.mesh() as usize]);
        for triangle in 0..mesh.triangles.len() as u32 {
            let [a, b, c] = mesh.corners(triangle).map(|corner| similarity.apply(corner.map(f64::from)));
            let corners = if similarity.mirrors() { [a, c, b] } else { [a, b, c] };
            images.push((instance.number(), triangle, corners));
        }
    }
    images
}

/// One of all kinds of shapes.
pub(super) enum Any {
    Ball(Ball),
    Capsule(Capsule),
    Cuboid(Cuboid),
    Cylinder(Cylinder),
    Triangle(TriangleShape),
    Hull(Vec<[f32; 3]>, f32),
}

impl Any {
    /// A shape at a point, of about a size.
    pub(super) fn new(kind: u32, start: [f32; 3], size: f32, random: &mut Random) -> Self {
        let mut near = || random.point(start.map(|x| x - size), start.map(|x| x + size));
        let (a, b) = (near(), near());
        match kind % 6 {
            0 => Self::Ball(Ball::new(start, 0.5 * size)),
            1 => Self::Capsule(Capsule::new(start, a, 0.3 * size)),
            2 => {
                let half: [f32; 3] = std::array::from_fn(|k| (a[k] - start[k]).abs());
                let turned = [[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]];
                let cuboid = Cuboid::new(start, half);
                Self::Cuboid(if b[0] > start[0] {
                    cuboid
                } else {
                    cuboid.rotated(turned).expect("a rotation")
                })
            }
            3 => Self::Cylinder(Cylinder::new(start, a, 0.3 * size)),
            4 => Self::Triangle(TriangleShape::new([start, a, b])),
            _ => Self::Hull(vec![start, a, b, near()], 0.1 * size),
        }
    }

    pub(super) fn with<R>(&self, ask: impl FnOnce(&dyn Shape) -> R) -> R {
        match self {
            Self::Ball(shape) => ask(shape),
            Self::Capsule(shape) => ask(shape),
            Self::Cuboid(shape) => ask(shape),
            Self::Cylinder(shape) => ask(shape),
            Self::Triangle(shape) => ask(shape),
            Self::Hull(points, radius) => ask(&ConvexHull::new(points, *radius)),
        }
    }
}

fn overlap(world: &World<'_>, shape: &dyn Shape) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let _ = world.overlap(&shape, |it| {
        found.push((it.instance, it.overlap.triangle));
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    found
}

/// Whether a shape overlaps what it touches, no more and no less.
fn check_overlap(world: &World<'_>, images: &[Image], shape: &dyn Shape) -> usize {
    let touched = images.iter().filter(|image| shape.touches(&image.2, &Displacement::NONE));
    let wanted: Vec<(u32, u32)> = touched.map(|(instance, triangle, _)| (*instance, *triangle)).collect();
    assert_eq!(overlap(world, shape), wanted);
    assert_eq!(world.overlaps(&shape), !wanted.is_empty());
    let mut odd = TriangleFilter(|_, triangle| triangle % 2 == 1);
    assert_eq!(world.overlaps_with(&shape, &mut odd), wanted.iter().any(|(_, triangle)| triangle % 2 == 1));
    wanted.len()
}

/// Whether a cast touches nothing before its time, something soon after it, and nothing is missed.
fn check_cast(world: &World<'_>, images: &[Image], shape: &dyn Shape, displacement: [f32; 3]) -> bool {
    let cast = ShapeCast::new(&shape, displacement);
    let (first, all) = (world.cast(&cast), Displacement::new(1.0, displacement));
    assert_eq!(world.cast_any(&cast), first.is_some());
    let mut hits = BTreeMap::new();
    let _ = world.all_casts(&cast, |found| {
        assert!(hits.insert((found.instance, found.hit.triangle), found.hit.t).is_none(), "each once");
        ControlFlow::Continue(())
    });
    let earliest = hits.values().copied().min_by(f64::total_cmp);
    assert_eq!(earliest, first.map(|found| found.hit.t));
    let from_start = first.is_some_and(|found| found.hit.depth.is_some());
    for (instance, triangle, corners) in images {
        let hit = hits.get(&(*instance, *triangle));
        // Cylinders do not know what they touch on their way, but touch nothing more.
        match shape.touches_during(corners, &all) {
            Some(is_met) => assert_eq!(hit.is_some(), is_met, "{instance} {triangle}"),
            None => assert!(!shape.touches(corners, &all) || hit.is_some()),
        }
        if let Some(first) = first.filter(|_| !from_start) {
            let before = Displacement::new(first.hit.t, displacement);
            assert!(!shape.touches(corners, &before), "{instance} {triangle} at {}", first.hit.t);
            assert!(shape.touches_during(corners, &before) != Some(true), "{instance} {triangle} before");
        }
    }
    let Some(first) = first else { return false };
    let (_, _, corners) = images
        .iter()
        .find(|image| (image.0, image.1) == (first.instance, first.hit.triangle))
        .expect("it is a triangle of the world");
    assert_eq!(from_start, shape.touches(corners, &Displacement::NONE));
    let face = first.hit.face_normal.map(f64::from);
    assert!(dot(face, normal(corners)) > 0.999 * dot(face, face), "fronts stay fronts");
    let seen = [Sides::Front, Sides::Back].map(|sides| world.cast(&cast.with_sides(sides)));
    let earliest = seen.iter().flatten().map(|found| found.hit.t).min_by(f64::total_cmp);
    assert!(earliest.is_none_or(|t| t >= first.hit.t));
    for (found, sign) in seen.iter().zip([-1.0, 1.0]) {
        let is_of_side = |t: &bvhc_runtime::WorldCast| {
            sign * dot(t.hit.face_normal.map(f64::from), displacement.map(f64::from)) >= -1e-6
        };
        assert!(found.as_ref().is_none_or(is_of_side));
    }
    true
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn normal([a, b, c]: &[Point; 3]) -> Point {
    let sub = |p: &Point, q: &Point| [0, 1, 2].map(|axis| p[axis] - q[axis]);
    let ([ux, uy, uz], [vx, vy, vz]) = (sub(b, a), sub(c, a));
    let normal = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    let length = dot(normal, normal).sqrt();
    normal.map(|x| x / length)
}

/// Whether contacts are with all triangles within a margin, with gaps that say whether they are touched, in order.
fn check_contacts(world: &World<'_>, images: &[Image], shape: &dyn Shape, margin: f32, slack: f64) -> usize {
    let touches = Touches::new(&shape, margin);
    let mut contacts = vec![WorldContact::NONE; ROOM];
    let count = world.contacts(&touches, &mut contacts).expect("there is room");
    assert!(contacts[..count].is_sorted_by_key(|it| it.contact.gap));
    let mut least: BTreeMap<(u32, u32), f32> = BTreeMap::new();
    for WorldContact { instance, contact } in &contacts[..count] {
        let held = least.entry((*instance, contact.triangle)).or_insert(f32::INFINITY);
        *held = held.min(contact.gap);
    }
    for (instance, triangle, corners) in images {
        let found = least.get(&(*instance, *triangle));
        let is_touched = shape.touches(corners, &Displacement::NONE);
        assert_eq!(found.is_some_and(|gap| *gap <= 0.0), is_touched, "{instance} {triangle}");
        assert!(found.is_none_or(|gap| *gap <= margin));
        // A shape that is larger by the margin touches what is within.
        let beyond = |by: f64| gap_of_ball(shape, corners).map(|gap| gap - f64::from(margin) > by);
        if let Some(is_far) = beyond(slack) {
            assert!(!is_far || found.is_none(), "{instance} {triangle} is too far");
            assert!(beyond(-slack) != Some(false) || found.is_some(), "{instance} {triangle} is missing");
        }
    }
    let mut fewer = contacts.clone();
    let kept = world.manifold(&touches, &mut fewer).expect("there is room");
    assert!(kept <= count && fewer[..kept].iter().all(|it| contacts[..count].contains(it)));
    count
}

/// The distance of a shape whose core is a point from a triangle.
fn gap_of_ball(shape: &dyn Shape, corners: &[Point; 3]) -> Option<f64> {
    let [lower, upper] = shape.core_bounds();
    (lower == upper).then(|| gap::of_triangles([lower; 3], *corners) - shape.radius())
}

/// Asks a world of instances at any rotation and scale, apart, overlapping and far from the origin.
#[test]
fn shapes_meet_the_images_of_all_triangles() {
    let meshes = [icosphere::displaced(2, 0.2, 1), terrain::terrain(5, 6, 2), grid::cubes([2, 1, 1])];
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let mut found = [0; 3];
    for (count, range, seed) in [(3, 2.0, 1), (24, 8.0, 2), (10, 900.0, 3)] {
        let mut random = Random::new(seed);
        let placed: Vec<Placed> =
            (0..count).map(|number| Placed::any(number % 3, range, false, &mut random)).collect();
        let file = compiled_world(&meshes, &placed, &Options::default());
        for (index, level) in levels().into_iter().enumerate() {
            with_world(&file, level, |world| {
                let images = images(world, &meshes);
                let mut random = Random::new(seed + 10 + index as u64);
                for kind in 0..36 {
                    let (_, _, corners) = &images[random.below(images.len() as u32) as usize];
                    let size = [1e-3, 0.2, 1.0, 4.0][random.below(4) as usize];
                    let at = random.point([-1.5; 3], [1.5; 3]);
                    let start = [0, 1, 2].map(|axis| corners[0][axis] as f32 + size * at[axis]);
                    let away = random.point([-4.0; 3], [4.0; 3]);
                    let shape = Any::new(kind, start, size, &mut random);
                    shape.with(|shape| {
                        found[0] += check_overlap(world, &images, shape);
                        found[1] += usize::from(check_cast(world, &images, shape, away));
                        found[2] += check_contacts(world, &images, shape, 0.25 * size, range * 1e-9);
                    });
                    // From far away to about the triangle.
                    let far = away.map(|x| x * 1e3);
                    let from = [0, 1, 2].map(|axis| start[axis] - far[axis]);
                    let shape = Any::new(kind, from, size, &mut random);
                    shape.with(|shape| check_cast(world, &images, shape, far.map(|x| 1.5 * x)));
                }
            });
        }
    }
    assert!(found[0] > 200 && found[1] > 60 && found[2] > 500, "{found:?}");
}

/// Meshes whose corners f32 holds in the world: touching is exact, from the front and from behind.
#[test]
fn touching_is_exact() {
    let cube = grid::cubes([1, 1, 1]);
    let mut random = Random::new(4);
    let placed: Vec<Placed> = (0..20).map(|_| Placed::exact(0, 6, false, &mut random)).collect();
    let file = compiled_world(&[&cube], &placed, &Options::default());
    for level in levels() {
        with_world(&file, level, |world| {
            let images = images(world, &[&cube]);
            // Nothing is farther away than an infinite margin.
            let mut near = BTreeSet::new();
            let _ = world.touches(&Touches::new(&Ball::new([0.5; 3], 0.25), f32::INFINITY), |it| {
                near.insert((it.instance, it.contact.triangle));
                ControlFlow::Continue(())
            });
            assert_eq!(near.len(), images.len());
            for (_, _, corners) in &images {
                // A ball that touches a face at one point.
                let middle = [0, 1, 2].map(|axis| 0.5 * (corners[0][axis] + corners[1][axis]));
                let radius = 0.75;
                let centre = [0, 1, 2].map(|axis| (middle[axis] + radius * normal(corners)[axis]) as f32);
                let touching = Ball::new(centre, radius as f32);
                check_overlap(world, &images, &touching);
                assert!(touching.touches(corners, &Displacement::NONE));
                let apart = Ball::new(centre, (radius as f32).next_down());
                check_overlap(world, &images, &apart);
                assert!(!apart.touches(corners, &Displacement::NONE));
            }
        });
    }
}

fn bits(contact: &Contact) -> impl PartialEq + std::fmt::Debug + use<> {
    let Contact { point, normal, gap, feature, face_normal, triangle } = *contact;
    ([point, normal, face_normal].map(|of| of.map(f32::to_bits)), gap.to_bits(), feature, triangle)
}

/// Everything that a model says of a shape, a world of it where it is says, too.
fn compare(world: &World<'_>, model: &Model<'_>, shape: &dyn Shape, displacement: [f32; 3], margin: f32) {
    let mut own = Vec::new();
    let _ = model.overlap(&shape, |it| {
        own.push(it);
        ControlFlow::Continue(())
    });
    let mut its = Vec::new();
    let _ = world.overlap(&shape, |it| {
        its.push(it.overlap);
        ControlFlow::Continue(())
    });
    assert_eq!(its, own);
    for start in [StartContact::Report, StartContact::IfClosing, StartContact::Ignore] {
        for sides in [Sides::Both, Sides::Front] {
            let cast = ShapeCast::new(&shape, displacement).with_start(start).with_sides(sides);
            assert_eq!(world.cast(&cast).map(|found| found.hit), model.cast(&cast));
            assert_eq!(world.cast_any(&cast), model.cast_any(&cast));
        }
    }
    let cast = ShapeCast::new(&shape, displacement).with_t_max(f64::INFINITY);
    let (mut own, mut its) = (Vec::new(), Vec::new());
    let _ = model.all_casts(&cast, |hit| {
        own.push(*hit);
        ControlFlow::Continue(())
    });
    let _ = world.all_casts(&cast, |found| {
        its.push(found.hit);
        ControlFlow::Continue(())
    });
    assert_eq!(its, own);
    for touches in [Touches::new(&shape, margin), Touches::new(&shape, margin).without_seams(0.2)] {
        let (mut own, mut its) = (vec![Contact::NONE; ROOM], vec![WorldContact::NONE; ROOM]);
        let (listed, counted) = (model.contacts(&touches, &mut own), world.contacts(&touches, &mut its));
        assert_eq!(listed, counted);
        let Ok(count) = counted else { continue };
        assert!(own[..count].iter().map(bits).eq(its[..count].iter().map(|it| bits(&it.contact))));
        let (own_kept, kept) = (model.manifold(&touches, &mut own), world.manifold(&touches, &mut its));
        assert_eq!(own_kept, kept);
        let kept = kept.expect("there was room for all");
        assert!(own[..kept].iter().map(bits).eq(its[..kept].iter().map(|it| bits(&it.contact))));
    }
}

#[test]
fn a_world_of_one_mesh_answers_as_the_mesh() {
    for (scene, quality) in scenes(1).into_iter().zip([Quality::Default, Quality::Best].into_iter().cycle()) {
        let options = Options { quality, edges: true, ..Options::default() };
        let file = compiled_world(&[&scene.mesh], &[Placed::identity(0)], &options);
        for level in levels() {
            let model = Model::from_bytes(&file).expect("it opens").with_level(level);
            with_world(&file, level, |world| {
                let (mut queries, mut random) = (Queries::new(&scene.mesh, 7), Random::new(8));
                for kind in 0..24 {
                    let size = queries.size() * [0.0, 1e-3, 0.02][random.below(3) as usize];
                    let (start, end) = (queries.point(), queries.point());
                    let displacement = match kind % 5 {
                        0 => [0.0; 3],
                        _ => [0, 1, 2].map(|axis| end[axis] - start[axis]),
                    };
                    let shape = Any::new(kind, start, size, &mut random);
                    shape.with(|shape| compare(world, &model, shape, displacement, 0.1 * size));
                }
            });
        }
    }
}

/// Asks for contacts at all seams of a mirrored, turned and scaled floor: what the mesh says, transformed.
#[test]
fn seams_and_features_are_those_of_the_mesh() {
    let floor = terrain::terrain(6, 6, 3);
    let options = Options { edges: true, ..Options::default() };
    let placed = [false, true].map(|mirror| Placed {
        position: [16.0, -8.0, 4.0],
        rotation: [0.5, 0.5, -0.5, 0.5],
        scale: 2.0,
        mirror,
        ..Placed::identity(0)
    });
    let file = compiled_world(&[&floor], &placed, &options);
    with_world(&file, levels()[0], |world| {
        let model = *world.mesh(0).expect("it is there");
        let mut random = Random::new(5);
        let mut found = 0;
        for round in 0..200 {
            // Near corners, edges and faces; numbers that f32 holds in both spaces.
            let [a, b, c] = floor.corners(random.below(floor.triangles.len() as u32));
            let weights = [[1.0, 0.0], [0.5, 0.5], [0.25, 0.25]][round % 3];
            let middle = |axis: usize| {
                weights[0] * a[axis] + weights[1] * b[axis] + (1.0 - weights[0] - weights[1]) * c[axis]
            };
            let rounded = |x: f32| (x * 4096.0).round() / 4096.0;
            let side = if round % 2 == 0 { 0.0625 } else { -0.0625 };
            let centre = [rounded(middle(0)), rounded(middle(1)), rounded(middle(2)) + side];
            let own = Ball::new(centre, 0.0625);
            for instance in 0..2 {
                let similarity = world.instance(instance).expect("it is there").similarity();
                let its = Ball::new(similarity.apply(centre.map(f64::from)).map(|x| x as f32), 0.125);
                for angle in [0.01, 0.5] {
                    let mut wanted = vec![Contact::NONE; ROOM];
                    let touches = Touches::new(&own, 0.03125).without_seams(angle);
                    let count = model.contacts(&touches, &mut wanted).expect("there is room");
                    let mut contacts = BTreeMap::new();
                    let mut only = InstanceFilter(|number| number == instance);
                    let touches = Touches::new(&its, 0.0625).without_seams(angle);
                    let _ = world.touches_with(&touches, &mut only, |it| {
                        contacts.insert(
                            (it.contact.triangle, it.contact.point.map(|x| (x * 256.0) as i32)),
                            it.contact,
                        );
                        ControlFlow::Continue(())
                    });
                    found += count;
                    for wanted in &wanted[..count] {
                        let point = similarity.apply(wanted.point.map(f64::from));
                        let near = contacts.values().find(|it| {
                            it.triangle == wanted.triangle
                                && (0..3).all(|axis| (f64::from(it.point[axis]) - point[axis]).abs() < 1e-5)
                        });
                        let near = near.unwrap_or_else(|| panic!("{wanted:?} is missing"));
                        assert_eq!(near.feature, wanted.feature);
                        assert!((near.gap - 2.0 * wanted.gap).abs() < 1e-6);
                        for (its, own) in
                            [(near.normal, wanted.normal), (near.face_normal, wanted.face_normal)]
                        {
                            let own = similarity.transform_normal(own);
                            assert!(
                                (0..3).all(|axis| (its[axis] - own[axis]).abs() < 1e-4),
                                "{its:?} {own:?}"
                            );
                        }
                    }
                }
            }
        }
        assert!(found > 1000, "{found}");
    });
}

/// The same mesh in the same place several times: the lowest instance answers.
#[test]
fn ties_go_to_the_lowest_instance() {
    let cube = grid::cubes([1, 1, 1]);
    let placed: Vec<Placed> = [Placed { position: [9.0; 3], layers: 2, ..Placed::identity(0) }]
        .into_iter()
        .chain([Placed::identity(0); 20])
        .collect();
    let file = compiled_world(&[&cube], &placed, &Options::default());
    let ball = Ball::new([0.25, 0.5, 5.0], 0.25);
    let cast = ShapeCast::new(&ball, [0.0, 0.0, -6.0]);
    let inside = Ball::new([0.25, 0.5, 1.0], 0.25);
    for level in levels() {
        with_world(&file, level, |world| {
            let first = world.cast(&cast).map(|found| (found.instance, found.hit.triangle));
            let model = world.mesh(0).expect("it is there");
            assert_eq!(first, model.cast(&cast).map(|hit| (1, hit.triangle)));
            let mut others = InstanceFilter(|instance| instance != 1);
            assert_eq!(world.cast_with(&cast, &mut others).map(|found| found.instance), Some(2));
            assert!(!world.cast_any_with(&cast, &mut InstanceFilter(|instance| instance == 0)));
            assert!(world.with_layers(2).cast(&cast).is_none());
            assert!(!world.with_layers(2).overlaps(&inside) && world.with_layers(1).overlaps(&inside));
            let mut contacts = [WorldContact::NONE; 200];
            let count = world.contacts(&Touches::new(&inside, 0.0), &mut contacts).expect("there is room");
            let by_number = |it: &WorldContact| (it.instance, it.contact.triangle);
            for pair in contacts[..count].windows(2) {
                let is_equal = (pair[0].contact.gap, pair[0].contact.point)
                    == (pair[1].contact.gap, pair[1].contact.point);
                assert!(!is_equal || by_number(&pair[0]) < by_number(&pair[1]));
            }
            let too_short = world.contacts(&Touches::new(&inside, 0.0), &mut contacts[..1]);
            assert_eq!(too_short.map_err(|error| error.needed), Err(count));
        });
    }
}

/// All levels say the same, to the last bit.
#[test]
fn levels_answer_alike() {
    let meshes = [icosphere::displaced(3, 0.2, 1), terrain::terrain(6, 7, 2)];
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let mut random = Random::new(6);
    let placed: Vec<Placed> =
        (0..40).map(|number| Placed::any(number % 2, 10.0, false, &mut random)).collect();
    let file = compiled_world(&meshes, &placed, &Options { edges: true, ..Options::default() });
    let answers = |level: Level| {
        with_world(&file, level, |world| {
            let mut random = Random::new(7);
            let mut answers = Vec::new();
            for kind in 0..60 {
                let (start, size) = (random.point([-9.0; 3], [9.0; 3]), [0.1, 1.0][random.below(2) as usize]);
                let away = random.point([-9.0; 3], [9.0; 3]);
                Any::new(kind, start, size, &mut random).with(|shape| {
                    let cast = world.cast(&ShapeCast::new(&shape, away)).map(|found| {
                        let bits = found.hit.point.map(f32::to_bits);
                        (found.instance, found.hit.triangle, found.hit.t.to_bits(), bits)
                    });
                    let mut contacts = vec![WorldContact::NONE; ROOM];
                    let count = world.contacts(&Touches::new(&shape, 0.2).without_seams(0.1), &mut contacts);
                    contacts.truncate(count.expect("there is room"));
                    let contacts: Vec<_> =
                        contacts.iter().map(|it| (it.instance, format!("{:?}", bits(&it.contact)))).collect();
                    answers.push((overlap(world, shape), cast, contacts));
                });
            }
            answers
        })
    };
    let first = answers(levels()[0]);
    for level in levels() {
        assert!(answers(level) == first, "{}", level.name());
    }
}
