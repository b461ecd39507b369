//! Binned splits: the best of a few planes on each axis.
//!
//! Based on: Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007. Departures: all
//! three axes are binned, and small subtrees are swept in full. With more bins than the 32 of the paper, the top of a tree comes near to
//! that of full sweeps.

use fearless_simd::{Simd, SimdBase, SimdFloat, SimdFrom, f32x4, i32x4};
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSlice;

use super::parts::Part;
use super::sides::Sides;
use super::{DEEPEST_CHOICE, OnLeaves, PARALLEL_SIZE, Undivided, inner, sweep};
use crate::simd::dispatch;
use crate::tree::aabb::Aabb;
use crate::tree::binary::{BinaryTree, Node};

/// How many primitives a thread bins at a time.
const CHUNK: usize = 1 << 14;

/// A tree over the boxes. Subtrees of at most `swept` primitives are those of full sweeps.
pub(super) fn build<const BINS: usize>(
    boxes: &[Aabb],
    undivided: Undivided,
    swept: usize,
    on_leaves: OnLeaves<'_>,
) -> BinaryTree {
    let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
    let mut scratch = vec![0; boxes.len()];
    let range = Range { primitives: &mut order, scratch: &mut scratch, first: 0 };
    let part = Binned::<BINS> { boxes, undivided, swept, on_leaves }.part(range, 0);
    drop(scratch);
    BinaryTree { nodes: part.join(), order }
}

/// The primitives of a subtree, and scratch memory to move them.
struct Range<'a> {
    primitives: &'a mut [u32],
    scratch: &'a mut [u32],
    first: u32,
}

impl Range<'_> {
    /// Divides after so many primitives.
    fn divide(self, left: usize) -> [Self; 2] {
        let (left_primitives, right_primitives) = self.primitives.split_at_mut(left);
        let (left_scratch, right_scratch) = self.scratch.split_at_mut(left);
        let right_first = self.first + left as u32;
        [
            Range { primitives: left_primitives, scratch: left_scratch, first: self.first },
            Range { primitives: right_primitives, scratch: right_scratch, first: right_first },
        ]
    }
}

struct Binned<'a, const BINS: usize> {
    boxes: &'a [Aabb],
    undivided: Undivided,
    swept: usize,
    on_leaves: OnLeaves<'a>,
}

impl<const BINS: usize> Binned<'_, BINS> {
    /// The subtree over a range, by several threads where it is large.
    fn part(&self, range: Range<'_>, depth: u32) -> Part {
        let (count, first) = (range.primitives.len(), range.first);
        if count < PARALLEL_SIZE {
            let mut nodes = Vec::with_capacity(2 * count.div_ceil(self.undivided.most.div_ceil(2)));
            self.build(range, &mut nodes, depth);
            (self.on_leaves)(count as u64);
            return Part::Small(nodes);
        }
        let left_count = self.split(&mut *range.primitives, &mut *range.scratch, depth);
        let [left, right] = range.divide(left_count);
        let (left, right) = rayon::join(|| self.part(left, depth + 1), || self.part(right, depth + 1));
        Part::Large(Box::new((Node::inner(first, count), [left, right])))
    }

    /// Adds the subtree over a range.
    fn build(&self, range: Range<'_>, nodes: &mut Vec<Node>, depth: u32) {
        let (count, first) = (range.primitives.len(), range.first);
        if count <= self.swept {
            sweep::build(self.boxes, self.undivided, range.primitives, nodes, (first, depth));
            return;
        }
        let left_count = self.split(&mut *range.primitives, &mut *range.scratch, depth);
        let sides = range.divide(left_count);
        inner(nodes, (first, count), sides, |range, nodes| self.build(range, nodes, depth + 1));
    }

    /// Puts the left primitives first and returns how many they are, at least one and not all.
    #[inline(never)] // Its frame stays out of that of the recursion.
    fn split(&self, primitives: &mut [u32], scratch: &mut [u32], depth: u32) -> usize {
        if depth >= DEEPEST_CHOICE {
            return primitives.len() / 2;
        }
        let centres = Centres::of(self.boxes, primitives);
        match Histogram::<BINS>::of(self.boxes, primitives, &centres).best_plane() {
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
    /// Twice the least centre.
    lower: [f32; 4],
    /// Bins a unit; 0 on axes on which all centres agree.
    scale: [f32; 4],
}

impl<const BINS: usize> Centres<BINS> {
    fn of(boxes: &[Aabb], primitives: &[u32]) -> Self {
        let around = |chunk: &[u32]| dispatch!(simd => Sides::around_doubled_centres(simd, boxes, chunk));
        let union = |a: Sides, b: Sides| dispatch!(simd => a.union(simd, &b));
        let [lower, upper] = reduce(primitives, Sides::EMPTY, union, around).corners();
        let scale = |axis: usize| {
            let scale = BINS as f32 / (upper[axis] - lower[axis]);
            if scale.is_finite() { scale } else { 0.0 }
        };
        let [x, y, z] = lower;
        Self { lower: [x, y, z, 0.0], scale: [scale(0), scale(1), scale(2), 0.0] }
    }

    /// The bin on one axis.
    #[inline(always)]
    fn bin(&self, bounds: &Aabb, axis: usize) -> usize {
        let centre = bounds.lower[axis] + bounds.upper[axis];
        (((centre - self.lower[axis]) * self.scale[axis]) as usize).min(BINS - 1)
    }

    /// The bins on all axes.
    #[inline(always)]
    fn bins<S: Simd>(&self, simd: S, sides: &Sides) -> [usize; 3] {
        let [lower, scale] = [self.lower, self.scale].map(|of_axes| f32x4::simd_from(simd, of_axes));
        let [zero, last] = [0.0, (BINS - 1) as f32].map(|bin| f32x4::splat(simd, bin));
        let places = (sides.doubled_centre(simd) - lower) * scale;
        // NaN becomes 0, as it does above: among infinite boxes.
        let [x, y, z, _]: [i32; 4] = places.max(zero).min(last).to_int::<i32x4<S>>().into();
        // What the CPU knows already: there are no others.
        [x, y, z].map(|bin| bin as usize % BINS)
    }
}

#[derive(Clone, Copy)]
struct Plane {
    axis: usize,
    /// The first bin on the right.
    bin: usize,
}

/// On the heap: a thread that waits for another's part of a reduction takes up further ones, so that its stack holds many.
#[derive(Clone)]
struct Histogram<const BINS: usize>(Box<Bins<BINS>>);

#[derive(Clone)]
struct Bins<const BINS: usize> {
    sides: [[Sides; BINS]; 3],
    counts: [[u32; BINS]; 3],
}

impl<const BINS: usize> Histogram<BINS> {
    fn of(boxes: &[Aabb], primitives: &[u32], centres: &Centres<BINS>) -> Self {
        reduce(primitives, Self::empty(), Self::merge, |chunk| {
            let mut histogram = Self::empty();
            // The same operations, and so the same bits, on every level.
            dispatch!(simd => histogram.0.add(simd, boxes, chunk, centres));
            histogram
        })
    }

    #[inline(never)] // May have the bins on the stack first.
    fn empty() -> Self {
        Self(Box::new(Bins { sides: [[Sides::EMPTY; BINS]; 3], counts: [[0; BINS]; 3] }))
    }

    fn merge(mut self, other: Self) -> Self {
        dispatch!(simd => self.0.add_all(simd, &other.0));
        self
    }

    /// The plane of least cost; `None` where every plane has all primitives on one side.
    #[inline(never)] // Its frame is large.
    fn best_plane(&self) -> Option<Plane> {
        dispatch!(simd => self.0.best_plane(simd))
    }
}

impl<const BINS: usize> Bins<BINS> {
    #[inline(always)]
    fn add(&mut self, simd: impl Simd, boxes: &[Aabb], primitives: &[u32], centres: &Centres<BINS>) {
        for primitive in primitives {
            let sides = Sides::of(&boxes[*primitive as usize]);
            for (axis, bin) in centres.bins(simd, &sides).into_iter().enumerate() {
                let union = &mut self.sides[axis][bin];
                *union = union.union(simd, &sides);
                self.counts[axis][bin] += 1;
            }
        }
    }

    #[inline(always)]
    fn add_all(&mut self, simd: impl Simd, other: &Self) {
        for (union, more) in self.sides.iter_mut().flatten().zip(other.sides.iter().flatten()) {
            *union = union.union(simd, more);
        }
        for (count, more) in self.counts.iter_mut().flatten().zip(other.counts.iter().flatten()) {
            *count += more;
        }
    }

    #[inline(always)]
    fn best_plane(&self, simd: impl Simd) -> Option<Plane> {
        let mut best: Option<(f64, Plane)> = None;
        for (axis, (of_bins, counts)) in self.sides.iter().zip(&self.counts).enumerate() {
            let mut right = [(0.0f64, 0); BINS];
            let (mut sides, mut count) = (Sides::EMPTY, 0);
            for bin in (1..BINS).rev() {
                sides = sides.union(simd, &of_bins[bin]);
                count += counts[bin];
                right[bin] = (sides.half_area(), count);
            }
            let (mut sides, mut count) = (Sides::EMPTY, 0);
            for bin in 1..BINS {
                sides = sides.union(simd, &of_bins[bin - 1]);
                count += counts[bin - 1];
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
