//! Compile time by quality, from OBJ text to the file's bytes, in this process; and the peers' builds from arrays.
//!
//! `cargo bench --bench build [-- bunny/default]`. Throughput is in triangles. `all threads` uses every processor. The
//! peers read no text, hash nothing and write no file: their work corresponds to one of our stages.

use bvhc::compile::Quality;
use bvhc_benches::peers::bvh::Bvh;
use bvhc_benches::peers::obvhs::{Binary, QUICK, THOROUGH, Wide};
use bvhc_benches::peers::parry::Parry;
use bvhc_benches::shared::model::Source;
use bvhc_runtime::Model;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use std::num::NonZeroUsize;
use std::time::Duration;

fn bench(criterion: &mut Criterion) {
    for source in Source::all() {
        let triangles = source.mesh().triangles.len() as u64;
        let mut group = criterion.benchmark_group(format!("build/{}", source.name));
        group.throughput(Throughput::Elements(triangles)).sample_size(10);
        group.warm_up_time(Duration::from_millis(1)).measurement_time(Duration::from_secs(1));
        bench_compiler(&mut group, &source);
        bench_peers(&mut group, &source);
    }
}

fn bench_compiler(group: &mut BenchmarkGroup<'_, WallTime>, source: &Source) {
    let [one, all] =
        [NonZeroUsize::new(1), None].map(|threads| source.compile(Quality::Default, threads).bytes);
    assert_eq!(*one, *all, "threads change nothing");
    Model::from_bytes(&all).expect("a compiled file opens");
    for quality in [Quality::Fast, Quality::Default, Quality::Best] {
        for (threads, name) in [(NonZeroUsize::new(1), "1 thread"), (None, "all threads")] {
            let bytes = source.compile(quality, threads).bytes;
            assert_eq!(
                *bytes,
                *source.compile(quality, NonZeroUsize::new(2)).bytes,
                "threads change nothing"
            );
            group.bench_function(format!("{}, {name}", quality.name()), |bencher| {
                bencher.iter_with_large_drop(|| source.compile(quality, threads));
            });
        }
    }
}

fn bench_peers(group: &mut BenchmarkGroup<'_, WallTime>, source: &Source) {
    let mesh = source.mesh();
    group.bench_function("parry3d", |bencher| bencher.iter(|| Parry::build(&mesh)));
    group.bench_function("bvh", |bencher| bencher.iter(|| Bvh::build(&mesh)));
    for (parameters, name) in [(QUICK, "fastest"), (THOROUGH, "very slow")] {
        let binary = |bencher: &mut criterion::Bencher<'_>| bencher.iter(|| Binary::build(&mesh, parameters));
        group.bench_function(format!("obvhs BVH2, {name}"), binary);
        let wide = |bencher: &mut criterion::Bencher<'_>| bencher.iter(|| Wide::build(&mesh, parameters));
        group.bench_function(format!("obvhs CWBVH, {name}"), wide);
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
