//! Points: the closest one of the surface, and what is inside.

use bvhc_runtime::{ClosestPoint, InsideRule, Model, Place};

use crate::digest::{Digest, Report};
use crate::draw::Draw;

/// Points of a batch.
const BATCH: usize = 64;

const RULES: [InsideRule; 3] = [InsideRule::NonZero, InsideRule::Positive, InsideRule::Odd];

pub(crate) fn ask(model: &Model<'_>, count: u32, report: &mut Report<'_>) {
    let draw = |seed| Draw::new(seed, model.bounds());

    let (mut points, mut digest) = (draw(11), Digest::default());
    for _ in 0..count {
        let point = points.point(0.5);
        let limit = if points.below(4) == 0 { 0.25 * points.size() * points.unit() } else { f32::INFINITY };
        digest.maybe(model.closest_point(point, limit).as_ref(), |digest, nearest| {
            digest.closest_point(nearest);
            let surface = model.surface_at(nearest);
            digest.singles([surface.u, surface.v]);
            digest.singles(surface.normal);
            digest.words([surface.back.into()]);
        });
    }
    report("closest_point", "-", &digest);

    batches(model, count, report);

    let (mut points, mut digests) = (draw(13), [Digest::default(); 3]);
    for number in 0..count {
        let [winding, place, signed] = &mut digests;
        let (point, rule) = (points.point(0.125), RULES[number as usize % 3]);
        winding.maybe(model.winding(point), |digest, winding| digest.doubles([winding.value, winding.error]));
        let found = model.contains(point, rule);
        place.found += u64::from(found == Place::In);
        place.words([found as u32]);
        signed.maybe(model.signed_distance(point, rule), |digest, signed| {
            digest.singles([signed.distance]);
            digest.words([signed.place as u32]);
        });
    }
    for (name, digest) in ["winding", "contains", "signed_distance"].iter().zip(&digests) {
        report(name, "-", digest);
    }
}

fn batches(model: &Model<'_>, count: u32, report: &mut Report<'_>) {
    let (mut points, mut digests) = (Draw::new(12, model.bounds()), [Digest::default(); 2]);
    // A smaller count asks a part of one batch.
    let len = BATCH.min(count as usize);
    for _ in 0..count.div_ceil(BATCH as u32) {
        let batch: [[f32; 3]; BATCH] = core::array::from_fn(|_| points.point(0.5));
        let mut answers: [Option<ClosestPoint>; BATCH] = [None; BATCH];
        let (batch, answers) = (&batch[..len], &mut answers[..len]);
        model.closest_points(batch, f32::INFINITY, answers);
        answers.iter().for_each(|found| digests[0].maybe(found.as_ref(), Digest::closest_point));
        model.closest_points_interleaved(batch, f32::INFINITY, answers, &mut ());
        answers.iter().for_each(|found| digests[1].maybe(found.as_ref(), Digest::closest_point));
    }
    report("closest_points", "-", &digests[0]);
    report("closest_points_interleaved", "-", &digests[1]);
}
