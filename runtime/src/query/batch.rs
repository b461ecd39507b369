//! Many rays at a time: neighbours that go the same way walk the tree together, others, in large models, by turns.

use core::ops::{ControlFlow, Range};

use fearless_simd::Simd;

use crate::blocks::BlockSource;
use crate::model::Model;
use crate::packet::{MAX_RAYS, Packet};
use crate::query::ray::{Best, any_hit_of, any_in_block, closest_hit_of, closest_in_block};
use crate::ray::{Class, Frame, Hit, Ray, octant};
use crate::simd::{Kernel, dispatch, dispatch_model};
use crate::walk::packet::{Limits, walk};
use crate::walk::ray::{AnyOrder, NearestFirst};
use crate::walk::{Erased, Probe, interleaved};

/// Fewer rays of one class in a row go one by one.
const SHORTEST_RUN: usize = 16;

/// As many rays are prepared before any is traced.
const AT_A_TIME: usize = 16;

impl<'a> Model<'a> {
    /// The closest hit of each ray, as [`closest_hit`](Self::closest_hit) finds it, bit for bit.
    ///
    /// `hits[i]` answers `rays[i]`; where the slices are not of one length, the rest of the longer one is left alone.
    /// Rays that follow each other and go the same way, as those of a camera do tile by tile, are traced
    /// together, up to twice as fast. Others go one by one, as fast as if asked so, or, in models of more than 24 MiB, by
    /// turns, up to twice as fast. Neither allocates nor panics.
    pub fn closest_hits(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.answer::<Closest, _>(rays, hits, &mut ());
    }

    /// As [`closest_hits`](Self::closest_hits), among the triangles that `probe` accepts. What rays visit together
    /// counts once.
    pub fn closest_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut P) {
        self.closest_hits_erased(rays, hits, &mut Erased::new(probe));
    }

    fn closest_hits_erased(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut Erased<'_>) {
        self.answer::<Closest, _>(rays, hits, probe);
    }

    /// Whether each ray hits anything, as [`any_hit`](Self::any_hit) finds it; else as
    /// [`closest_hits`](Self::closest_hits).
    pub fn any_hits(&self, rays: &[Ray], hits: &mut [bool]) {
        self.answer::<Any, _>(rays, hits, &mut ());
    }

    /// As [`any_hits`](Self::any_hits), among the triangles that `probe` accepts.
    pub fn any_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [bool], probe: &mut P) {
        self.any_hits_erased(rays, hits, &mut Erased::new(probe));
    }

    fn any_hits_erased(&self, rays: &[Ray], hits: &mut [bool], probe: &mut Erased<'_>) {
        self.answer::<Any, _>(rays, hits, probe);
    }

    /// As [`closest_hits`](Self::closest_hits), by turns however large the model is: for tests.
    #[doc(hidden)]
    pub fn closest_hits_interleaved(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.answer_interleaved::<Closest, _>(rays, hits, &mut ());
    }

    /// As [`any_hits`](Self::any_hits), by turns however large the model is: for tests.
    #[doc(hidden)]
    pub fn any_hits_interleaved(&self, rays: &[Ray], hits: &mut [bool]) {
        self.answer_interleaved::<Any, _>(rays, hits, &mut ());
    }

    #[inline(always)]
    fn answer<Q: Question, P: Probe>(&self, rays: &[Ray], answers: &mut [Q::Answer], probe: &mut P) {
        let count = rays.len().min(answers.len());
        let (rays, answers) = (&rays[..count], &mut answers[..count]);
        let interleaved = self.is_large();
        for_each_stretch(rays, self.rays_together(), |class, stretch| {
            let (rays, answers) = (&rays[stretch.clone()], &mut answers[stretch]);
            match class {
                Some(class) => self.answer_together::<Q, _>(class, rays, answers, probe),
                None if interleaved => self.answer_interleaved::<Q, _>(rays, answers, probe),
                None => self.answer_each::<Q, _>(rays, answers, probe),
            }
        });
    }

    #[inline(never)]
    fn answer_together<Q: Question, P: Probe>(
        &self,
        class: Class,
        rays: &[Ray],
        answers: &mut [Q::Answer],
        probe: &mut P,
    ) {
        dispatch_model!(self, simd, blocks => Q::together(simd, self, blocks, class, rays, answers, probe));
    }

    /// One by one, each as if asked alone, but that frames are made beforehand: one need not wait for another, nor for a
    /// walk. Only walks are compiled for the level, not the loop around them, in which they would lack registers.
    #[inline(never)]
    fn answer_each<Q: Question, P: Probe>(&self, rays: &[Ray], answers: &mut [Q::Answer], probe: &mut P) {
        dispatch_model!(@by dispatch_as_is, self, simd, blocks => {
            for (rays, answers) in rays.chunks(AT_A_TIME).zip(answers.chunks_mut(AT_A_TIME)) {
                let mut frames = [const { None }; AT_A_TIME];
                simd.vectorize(
                    #[inline(always)]
                    || {
                        for (frame, ray) in frames.iter_mut().zip(rays) {
                            let class = Class::of(ray);
                            *frame = class.map(|class| Frame::new(simd, ray, class, self.reach()));
                        }
                    },
                );
                for ((ray, answer), frame) in rays.iter().zip(answers).zip(&frames) {
                    *answer = match frame {
                        Some(frame) => simd.vectorize(
                            #[inline(always)]
                            || Q::of_frame(simd, self, blocks, frame, probe),
                        ),
                        None => Q::of_scaled(self, ray, probe),
                    };
                }
            }
        });
    }

    #[inline(never)]
    fn answer_interleaved<Q: Question, P: Probe>(
        &self,
        rays: &[Ray],
        answers: &mut [Q::Answer],
        probe: &mut P,
    ) {
        answers.fill(Q::NOTHING);
        dispatch_model!(self, simd, blocks => Q::interleaved(simd, self, blocks, rays, answers, probe));
        for (ray, answer) in rays.iter().zip(answers).filter(|(ray, _)| Class::of(ray).is_none()) {
            *answer = Q::of_scaled(self, ray, probe);
        }
    }

    /// How many rays are traced together at most; 1 on levels where that does not pay.
    fn rays_together(&self) -> usize {
        dispatch!(self.level().inner(), simd => rays_together(simd))
    }
}

/// What is asked of each ray.
trait Question {
    type Answer: Clone;

    /// The answer of a ray that hits nothing.
    const NOTHING: Self::Answer;

    /// For one ray, compiled for the level by the caller.
    fn of_frame<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        frame: &Frame,
        probe: &mut P,
    ) -> Self::Answer;

    /// The answer of a ray that has no class.
    fn of_scaled<P: Probe>(model: &Model<'_>, ray: &Ray, probe: &mut P) -> Self::Answer;

    /// For rays of one class.
    fn together<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        class: Class,
        rays: &[Ray],
        answers: &mut [Self::Answer],
        probe: &mut P,
    );

    /// For all rays that have a class, whichever it is.
    fn interleaved<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        rays: &[Ray],
        answers: &mut [Self::Answer],
        probe: &mut P,
    );
}

fn rays_together<S: Kernel>(_: S) -> usize {
    if S::PACKETS { Packet::<S>::CAPACITY } else { 1 }
}

/// Calls `trace` with the places of at most `most` rays that follow each other and have a class in common, if they are not
/// few; and of all between such runs, without a class.
///
/// Looks at a ray where a run would have to go on at least, and from there back as far as its class does: of rays that have
/// nothing in common, most need no look.
#[inline(always)]
fn for_each_stretch(rays: &[Ray], most: usize, mut trace: impl FnMut(Option<Class>, Range<usize>)) {
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

/// The closest hit.
struct Closest;

impl Question for Closest {
    type Answer = Option<Hit>;

    const NOTHING: Option<Hit> = None;

    #[inline(always)]
    fn of_frame<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        frame: &Frame,
        probe: &mut P,
    ) -> Option<Hit> {
        closest_hit_of(simd, model, blocks, frame, probe)
    }

    fn of_scaled<P: Probe>(model: &Model<'_>, ray: &Ray, probe: &mut P) -> Option<Hit> {
        model.closest_hit_scaled(ray, probe)
    }

    #[inline(always)]
    fn together<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        class: Class,
        rays: &[Ray],
        hits: &mut [Option<Hit>],
        probe: &mut P,
    ) {
        // Nobody asks on such levels, for which the rest need not be compiled.
        if !S::PACKETS {
            return;
        }
        let packet = Packet::new(simd, class, rays, model.reach());
        let mut limits = Limits::new(rays.iter().map(|ray| ray.t_max));
        let mut best = [Best::up_to(f32::NEG_INFINITY); MAX_RAYS];
        for (best, ray) in best.iter_mut().zip(rays) {
            *best = Best::up_to(ray.t_max);
        }
        walk(
            simd,
            model,
            blocks,
            &packet,
            &mut limits,
            probe,
            #[inline(always)]
            |ray, visit, found, probe| {
                if !P::FILTERS || visit.accepted(found.lane, probe).is_some() {
                    best[ray].offer(visit, found, model);
                }
                best[ray].t
            },
        );
        for (hit, best) in hits.iter_mut().zip(&best) {
            *hit = best.describe(simd, model, blocks);
        }
    }

    #[inline(always)]
    fn interleaved<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        rays: &[Ray],
        hits: &mut [Option<Hit>],
        probe: &mut P,
    ) {
        interleaved::walk::<S, P, Best, NearestFirst>(
            simd,
            model,
            blocks,
            rays,
            probe,
            #[inline(always)]
            |ray| Best::up_to(ray.t_max),
            #[inline(always)]
            |frame, visit, best, probe| {
                ControlFlow::Continue(closest_in_block(simd, model, frame, visit, best, probe))
            },
            #[inline(always)]
            |ray, best| hits[ray] = best.describe(simd, model, blocks),
        );
    }
}

/// Whether there is a hit.
struct Any;

impl Question for Any {
    type Answer = bool;

    const NOTHING: bool = false;

    #[inline(always)]
    fn of_frame<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        frame: &Frame,
        probe: &mut P,
    ) -> bool {
        any_hit_of(simd, model, blocks, frame, probe)
    }

    fn of_scaled<P: Probe>(model: &Model<'_>, ray: &Ray, probe: &mut P) -> bool {
        model.any_hit_scaled(ray, probe)
    }

    #[inline(always)]
    fn together<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        class: Class,
        rays: &[Ray],
        hits: &mut [bool],
        probe: &mut P,
    ) {
        // Nobody asks on such levels, for which the rest need not be compiled.
        if !S::PACKETS {
            return;
        }
        let packet = Packet::new(simd, class, rays, model.reach());
        let mut limits = Limits::new(rays.iter().map(|ray| ray.t_max));
        hits.fill(false);
        walk(
            simd,
            model,
            blocks,
            &packet,
            &mut limits,
            probe,
            #[inline(always)]
            |ray, visit, found, probe| {
                let counts = !P::FILTERS || visit.accepted(found.lane, probe).is_some();
                let hit = hits.get_mut(ray).filter(|_| counts);
                hit.map_or(rays[ray % rays.len()].t_max, |hit| {
                    *hit = true;
                    Limits::NONE
                })
            },
        );
    }

    #[inline(always)]
    fn interleaved<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        rays: &[Ray],
        hits: &mut [bool],
        probe: &mut P,
    ) {
        interleaved::walk::<S, P, bool, AnyOrder>(
            simd,
            model,
            blocks,
            rays,
            probe,
            #[inline(always)]
            |_| false,
            #[inline(always)]
            |frame, visit, found, probe| {
                *found = any_in_block(simd, frame, visit, probe);
                if *found { ControlFlow::Break(()) } else { ControlFlow::Continue(frame.t_max) }
            },
            #[inline(always)]
            |ray, found| hits[ray] = *found,
        );
    }
}
