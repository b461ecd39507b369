//! 100,000 boxes, all of which move in each frame: what it takes to hand them in, to bring the tree over them up to date, and to build
//! a new one.
//!
//! All do the same frames in turn, in several rounds, each round in a new world. Of each frame the least CPU time of all rounds counts.
//! In the first round the pairs that touch are compared after each update and each new tree: trees that are wrong would lose some.

use bvhc::compile::{Options, Quality};
use bvhc_benches::peers::broad::{Box6, Broad, BroadPhase, Parry, Rapier};
use bvhc_benches::peers::embree::{MovingBoxes, MovingInstances, Way};
use bvhc_benches::peers::level;
use bvhc_runtime::{Handle, Model, MovingWorld, Pose, Similarity};
use bvhc_tests::random::Random;
use cpu_time::ProcessTime;

use crate::pairs::check::Check;
use crate::pairs::ours::{self, Memory, Ours, PLACES};
use crate::pairs::scenes::{Frame, SCENES, Scene, block, drifting};

const FRAMES: usize = 20;
/// Frames that are not timed.
const WARM: usize = 4;
/// A new tree is built in one frame of so many.
const REBUILT: usize = 4;

/// Milliseconds of each frame: handing in, updating, and building anew; infinite where that was not done.
type Times = [[f64; 3]; FRAMES];

/// Does the frames of a round, and is told whether it is the first one, in which pairs are compared.
type Round<'a> = Box<dyn Fn(&mut Times, &mut Check<'_>, bool) + 'a>;

/// Who takes part.
struct Contestant<'a> {
    name: String,
    round: Round<'a>,
}

impl<'a> Contestant<'a> {
    fn new<B: BroadPhase>(name: &str, frames: &'a [Frame], build: impl Fn(&[Box6]) -> B + 'a) -> Self {
        let own = name.to_string();
        let round = move |times: &mut Times, check: &mut Check<'_>, is_first: bool| {
            drive(&mut build(&frames[0].boxes), &own, frames, times, is_first.then_some(check));
        };
        Self { name: name.into(), round: Box::new(round) }
    }

    fn ours(name: &str, frames: &'a [Frame], way: ours::Way) -> Self {
        let own = name.to_string();
        let round = move |times: &mut Times, check: &mut Check<'_>, is_first: bool| {
            let mut memory = Memory::default();
            let mut world = Ours::new(None, &frames[0].boxes, way, &mut memory);
            drive(&mut world, &own, frames, times, is_first.then_some(check));
        };
        Self { name: name.into(), round: Box::new(round) }
    }
}

/// Runs the function, and keeps the least time.
fn timed(least: &mut f64, run: impl FnOnce()) {
    let start = ProcessTime::now();
    run();
    *least = least.min(start.elapsed().as_secs_f64() * 1e3);
}

fn drive(
    world: &mut dyn BroadPhase,
    name: &str,
    frames: &[Frame],
    times: &mut Times,
    mut check: Option<&mut Check<'_>>,
) {
    let mut pairs = vec![[0; 2]; if check.is_some() { PLACES } else { 0 }];
    let mut compare = |world: &mut dyn BroadPhase, number: usize| {
        if let Some(check) = &mut check {
            let count = world.pairs(&mut pairs);
            world.convert(&mut pairs);
            check.frame(name, number, &mut pairs[..count]);
        }
    };
    for (number, frame) in frames.iter().enumerate() {
        let [moving, updating, building] = &mut times[number];
        timed(moving, || world.move_boxes(&frame.moved, &frame.boxes));
        timed(updating, || world.update());
        compare(world, number);
        if number % REBUILT == REBUILT - 1 {
            let mut has_rebuilt = false;
            let mut took = f64::INFINITY;
            timed(&mut took, || has_rebuilt = world.rebuild());
            if has_rebuilt {
                *building = building.min(took);
                compare(world, number);
            }
        }
    }
}

fn contestants<'a>(scene: &Scene, frames: &'a [Frame], libraries: &'a [Broad]) -> Vec<Contestant<'a>> {
    let mut all = vec![
        Contestant::ours("bvhc", frames, ours::Way::Trees),
        Contestant::ours("bvhc, fat boxes", frames, ours::Way::Kept),
        Contestant::new("parry3d", frames, |boxes| Parry::new(boxes, 0, false)),
        // Its update finds the pairs, too.
        Contestant::new("rapier3d, with pairs", frames, |boxes| Rapier::new(boxes, 0)),
    ];
    // The others' updates only look for pairs (Bullet), or cannot be told from it.
    for library in libraries.iter().filter(|it| ["Jolt", "Box3D"].contains(&it.name)) {
        all.push(Contestant::new(library.name, frames, |boxes| library.boxes(boxes, 0, false)));
    }
    for way in [Way::Refit, Way::Low, Way::Medium] {
        if MovingBoxes::new(&frames[0].boxes[..1], way).is_some() {
            let build = move |boxes: &[Box6]| MovingBoxes::new(boxes, way).expect("it was present");
            all.push(Contestant::new(&format!("Embree, {way:?}").to_lowercase(), frames, build));
        }
    }
    all.push(our_instances(scene, frames));
    all.extend(their_instances(scene, frames));
    all
}

fn corners(frame: &Frame) -> Vec<[f32; 3]> {
    frame.boxes.iter().map(|of| [of[0], of[1], of[2]]).collect()
}

/// Instances of a block instead of boxes. Their pairs are not compared: boxes around instances are rounded outward.
fn our_instances<'a>(scene: &Scene, frames: &'a [Frame]) -> Contestant<'a> {
    let options = Options { obb: None, ..Options::of(Quality::Fast) };
    let mesh = block(scene.size);
    let file = bvhc::compile_mesh(&mesh.positions, &mesh.triangles, &options).expect("it compiles").bytes;
    let round = move |times: &mut Times, _: &mut Check<'_>, _: bool| {
        let models = [Some(Model::from_bytes(&file).expect("it opens").with_level(level()))];
        let count = frames[0].boxes.len() as u32;
        let mut memory = vec![0; MovingWorld::bytes_needed(count)];
        let mut world =
            MovingWorld::of_models(&models, level(), count, &mut memory).expect("there is memory");
        let place = |at: &[f32; 3]| {
            let pose = Pose::from_translation(at.map(f64::from)).expect("a pose");
            Similarity::new(pose, 1.0, false).expect("1 is a scale")
        };
        let add = |at: &[f32; 3]| world.add_instance(0, &place(at), 1, 0).expect("it fits");
        let handles: Vec<Handle> = corners(&frames[0]).iter().map(add).collect();
        world.rebuild();
        for (number, frame) in frames.iter().enumerate() {
            let places: Vec<Similarity> = corners(frame).iter().map(place).collect();
            let [moving, updating, building] = &mut times[number];
            timed(moving, || {
                for (handle, place) in handles.iter().zip(&places) {
                    world.move_instance(*handle, place).expect("it is there");
                }
            });
            timed(updating, || {
                world.update();
            });
            if number % REBUILT == REBUILT - 1 {
                timed(building, || world.rebuild());
            }
        }
    };
    Contestant { name: "bvhc, instances".into(), round: Box::new(round) }
}

fn their_instances<'a>(scene: &Scene, frames: &'a [Frame]) -> Option<Contestant<'a>> {
    let mesh = block(scene.size);
    MovingInstances::new(&mesh, &[[0.0; 3]])?;
    let round = move |times: &mut Times, _: &mut Check<'_>, _: bool| {
        let mut world = MovingInstances::new(&mesh, &corners(&frames[0])).expect("it was present");
        for (number, frame) in frames.iter().enumerate() {
            let places = corners(frame);
            let [moving, updating, _] = &mut times[number];
            timed(moving, || world.place(&places));
            timed(updating, || world.update());
            let bounds = frame.boxes.iter().fold([f32::INFINITY; 6], |all, of| {
                [0, 1, 2, 3, 4, 5].map(|it| if it < 3 { all[it].min(of[it]) } else { all[it].min(-of[it]) })
            });
            let theirs = world.bounds();
            let agree = (0..6).all(|it| {
                let wanted = if it < 3 { bounds[it] } else { -bounds[it] };
                (theirs[it] - wanted).abs() < 1e-3
            });
            assert!(agree, "Embree: {theirs:?}, frame {number}");
        }
    };
    Some(Contestant { name: "Embree, instances, low".into(), round: Box::new(round) })
}

pub(super) fn report() {
    let libraries = Broad::all();
    let rounds = std::env::var("BVHC_ROUNDS").map_or(5, |it| it.parse().expect("BVHC_ROUNDS: a number"));
    for scene in SCENES.iter().filter(|it| it.name != "clustered") {
        let frames = drifting(scene, FRAMES, &mut Random::new(7));
        let contestants = contestants(scene, &frames, &libraries);
        let mut check = Check::new(&[], &frames);
        let mut times = vec![[[f64::INFINITY; 3]; FRAMES]; contestants.len()];
        for round in 0..rounds.max(1) {
            for (contestant, times) in contestants.iter().zip(&mut times) {
                (contestant.round)(times, &mut check, round == 0);
            }
        }
        println!(
            "\n| {}, ms: mean (least), {} | handing in | update | new tree |",
            scene.name,
            level().name()
        );
        println!("|---|---|---|---|");
        for (contestant, times) in contestants.iter().zip(&times) {
            let cells = [0, 1, 2].map(|it| cell(times[WARM..].iter().map(|frame| frame[it])));
            println!("| {} | {} |", contestant.name, cells.join(" | "));
        }
    }
}

/// The mean and the least of what is finite.
fn cell(times: impl Iterator<Item = f64>) -> String {
    let times: Vec<f64> = times.filter(|it| it.is_finite()).collect();
    if times.is_empty() {
        return String::new();
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    format!("{mean:.2} ({:.2})", times.iter().copied().fold(f64::INFINITY, f64::min))
}
