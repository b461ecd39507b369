//! The minimum time of several rounds, for work that takes microseconds on this thread.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;

/// Shorter runs are timed several at once.
const SHORTEST: Duration = Duration::from_micros(100);

/// How many rounds a benchmark has: 5, or `BVHC_ROUNDS`.
pub fn rounds() -> u32 {
    std::env::var("BVHC_ROUNDS").map_or(5, |rounds| rounds.parse().expect("BVHC_ROUNDS counts"))
}

/// The mean over the poses of the minimum seconds over a benchmark's rounds.
pub fn mean<T>(poses: usize, mut run: impl FnMut(usize) -> T) -> f64 {
    (0..poses).map(|pose| least(rounds(), || run(pose))).sum::<f64>() / poses as f64
}

/// The minimum seconds over this many rounds.
pub fn least<T>(rounds: u32, mut run: impl FnMut() -> T) -> f64 {
    (0..rounds).map(|_| seconds(&mut run)).fold(f64::INFINITY, f64::min)
}

/// Seconds of one run.
fn seconds<T>(run: &mut impl FnMut() -> T) -> f64 {
    let mut runs = 1;
    loop {
        let start = ThreadTime::now();
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
