//! From a file in a warm page cache to the first closest hit; and from arrays in memory, for libraries that rebuild.
//!
//! `cargo bench --bench load [-- "bvhc map"]`; [`bvhc_benches::shared::load::Files::ways`] lists the ways, README.md
//! the variables of the environment: `BVHC_LARGE=1` adds a model of 13 million triangles. Freeing memory is not timed.

use bvhc_benches::shared::load::{self, Files, Way};
use bvhc_benches::shared::model::{Scene, Source};
use bvhc_runtime::Ray;
use criterion::{Bencher, Criterion, criterion_group, criterion_main};
use std::time::{Duration, Instant};

fn bench(criterion: &mut Criterion) {
    for source in Source::all() {
        bench_scene(criterion, &Scene::new(&source), true);
    }
    if let Some(source) = Source::large() {
        bench_scene(criterion, &Scene::new(&source), false);
    }
}

fn bench_scene(criterion: &mut Criterion, scene: &Scene, with_peers: bool) {
    let files = Files::write(scene, with_peers);
    let ray = load::ray(scene);
    let ways = files.ways(&scene.mesh);
    load::check(&ways, &ray);
    let mut group = criterion.benchmark_group(format!("load/{}", scene.name));
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for way in &ways {
        group.bench_function(way.name, |bencher| time(bencher, way, &ray));
    }
}

fn time(bencher: &mut Bencher<'_>, way: &Way<'_>, ray: &Ray) {
    bencher.iter_custom(|times| {
        let go = |_| {
            let start = Instant::now();
            let first = way.go(ray);
            let passed = start.elapsed();
            drop(first);
            passed
        };
        (0..times).map(go).sum()
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
