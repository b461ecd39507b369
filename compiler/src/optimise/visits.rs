//! How often rays visit the nodes of a tree.

use std::ops::Range;

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use crate::tree::aabb::{Aabb, greater, lesser};
use crate::tree::binary::BinaryTree;

/// How many segments a thread takes at a time. Their numbers fit into 16 bits.
const CHUNK: usize = 1 << 14;

/// A ray up to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    origin: [f32; 3],
    inverse: [f32; 3],
    end: f32,
}

impl Segment {
    pub(super) fn new(origin: [f32; 3], direction: [f32; 3], end: f32) -> Self {
        // Limited, so that no product is NaN.
        let inverse = direction.map(|d| 1.0 / d.abs().max(1e-18).copysign(d));
        Self { origin, inverse, end }
    }

    /// Whether the segment meets a box, to rounding.
    #[inline]
    pub(super) fn meets(&self, bounds: &Aabb) -> bool {
        let (mut enter, mut leave) = (0.0f32, self.end);
        for axis in 0..3 {
            let lower = (bounds.lower[axis] - self.origin[axis]) * self.inverse[axis];
            let upper = (bounds.upper[axis] - self.origin[axis]) * self.inverse[axis];
            enter = greater(enter, lesser(lower, upper));
            leave = lesser(leave, greater(lower, upper));
        }
        enter <= leave
    }
}

/// For each node, how many segments meet its box and those of all nodes above it.
pub(super) fn visits(tree: &BinaryTree, segments: &[Segment]) -> Vec<u32> {
    let add = |mut sums: Vec<u32>, more: Vec<u32>| {
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        sums
    };
    segments.par_chunks(CHUNK).map(|chunk| Walk::of(tree, chunk).visits).reduce_with(add).unwrap_or_default()
}

/// A walk of a chunk's segments, together: each node selects those that meet its box, without a branch for each.
struct Walk<'a> {
    tree: &'a BinaryTree,
    segments: &'a [Segment],
    visits: Vec<u32>,
    /// Numbers of the segments that meet a node's box, after those that meet its parent's.
    met: Vec<u16>,
}

impl<'a> Walk<'a> {
    fn of(tree: &'a BinaryTree, segments: &'a [Segment]) -> Self {
        let met: Vec<u16> = (0..segments.len()).map(|segment| segment as u16).collect();
        let all = 0..met.len();
        let mut walk = Self { tree, segments, visits: vec![0; tree.nodes.len()], met };
        walk.visit(0, all);
        walk
    }

    /// Visits a node, and those below it, with the segments that meet its parent's box.
    fn visit(&mut self, node: usize, segments: Range<usize>) {
        let first = segments.end;
        let mut end = first;
        self.met.resize(self.met.len().max(first + segments.len()), 0);
        for at in segments {
            let segment = self.met[at];
            self.met[end] = segment;
            end += usize::from(self.segments[usize::from(segment)].meets(&self.tree.nodes[node].bounds));
        }
        self.visits[node] = (end - first) as u32;
        if !self.tree.nodes[node].is_leaf() && end > first {
            for child in self.tree.children(node) {
                self.visit(child, first..end);
            }
        }
    }
}
