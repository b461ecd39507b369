//! Distances, exact and approximate, as in Fünzig and Fellner, "Easy realignment of k-DOP bounding volumes", 2003,
//! section 5, and Larsen, Gottschalk, Lin, Manocha, "Fast proximity queries with swept sphere volumes", 1999: the
//! tolerated errors, the actual errors, and the time saved, with trees of oriented and of axis-aligned boxes and with
//! oriented boxes and samples; and the time of exact distances with each kind of volume.

mod volumes;

use bvhc::compile::Options;
use bvhc::mesh::Mesh;
use bvhc_runtime::{Model, Pose, Tolerance, Volume, WarmStart, WorkBudget};
use bvhc_tests::pose;
use bvhc_tests::scene::encounter::{self, Encounter};
use bvhc_tests::support::least::least;
use bvhc_tests::support::volumes::file;

use crate::plot::{self, Figure, Scale, Series};
use crate::{Setting, model, table, timing};

/// Distances of the boxes' centres, in their diagonals.
const PLACES: [f64; 7] = [1.5, 1.3, 1.1, 1.0, 0.9, 0.8, 0.7];

/// The tolerated relative errors.
const SHARES: [(&str, f64); 4] = [("exact", 0.0), ("1 %", 0.01), ("5 %", 0.05), ("25 %", 0.25)];

/// Costs and results of queries at some poses, as means except for `worst`.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    microseconds: f64,
    node_pairs: f64,
    leaf_pairs: f64,
    exact_tests: f64,
    /// The relative error of distances.
    error: f64,
    /// The largest such error.
    worst: f64,
}

/// A kind of boxes and its tolerance, and the costs of each group of poses.
type Measured = (String, Vec<Cost>);

pub(crate) fn show(setting: &Setting) {
    println!("\n## Distances, exact and approximate");
    let (steps, rounds) = if setting.quick { (2, 1) } else { (24, 3) };
    for two in model::pairs(setting.quick) {
        let turns = PLACES.map(|place| model::turn(place, steps));
        let measured = measure([&two[0].mesh, &two[1].mesh], &turns, rounds);
        let name = model::names(&two);
        print(&name, &PLACES.map(|place| place.to_string()), &measured);
        plot(&name, &measured, setting);
    }
    let (frequency, poses) = if setting.quick { (4, 1) } else { (16, 8) };
    let spheres = [encounter::nested(frequency, poses), encounter::spheres(frequency, poses)];
    for Encounter { name, a, b, separated, .. } in &spheres {
        let poses = separated.iter().map(pose::Pose::for_query).collect();
        print(name, &["apart".to_owned()], &measure([a, b], &[poses], rounds));
    }
    volumes::show(setting);
}

fn measure(meshes: [&Mesh; 2], groups: &[Vec<Pose>], rounds: u32) -> Vec<Measured> {
    let kinds = [
        ("OBB", Volume::Obb, Options::default()),
        ("AABB", Volume::Aabb, Options { obb: None, ..Options::default() }),
        ("OBB, samples", Volume::Samples, volumes::samples()),
    ];
    let mut measured = Vec::new();
    for (boxes, volume, options) in kinds {
        let files = meshes.map(|mesh| file(mesh, &options));
        let [a, b] = [&files[0], &files[1]].map(timing::open);
        for (name, share) in SHARES {
            let costs = groups.iter().map(|poses| cost([&a, &b], poses, volume, share, rounds));
            measured.push((format!("{boxes}, {name}"), costs.collect()));
        }
    }
    measured
}

fn cost([a, b]: [&Model<'_>; 2], poses: &[Pose], volume: Volume, share: f64, rounds: u32) -> Cost {
    let (mut cost, mut budget) = (Cost::default(), WorkBudget::unlimited());
    let part = 1.0 / poses.len() as f64;
    for pose in poses {
        let exact =
            a.distance(b, pose).expect("the default limit suffices").expect("there are triangles").distance;
        let ask = |budget: &mut WorkBudget| {
            let (allowed, warm_start) = (Tolerance::Relative(share), &mut WarmStart::default());
            let found = a
                .against(b, pose)
                .volume(volume)
                .tolerance(allowed)
                .warm_start(warm_start)
                .budget(budget)
                .distance();
            found.expect("the files have the volumes").expect("there are triangles").distance
        };
        let found = ask(&mut budget);
        let error = if exact > 0.0 { found / exact - 1.0 } else { found };
        // The distances themselves have errors of up to 1e-12.
        assert!(found >= exact && error <= share + 1e-11, "{found} for {exact}");
        cost.error += part * error;
        cost.worst = cost.worst.max(error);
        cost.microseconds += part * 1e6 * least(rounds, || ask(&mut WorkBudget::unlimited()));
    }
    let mean = |sum: u64| part * sum as f64;
    Cost {
        node_pairs: mean(budget.node_pairs),
        leaf_pairs: mean(budget.leaf_pairs),
        exact_tests: mean(budget.exact_tests),
        ..cost
    }
}

fn print(name: &str, columns: &[String], measured: &[Measured]) {
    print_work(name, columns, measured);
    print_each(&format!("{name}: error in %, mean / largest"), columns, measured, &|cost| {
        format!("{:.2} / {:.2}", 100.0 * cost.error, 100.0 * cost.worst)
    });
}

fn print_work(name: &str, columns: &[String], measured: &[Measured]) {
    let print = |what: &str, cell: &dyn Fn(&Cost) -> String| {
        print_each(&format!("{name}: {what}"), columns, measured, cell);
    };
    print("mean us", &|cost| format!("{:.2}", cost.microseconds));
    print("pairs of nodes / of leaves / of triangles computed precisely", &|cost| {
        format!("{:.0} / {:.0} / {:.0}", cost.node_pairs, cost.leaf_pairs, cost.exact_tests)
    });
}

fn print_each(title: &str, columns: &[String], measured: &[Measured], cell: &dyn Fn(&Cost) -> String) {
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    let rows = measured.iter().map(|(way, costs)| (way.clone(), costs.iter().map(cell).collect()));
    table(title, &columns, rows);
}

fn plot(name: &str, measured: &[Measured], setting: &Setting) {
    // Exact distances with samples take about as long as those without.
    let drawn = |way: &str| !way.ends_with(" 1 %") && way != "OBB, samples, exact";
    let times = |costs: &[Cost]| costs.iter().map(|cost| cost.microseconds).collect();
    let series: Vec<Series> = measured
        .iter()
        .filter(|(way, _)| drawn(way))
        .map(|(way, costs)| (way.clone(), times(costs)))
        .collect();
    let caption = format!("Time to find the distance: {name}, a turn at each distance of their middles");
    let figure = Figure { caption: &caption, x: "distance of the middles, in diagonals", y: "us, mean" };
    let path = setting.folder.join(format!("distance-{}.svg", name.replace(' ', "-")));
    plot::lines(&path, &figure, Scale::Logarithmic, &PLACES, &series);
}
