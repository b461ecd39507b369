//! The figures of docs/benchmarks/worlds.md on rays: closest and any hits in a world beside those in one mesh of all its triangles.
//!
//! `cargo run --release -p bvhc-tests --example world_rays -- FOLDER LEVEL [SCENE QUESTION MODEL]`. Files are compiled into the folder
//! where it has none yet. With a scene, a question (`closest`, `any`) and a model (`world`, `flat`), these rays are asked once, in the
//! function `counted`, for Callgrind: `valgrind --tool=callgrind --toggle-collect='*counted*'`.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bvhc::Options;
use bvhc::mesh::Mesh;
use bvhc_runtime::{InstanceFilter, Level, LoadedModel, Model, Ray, World};
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::world::{Placed, compiled_world, flattened};

/// Rays of a pass: enough to visit each instance often.
const RAYS: usize = 20_000;

/// Passes of which the fastest counts.
const PASSES: usize = 15;

const SCENES: [&str; 3] = ["identity", "disjoint", "overlapping"];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, level, rest @ ..] = &args[..] else {
        return Err("FOLDER LEVEL [SCENE QUESTION MODEL]".into());
    };
    let level = Level::available().find(|it| it.name() == level).ok_or("no such level")?;
    fs::create_dir_all(folder)?;
    match rest {
        [scene, question, model] => count(&Files::of(Path::new(folder), scene)?, level, question, model),
        _ => SCENES.iter().try_for_each(|scene| report(scene, &Files::of(Path::new(folder), scene)?, level)),
    }
}

/// A world, and the mesh of all its triangles.
struct Files {
    world: LoadedModel,
    flat: LoadedModel,
}

impl Files {
    fn of(folder: &Path, scene: &str) -> Result<Self, Box<dyn Error>> {
        let path = |kind: &str| -> PathBuf { folder.join(format!("{scene}.{kind}.bvh")) };
        if !path("flat").exists() {
            compile(scene, &path("world"), &path("flat"))?;
        }
        Ok(Self { world: LoadedModel::read(path("world"))?, flat: LoadedModel::read(path("flat"))? })
    }
}

fn compile(scene: &str, world_path: &Path, flat_path: &Path) -> Result<(), Box<dyn Error>> {
    let (meshes, placed) = scene_of(scene)?;
    let meshes: Vec<&Mesh> = meshes.iter().collect();
    let options = Options { obb: None, ..Options::default() };
    let world_bytes = compiled_world(&meshes, &placed, &options);
    let mut models = vec![None; meshes.len()];
    let (flat, _) = flattened(&World::from_bytes(&world_bytes, &mut models)?, &meshes);
    fs::write(world_path, &world_bytes)?;
    fs::write(flat_path, &bvhc::compile_mesh(&flat.positions, &flat.triangles, &options)?.bytes)?;
    Ok(())
}

/// Meshes of 1,280 triangles, and where they are.
fn scene_of(scene: &str) -> Result<(Vec<Mesh>, Vec<Placed>), Box<dyn Error>> {
    let mut random = Random::new(1);
    let meshes = |count: u64| (0..count).map(|seed| icosphere::displaced(8, 0.2, seed)).collect();
    let placed = |number: usize, position: [f64; 3], random: &mut Random| {
        let any = Placed::any(number % 10, 0.0, true, random);
        Placed { position, scale: 0.7 + 0.3 * random.unit(), mirror: number.is_multiple_of(5), ..any }
    };
    Ok(match scene {
        "identity" => (meshes(1), vec![Placed::identity(0)]),
        // The spheres reach to 1.2; cells of a lattice are 2.5 wide.
        "disjoint" => {
            let cell = |number: usize| [number % 6, number / 6 % 6, number / 36].map(|x| 2.5 * x as f64);
            (meshes(10), (0..200).map(|number| placed(number, cell(number), &mut random)).collect())
        }
        "overlapping" => {
            let any = |number: usize| {
                let position = [0; 3].map(|_| 4.0 * random.unit());
                placed(number, position, &mut random)
            };
            (meshes(10), (0..60).map(any).collect())
        }
        other => return Err(format!("no scene {other}").into()),
    })
}

/// Rays from anywhere around the model to anywhere in it.
fn rays(model: &Model<'_>) -> Vec<Ray> {
    let (bounds, mut random) = (model.bounds(), Random::new(2));
    let mut point = |part: f32| {
        let end = |sign: f32| {
            [0, 1, 2].map(|axis| {
                let (low, high) = (bounds.min[axis], bounds.max[axis]);
                f32::midpoint(low, high) + sign * part * (high - low) / 2.0
            })
        };
        random.point(end(-1.0), end(1.0))
    };
    (0..RAYS)
        .map(|_| {
            let (from, to) = (point(1.2), point(1.0));
            Ray::new(from, [0, 1, 2].map(|axis| to[axis] - from[axis]))
        })
        .collect()
}

/// How many rays hit anything: who asks.
type Ask<'a> = Box<dyn Fn(&[Ray]) -> usize + 'a>;

fn asks<'a>(world: World<'a>, flat: Model<'a>) -> [(&'static str, &'static str, Ask<'a>); 4] {
    [
        (
            "closest",
            "world",
            Box::new(move |rays| rays.iter().filter_map(|ray| world.closest_hit(ray)).count()),
        ),
        (
            "closest",
            "flat",
            Box::new(move |rays| rays.iter().filter_map(|ray| flat.closest_hit(ray)).count()),
        ),
        ("any", "world", Box::new(move |rays| rays.iter().filter(|ray| world.any_hit(ray)).count())),
        ("any", "flat", Box::new(move |rays| rays.iter().filter(|ray| flat.any_hit(ray)).count())),
    ]
}

fn count(files: &Files, level: Level, question: &str, model: &str) -> Result<(), Box<dyn Error>> {
    let flat = files.flat.model().with_level(level);
    let mut models = vec![None; 10];
    let world = World::from_bytes_with_level(files.world.model().sections().bytes(), level, &mut models)?;
    let rays = rays(&flat);
    let asks = asks(world, flat);
    let found = asks.iter().find(|(its, of, _)| (*its, *of) == (question, model));
    let (_, _, ask) = found.ok_or("no such question")?;
    println!("{} of {} rays hit", counted(ask, &rays), rays.len());
    Ok(())
}

/// What is counted; Callgrind finds it by name.
#[inline(never)]
fn counted(ask: &Ask<'_>, rays: &[Ray]) -> usize {
    black_box(ask(rays))
}

fn report(scene: &str, files: &Files, level: Level) -> Result<(), Box<dyn Error>> {
    let flat = files.flat.model().with_level(level);
    let mut models = vec![None; 10];
    let world = World::from_bytes_with_level(files.world.model().sections().bytes(), level, &mut models)?;
    let (rays, asks) = (rays(&flat), asks(world, flat));
    let mut entered = 0;
    for ray in &rays {
        let mut count = InstanceFilter(|_| {
            entered += 1;
            true
        });
        let _ = world.closest_hit_with(ray, &mut count);
    }
    println!(
        "{scene}: {} leaves, of which a ray enters {:.1}",
        world.section().leaves.len(),
        f64::from(entered) / RAYS as f64
    );
    let mut best = [f64::INFINITY; 4];
    for _ in 0..PASSES {
        for (best, (_, _, ask)) in best.iter_mut().zip(&asks) {
            let start = Instant::now();
            counted(ask, &rays);
            *best = best.min(start.elapsed().as_secs_f64() * 1e9 / RAYS as f64);
        }
    }
    for (question, [world, flat]) in ["closest", "any"].iter().zip([[best[0], best[1]], [best[2], best[3]]]) {
        println!(
            "{scene}, {question} hit, {}: {world:.0} ns in the world, {flat:.0} flattened: {:.2}",
            level.name(),
            world / flat
        );
    }
    Ok(())
}
