//! Whatever the bytes are, opening rejects them or every query on them ends, without a panic.

mod blocks;
mod edges;
mod field;
mod frame;
mod hull;
mod hulls;
mod kdop;
mod mutation;
mod pairs;
mod samples;
mod slices;
mod solid;
mod swept;
mod trees;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use bvhc::compile::{Layout, Options, Quality, compile};
use bvhc::file::Bytes;
use bvhc_format::kdop::Tables;
use bvhc_format::swept::Cores;
use bvhc_runtime::{Level, Model, Ray, Tolerance, Volume, WarmStart, WorkBudget};
use bvhc_tests::random::Random;
use bvhc_tests::scene::{icosphere, soup, write_obj};
use bvhc_tests::support::answers::{ask_everything, poses};
use bvhc_tests::support::split::split;
use bvhc_tests::support::{LAYOUTS, compiled_as, compiled_for_pairs};

/// Far more than any file of these sizes may take on a busy machine; an endless walk would exceed it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Names, several runs and faces, one node and one of oriented boxes: about 2500 bytes.
fn small_as(layout: Layout) -> Bytes {
    let source = b"o object\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\ng one\nusemtl red\nf 1 2 3 4\n\
                   g two\nusemtl green\nf 1 2 5\nf 2 3 5\n";
    compile(source, "small.obj", &Options { layout, ..Options::default() }, &()).expect("it compiles").bytes
}

fn small() -> Bytes {
    small_as(Layout::Fast)
}

/// Two levels of nodes, a few dozen blocks.
fn middling_as(layout: Layout) -> Bytes {
    compiled_as(&icosphere::displaced(6, 0.2, 1), Quality::Default, layout)
}

fn middling() -> Bytes {
    middling_as(Layout::Fast)
}

/// The same with a tree of oriented boxes.
fn for_pairs(layout: Layout) -> Bytes {
    compiled_for_pairs(&icosphere::displaced(6, 0.2, 1), layout)
}

/// Two levels of nodes, and many triangles in several blocks.
fn splits_as(layout: Layout) -> Bytes {
    let file = split(&write_obj(&soup::triangles(40, 0.6, 9)), 0.1, layout);
    let splits = Model::from_bytes(&file)
        .expect("it opens")
        .sections()
        .splits()
        .map_or(0, |splits| splits.triangles.len());
    assert!(splits > 10, "only {splits} triangles are split");
    file
}

/// Files that together have every section, in both layouts.
fn small_and_splits() -> [Bytes; 9] {
    let [fast, small] = LAYOUTS;
    let kdop = kdop::few(fast, 14, Tables::Profile);
    let swept = swept::few(small, Cores::Hybrid);
    let (samples, hulls, edges) = (samples::few(small), hulls::few(fast), edges::few(small));
    [small_as(fast), small_as(small), splits_as(fast), splits_as(small), kdop, swept, samples, hulls, edges]
}

/// Some rays and points in, on and off models about as large as 1.
fn queries() -> (Vec<Ray>, Vec<[f32; 3]>) {
    let rays = vec![
        Ray::new([0.1, 0.2, 3.0], [0.0, 0.1, -1.0]),
        Ray::new([-5.0, 0.3, 0.4], [1.0, 0.0, 0.0]).with_range(f32::NEG_INFINITY, f32::INFINITY),
        Ray::new([0.25, 0.25, -1.0], [1e-20, -1e-20, 1e20]),
    ];
    (rays, vec![[0.3, 0.2, 0.1], [100.0, -50.0, 0.0]])
}

/// Opens bytes and, if they open, runs all queries on every level; returns whether they opened.
fn survive(bytes: &Bytes, levels: &[Level]) -> bool {
    let start = Instant::now();
    let opened = Model::from_bytes(bytes).map(|model| {
        let (rays, points) = queries();
        for level in levels {
            std::hint::black_box(ask_everything(&model.with_level(*level), &rays, &points));
        }
    });
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    opened.is_ok()
}

/// As [`survive`], and pairs and distances of the model to itself with its volumes; returns the largest number of pairs
/// that met.
fn survive_volume(bytes: &Bytes, levels: &[Level], volume: fn(&Model<'_>) -> Option<Volume>) -> u64 {
    let start = Instant::now();
    let mut most = 0;
    if let Ok(model) = Model::from_bytes(bytes)
        && let Some(volume) = volume(&model)
    {
        for (level, pose) in
            levels.iter().flat_map(|level| poses().into_iter().map(move |pose| (level, pose)))
        {
            let model = model.with_level(*level);
            for steps in [1, 300, u64::MAX] {
                let mut count = 0;
                let budget = || WorkBudget::of_steps(steps);
                let _ = model.against(&model, &pose).volume(volume).budget(&mut budget()).all_pairs(|_| {
                    count += 1;
                    ControlFlow::Continue(())
                });
                let _ = model
                    .against(&model, &pose)
                    .volume(volume)
                    .budget(&mut budget())
                    .pairs_within(0.1, |_| ControlFlow::Continue(()));
                most = most.max(count);
                let (limit, exact) = (f64::INFINITY, Tolerance::NONE);
                let mut warm_start = WarmStart::default();
                std::hint::black_box((
                    model.against(&model, &pose).volume(volume).budget(&mut budget()).first_pair().ok(),
                    model.against(&model, &pose).volume(volume).budget(&mut budget()).within(0.1).ok(),
                    model
                        .against(&model, &pose)
                        .volume(volume)
                        .limit(limit)
                        .tolerance(exact)
                        .warm_start(&mut warm_start)
                        .budget(&mut budget())
                        .distance()
                        .ok(),
                ));
            }
        }
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    survive(bytes, levels);
    most
}

/// Values that mutations write in place of numbers.
const NUMBERS: [u32; 12] = [
    0,
    1,
    0x7fff_ffff,
    0xffff_ffff,
    0x8000_0000,
    0x7fc0_0000, // NaN
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7e96_7699, // 1e38
    0xfe96_7699,
    0x0000_0100,
    0x8000_0001,
];

/// Writes numbers in place of up to `most` of the 32-bit fields in some bytes.
fn write_anything(bytes: &mut Bytes, first: usize, length: usize, most: u32, random: &mut Random) {
    for _ in 0..1 + random.below(most) {
        let at = first + 4 * random.below(length as u32 / 4) as usize;
        let number = match random.below(2) {
            0 => NUMBERS[random.below(NUMBERS.len() as u32) as usize],
            _ => random.u32(),
        };
        write(bytes, at, number);
    }
}

fn write(bytes: &mut Bytes, offset: usize, number: u32) {
    bytes[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
}
