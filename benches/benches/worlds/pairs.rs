//! 10,000 moving boxes among 100,000 instances that do not move: all pairs, frame by frame.

use std::fmt;
use std::io::Write as _;
use std::time::Instant;

use bvhc::compile::{Options, Quality};
use bvhc::mesh::Mesh;
use bvhc_benches::peers::broad::{Box6, Broad};
use bvhc_benches::peers::level;
use bvhc_runtime::{Aabb, Handle, KeptPairs, Model, MovingWorld, SweepAndPrune, Thing, ThingPair, World};
use bvhc_tests::random::Random;
use bvhc_tests::scene::mesh;
use bvhc_tests::support::world::{Placed, compiled_world};
use parry3d::bounding_volume::Aabb as ParryAabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

const STILL: usize = 100_000;
const MOVING: usize = 10_000;
const FRAMES: usize = 36;
/// Frames that are not timed: trees and lists settle.
const WARM: usize = 4;
/// Of the world whose pairs are kept: a few frames of motion.
const FATNESS: f32 = 0.1;

/// How boxes are distributed: the size of what does not move, and where it and what moves are.
struct Scene {
    name: &'static str,
    size: [f32; 3],
    place: fn(usize, &mut Random) -> [f32; 3],
    moving: [f32; 3],
}

/// A place of a lattice of boxes that do not touch, in `counts` per axis, each in a cell of this size.
fn lattice(number: usize, counts: [usize; 2], cell: [f32; 3], random: &mut Random) -> [f32; 3] {
    let at = [number % counts[0], number / counts[0] % counts[1], number / counts[0] / counts[1]];
    [0, 1, 2].map(|axis| (at[axis] as f32 + random.f32(0.05, 0.45)) * cell[axis])
}

const SCENES: [Scene; 3] = [
    Scene {
        name: "uniform",
        size: [1.0; 3],
        place: |number, random| lattice(number, [47, 47], [2.0; 3], random),
        moving: [1.0; 3],
    },
    Scene {
        name: "clustered",
        size: [0.5; 3],
        // Fifty cubes of two thousand boxes, far apart.
        place: |number, random| {
            let (cluster, within) = (number / 2000, number % 2000);
            let at = lattice(within, [13, 13], [1.0; 3], random);
            [at[0] + 100.0 * (cluster % 7) as f32, at[1] + 100.0 * (cluster / 7) as f32, at[2]]
        },
        moving: [0.5; 3],
    },
    Scene {
        name: "elongated",
        size: [10.0, 0.5, 0.5],
        place: |number, random| lattice(number, [10, 100], [20.0, 1.0, 1.0], random),
        moving: [0.5, 10.0, 0.5],
    },
];

/// What moves in a frame.
const MOTIONS: [&str; 3] = ["coherent", "1 in 100", "teleporting"];

fn block(size: [f32; 3]) -> Mesh {
    let corner = |number: usize| [0, 1, 2].map(|axis| if number >> axis & 1 == 1 { size[axis] } else { 0.0 });
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    mesh((0..8).map(corner).collect(), triangles)
}

/// One frame: which of the moving boxes have moved, and where all are.
struct Frame {
    moved: Vec<u32>,
    boxes: Vec<Box6>,
}

fn around(at: [f32; 3], size: [f32; 3]) -> Box6 {
    [at[0], at[1], at[2], at[0] + size[0], at[1] + size[1], at[2] + size[2]]
}

/// Moving boxes begin at places like those of the others, so that they are as clustered.
fn frames(scene: &Scene, motion: &str, random: &mut Random) -> Vec<Frame> {
    let anywhere = |random: &mut Random| (scene.place)(random.below(STILL as u32) as usize, random);
    let mut places: Vec<[f32; 3]> = (0..MOVING).map(|_| anywhere(random)).collect();
    let velocities: Vec<[f32; 3]> = (0..MOVING).map(|_| random.point([-0.05; 3], [0.05; 3])).collect();
    let mut all = Vec::new();
    for _ in 0..FRAMES {
        let moved: Vec<u32> = match motion {
            "1 in 100" => (0..MOVING as u32).filter(|_| random.below(100) == 0).collect(),
            _ => (0..MOVING as u32).collect(),
        };
        for index in &moved {
            let (at, by) = (&mut places[*index as usize], velocities[*index as usize]);
            *at = match motion {
                "teleporting" => anywhere(random),
                _ => [0, 1, 2].map(|axis| at[axis] + by[axis]),
            };
        }
        all.push(Frame { moved, boxes: places.iter().map(|at| around(*at, scene.moving)).collect() });
    }
    all
}

fn bounds(of: &Box6) -> Aabb {
    let [a, b, c, d, e, f] = *of;
    Aabb::new([a, b, c], [d, e, f])
}

/// The counts of pairs, and what a frame takes.
type Timed = (Vec<usize>, Times);

/// The mean and the least milliseconds of a frame.
struct Times {
    mean: f64,
    least: f64,
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} ({:.1})", self.mean, self.least)
    }
}

fn timed(frames: &[Frame], mut frame: impl FnMut(&Frame) -> usize) -> Timed {
    let (mut counts, mut times) = (Vec::new(), Times { mean: 0.0, least: f64::INFINITY });
    for (number, of) in frames.iter().enumerate() {
        let start = Instant::now();
        counts.push(frame(of));
        let took = start.elapsed().as_secs_f64() * 1e3;
        if number >= WARM {
            times.mean += took / (frames.len() - WARM) as f64;
            times.least = times.least.min(took);
        }
    }
    (counts, times)
}

const NOTHING: ThingPair = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };

/// How bvhc finds pairs.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Trees,
    Sweep,
    /// Kept pairs, in a world with fat leaves.
    Kept,
}

fn bvhc(world: &World<'_>, frames: &[Frame], way: Way) -> Timed {
    let mut memory = vec![0; MovingWorld::bytes_needed(MOVING as u32)];
    let mut moving = MovingWorld::new(*world, MOVING as u32, &mut memory).expect("there is memory");
    if way == Way::Kept {
        moving.fatten(FATNESS).expect("a fatness");
    }
    let first = &frames[0].boxes;
    let handles: Vec<Handle> =
        first.iter().map(|of| moving.add_box(&bounds(of), 1, 0).expect("it fits")).collect();
    moving.rebuild();
    let boxes = moving.box_capacity();
    let mut memory = vec![0; SweepAndPrune::bytes_needed(boxes, 400_000)];
    let mut sweep = SweepAndPrune::new(boxes, 400_000, &mut memory).expect("there is memory");
    let mut memory = vec![0; KeptPairs::bytes_needed(MOVING as u32, 400_000)];
    let mut kept = KeptPairs::new(MOVING as u32, 400_000, &mut memory).expect("there is memory");
    let mut pairs = vec![NOTHING; 400_000];
    let mut last = Vec::new();
    let answer = timed(frames, |frame| {
        for index in &frame.moved {
            let of = &frame.boxes[*index as usize];
            moving.move_box(handles[*index as usize], &bounds(of)).expect("it is there");
        }
        moving.update();
        let now = moving.snapshot();
        let found = match way {
            Way::Trees => now.near_pairs_into(0.0, &mut pairs),
            Way::Sweep => sweep.near_pairs_into(&now, 0.0, &mut pairs),
            Way::Kept => kept.near_pairs_into(&now, 0.0, &mut pairs),
        };
        last.push((sweep.last(), kept.renewed()));
        found.expect("there are places")
    });
    match way {
        Way::Trees => {}
        Way::Sweep => eprintln!("  the last frame: {:?}", last[FRAMES - 1].0),
        Way::Kept => eprintln!("  the last frame: {} renewed, {kept:?}", last[FRAMES - 1].1),
    }
    answer
}

/// parry's tree, as rapier's broad phase uses it, or built anew in each frame: where all jump, refits make it useless.
fn parry(still: &[Box6], frames: &[Frame], is_rebuilt: bool) -> Timed {
    let of = |it: &Box6| ParryAabb::new(Vector::new(it[0], it[1], it[2]), Vector::new(it[3], it[4], it[5]));
    let all: Vec<ParryAabb> = still.iter().chain(&frames[0].boxes).map(of).collect();
    let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &all);
    let mut workspace = BvhWorkspace::default();
    timed(frames, |frame| {
        for index in &frame.moved {
            let bounds = of(&frame.boxes[*index as usize]);
            tree.insert_or_update_partially(bounds, STILL as u32 + *index, 0.0);
        }
        if is_rebuilt {
            tree.rebuild(&mut workspace, BvhBuildStrategy::Binned);
        } else {
            tree.refit(&mut workspace);
            tree.optimize_incremental(&mut workspace);
        }
        let mut count = 0;
        // Change detection would leave out pairs of which neither has moved in this frame.
        let is_moving = |id: u32| id as usize >= STILL;
        tree.traverse_bvtt_single_tree::<false>(&mut workspace, &mut |a, b| {
            count += usize::from(is_moving(a) || is_moving(b));
        });
        count
    })
}

/// Peers' sweeps are asked if so wanted: Bullet's takes quadratic time to begin.
pub(super) fn report(has_sweeps: bool) {
    let peers = Broad::all();
    let ways: Vec<(&Broad, bool)> = peers
        .iter()
        .flat_map(|peer| [(peer, false), (peer, true)])
        .filter(|(_, is_sweep)| !is_sweep || has_sweeps)
        .collect();
    println!(
        "\n| near pairs, ms a frame: mean (least), {} | motion | pairs | bvhc, kept | bvhc, trees | bvhc, sweep | parry | {} |",
        level().name(),
        ways.iter()
            .map(|(it, is_sweep)| format!("{} {}", it.name, if *is_sweep { "sweep" } else { "tree" }))
            .collect::<Vec<_>>()
            .join(" | ")
    );
    println!("{}|", "|---".repeat(7 + ways.len()));
    for scene in &SCENES {
        let mut random = Random::new(4);
        let placed: Vec<Placed> = (0..STILL)
            .map(|number| {
                let position = (scene.place)(number, &mut random).map(f64::from);
                Placed { position, ..Placed::identity(0) }
            })
            .collect();
        let options = Options { obb: None, ..Options::of(Quality::Fast) };
        let file = compiled_world(&[&block(scene.size)], &placed, &options);
        let mut meshes = vec![None; Model::mesh_count(&file).expect("a world") as usize];
        let world = World::from_bytes_with_level(&file, level(), &mut meshes).expect("it opens");
        assert_eq!(world.section().leaves.len(), STILL, "nothing is opened");
        let still: Vec<Box6> = world.section().leaves.get().iter().map(|leaf| leaf.bounds).collect();
        for motion in MOTIONS {
            row(scene, motion, &world, &still, &ways);
        }
    }
}

fn row(scene: &Scene, motion: &str, world: &World<'_>, still: &[Box6], ways: &[(&Broad, bool)]) {
    eprintln!("  {} {motion}", scene.name);
    let frames = frames(scene, motion, &mut Random::new(5));
    let (wanted, by_trees) = bvhc(world, &frames, Way::Trees);
    let (counts, by_sweep) = bvhc(world, &frames, Way::Sweep);
    let (of_kept, by_kept) = bvhc(world, &frames, Way::Kept);
    assert!(counts == wanted && of_kept == wanted);
    let pairs = wanted[FRAMES - 1];
    print!("| {} | {motion} | {pairs} | {by_kept} | {by_trees} | {by_sweep} ", scene.name);
    // Some peers take minutes: what is known is shown.
    let cell = |name: &str, (counts, times): Timed| {
        check(name, &counts, &wanted);
        print!("| {times} ");
        let _ = std::io::stdout().flush();
    };
    cell("parry", parry(still, &frames, motion == "teleporting"));
    let all: Vec<Box6> = still.iter().chain(&frames[0].boxes).copied().collect();
    for (peer, is_sweep) in ways.iter().copied() {
        let mut boxes = peer.boxes(&all, STILL, is_sweep);
        cell(peer.name, timed(&frames, |frame| boxes.frame(&frame.moved, &frame.boxes)));
    }
    println!("|");
}

/// Boxes of the file are rounded outward once more, so a few of ours may touch where theirs do not.
fn check(name: &str, counts: &[usize], wanted: &[usize]) {
    for (count, wanted) in counts.iter().zip(wanted) {
        let differ = count.abs_diff(*wanted);
        if differ > 0 {
            eprintln!("  {name}: {count} pairs, bvhc {wanted}");
        }
        assert!(differ as f64 <= 1e-3 * *wanted as f64, "{name}: {count} pairs, bvhc {wanted}");
    }
}
