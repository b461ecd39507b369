//! Ear clipping with exact predicates that uses every corner, in bounded time.
//!
//! Based on: Meisters, "Polygons Have Ears", 1975. Departures: no other corner may lie inside an ear or on its boundary,
//! so that corners in the middle of straight edges get a triangle of their own; those that may are found in a tree of
//! boxes; and the search ends after a number of steps.
//!
//! Triangles with the polygon's winding that use every corner can only tile a polygon whose edges do not cross. So
//! which corners an ear is tested against decides whether ears are found, not whether the result is right.

use std::collections::VecDeque;

use super::{Point, turn};

/// A polygon of n corners may take this many steps for each of them, plus 8 times the square root of n, plus 4 times n up to
/// [`FEW`]. A step looks at a node of the tree or at a candidate, and a corner takes eight. (Stars and combs of 40,000 corners take 60
/// to 90 for each, random outlines and spirals of three hundred turns 670 to 790. Straight sides of many corners, which are not
/// straight once they are rounded, take up to 2.8 n.)
const STEPS: u64 = 256;

/// Up to so many corners, a polygon may take quadratic time.
const FEW: u64 = 2048;

/// What looking at a corner costs, in steps: three exact predicates.
const CORNER_STEPS: u64 = 8;

/// Reused memory, and the polygon that is clipped.
#[derive(Default)]
pub(super) struct Ears {
    /// The corners before and after each one, without those clipped.
    previous: Vec<u32>,
    next: Vec<u32>,
    /// The corners that are not convex: where corners lie inside a triangle of the polygon's, one of these does.
    is_reflex: Vec<bool>,
    tree: Tree,
    /// Convex corners that may be ears.
    candidates: VecDeque<u32>,
    is_candidate: Vec<bool>,
    /// Corners that were no ears since a reflex corner was in their triangle, each with the entry before of the same
    /// reflex corner.
    blocked: Vec<(u32, u32)>,
    /// The last entry of each reflex corner.
    last_blocked: Vec<u32>,
    /// The steps taken for the last polygon.
    pub(super) steps: u64,
}

/// No corner, and no entry.
const NONE: u32 = u32::MAX;

impl Ears {
    /// The steps that a polygon may take.
    pub(super) const fn limit(corners: usize) -> u64 {
        let corners = corners as u64;
        let few = if corners < FEW { corners } else { FEW };
        corners * (STEPS + 8 * corners.isqrt() + 4 * few)
    }

    /// Appends `points.len() - 2` triangles, all counter-clockwise; returns false if it finds no such ears, for example
    /// because the polygon intersects itself, or if that takes too long.
    pub(super) fn clip(&mut self, points: &[Point], triangles: &mut Vec<[u32; 3]>) -> bool {
        self.start(points);
        let mut left = points.len();
        let mut corner = 0;
        while left > 3 {
            let Some(candidate) = self.candidates.pop_front() else { return false };
            corner = candidate;
            self.is_candidate[corner as usize] = false;
            let [before, _, after] = self.triangle(corner);
            match self.blocker(points, corner) {
                Some(blocker) => {
                    let entry = self.blocked.len() as u32;
                    self.blocked.push((corner, self.last_blocked[blocker as usize]));
                    self.last_blocked[blocker as usize] = entry;
                }
                None => {
                    triangles.push([before, corner, after]);
                    left -= 1;
                    self.next[before as usize] = after;
                    self.previous[after as usize] = before;
                    self.next[corner as usize] = NONE;
                    self.changed(points, before);
                    self.changed(points, after);
                    corner = after;
                }
            }
            if self.steps > Self::limit(points.len()) {
                return false;
            }
        }
        let last = self.triangle(corner);
        triangles.push(last);
        let [a, b, c] = last;
        turn(points, a, b, c) > 0.0
    }

    fn start(&mut self, points: &[Point]) {
        let count = points.len() as u32;
        self.steps = 0;
        fill(&mut self.previous, (0..count).map(|corner| (corner + count - 1) % count));
        fill(&mut self.next, (0..count).map(|corner| (corner + 1) % count));
        let is_reflex = (0..count)
            .map(|corner| turn(points, (corner + count - 1) % count, corner, (corner + 1) % count) <= 0.0);
        fill(&mut self.is_reflex, is_reflex);
        fill(&mut self.is_candidate, self.is_reflex.iter().map(|is_reflex| !is_reflex));
        self.candidates.clear();
        self.candidates.extend((0..count).filter(|corner| self.is_candidate[*corner as usize]));
        fill(&mut self.last_blocked, (0..count).map(|_| NONE));
        self.blocked.clear();
        self.tree.build(points, &self.is_reflex);
    }

    /// A corner between its neighbours.
    fn triangle(&self, corner: u32) -> [u32; 3] {
        [self.previous[corner as usize], corner, self.next[corner as usize]]
    }

    /// A corner has another neighbour: it may have become convex, which it then remains, and an ear.
    fn changed(&mut self, points: &[Point], corner: u32) {
        if self.is_reflex[corner as usize] {
            let [a, b, c] = self.triangle(corner);
            if turn(points, a, b, c) <= 0.0 {
                return;
            }
            self.is_reflex[corner as usize] = false;
            self.tree.remove(corner);
            let mut entry = self.last_blocked[corner as usize];
            while let Some(&(blocked, before)) = self.blocked.get(entry as usize) {
                self.steps += 1;
                self.offer(blocked);
                entry = before;
            }
        }
        self.offer(corner);
    }

    /// Makes a convex corner a candidate, unless it was clipped.
    fn offer(&mut self, corner: u32) {
        if self.next[corner as usize] != NONE && !self.is_candidate[corner as usize] {
            self.is_candidate[corner as usize] = true;
            self.candidates.push_back(corner);
        }
    }

    /// A reflex corner in or on the triangle of a convex one, if there is any.
    fn blocker(&mut self, points: &[Point], corner: u32) -> Option<u32> {
        self.steps += 1;
        let [a, b, c] = self.triangle(corner);
        // Bridges to holes visit a position twice; a corner at the same position as one of the ear's does not block
        // the ear.
        let own = [a, b, c].map(|k| points[k as usize]);
        let blocks = |p: u32| {
            !own.contains(&points[p as usize])
                && turn(points, a, b, p) >= 0.0
                && turn(points, b, c, p) >= 0.0
                && turn(points, c, a, p) >= 0.0
        };
        // A flat triangle, which only edges on top of each other have, is no ear: nothing ever frees it.
        if turn(points, a, b, c) <= 0.0 {
            return Some(corner);
        }
        self.tree.find_in(&own, &self.is_reflex, &mut self.steps, blocks)
    }
}

fn fill<T>(list: &mut Vec<T>, items: impl Iterator<Item = T>) {
    list.clear();
    list.extend(items);
}

/// The reflex corners, in a binary tree of boxes.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
    corners: Vec<u32>,
    /// The leaf of each reflex corner.
    leaf: Vec<u32>,
}

struct Node {
    low: Point,
    high: Point,
    parent: u32,
    /// Corners below that are still reflex.
    left: u32,
    /// Corners of a leaf: where they start and how many they were; of other nodes the second child, and 0. The first
    /// child is the next node.
    first: u32,
    count: u32,
}

/// Corners that a leaf has at most.
const LEAF: usize = 4;

impl Tree {
    fn build(&mut self, points: &[Point], is_reflex: &[bool]) {
        self.nodes.clear();
        self.leaf.clear();
        self.leaf.resize(points.len(), u32::MAX);
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        corners.extend((0..points.len() as u32).filter(|corner| is_reflex[*corner as usize]));
        self.add(points, &mut corners, 0, u32::MAX);
        self.corners = corners;
    }

    fn add(&mut self, points: &[Point], corners: &mut [u32], first: u32, parent: u32) {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for point in corners.iter().map(|corner| points[*corner as usize]) {
            for axis in 0..2 {
                low[axis] = low[axis].min(point[axis]);
                high[axis] = high[axis].max(point[axis]);
            }
        }
        let (node, count) = (self.nodes.len() as u32, corners.len() as u32);
        self.nodes.push(Node { low, high, parent, left: count, first, count });
        if corners.len() <= LEAF {
            corners.iter().for_each(|corner| self.leaf[*corner as usize] = node);
            return;
        }
        let axis = usize::from(high[1] - low[1] > high[0] - low[0]);
        let middle = corners.len() / 2;
        let along = |corner: &u32| points[*corner as usize][axis];
        corners.select_nth_unstable_by(middle, |a, b| along(a).total_cmp(&along(b)).then(a.cmp(b)));
        let (one, other) = corners.split_at_mut(middle);
        self.add(points, one, first, node);
        (self.nodes[node as usize].first, self.nodes[node as usize].count) = (self.nodes.len() as u32, 0);
        self.add(points, other, first + middle as u32, node);
    }

    /// Removes a corner that is no longer reflex.
    fn remove(&mut self, corner: u32) {
        let mut node = self.leaf[corner as usize];
        while let Some(above) = self.nodes.get_mut(node as usize) {
            above.left -= 1;
            node = above.parent;
        }
    }

    /// A reflex corner for which `blocks` holds, among those that may lie in or on a counter-clockwise triangle.
    fn find_in(
        &self,
        triangle: &[Point; 3],
        is_reflex: &[bool],
        steps: &mut u64,
        blocks: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        // Halving leaves at most 32 levels of nodes.
        let (mut stack, mut depth) = ([0; 33], 1);
        while depth > 0 {
            depth -= 1;
            let index = stack[depth];
            let node = &self.nodes[index as usize];
            *steps += 1;
            if node.left == 0 || node.is_outside(triangle) {
                continue;
            }
            if node.count == 0 {
                stack[depth..depth + 2].copy_from_slice(&[node.first, index + 1]);
                depth += 2;
                continue;
            }
            let corners = &self.corners[node.first as usize..(node.first + node.count) as usize];
            for corner in corners.iter().filter(|corner| is_reflex[**corner as usize]) {
                *steps += CORNER_STEPS;
                if blocks(*corner) {
                    return Some(*corner);
                }
            }
        }
        None
    }
}

impl Node {
    /// Whether the node's box is certainly outside a triangle: on the outer side of one of its edges.
    fn is_outside(&self, triangle: &[Point; 3]) -> bool {
        (0..3).any(|k| {
            let ([ax, ay], [bx, by]) = (triangle[k], triangle[(k + 1) % 3]);
            let (x, y) = (bx - ax, by - ay);
            // The corner of the box that is farthest to the left of the edge.
            let along = x * (if x > 0.0 { self.high[1] } else { self.low[1] } - ay);
            let across = y * (if y > 0.0 { self.low[0] } else { self.high[0] } - ax);
            // Five roundings; products too small for this are of triangles too small to matter.
            along - across < (along.abs() + across.abs()) * (-8.0 * f64::EPSILON)
        })
    }
}
