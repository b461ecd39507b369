//! Ramirez, Navarro, Carmona, Dos Ramos, "Optimizing collision detection based on OBB trees generated with a genetic
//! algorithm", 2009: its tables 1 and 3 to 5, and its figures 9 to 12, for four methods where the paper has two.
//!
//! Trees are the paper's (`tree`), except for figure 12, whose collisions the runtime finds in files with four children
//! per node. These are compared twice: split as in the paper, each tree at the midpoint of the longest axis of its own
//! boxes; and all by one partition, so that only the boxes differ.

mod scene;
mod tree;

use bvhc::compile::Compiled;
use bvhc::fit::{Method, Scratch, genetic};
use bvhc::pair::obb::{self, Split};
use cpu_time::ThreadTime;

use crate::model::{self, Model};
use crate::plot::{self, Figure, Scale, Series};
use crate::timing::Mean;
use crate::{Setting, table};
use scene::Scene;
use tree::Figures;

/// Pairs of models; the second moves around the first.
const SCENES: [[usize; 2]; 5] = [[0, 0], [1, 0], [2, 1], [3, 2], [3, 3]];

const PAPER: &str = "Ramirez et al. 2009";

pub(crate) fn show(setting: &Setting) {
    println!("\n## The genetic algorithm of Ramirez, Navarro, Carmona and Dos Ramos");
    let models = model::all(setting.quick);
    show_models(&models);
    let methods = methods(setting.quick);
    show_fitness(&models, &methods, setting);
    show_trees(&models, &methods, setting);
    show_collisions(&models, &methods, setting);
}

/// The compared methods; the genetic one as in the paper, or with few generations.
fn methods(quick: bool) -> [Method; 4] {
    let mut parameters = genetic::Parameters::default();
    if quick {
        parameters.generations = 5;
    }
    [Method::Covariance, Method::HullCovariance, Method::Genetic(parameters), Method::MEMETIC]
}

fn names(methods: &[Method]) -> Vec<&'static str> {
    methods.iter().map(Method::name).collect()
}

/// Table 1.
fn show_models(models: &[Model]) {
    let rows = models.iter().map(|model| {
        let counts = [model.mesh.positions.len(), model.mesh.triangles.len()];
        (model.name.to_owned(), counts.map(|count| count.to_string()).to_vec())
    });
    table("Table 1: models", &["vertices", "triangles"], rows);
}

/// Figure 9: the progress of the search for the box of a whole model.
fn show_fitness(models: &[Model], methods: &[Method; 4], setting: &Setting) {
    let series: Vec<Series> = models.iter().map(|model| fitness(model, methods)).collect();
    let shown = [0, 5, 20, 40, 80, 150];
    let generations = series[0].1.len();
    let shown: Vec<_> = shown.into_iter().filter(|generation| *generation < generations).collect();
    let columns: Vec<_> = shown.iter().map(|generation| format!("generation {generation}")).collect();
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    let rows = series.iter().map(|(name, values)| {
        (name.clone(), shown.iter().map(|generation| format!("{:.4}", values[*generation])).collect())
    });
    table("Figure 9: best fitness, relative to memetic", &columns, rows);
    let figure = Figure {
        caption: &format!("{PAPER}, figure 9: the best fitness 1/V of a generation, box of the whole model"),
        x: "generation",
        y: "fitness, relative to the memetic search's",
    };
    let steps: Vec<_> = (0..generations).map(|generation| generation as f64).collect();
    plot::lines(&setting.folder.join("genetic-9-fitness.svg"), &figure, Scale::Linear, &steps, &series);
}

/// The best fitness of each generation, relative to the memetic search's result.
fn fitness(model: &Model, [_, _, genetic, memetic]: &[Method; 4]) -> Series {
    let mut scratch = Scratch::default();
    let least = tree::root(&model.mesh, memetic, &mut scratch).volume();
    tree::root(&model.mesh, genetic, &mut scratch);
    let history = scratch.genetic_history().iter().map(|fitness| fitness * least);
    (model.name.to_owned(), history.collect())
}

/// A tree, and its CPU seconds on this thread.
struct Built {
    figures: Figures,
    seconds: f64,
}

/// The trees of a model by all methods.
type Trees = [Built; 4];

fn build(model: &Model, methods: &[Method; 4]) -> Trees {
    methods.each_ref().map(|method| {
        let start = ThreadTime::now();
        let figures = tree::build(&model.mesh, method);
        Built { figures, seconds: start.elapsed().as_secs_f64() }
    })
}

/// Tables 4 and 5, figures 10 and 11.
fn show_trees(models: &[Model], methods: &[Method; 4], setting: &Setting) {
    let built: Vec<_> = models.iter().map(|model| build(model, methods)).collect();
    let print = |title: &str, cell: &dyn Fn(&Built) -> String| {
        let row =
            |(model, trees): (&Model, &Trees)| (model.name.to_owned(), trees.iter().map(cell).collect());
        table(title, &names(methods), models.iter().zip(&built).map(row));
    };
    print("Figure 10: triangles a leaf", &|tree| format!("{:.3}", tree.figures.triangles_a_leaf()));
    print("Boxes", &|tree| tree.figures.boxes.to_string());
    print("Table 4, figure 11: sum of the leaves' volumes, cubes of the model's diagonal", &|tree| {
        format!("{:.4e}", tree.figures.leaf_volume)
    });
    print("Table 5: CPU seconds to build the tree, one thread", &|tree| format!("{:.3}", tree.seconds));
    plot_trees(models, &names(methods), &built, setting);
}

fn plot_trees(models: &[Model], names: &[&str], built: &[Trees], setting: &Setting) {
    let groups: Vec<_> = models.iter().map(|model| model.name.to_owned()).collect();
    let series = |value: &dyn Fn(&Trees, usize) -> f64| -> Vec<Series> {
        let of_method = |index| built.iter().map(|trees| value(trees, index)).collect();
        names.iter().enumerate().map(|(index, name)| ((*name).to_owned(), of_method(index))).collect()
    };
    let caption = format!("{PAPER}, figure 10: triangles a leaf, of {} at most", tree::LEAF);
    let figure = Figure { caption: &caption, x: "", y: "triangles a leaf, mean" };
    let leaves = series(&|trees, index| trees[index].figures.triangles_a_leaf());
    plot::bars(&setting.folder.join("genetic-10-leaves.svg"), &figure, &groups, &leaves);
    let caption = format!("{PAPER}, figure 11 and table 4: volume of the leaves' boxes");
    let figure = Figure { caption: &caption, x: "", y: "sum of volumes, covariance = 1" };
    let volumes = series(&|trees, index| trees[index].figures.leaf_volume / trees[0].figures.leaf_volume);
    plot::bars(&setting.folder.join("genetic-11-volumes.svg"), &figure, &groups, &volumes);
}

/// A scene's name, its number of pairs of triangles, and the cost of its steps for each option.
struct Timed {
    name: String,
    pairs: usize,
    means: Vec<Mean>,
}

/// How sets are split in the files of figure 12: as in the paper, by each method's own boxes; and identically for all
/// methods.
const SPLITS: [Split; 2] = [Split::FittedAxisMidpoint, Split::LongestAxisMean];

const DIFFERENCES: &str = "\
Figure 12, differences from the paper: the models; nodes of four children, collapsed from the binary tree, where the paper's
are binary; up to four triangles a leaf; a triangle is on one side only, that of its centre, where the paper has some on
both; all pairs are found, and the mean over the steps is of the least time of several rounds (the paper: the mean time of
a step, without saying whether the first pair ends it). `fitted-axis-midpoint` is the paper's split: each method splits by
its own boxes, so its partition differs as well. With `longest-axis-mean` all methods share one partition, and only boxes
differ.";

/// Table 3 and figure 12.
fn show_collisions(models: &[Model], methods: &[Method; 4], setting: &Setting) {
    let (steps, rounds) = if setting.quick { (24, 1) } else { (360, 3) };
    let by =
        |split: Split| methods.iter().map(move |fit| obb::Options { fit: *fit, split, ..Default::default() });
    // What the compiler does for the best quality comes last.
    let best = obb::Options { fit: Method::MEMETIC, ..Default::default() };
    let ways: Vec<_> = SPLITS.into_iter().flat_map(by).chain([best]).collect();
    let of_model = |model: &Model| ways.iter().map(|way| scene::file(&model.mesh, *way)).collect();
    let files: Vec<Vec<Compiled>> = models.iter().map(of_model).collect();
    let scenes = SCENES.into_iter().filter(|[a, b]| a.max(b) < &models.len());
    let timed = scenes.map(|[a, b]| Timed {
        name: format!("{}, {}", models[a].name, models[b].name),
        pairs: models[a].mesh.triangles.len() * models[b].mesh.triangles.len(),
        means: measure([&files[a], &files[b]], steps, rounds),
    });
    let timed: Vec<_> = timed.collect();
    println!("\n{DIFFERENCES}");
    print_scenes(&timed);
    let columns = [&names(methods)[..], &["memetic, kinematic"]].concat();
    for (index, split) in SPLITS.into_iter().enumerate() {
        let of_split = |scene: &Timed| {
            let (all, first) = (&scene.means, index * methods.len());
            let means = [&all[first..first + methods.len()], &all[all.len() - 1..]].concat();
            Timed { name: scene.name.clone(), means, ..*scene }
        };
        let timed: Vec<_> = timed.iter().map(of_split).collect();
        print_collisions(split, &timed, &columns);
        plot_collisions(split, &timed, &columns, steps, setting);
    }
}

/// The same orbit with the files of every option, which must find the same pairs.
fn measure([a, b]: [&[Compiled]; 2], steps: u32, rounds: u32) -> Vec<Mean> {
    let scenes: Vec<_> = a.iter().zip(b).map(|(a, b)| Scene::new(a, b)).collect();
    let orbit = scenes[0].orbit(steps);
    let means: Vec<_> = scenes.iter().map(|scene| scene.time(&orbit, rounds)).collect();
    assert!(means.iter().all(|mean| mean.pairs == means[0].pairs), "trees change no answer");
    means
}

fn print_scenes(timed: &[Timed]) {
    let pairs = timed.iter().map(|scene| {
        (scene.name.clone(), vec![scene.pairs.to_string(), format!("{:.1}", scene.means[0].pairs)])
    });
    table("Table 3: scenes", &["pairs of triangles", "that meet, mean of the steps"], pairs);
}

fn print_collisions(split: Split, timed: &[Timed], columns: &[&str]) {
    let print = |title: &str, cell: &dyn Fn(&Mean) -> String| {
        let row = |scene: &Timed| (scene.name.clone(), scene.means.iter().map(cell).collect());
        table(&format!("{title}, {}", split.name()), columns, timed.iter().map(row));
    };
    print("Figure 12: mean us, all pairs", &|mean| format!("{:.2}", mean.all));
    print("The same, yes or no", &|mean| format!("{:.2}", mean.first));
    print("Pairs of nodes and of leaves, all pairs", &|mean| format!("{:.1}", mean.steps()));
}

fn plot_collisions(split: Split, timed: &[Timed], columns: &[&str], steps: u32, setting: &Setting) {
    let of_way =
        |index: usize| timed.iter().map(|scene| scene.means[index].all / scene.means[0].all).collect();
    let series: Vec<Series> =
        columns.iter().enumerate().map(|(index, name)| ((*name).to_owned(), of_way(index))).collect();
    let group = |scene: &Timed| format!("{}\ncovariance {:.1} us", scene.name, scene.means[0].all);
    let groups: Vec<_> = timed.iter().map(group).collect();
    let caption = format!(
        "{PAPER}, figure 12: time to find all pairs that meet, {steps} steps on an orbit, {}",
        split.name()
    );
    let figure = Figure { caption: &caption, x: "", y: "mean time, covariance = 1" };
    plot::bars(
        &setting.folder.join(format!("genetic-12-collisions-{}.svg", split.name())),
        &figure,
        &groups,
        &series,
    );
}
