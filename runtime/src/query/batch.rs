//! Many rays at a time: neighbours that go the same way walk the tree together.

use crate::blocks::BlockSource;
use crate::bundle::{Bundle, MOST_RAYS};
use crate::model::Model;
use crate::query::ray::Best;
use crate::ray::{Class, Hit, Ray};
use crate::simd::{Kernel, dispatch, dispatch_model};
use crate::walk::bundle::{Limits, walk};
use crate::walk::{Erased, Probe};

/// Fewer rays of one class in a row go one by one.
const SHORTEST_RUN: usize = 8;

impl<'a> Model<'a> {
    /// The closest hit of each ray, as [`closest_hit`](Self::closest_hit) finds it, bit for bit.
    ///
    /// `hits[i]` answers `rays[i]`; where the slices are not of one length, the rest of the longer one is left alone.
    /// Rays that follow each other and go the same way, as those of a camera do tile by tile, are traced
    /// together, up to twice as fast; others one by one, where sorting them out costs some nanoseconds a ray. Neither
    /// allocates nor panics.
    pub fn closest_hits(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        self.closest_hits_probed(rays, hits, &mut ());
    }

    /// As [`closest_hits`](Self::closest_hits), among the triangles that `probe` accepts. What rays visit together
    /// counts once.
    pub fn closest_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut P) {
        self.closest_hits_erased(rays, hits, &mut Erased::new(probe));
    }

    fn closest_hits_erased(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut Erased<'_>) {
        self.closest_hits_probed(rays, hits, probe);
    }

    #[inline(always)]
    fn closest_hits_probed<P: Probe>(&self, rays: &[Ray], hits: &mut [Option<Hit>], probe: &mut P) {
        let count = rays.len().min(hits.len());
        let (rays, hits) = (&rays[..count], &mut hits[..count]);
        for_each_run(rays, self.rays_together(), |class, run| match class {
            Some(class) if run.len() >= SHORTEST_RUN => {
                let (rays, hits) = (&rays[run.clone()], &mut hits[run]);
                dispatch_model!(self, simd, blocks => {
                    closest_of_bundle(simd, self, blocks, class, rays, hits, probe);
                });
            }
            Some(class) => {
                for index in run {
                    hits[index] = self.closest_hit_of_class(&rays[index], class, probe);
                }
            }
            None => hits[run.start] = self.closest_hit_probed(&rays[run.start], probe),
        });
    }

    /// Whether each ray hits anything, as [`any_hit`](Self::any_hit) finds it; else as
    /// [`closest_hits`](Self::closest_hits).
    pub fn any_hits(&self, rays: &[Ray], hits: &mut [bool]) {
        self.any_hits_probed(rays, hits, &mut ());
    }

    /// As [`any_hits`](Self::any_hits), among the triangles that `probe` accepts.
    pub fn any_hits_with<P: Probe>(&self, rays: &[Ray], hits: &mut [bool], probe: &mut P) {
        self.any_hits_erased(rays, hits, &mut Erased::new(probe));
    }

    fn any_hits_erased(&self, rays: &[Ray], hits: &mut [bool], probe: &mut Erased<'_>) {
        self.any_hits_probed(rays, hits, probe);
    }

    #[inline(always)]
    fn any_hits_probed<P: Probe>(&self, rays: &[Ray], hits: &mut [bool], probe: &mut P) {
        let count = rays.len().min(hits.len());
        let (rays, hits) = (&rays[..count], &mut hits[..count]);
        for_each_run(rays, self.rays_together(), |class, run| match class {
            Some(class) if run.len() >= SHORTEST_RUN => {
                let (rays, hits) = (&rays[run.clone()], &mut hits[run]);
                dispatch_model!(self, simd, blocks => any_of_bundle(simd, self, blocks, class, rays, hits, probe));
            }
            Some(class) => {
                for index in run {
                    hits[index] = self.any_hit_of_class(&rays[index], class, probe);
                }
            }
            None => hits[run.start] = self.any_hit_probed(&rays[run.start], probe),
        });
    }

    /// How many rays are traced together at most; 1 on levels where that does not pay.
    fn rays_together(&self) -> usize {
        dispatch!(self.level().inner(), simd => rays_together(simd))
    }
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
    // Nobody asks on such levels, for which the rest need not be compiled.
    if !S::BUNDLES {
        return;
    }
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
fn any_of_bundle<S: Kernel, P: Probe>(
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
