//! Seconds of a query, over poses.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Times shorter than this are taken of several runs.
const SHORTEST: Duration = Duration::from_micros(200);

/// The median over the poses of the least seconds of a round.
pub(crate) fn median(poses: usize, mut run: impl FnMut(usize) -> u64) -> f64 {
    let rounds = std::env::var("BVHC_ROUNDS").map_or(5, |rounds| rounds.parse().expect("BVHC_ROUNDS counts"));
    let mut least = |pose| (0..rounds).map(|_| seconds(|| run(pose))).fold(f64::INFINITY, f64::min);
    let mut times: Vec<f64> = (0..poses).map(&mut least).collect();
    times.sort_by(f64::total_cmp);
    times[poses / 2]
}

/// Seconds of one run.
fn seconds(mut run: impl FnMut() -> u64) -> f64 {
    let mut runs = 1;
    loop {
        let start = Instant::now();
        for _ in 0..runs {
            black_box(run());
        }
        let passed = start.elapsed();
        if passed >= SHORTEST {
            return passed.as_secs_f64() / f64::from(runs);
        }
        runs *= 4;
    }
}
