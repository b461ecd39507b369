//! Builders of binary trees by the surface-area heuristic. [`build`] puts each primitive into one leaf, [`spatial`] may
//! put it into several.
//!
//! Every builder numbers nodes depth first and breaks ties by index, so that the tree does not depend on the number of
//! threads.

mod binned;
mod parts;
mod sides;
pub mod spatial;
mod sweep;

use fearless_simd::Simd;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

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

/// See [`Leaves::Small`]. (Measured: the wide trees of six models, scans and a heap of long thin triangles, cost 0.02 to 0.08 % more by
/// areas, and take 0.1 to 4.5 % less bytes.)
const SMALL: f64 = 32.0;

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

/// Which subtrees are leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// Single primitives.
    Single,
    /// Up to so many primitives, too, in boxes of at most 32 times the surface that each primitive would have if all of them
    /// shared that of the root's box.
    Small(usize),
}

/// Builds a tree over at least one box. Runs in the current rayon pool.
pub fn build(boxes: &[Aabb], builder: Builder, leaves: Leaves, on_leaves: OnLeaves<'_>) -> BinaryTree {
    let undivided = match leaves {
        Leaves::Single => Undivided { most: 1, half_area: f64::INFINITY },
        Leaves::Small(most) => {
            Undivided { most, half_area: SMALL * whole(boxes).half_area() / boxes.len() as f64 }
        }
    };
    match builder {
        Builder::Binned => binned::build::<32>(boxes, undivided, FEW, on_leaves),
        Builder::Sweep => binned::build::<128>(boxes, undivided, SWEPT, on_leaves),
    }
}

/// The box around all.
fn whole(boxes: &[Aabb]) -> Aabb {
    boxes.par_iter().copied().reduce(|| Aabb::EMPTY, Aabb::union)
}

/// The subtrees that become leaves: single primitives, and up to so many in a box of at most that size.
#[derive(Clone, Copy)]
struct Undivided {
    most: usize,
    half_area: f64,
}

/// Adds an inner node of so many primitives, and both subtrees.
fn inner<T>(
    nodes: &mut Vec<Node>,
    (first, count): (u32, usize),
    [left, right]: [T; 2],
    mut subtree: impl FnMut(T, &mut Vec<Node>),
) {
    let root = nodes.len();
    nodes.push(Node::inner(first, count));
    subtree(left, nodes);
    let second = nodes.len();
    subtree(right, nodes);
    nodes[root] = nodes[root].around([&nodes[root + 1], &nodes[second]], second - root);
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
