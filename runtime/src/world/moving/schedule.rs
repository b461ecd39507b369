//! Pairs that wait until they can touch: the narrow phase asks those only that are due.
//!
//! Based on: Mirtich, "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996 (a heap of pairs by lower bounds of the time to
//! contact), and Lin, Canny, "A Fast Algorithm for Incremental Distance Calculation", 1991 (bounds from the distance, the speeds and
//! the accelerations). Departure: the pairs are those of a broad phase, kept in their order, and the heap has their places.

use core::cmp::Ordering;
use core::ops::ControlFlow;

use super::between::{BetweenError, Separation};
use super::motion::MotionBound;
use super::snapshot::Snapshot;
use super::warm::match_to;
use super::{MovingError, Thing, ThingPair};
use crate::pair::WarmStart;

/// What positions may be rounded by, relative to the coordinates: a pair wakes while this much is left of its distance. Vertices
/// are transformed in f64, by several operations: with less than 2^-48 of an error in all.
const ROUNDOFF: f64 = 1.0 / (1u64 << 40) as f64;

/// A place for a pair that waits: 96 bytes on machines of 64 bits.
#[derive(Clone, Copy, Debug)]
pub struct ScheduledPair {
    pair: ThingPair,
    start: WarmStart,
    /// When it is due.
    time: f64,
    /// Of the heap's record at this place: the place of its pair. The pairs themselves stay in their order.
    of_heap: u32,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<ScheduledPair>() == 96);

impl ScheduledPair {
    /// What a slice of places is filled with at first.
    pub const NONE: Self = Self::new(ThingPair { a: Thing::Still(u32::MAX), b: Thing::Still(u32::MAX) });

    /// A pair that is due at once.
    const fn new(pair: ThingPair) -> Self {
        Self { pair, start: WarmStart(None), time: f64::NEG_INFINITY, of_heap: 0 }
    }
}

/// The narrow phase of pairs that are near, each asked only when it can touch at all: before that, what the bounds of its things'
/// motion and their distance say.
///
/// Each pair that is asked and apart waits until both bounds together have used up the distance; pairs that meet, and those that have
/// no answer when they are asked, are due in each call. (A pair that waits is not asked earlier because one of its things is removed or
/// hidden.) So the pairs that meet are found in each call, exactly those that a query of all pairs would find, while the bounds hold.
/// Nothing allocates.
///
/// It pays where things are slow beside the gaps between them, and distances are wanted anyway: a distance takes about ten times as long
/// as a yes or no ([`Between::collides`](super::Between::collides)), which for all near pairs may be faster. docs/benchmarks/worlds.md
/// has figures.
///
/// Pairs enter and leave by [`set_pairs`](Self::set_pairs), with the list of a broad phase. What is not in it is farther than its
/// margin m, and cannot touch within [`earliest_contact`](MotionBound::earliest_contact) of the fastest two things and m: until
/// then the list needs no renewal.
///
/// ```
/// use core::ops::ControlFlow;
/// use bvhc_runtime::*;
///
/// let mut meshes = [None; 2];
/// let level = World::from_bytes(include_aligned!("../../../../tests/golden/world.bvh"), &mut meshes)?;
/// let mut memory = vec![0; MovingWorld::bytes_needed(2)];
/// let mut world = MovingWorld::new(level, 2, &mut memory)?;
/// let at = |z: f64| Similarity::new(Pose::from_translation([0.0, 0.0, z]).unwrap(), 1.0, false).unwrap();
/// let (a, b) = (world.add_instance(0, &at(500.0), 1, 0)?, world.add_instance(0, &at(510.0), 1, 0)?);
/// let pair = ThingPair { a: Thing::Moving(a), b: Thing::Moving(b) };
///
/// let mut places = [ScheduledPair::NONE; 10];
/// let mut schedule = ContactSchedule::new(&mut places);
/// schedule.set_pairs(&[pair])?;
/// let (mut asked, mut first_contact) = (0, None);
/// for step in 0..20 {
///     let time = f64::from(step);
///     world.move_instance(a, &at(500.0 + time))?;
///     let motion = |thing| if thing == pair.a { MotionBound { speed: 1.0, acceleration: 0.0 } } else { MotionBound::STILL };
///     let _ = schedule.due(&world.snapshot(), time, f64::INFINITY, motion, |_, found| {
///         asked += 1;
///         if found == Ok(Separation::Meeting) {
///             first_contact.get_or_insert(step);
///         }
///         ControlFlow::Continue(())
///     });
/// }
/// assert!(first_contact == Some(10) && asked < 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ContactSchedule<'m> {
    places: &'m mut [ScheduledPair],
    /// The places in use, ascending by pair.
    used: usize,
}

impl<'m> ContactSchedule<'m> {
    /// Without pairs. What the places hold does not matter. Of a longer slice the first 2^32 - 1 places are used.
    pub fn new(places: &'m mut [ScheduledPair]) -> Self {
        let count = places.len().min(u32::MAX as usize);
        Self { places: &mut places[..count], used: 0 }
    }

    /// How many pairs it has places for.
    pub fn capacity(&self) -> usize {
        self.places.len()
    }

    /// How many pairs wait.
    pub fn len(&self) -> usize {
        self.used
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Makes the pairs those of a sorted list, as [`Snapshot::near_pairs_into`] writes it. New ones are due at once, others keep their
    /// time. Cost: linear.
    ///
    /// Where the list is not ascending, times are lost: pairs are due at once.
    ///
    /// # Errors
    /// [`MovingError::Pairs`] if there are fewer places than pairs; then nothing was changed.
    pub fn set_pairs(&mut self, pairs: &[ThingPair]) -> Result<(), MovingError> {
        if pairs.len() > self.places.len() {
            return Err(MovingError::Pairs { needed: pairs.len(), found: self.places.len() });
        }
        match_to(self.places, self.used, pairs, |held| held.pair, ScheduledPair::new);
        self.used = pairs.len();
        self.make_heap();
        Ok(())
    }

    /// Makes the pairs of some things due at once: of those whose bounds do not hold any longer, as after an impulse or a jump.
    /// Cost: linear.
    pub fn wake(&mut self, mut has_changed: impl FnMut(Thing) -> bool) {
        for place in &mut self.places[..self.used] {
            if has_changed(place.pair.a) || has_changed(place.pair.b) {
                place.time = f64::NEG_INFINITY;
            }
        }
        self.make_heap();
    }

    /// When the next pair is due; negative infinity for at once, `None` without pairs.
    pub fn next_time(&self) -> Option<f64> {
        self.places[..self.used].first().map(|root| self.places[root.of_heap as usize].time)
    }

    /// Asks the pairs that are due at this time, by time, equal ones in the order of pairs, and calls `visit` with how far each is apart,
    /// up to a limit, as [`Between::separation`](super::Between::separation), until it returns `Break`, which is then returned. The
    /// others cannot meet now.
    ///
    /// `motion` says how each thing of an asked pair may move from now on; instances of the compiled world do not. With a larger
    /// limit a query takes longer, and pairs that are beyond it wait longer; with a negative one, or NaN, no pair is within it, and all stay
    /// due. Each pair has its own answer or its own error. Times must not decrease from call to call; at a time of NaN all are due.
    pub fn due(
        &mut self,
        now: &Snapshot<'_>,
        time: f64,
        limit: f64,
        mut motion: impl FnMut(Thing) -> MotionBound,
        mut visit: impl FnMut(ThingPair, Result<Separation, BetweenError>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut asking = Asking { waiting: self.used, schedule: self };
        let mut ended = ControlFlow::Continue(());
        while asking.waiting > 0 && ended.is_continue() {
            let places = &mut asking.schedule.places;
            let place = &mut places[places[0].of_heap as usize];
            if place.time > time {
                break;
            }
            let pair = place.pair;
            let found =
                now.between(pair).and_then(|between| between.separation_from(limit, &mut place.start));
            place.time = match distance_left(now, pair, limit, &found) {
                Some(distance) => {
                    let [a, b] = [pair.a, pair.b].map(|thing| match thing {
                        Thing::Still(_) => MotionBound::STILL,
                        Thing::Moving(_) => motion(thing),
                    });
                    let due = (time + a.earliest_contact(&b, distance)).next_down();
                    // At an infinite time that is not a number, and the heap orders numbers.
                    if due.is_nan() { f64::NEG_INFINITY } else { due }
                }
                None => f64::NEG_INFINITY,
            };
            asking.next();
            ended = visit(pair, found);
        }
        ended
    }

    fn make_heap(&mut self) {
        for (index, place) in self.places[..self.used].iter_mut().enumerate() {
            place.of_heap = index as u32;
        }
        for at in (0..self.used / 2).rev() {
            self.sift_down(at, self.used);
        }
    }

    /// The order of two records of the heap, by time and pair.
    fn order(&self, a: usize, b: usize) -> Ordering {
        let [a, b] = [a, b].map(|at| self.places[at].of_heap);
        let time = |index: u32| self.places[index as usize].time;
        time(a).total_cmp(&time(b)).then(a.cmp(&b))
    }

    fn swap(&mut self, a: usize, b: usize) {
        let held = self.places[a].of_heap;
        self.places[a].of_heap = self.places[b].of_heap;
        self.places[b].of_heap = held;
    }

    fn sift_up(&mut self, mut at: usize) {
        while at > 0 && self.order(at, (at - 1) / 2).is_lt() {
            self.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn sift_down(&mut self, mut at: usize, len: usize) {
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < len && self.order(child, least).is_lt() {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.swap(at, least);
            at = least;
        }
    }
}

/// A heap that shrinks as pairs are asked; behind it are those that were. When this ends, also by a panic of the caller's, all are one heap
/// again.
struct Asking<'s, 'm> {
    schedule: &'s mut ContactSchedule<'m>,
    waiting: usize,
}

impl Asking<'_, '_> {
    /// The root was asked, and has another time.
    fn next(&mut self) {
        self.waiting -= 1;
        self.schedule.swap(0, self.waiting);
        self.schedule.sift_down(0, self.waiting);
    }
}

impl Drop for Asking<'_, '_> {
    fn drop(&mut self) {
        for last in self.waiting..self.schedule.used {
            self.schedule.sift_up(last);
        }
    }
}

/// How far two things may still move until they may meet, as computed; `None` if they meet now or have no answer.
fn distance_left(
    now: &Snapshot<'_>,
    pair: ThingPair,
    limit: f64,
    found: &Result<Separation, BetweenError>,
) -> Option<f64> {
    let distance = match found {
        Ok(Separation::Apart(found)) => found.distance,
        // Without a limit that is one, this says nothing.
        Ok(Separation::Beyond) if limit >= 0.0 => limit,
        _ => return None,
    };
    let coordinates = now.largest_coordinate(pair.a)? + now.largest_coordinate(pair.b)?;
    Some((distance - ROUNDOFF * (coordinates + distance)).max(0.0))
}

impl Snapshot<'_> {
    /// How large the numbers are that a thing's points are computed from.
    fn largest_coordinate(&self, thing: Thing) -> Option<f64> {
        let record = match thing {
            Thing::Still(number) => self.still.record(number),
            Thing::Moving(handle) => self.moving.record(handle.number),
        }?;
        let bounds = record.bounds.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        Some(record.position.iter().fold(f64::from(bounds), |most, x| most + x.abs()))
    }
}
