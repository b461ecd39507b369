//! The distance field of the bunny: what it takes to make, and to sample. bvhc alone.
//!
//! `cargo bench --bench field`. Seconds are of the process's CPU time, on one thread: of compiling with the field, less those of
//! compiling without. Samples are at random points within the band: nanoseconds a sample, the minimum of several rounds (5, or
//! `BVHC_ROUNDS`), for as many points as the row says, in random order. `BVHC_LEVEL` limits the SIMD level of samples.

use bvhc::FieldOptions;
use bvhc::compile::{Compiled, Options, Quality};
use bvhc_benches::peers::level;
use bvhc_benches::shared::model::{Source, load};
use bvhc_runtime::Field;
use bvhc_tests::random::Random;
use bvhc_tests::support::least::{least, rounds};
use cpu_time::ProcessTime;
use std::num::NonZeroUsize;

/// Cells along the longest axis.
const RESOLUTION: u32 = 256;

/// How many points are sampled one after the other.
const COUNTS: [usize; 4] = [16, 256, 4096, 65_536];

fn main() {
    let [bunny, ..] = Source::all();
    let (_, without) = timed(&bunny, None);
    let (compiled, with) = timed(&bunny, Some(FieldOptions::new(RESOLUTION)));
    println!("{} cells along the longest axis: {:.2} s\n", RESOLUTION, with - without);
    let loaded = load(&compiled);
    let model = loaded.model().with_level(level());
    let field = model.field().expect("it was asked for");
    println!("| {}: points | ns a sample |\n|---|---|", level().name());
    for count in COUNTS {
        let points = within(&field, count);
        let sum = || points.iter().filter_map(|point| field.sample(*point)).map(|it| it.value).sum::<f32>();
        println!("| {count} | {:.1} |", least(rounds(), sum) / count as f64 * 1e9);
    }
}

/// Compiles a model, with the seconds that it takes.
fn timed(source: &Source, field: Option<FieldOptions>) -> (Compiled, f64) {
    let threads = NonZeroUsize::new(1);
    let options = Options { quality: Quality::Fast, threads, obb: None, field, ..Options::default() };
    let start = ProcessTime::now();
    let compiled = source.compile_as(&options);
    (compiled, start.elapsed().as_secs_f64())
}

/// Random points within the band.
fn within(field: &Field<'_>, count: usize) -> Vec<[f32; 3]> {
    let mut random = Random::new(7);
    let (origin, extent) = (field.origin(), field.points().map(|count| f64::from(count - 1) * field.voxel()));
    let (low, high) = (origin.map(|x| x as f32), [0, 1, 2].map(|axis| (origin[axis] + extent[axis]) as f32));
    let points = std::iter::repeat_with(|| random.point(low, high));
    let is_within = |point: &[f32; 3]| {
        field.sample(*point).is_some_and(|sample| sample.value.abs() < 0.99 * field.band())
    };
    points.filter(is_within).take(count).collect()
}
