//! 10,000 moving boxes among 100,000 instances that do not move: all pairs, frame by frame.
//!
//! All do the same frames in turn, in several rounds, each round in a new world. Of each frame the least CPU time of all rounds
//! counts. In the first round the lists of pairs are compared.

pub(crate) mod check;
pub(crate) mod ours;
pub(crate) mod scenes;

use bvhc::compile::{Options, Quality};
use bvhc_benches::peers::broad::{Box6, Broad, BroadPhase, Pair, Parry, Rapier};
use bvhc_benches::peers::level;
use bvhc_runtime::{Model, World};
use bvhc_tests::random::Random;
use bvhc_tests::support::world::{Placed, compiled_world};
use check::Check;
use cpu_time::ProcessTime;
use ours::{Memory, Ours, PLACES, Way};
use scenes::{FRAMES, Frame, MOTIONS, SCENES, STILL, Scene, block, frames};

/// Frames that are not timed: trees and lists settle.
const WARM: usize = 4;
/// Those that have taken longer than this, in seconds, do no more frames.
const PATIENCE: f64 = 10.0;

/// What is done with a world.
type Run<'r> = &'r mut dyn FnMut(&mut dyn BroadPhase);
/// Builds a world of the still boxes and the moving ones of a first frame, for a motion, and hands it over.
type With<'a> = Box<dyn Fn(&[Box6], &Frame, &str, Run<'_>) + 'a>;

/// A way to find pairs.
struct Contestant<'a> {
    name: String,
    with: With<'a>,
}

impl<'a> Contestant<'a> {
    fn new<B: BroadPhase>(name: &str, build: impl Fn(&[Box6], usize, &str) -> B + 'a) -> Self {
        let with = move |still: &[Box6], first: &Frame, motion: &str, run: Run<'_>| {
            let all: Vec<Box6> = still.iter().chain(&first.boxes).copied().collect();
            run(&mut build(&all, still.len(), motion));
        };
        Self { name: name.into(), with: Box::new(with) }
    }

    fn ours(name: &str, world: &'a World<'a>, way: Way) -> Self {
        let with = move |_: &[Box6], first: &Frame, _: &str, run: Run<'_>| {
            run(&mut Ours::new(Some(world), &first.boxes, way, &mut Memory::default()));
        };
        Self { name: name.into(), with: Box::new(with) }
    }
}

/// bvhc first. Peers' sweeps are asked if so wanted: Bullet's takes quadratic time to begin.
fn contestants<'a>(world: &'a World<'a>, libraries: &'a [Broad], has_sweeps: bool) -> Vec<Contestant<'a>> {
    let mut all = vec![
        Contestant::ours("bvhc, trees", world, Way::Trees),
        Contestant::ours("bvhc, kept", world, Way::Kept),
        Contestant::ours("bvhc, sweep", world, Way::Sweep),
        Contestant::new("rapier3d", |boxes, still, _| Rapier::new(boxes, still)),
        // Where all jump, refits make the tree useless.
        Contestant::new("parry3d", |boxes, still, motion| Parry::new(boxes, still, motion == "teleporting")),
    ];
    for library in libraries {
        all.push(Contestant::new(library.name, |boxes, still, _| library.boxes(boxes, still, false)));
        if has_sweeps && library.has_sweep {
            let name = format!("{}, sweep", library.name);
            all.push(Contestant::new(&name, |boxes, still, _| library.boxes(boxes, still, true)));
        }
    }
    all
}

pub(super) fn report(has_sweeps: bool) {
    let libraries = Broad::all();
    let mut is_first = true;
    for scene in &SCENES {
        let file = compiled(scene);
        let mut meshes = vec![None; Model::mesh_count(&file).expect("a world") as usize];
        let world = World::from_bytes_with_level(&file, level(), &mut meshes).expect("it opens");
        let still = still(&world);
        let contestants = contestants(&world, &libraries, has_sweeps);
        if is_first {
            let names: Vec<&str> = contestants.iter().map(|it| it.name.as_str()).collect();
            let title = format!("near pairs, ms a frame: mean (least), {}", level().name());
            println!("\n| {title} | motion | pairs | {} |", names.join(" | "));
            println!("{}|", "|---".repeat(3 + names.len()));
            is_first = false;
        }
        for motion in MOTIONS {
            row(scene, motion, &still, &contestants);
        }
    }
}

fn compiled(scene: &Scene) -> impl std::ops::Deref<Target = [u8]> {
    let mut random = Random::new(4);
    let place = |number| {
        let position = (scene.place)(number, &mut random).map(f64::from);
        Placed { position, ..Placed::identity(0) }
    };
    let placed: Vec<Placed> = (0..STILL).map(place).collect();
    let options = Options { obb: None, ..Options::of(Quality::Fast) };
    compiled_world(&[&block(scene.size)], &placed, &options)
}

/// The boxes of the world's leaves, by the number of the instance.
fn still(world: &World<'_>) -> Vec<Box6> {
    let leaves = world.section().leaves.get();
    assert_eq!(leaves.len(), STILL, "nothing is opened");
    let mut boxes = vec![[0.0; 6]; STILL];
    for leaf in leaves {
        boxes[leaf.instance as usize] = leaf.bounds;
    }
    boxes
}

fn row(scene: &Scene, motion: &str, still: &[Box6], contestants: &[Contestant<'_>]) {
    eprintln!("  {} {motion}", scene.name);
    let rounds = std::env::var("BVHC_ROUNDS").map_or(3, |it| it.parse().expect("BVHC_ROUNDS: a number"));
    let frames = frames(scene, motion, &mut Random::new(5));
    let mut check = Check::new(still, &frames);
    let mut pairs = vec![[0; 2]; PLACES];
    let mut times = vec![[f64::INFINITY; FRAMES]; contestants.len()];
    for round in 0..rounds.max(1) {
        for (contestant, times) in contestants.iter().zip(&mut times) {
            (contestant.with)(still, &frames[0], motion, &mut |world| {
                for (number, frame) in frames.iter().enumerate() {
                    let so_far: f64 = times.iter().filter(|it| it.is_finite()).sum();
                    if so_far > PATIENCE * 1e3 {
                        break;
                    }
                    let (count, took) = step(world, frame, &mut pairs);
                    times[number] = times[number].min(took);
                    if round == 0 {
                        world.convert(&mut pairs);
                        check.frame(&contestant.name, number, &mut pairs[..count]);
                    }
                }
            });
        }
    }
    let cell = |times: &[f64; FRAMES]| -> String {
        let timed: Vec<f64> = times[WARM..].iter().copied().filter(|it| it.is_finite()).collect();
        let mean = timed.iter().sum::<f64>() / timed.len() as f64;
        format!("{mean:.2} ({:.2})", timed.into_iter().fold(f64::INFINITY, f64::min))
    };
    let cells: Vec<String> = times.iter().map(cell).collect();
    println!("| {} | {motion} | {} | {} |", scene.name, check.last(), cells.join(" | "));
}

/// The number of pairs, and the milliseconds that a frame takes.
fn step(world: &mut dyn BroadPhase, frame: &Frame, pairs: &mut [Pair]) -> (usize, f64) {
    let start = ProcessTime::now();
    world.move_boxes(&frame.moved, &frame.boxes);
    world.update();
    let count = world.pairs(pairs);
    (count, start.elapsed().as_secs_f64() * 1e3)
}
