//! Swept spheres around the parts of a tree of oriented boxes, whose cuts and nodes they share. They know triangles'
//! corners, but no meshes and no bytes.
//!
//! [`enclose`] goes from the leaves up: a swept sphere is fitted to what its children's were decided by, the vertices of
//! the hull (`fit` says how).
//!
//! Based on: Larsen, Gottschalk, Lin, Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999. Departures:
//! several frames are tried, the best is improved step by step, and the radius is what the rounded core needs.

mod ball;
mod fit;
#[cfg(test)]
mod tests;

use bvhc_format::swept::Core;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::fit::vector::{Vector, add, dot, round_up, scale, subtract};
use crate::fit::{Method, Objective, Scratch};
use crate::obb::analysis::sort_and_dedup;
use crate::obb::enclose::enclose as enclose_by_box;
use crate::obb::{Child, Link, Tree};
use fit::Fit;

/// All points within a radius of a core: its numbers as the file holds them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swept {
    /// The centre of the core, relative to the tree's origin.
    pub centre: [f32; 3],
    /// The half axes of the core, at right angles but for rounding, the longer one first; zero where it has none.
    pub axes: [[f32; 3]; 2],
    /// The radius.
    pub radius: f32,
}

impl Swept {
    /// How likely it is to meet another like it, at a uniformly random pose: `2V + S * b`, as for boxes
    /// ([`Objective::Collision`]), by Steiner's formulas.
    pub fn measure(&self) -> f64 {
        let [x, y] = self.axes.map(|axis| 2.0 * length(axis.map(f64::from)));
        measure(x, y, f64::from(self.radius))
    }

    /// The lengths of the centre and the half axes, and the radius, added up.
    pub fn reach(&self) -> f64 {
        let [u, v] = self.axes;
        [self.centre, u, v].map(|vector| length(vector.map(f64::from))).iter().sum::<f64>()
            + f64::from(self.radius)
    }
}

/// [`Swept::measure`], of a core of this size.
fn measure(x: f64, y: f64, radius: f64) -> f64 {
    use std::f64::consts::PI;
    let volume = 2.0 * x * y * radius + PI * radius * radius * (x + y + radius * 4.0 / 3.0);
    let surface = 2.0 * x * y + 2.0 * PI * radius * (x + y + 2.0 * radius);
    2.0 * volume + surface * (0.5 * (x + y) + 2.0 * radius)
}

/// How far a point, relative to the centre, is from a point of the core that is nearest, or hardly farther than that.
pub(crate) fn off(point: Vector, axes: [Vector; 2]) -> f64 {
    let squares = axes.map(|axis| dot(axis, axis));
    let mut places = [0.0; 2];
    // Once more, for what rounding left of one axis in the other.
    for index in [0, 1, 0, 1] {
        let other = scale(axes[1 - index], places[1 - index]);
        let along = dot(subtract(point, other), axes[index]);
        places[index] = if squares[index] > 0.0 { (along / squares[index]).clamp(-1.0, 1.0) } else { 0.0 };
    }
    let [x, y] = places;
    length(subtract(point, add(scale(axes[0], x), scale(axes[1], y))))
}

fn length(vector: Vector) -> f64 {
    dot(vector, vector).sqrt()
}

/// Puts a swept sphere with this core around what each child of a tree's nodes holds, given the corners of all triangles,
/// relative to `origin`. Runs in the current rayon pool; the number of its threads plays no role.
///
/// `slack` is added to radii before they are rounded up.
pub fn enclose(
    tree: &Tree,
    triangles: &[[[f32; 3]; 3]],
    core: Core,
    origin: [f32; 3],
    slack: f64,
) -> Vec<Vec<Swept>> {
    let growth = Growth { tree, triangles, core, origin, slack };
    let mut swept = vec![Vec::new(); tree.nodes.len()];
    for (node, of_node) in growth.grow(0).swept {
        swept[node as usize] = of_node;
    }
    swept
}

struct Growth<'a> {
    tree: &'a Tree,
    triangles: &'a [[[f32; 3]; 3]],
    core: Core,
    origin: [f32; 3],
    slack: f64,
}

/// What is around the children of a node and of all nodes below.
struct Grown {
    swept: Vec<(u32, Vec<Swept>)>,
    /// What decides anything around the node.
    points: Vec<[f32; 3]>,
}

impl Growth<'_> {
    fn grow(&self, node: u32) -> Grown {
        let children = &self.tree.nodes[node as usize].children;
        let grown: Vec<_> = children.into_par_iter().map(|child| self.around(child)).collect();
        let of_node = grown.iter().map(|(swept, _)| *swept).collect();
        let mut whole = Grown { swept: vec![(node, of_node)], points: Vec::new() };
        for (_, below) in grown {
            whole.swept.extend(below.swept);
            whole.points.extend(below.points);
        }
        whole
    }

    fn around(&self, child: &Child) -> (Swept, Grown) {
        let mut below = match child.link {
            Link::Node(node) => self.grow(node),
            Link::Leaf => {
                let order = &self.tree.order[child.range.start as usize..child.range.end as usize];
                let corners = order.iter().flat_map(|triangle| self.triangles[*triangle as usize]);
                Grown { swept: Vec::new(), points: corners.collect() }
            }
        };
        sort_and_dedup(&mut below.points);
        let (method, objective) = (Method::HullCovariance, Objective::Collision);
        let (cheap, points) = enclose_by_box(&method, objective, below.points, &mut Scratch::default());
        let origin = self.origin.map(f64::from);
        let offsets: Vec<Vector> =
            points.iter().map(|point| subtract(point.map(f64::from), origin)).collect();
        let swept = self.round(&Fit::around(self.core, &[child.obb.frame, cheap.frame], &offsets), &offsets);
        (swept, Grown { points, ..below })
    }

    /// The numbers of the file, with the radius that these need.
    fn round(&self, fit: &Fit, points: &[Vector]) -> Swept {
        let centre = fit.centre.map(|x| x as f32);
        let axes = fit.half_axes(self.core).map(|axis| axis.map(|x| x as f32));
        let (from, along) = (centre.map(f64::from), axes.map(|axis| axis.map(f64::from)));
        let radius =
            points.iter().fold(0.0, |radius: f64, point| radius.max(off(subtract(*point, from), along)));
        Swept { centre, axes, radius: round_up(radius + self.slack) }
    }
}
