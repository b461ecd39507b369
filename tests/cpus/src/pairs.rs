//! Two models: a model and itself at another pose, with each volume that its file has.

use core::ops::ControlFlow;

use bvhc_runtime::{Model, PairError, Pose, Realign, Volume, WorkBudget};

use crate::digest::{Digest, Report, Set};
use crate::draw::Draw;

const QUERIES: [&str; 5] = ["first_pair", "all_pairs", "distance", "within", "pairs_within"];

pub(crate) fn ask(model: &Model<'_>, count: u32, report: &mut Report<'_>) {
    for volume in Volume::ALL {
        match volume {
            Volume::Kdop(_) => {
                let names = ["kdop/axes", "kdop/triples", "kdop/occupancy", "kdop/profile", "kdop/hull"];
                for (realign, name) in Realign::ALL.into_iter().zip(names) {
                    ask_with(model, Volume::Kdop(realign), name, count, report);
                }
            }
            other => ask_with(model, *other, other.name(), count, report),
        }
    }
}

fn ask_with(model: &Model<'_>, volume: Volume, name: &str, count: u32, report: &mut Report<'_>) {
    // The same poses with each volume, which must not show in an answer.
    let (mut draw, mut digests) = (Draw::new(31, model.bounds()), [Digest::default(); 5]);
    let limit = f64::from(draw.size()) / 16.0;
    for number in 0..count {
        let growth = [0.0, 0.25, 0.5, 1.5][number as usize % 4];
        let pose = draw.pose(&model.bounds(), growth);
        match ask_at(model, &pose, volume, limit, &mut digests) {
            Ok(()) => {}
            Err(PairError::NoVolumes(_)) => return,
            Err(error) => panic!("{name}: {error}"),
        }
    }
    for (query, digest) in QUERIES.iter().zip(&digests) {
        report(query, name, digest);
    }
}

fn ask_at(
    model: &Model<'_>,
    pose: &Pose,
    volume: Volume,
    limit: f64,
    digests: &mut [Digest; 5],
) -> Result<(), PairError> {
    let [first_pair, all_pairs, distance, within, pairs_within] = digests;
    let ask = || model.against(model, pose).volume(volume);
    first_pair.decision(ask().first_pair()?.is_some());
    let mut pairs = Set::default();
    let _ = ask().all_pairs(|pair| {
        pairs.add(|digest| digest.words([pair.a, pair.b]));
        ControlFlow::Continue(())
    })?;
    all_pairs.set(pairs);
    distance.maybe(ask().distance()?.as_ref(), Digest::distance);
    within.decision(ask().within(limit)?);
    let (mut near, mut budget) = (Set::default(), WorkBudget::unlimited());
    let _ = ask().budget(&mut budget).pairs_within(limit / 4.0, |found| {
        near.add(|digest| {
            digest.distance(found);
            digest.words([found.a, found.b]);
        });
        ControlFlow::Continue(())
    })?;
    pairs_within.set(near);
    Ok(())
}
