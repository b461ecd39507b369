//! Binned splits: the best of a few planes on each axis.
//!
//! Based on: Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007. Departures: all
//! three axes are binned, and small subtrees are swept in full. With more bins than the 32 of the paper, the top of a tree comes near to
//! that of full sweeps.

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use super::sides::Sides;
use super::{DEEPEST_CHOICE, OnLeaves, PARALLEL_SIZE, build_both, divide, report_finished, sweep};
use crate::simd::dispatch;
use crate::tree::aabb::Aabb;
use crate::tree::binary::Node;

/// How many primitives a thread bins at a time.
const CHUNK: usize = 1 << 14;

/// Fills `nodes` with a tree over the boxes, and returns the order of the leaves. Subtrees of at most `swept` primitives
/// are those of full sweeps.
pub(super) fn build<const BINS: usize>(
    boxes: &[Aabb],
    nodes: &mut [Node],
    swept: usize,
    on_leaves: OnLeaves<'_>,
) -> Vec<u32> {
    let mut primitives: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut scratch = vec![0; boxes.len()];
    let range = Range { primitives: &mut primitives, scratch: &mut scratch, first: 0 };
    Binned::<BINS> { boxes, swept, on_leaves }.build(range, nodes, 0);
    primitives
}

/// The primitives of a subtree, and scratch memory to move them.
struct Range<'a> {
    primitives: &'a mut [u32],
    scratch: &'a mut [u32],
    first: u32,
}

struct Binned<'a, const BINS: usize> {
    boxes: &'a [Aabb],
    swept: usize,
    on_leaves: OnLeaves<'a>,
}

impl<const BINS: usize> Binned<'_, BINS> {
    fn build(&self, range: Range<'_>, nodes: &mut [Node], depth: u32) {
        let (count, first) = (range.primitives.len(), range.first);
        if count == 1 {
            nodes[0] = Node { bounds: self.boxes[range.primitives[0] as usize], first, count: 1 };
            return;
        }
        if count <= self.swept {
            sweep::build(self.boxes, range.primitives, nodes, (first, depth));
            return;
        }
        let left_count = self.split(&mut *range.primitives, &mut *range.scratch, depth);
        let (left_primitives, right_primitives) = range.primitives.split_at_mut(left_count);
        let (left_scratch, right_scratch) = range.scratch.split_at_mut(left_count);
        let left_range = Range { primitives: left_primitives, scratch: left_scratch, first };
        let right_first = first + left_count as u32;
        let right_range = Range { primitives: right_primitives, scratch: right_scratch, first: right_first };
        let (root, left, right) = divide(nodes, left_count);
        build_both(
            count,
            || self.build(left_range, left, depth + 1),
            || self.build(right_range, right, depth + 1),
        );
        *root = Node { bounds: left[0].bounds.union(right[0].bounds), first, count: count as u32 };
        report_finished(self.on_leaves, count, left_count);
    }

    /// Puts the left primitives first and returns how many they are, at least one and not all.
    fn split(&self, primitives: &mut [u32], scratch: &mut [u32], depth: u32) -> usize {
        if depth >= DEEPEST_CHOICE {
            return primitives.len() / 2;
        }
        let centres = Centres::<BINS>::of(self.boxes, primitives);
        let histogram = Histogram::of(self.boxes, primitives, &centres);
        match dispatch!(_ => histogram.best_plane()) {
            Some(plane) => {
                let left = |p| centres.bin(&self.boxes[p as usize], plane.axis) < plane.bin;
                super::partition_stable(primitives, scratch, left)
            }
            // All centres are one point.
            None => primitives.len() / 2,
        }
    }
}

/// Where the centres lie, and how they fall into bins.
struct Centres<const BINS: usize> {
    lower: [f32; 3],
    /// Bins a unit; 0 on axes on which all centres agree.
    scale: [f32; 3],
}

impl<const BINS: usize> Centres<BINS> {
    fn of(boxes: &[Aabb], primitives: &[u32]) -> Self {
        let bounds = reduce(primitives, Aabb::EMPTY, Aabb::union, |chunk| {
            Aabb::around(chunk.iter().map(|primitive| boxes[*primitive as usize].doubled_centre()))
        });
        let scale = |axis: usize| {
            let extent = bounds.upper[axis] - bounds.lower[axis];
            let scale = BINS as f32 / extent;
            if scale.is_finite() { scale } else { 0.0 }
        };
        Self { lower: bounds.lower, scale: [0, 1, 2].map(scale) }
    }

    #[inline(always)]
    fn bin(&self, bounds: &Aabb, axis: usize) -> usize {
        let centre = bounds.lower[axis] + bounds.upper[axis];
        (((centre - self.lower[axis]) * self.scale[axis]) as usize).min(BINS - 1)
    }
}

#[derive(Clone, Copy)]
struct Plane {
    axis: usize,
    /// The first bin on the right.
    bin: usize,
}

#[derive(Clone)]
struct Histogram<const BINS: usize> {
    bins: [[(Sides, u32); BINS]; 3],
}

impl<const BINS: usize> Histogram<BINS> {
    const EMPTY: Self = Self { bins: [[(Sides::EMPTY, 0); BINS]; 3] };

    fn of(boxes: &[Aabb], primitives: &[u32], centres: &Centres<BINS>) -> Self {
        // The same operations, and so the same bits, on every level.
        reduce(
            primitives,
            Self::EMPTY,
            Self::merge,
            |chunk| dispatch!(_ => Self::of_chunk(boxes, chunk, centres)),
        )
    }

    #[inline(always)]
    fn of_chunk(boxes: &[Aabb], primitives: &[u32], centres: &Centres<BINS>) -> Self {
        let mut histogram = Self::EMPTY;
        for primitive in primitives {
            let bounds = &boxes[*primitive as usize];
            let sides = Sides::of(bounds);
            for (axis, bins) in histogram.bins.iter_mut().enumerate() {
                let (union, count) = &mut bins[centres.bin(bounds, axis)];
                *union = union.union(&sides);
                *count += 1;
            }
        }
        histogram
    }

    fn merge(mut self, other: Self) -> Self {
        for (bin, more) in self.bins.iter_mut().flatten().zip(other.bins.iter().flatten()) {
            *bin = (bin.0.union(&more.0), bin.1 + more.1);
        }
        self
    }

    /// The plane of least cost; `None` where every plane has all primitives on one side.
    #[inline(always)]
    fn best_plane(&self) -> Option<Plane> {
        let mut best: Option<(f64, Plane)> = None;
        for (axis, bins) in self.bins.iter().enumerate() {
            let mut right = [(0.0f64, 0); BINS];
            let (mut sides, mut count) = (Sides::EMPTY, 0);
            for bin in (1..BINS).rev() {
                sides = sides.union(&bins[bin].0);
                count += bins[bin].1;
                right[bin] = (sides.half_area(), count);
            }
            let (mut sides, mut count) = (Sides::EMPTY, 0);
            for bin in 1..BINS {
                sides = sides.union(&bins[bin - 1].0);
                count += bins[bin - 1].1;
                let cost = sides.half_area() * count as f64 + right[bin].0 * right[bin].1 as f64;
                if count > 0 && right[bin].1 > 0 && best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, Plane { axis, bin }));
                }
            }
        }
        best.map(|(_, plane)| plane)
    }
}

/// Reduces chunks of the primitives, by several threads where there are many. The operations that are
/// used here give the same result in any order.
fn reduce<T: Clone + Send + Sync>(
    primitives: &[u32],
    empty: T,
    merge: impl Fn(T, T) -> T + Send + Sync,
    of_chunk: impl Fn(&[u32]) -> T + Send + Sync,
) -> T {
    if primitives.len() < PARALLEL_SIZE {
        return of_chunk(primitives);
    }
    primitives.par_chunks(CHUNK).with_min_len(1).map(of_chunk).reduce(|| empty.clone(), merge)
}
