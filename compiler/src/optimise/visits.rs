//! How often rays visit the nodes of a tree.

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use crate::tree::aabb::Aabb;
use crate::tree::binary::BinaryTree;

/// How many segments a thread takes at a time.
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
            enter = enter.max(lower.min(upper));
            leave = leave.min(lower.max(upper));
        }
        enter <= leave
    }
}

/// For each node, how many segments meet its box and those of all nodes above it.
pub(super) fn visits(tree: &BinaryTree, segments: &[Segment]) -> Vec<u32> {
    let count = |chunk: &[Segment]| {
        let mut visits = vec![0; tree.nodes.len()];
        let mut pending = Vec::new();
        for segment in chunk {
            pending.push(0);
            while let Some(node) = pending.pop() {
                if segment.meets(&tree.nodes[node].bounds) {
                    visits[node] += 1;
                    if tree.nodes[node].count > 1 {
                        pending.extend(tree.children(node));
                    }
                }
            }
        }
        visits
    };
    let add = |mut sums: Vec<u32>, more: Vec<u32>| {
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        sums
    };
    segments.par_chunks(CHUNK).map(count).reduce_with(add).unwrap_or_default()
}
