//! A thousand polytopes that fly, turn and bounce off the walls of a cube, as in I-COLLIDE's and V-COLLIDE's figures: the pairs that
//! meet, step by step.

use std::time::Instant;

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

const COUNT: usize = 1000;
const STEPS: usize = 40;
/// The polytopes' spheres have a radius of 1.
const SPIN: f64 = 0.1;
const NOTHING: ThingPair = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };

/// What is swept: the faces by the frequency of an icosphere, the part of the cube that is filled, and the speed in radii a step.
struct Setting {
    frequency: u32,
    density: f64,
    speed: f64,
}

const SETTINGS: [Setting; 10] = [
    Setting { frequency: 2, density: 0.05, speed: 0.05 },
    Setting { frequency: 3, density: 0.05, speed: 0.05 },
    Setting { frequency: 5, density: 0.05, speed: 0.05 },
    Setting { frequency: 7, density: 0.05, speed: 0.05 },
    Setting { frequency: 5, density: 0.01, speed: 0.05 },
    Setting { frequency: 5, density: 0.1, speed: 0.05 },
    Setting { frequency: 5, density: 0.2, speed: 0.05 },
    Setting { frequency: 5, density: 0.05, speed: 0.005 },
    Setting { frequency: 5, density: 0.05, speed: 0.2 },
    Setting { frequency: 5, density: 0.05, speed: 1.0 },
];

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

/// The contacts of each step, the mean milliseconds of a step, and the queries of two meshes a step. The first steps, in which
/// peers build, are not timed.
struct Run {
    contacts: Vec<usize>,
    ms: f64,
    queries: f64,
}

const WARM: usize = 5;

fn run<P>(course: &[Vec<P>], mut step: impl FnMut(usize, &[P]) -> (usize, usize)) -> Run {
    let (mut contacts, mut seconds, mut queries) = (Vec::new(), 0.0, 0);
    for (number, poses) in course.iter().enumerate() {
        let start = Instant::now();
        let (found, asked) = step(number, poses);
        contacts.push(found);
        if number >= WARM {
            seconds += start.elapsed().as_secs_f64();
            queries += asked;
        }
    }
    let steps = (course.len() - WARM) as f64;
    Run { contacts, ms: seconds * 1e3 / steps, queries: queries as f64 / steps }
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
    now.between(pair).and_then(|between| between.meets()).expect("both have meshes")
}

pub(super) fn report() {
    let peers: Vec<Broad> = Broad::all().into_iter().filter(|it| it.has_bodies).collect();
    println!(
        "\n| {COUNT} bodies, ms a step, {} | density | speed | contacts | trees | sweep | queries | scheduled | queries | {} |",
        level().name(),
        peers.iter().map(|it| it.name).collect::<Vec<_>>().join(" | ")
    );
    println!("{}|", "|---".repeat(9 + peers.len()));
    for setting in &SETTINGS {
        let mesh: Mesh = icosphere::icosphere(setting.frequency);
        let file = compiled(&mesh, Quality::Default);
        let models = [Some(Model::from_bytes(&file).expect("it opens").with_level(level()))];
        let (course, speeds) = course(setting);
        let [trees, sweep, scheduled] =
            [Way::Trees, Way::Sweep, Way::Scheduled].map(|way| bvhc(&models, &course, &speeds, way));
        assert!(trees.contacts == sweep.contacts && trees.contacts == scheduled.contacts);
        let placed: Vec<Vec<Placed>> =
            course.iter().map(|poses| poses.iter().map(placed).collect()).collect();
        let mut cells = Vec::new();
        for peer in &peers {
            let mut bodies = peer.bodies(&mesh, COUNT).expect("it has a narrow phase");
            let theirs = run(&placed, |_, poses| (bodies.frame(poses), 0));
            let differ: usize = theirs
                .contacts
                .iter()
                .zip(&trees.contacts)
                .map(|(theirs, ours)| theirs.abs_diff(*ours))
                .sum();
            let total: usize = trees.contacts.iter().sum();
            if differ > 0 {
                eprintln!("  {}: {differ} of {total} contacts differ", peer.name);
            }
            assert!(
                differ as f64 <= 0.02 * total as f64,
                "{}: {differ} of {total} contacts differ",
                peer.name
            );
            cells.push(format!("{:.2}", theirs.ms));
        }
        println!(
            "| {} faces | {} | {} | {} | {:.2} | {:.2} | {:.0} | {:.2} | {:.0} | {} |",
            mesh.triangles.len(),
            setting.density,
            setting.speed,
            trees.contacts[STEPS - 1],
            trees.ms,
            sweep.ms,
            trees.queries,
            scheduled.ms,
            scheduled.queries,
            cells.join(" | ")
        );
    }
}
