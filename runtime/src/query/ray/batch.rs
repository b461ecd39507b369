//! Many rays at a time: neighbours with similar directions are traced in packets; others, in large models, are
//! interleaved.

use core::ops::Range;

use super::{Answer, Any, Closest};
use crate::model::Model;
use crate::packet::Packet;
use crate::ray::{Class, Hit, Ray, octant};
use crate::simd::{Kernel, dispatch};
use crate::walk::ROOT;
use crate::walk::probe::{Erased, Probe};
use crate::walk::ray::{interleaved, packet};

/// Shorter runs of one class are traced one by one.
const SHORTEST_RUN: usize = 16;

impl Model<'_> {
    /// The closest hit of each ray, bit-identical to [`closest_hit`](Self::closest_hit).
    ///
    /// `hits[i]` answers `rays[i]`; if the slices differ in length, the rest of the longer one is ignored. Consecutive
    /// rays with similar directions, such as camera rays tile by tile, are traced together, up to twice as fast. Others
    /// are traced one by one, at the speed of single queries, or, in models of more than 24 MiB, interleaved, up to
    /// twice as fast. Does not allocate or panic.
    pub fn closest_hits(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.closest_hits_with(rays, hits, &mut ());
    }

    /// As [`closest_hits`](Self::closest_hits), among the triangles that `probe` accepts. Visits that the rays of a
    /// packet share are counted once.
    pub fn closest_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut P) {
        self.answer::<Closest>(rays, hits, &mut Erased::new(probe));
    }

    /// Whether each ray hits anything, as [`any_hit`](Self::any_hit); otherwise as
    /// [`closest_hits`](Self::closest_hits).
    pub fn any_hits(&self, rays: &[Ray], hits: &mut [bool]) {
        self.any_hits_with(rays, hits, &mut ());
    }

    /// As [`any_hits`](Self::any_hits), among the triangles that `probe` accepts.
    pub fn any_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [bool], probe: &mut P) {
        self.answer::<Any>(rays, hits, &mut Erased::new(probe));
    }

    /// As [`closest_hits`](Self::closest_hits), but interleaved for any model size; for tests.
    #[doc(hidden)]
    pub fn closest_hits_interleaved(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.answer_interleaved::<Closest>(rays, hits, &mut Erased::new(&mut ()));
    }

    /// As [`any_hits`](Self::any_hits), but interleaved for any model size; for tests.
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
            *answer = if idle { self.ask::<Q>(ROOT, ray) } else { self.ask_erased::<Q>(ROOT, ray, probe) };
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
            *answer = self.ask_erased::<Q>(ROOT, ray, probe);
        }
    }

    /// The largest number of rays in a packet; 1 at levels where packets do not pay.
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
    // Other levels have no packets; there this is not compiled.
    if S::PACKETS {
        let packet = Packet::new(simd, class, rays, model.extent());
        let found = packet::walk::<S, Q>(simd, model, &packet, rays, probe);
        for (answer, found) in answers.iter_mut().zip(&found) {
            *answer = Q::answer(simd, model, found);
        }
    }
}

fn packet_capacity<S: Kernel>(_: S) -> usize {
    if S::PACKETS { Packet::<S>::CAPACITY } else { 1 }
}

/// Calls `trace` for each run of consecutive rays with a common class, of [`SHORTEST_RUN`] to `most` rays; and, without
/// a class, for all rays between such runs.
///
/// Looks first at the ray where a run would have to end at the earliest, then back as far as its class extends. If rays
/// have nothing in common, most are never looked at.
#[inline(always)]
fn for_each_run(rays: &[Ray], most: usize, mut trace: impl FnMut(Option<Class>, Range<usize>)) {
    let goes_with = |class: Class, index: usize| {
        rays.get(index).is_some_and(|ray| octant(ray) == class.octant && Class::of(ray) == Some(class))
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
