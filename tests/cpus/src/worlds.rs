//! Worlds: what is asked of a model, and a mesh against the instances.

use core::ops::ControlFlow;

use bvhc_runtime::{Aabb, Ray, VisitControl, World, WorldHit, WorldPairError};

use crate::Counts;
use crate::digest::{Digest, Report, Set};
use crate::draw::Draw;

/// Rays of a batch.
const BATCH: usize = 64;

pub(crate) fn ask(world: &World<'_>, counts: Counts, report: &mut Report<'_>) {
    rays(world, counts.one, report);
    volumes(world, counts.one, report);
    pairs(world, counts.two, report);
}

fn hit(digest: &mut Digest, found: &WorldHit) {
    digest.words([found.instance]);
    digest.hit(&found.hit);
}

fn rays(world: &World<'_>, count: u32, report: &mut Report<'_>) {
    let (mut draw, mut digests) = (Draw::new(41, world.bounds()), [Digest::default(); 3]);
    for _ in 0..count {
        let ray = draw.ray();
        let [closest, any, all] = &mut digests;
        closest.maybe(world.closest_hit(&ray).as_ref(), hit);
        any.decision(world.with_layers(1).any_hit(&ray));
        let mut hits = Set::default();
        world.all_hits(&ray, |found| {
            hits.add(|digest| hit(digest, found));
            VisitControl::Continue
        });
        all.set(hits);
    }
    for (query, digest) in ["world closest_hit", "world any_hit", "world all_hits"].iter().zip(&digests) {
        report(query, "-", digest);
    }

    // A smaller count asks a part of one batch.
    let (mut digest, len) = (Digest::default(), BATCH.min(count as usize));
    for _ in 0..count.div_ceil(BATCH as u32) {
        let (rays, mut hits): ([Ray; BATCH], _) = (draw.coherent_rays(), [None; BATCH]);
        let (rays, hits) = (&rays[..len], &mut hits[..len]);
        world.closest_hits(rays, hits);
        hits.iter().for_each(|found| digest.maybe(found.as_ref(), hit));
    }
    report("world closest_hits", "-", &digest);
}

fn volumes(world: &World<'_>, count: u32, report: &mut Report<'_>) {
    let (mut draw, mut digests) = (Draw::new(42, world.bounds()), [Digest::default(); 3]);
    for _ in 0..count {
        let (point, radius) = (draw.point(0.125), 0.0625 * draw.size() * draw.unit());
        let [nearest, boxed, near] = &mut digests;
        nearest.maybe(world.closest_point(point, f32::INFINITY), |digest, found| {
            digest.words([found.instance]);
            digest.singles([found.distance]);
            digest.singles(found.point);
        });
        let mut set = Set::default();
        let query_box = Aabb::new(point.map(|x| x - radius), point.map(|x| x + radius));
        let _ = world.overlap_box(&query_box, |found| {
            set.add(|digest| digest.words([found.instance, found.overlap.triangle]));
            ControlFlow::Continue(())
        });
        boxed.set(core::mem::take(&mut set));
        let _ = world.overlap_sphere(point, radius, |found| {
            set.add(|digest| digest.words([found.instance, found.overlap.triangle]));
            ControlFlow::Continue(())
        });
        near.set(set);
    }
    let queries = ["world closest_point", "world overlap_box", "world overlap_sphere"];
    for (query, digest) in queries.iter().zip(&digests) {
        report(query, "-", digest);
    }
}

/// The world's first mesh against the instances. Some of them are scaled, for which the answer is an error.
fn pairs(world: &World<'_>, count: u32, report: &mut Report<'_>) {
    let Some(mesh) = world.mesh(0) else { return };
    let (mut draw, mut digests) = (Draw::new(43, world.bounds()), [Digest::default(); 4]);
    for _ in 0..count {
        let pose = draw.pose(&mesh.bounds(), 0.0);
        let [first, all, distance, within] = &mut digests;
        rigid(first, world.first_pair(mesh, &pose, &mut ()), |digest, pair| digest.decision(pair.is_some()));
        let mut set = Set::default();
        let end = world.all_pairs(mesh, &pose, &mut (), |found| {
            set.add(|digest| digest.words([found.instance, found.pair.a, found.pair.b]));
            ControlFlow::Continue(())
        });
        rigid(all, end, |digest, _| digest.set(set));
        rigid(distance, world.distance(mesh, &pose, f64::INFINITY, &mut ()), |digest, found| {
            digest.maybe(found, |digest, found| digest.distance(&found.distance));
        });
        let limit = f64::from(draw.size()) / 32.0;
        rigid(within, world.within(mesh, &pose, limit, &mut ()), Digest::decision);
    }
    let queries = ["world first_pair", "world all_pairs", "world distance", "world within"];
    for (query, digest) in queries.iter().zip(&digests) {
        report(query, "-", digest);
    }

    let (mut digest, mut set) = (Digest::default(), Set::default());
    let end = world.near_instances(f64::from(draw.size()) / 16.0, |found| {
        set.add(|digest| {
            digest.words([found.a, found.b]);
            digest.doubles([found.distance]);
        });
        ControlFlow::Continue(())
    });
    rigid(&mut digest, end, |digest, _| digest.set(set));
    report("world near_instances", "-", &digest);
}

/// An answer, or that an instance in question is scaled.
fn rigid<T>(digest: &mut Digest, answer: Result<T, WorldPairError>, add: impl FnOnce(&mut Digest, T)) {
    match answer {
        Ok(answer) => add(digest, answer),
        Err(WorldPairError::NotRigid { .. }) => digest.word(u64::MAX),
        Err(error) => panic!("{error}"),
    }
}
