//! Figure 10: a model rotates around the z axis at decreasing distances from another, both of the same size.

use bvhc::mesh::Mesh;
use bvhc::pair::kdop::Split;
use bvhc_tests::support::volumes::{self, KDOPS, Kdops};

use super::{PAPER, suffix, tests};
use crate::model;
use crate::plot::{self, Figure, Scale, Series};
use crate::timing::{self, Mean};
use crate::{Setting, table};

/// Distances of the boxes' centres, in their diagonals.
const DISTANCES: [f64; 8] = [0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35];

/// The directions of the paper's figure.
const K: u32 = 14;

/// A volume, and its cost at each distance.
type Swept = (String, Vec<Mean>);

pub(super) fn show(setting: &Setting, split: Split) {
    let (turns, rounds) = if setting.quick { (2, 1) } else { (24, 5) };
    let kdops: Vec<Kdops> = KDOPS.into_iter().filter(|(k, _, _)| *k == K).collect();
    for two in model::pairs(setting.quick) {
        let kdops = (&kdops[..], split);
        let swept = sweep([&two[0].mesh, &two[1].mesh], kdops, turns, rounds);
        let name = model::names(&two);
        print(&name, &swept);
        plot(&name, split, &swept, setting);
    }
}

fn sweep(meshes: [&Mesh; 2], (kdops, split): (&[Kdops], Split), turns: u32, rounds: u32) -> Vec<Swept> {
    let mut swept: Vec<Swept> = Vec::new();
    volumes::each_split(&meshes, kdops, split, &mut |name, volume, files| {
        let [a, b] = [&files[0], &files[1]].map(timing::open);
        let means =
            DISTANCES.map(|distance| timing::time([&a, &b], &model::turn(distance, turns), volume, rounds));
        if let Some((_, first)) = swept.first() {
            assert!(first.iter().zip(&means).all(|(a, b)| a.pairs == b.pairs), "volumes change no answer");
        }
        swept.push((name.to_owned(), means.to_vec()));
    });
    swept
}

fn print(name: &str, swept: &[Swept]) {
    let columns = DISTANCES.map(|distance| distance.to_string());
    let columns = columns.each_ref().map(String::as_str);
    let meeting = swept[0].1.iter().map(|mean| format!("{:.1}", mean.pairs)).collect();
    let print = |what: &str, cell: &dyn Fn(&Mean) -> String| {
        let rows =
            swept.iter().map(|(volume, means)| (volume.clone(), means.iter().map(cell).collect::<Vec<_>>()));
        table(&format!("Figure 10, {name}: {what}"), &columns, rows);
    };
    print("mean us, all pairs, by distance", &|mean| format!("{:.2}", mean.all));
    print("mean us, yes or no", &|mean| format!("{:.2}", mean.first));
    print("tests, all pairs", &tests);
    table(&format!("{name}: pairs that meet"), &columns, std::iter::once((String::new(), meeting)));
}

fn plot(name: &str, split: Split, swept: &[Swept], setting: &Setting) {
    let series = |value: &dyn Fn(&Mean) -> f64| -> Vec<Series> {
        swept.iter().map(|(volume, means)| (volume.clone(), means.iter().map(value).collect())).collect()
    };
    let draw = |kind: &str, y: &str, values: &[Series]| {
        let caption = format!("{PAPER}, figure 10: {name}, a turn at each distance, k-DOPs {}", split.name());
        let figure = Figure { caption: &caption, x: "distance of the middles, in diagonals", y };
        let file = format!("kdop-10-{}-{kind}{}.svg", name.replace(' ', "-"), suffix(split));
        plot::lines(&setting.folder.join(file), &figure, Scale::Logarithmic, &DISTANCES, values);
    };
    draw("time", "us to find all pairs, mean", &series(&|mean| mean.all));
    draw("tests", "pairs of nodes and of leaves, mean, at least 1", &series(&|mean| mean.steps().max(1.0)));
}
