//! Many rays at a time: neighbours that go the same way walk the tree together, others, in large models, by turns.

use core::ops::ControlFlow;

use crate::blocks::BlockSource;
use crate::bundle::{Bundle, MOST_RAYS};
use crate::model::Model;
use crate::query::ray::{Best, any_in_block, closest_in_block};
use crate::ray::{Class, Hit, Ray};
use crate::simd::{Kernel, dispatch, dispatch_model};
use crate::walk::bundle::{Limits, walk};
use crate::walk::{Erased, Probe, abreast};

/// Fewer rays of one class in a row go one by one.
const SHORTEST_RUN: usize = 8;

/// Models of more bytes keep walks waiting for memory. (Incoherent rays by turns, measured with caches of 2 MiB a core: at
/// 43 MB twice as fast as one by one and nowhere slower, at 16 MB between as fast and a quarter faster, at 12 and 2 MB up
/// to a third slower.)
const LARGE: usize = 24 << 20;

impl<'a> Model<'a> {
    /// The closest hit of each ray, as [`closest_hit`](Self::closest_hit) finds it, bit for bit.
    ///
    /// `hits[i]` answers `rays[i]`; where the slices are not of one length, the rest of the longer one is left alone.
    /// Rays that follow each other and go the same way, as those of a camera do tile by tile, are traced
    /// together, up to twice as fast. Others go one by one, where sorting them out costs some nanoseconds a ray, or, in
    /// models of more than 24 MiB, by turns, up to twice as fast. Neither allocates nor panics.
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
    pub fn closest_hits_by_turns(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.answer_by_turns::<Closest, _>(rays, hits, &mut ());
    }

    /// As [`any_hits`](Self::any_hits), by turns however large the model is: for tests.
    #[doc(hidden)]
    pub fn any_hits_by_turns(&self, rays: &[Ray], hits: &mut [bool]) {
        self.answer_by_turns::<Any, _>(rays, hits, &mut ());
    }

    #[inline(always)]
    fn answer<Q: Question, P: Probe>(&self, rays: &[Ray], answers: &mut [Q::Answer], probe: &mut P) {
        let count = rays.len().min(answers.len());
        let (rays, answers) = (&rays[..count], &mut answers[..count]);
        if self.is_large() {
            for_each_stretch(rays, self.rays_together(), |class, stretch| {
                let (rays, answers) = (&rays[stretch.clone()], &mut answers[stretch]);
                match class {
                    Some(class) => self.answer_together::<Q, _>(class, rays, answers, probe),
                    None => self.answer_by_turns::<Q, _>(rays, answers, probe),
                }
            });
            return;
        }
        for_each_run(rays, self.rays_together(), |class, run| match class {
            Some(class) if run.len() >= SHORTEST_RUN => {
                self.answer_together::<Q, _>(class, &rays[run.clone()], &mut answers[run], probe);
            }
            Some(class) => {
                for index in run {
                    answers[index] = Q::of_class(self, &rays[index], class, probe);
                }
            }
            None => answers[run.start] = Q::of_ray(self, &rays[run.start], probe),
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

    #[inline(never)]
    fn answer_by_turns<Q: Question, P: Probe>(&self, rays: &[Ray], answers: &mut [Q::Answer], probe: &mut P) {
        answers.fill(Q::NOTHING);
        dispatch_model!(self, simd, blocks => Q::by_turns(simd, self, blocks, rays, answers, probe));
        for (ray, answer) in rays.iter().zip(answers).filter(|(ray, _)| Class::of(ray).is_none()) {
            *answer = Q::of_ray(self, ray, probe);
        }
    }

    /// Whether walks mostly wait for memory.
    fn is_large(&self) -> bool {
        size_of_val(self.nodes()) + self.blocks().bytes() > LARGE
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

    fn of_ray<P: Probe>(model: &Model<'_>, ray: &Ray, probe: &mut P) -> Self::Answer;

    fn of_class<P: Probe>(model: &Model<'_>, ray: &Ray, class: Class, probe: &mut P) -> Self::Answer;

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
    fn by_turns<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        rays: &[Ray],
        answers: &mut [Self::Answer],
        probe: &mut P,
    );
}

fn rays_together<S: Kernel>(_: S) -> usize {
    if S::BUNDLES { Bundle::<S>::CAPACITY } else { 1 }
}

/// Calls `trace` with the places of rays that follow each other and have a class in common, at most `most` of them, or
/// with the place of a ray that has none.
#[inline(always)]
fn for_each_run(rays: &[Ray], most: usize, mut trace: impl FnMut(Option<Class>, core::ops::Range<usize>)) {
    let mut start = 0;
    let mut class = rays.first().and_then(Class::of);
    for end in 1..=rays.len() {
        let next = rays.get(end).and_then(Class::of);
        if class.is_none() || next != class || end - start == most {
            trace(class, start..end);
            (start, class) = (end, next);
        }
    }
}

/// The same, but with a class only where a run is not short; all between such runs have none.
#[inline(always)]
fn for_each_stretch(
    rays: &[Ray],
    most: usize,
    mut trace: impl FnMut(Option<Class>, core::ops::Range<usize>),
) {
    let mut rest = 0..0;
    for_each_run(rays, most, |class, run| {
        rest.end = run.start;
        if class.is_some() && run.len() >= SHORTEST_RUN {
            if !rest.is_empty() {
                trace(None, rest.clone());
            }
            rest.start = run.end;
            trace(class, run);
        }
    });
    rest.end = rays.len();
    if !rest.is_empty() {
        trace(None, rest);
    }
}

/// The closest hit.
struct Closest;

impl Question for Closest {
    type Answer = Option<Hit>;

    const NOTHING: Option<Hit> = None;

    #[inline(always)]
    fn of_ray<P: Probe>(model: &Model<'_>, ray: &Ray, probe: &mut P) -> Option<Hit> {
        model.closest_hit_probed(ray, probe)
    }

    #[inline(always)]
    fn of_class<P: Probe>(model: &Model<'_>, ray: &Ray, class: Class, probe: &mut P) -> Option<Hit> {
        model.closest_hit_of_class(ray, class, probe)
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
        if !S::BUNDLES {
            return;
        }
        let bundle = Bundle::new(simd, class, rays, model.reach());
        let mut limits = Limits::new(rays.iter().map(|ray| ray.t_max));
        let mut best = [Best::up_to(f32::NEG_INFINITY); MOST_RAYS];
        for (best, ray) in best.iter_mut().zip(rays) {
            *best = Best::up_to(ray.t_max);
        }
        walk(
            simd,
            model,
            blocks,
            &bundle,
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
    fn by_turns<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        rays: &[Ray],
        hits: &mut [Option<Hit>],
        probe: &mut P,
    ) {
        abreast::walk::<S, P, Best, true>(
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
    fn of_ray<P: Probe>(model: &Model<'_>, ray: &Ray, probe: &mut P) -> bool {
        model.any_hit_probed(ray, probe)
    }

    #[inline(always)]
    fn of_class<P: Probe>(model: &Model<'_>, ray: &Ray, class: Class, probe: &mut P) -> bool {
        model.any_hit_of_class(ray, class, probe)
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
        if !S::BUNDLES {
            return;
        }
        let bundle = Bundle::new(simd, class, rays, model.reach());
        let mut limits = Limits::new(rays.iter().map(|ray| ray.t_max));
        hits.fill(false);
        walk(
            simd,
            model,
            blocks,
            &bundle,
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
    fn by_turns<S: Kernel, P: Probe>(
        simd: S,
        model: &Model<'_>,
        blocks: impl BlockSource,
        rays: &[Ray],
        hits: &mut [bool],
        probe: &mut P,
    ) {
        abreast::walk::<S, P, bool, false>(
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
