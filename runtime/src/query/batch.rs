//! Many rays at a time: neighbours that go the same way walk the tree together.

use crate::blocks::BlockSource;
use crate::bundle::{Bundle, MOST_RAYS};
use crate::model::Model;
use crate::query::ray::{Best, any_hit, closest_hit};
use crate::ray::{Class, Frame, Hit, Ray};
use crate::simd::{Kernel, dispatch_model};
use crate::walk::bundle::{Limits, walk};
use crate::walk::{Erased, Probe};

/// Fewer rays of one class in a row go one by one.
const SHORTEST_RUN: usize = 8;

impl<'a> Model<'a> {
    /// The closest hit of each ray, as [`closest_hit`](Self::closest_hit) finds it, bit for bit.
    ///
    /// `hits[i]` answers `rays[i]`; where the slices are not of one length, the rest of the longer one is left alone.
    /// Rays that follow each other and go the same way, as those of a camera do tile by tile, are traced
    /// together, up to twice as fast; others one by one, where sorting them out costs up to a tenth. Neither allocates
    /// nor panics.
    pub fn closest_hits(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        dispatch_model!(self, simd, blocks => closest_hits(simd, self, blocks, rays, hits, &mut ()));
    }

    /// As [`closest_hits`](Self::closest_hits), among the triangles that `probe` accepts. What rays visit together
    /// counts once.
    pub fn closest_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut P) {
        self.closest_hits_erased(rays, hits, &mut Erased::new(probe));
    }

    fn closest_hits_erased(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut Erased<'_>) {
        dispatch_model!(self, simd, blocks => closest_hits(simd, self, blocks, rays, hits, probe));
    }

    /// Whether each ray hits anything, as [`any_hit`](Self::any_hit) finds it; else as
    /// [`closest_hits`](Self::closest_hits).
    pub fn any_hits(&self, rays: &[Ray], hits: &mut [bool]) {
        dispatch_model!(self, simd, blocks => any_hits(simd, self, blocks, rays, hits, &mut ()));
    }

    /// As [`any_hits`](Self::any_hits), among the triangles that `probe` accepts.
    pub fn any_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [bool], probe: &mut P) {
        self.any_hits_erased(rays, hits, &mut Erased::new(probe));
    }

    fn any_hits_erased(&self, rays: &[Ray], hits: &mut [bool], probe: &mut Erased<'_>) {
        dispatch_model!(self, simd, blocks => any_hits(simd, self, blocks, rays, hits, probe));
    }
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

#[inline(always)]
fn closest_hits<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    rays: &[Ray],
    hits: &mut [Option<Hit>],
    probe: &mut P,
) {
    let count = rays.len().min(hits.len());
    let (rays, hits) = (&rays[..count], &mut hits[..count]);
    for_each_run(
        rays,
        Bundle::<S>::CAPACITY,
        #[inline(always)]
        |class, run| match class {
            Some(class) if S::BUNDLES && run.len() >= SHORTEST_RUN => {
                closest_of_bundle(simd, model, blocks, class, &rays[run.clone()], &mut hits[run], probe);
            }
            Some(class) => {
                for index in run {
                    let frame = Frame::new(simd, &rays[index], class, model.reach());
                    hits[index] = closest_hit(simd, model, blocks, &frame, probe);
                }
            }
            None => hits[run.start] = model.closest_hit_with(&rays[run.start], probe),
        },
    );
}

#[inline(always)]
fn closest_of_bundle<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    class: Class,
    rays: &[Ray],
    hits: &mut [Option<Hit>],
    probe: &mut P,
) {
    let bundle = Bundle::new(simd, class, rays, model.reach());
    let mut limits = Limits::new(rays.iter().map(|ray| ray.t_max));
    let mut best = [Best { t: f32::NEG_INFINITY, place: None }; MOST_RAYS];
    for (best, ray) in best.iter_mut().zip(rays) {
        best.t = ray.t_max;
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
        *hit = best.place.and_then(
            #[inline(always)]
            |place| place.describe(simd, model, blocks),
        );
    }
}

#[inline(always)]
fn any_hits<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    rays: &[Ray],
    hits: &mut [bool],
    probe: &mut P,
) {
    let count = rays.len().min(hits.len());
    let (rays, hits) = (&rays[..count], &mut hits[..count]);
    for_each_run(
        rays,
        Bundle::<S>::CAPACITY,
        #[inline(always)]
        |class, run| match class {
            Some(class) if S::BUNDLES && run.len() >= SHORTEST_RUN => {
                any_of_bundle(simd, model, blocks, class, &rays[run.clone()], &mut hits[run], probe);
            }
            Some(class) => {
                for index in run {
                    let frame = Frame::new(simd, &rays[index], class, model.reach());
                    hits[index] = any_hit(simd, model, blocks, &frame, probe);
                }
            }
            None => hits[run.start] = model.any_hit_with(&rays[run.start], probe),
        },
    );
}

#[inline(always)]
fn any_of_bundle<S: Kernel, P: Probe>(
    simd: S,
    model: &Model<'_>,
    blocks: impl BlockSource,
    class: Class,
    rays: &[Ray],
    hits: &mut [bool],
    probe: &mut P,
) {
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
