//! Worlds: what is asked of a model, and a mesh against the instances.

use core::ops::ControlFlow;

use bvhc_runtime::{Aabb, Contact, InsideRule, Ray, Touches, VisitControl, World, WorldCast, WorldHit};

use crate::Counts;
use crate::digest::{Digest, Report, Set};
use crate::draw::Draw;
use crate::shapes::{SHAPES, SHARE, cast_of, with_drawn};

/// Rays of a batch.
const BATCH: usize = 64;

pub(crate) fn ask(world: &World<'_>, counts: Counts, report: &mut Report<'_>) {
    rays(world, counts.one, report);
    volumes(world, counts.one, report);
    shapes(world, counts.one.div_ceil(SHARE), report);
    insides(world, counts.one, report);
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

/// Shapes of all kinds: what they touch, and what they touch when they move.
fn shapes(world: &World<'_>, count: u32, report: &mut Report<'_>) {
    let (mut draw, mut digests) = (Draw::new(44, world.bounds()), [Digest::default(); 4]);
    for number in 0..count {
        with_drawn(&mut draw, number as usize % SHAPES, |shape, path, option| {
            let [overlap, cast, all_casts, touches] = &mut digests;
            let mut set = Set::default();
            let _ = world.overlap(&shape, |found| {
                set.add(|digest| digest.words([found.instance, found.overlap.triangle]));
                ControlFlow::Continue(())
            });
            overlap.set(core::mem::take(&mut set));
            let moving = cast_of(&shape, path, option);
            cast.maybe(world.cast(&moving).as_ref(), cast_hit);
            let _ = world.all_casts(&moving, |found| {
                set.add(|digest| cast_hit(digest, found));
                ControlFlow::Continue(())
            });
            all_casts.set(core::mem::take(&mut set));
            let margin = margin_of(path);
            let _ = world.touches(&Touches::new(&shape, margin).without_seams(0.25), |found| {
                set.add(|digest| {
                    let Contact { point, normal, gap, face_normal, triangle, .. } = found.contact;
                    digest.words([found.instance, triangle]);
                    digest.singles([gap]);
                    [point, normal, face_normal].into_iter().for_each(|of| digest.singles(of));
                });
                ControlFlow::Continue(())
            });
            touches.set(set);
        });
    }
    let queries = ["world overlap", "world cast", "world all_casts", "world touches"];
    for (query, digest) in queries.iter().zip(&digests) {
        report(query, "-", digest);
    }
}

fn cast_hit(digest: &mut Digest, found: &WorldCast) {
    digest.words([found.instance]);
    digest.cast_hit(&found.hit);
}

/// A hundredth of a path, about.
fn margin_of([x, y, z]: [f32; 3]) -> f32 {
    (x.abs() + y.abs() + z.abs()) / 128.0
}

fn insides(world: &World<'_>, count: u32, report: &mut Report<'_>) {
    let (mut draw, mut digests) = (Draw::new(45, world.bounds()), [Digest::default(); 3]);
    for _ in 0..count {
        let [winding, place, signed] = &mut digests;
        let point = draw.point(0.125);
        winding.maybe(world.winding(point), |digest, winding| digest.doubles([winding.value, winding.error]));
        let found = world.contains(point, InsideRule::NonZero);
        place.found += u64::from(found.instance.is_some());
        place.words([found.place as u32, found.instance.unwrap_or(u32::MAX)]);
        signed.maybe(world.signed_distance(point, InsideRule::Positive), |digest, signed| {
            digest.singles([signed.distance]);
            digest.words([signed.place.place as u32, signed.nearest.instance]);
        });
    }
    let queries = ["world winding", "world contains", "world signed_distance"];
    for (query, digest) in queries.iter().zip(&digests) {
        report(query, "-", digest);
    }
}

/// The world's first mesh against the instances, some of which are scaled.
fn pairs(world: &World<'_>, count: u32, report: &mut Report<'_>) {
    let Some(mesh) = world.mesh(0) else { return };
    let (mut draw, mut digests) = (Draw::new(43, world.bounds()), [Digest::default(); 4]);
    for _ in 0..count {
        let pose = draw.pose(&mesh.bounds(), 0.0);
        let [first, all, distance, within] = &mut digests;
        first.decision(world.first_pair(mesh, &pose, &mut ()).expect("in time").is_some());
        let mut set = Set::default();
        let end = world.all_pairs(mesh, &pose, &mut (), |found| {
            set.add(|digest| digest.words([found.instance, found.pair.a, found.pair.b]));
            ControlFlow::Continue(())
        });
        let _ = end.expect("in time");
        all.set(set);
        let found = world.distance(mesh, &pose, f64::INFINITY, &mut ()).expect("in time");
        distance.maybe(found, |digest, found| digest.distance(&found.distance));
        let limit = f64::from(draw.size()) / 32.0;
        within.decision(world.within(mesh, &pose, limit, &mut ()).expect("in time"));
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
    let _ = end.expect("in time");
    digest.set(set);
    report("world near_instances", "-", &digest);
}
