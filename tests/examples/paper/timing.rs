//! The cost of queries on two models, averaged over poses.

use bvhc::compile::Compiled;
use bvhc_runtime::{Model, Pose, Volume, WorkBudget};
use bvhc_tests::support::least::least;
use bvhc_tests::support::volumes::count;

/// The mean over some poses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Mean {
    /// Microseconds to find the first pair of triangles that meet, or that there is none.
    pub(crate) first: f64,
    /// Microseconds to find all of them.
    pub(crate) all: f64,
    /// Pairs of nodes visited to find all, each of which is sixteen tests of volumes.
    pub(crate) node_pairs: f64,
    /// Pairs of leaves visited to find all, each of which is up to sixteen tests of triangles.
    pub(crate) leaf_pairs: f64,
    /// Pairs of triangles, when finding all, that only exact arithmetic decides.
    pub(crate) exact_tests: f64,
    /// Pairs of triangles that meet.
    pub(crate) pairs: f64,
}

impl Mean {
    pub(crate) fn steps(&self) -> f64 {
        self.node_pairs + self.leaf_pairs
    }
}

pub(crate) fn open(file: &Compiled) -> Model<'_> {
    Model::from_bytes(&file.bytes).expect("a compiled file opens")
}

/// The mean over the poses of the minimum time of this many rounds.
pub(crate) fn time([a, b]: [&Model<'_>; 2], poses: &[Pose], volume: Volume, rounds: u32) -> Mean {
    let (mut budget, mut pairs, mut first, mut all) = (WorkBudget::unlimited(), 0, 0.0, 0.0);
    for pose in poses {
        pairs += count(a, b, pose, volume, &mut budget);
        let any = || {
            let first = a.against(b, pose).volume(volume).first_pair();
            first.expect("the files have the volumes").is_some()
        };
        first += least(rounds, any);
        all += least(rounds, || count(a, b, pose, volume, &mut WorkBudget::unlimited()));
    }
    let mean = |sum: f64| sum / poses.len() as f64;
    Mean {
        first: mean(first * 1e6),
        all: mean(all * 1e6),
        node_pairs: mean(budget.node_pairs as f64),
        leaf_pairs: mean(budget.leaf_pairs as f64),
        exact_tests: mean(budget.exact_tests as f64),
        pairs: mean(pairs as f64),
    }
}
