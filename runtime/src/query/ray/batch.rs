//! Many rays at a time: neighbours that go the same way are traced in packets, others, in large models, interleaved.

use core::ops::Range;

use super::{Answer, Any, Closest};
use crate::model::Model;
use crate::packet::Packet;
use crate::ray::{Class, Hit, Ray, octant};
use crate::simd::{Kernel, dispatch};
use crate::walk::probe::{Erased, Probe};
use crate::walk::ray::{interleaved, packet};

/// Fewer rays of one class in a row go one by one.
const SHORTEST_RUN: usize = 16;

impl Model<'_> {
    /// The closest hit of each ray, as [`closest_hit`](Self::closest_hit) finds it, bit for bit.
    ///
    /// `hits[i]` answers `rays[i]`; where the slices are not of one length, the rest of the longer one is left alone.
    /// Rays that follow each other and go the same way, as those of a camera do tile by tile, are traced
    /// together, up to twice as fast. Others go one by one, as fast as if asked so, or, in models of more than 24 MiB,
    /// interleaved, up to twice as fast. Neither allocates nor panics.
    pub fn closest_hits(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.closest_hits_with(rays, hits, &mut ());
    }

    /// As [`closest_hits`](Self::closest_hits), among the triangles that `probe` accepts. What the rays of a packet visit
    /// together counts once.
    pub fn closest_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut P) {
        self.answer::<Closest>(rays, hits, &mut Erased::new(probe));
    }

    /// Whether each ray hits anything, as [`any_hit`](Self::any_hit) finds it; else as
    /// [`closest_hits`](Self::closest_hits).
    pub fn any_hits(&self, rays: &[Ray], hits: &mut [bool]) {
        self.any_hits_with(rays, hits, &mut ());
    }

    /// As [`any_hits`](Self::any_hits), among the triangles that `probe` accepts.
    pub fn any_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [bool], probe: &mut P) {
        self.answer::<Any>(rays, hits, &mut Erased::new(probe));
    }

    /// As [`closest_hits`](Self::closest_hits), interleaved however large the model is: for tests.
    #[doc(hidden)]
    pub fn closest_hits_interleaved(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.answer_interleaved::<Closest>(rays, hits, &mut Erased::new(&mut ()));
    }

    /// As [`any_hits`](Self::any_hits), interleaved however large the model is: for tests.
    #[doc(hidden)]
    pub fn any_hits_interleaved(&self, rays: &[Ray], hits: &mut [bool]) {
        self.answer_interleaved::<Any>(rays, hits, &mut Erased::new(&mut ()));
    }

    fn answer<Q: Answer>(&self, rays: &[Ray], answers: &mut [Q::Answer], probe: &mut Erased<'_>) {
        let count = rays.len().min(answers.len());
        let (rays, answers) = (&rays[..count], &mut answers[..count]);
        let is_large = self.is_large();
        for_each_run(rays, self.packet_capacity(), |class, run| {
            let (rays, answers) = (&rays[run.clone()], &mut answers[run]);
            match class {
                Some(class) => self.answer_packet::<Q>(class, rays, answers, probe),
                None if is_large => self.answer_interleaved::<Q>(rays, answers, probe),
                None => self.answer_each::<Q>(rays, answers, probe),
            }
        });
    }

    fn answer_packet<Q: Answer>(
        &self,
        class: Class,
        rays: &[Ray],
        answers: &mut [Q::Answer],
        probe: &mut Erased<'_>,
    ) {
        dispatch!(self.level().inner(), simd => together::<_, Q>(simd, self, class, rays, answers, probe));
    }

    fn answer_each<Q: Answer>(&self, rays: &[Ray], answers: &mut [Q::Answer], probe: &mut Erased<'_>) {
        let idle = probe.is_idle();
        for (ray, answer) in rays.iter().zip(answers) {
            *answer = if idle { self.ask::<Q>(ray) } else { self.ask_erased::<Q>(ray, probe) };
        }
    }

    fn answer_interleaved<Q: Answer>(&self, rays: &[Ray], answers: &mut [Q::Answer], probe: &mut Erased<'_>) {
        answers.fill(Q::MISS);
        dispatch!(self.level().inner(), simd => {
            interleaved::walk::<_, Q>(
                simd,
                self,
                rays,
                probe,
                #[inline(always)]
                |ray, found| answers[ray] = Q::answer(simd, self, found),
            );
        });
        for (ray, answer) in rays.iter().zip(answers).filter(|(ray, _)| Class::of(ray).is_none()) {
            *answer = self.ask_erased::<Q>(ray, probe);
        }
    }

    /// How many rays a packet has at most; 1 on levels where packets do not pay.
    fn packet_capacity(&self) -> usize {
        dispatch!(self.level().inner(), simd => packet_capacity(simd))
    }
}

#[inline(always)]
fn together<S: Kernel, Q: Answer>(
    simd: S,
    model: &Model<'_>,
    class: Class,
    rays: &[Ray],
    answers: &mut [Q::Answer],
    probe: &mut Erased<'_>,
) {
    // On other levels there are no packets, and nothing is to be compiled.
    if S::PACKETS {
        let packet = Packet::new(simd, class, rays, model.reach());
        let found = packet::walk::<S, Q>(simd, model, &packet, rays, probe);
        for (answer, found) in answers.iter_mut().zip(&found) {
            *answer = Q::answer(simd, model, found);
        }
    }
}

fn packet_capacity<S: Kernel>(_: S) -> usize {
    if S::PACKETS { Packet::<S>::CAPACITY } else { 1 }
}

/// Calls `trace` with the places of at most `most` rays that follow each other and have a class in common, if they are not
/// few; and of all between such runs, without a class.
///
/// Looks at a ray where a run would have to go on at least, and from there back as far as its class does: of rays that have
/// nothing in common, most need no look.
#[inline(always)]
fn for_each_run(rays: &[Ray], most: usize, mut trace: impl FnMut(Option<Class>, Range<usize>)) {
    let goes_with = |class: Class, place: usize| {
        rays.get(place).is_some_and(|ray| octant(ray) == class.octant && Class::of(ray) == Some(class))
    };
    let (mut rest, mut start) = (0, 0);
    while most >= SHORTEST_RUN && rays.len() - start >= SHORTEST_RUN {
        let last = start + SHORTEST_RUN - 1;
        if octant(&rays[last]) != octant(&rays[last - 1]) {
            start = last;
            continue;
        }
        let Some(class) = Class::of(&rays[last]) else {
            start = last + 1;
            continue;
        };
        let mut first = last;
        while first > start && goes_with(class, first - 1) {
            first -= 1;
        }
        if first > start {
            start = first;
            continue;
        }
        let mut end = last + 1;
        while end - start < most && goes_with(class, end) {
            end += 1;
        }
        if rest < start {
            trace(None, rest..start);
        }
        trace(Some(class), start..end);
        (rest, start) = (end, end);
    }
    if rest < rays.len() {
        trace(None, rest..rays.len());
    }
}
