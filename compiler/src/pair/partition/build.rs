//! Builds the binary tree of parts, from the top down.

use super::Rule;
use super::analysis::{self, Analysis, Set};
use super::part::{PartPlan, Parts};
use super::small::SMALL;
use super::split::{self, Triangle};

/// Levels below which sets are halved by number, so that no input makes this tree deeper than 75 levels: 2^32
/// triangles need 32 more.
pub(super) const DEEPEST_CHOICE: u32 = 43;

/// Sets of at least this many triangles are split by a thread of their own if one is free.
const PARALLEL_SIZE: usize = 1024;

/// Reused memory.
#[derive(Default)]
struct Scratch {
    analysis: analysis::Scratch,
    split: split::Scratch,
}

impl Scratch {
    /// On the heap, as a thread that waits for a half may have taken up many others.
    #[inline(never)]
    fn boxed() -> Box<Self> {
        Box::default()
    }
}

/// Splits a set again and again, and puts its triangles into the order of the leaves.
pub(crate) fn partition(triangles: &mut [Triangle], rule: Rule, leaf_size: usize) -> Parts {
    let mut parts = Parts::default();
    Builder { rule, leaf_size }.build(triangles, (0, 0), &mut parts, &mut Scratch::boxed());
    parts
}

struct Builder {
    rule: Rule,
    leaf_size: usize,
}

impl Builder {
    /// Adds the part of these triangles, of which the first is the leaves' triangle number `first`, and those below.
    fn build(
        &self,
        triangles: &mut [Triangle],
        (first, level): (usize, u32),
        parts: &mut Parts,
        scratch: &mut Scratch,
    ) -> PartPlan {
        let count = triangles.len();
        if count <= self.leaf_size {
            return parts.add_leaf(count);
        }
        if count <= SMALL && matches!(self.rule, Rule::Kinematic) {
            return scratch.analysis.partition_small(triangles, level, self.leaf_size, parts);
        }
        let (measure, left_count) = self.divide(triangles, (first, level), scratch);
        let (left, right) = triangles.split_at_mut(left_count);
        let (of_left, of_right) = ((first, level + 1), (first + left_count, level + 1));
        let plans = if count >= PARALLEL_SIZE {
            let build = |half, of_half, parts| self.build(half, of_half, parts, &mut Scratch::boxed());
            let mut others = Parts::default();
            let plans =
                rayon::join(|| build(left, of_left, &mut *parts), || build(right, of_right, &mut others));
            parts.append(others);
            plans
        } else {
            let mut build = |half, of_half| self.build(half, of_half, parts, scratch);
            (build(left, of_left), build(right, of_right))
        };
        parts.add_inner(measure, [&plans.0, &plans.1])
    }

    /// Puts the left triangles first, and returns the measure of all and how many are on the left.
    #[inline(never)] // Its frame stays out of that of the recursion.
    fn divide(
        &self,
        triangles: &mut [Triangle],
        (first, level): (usize, u32),
        scratch: &mut Scratch,
    ) -> (f64, usize) {
        let set = Set { triangles, first, is_deep: level >= DEEPEST_CHOICE };
        let Analysis { measure, split } = scratch.analysis.analyse(&set, self.rule, self.leaf_size);
        (measure, split.apply(triangles, &mut scratch.split))
    }
}
