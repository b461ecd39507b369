//! Sweeps: every split by centre on every axis is tried.
//!
//! Based on: MacDonald, Booth, "Heuristics for ray tracing using space subdivision", 1990 (the cost), and
//! Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007 (section 3: sort once an
//! axis, then keep the order while partitioning). Departure: sides are not marked but
//! follow from comparing a primitive's key with the pivot's.

use fearless_simd::Simd;

use super::sides::Sides;
use super::{DEEPEST_CHOICE, Undivided, inner, key};
use crate::simd::dispatch;
use crate::tree::aabb::Aabb;
use crate::tree::binary::Node;

/// The primitives of a subtree, sorted on each axis, and scratch memory.
struct Range<'a> {
    sorted: [&'a mut [u32]; 3],
    areas: &'a mut [f64],
    scratch: &'a mut [u32],
    first: u32,
}

/// Where to split a range: the first `left` primitives on `axis` go left.
#[derive(Clone, Copy)]
struct Split {
    axis: usize,
    left: usize,
}

/// Adds a tree over these primitives, whose leaves begin at `first` and whose root is at `depth`, and puts the primitives into the
/// order of the leaves.
pub(super) fn build(
    boxes: &[Aabb],
    undivided: Undivided,
    primitives: &mut [u32],
    nodes: &mut Vec<Node>,
    (first, depth): (u32, u32),
) {
    // Gathered, as they are read again and again.
    let boxes: Vec<_> = primitives.iter().map(|primitive| boxes[*primitive as usize]).collect();
    let mut sorted = [0, 1, 2].map(|axis| {
        let mut keys: Vec<_> = (0..boxes.len() as u32).map(|index| key(&boxes, index, axis)).collect();
        keys.sort_unstable();
        // The index is the lower half.
        keys.into_iter().map(|key| key as u32).collect::<Vec<_>>()
    });
    let mut areas = vec![0.0; boxes.len()];
    let mut scratch = vec![0; boxes.len()];
    let range = Range {
        sorted: sorted.each_mut().map(Vec::as_mut_slice),
        areas: &mut areas,
        scratch: &mut scratch,
        first,
    };
    let sides: Vec<_> = boxes.iter().map(Sides::of).collect();
    Sweep { boxes: &boxes, sides: &sides, undivided }.build(range, nodes, depth);
    scratch.copy_from_slice(primitives);
    for (primitive, index) in primitives.iter_mut().zip(&sorted[0]) {
        *primitive = scratch[*index as usize];
    }
}

struct Sweep<'a> {
    boxes: &'a [Aabb],
    sides: &'a [Sides],
    undivided: Undivided,
}

impl Sweep<'_> {
    /// Adds the subtree over a range; afterwards the first order is that of the leaves.
    fn build(&self, mut range: Range<'_>, nodes: &mut Vec<Node>, depth: u32) {
        let (count, first) = (range.scratch.len(), range.first);
        if count <= self.undivided.most {
            let bounds = self.around(range.sorted[0]);
            if count == 1 || bounds.half_area() <= self.undivided.half_area {
                nodes.push(Node::leaf(bounds, first, count));
                return;
            }
        }
        if count == 2 {
            // On every axis the same sum: the first axis decides.
            inner(nodes, (first, count), [0, 1], |at, nodes| {
                let bounds = self.around(&range.sorted[0][at..=at]);
                nodes.push(Node::leaf(bounds, first + at as u32, 1));
            });
            return;
        }
        // The same operations, and so the same bits, on every level.
        let split = dispatch!(simd => self.choose(simd, &mut range, depth));
        let sides = self.partition(range, split);
        inner(nodes, (first, count), sides.into(), |range, nodes| self.build(range, nodes, depth + 1));
    }

    fn around(&self, primitives: &[u32]) -> Aabb {
        primitives.iter().fold(Aabb::EMPTY, |all, primitive| all.union(self.boxes[*primitive as usize]))
    }

    #[inline(always)]
    fn choose(&self, simd: impl Simd, range: &mut Range<'_>, depth: u32) -> Split {
        let mut best = Split { axis: 0, left: range.scratch.len() / 2 };
        if depth >= DEEPEST_CHOICE {
            return best;
        }
        let mut least = f64::INFINITY;
        for axis in 0..3 {
            let found = super::sweep(simd, |p| self.sides[p as usize], range.sorted[axis], range.areas);
            if found.cost < least {
                (least, best) = (found.cost, Split { axis, left: found.left });
            }
        }
        best
    }

    /// Moves the left primitives to the front of every order, keeping the orders.
    fn partition<'r>(&self, range: Range<'r>, split: Split) -> (Range<'r>, Range<'r>) {
        let Range { mut sorted, areas, scratch, first } = range;
        let pivot = key(self.boxes, sorted[split.axis][split.left], split.axis);
        for (axis, primitives) in sorted.iter_mut().enumerate() {
            if axis != split.axis {
                super::partition_stable(primitives, scratch, |p| key(self.boxes, p, split.axis) < pivot);
            }
        }
        let [x, y, z] = sorted.map(|primitives| primitives.split_at_mut(split.left));
        let (left_areas, right_areas) = areas.split_at_mut(split.left);
        let (left_scratch, right_scratch) = scratch.split_at_mut(split.left);
        (
            Range { sorted: [x.0, y.0, z.0], areas: left_areas, scratch: left_scratch, first },
            Range {
                sorted: [x.1, y.1, z.1],
                areas: right_areas,
                scratch: right_scratch,
                first: first + split.left as u32,
            },
        )
    }
}
