//! Figures 11 and 12: parallel and point close proximity of two spheres.

use bvhc::compile::Compiled;
use bvhc::pair::kdop::Split;
use bvhc_runtime::Volume;
use bvhc_tests::pose;
use bvhc_tests::scene::encounter::{self, Encounter};
use bvhc_tests::support::volumes::{self, KDOPS};

use super::{PAPER, suffix, tests};
use crate::plot::{self, Figure, Series};
use crate::timing::{self, Mean};
use crate::{Setting, table};

/// The directions in the figures, the paper's and one more.
const DRAWN: [u32; 3] = [14, 18, 26];

/// The ways to realign.
const WAYS: [&str; 4] = ["axes", "triples", "occupancy", "profile"];

/// A volume, and its cost at poses where the spheres are disjoint, and where they intersect.
type Measured = (String, [Mean; 2]);

pub(super) fn show(setting: &Setting, split: Split) {
    // 5,120 triangles each; the paper has 5,140.
    let (frequency, poses) = if setting.quick { (4, 1) } else { (16, 8) };
    show_figure(11, "parallel close proximity", &encounter::nested(frequency, poses), split, setting);
    show_figure(12, "point close proximity", &encounter::spheres(frequency, poses), split, setting);
}

fn show_figure(number: u32, what: &str, encounter: &Encounter, split: Split, setting: &Setting) {
    let rounds = if setting.quick { 1 } else { 5 };
    let mut measured: Vec<Measured> = Vec::new();
    volumes::each_split(&[&encounter.a, &encounter.b], &KDOPS, split, &mut |name, volume, files| {
        let means = measure(files, encounter, volume, rounds);
        let pairs = |means: &[Mean; 2]| means.map(|mean| mean.pairs);
        let (_, first) = measured.first().map_or((name, &means), |(name, means)| (name.as_str(), means));
        assert_eq!(pairs(first), pairs(&means), "volumes change no answer");
        measured.push((name.to_owned(), means));
    });
    print(&format!("Figure {number}, {what}"), &measured);
    plot(number, what, split, &measured, setting);
}

fn measure(files: &[Compiled], encounter: &Encounter, volume: Volume, rounds: u32) -> [Mean; 2] {
    let [a, b] = [&files[0], &files[1]].map(timing::open);
    [&encounter.separated, &encounter.colliding].map(|poses| {
        let poses: Vec<_> = poses.iter().map(pose::Pose::for_query).collect();
        timing::time([&a, &b], &poses, volume, rounds)
    })
}

fn print(title: &str, measured: &[Measured]) {
    let columns = [
        "us, yes or no, apart",
        "all, apart",
        "yes or no, meeting",
        "all, meeting",
        "tests, apart",
        "tests, meeting",
    ];
    let cells = |[apart, meeting]: &[Mean; 2]| {
        let times = [apart.first, apart.all, meeting.first, meeting.all].map(|time| format!("{time:.2}"));
        times.into_iter().chain([tests(apart), tests(meeting)]).collect()
    };
    table(title, &columns, measured.iter().map(|(name, means)| (name.clone(), cells(means))));
    println!("\n{:.1} pairs meet, in the mean of the poses where some do.", measured[0].1[1].pairs);
}

fn plot(number: u32, what: &str, split: Split, measured: &[Measured], setting: &Setting) {
    let [obb, ..] = measured else { return };
    let of = |k: u32, way: &str| {
        let name = format!("{k}-DOP, {way}");
        &measured.iter().find(|(known, _)| *known == name).expect("all are measured").1[1]
    };
    let draw = |kind: &str, y: &str, value: &dyn Fn(&Mean) -> f64| {
        let ratio = |mean: &Mean| value(mean) / value(&obb.1[1]);
        let of_way = |way: &&str| -> Series {
            ((*way).to_owned(), DRAWN.iter().map(|k| ratio(of(*k, way))).collect())
        };
        let boxes = (obb.0.clone(), vec![1.0; DRAWN.len()]);
        let series: Vec<Series> = std::iter::once(boxes).chain(WAYS.iter().map(of_way)).collect();
        let groups = DRAWN.map(|k| format!("{k}-DOP"));
        let caption =
            format!("{PAPER}, figure {number}: {what}, all pairs where some meet, k-DOPs {}", split.name());
        let figure = Figure { caption: &caption, x: "", y };
        let path = setting.folder.join(format!("kdop-{number}-{kind}{}.svg", suffix(split)));
        plot::bars(&path, &figure, &groups, &series);
    };
    draw("time", "mean time, oriented boxes = 1", &|mean| mean.all);
    draw("tests", "pairs of nodes and of leaves, oriented boxes = 1", &Mean::steps);
}
