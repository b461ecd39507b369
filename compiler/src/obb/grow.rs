//! The growth of a tree: parts from the top down, boxes from the bottom up.
//!
//! A node's set is cut in two, then always the part with the largest measure, until there are four. The hull of a
//! union is the hull of the hulls' vertices, so a box is fitted to what its children's boxes were decided by.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::fit::{self, Obb};

use super::analysis::{self, Analysis, sort_and_dedup};
use super::cut::{self, Triangle};
use super::{Child, Link, Node, OnTriangles, Options, Tree, WIDTH};

/// Levels after which sets are halved by number, so that no input makes a tree deeper than 40 levels: 2^32 triangles
/// need 16 more.
const DEEPEST_CHOICE: u32 = 24;

/// Sets of at least this many triangles are grown by a thread of their own if one is free.
const PARALLEL_SIZE: usize = 1024;

/// Builds a tree over at least one triangle, all coordinates finite. Runs in the current rayon pool.
///
/// The tree depends on the triangles and the options, but on neither the number of threads nor the machine.
pub fn build(triangles: &[[[f32; 3]; 3]], options: &Options, on_triangles: OnTriangles<'_>) -> Tree {
    let mut triangles: Vec<_> =
        (0..).zip(triangles).map(|(number, corners)| Triangle { corners: *corners, number }).collect();
    let growth = Growth { options, on_triangles };
    let mut memory = Memory::default();
    let set = Set { triangles: &mut triangles, first: 0, level: 0, known: None };
    let mut grown = growth.grow(set, &mut memory);
    if grown.nodes.is_empty() {
        let child = Child { obb: grown.obb, range: 0..triangles.len() as u32, link: Link::Leaf };
        grown.nodes.push(Node { children: vec![child] });
        grown.depth = 1;
    }
    if triangles.len() < PARALLEL_SIZE {
        on_triangles(triangles.len() as u64);
    }
    let order = triangles.iter().map(|triangle| triangle.number).collect();
    Tree { nodes: grown.nodes, order, depth: grown.depth, root: grown.obb }
}

/// The triangles of a subtree.
struct Set<'a> {
    triangles: &'a mut [Triangle],
    /// Where they begin in the order.
    first: u32,
    level: u32,
    /// What has been found out about them already.
    known: Option<Analysis>,
}

/// A subtree.
struct Grown {
    /// As if they were the only ones; none if the set is a leaf.
    nodes: Vec<Node>,
    depth: u32,
    obb: Obb,
    /// What decides the box, and any other around the set.
    points: Vec<[f32; 3]>,
}

#[derive(Default)]
struct Memory {
    analysis: analysis::Memory,
    cut: cut::Memory,
    fit: fit::Scratch,
}

struct Growth<'a> {
    options: &'a Options,
    on_triangles: OnTriangles<'a>,
}

impl Growth<'_> {
    fn grow(&self, set: Set<'_>, memory: &mut Memory) -> Grown {
        let (first, count) = (set.first, set.triangles.len());
        if count <= self.leaf_size() {
            let mut points: Vec<_> = set.triangles.iter().flat_map(|triangle| triangle.corners).collect();
            sort_and_dedup(&mut points);
            return self.enclose((Vec::new(), 0), points, (first, count), memory);
        }
        let parts = self.divide(set, memory);
        let sizes: Vec<_> = parts.iter().map(|part| part.triangles.len()).collect();
        let children: Vec<_> = if count >= PARALLEL_SIZE {
            parts.into_par_iter().map(|part| self.grow_alone(part)).collect()
        } else {
            parts.into_iter().map(|part| self.grow(part, memory)).collect()
        };
        let mut points: Vec<_> = children.iter().flat_map(|child| &child.points).copied().collect();
        sort_and_dedup(&mut points);
        self.enclose(join(children, &sizes, first), points, (first, count), memory)
    }

    /// Grows a part of a large set.
    fn grow_alone(&self, set: Set<'_>) -> Grown {
        let count = set.triangles.len();
        let grown = self.grow(set, &mut Memory::default());
        // Larger sets have told of their parts.
        if count < PARALLEL_SIZE {
            (self.on_triangles)(count as u64);
        }
        grown
    }

    fn leaf_size(&self) -> usize {
        self.options.leaf_size.into()
    }

    /// Cuts a set into four parts, or as many leaves as there are.
    fn divide<'a>(&self, set: Set<'a>, memory: &mut Memory) -> Vec<Set<'a>> {
        let level = set.level;
        let is_deep = level >= DEEPEST_CHOICE;
        let mut parts = vec![set];
        while parts.len() < WIDTH {
            for part in &mut parts {
                if part.known.is_none() && part.triangles.len() > self.leaf_size() {
                    // By the part's own level: what is known may be used by the node it becomes.
                    let is_deep = part.level >= DEEPEST_CHOICE;
                    part.known = Some(memory.analysis.analyse(part.triangles, self.options, is_deep));
                }
            }
            let Some((place, cut)) = next_cut(&parts, is_deep) else {
                break;
            };
            let Set { triangles, first, .. } = parts.remove(place);
            let left_count = cut.apply(triangles, &mut memory.cut);
            let (left, right) = triangles.split_at_mut(left_count);
            let part = |triangles, first| Set { triangles, first, level: level + 1, known: None };
            parts.insert(place, part(right, first + left_count as u32));
            parts.insert(place, part(left, first));
        }
        parts
    }

    /// Fits the box of a set, and keeps the points that decide it.
    fn enclose(
        &self,
        (nodes, depth): (Vec<Node>, u32),
        points: Vec<[f32; 3]>,
        (first, count): (u32, usize),
        memory: &mut Memory,
    ) -> Grown {
        let method = seeded(self.options, first, count);
        let obb = fit::fit(&method, self.options.objective, &points, &mut memory.fit);
        let points = memory.fit.hull_vertices().iter().map(|vertex| points[*vertex as usize]).collect();
        Grown { nodes, depth, obb, points }
    }
}

/// The part to cut next and how: that of the largest measure, of equals that of the most triangles; in a deep tree
/// triangles alone count.
fn next_cut(parts: &[Set<'_>], is_deep: bool) -> Option<(usize, cut::Cut)> {
    let known = parts.iter().enumerate().filter_map(|(place, part)| Some((place, part, part.known?)));
    let size = |measure: f64, part: &Set<'_>| (if is_deep { 0.0 } else { measure }, part.triangles.len());
    let candidates = known.map(|(place, part, known)| (size(known.measure, part), place, known.cut));
    candidates.reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, place, cut)| (place, cut))
}

/// Makes a node of children with so many triangles each, followed by their subtrees, and tells its depth.
fn join(children: Vec<Grown>, sizes: &[usize], first: u32) -> (Vec<Node>, u32) {
    let mut nodes = vec![Node { children: Vec::with_capacity(WIDTH) }];
    let (mut depth, mut first) = (0, first);
    for (child, size) in children.into_iter().zip(sizes) {
        let offset = nodes.len() as u32;
        let link = if child.nodes.is_empty() { Link::Leaf } else { Link::Node(offset) };
        let range = first..first + *size as u32;
        first = range.end;
        nodes[0].children.push(Child { obb: child.obb, range, link });
        nodes.extend(child.nodes.into_iter().map(|node| moved(node, offset)));
        depth = depth.max(child.depth);
    }
    (nodes, depth + 1)
}

/// A node whose subtree begins so many places farther on.
fn moved(mut node: Node, offset: u32) -> Node {
    for child in &mut node.children {
        if let Link::Node(index) = &mut child.link {
            *index += offset;
        }
    }
    node
}

/// The method for a set, with random numbers of its own.
fn seeded(options: &Options, first: u32, count: usize) -> fit::Method {
    // Multiplied by odd numbers, so that no two sets share a seed soon.
    let seed = options.seed
        ^ u64::from(first).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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
