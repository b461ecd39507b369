//! Pairs that wait until they can touch: in each step those that meet are those that all queries find.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use bvhc::compile::{Options, Quality};
use bvhc_runtime::{
    Aabb, BetweenError, ContactSchedule, Handle, MotionBound, MovingError, MovingWorld, Pose, ScheduledPair,
    Separation, Similarity, Snapshot, Thing, ThingPair, World,
};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{grid, icosphere};
use bvhc_tests::support::levels;
use bvhc_tests::support::world::{Placed, compiled_world};

use super::with_world;

const NOTHING: ThingPair = ThingPair { a: Thing::Still(0), b: Thing::Still(0) };
const SIDE: f64 = 5.0;
const STEP: f64 = 1.0 / 60.0;

/// A body that turns, falls, and bounces off the walls.
#[derive(Clone, Copy)]
struct Body {
    handle: Handle,
    mesh: u32,
    at: [f64; 3],
    velocity: [f64; 3],
    axis: [f64; 3],
    spin: f64,
    angle: f64,
    scale: f64,
}

const GRAVITY: f64 = 2.0;

impl Body {
    fn any(mesh: u32, random: &mut Random) -> Self {
        let number = |random: &mut Random| SIDE * (2.0 * random.unit() - 1.0);
        Self {
            handle: Handle { number: 0, generation: 0 },
            mesh,
            at: [0; 3].map(|_| number(random)),
            velocity: [0; 3].map(|_| 0.4 * number(random)),
            axis: random.direction().map(f64::from),
            spin: 3.0 * random.unit(),
            angle: 0.0,
            scale: [0.25, 0.4, 0.5][random.below(3) as usize],
        }
    }

    fn place(&self) -> Similarity {
        let (sin, cos) = (self.angle / 2.0).sin_cos();
        let length = self.axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [x, y, z] = self.axis.map(|x| sin * x / length);
        let pose = Pose::from_quaternion([x, y, z, cos], self.at).expect("a pose");
        Similarity::new(pose, self.scale, self.mesh == 1).expect("a scale")
    }

    fn advance(&mut self) {
        self.velocity[2] -= GRAVITY * STEP;
        self.angle += self.spin * STEP;
        for axis in 0..3 {
            self.at[axis] += self.velocity[axis] * STEP;
            if self.at[axis].abs() > SIDE && self.at[axis] * self.velocity[axis] > 0.0 {
                self.velocity[axis] = -self.velocity[axis];
            }
        }
    }

    /// The velocity is changed at the beginning of a step, so a step's is already faster.
    fn motion(&self) -> MotionBound {
        let speed = self.velocity.iter().map(|x| x * x).sum::<f64>().sqrt() + GRAVITY * STEP;
        // Both meshes are within 2 of their origin.
        MotionBound::of_body(speed, GRAVITY, self.spin, 0.0, 2.0 * self.scale)
    }
}

/// All pairs that meet, of those near, without a schedule.
fn meeting(now: &Snapshot<'_>) -> (BTreeSet<ThingPair>, usize) {
    let (mut pairs, mut queries) = (BTreeSet::new(), 0);
    let _ = now.near_pairs(0.0, |pair| {
        queries += 1;
        if now.between(pair).and_then(|it| it.collides()) == Ok(true) {
            pairs.insert(pair);
        }
        ControlFlow::Continue(())
    });
    (pairs, queries)
}

/// A loop of N bodies with a margin of the broad phase. Returns contacts, queries of the schedule, queries of all near pairs, and
/// how often the list of pairs was renewed.
fn simulate(world: &World<'_>, count: usize, steps: u32, margin: f32, seed: u64) -> [usize; 4] {
    let mut random = Random::new(seed);
    let mut memory = vec![0; MovingWorld::bytes_needed(count as u32)];
    let mut moving = MovingWorld::new(*world, count as u32, &mut memory).expect("there is memory");
    let mut bodies: Vec<Body> = (0..count).map(|number| Body::any(number as u32 % 2, &mut random)).collect();
    for body in &mut bodies {
        body.handle = moving.add_instance(body.mesh, &body.place(), 1, 0).expect("it fits");
    }
    let (mut places, mut pairs) = (vec![ScheduledPair::NONE; 4000], vec![NOTHING; 4000]);
    let mut schedule = ContactSchedule::new(&mut places);
    let (mut renewal, mut sums) = (f64::NEG_INFINITY, [0; 4]);
    for step in 0..steps {
        let time = f64::from(step) * STEP;
        let now = moving.snapshot();
        if time >= renewal {
            let near = now.near_pairs_into(margin, &mut pairs).expect("there are places");
            schedule.set_pairs(&pairs[..near]).expect("there are places");
            let fastest = bodies.iter().map(Body::motion).reduce(|a, b| MotionBound {
                speed: a.speed.max(b.speed),
                acceleration: a.acceleration.max(b.acceleration),
            });
            let fastest = fastest.expect("there are bodies");
            renewal = time + fastest.earliest_contact(&fastest, margin.into());
            sums[3] += 1;
        }
        let mut found = BTreeSet::new();
        let motion = |thing: Thing| {
            bodies.iter().find(|it| Thing::Moving(it.handle) == thing).expect("it moves").motion()
        };
        let ended = schedule.due(&now, time, 3.0, motion, |pair, separation| {
            sums[1] += 1;
            if separation.expect("both have meshes") == Separation::Meeting {
                assert!(found.insert(pair));
            }
            ControlFlow::Continue(())
        });
        assert!(ended.is_continue());
        let (wanted, queries) = meeting(&now);
        assert_eq!(found, wanted, "step {step}");
        sums[0] += found.len();
        sums[2] += queries;
        // Some are kicked, so that they are faster than they might have been.
        let kicked = random.below(400) as usize;
        for (index, body) in bodies.iter_mut().enumerate() {
            if index == kicked {
                body.velocity = body.velocity.map(|x| 1.5 * x);
                schedule.wake(|thing| thing == Thing::Moving(body.handle));
                renewal = f64::NEG_INFINITY;
            }
            body.advance();
            moving.move_instance(body.handle, &body.place()).expect("it is there");
        }
        moving.update();
    }
    sums
}

fn with_level(ask: impl FnOnce(&World<'_>)) {
    let mut random = Random::new(3);
    let meshes = [grid::cubes([1, 1, 1]), icosphere::displaced(2, 0.2, 1)];
    let placed: Vec<Placed> =
        (0..5).map(|number| Placed::any(number % 2, SIDE, false, &mut random)).collect();
    let options = Options::of(Quality::Default);
    let file = compiled_world(&meshes.iter().collect::<Vec<_>>(), &placed, &options);
    with_world(&file, levels()[0], ask);
}

#[test]
fn contacts_are_those_of_all_queries() {
    with_level(|world| {
        for (margin, seed) in [(0.5, 1), (2.0, 2)] {
            let [contacts, scheduled, all, renewals] = simulate(world, 24, 240, margin, seed);
            println!("margin {margin}: {contacts} contacts, {scheduled} queries for {all}, {renewals} lists");
            assert!(contacts > 100 && scheduled - contacts < all && renewals < 200);
        }
    });
}

#[test]
fn pairs_wait_in_the_order_of_their_time() {
    with_level(|world| {
        let mut memory = vec![0; MovingWorld::bytes_needed(10)];
        let mut moving = MovingWorld::new(*world, 10, &mut memory).expect("there is memory");
        let at = |x: f64| {
            Similarity::new(Pose::from_translation([x, 0.0, 100.0]).expect("a pose"), 1.0, false)
                .expect("a scale")
        };
        let things: Vec<Thing> = (0..5)
            .map(|x| {
                Thing::Moving(moving.add_instance(0, &at(f64::from(x * x * 10)), 1, 0).expect("it fits"))
            })
            .collect();
        let bounds = Aabb::new([0.0, 0.0, 100.0], [1.0, 1.0, 101.0]);
        let solid = Thing::Moving(moving.add_box(&bounds, 1, 0).expect("it fits"));
        let mut pairs: Vec<ThingPair> =
            (1..5).map(|index| ThingPair { a: things[index - 1], b: things[index] }).collect();
        pairs.insert(1, ThingPair { a: things[0], b: solid });
        let mut places = [ScheduledPair::NONE; 5];
        let mut schedule = ContactSchedule::new(&mut places);
        assert_eq!((schedule.next_time(), schedule.len(), schedule.capacity()), (None, 0, 5));
        let too_many = [pairs.as_slice(), &[NOTHING]].concat();
        assert_eq!(schedule.set_pairs(&too_many), Err(MovingError::Pairs { needed: 6, found: 5 }));
        schedule.set_pairs(&pairs).expect("there are places");
        let now = moving.snapshot();
        // Things a unit of time fast: gaps are 9, 29, 49 and 69.
        let motion = |_: Thing| MotionBound { speed: 0.5, acceleration: 0.0 };
        let asked = |schedule: &mut ContactSchedule<'_>, time: f64, stop_after: usize| {
            let mut visited = Vec::new();
            let _ = schedule.due(&now, time, f64::INFINITY, motion, |pair, found| {
                let is_solid = pair.b == solid;
                assert_eq!(found.is_err(), is_solid);
                assert!(!is_solid || matches!(found, Err(BetweenError::NoMesh { .. })));
                visited.push(pairs.iter().position(|it| *it == pair).expect("it is there"));
                if visited.len() == stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            visited
        };
        // What was not asked before a break is due in the next call, as is what has no answer.
        assert_eq!(asked(&mut schedule, 0.0, 2), [0, 1]);
        assert_eq!(asked(&mut schedule, 0.0, 9), [1, 2, 3, 4]);
        assert_eq!(schedule.next_time(), Some(f64::NEG_INFINITY));
        assert_eq!(asked(&mut schedule, 8.9, 9), [1]);
        assert_eq!(asked(&mut schedule, 30.0, 9), [1, 0, 2]);
        schedule.wake(|thing| thing == things[4]);
        assert_eq!(asked(&mut schedule, 30.0, 9), [1, 4]);
        assert_eq!(asked(&mut schedule, f64::NAN, 9).len(), 5);
        // Limits that are none say nothing of how far things are apart: all are due again.
        for limit in [-1.0, f64::NAN] {
            schedule.wake(|_| true);
            let _ = schedule.due(&now, 30.0, limit, |_| MotionBound::STILL, |_, _| ControlFlow::Continue(()));
            assert_eq!(asked(&mut schedule, 30.0, 9).len(), 5);
        }
        // What the caller does may panic: pairs are in their order again.
        schedule.wake(|thing| thing == things[4]);
        let panics = std::panic::AssertUnwindSafe(|| {
            schedule.due(&now, 31.0, 1e9, motion, |_, _| panic!("in a visit"))
        });
        assert!(std::panic::catch_unwind(panics).is_err());
        assert_eq!(asked(&mut schedule, 31.0, 9), [1, 4]);
        // Pairs that stay keep their time; the rest are due at once.
        schedule.set_pairs(&pairs[..1]).expect("there are places");
        assert_eq!(schedule.len(), 1);
    });
}
