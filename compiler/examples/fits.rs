//! Fits a box to every inner node of a tree over a model by every method, and prints a table: seconds, the sum of
//! the measures over the tree and the mean over its nodes, both relative to the least that any method found.
//!
//! `cargo run --release -p bvhc --example fits -- model.obj [volume|collision] [method ...]`

use std::time::Instant;

use bvhc::fit::{Method, Objective, Scratch, fit};
use bvhc::layout::triangle_box;
use bvhc::mesh::Mesh;
use bvhc::tree::binary::BinaryTree;
use bvhc::tree::build::{Builder, Leaves, build};

/// Nodes over at least this many triangles are fitted by a thread of their own if one is free.
const PARALLEL_SIZE: usize = 256;

/// Extents below this share of the largest are rounding errors.
const FLAT: f64 = 1e-12;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [path, options @ ..] = &arguments[..] else {
        panic!("which model?");
    };
    let objective = match options.iter().any(|option| option == "collision") {
        true => Objective::Collision,
        false => Objective::Volume,
    };
    let is_named = |name: &str| options.iter().any(|option| option == name);
    let any_named = Method::all().iter().any(|method| is_named(method.name()));
    let methods = Method::all().into_iter().filter(|method| !any_named || is_named(method.name()));
    let bytes = std::fs::read(path).expect("the model can be read");
    let polygons = bvhc::import::read(&bytes, path).expect("the model is valid");
    let mesh = bvhc::clean::mesh(polygons, path).expect("the model has triangles");
    let boxes: Vec<_> = (0..mesh.triangles.len() as u32).map(|i| triangle_box(&mesh, i)).collect();
    let tree = build(&boxes, Builder::Binned, Leaves::Single, &|_| ());
    let rows: Vec<_> = methods.map(|method| Row::measure(&mesh, &tree, method, objective)).collect();
    print(&rows);
}

struct Row {
    name: &'static str,
    seconds: f64,
    /// Of each inner node.
    measures: Vec<f64>,
}

impl Row {
    fn measure(mesh: &Mesh, tree: &BinaryTree, method: Method, objective: Objective) -> Self {
        let started = Instant::now();
        let mut measures = vec![0.0; tree.nodes.len()];
        Fits { mesh, tree, method, objective }.fit(0, &mut measures, &mut Scratch::default());
        Self { name: method.name(), seconds: started.elapsed().as_secs_f64(), measures }
    }
}

struct Fits<'a> {
    mesh: &'a Mesh,
    tree: &'a BinaryTree,
    method: Method,
    objective: Objective,
}

impl Fits<'_> {
    /// Fits the nodes of a subtree, and returns the vertices of its hull.
    fn fit(&self, node: usize, measures: &mut [f64], scratch: &mut Scratch) -> Vec<[f32; 3]> {
        if self.tree.nodes[node].count == 1 {
            return self.mesh.corners(self.tree.primitives(node)[0]).to_vec();
        }
        let [left, right] = self.tree.children(node);
        let (root, below) = measures.split_first_mut().expect("a subtree has a root");
        let (of_left, of_right) = below.split_at_mut(right - left);
        let (mut points, others) = if self.tree.nodes[node].count as usize >= PARALLEL_SIZE {
            rayon::join(
                || self.fit(left, of_left, &mut Scratch::default()),
                || self.fit(right, of_right, &mut Scratch::default()),
            )
        } else {
            (self.fit(left, of_left, scratch), self.fit(right, of_right, scratch))
        };
        points.extend(others);
        let extents = fit(&self.method, self.objective, &points, scratch).extents();
        let is_solid = extents[2] > FLAT * extents[0];
        *root = if is_solid { self.objective.measure(extents) } else { 0.0 };
        scratch.hull_vertices().iter().map(|vertex| points[*vertex as usize]).collect()
    }
}

fn print(rows: &[Row]) {
    let least = |node: usize| rows.iter().map(|row| row.measures[node]).fold(f64::INFINITY, f64::min);
    let least: Vec<_> = (0..rows[0].measures.len()).map(least).collect();
    let solid = least.iter().filter(|measure| **measure > 0.0).count();
    println!("{solid} inner nodes with volume");
    println!("| method | seconds | sum excess | mean excess |\n|---|---|---|---|");
    for row in rows {
        let pairs = row.measures.iter().zip(&least).filter(|(_, least)| **least > 0.0);
        let (mut sum, mut sum_of_least, mut mean) = (0.0, 0.0, 0.0);
        for (measure, least) in pairs {
            sum += measure;
            sum_of_least += least;
            mean += (measure / least - 1.0) / solid as f64;
        }
        let sum = 100.0 * (sum / sum_of_least - 1.0);
        println!("| {} | {:.2} | {sum:.3} % | {:.3} % |", row.name, row.seconds, 100.0 * mean);
    }
}
