//! Rays: one by one, in packets and interleaved.

use bvhc_runtime::{Model, Ray, VisitControl};

use crate::digest::{Digest, Report, Set};
use crate::draw::Draw;

/// Rays of a batch.
const BATCH: usize = 256;

pub(crate) fn ask(model: &Model<'_>, count: u32, report: &mut Report<'_>) {
    let draw = |seed| Draw::new(seed, model.bounds());

    let (mut rays, mut digest) = (draw(1), Digest::default());
    for _ in 0..count {
        digest.maybe(model.closest_hit(&rays.ray()).as_ref(), Digest::hit);
    }
    report("closest_hit", "-", &digest);

    let (mut rays, mut digest) = (draw(2), Digest::default());
    for _ in 0..count {
        digest.decision(model.any_hit(&rays.ray()));
    }
    report("any_hit", "-", &digest);

    let (mut rays, mut digest) = (draw(3), Digest::default());
    for _ in 0..count {
        let mut hits = Set::default();
        model.all_hits(&rays.ray(), |hit| {
            hits.add(|digest| digest.hit(hit));
            VisitControl::Continue
        });
        digest.set(hits);
    }
    report("all_hits", "-", &digest);

    batches(model, count, report);
}

fn batches(model: &Model<'_>, count: u32, report: &mut Report<'_>) {
    type Rays = fn(&mut Draw) -> [Ray; BATCH];
    let coherent: Rays = Draw::coherent_rays;
    let any: Rays = |draw| core::array::from_fn(|_| draw.ray());
    // A smaller count asks a part of one batch.
    let (batches, len) = (count.div_ceil(BATCH as u32), BATCH.min(count as usize));
    for (seed, name, rays) in [(4, "coherent", coherent), (5, "any", any)] {
        let mut draw = Draw::new(seed, model.bounds());
        let mut digests = [Digest::default(); 4];
        for _ in 0..batches {
            let (rays, mut hits, mut is_hit) = (rays(&mut draw), [None; BATCH], [false; BATCH]);
            let (rays, hits, is_hit) = (&rays[..len], &mut hits[..len], &mut is_hit[..len]);
            let [closest, any, closest_interleaved, any_interleaved] = &mut digests;
            model.closest_hits(rays, hits);
            hits.iter().for_each(|hit| closest.maybe(hit.as_ref(), Digest::hit));
            model.closest_hits_interleaved(rays, hits);
            hits.iter().for_each(|hit| closest_interleaved.maybe(hit.as_ref(), Digest::hit));
            model.any_hits(rays, is_hit);
            is_hit.iter().for_each(|is_hit| any.decision(*is_hit));
            model.any_hits_interleaved(rays, is_hit);
            is_hit.iter().for_each(|is_hit| any_interleaved.decision(*is_hit));
        }
        let names = ["closest_hits", "any_hits", "closest_hits_interleaved", "any_hits_interleaved"];
        for (query, digest) in names.iter().zip(&digests) {
            report(query, name, digest);
        }
    }
}
