//! The whole way: parts from the top down, nodes by their collapse, and boxes from the bottom up.
//!
//! The hull of a union is the hull of the hulls' vertices, so a box is fitted to what its children's boxes were
//! decided by.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::fit::{self, Obb};

use super::analysis::{Rule, sort_and_dedup};
use super::collapse;
use super::cut::Triangle;
use super::enclose::enclose;
use super::part::{self, Part};
use super::{Child, Link, Node, OnTriangles, Options, Tree, WIDTH};

/// Sets of at least this many triangles are fitted by a thread of their own if one is free.
const PARALLEL_SIZE: usize = 1024;

/// Builds a tree over at least one triangle, all coordinates finite. Runs in the current rayon pool.
///
/// The tree depends on the triangles and the options, but on neither the number of threads nor the machine.
pub fn build(triangles: &[[[f32; 3]; 3]], options: &Options, on_triangles: OnTriangles<'_>) -> Tree {
    Parted::new(triangles, options).fit(options, on_triangles)
}

/// Triangles in the order of the leaves, and the parts they are in.
pub(super) struct Parted {
    triangles: Vec<Triangle>,
    whole: Part,
}

impl Parted {
    /// Parts triangles. Of the options, how boxes are fitted plays no role.
    pub(super) fn new(triangles: &[[[f32; 3]; 3]], options: &Options) -> Self {
        let mut triangles: Vec<_> =
            (0..).zip(triangles).map(|(number, corners)| Triangle { corners: *corners, number }).collect();
        let whole = part::part(&mut triangles, Rule::Box(options.split), options.leaf_size.into());
        Self { triangles, whole }
    }

    /// Fits the boxes of the parts.
    pub(super) fn fit(&self, options: &Options, on_triangles: OnTriangles<'_>) -> Tree {
        let Self { triangles, whole } = self;
        let growth = Growth { triangles, options, on_triangles };
        let mut grown = growth.grow(whole, 0, 0, &mut fit::Scratch::default());
        if triangles.len() < PARALLEL_SIZE {
            on_triangles(triangles.len() as u64);
        }
        if grown.nodes.is_empty() {
            let child = Child { obb: grown.obb, range: 0..triangles.len() as u32, link: Link::Leaf };
            grown.nodes.push(Node { children: vec![child] });
            grown.depth = 1;
        }
        let order = triangles.iter().map(|triangle| triangle.number).collect();
        Tree { nodes: grown.nodes, order, depth: grown.depth, root: grown.obb }
    }
}

/// A subtree.
struct Grown {
    /// As if they were the only ones; none if the part is a leaf.
    nodes: Vec<Node>,
    depth: u32,
    obb: Obb,
    /// What decides the box, and any other around the part.
    points: Vec<[f32; 3]>,
}

struct Growth<'a> {
    /// In the order of the leaves.
    triangles: &'a [Triangle],
    options: &'a Options,
    on_triangles: OnTriangles<'a>,
}

impl Growth<'_> {
    /// Grows the part whose triangles begin at `first`.
    fn grow(&self, part: &Part, first: usize, level: u32, scratch: &mut fit::Scratch) -> Grown {
        let (nodes, depth, mut points) = if part.halves.is_some() {
            self.grow_below(part, first, level, scratch)
        } else {
            let triangles = &self.triangles[first..first + part.count];
            (Vec::new(), 0, triangles.iter().flat_map(|triangle| triangle.corners).collect())
        };
        sort_and_dedup(&mut points);
        let method = seeded(self.options, first, part.count);
        let (obb, points) = enclose(&method, self.options.objective, points, scratch);
        Grown { nodes, depth, obb, points }
    }

    /// Grows the children of a part, and returns the nodes and their levels, and what decides the children's boxes.
    fn grow_below(
        &self,
        part: &Part,
        first: usize,
        level: u32,
        scratch: &mut fit::Scratch,
    ) -> (Vec<Node>, u32, Vec<[f32; 3]>) {
        let mut next = first;
        let places = collapse::children(part, level).into_iter().map(|child| {
            next += child.count;
            (child, next - child.count)
        });
        let places: Vec<_> = places.collect();
        let grown: Vec<_> = if part.count >= PARALLEL_SIZE {
            let alone = |&(child, first): &(&Part, usize)| self.grow_alone(child, first, level + 1);
            (&places).into_par_iter().map(alone).collect()
        } else {
            places.iter().map(|(child, first)| self.grow(child, *first, level + 1, scratch)).collect()
        };
        let points = grown.iter().flat_map(|child| &child.points).copied().collect();
        let ranges = places.iter().map(|(child, first)| *first as u32..(first + child.count) as u32);
        let mut nodes = vec![Node { children: Vec::with_capacity(WIDTH) }];
        let depth = grown.iter().map(|child| child.depth).max().unwrap_or(0) + 1;
        for (child, range) in grown.into_iter().zip(ranges) {
            let link = append(&mut nodes, child.nodes);
            nodes[0].children.push(Child { obb: child.obb, range, link });
        }
        (nodes, depth, points)
    }

    /// Grows a child of a large part.
    fn grow_alone(&self, part: &Part, first: usize, level: u32) -> Grown {
        let grown = self.grow(part, first, level, &mut fit::Scratch::default());
        // Larger parts have told of their children.
        if part.count < PARALLEL_SIZE {
            (self.on_triangles)(part.count as u64);
        }
        grown
    }
}

/// Adds a subtree to nodes, and returns the link to it.
fn append(nodes: &mut Vec<Node>, mut subtree: Vec<Node>) -> Link {
    let offset = nodes.len() as u32;
    for child in subtree.iter_mut().flat_map(|node| &mut node.children) {
        if let Link::Node(index) = &mut child.link {
            *index += offset;
        }
    }
    let link = if subtree.is_empty() { Link::Leaf } else { Link::Node(offset) };
    nodes.append(&mut subtree);
    link
}

/// The method for a part, with random numbers of its own.
fn seeded(options: &Options, first: usize, count: usize) -> fit::Method {
    // Multiplied by odd numbers, so that no two parts share a seed soon.
    let seed = options.seed
        ^ (first as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (count as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    match options.fit {
        fit::Method::Genetic(parameters) => {
            fit::Method::Genetic(fit::genetic::Parameters { seed, ..parameters })
        }
        fit::Method::Memetic(parameters) => {
            fit::Method::Memetic(fit::memetic::Parameters { seed, ..parameters })
        }
        other => other,
    }
}
