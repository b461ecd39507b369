//! Builds a tree: parts from the top down, nodes by their collapse, and boxes from the bottom up.
//!
//! The hull of a union is the hull of the hulls' vertices, so a box is fitted to the vertices of its children's hulls.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::fit::{self, Obb, enclose, sort_and_dedup};
use crate::pair::partition::{Part, Parts, Triangle, partition};

use super::{Child, Link, Node, OnTriangles, Options, Tree, WIDTH};

/// Sets of at least this many triangles are fitted by a thread of their own if one is free.
const PARALLEL_SIZE: usize = 1024;

/// Builds a tree over at least one triangle, all coordinates finite. Runs in the current rayon pool.
///
/// The tree depends on the triangles and the options, but on neither the number of threads nor the machine.
pub fn build(triangles: &[[[f32; 3]; 3]], options: &Options, on_triangles: OnTriangles<'_>) -> Tree {
    Partition::new(Triangle::number(triangles), options).fit(options, on_triangles)
}

/// Triangles in the order of the leaves, and their parts.
pub(super) struct Partition {
    triangles: Vec<Triangle>,
    parts: Parts,
}

impl Partition {
    /// Partitions triangles. How boxes are fitted plays no role, unless they are split by fitted boxes.
    pub(super) fn new(mut triangles: Vec<Triangle>, options: &Options) -> Self {
        let parts = partition(&mut triangles, options.rule(), options.leaf_size.into());
        Self { triangles, parts }
    }

    /// Fits the boxes of the parts.
    pub(super) fn fit(&self, options: &Options, on_triangles: OnTriangles<'_>) -> Tree {
        let Self { triangles, parts } = self;
        let builder = Builder { triangles, options, on_triangles };
        let mut built = builder.build(parts.whole(), 0, 0, &mut fit::Scratch::default());
        if triangles.len() < PARALLEL_SIZE {
            on_triangles(triangles.len() as u64);
        }
        if built.nodes.is_empty() {
            let child = Child { obb: built.obb, range: 0..triangles.len() as u32, link: Link::Leaf };
            built.nodes.push(Node { children: vec![child] });
            built.depth = 1;
        }
        let order = triangles.iter().map(|triangle| triangle.number).collect();
        Tree { nodes: built.nodes, order, depth: built.depth, root: built.obb }
    }
}

/// A subtree.
struct Subtree {
    /// As if they were the only ones; none if the part is a leaf.
    nodes: Vec<Node>,
    depth: u32,
    obb: Obb,
    /// The vertices of the hull, which decide any box around the part.
    points: Vec<[f32; 3]>,
}

struct Builder<'a> {
    /// In the order of the leaves.
    triangles: &'a [Triangle],
    options: &'a Options,
    on_triangles: OnTriangles<'a>,
}

impl Builder<'_> {
    /// Builds the part whose triangles begin at `first`.
    fn build(&self, part: Part<'_>, first: usize, level: u32, scratch: &mut fit::Scratch) -> Subtree {
        let (nodes, depth, mut points) = if part.is_leaf() {
            let triangles = &self.triangles[first..first + part.count()];
            (Vec::new(), 0, triangles.iter().flat_map(|triangle| triangle.corners).collect())
        } else {
            self.build_children(part, first, level, scratch)
        };
        sort_and_dedup(&mut points);
        let method = self.options.fitting().method(first, part.count());
        let (obb, points) = enclose(&method, self.options.objective, points, scratch);
        Subtree { nodes, depth, obb, points }
    }

    /// Builds the children of a part, and returns the nodes, their levels, and the vertices of the children's hulls.
    fn build_children(
        &self,
        part: Part<'_>,
        first: usize,
        level: u32,
        scratch: &mut fit::Scratch,
    ) -> (Vec<Node>, u32, Vec<[f32; 3]>) {
        let mut next = first;
        let children = part.children(level).into_iter().map(|child| {
            next += child.count();
            (child, next - child.count())
        });
        let children: Vec<_> = children.collect();
        let built: Vec<_> = if part.count() >= PARALLEL_SIZE {
            let alone = |&(child, first): &(Part<'_>, usize)| self.build_large(child, first, level + 1);
            (&children).into_par_iter().map(alone).collect()
        } else {
            children.iter().map(|(child, first)| self.build(*child, *first, level + 1, scratch)).collect()
        };
        let points = built.iter().flat_map(|child| &child.points).copied().collect();
        let ranges = children.iter().map(|(child, first)| *first as u32..(first + child.count()) as u32);
        let mut nodes = vec![Node { children: Vec::with_capacity(WIDTH) }];
        let depth = built.iter().map(|child| child.depth).max().unwrap_or(0) + 1;
        for (child, range) in built.into_iter().zip(ranges) {
            let link = append(&mut nodes, child.nodes);
            nodes[0].children.push(Child { obb: child.obb, range, link });
        }
        (nodes, depth, points)
    }

    /// Builds a child of a large part.
    fn build_large(&self, part: Part<'_>, first: usize, level: u32) -> Subtree {
        let built = self.build(part, first, level, &mut fit::Scratch::default());
        // Larger parts have reported their children.
        if part.count() < PARALLEL_SIZE {
            (self.on_triangles)(part.count() as u64);
        }
        built
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
