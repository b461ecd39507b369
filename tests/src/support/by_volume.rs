//! Compares the results of other volumes with those of oriented boxes on two models.

use std::ops::ControlFlow;

use bvhc_runtime::{Distance, Model, Pose, Tolerance, Volume, WarmStart, WorkBudget};

use super::{draws_level, levels};
use crate::pose;
use crate::random::Random;

/// The pairs of triangles that meet, ascending.
pub fn pairs(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let end = a.against(b, pose).volume(volume).all_pairs(|pair| {
        pairs.push((pair.a, pair.b));
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    pairs.sort_unstable();
    pairs
}

/// The pairs of triangles that are no farther apart than `limit`, ascending.
pub fn within(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume, limit: f64) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let end = a.against(b, pose).volume(volume).pairs_within(limit, |found| {
        pairs.push((found.a, found.b));
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    pairs.sort_unstable();
    pairs
}

/// The smallest distance.
pub fn distance(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume) -> Distance {
    let (mut warm_start, mut budget) = (WarmStart::default(), WorkBudget::unlimited());
    let found = a.against(b, pose).volume(volume).warm_start(&mut warm_start).budget(&mut budget).distance();
    found.expect("the files have them").expect("triangles")
}

/// The smallest of the decreasing distances; none exceeds the one before by more than the tolerance.
fn fallen(a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume, allowed: f64) -> f64 {
    let (mut least, allowance) = (f64::INFINITY, Tolerance::Absolute(allowed));
    let end = a.against(b, pose).volume(volume).tolerance(allowance).decreasing_distances(|found| {
        assert!(found.distance <= least + allowed, "{volume:?}, {pose:?}: {found:?}");
        least = least.min(found.distance);
        ControlFlow::Continue(())
    });
    assert_eq!(end, Ok(ControlFlow::Continue(())));
    least
}

/// The results of oriented boxes.
pub struct Expected {
    /// The pairs that meet.
    pub pairs: Vec<(u32, u32)>,
    /// The smallest distance.
    pub distance: Distance,
    /// The pairs that are about as near.
    within: Vec<(u32, u32)>,
}

impl Expected {
    /// Their results for two models that have them.
    pub fn of(a: &Model<'_>, b: &Model<'_>, pose: &Pose) -> Self {
        let distance = distance(a, b, pose, Volume::Obb);
        let within = within(a, b, pose, Volume::Obb, 1.01 * distance.distance);
        Self { pairs: pairs(a, b, pose, Volume::Obb), distance, within }
    }

    /// Asserts that another volume has the same results on every level. The pose draws the level that is asked everything.
    pub fn check(&self, a: &Model<'_>, b: &Model<'_>, pose: &Pose, volume: Volume, what: &str) {
        let least = self.distance.distance;
        for (number, level) in levels().into_iter().enumerate() {
            let (a, b) = (a.with_level(level), b.with_level(level));
            let what = || format!("{what}, {volume:?}, {}, {pose:?}", level.name());
            assert_eq!(pairs(&a, &b, pose, volume), self.pairs, "{}", what());
            let first = a.against(&b, pose).volume(volume).first_pair().expect("no limit");
            assert_eq!(first.is_some(), !self.pairs.is_empty(), "{}", what());
            let found = distance(&a, &b, pose, volume);
            assert!(found == self.distance || found.distance == 0.0 && least == 0.0, "{}: {found:?}", what());
            if !draws_level(pose, number) {
                continue;
            }
            assert_eq!(within(&a, &b, pose, volume, 1.01 * least), self.within, "{}", what());
            let ask = |limit| a.against(&b, pose).volume(volume).within(limit);
            assert_eq!((ask(least), ask(least.next_down())), (Ok(true), Ok(false)), "{}", what());
            assert_eq!(fallen(&a, &b, pose, volume, 0.01 * least), least, "{}", what());
        }
    }
}

/// Poses from intersecting to far away.
pub fn poses(random: &mut Random, positions: &[[f32; 3]], count: usize) -> Vec<Pose> {
    let far = positions.as_flattened().iter().fold(0.0f64, |far, x| far.max(f64::from(x.abs())));
    let mut draw = |index: usize| {
        let rotation = if index % 3 == 2 { pose::of_axes(random) } else { pose::any(random) };
        let [from, to] =
            [(); 2].map(|()| positions[random.below(positions.len() as u32) as usize].map(f64::from));
        let pose = pose::Pose::taking(rotation, from, to);
        let extent = far * [0.0, 1.0, 3.0, 0.2, 30.0][index % 5];
        let aside = random.direction().map(|x| extent * f64::from(x));
        let translation = std::array::from_fn(|axis| pose.translation[axis] + aside[axis]);
        pose::Pose { translation, ..pose }.for_query()
    };
    (0..count).map(&mut draw).collect()
}
