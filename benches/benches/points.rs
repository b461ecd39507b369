//! Closest points for 8,192 points, against every peer that has the query: throughput is in points.
//!
//! `cargo bench --bench points [-- bunny/near]`; [`bvhc_benches::shared::points::cases`] lists the cases, README.md the
//! variables of the environment. All answers to these points are checked before anything is timed.

use bvhc_benches::shared::model::{Scene, Source};
use bvhc_benches::shared::roster::locators;
use bvhc_benches::shared::{check, points};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

fn bench(criterion: &mut Criterion) {
    for source in Source::all() {
        let scene = Scene::new(&source);
        let locators = locators(&scene);
        for case in points::cases(&scene) {
            check::points(&scene, &case, &locators);
            let mut group = criterion.benchmark_group(format!("points/{}/{}", scene.name, case.name));
            group.throughput(Throughput::Elements(case.points.len() as u64)).sample_size(20);
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
            let mut answers = vec![0.0; case.points.len()];
            for locator in &locators {
                group.bench_function(locator.name(), |bencher| {
                    bencher.iter(|| locator.locate(&case.points, &mut answers));
                });
            }
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
