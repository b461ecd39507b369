//! Shapes that are asked against models, and how they move.

use bvhc_runtime::{Ball, Capsule, ConvexHull, Cuboid, Model, ShapeCast};
use bvhc_tests::random::Random;

use super::model::Scene;
use super::vector::{along, cross, sub, unit};

/// The kinds of shapes.
pub const KINDS: [&str; 4] = ["ball", "capsule", "box", "hull"];

/// A shape of any kind.
pub enum Any {
    Ball { centre: [f32; 3], radius: f32 },
    Capsule { a: [f32; 3], b: [f32; 3], radius: f32 },
    Box { centre: [f32; 3], half: [f32; 3] },
    Hull { points: Vec<[f32; 3]> },
}

/// A shape and its displacement.
pub struct Query {
    pub shape: Any,
    pub displacement: [f32; 3],
}

/// Queries of one kind.
const COUNT: usize = 1000;

/// The size of shapes, relative to the model's.
const SIZE: f32 = 0.01;

/// The size of shapes for which tolerances of peers are made, that are lengths: half a metre.
const USUAL: f32 = 0.5;

/// A power of two: how many times as large peers see the model, so that shapes are not small for them.
pub fn enlargement(scene: &Scene) -> f32 {
    (USUAL / (SIZE * scene.size())).log2().ceil().max(0.0).exp2()
}

/// The largest distance of overlapping shapes' centres from the surface, relative to the shape's size.
const REACH: f32 = 1.5;

/// Shapes that move from anywhere in the model's bounds, enlarged by 1.2, past a point of the surface.
pub fn casts(scene: &Scene, kind: usize) -> Vec<Query> {
    let mut random = Random::new(11);
    let (bounds, centre) = (scene.model().bounds(), scene.centre());
    let [low, high] = [bounds.min, bounds.max].map(|corner| along(centre, 1.2, sub(corner, centre)));
    let size = SIZE * scene.size();
    let query = |_| {
        let from = random.point(low, high);
        let [a, b, c] = scene.mesh.corners(random.below(scene.mesh.triangles.len() as u32));
        let target = along(along(a, random.f32(0.0, 0.5), sub(b, a)), random.f32(0.0, 0.5), sub(c, a));
        let displacement = sub(target, from).map(|x| 1.5 * x);
        Query { shape: any(&mut random, kind, from, size), displacement }
    };
    (0..COUNT).map(query).collect()
}

/// Shapes near the surface, of which about half touch it.
pub fn overlaps(scene: &Scene, kind: usize) -> Vec<Query> {
    let mut random = Random::new(12);
    let size = SIZE * scene.size();
    let query = |_| {
        let [a, b, c] = scene.mesh.corners(random.below(scene.mesh.triangles.len() as u32));
        let (ab, ac) = (sub(b, a), sub(c, a));
        let on = along(along(a, random.f32(0.0, 0.5), ab), random.f32(0.0, 0.5), ac);
        let at = along(on, random.f32(-REACH, REACH) * size, unit(cross(ab, ac)));
        Query { shape: any(&mut random, kind, at, size), displacement: [0.0; 3] }
    };
    (0..COUNT).map(query).collect()
}

fn any(random: &mut Random, kind: usize, centre: [f32; 3], size: f32) -> Any {
    let around = |random: &mut Random, by: f32| random.point(centre.map(|x| x - by), centre.map(|x| x + by));
    match KINDS[kind] {
        "ball" => Any::Ball { centre, radius: size },
        "capsule" => Any::Capsule { a: centre, b: around(random, size), radius: 0.5 * size },
        "box" => Any::Box { centre, half: [size, 0.7 * size, 0.4 * size] },
        _ => Any::Hull { points: (0..16).map(|_| around(random, size)).collect() },
    }
}

impl Query {
    /// The same, everything `factor` times as large.
    pub fn scaled(&self, factor: f32) -> Self {
        let scaled = |point: &[f32; 3]| point.map(|x| factor * x);
        let shape = match &self.shape {
            Any::Ball { centre, radius } => Any::Ball { centre: scaled(centre), radius: factor * radius },
            Any::Capsule { a, b, radius } => {
                Any::Capsule { a: scaled(a), b: scaled(b), radius: factor * radius }
            }
            Any::Box { centre, half } => Any::Box { centre: scaled(centre), half: scaled(half) },
            Any::Hull { points } => Any::Hull { points: points.iter().map(scaled).collect() },
        };
        Self { shape, displacement: scaled(&self.displacement) }
    }

    /// As bvhc has it.
    pub fn placed(&self) -> Placed<'_> {
        let shape = match &self.shape {
            Any::Ball { centre, radius } => Own::Ball(Ball::new(*centre, *radius)),
            Any::Capsule { a, b, radius } => Own::Capsule(Capsule::new(*a, *b, *radius)),
            Any::Box { centre, half } => Own::Box(Cuboid::new(*centre, *half)),
            Any::Hull { points } => Own::Hull(ConvexHull::new(points, 0.0)),
        };
        Placed { shape, displacement: self.displacement }
    }
}

/// A query of bvhc. Hulls are made beforehand, as those of peers are.
pub struct Placed<'a> {
    shape: Own<'a>,
    displacement: [f32; 3],
}

enum Own<'a> {
    Ball(Ball),
    Capsule(Capsule),
    Box(Cuboid),
    Hull(ConvexHull<'a>),
}

impl Placed<'_> {
    /// The time of the first contact; infinity without one.
    pub fn cast(&self, model: &Model<'_>) -> f64 {
        let by = self.displacement;
        let hit = match &self.shape {
            Own::Ball(ball) => model.cast(&ShapeCast::new(ball, by)),
            Own::Capsule(capsule) => model.cast(&ShapeCast::new(capsule, by)),
            Own::Box(cuboid) => model.cast(&ShapeCast::new(cuboid, by)),
            Own::Hull(hull) => model.cast(&ShapeCast::new(hull, by)),
        };
        hit.map_or(f64::INFINITY, |hit| hit.t)
    }

    /// Whether the shape touches the model.
    pub fn overlaps(&self, model: &Model<'_>) -> bool {
        match &self.shape {
            Own::Ball(ball) => model.overlaps(ball),
            Own::Capsule(capsule) => model.overlaps(capsule),
            Own::Box(cuboid) => model.overlaps(cuboid),
            Own::Hull(hull) => model.overlaps(hull),
        }
    }
}
