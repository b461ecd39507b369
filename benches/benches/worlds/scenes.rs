//! The worlds that rays and meshes are asked of.

use bvhc::mesh::Mesh;
use bvhc_tests::random::Random;
use bvhc_tests::scene::{icosphere, mesh, town, tree};
use bvhc_tests::support::world::Placed;

/// Meshes, and where they are.
pub(super) struct Scene {
    pub(super) meshes: Vec<Mesh>,
    pub(super) placed: Vec<Placed>,
}

type Make = fn() -> Scene;

/// All worlds, by name.
pub(super) const ALL: [(&str, Make); 7] = [
    ("town", districts),
    ("forest-1000", || forest(1000)),
    ("forest-100000", || forest(100_000)),
    ("debris", debris),
    ("disjoint-10", || disjoint(10)),
    ("disjoint-1000", || disjoint(1000)),
    ("disjoint-100000", || disjoint(100_000)),
];

/// Ten districts of a town of 45,132 triangles, turned about z, whose margins overlap.
fn districts() -> Scene {
    let mut random = Random::new(11);
    let place = |number: usize| {
        let position = [130.0 * (number % 5) as f64, 130.0 * (number / 5) as f64, 0.0];
        Placed { position, rotation: about_z(&mut random), ..Placed::identity(0) }
    };
    Scene { meshes: vec![town::town(4, 3, 1)], placed: (0..10).map(place).collect() }
}

/// A quaternion of a random turn about z.
fn about_z(random: &mut Random) -> [f64; 4] {
    let [x, y] = [0; 2].map(|_| random.unit() - 0.5 + 1e-3);
    let length = x.hypot(y);
    [0.0, 0.0, x / length, y / length]
}

/// One tree many times, some 7 apart, and the ground.
fn forest(count: usize) -> Scene {
    let (mut random, side) = (Random::new(12), 7.0 * (count as f64).sqrt());
    let trees = (0..count).map(|_| {
        let position = [side * random.unit(), side * random.unit(), 0.0];
        let scale = 0.6 + 0.8 * random.unit();
        Placed { position, rotation: about_z(&mut random), scale, ..Placed::identity(0) }
    });
    let (far, ground) = (side as f32 + 10.0, Placed::identity(1));
    let corners = [[-10.0, -10.0, 0.0], [far, -10.0, 0.0], [far, far, 0.0], [-10.0, far, 0.0]];
    let placed = trees.chain([ground]).collect();
    Scene { meshes: vec![tree::tree(1), mesh(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])], placed }
}

/// Ten displaced spheres of 1,280 triangles, of about radius 1.
fn rocks() -> Vec<Mesh> {
    (0..10).map(|seed| icosphere::displaced(8, 0.2, seed)).collect()
}

fn rock(number: usize, position: [f64; 3], random: &mut Random) -> Placed {
    Placed { position, scale: 0.7 + 0.3 * random.unit(), ..Placed::any(number % 10, 0.0, true, random) }
}

/// Rocks of which each overlaps several others.
fn debris() -> Scene {
    let mut random = Random::new(13);
    let place = |number: usize| {
        let position = [0; 3].map(|_| 15.0 * random.unit());
        rock(number, position, &mut random)
    };
    Scene { meshes: rocks(), placed: (0..1000).map(place).collect() }
}

/// Rocks in the cells of a lattice. They reach to 1.2; cells are 2.5 wide.
fn disjoint(count: usize) -> Scene {
    let (mut random, side) = (Random::new(14), (count as f64).cbrt().ceil() as usize);
    let place = |number: usize| {
        let cell = [number % side, number / side % side, number / side / side].map(|x| 2.5 * x as f64);
        rock(number, cell, &mut random)
    };
    Scene { meshes: rocks(), placed: (0..count).map(place).collect() }
}
