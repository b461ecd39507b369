//! A thousand polytopes that fly, turn and bounce off the walls of a cube, as in I-COLLIDE's and V-COLLIDE's figures: the pairs that
//! meet, step by step. With `BVHC_FIGURES`, figures as in these papers: the time of a step over faces, density and speed.

use std::path::Path;

use bvhc::compile::Quality;
use bvhc::mesh::Mesh;
use bvhc_benches::peers::broad::Broad;
use bvhc_benches::peers::colliders::{Placed, placed};
use bvhc_benches::peers::level;
use bvhc_runtime::{
    ContactSchedule, Handle, Model, MotionBound, MovingWorld, Pose, ScheduledPair, Separation, Similarity,
    Snapshot, SweepAndPrune, Thing, ThingPair,
};
use bvhc_tests::random::Random;
use bvhc_tests::scene::icosphere;
use bvhc_tests::support::compiled;
use cpu_time::ProcessTime;

use crate::plot::{Figure, Scale, lines};

const COUNT: usize = 1000;
const STEPS: usize = 40;
/// The polytopes' spheres have a radius of 1.
const SPIN: f64 = 0.1;
const NOTHING: ThingPair = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };

/// What is swept: the faces by the frequency of an icosphere, the part of the cube that is filled, and the speed in radii a step.
#[derive(Clone, Copy, PartialEq)]
struct Setting {
    frequency: u32,
    density: f64,
    speed: f64,
}

/// What all sweeps have in common.
const MIDDLE: Setting = Setting { frequency: 5, density: 0.05, speed: 0.05 };
const FREQUENCIES: [u32; 6] = [2, 3, 4, 5, 6, 7];
const DENSITIES: [f64; 6] = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2];
const SPEEDS: [f64; 7] = [0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0];

/// Settings of which one number differs, and that number of each.
struct Sweep {
    name: &'static str,
    axis: &'static str,
    settings: Vec<(f64, Setting)>,
}

fn sweeps() -> [Sweep; 3] {
    let faces = |frequency: u32| f64::from(20 * frequency * frequency);
    let of_faces = FREQUENCIES.map(|frequency| (faces(frequency), Setting { frequency, ..MIDDLE }));
    let of_density = DENSITIES.map(|density| (density, Setting { density, ..MIDDLE }));
    let of_speed = SPEEDS.map(|speed| (speed, Setting { speed, ..MIDDLE }));
    [
        Sweep { name: "faces", axis: "faces of a body", settings: of_faces.to_vec() },
        Sweep { name: "density", axis: "part of the cube that is filled", settings: of_density.to_vec() },
        Sweep { name: "speed", axis: "speed, radii a step", settings: of_speed.to_vec() },
    ]
}

/// The poses of all bodies in each step, and the speed of each.
fn course(setting: &Setting) -> (Vec<Vec<Pose>>, Vec<f64>) {
    let mut random = Random::new(6);
    let side = (COUNT as f64 * 4.19 / setting.density).cbrt();
    let mut at: Vec<[f64; 3]> = (0..COUNT).map(|_| [0; 3].map(|_| side * random.unit())).collect();
    let axes: Vec<[f64; 3]> = (0..COUNT).map(|_| random.direction().map(f64::from)).collect();
    let mut velocity: Vec<[f64; 3]> =
        (0..COUNT).map(|_| random.direction().map(|x| setting.speed * f64::from(x))).collect();
    let length = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let speeds = velocity.iter().map(|it| length(it) * (1.0 + 1e-9)).collect();
    let mut steps = Vec::new();
    for step in 0..STEPS {
        let (sin, cos) = (SPIN * step as f64 / 2.0).sin_cos();
        let pose = |at: &[f64; 3], axis: &[f64; 3]| {
            let [x, y, z] = axis.map(|x| sin * x / length(axis));
            Pose::from_quaternion([x, y, z, cos], *at).expect("a pose")
        };
        steps.push(at.iter().zip(&axes).map(|(at, axis)| pose(at, axis)).collect());
        for (at, velocity) in at.iter_mut().zip(&mut velocity) {
            for axis in 0..3 {
                at[axis] += velocity[axis];
                if (at[axis] < 0.0) == (velocity[axis] < 0.0) && (at[axis] < 0.0 || at[axis] > side) {
                    velocity[axis] = -velocity[axis];
                }
            }
        }
    }
    (steps, speeds)
}

/// The contacts of each step, the least milliseconds of each in all rounds, and the queries of two meshes in all steps that are timed.
/// The first steps, in which peers build, are not.
#[derive(Default)]
struct Run {
    contacts: Vec<usize>,
    ms: Vec<f64>,
    queries: usize,
}

const WARM: usize = 5;

impl Run {
    /// The mean of a step.
    fn ms(&self) -> f64 {
        self.ms[WARM..].iter().sum::<f64>() / (self.ms.len() - WARM) as f64
    }

    /// The mean of a step.
    fn queries(&self) -> f64 {
        self.queries as f64 / (self.contacts.len() - WARM) as f64
    }

    /// One more round, which must find the same.
    fn add(&mut self, round: Self) {
        if self.contacts.is_empty() {
            *self = round;
            return;
        }
        assert!(self.contacts == round.contacts);
        for (least, ms) in self.ms.iter_mut().zip(round.ms) {
            *least = least.min(ms);
        }
    }
}

fn run<P>(course: &[Vec<P>], mut step: impl FnMut(usize, &[P]) -> (usize, usize)) -> Run {
    let mut run = Run::default();
    for (number, poses) in course.iter().enumerate() {
        let start = ProcessTime::now();
        let (found, asked) = step(number, poses);
        run.ms.push(start.elapsed().as_secs_f64() * 1e3);
        run.contacts.push(found);
        run.queries += if number < WARM { 0 } else { asked };
    }
    run
}

/// How bvhc finds the pairs and asks them.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Trees,
    Sweep,
    Scheduled,
}

fn bvhc(models: &[Option<Model<'_>>], course: &[Vec<Pose>], speeds: &[f64], way: Way) -> Run {
    let mut memory = vec![0; MovingWorld::bytes_needed(COUNT as u32)];
    let mut world =
        MovingWorld::of_models(models, level(), COUNT as u32, &mut memory).expect("there is memory");
    let place = |pose: &Pose| Similarity::new(*pose, 1.0, false).expect("1 is a scale");
    let add = |pose: &Pose| world.add_instance(0, &place(pose), 1, 0).expect("it fits");
    let handles: Vec<Handle> = course[0].iter().map(add).collect();
    world.rebuild();
    let mut memory = vec![0; SweepAndPrune::bytes_needed(COUNT as u32, 100_000)];
    let mut sweep = SweepAndPrune::new(COUNT as u32, 100_000, &mut memory).expect("there is memory");
    let mut places = vec![ScheduledPair::NONE; 100_000];
    let mut schedule = ContactSchedule::new(&mut places);
    let (mut pairs, mut renewal) = (vec![NOTHING; 100_000], f64::NEG_INFINITY);
    let fastest = speeds.iter().fold(0.0f64, |most, speed| most.max(*speed));
    let bound = |speed: f64| MotionBound::of_body(speed, 0.0, SPIN, 0.0, 1.0 + 1e-6);
    let motion = |thing: Thing| match thing {
        Thing::Moving(handle) => bound(speeds[handle.number as usize]),
        Thing::Still(_) => MotionBound::STILL,
    };
    // A list lasts for eight steps, where things are not too fast for that.
    let margin = (16.0 * (fastest + SPIN)).min(3.0) as f32;
    run(course, |step, poses| {
        for (handle, pose) in handles.iter().zip(poses) {
            world.move_instance(*handle, &place(pose)).expect("it is there");
        }
        world.update();
        let (now, time) = (world.snapshot(), step as f64);
        if way != Way::Scheduled {
            let found = match way {
                Way::Sweep => sweep.near_pairs_into(&now, 0.0, &mut pairs),
                _ => now.near_pairs_into(0.0, &mut pairs),
            };
            let near = &pairs[..found.expect("there are places")];
            return (near.iter().filter(|pair| meets(&now, **pair)).count(), near.len());
        }
        if time >= renewal {
            let near = now.near_pairs_into(margin, &mut pairs).expect("there are places");
            schedule.set_pairs(&pairs[..near]).expect("there are places");
            renewal = time + bound(fastest).earliest_contact(&bound(fastest), margin.into());
        }
        let (mut contacts, mut queries) = (0, 0);
        let _ = schedule.due(&now, time, margin.into(), motion, |_, found| {
            queries += 1;
            contacts += usize::from(found == Ok(Separation::Meeting));
            core::ops::ControlFlow::Continue(())
        });
        (contacts, queries)
    })
}

fn meets(now: &Snapshot<'_>, pair: ThingPair) -> bool {
    now.between(pair).and_then(|between| between.collides()).expect("both have meshes")
}

/// The peers' runs are in their order.
struct Measured {
    trees: Run,
    sweep: Run,
    scheduled: Run,
    peers: Vec<Run>,
}

fn measured(setting: &Setting, mesh: &Mesh, peers: &[Broad]) -> Measured {
    let rounds: usize =
        std::env::var("BVHC_ROUNDS").map_or(3, |it| it.parse().expect("BVHC_ROUNDS: a number"));
    let file = compiled(mesh, Quality::Default);
    let models = [Some(Model::from_bytes(&file).expect("it opens").with_level(level()))];
    let (course, speeds) = course(setting);
    let placed: Vec<Vec<Placed>> = course.iter().map(|poses| poses.iter().map(placed).collect()).collect();
    // One round is enough for what takes several times as long.
    let scheduled = bvhc(&models, &course, &speeds, Way::Scheduled);
    let mut all = Measured { trees: Run::default(), sweep: Run::default(), scheduled, peers: Vec::new() };
    all.peers.resize_with(peers.len(), Run::default);
    for _ in 0..rounds.max(1) {
        all.trees.add(bvhc(&models, &course, &speeds, Way::Trees));
        all.sweep.add(bvhc(&models, &course, &speeds, Way::Sweep));
        for (peer, theirs) in peers.iter().zip(&mut all.peers) {
            let mut bodies = peer.bodies(mesh, COUNT).expect("it has a narrow phase");
            theirs.add(run(&placed, |_, poses| (bodies.frame(poses), 0)));
        }
    }
    assert!(all.trees.contacts == all.sweep.contacts && all.trees.contacts == all.scheduled.contacts);
    for (peer, theirs) in peers.iter().zip(&all.peers) {
        check(peer.name, theirs, &all.trees);
    }
    all
}

fn check(name: &str, theirs: &Run, ours: &Run) {
    let each = theirs.contacts.iter().zip(&ours.contacts);
    let (differ, total): (usize, usize) =
        (each.map(|(theirs, ours)| theirs.abs_diff(*ours)).sum(), ours.contacts.iter().sum());
    if differ > 0 {
        eprintln!("  {name}: {differ} of {total} contacts differ");
    }
    assert!(differ as f64 <= 0.02 * total as f64, "{name}: {differ} of {total} contacts differ");
}

pub(super) fn report() {
    let peers: Vec<Broad> = Broad::all().into_iter().filter(|it| it.has_bodies).collect();
    let names: Vec<&str> = peers.iter().map(|it| it.name).collect();
    println!(
        "\n| {COUNT} bodies, ms a step, {} | density | speed | contacts | trees | sweep | queries | scheduled | queries | {} |",
        level().name(),
        names.join(" | ")
    );
    println!("{}|", "|---".repeat(9 + peers.len()));
    let mut known: Vec<(Setting, Vec<f64>)> = Vec::new();
    for sweep in sweeps() {
        for (_, setting) in &sweep.settings {
            if !known.iter().any(|(it, _)| it == setting) {
                known.push((*setting, row(setting, &peers)));
            }
        }
        let of = |setting: &Setting| &known.iter().find(|(it, _)| it == setting).expect("it was measured").1;
        let lines: Vec<&Vec<f64>> = sweep.settings.iter().map(|(_, setting)| of(setting)).collect();
        figure(&sweep, &lines, &names);
    }
}

/// Prints a row; returns the times by trees, by sweep and of the peers.
fn row(setting: &Setting, peers: &[Broad]) -> Vec<f64> {
    let mesh = icosphere::icosphere(setting.frequency);
    let Measured { trees, sweep, scheduled, peers } = measured(setting, &mesh, peers);
    let times: Vec<f64> = [&trees, &sweep].into_iter().chain(&peers).map(Run::ms).collect();
    let cells: Vec<String> = times[2..].iter().map(|ms| format!("{ms:.2}")).collect();
    println!(
        "| {} faces | {} | {} | {} | {:.2} | {:.2} | {:.0} | {:.2} | {:.0} | {} |",
        mesh.triangles.len(),
        setting.density,
        setting.speed,
        trees.contacts[STEPS - 1],
        times[0],
        times[1],
        trees.queries(),
        scheduled.ms(),
        scheduled.queries(),
        cells.join(" | ")
    );
    times
}

/// Draws the times over what is swept, in the folder that `BVHC_FIGURES` names, if it does.
fn figure(sweep: &Sweep, times: &[&Vec<f64>], peers: &[&str]) {
    let Ok(folder) = std::env::var("BVHC_FIGURES") else { return };
    let path = Path::new(&folder).join(format!("bodies-{}.svg", sweep.name));
    let places: Vec<f64> = sweep.settings.iter().map(|(place, _)| *place).collect();
    let names = ["bvhc, trees", "bvhc, sweep and prune"].into_iter().chain(peers.iter().copied());
    let series: Vec<(String, Vec<f64>)> = names
        .enumerate()
        .map(|(index, name)| (name.to_string(), times.iter().map(|it| it[index]).collect()))
        .collect();
    let caption = format!("{COUNT} bodies that fly, turn and bounce: time of a step ({})", level().name());
    let text = Figure { caption: &caption, x: sweep.axis, y: "milliseconds a step" };
    lines(&path, &text, Scale::Logarithmic, &places, &series);
}
