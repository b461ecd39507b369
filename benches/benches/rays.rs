//! Closest and any hits of 36 to 74 thousand rays, against every peer: throughput is in rays.
//!
//! `cargo bench --bench rays [-- bunny/primary]`; [`bvhc_benches::shared::rays::cases`] lists the cases, README.md the
//! variables of the environment. All answers to these rays are checked before anything is timed.

use bvhc_benches::shared::model::{Scene, Source};
use bvhc_benches::shared::roster::tracers;
use bvhc_benches::shared::{check, rays};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::Duration;

fn bench(criterion: &mut Criterion) {
    for source in Source::all() {
        let scene = Scene::new(&source);
        let tracers = tracers(&scene);
        for case in rays::cases(&scene) {
            check::rays(&scene, &case, &tracers);
            let mut group = criterion.benchmark_group(format!("rays/{}/{}", scene.name, case.name));
            group.throughput(Throughput::Elements(case.rays.len() as u64)).sample_size(20);
            group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(3));
            let mut answers = vec![0.0; case.rays.len()];
            for tracer in &tracers {
                group.bench_function(tracer.name(), |bencher| {
                    bencher.iter(|| tracer.trace(case.question, &case.rays, &mut answers));
                });
            }
        }
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
