//! Builds trees of oriented boxes over a model by every split rule and a few fits, and prints a table: seconds, the
//! sum and the mean of the volumes, the collision cost of inner boxes and of leaves relative to the root's, how full
//! leaves and nodes are, and levels.
//!
//! `cargo run --release -p bvhc --example obb_trees -- model.obj [collision] [split rule ...] [fit method ...]`
//! A number for a model stands for a displaced sphere of about so many triangles.

use std::time::Instant;

use bvhc::fit::{Method, Objective};
use bvhc::obb::{Options, Split, Tree, build};

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [model, words @ ..] = &arguments[..] else {
        panic!("which model?");
    };
    let is_named = |name: &str| words.iter().any(|word| word == name);
    let objective = if is_named("collision") { Objective::Collision } else { Objective::Volume };
    let mut splits = Split::ALL.to_vec();
    if splits.iter().any(|split| is_named(split.name())) {
        splits.retain(|split| is_named(split.name()));
    }
    let mut methods = Method::all().to_vec();
    if methods.iter().any(|method| is_named(method.name())) {
        methods.retain(|method| is_named(method.name()));
    } else {
        methods = vec![Method::Covariance, Method::default()];
    }
    let triangles = model.parse().map_or_else(|_| read(model), sphere);
    println!("{} triangles", triangles.len());
    println!(
        "| split | fit | seconds | sum V | mean V | nodes' cost | leaves' cost | lanes | children | levels |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for split in splits {
        for fit in &methods {
            let options = Options { fit: *fit, split, objective, ..Options::default() };
            let started = Instant::now();
            let tree = build(&triangles, &options, &|_| ());
            print(&options, &tree, started.elapsed().as_secs_f64());
        }
    }
}

fn print(options: &Options, tree: &Tree, seconds: f64) {
    let figures = tree.statistics();
    println!(
        "| {} | {} | {seconds:.2} | {:.6e} | {:.4e} | {:.4} | {:.4} | {:.3} | {:.2} | {} |",
        options.split.name(),
        options.fit.name(),
        figures.volume,
        figures.mean_volume(),
        figures.node_cost,
        figures.leaf_cost,
        tree.order.len() as f64 / (figures.leaves * u64::from(options.leaf_size)) as f64,
        figures.boxes as f64 / tree.nodes.len() as f64,
        tree.depth,
    );
}

fn read(path: &str) -> Vec<[[f32; 3]; 3]> {
    let bytes = std::fs::read(path).expect("the model can be read");
    let polygons = bvhc::import::read(&bytes, path).expect("the model is valid");
    let mesh = bvhc::clean::mesh(polygons, path).expect("the model has triangles");
    (0..mesh.triangles.len() as u32).map(|triangle| mesh.corners(triangle)).collect()
}

/// A sphere with bumps, by latitude and longitude.
fn sphere(triangles: usize) -> Vec<[[f32; 3]; 3]> {
    let rows = (triangles as f64 / 4.0).sqrt() as usize;
    let corner = |row: usize, column: usize| {
        let latitude = std::f64::consts::PI * row as f64 / rows as f64;
        let longitude = std::f64::consts::PI * (column % (2 * rows)) as f64 / rows as f64;
        let (s, c) = libm::sincos(latitude);
        let radius = 1.0 + 0.1 * libm::sin(9.0 * latitude) * libm::sin(7.0 * longitude) * s;
        [radius * s * libm::cos(longitude), radius * s * libm::sin(longitude), radius * c].map(|x| x as f32)
    };
    let cell = |row: usize, column: usize| {
        let [a, b] = [corner(row, column), corner(row, column + 1)];
        let [c, d] = [corner(row + 1, column), corner(row + 1, column + 1)];
        [[a, c, d], [a, d, b]]
    };
    (0..rows).flat_map(|row| (0..2 * rows).flat_map(move |column| cell(row, column))).collect()
}
