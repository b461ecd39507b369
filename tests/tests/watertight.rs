//! No ray passes through a closed mesh, wherever on an edge or a vertex it is aimed.
//!
//! Targets are on the surface; each ray passes from outside through its target to a point well inside, or
//! starts there. So it must hit, and no later than at its target: the far side would be a leak.

use bvhc::compile::Quality;
use bvhc::file::Bytes;
use bvhc::mesh::Mesh;
use bvhc_runtime::{Level, Model, Ray};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere, tips};
use bvhc_tests::support::stored::stored;
use bvhc_tests::support::trial::Trial;
use bvhc_tests::support::{Scene, compiled, is_long, levels};

/// Rays for each mesh, in all its files: with 6 meshes a million, or a hundred million where `BVHC_LONG` is 1.
fn budget() -> u32 {
    if is_long() { 17_000_000 } else { 200_000 }
}

/// How far after its target, relative to the distance between target and inside, a hit may be.
const LATE: f32 = 0.05;

/// A closed mesh, and for each triangle a ball inside the mesh from which the whole triangle is visible.
struct Closed<'a> {
    mesh: Mesh,
    /// Centre and radius of a triangle's ball.
    inside: &'a dyn Fn(u32) -> ([f32; 3], f32),
}

/// The aim of a ray: through a point of the surface, into the ball behind it.
struct Aim {
    target: [f32; 3],
    inside: [f32; 3],
}

impl Closed<'_> {
    fn aim(&self, random: &mut Random, mesh: &Mesh, triangle: u32, place: [f32; 2]) -> Aim {
        let [a, b, c] = mesh.corners(triangle);
        let [u, v] = place;
        let target = [0, 1, 2].map(|axis| a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]));
        let (centre, radius) = (self.inside)(triangle);
        let offset = random.direction().map(|x| x * radius * random.f32(0.0, 1.0));
        Aim { target, inside: [0, 1, 2].map(|axis| centre[axis] + offset[axis]) }
    }

    /// Every quality, in both layouts, and with split triangles.
    fn check(self, seed: u64) {
        let trials = Trial::of(&Scene::new("closed", self.mesh.clone()));
        let files: Vec<_> = trials.iter().flat_map(|trial| &trial.files).collect();
        for file in &files {
            self.check_file(file, seed, budget() / files.len() as u32);
        }
    }

    /// Vertices, edge midpoints, other points of edges, of all triangles cyclically, until the budget is spent.
    fn check_file(&self, file: &Bytes, seed: u64, budget: u32) {
        let model = Model::from_bytes(file).expect("the compiler's file opens");
        // A small layout moves vertices, but by too little to matter for the ball inside.
        let mesh = stored(&model);
        let (levels, mut random) = (levels(), Random::new(seed));
        let (count, mut rays) = (mesh.triangles.len() as u32, 0);
        while rays < budget {
            for triangle in 0..count {
                for place in places(&mut random) {
                    let aim = self.aim(&mut random, &mesh, triangle, place);
                    let level = levels[rays as usize / 5 % levels.len()];
                    rays += shoot(&model, level, &mut random, &aim);
                }
            }
        }
    }
}

/// Weights of the second and third corner: each corner, each edge's midpoint, a random point of each edge.
fn places(random: &mut Random) -> [[f32; 2]; 9] {
    let [r, s, t] = [0; 3].map(|_| random.f32(0.0, 1.0));
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.0, 0.5], [0.5, 0.5], [r, 0.0], [0.0, s], [t, 1.0 - t]]
}

/// From nearby, from afar and from 10,000 times the model's size away, from inside, and from inside in whole steps;
/// returns the number of rays.
fn shoot(model: &Model<'_>, level: Level, random: &mut Random, aim: &Aim) -> u32 {
    let model = model.with_level(level);
    let outward = [0, 1, 2].map(|axis| aim.target[axis] - aim.inside[axis]);
    for steps in [random.f32(0.1, 2.0), random.f32(10.0, 1000.0), random.f32(1000.0, 20_000.0)] {
        let origin = [0, 1, 2].map(|axis| aim.target[axis] + steps * outward[axis]);
        let direction = [0, 1, 2].map(|axis| aim.target[axis] - origin[axis]);
        expect_hit(&model, &Ray::new(origin, direction), 1.0 + LATE / steps);
    }
    expect_hit(&model, &Ray::new(aim.inside, outward), 1.0 + LATE);
    let whole = outward.map(|x| (x * 64.0).round());
    if whole != [0.0; 3] {
        assert!(model.any_hit(&Ray::new(aim.inside, whole)), "{} {aim:?} {whole:?}", level.name());
    }
    5
}

fn expect_hit(model: &Model<'_>, ray: &Ray, limit: f32) {
    let hit = model.closest_hit(ray);
    assert!(hit.is_some_and(|hit| hit.t <= limit), "{}: {ray:?} {hit:?}", model.level().name());
    assert!(model.any_hit(ray), "{}: {ray:?}", model.level().name());
}

impl std::fmt::Debug for Aim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "from {:?} through {:?}", self.inside, self.target)
    }
}

/// A mesh that is entirely visible from its centre.
fn check_star(mesh: Mesh, centre: [f32; 3], radius: f32, seed: u64) {
    Closed { mesh, inside: &|_| (centre, radius) }.check(seed);
}

#[test]
fn displaced_icosphere() {
    // 720 triangles, so that one round of them is a file's budget; the radius is at least 0.8.
    check_star(icosphere::displaced(6, 0.1, 1), [0.0; 3], 0.3, 2);
}

#[test]
fn icosphere_of_few_faces() {
    check_star(icosphere::icosphere(1), [0.0; 3], 0.4, 3);
}

#[test]
fn big_flat_faces_far_from_the_origin() {
    let mut mesh = grid::cubes([1, 1, 1]);
    for position in &mut mesh.positions {
        *position = [0, 1, 2].map(|axis| [1000.7, -333.3, 0.1][axis] + 777.7 * position[axis]);
    }
    check_star(mesh, [1389.0, 55.0, 389.0], 200.0, 4);
}

/// A spike whose tip becomes a triangle without area in a small layout.
#[test]
fn flattened_tips() {
    check_star(tips::tip(1e-6), [0.0, 0.0, 0.2], 0.05, 8);
}

#[test]
fn tiny_icosphere() {
    let mut mesh = icosphere::displaced(8, 0.1, 5);
    mesh.positions.as_flattened_mut().iter_mut().for_each(|x| *x *= 1e-15);
    check_star(mesh, [0.0; 3], 3e-16, 6);
}

/// Cubes side by side, each closed; edges are axis-parallel and inner walls are doubled.
#[test]
fn cubes() {
    let count = [5, 4, 3];
    let centre = |triangle: u32| {
        let cube = triangle / 12;
        let cell = [cube % count[0], cube / count[0] % count[1], cube / count[0] / count[1]];
        (cell.map(|x| x as f32 + 0.5), 0.3)
    };
    Closed { mesh: grid::cubes(count), inside: &centre }.check(7);
}

/// Axis-parallel rays exactly along the edges and through the vertices of a cube, from both sides.
#[test]
fn along_the_edges_of_a_cube() {
    let file = compiled(&grid::cubes([1, 1, 1]), Quality::Default);
    let model = Model::from_bytes(&file).expect("the compiler's file opens");
    for level in levels() {
        for bits in 0..8u32 {
            for axis in 0..3 {
                for forward in [1.0, -1.0] {
                    let mut origin = [0, 1, 2].map(|axis| (bits >> axis & 1) as f32);
                    let mut direction = [0.0; 3];
                    (origin[axis], direction[axis]) = (0.5 - 3.0 * forward, forward);
                    let hit = model.with_level(level).closest_hit(&Ray::new(origin, direction));
                    assert_eq!(hit.map(|hit| hit.t), Some(2.5), "{} {origin:?} {direction:?}", level.name());
                }
            }
        }
    }
}
