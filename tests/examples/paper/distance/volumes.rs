//! Distances with each kind of volume, on equal trees: nodes and leaves have the parts of the oriented boxes, or for
//! k-DOPs the parts that the same splits make. And with boxes and samples.

use bvhc::compile::{Compiled, Options};
use bvhc::mesh::Mesh;
use bvhc::pair::kdop;
use bvhc_format::swept::{Core, Cores};
use bvhc_runtime::{Pose, Realign, Volume};
use bvhc_tests::pose;
use bvhc_tests::scene::encounter::{self, Encounter};
use bvhc_tests::support::swept::count_cores;
use bvhc_tests::support::volumes::file;

use super::{Cost, Measured, PLACES, cost, print_work};
use crate::plot::{self, Figure, Scale, Series};
use crate::{Setting, model, table, timing};

type Make = fn() -> Options;

const RSS: Cores = Cores::Same(Core::Rectangle);
const LSS: Cores = Cores::Same(Core::Line);
const PSS: Cores = Cores::Same(Core::Point);

/// The volumes. Files have oriented boxes and, as the third tree, these, or samples.
const VOLUMES: [(&str, Volume, Make); 9] = [
    ("OBB", Volume::Obb, Options::default),
    ("OBB, samples", Volume::Samples, samples),
    ("RSS", Volume::Swept(RSS), || swept(RSS)),
    ("LSS", Volume::Swept(LSS), || swept(LSS)),
    ("PSS", Volume::Swept(PSS), || swept(PSS)),
    ("hybrid", Volume::Swept(Cores::Hybrid), || swept(Cores::Hybrid)),
    ("hulls", Volume::Hulls, hulls),
    ("14-DOP", Volume::Kdop(Realign::Triples), || kdops(14)),
    ("26-DOP", Volume::Kdop(Realign::Triples), || kdops(26)),
];

pub(super) fn samples() -> Options {
    Options { samples: true, ..Options::default() }
}

fn swept(cores: Cores) -> Options {
    Options { swept: Some(cores), ..Options::default() }
}

fn hulls() -> Options {
    Options { hulls: true, ..Options::default() }
}

fn kdops(k: u32) -> Options {
    Options { kdop: Some(kdop::Options { k, ..Default::default() }), ..Options::default() }
}

pub(super) fn show(setting: &Setting) {
    let (steps, rounds) = if setting.quick { (2, 1) } else { (24, 3) };
    for two in model::pairs(setting.quick) {
        let turns = PLACES.map(|place| model::turn(place, steps));
        let name = format!("{}, by volumes", model::names(&two));
        let measured = measure(&name, [&two[0].mesh, &two[1].mesh], &turns, rounds);
        print_work(&name, &PLACES.map(|place| place.to_string()), &measured);
        plot(&model::names(&two), &measured, setting);
    }
    let (frequency, poses) = if setting.quick { (4, 1) } else { (16, 8) };
    for Encounter { name, a, b, separated, .. } in
        [encounter::nested(frequency, poses), encounter::spheres(frequency, poses)]
    {
        let poses = separated.iter().map(pose::Pose::for_query).collect();
        let name = format!("{name}, by volumes");
        print_work(&name, &["apart".to_owned()], &measure(&name, [&a, &b], &[poses], rounds));
    }
}

fn measure(name: &str, meshes: [&Mesh; 2], groups: &[Vec<Pose>], rounds: u32) -> Vec<Measured> {
    let (mut measured, mut trees) = (Vec::new(), Vec::new());
    for (volume_name, volume, options) in VOLUMES {
        let files = meshes.map(|mesh| file(mesh, &options()));
        let [a, b] = [&files[0], &files[1]].map(timing::open);
        let costs = groups.iter().map(|poses| cost([&a, &b], poses, volume, 0.0, rounds));
        measured.push((volume_name.to_owned(), costs.collect::<Vec<Cost>>()));
        trees.push((volume_name.to_owned(), tree(&files[0], volume)));
    }
    let columns = [
        "bytes a triangle",
        "cost of the tree",
        "of which nodes, bytes a triangle",
        "nodes with points, lines, rectangles",
    ];
    table(&format!("{name}: the first model's tree"), &columns, trees.into_iter());
    measured
}

/// The size of the tree of a file's volumes, and the sum of their measures.
fn tree(file: &Compiled, volume: Volume) -> Vec<String> {
    let report = &file.report;
    let index = if matches!(volume, Volume::Obb | Volume::Samples) { 1 } else { 2 };
    let of_samples = timing::open(file).sections().samples().map_or(0, size_of_val) as u64;
    let (bytes, statistics) = (report.tree_bytes[index] + of_samples, report.trees[index]);
    let share = |bytes: u64| format!("{:.1}", bytes as f64 / report.triangles as f64);
    let of_leaves = statistics.leaves * size_of::<bvhc_format::obb::PairLeaf>() as u64;
    let cores = match volume {
        Volume::Swept(_) => count_cores(&timing::open(file)).map(|count| count.to_string()).join(", "),
        _ => "-".to_owned(),
    };
    vec![share(bytes + of_leaves), format!("{:.2}", statistics.sah_cost), share(bytes), cores]
}

fn plot(name: &str, measured: &[Measured], setting: &Setting) {
    let draw = |kind: &str, y: &str, value: &dyn Fn(&Cost) -> f64| {
        let series: Vec<Series> = measured
            .iter()
            .map(|(volume, costs)| (volume.clone(), costs.iter().map(value).collect()))
            .collect();
        let caption = format!("Distances by volumes on equal trees: {name}, a turn at each distance");
        let figure = Figure { caption: &caption, x: "distance of the middles, in diagonals", y };
        let path = setting.folder.join(format!("distance-volumes-{}-{kind}.svg", name.replace(' ', "-")));
        plot::lines(&path, &figure, Scale::Logarithmic, &PLACES, &series);
    };
    draw("time", "us, mean", &|cost| cost.microseconds);
    draw("tests", "pairs of nodes and of leaves, mean", &|cost| cost.node_pairs + cost.leaf_pairs);
}
