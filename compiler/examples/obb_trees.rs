//! Builds trees of oriented boxes over a model by every split rule and a few fits, and prints a table: seconds, the
//! sum and the mean of the volumes, the collision cost of inner boxes and of leaves relative to the root's, how full
//! leaves and nodes are, levels, and the steps and the pairs of leaves of a walk that looks for all pairs of triangles
//! of the model and a rotated copy that intersects it (mean of [`POSES`]), with their cost in microseconds.
//!
//! `cargo run --release -p bvhc --example obb_trees -- model.obj [collision] [split rule ...] [fit method ...]`
//! A number in place of a model means a displaced sphere of about that many triangles.

use std::time::Instant;

use bvhc::fit::{Frame, Method, Obb, Objective};
use bvhc::pair::obb::{Child, Link, Options, Split, Tree, build};

const POSES: u32 = 40;

/// Of a step, which tests 4 boxes with 4, and of a pair of leaves, in microseconds: measured with 512-bit lanes.
const COSTS: [f64; 2] = [0.0225, 0.048];

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
            print(&options, &tree, started.elapsed().as_secs_f64(), middle(&triangles));
        }
    }
}

fn print(options: &Options, tree: &Tree, seconds: f64, middle: Middle) {
    let figures = tree.statistics();
    let walked = walk(tree, middle);
    println!(
        "| {} | {} | {seconds:.2} | {:.6e} | {:.4e} | {:.4} | {:.4} | {:.3} | {:.2} | {} | {:.0} | {:.0} | {:.1} |",
        options.split.name(),
        options.fit.name(),
        figures.volume,
        figures.mean_volume(),
        figures.node_cost,
        figures.leaf_cost,
        tree.order.len() as f64 / (figures.leaves * u64::from(options.leaf_size)) as f64,
        figures.boxes as f64 / tree.nodes.len() as f64,
        tree.depth,
        walked[0],
        walked[1],
        walked[0] * COSTS[0] + walked[1] * COSTS[1],
    );
}

/// The centre of a model, and its mean extent.
struct Middle {
    centre: [f64; 3],
    reach: f64,
}

fn middle(triangles: &[[[f32; 3]; 3]]) -> Middle {
    let ends = [0, 1, 2].map(|i| {
        let coordinates = triangles.iter().flatten().map(|corner| f64::from(corner[i]));
        coordinates.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    });
    let reach = ends.iter().map(|[low, high]| high - low).sum::<f64>() / 3.0;
    Middle { centre: ends.map(|[low, high]| 0.5 * (low + high)), reach }
}

/// Steps and pairs of leaves, the mean over poses that are the same for every tree of a model.
fn walk(tree: &Tree, Middle { centre, reach }: Middle) -> [f64; 2] {
    let mut counts = [0; 2];
    for pose in 0..POSES {
        // Points of low discrepancy in the cube.
        let unit = |step: f64| (0.5 + step * f64::from(pose + 1)).fract();
        let frame = turn([unit(0.819_172_513), unit(0.671_043_607), unit(0.549_700_478)]);
        let along = turn([unit(0.450_299_522), unit(0.328_956_393), unit(0.180_827_487)]).axes[0];
        let far = reach * (0.3 + 0.5 * unit(0.618_033_989));
        let to = [0, 1, 2].map(|i| centre[i] + far * along[i] - dot(frame.rows()[i], centre));
        Walk { tree, frame, to }.count(&mut counts);
    }
    counts.map(|count| f64::from(count) / f64::from(POSES))
}

/// A rotation by three numbers from 0 to 1 (Shoemake, "Uniform random rotations", 1992).
fn turn([a, b, c]: [f64; 3]) -> Frame {
    let angles = [b, c].map(|turn| libm::sincos(std::f64::consts::TAU * turn));
    let [r, s] = [(1.0 - a).sqrt(), a.sqrt()];
    let [x, y, z, w] = [r * angles[0].0, r * angles[0].1, s * angles[1].0, s * angles[1].1];
    Frame::from_quaternion([x, y, z, w])
}

trait Rows {
    fn rows(&self) -> [[f64; 3]; 3];
}

impl Rows for Frame {
    fn rows(&self) -> [[f64; 3]; 3] {
        [0, 1, 2].map(|row| [0, 1, 2].map(|column| self.axes[column][row]))
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A tree, and the pose of its copy.
struct Walk<'a> {
    tree: &'a Tree,
    frame: Frame,
    to: [f64; 3],
}

impl Walk<'_> {
    fn count(&self, counts: &mut [u32; 2]) {
        let mut pending = vec![(0, 0, None, None)];
        while let Some((a, b, only_a, only_b)) = pending.pop() {
            counts[0] += 1;
            let [of_a, of_b] = [a, b].map(|node| self.tree.children(&self.tree.nodes[node]));
            for (i, child) in of_a.iter().enumerate().filter(|(i, _)| only_a.is_none_or(|only| only == *i)) {
                for (j, other) in
                    of_b.iter().enumerate().filter(|(j, _)| only_b.is_none_or(|only| only == *j))
                {
                    if !self.meet(child, other) {
                        continue;
                    }
                    match (child.link, other.link) {
                        (Link::Leaf, Link::Leaf) => counts[1] += 1,
                        (Link::Node(a), Link::Node(b)) => pending.push((a as usize, b as usize, None, None)),
                        (Link::Node(a), Link::Leaf) => pending.push((a as usize, b, None, Some(j))),
                        (Link::Leaf, Link::Node(b)) => pending.push((a, b as usize, Some(i), None)),
                    }
                }
            }
        }
    }

    /// Whether no axis of faces or edges separates a box and the copy of another.
    fn meet(&self, child: &Child, other: &Child) -> bool {
        let (a, b): (&Obb, &Obb) = (&child.obb, &other.obb);
        let rows = self.frame.rows();
        let rotate = |v: [f64; 3]| [dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)];
        let centre = rotate(b.centre);
        let apart = [0, 1, 2].map(|i| centre[i] + self.to[i] - a.centre[i]);
        let t = a.frame.axes.map(|axis| dot(axis, apart));
        let axes = b.frame.axes.map(rotate);
        let r = a.frame.axes.map(|axis| axes.map(|other| dot(axis, other)));
        let size = r.map(|row| row.map(|x| x.abs() + 1e-9));
        let (p, q) = (a.half_extents, b.half_extents);
        let column = |j: usize| [size[0][j], size[1][j], size[2][j]];
        let of_a = (0..3).all(|i| t[i].abs() <= p[i] + dot(size[i], q));
        let of_b = (0..3)
            .all(|j| (t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j]).abs() <= q[j] + dot(column(j), p));
        let next = |i: usize| ((i + 1) % 3, (i + 2) % 3);
        let of_edges = |i: usize, j: usize| {
            let ((i1, i2), (j1, j2)) = (next(i), next(j));
            let reach = p[i1] * size[i2][j] + p[i2] * size[i1][j] + q[j1] * size[i][j2] + q[j2] * size[i][j1];
            (t[i2] * r[i1][j] - t[i1] * r[i2][j]).abs() <= reach
        };
        of_a && of_b && (0..3).all(|i| (0..3).all(|j| of_edges(i, j)))
    }
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
