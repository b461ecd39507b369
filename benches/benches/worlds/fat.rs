//! What fat boxes cost queries: 100,000 boxes that drift, in trees with leaves that are larger than the boxes.

use std::ops::ControlFlow;

use bvhc_benches::peers::level;
use bvhc_runtime::{Aabb, Handle, MovingWorld, Ray, Snapshot, Thing};
use bvhc_tests::random::Random;
use cpu_time::ProcessTime;

use crate::pairs::scenes::{Frame, SCENES, drifting};

/// What leaves are grown by; boxes move by up to 0.05 on each axis in each frame.
const FATNESSES: [f32; 5] = [0.0, 0.05, 0.1, 0.2, 0.4];
const FRAMES: usize = 12;
const QUERIES: usize = 10_000;
const RADIUS: f32 = 2.0;

struct Queries {
    rays: Vec<Ray>,
    points: Vec<[f32; 3]>,
}

/// Between random points of the bounds, and at random points.
fn queries(frame: &Frame, random: &mut Random) -> Queries {
    let mut all = Aabb::new([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for of in &frame.boxes {
        for axis in 0..3 {
            all.min[axis] = all.min[axis].min(of[axis]);
            all.max[axis] = all.max[axis].max(of[axis + 3]);
        }
    }
    let mut point = || random.point(all.min, all.max);
    let mut ray = || {
        let (from, to) = (point(), point());
        Ray::new(from, [0, 1, 2].map(|axis| to[axis] - from[axis]))
    };
    let rays = (0..QUERIES).map(|_| ray()).collect();
    Queries { rays, points: (0..QUERIES).map(|_| point()).collect() }
}

/// The nearest things, and the things in spheres: the same whatever the leaves are.
#[derive(Clone, PartialEq, Default)]
struct Answers {
    hits: Vec<Option<Thing>>,
    any: usize,
    near: Vec<Option<Thing>>,
    in_spheres: usize,
}

/// The least nanoseconds of each kind of query in all rounds.
type Times = [f64; 4];

fn timed(least: &mut f64, run: impl FnOnce()) {
    let start = ProcessTime::now();
    run();
    *least = least.min(start.elapsed().as_secs_f64() * 1e9 / QUERIES as f64);
}

fn ask(now: &Snapshot<'_>, queries: &Queries, times: &mut Times) -> Answers {
    let mut answers = Answers::default();
    let Answers { hits, any, near, in_spheres } = &mut answers;
    let [closest, any_time, nearest, spheres] = times;
    timed(closest, || hits.extend(queries.rays.iter().map(|ray| now.closest_hit(ray).map(|it| it.thing))));
    timed(any_time, || *any = queries.rays.iter().filter(|ray| now.any_hit(ray)).count());
    timed(nearest, || {
        near.extend(
            queries.points.iter().map(|at| now.closest_point(*at, RADIUS, &mut ()).map(|it| it.thing)),
        );
    });
    timed(spheres, || {
        for at in &queries.points {
            let _ = now.overlap_sphere(*at, RADIUS, &mut (), |_| {
                *in_spheres += 1;
                ControlFlow::Continue(())
            });
        }
    });
    answers
}

/// The milliseconds of a frame (handing all in, and updating), and the times of queries after the last one.
fn row(frames: &[Frame], fatness: f32, queries: &Queries, rounds: usize) -> (f64, Times, Answers) {
    let bounds = |of: &[f32; 6]| Aabb::new([of[0], of[1], of[2]], [of[3], of[4], of[5]]);
    let count = frames[0].boxes.len() as u32;
    let mut memory = vec![0; MovingWorld::bytes_needed(count)];
    let mut world = MovingWorld::of_models(&[], level(), count, &mut memory).expect("there is memory");
    world.fatten(fatness).expect("a fatness");
    let add = |of: &[f32; 6]| world.add_box(&bounds(of), 1, 0).expect("it fits");
    let handles: Vec<Handle> = frames[0].boxes.iter().map(add).collect();
    world.rebuild();
    let start = ProcessTime::now();
    for frame in &frames[1..] {
        for (handle, of) in handles.iter().zip(&frame.boxes) {
            world.move_box(*handle, &bounds(of)).expect("it is there");
        }
        world.update();
    }
    let frame = start.elapsed().as_secs_f64() * 1e3 / (frames.len() - 1) as f64;
    let (mut times, mut answers) = ([f64::INFINITY; 4], Answers::default());
    for _ in 0..rounds {
        answers = ask(&world.snapshot(), queries, &mut times);
    }
    (frame, times, answers)
}

pub(super) fn report() {
    let rounds = std::env::var("BVHC_ROUNDS").map_or(5, |it| it.parse().expect("BVHC_ROUNDS: a number"));
    println!(
        "\n| fat boxes, {} | fatness | frame, ms | closest hit, ns | any hit | closest point | sphere |",
        level().name()
    );
    println!("|---|---|---|---|---|---|---|");
    for scene in &SCENES {
        let frames = drifting(scene, FRAMES, &mut Random::new(7));
        let queries = queries(&frames[FRAMES - 1], &mut Random::new(8));
        let mut wanted = None;
        for fatness in FATNESSES {
            let (frame, times, answers) = row(&frames, fatness, &queries, rounds.max(1));
            assert!(*wanted.get_or_insert_with(|| answers.clone()) == answers, "fat boxes change an answer");
            let [closest, any, near, sphere] = times;
            println!(
                "| {} | {fatness} | {frame:.2} | {closest:.0} | {any:.0} | {near:.0} | {sphere:.0} |",
                scene.name
            );
        }
    }
}
