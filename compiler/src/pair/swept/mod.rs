//! Swept spheres around the parts of a tree of oriented boxes, whose partition and nodes they share. The code is
//! independent of meshes and bytes.
//!
//! [`enclose`] goes from the leaves up: a swept sphere is fitted to the vertices of the hulls of its children (see `fit`).
//! For a hybrid, that is done with each kind of core, and a node gets the cheapest one that prunes as well as any.
//!
//! Based on: Larsen, Gottschalk, Lin, Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999. Departures:
//! several frames are tried, the best is improved step by step, and the radius is what the rounded core needs.

mod ball;
mod fit;
#[cfg(test)]
mod tests;

use bvhc_format::swept::{Core, Cores};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::obb::{Child, Link, Tree};
use crate::fit::{Method, Objective, Scratch, enclose as enclose_by_box, sort_and_dedup};
use crate::math::vector::{Vector, add, dot, length, round_up, scale, subtract};
use fit::Fit;

/// By how much the measures of a hybrid's node may exceed the least, in the sum of its children.
///
/// (A step of a distance walk takes 0.73 of the time with lines and 0.48 with points, relative to rectangles. With an
/// allowance of 0.2, such walks took up to 7 % more steps, and no less time. Weighing the steps' times against the
/// measures of all descendants, by dynamic programming, made them take up to 1.9 times as long: the measure models
/// collisions, and understates what looser volumes cost distance queries.)
const ALLOWANCE: f64 = 0.1;

/// All points within a radius of a core: its numbers as the file holds them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swept {
    /// The centre of the core, relative to the tree's origin.
    pub centre: [f32; 3],
    /// The half axes of the core, perpendicular up to rounding, the longer one first; zero where it has none.
    pub axes: [[f32; 3]; 2],
    /// The radius.
    pub radius: f32,
}

impl Swept {
    /// Proportional to the probability of meeting another like it at a uniformly random pose: `2V + S * b`, as for boxes
    /// ([`Objective::Collision`]), by Steiner's formulas.
    pub fn measure(&self) -> f64 {
        let [x, y] = self.axes.map(|axis| 2.0 * length(axis.map(f64::from)));
        measure(x, y, f64::from(self.radius))
    }

    /// The sum of the lengths of the centre and the half axes and of the radius.
    pub fn radius_from_origin(&self) -> f64 {
        let [u, v] = self.axes;
        [self.centre, u, v].map(|vector| length(vector.map(f64::from))).iter().sum::<f64>()
            + f64::from(self.radius)
    }
}

/// [`Swept::measure`] of a core of this size.
fn measure(x: f64, y: f64, radius: f64) -> f64 {
    use std::f64::consts::PI;
    let volume = 2.0 * x * y * radius + PI * radius * radius * (x + y + radius * 4.0 / 3.0);
    let surface = 2.0 * x * y + 2.0 * PI * radius * (x + y + 2.0 * radius);
    2.0 * volume + surface * (0.5 * (x + y) + 2.0 * radius)
}

/// The distance of a point, relative to the centre, from the core: from its nearest point, or from one that is hardly
/// farther.
pub(crate) fn off(point: Vector, axes: [Vector; 2]) -> f64 {
    let squares = axes.map(|axis| dot(axis, axis));
    let mut coordinates = [0.0; 2];
    // Twice, as rounding leaves the axes not quite perpendicular.
    for index in [0, 1, 0, 1] {
        let other = scale(axes[1 - index], coordinates[1 - index]);
        let along = dot(subtract(point, other), axes[index]);
        coordinates[index] =
            if squares[index] > 0.0 { (along / squares[index]).clamp(-1.0, 1.0) } else { 0.0 };
    }
    let [x, y] = coordinates;
    length(subtract(point, add(scale(axes[0], x), scale(axes[1], y))))
}

/// The volumes of the children of a node.
#[derive(Clone, Debug)]
pub struct Enclosed {
    /// The kind of their cores.
    pub core: Core,
    /// One each.
    pub children: Vec<Swept>,
}

/// Fits a swept sphere with such a core to each child of a tree's nodes, given the corners of all triangles, relative to
/// `origin`. Runs in the current rayon pool; the result does not depend on the number of threads.
///
/// `slack` is added to radii before they are rounded up.
pub fn enclose(
    tree: &Tree,
    triangles: &[[[f32; 3]; 3]],
    cores: Cores,
    origin: [f32; 3],
    slack: f64,
) -> Vec<Enclosed> {
    let kinds = match cores {
        Cores::Same(core) => vec![core],
        Cores::Hybrid => Core::ALL.to_vec(),
    };
    let builder = Builder { tree, triangles, kinds: &kinds, origin, slack };
    let mut each = vec![Vec::new(); tree.nodes.len()];
    for (node, of_node) in builder.build(0).each {
        each[node as usize] = of_node;
    }
    let choose = |of_node: Vec<Each>| {
        let kind = cheapest(&of_node, kinds.len());
        Enclosed { core: kinds[kind], children: of_node.into_iter().map(|each| each[kind]).collect() }
    };
    each.into_iter().map(choose).collect()
}

/// The first of so many kinds with which a node's children prune as well as with any, within [`ALLOWANCE`].
fn cheapest(of_node: &[Each], kinds: usize) -> usize {
    let sum = |kind: usize| of_node.iter().map(|each| each[kind].measure()).sum::<f64>();
    let sums: Vec<f64> = (0..kinds).map(sum).collect();
    let least = sums.iter().copied().fold(f64::INFINITY, f64::min);
    sums.iter().position(|sum| *sum <= least * (1.0 + ALLOWANCE)).unwrap_or(kinds - 1)
}

/// The volumes of a child, one for each wanted kind of core.
type Each = Vec<Swept>;

struct Builder<'a> {
    tree: &'a Tree,
    triangles: &'a [[[f32; 3]; 3]],
    /// The kinds of cores, in the order of [`Core::ALL`].
    kinds: &'a [Core],
    origin: [f32; 3],
    slack: f64,
}

/// The volumes of the children of a node and of all nodes below.
struct Subtree {
    each: Vec<(u32, Vec<Each>)>,
    /// The vertices of the hull, which decide any volume around the node.
    points: Vec<[f32; 3]>,
}

impl Builder<'_> {
    fn build(&self, node: u32) -> Subtree {
        let children = self.tree.children(&self.tree.nodes[node as usize]);
        let built: Vec<_> = children.into_par_iter().map(|child| self.around(child)).collect();
        let of_node = built.iter().map(|(each, _)| each.clone()).collect();
        let mut whole = Subtree { each: vec![(node, of_node)], points: Vec::new() };
        for (_, below) in built {
            whole.each.extend(below.each);
            whole.points.extend(below.points);
        }
        whole
    }

    fn around(&self, child: &Child) -> (Each, Subtree) {
        let mut below = match child.link {
            Link::Node(node) => self.build(node),
            Link::Leaf => {
                let order = &self.tree.order[child.range.start as usize..child.range.end as usize];
                let corners = order.iter().flat_map(|triangle| self.triangles[*triangle as usize]);
                Subtree { each: Vec::new(), points: corners.collect() }
            }
        };
        sort_and_dedup(&mut below.points);
        let (method, objective) = (Method::HullCovariance, Objective::Collision);
        let (cheap, points) = enclose_by_box(&method, objective, below.points, &mut Scratch::default());
        let origin = self.origin.map(f64::from);
        let offsets: Vec<Vector> =
            points.iter().map(|point| subtract(point.map(f64::from), origin)).collect();
        let most = self.kinds.iter().copied().max().unwrap_or(Core::Point);
        let fits = Fit::up_to(most, &[child.obb.frame, cheap.frame], &offsets);
        let each = self.kinds.iter().map(|core| self.round(*core, &fits[*core as usize], &offsets)).collect();
        (each, Subtree { points, ..below })
    }

    /// Rounds a fit to the numbers of the file, with the radius that these need.
    fn round(&self, core: Core, fit: &Fit, points: &[Vector]) -> Swept {
        let centre = fit.centre.map(|x| x as f32);
        let axes = fit.half_axes(core).map(|axis| axis.map(|x| x as f32));
        let (from, along) = (centre.map(f64::from), axes.map(|axis| axis.map(f64::from)));
        let radius =
            points.iter().fold(0.0, |radius: f64, point| radius.max(off(subtract(*point, from), along)));
        Swept { centre, axes, radius: round_up(radius + self.slack) }
    }
}
