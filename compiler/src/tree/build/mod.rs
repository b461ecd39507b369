//! Builders of binary trees by the surface-area heuristic. [`build`] gives each primitive one leaf, [`spatial`] may
//! give it several.
//!
//! Every builder numbers nodes by the sizes of subtrees and breaks ties by index, so that the tree
//! does not depend on the number of threads.

mod binned;
mod sides;
pub mod spatial;
mod sweep;

use fearless_simd::Simd;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::aabb::Aabb;
use super::binary::{BinaryTree, Node};
use sides::Sides;

/// Levels after which subtrees are halved by number, so that no input makes a tree deeper than
/// the 96 levels a file may have: 2^31 primitives need 31 more.
const DEEPEST_CHOICE: u32 = 64;

/// Subtrees of at least this many primitives are built by a thread of their own if one is free.
const PARALLEL_SIZE: usize = 4096;

/// Subtrees of at most this many primitives are swept by [`Builder::Sweep`]: their boxes and orders fit into a core's cache.
/// (Measured: trees of four models of 5,856 to 1.3 million boxes have inner nodes of 0.04 to 0.16 % more surface than with sweeps
/// all the way up, which take twice the time; 0.2 to 0.6 % more with 1,024 and with 32 bins above.)
const SWEPT: usize = 2048;

/// Subtrees of at most this many primitives are swept by [`Builder::Binned`], too: sorting them costs less than clearing bins.
const FEW: usize = 24;

/// Called with the number of primitives that have found their leaf since the last call.
pub type OnLeaves<'a> = &'a (dyn Fn(u64) + Sync);

/// How a tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builder {
    /// The best of 32 planes on each axis (Wald, "On fast construction of SAH-based bounding volume
    /// hierarchies", 2007).
    Binned,
    /// The best of all splits by centre on each axis, in subtrees of at most 2,048 primitives; above them, of 128 planes.
    Sweep,
}

/// Builds a tree over at least one box. Runs in the current rayon pool.
pub fn build(boxes: &[Aabb], builder: Builder, on_leaves: OnLeaves<'_>) -> BinaryTree {
    let empty = Node { bounds: Aabb::EMPTY, first: 0, count: 0 };
    // By all threads, as most of it is the system's work for new pages.
    let mut nodes: Vec<_> = (0..2 * boxes.len() - 1).into_par_iter().map(|_| empty).collect();
    let order = match builder {
        Builder::Binned => binned::build::<32>(boxes, &mut nodes, FEW, on_leaves),
        Builder::Sweep => binned::build::<128>(boxes, &mut nodes, SWEPT, on_leaves),
    };
    BinaryTree { nodes, order }
}

/// The nodes of a subtree, divided into its root, the left child's subtree and the right one's.
fn divide(nodes: &mut [Node], left_count: usize) -> (&mut Node, &mut [Node], &mut [Node]) {
    let (root, rest) = nodes.split_first_mut().expect("a subtree has a root");
    let (left, right) = rest.split_at_mut(2 * left_count - 1);
    (root, left, right)
}

/// Builds both subtrees, in parallel where they are large.
fn build_both(size: usize, left: impl FnOnce() + Send, right: impl FnOnce() + Send) {
    if size >= PARALLEL_SIZE {
        rayon::join(left, right);
    } else {
        left();
        right();
    }
}

/// Reports those children of a large subtree that were small enough for one thread.
fn report_finished(on_leaves: OnLeaves<'_>, count: usize, left_count: usize) {
    if count < PARALLEL_SIZE {
        return;
    }
    for child in [left_count, count - left_count] {
        if child < PARALLEL_SIZE {
            on_leaves(child as u64);
        }
    }
}

/// A number that sorts like `x`, for any `x` but NaN.
fn sortable(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

/// The sort key of a primitive on an axis: by centre, then by index.
fn key(boxes: &[Aabb], primitive: u32, axis: usize) -> u64 {
    let bounds = &boxes[primitive as usize];
    u64::from(sortable(bounds.lower[axis] + bounds.upper[axis])) << 32 | u64::from(primitive)
}

/// A split of sorted primitives into the first `left` and the others.
struct SortedSplit {
    cost: f64,
    left: usize,
}

/// The best split of sorted primitives; the halves where every cost is infinite.
#[inline(always)]
fn sweep(simd: impl Simd, sides: impl Fn(u32) -> Sides, sorted: &[u32], areas: &mut [f64]) -> SortedSplit {
    let count = sorted.len();
    let mut right = Sides::EMPTY;
    for count_left in (1..count).rev() {
        right = right.union(simd, &sides(sorted[count_left]));
        areas[count_left] = right.half_area();
    }
    let mut best = SortedSplit { cost: f64::INFINITY, left: count / 2 };
    let mut left = Sides::EMPTY;
    for count_left in 1..count {
        left = left.union(simd, &sides(sorted[count_left - 1]));
        let cost = left.half_area() * count_left as f64 + areas[count_left] * (count - count_left) as f64;
        if cost < best.cost {
            best = SortedSplit { cost, left: count_left };
        }
    }
    best
}

/// Moves those for which `left` holds to the front, keeps the order on both sides, and returns how many they are.
fn partition_stable(primitives: &mut [u32], scratch: &mut [u32], left: impl Fn(u32) -> bool) -> usize {
    let (mut kept, mut set_aside) = (0, 0);
    for index in 0..primitives.len() {
        // To both places, as a branch would often be mispredicted.
        let primitive = primitives[index];
        primitives[kept] = primitive;
        scratch[set_aside] = primitive;
        let is_left = left(primitive);
        kept += usize::from(is_left);
        set_aside += usize::from(!is_left);
    }
    primitives[kept..].copy_from_slice(&scratch[..set_aside]);
    kept
}

#[cfg(test)]
mod tests;
