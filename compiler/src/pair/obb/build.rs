//! Builds a tree: parts from the top down, nodes by their collapse, and boxes from the bottom up.
//!
//! The hull of a union is the hull of the hulls' vertices, so a box is fitted to the vertices of its children's hulls.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::fit::{self, Obb, enclose, sort_and_dedup};
use crate::pair::partition::{Part, Parts, Triangle, partition};

use super::{Child, Link, Node, OnTriangles, Options, Tree};

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
        let mut list = List::default();
        let whole = builder.build(parts.whole(), (0, 0), &mut list, &mut fit::Scratch::default());
        if triangles.len() < PARALLEL_SIZE {
            on_triangles(triangles.len() as u64);
        }
        if whole.link == Link::Leaf {
            list.nodes.push(Node { children: 0..1 });
            list.children.push(Child { obb: whole.obb, range: 0..triangles.len() as u32, link: Link::Leaf });
        }
        let order = triangles.iter().map(|triangle| triangle.number).collect();
        let List { nodes, children } = list;
        Tree { nodes, children, order, depth: whole.depth.max(1), root: whole.obb }
    }
}

/// Nodes and their children, as if they were the only ones.
#[derive(Default)]
struct List {
    nodes: Vec<Node>,
    children: Vec<Child>,
}

impl List {
    /// Adds the nodes of another list, and returns by how much their numbers grow.
    fn append(&mut self, mut other: Self) -> u32 {
        let (nodes, children) = (self.nodes.len() as u32, self.children.len() as u32);
        for node in &mut other.nodes {
            node.children = node.children.start + children..node.children.end + children;
        }
        for child in &mut other.children {
            child.link = child.link.moved(nodes);
        }
        self.nodes.append(&mut other.nodes);
        self.children.append(&mut other.children);
        nodes
    }
}

/// What is known of a part once its nodes are in a list.
struct Subtree {
    link: Link,
    /// Levels of nodes.
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
    /// Adds the nodes of the part whose triangles begin at `first`.
    fn build(
        &self,
        part: Part<'_>,
        (first, level): (usize, u32),
        list: &mut List,
        scratch: &mut fit::Scratch,
    ) -> Subtree {
        let (link, depth, mut points) = if part.is_leaf() {
            let triangles = &self.triangles[first..first + part.count()];
            (Link::Leaf, 0, triangles.iter().flat_map(|triangle| triangle.corners).collect())
        } else {
            self.build_node(part, (first, level), list, scratch)
        };
        sort_and_dedup(&mut points);
        let method = self.options.fitting().method(first, part.count());
        let (obb, points) = enclose(&method, self.options.objective, points, scratch);
        Subtree { link, depth, obb, points }
    }

    /// Adds the node of a part and those below it, and returns the link to it, their levels, and the vertices of the
    /// children's hulls.
    fn build_node(
        &self,
        part: Part<'_>,
        (first, level): (usize, u32),
        list: &mut List,
        scratch: &mut fit::Scratch,
    ) -> (Link, u32, Vec<[f32; 3]>) {
        let node = list.nodes.len();
        list.nodes.push(Node { children: 0..0 });
        let mut next = first;
        let children = part.children(level).into_iter().map(|child| {
            next += child.count();
            (child, next - child.count())
        });
        let children: Vec<_> = children.collect();
        let built: Vec<_> = if part.count() >= PARALLEL_SIZE {
            let alone = |&(child, first): &(Part<'_>, usize)| self.build_large(child, (first, level + 1));
            let built: Vec<_> = (&children).into_par_iter().map(alone).collect();
            let add = |(below, child): (List, Subtree)| Subtree {
                link: child.link.moved(list.append(below)),
                ..child
            };
            built.into_iter().map(add).collect()
        } else {
            let build =
                |&(child, first): &(Part<'_>, usize)| self.build(child, (first, level + 1), list, scratch);
            children.iter().map(build).collect()
        };
        let points = built.iter().flat_map(|child| &child.points).copied().collect();
        let depth = built.iter().map(|child| child.depth).max().unwrap_or(0) + 1;
        let start = list.children.len() as u32;
        list.nodes[node].children = start..start + built.len() as u32;
        list.children.extend(built.iter().zip(children).map(|(child, (part, first))| {
            let range = first as u32..(first + part.count()) as u32;
            Child { obb: child.obb, range, link: child.link }
        }));
        (Link::Node(node as u32), depth, points)
    }

    /// Builds a child of a large part.
    fn build_large(&self, part: Part<'_>, at: (usize, u32)) -> (List, Subtree) {
        let mut list = List::default();
        let built = self.build(part, at, &mut list, &mut fit::Scratch::default());
        // Larger parts have reported their children.
        if part.count() < PARALLEL_SIZE {
            (self.on_triangles)(part.count() as u64);
        }
        (list, built)
    }
}
