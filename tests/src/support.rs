//! Shared by the test suites: compiled scenes, random queries, answers as comparable bits.

pub mod answers;
pub mod by_volume;
pub mod dump;
pub mod edit;
pub mod forge;
pub mod least;
pub mod queries;
pub mod sample;
pub mod split;
pub mod stored;
pub mod swept;
pub mod trial;
pub mod volumes;
pub mod work;
pub mod world;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;

use bvhc::compile::{Layout, Options, Quality, compile};
use bvhc::file::Bytes;
use bvhc::mesh::Mesh;
use bvhc::optimise::Stop;
use bvhc::pair::kdop;
use bvhc_format::swept::Cores;
use bvhc_runtime::{Level, Pose};

use crate::scene::{grid, hall, icosphere, mesh, soup, terrain, tips, write_obj};

/// All qualities.
pub const QUALITIES: [Quality; 3] = [Quality::Fast, Quality::Default, Quality::Best];

/// All layouts.
pub const LAYOUTS: [Layout; 2] = [Layout::Fast, Layout::Small];

/// Enough steps to try each kind of change to a tree once.
pub const STOP: Stop = Stop::Steps(4);

/// The file of a mesh in the fast layout.
pub fn compiled(mesh: &Mesh, quality: Quality) -> Bytes {
    compiled_as(mesh, quality, Layout::Fast)
}

/// The file of a mesh, with only the tree of axis-aligned boxes.
pub fn compiled_as(mesh: &Mesh, quality: Quality, layout: Layout) -> Bytes {
    compiled_with(mesh, &Options { quality, layout, obb: None, ..Options::default() })
}

/// The file of a mesh with a tree of oriented boxes.
pub fn compiled_for_pairs(mesh: &Mesh, layout: Layout) -> Bytes {
    compiled_with(mesh, &Options { layout, ..Options::default() })
}

/// The file of triangles that share no vertices; `None` where none of them has an area.
pub fn compiled_triangles(triangles: impl Iterator<Item = [[f32; 3]; 3]>) -> Option<Bytes> {
    let positions: Vec<[f32; 3]> = triangles.flatten().collect();
    let corners = (0..positions.len() as u32 / 3).map(|index| [0, 1, 2].map(|k| 3 * index + k)).collect();
    let options = Options { threads: NonZeroUsize::new(1), ..Options::default() };
    compile(&write_obj(&mesh(positions, corners)), "pairs.obj", &options, &())
        .ok()
        .map(|compiled| compiled.bytes)
}

/// The file of a mesh with trees of oriented boxes and of swept spheres.
pub fn compiled_with_swept(mesh: &Mesh, layout: Layout, cores: Cores) -> Bytes {
    compiled_with(mesh, &Options { layout, swept: Some(cores), ..Options::default() })
}

/// The file of a mesh with trees of oriented boxes and of convex hulls.
pub fn compiled_with_hulls(mesh: &Mesh, layout: Layout) -> Bytes {
    compiled_with(mesh, &Options { layout, hulls: true, ..Options::default() })
}

/// The file of a mesh with a tree of oriented boxes and samples.
pub fn compiled_with_samples(mesh: &Mesh, layout: Layout) -> Bytes {
    compiled_with(mesh, &Options { layout, samples: true, ..Options::default() })
}

/// The file of a mesh with a tree of k-DOPs.
pub fn compiled_with_kdops(mesh: &Mesh, layout: Layout, kdop: kdop::Options) -> Bytes {
    compiled_with(mesh, &Options { layout, obb: None, kdop: Some(kdop), ..Options::default() })
}

/// The file of a mesh with these options.
pub fn compiled_with(mesh: &Mesh, options: &Options) -> Bytes {
    let options = Options { stop: STOP, threads: NonZeroUsize::new(1), ..options.clone() };
    compile(&write_obj(mesh), "scene.obj", &options, &()).expect("a scene compiles").bytes
}

/// Whether tests take the time to do more of everything: where `BVHC_LONG` is 1.
pub fn is_long() -> bool {
    std::env::var("BVHC_LONG").is_ok_and(|value| value == "1")
}

/// Every SIMD level of this machine, the scalar one first.
pub fn levels() -> Vec<Level> {
    let levels: Vec<_> = Level::available().collect();
    assert_eq!(levels[0].name(), "scalar", "the tests are built with the runtime's feature `scalar`");
    levels
}

/// The levels at which one of many random things is tried: they take turns, unless [`is_long`].
pub fn levels_of_turn(levels: &[Level], turn: usize) -> &[Level] {
    if is_long() { levels } else { &levels[turn % levels.len()..][..1] }
}

/// Whether a pose draws, by its numbers, this one of the levels; every one, if [`is_long`].
pub fn draws_level(pose: &Pose, number: usize) -> bool {
    let mut hasher = DefaultHasher::new();
    pose.rotation()
        .as_flattened()
        .iter()
        .chain(&pose.translation())
        .for_each(|x| x.to_bits().hash(&mut hasher));
    is_long() || hasher.finish() % levels().len() as u64 == number as u64
}

/// These bytes, aligned to 64 bytes.
pub fn aligned(bytes: &[u8]) -> Bytes {
    let mut aligned = Bytes::with_capacity(bytes.len());
    aligned.extend_from_slice(bytes);
    aligned
}

/// A named mesh.
pub struct Scene {
    /// What failures call it.
    pub name: &'static str,
    /// Its triangles.
    pub mesh: Mesh,
}

impl Scene {
    /// A mesh and its name.
    pub fn new(name: &'static str, mesh: Mesh) -> Self {
        Self { name, mesh }
    }
}

/// One scene of each kind, with a few hundred triangles for each unit of `size`: small enough at 1 for oracles that
/// look at every triangle; 2 to 4 levels of nodes suffice for these.
pub fn scenes(size: u32) -> Vec<Scene> {
    vec![
        Scene::new("icosphere", icosphere::icosphere(5 * size)),
        Scene::new("displaced", icosphere::displaced(6 * size, 0.2, 1)),
        Scene::new("hall", hall::hall(10 * size, 12 * size, 2)),
        Scene::new("soup", soup::triangles(500 * size, 0.1, 3)),
        Scene::new("needles", soup::needles(400 * size, 4)),
        Scene::new("duplicates", soup::duplicates(300 * size, 5)),
        Scene::new("coplanar", soup::coplanar(300 * size, 6)),
        Scene::new("terrain", terrain::terrain(16 * size, 18 * size, 7)),
        Scene::new("tips", tips::tips(30 * size, 8)),
        Scene::new("far away", far(icosphere::displaced(5 * size, 0.2, 9), 1e6)),
    ]
}

/// The mesh, translated so far that f32 can barely distinguish its vertices.
pub fn far(mut mesh: Mesh, by: f32) -> Mesh {
    mesh.positions.as_flattened_mut().iter_mut().for_each(|x| *x = *x * by * 1e-4 + by);
    mesh
}

/// Scenes with small integer coordinates, for which `f32` arithmetic gives the exact answers.
pub fn integer_scenes() -> Vec<Scene> {
    vec![
        Scene::new("cubes", grid::cubes([4, 3, 3])),
        Scene::new("one cube", grid::cubes([1, 1, 1])),
        Scene::new("checkerboard", grid::checkerboard(12)),
        Scene::new("staircase", grid::staircase(16)),
    ]
}
