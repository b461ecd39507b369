//! Builds the binary tree of parts, from the top down.

use super::Rule;
use super::analysis::{self, Analysis, Set};
use super::part::Part;
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

/// Splits a set again and again, and puts its triangles into the order of the leaves.
pub(crate) fn partition(triangles: &mut [Triangle], rule: Rule, leaf_size: usize) -> Part {
    Builder { rule, leaf_size }.build(triangles, 0, 0, &mut Scratch::default())
}

struct Builder {
    rule: Rule,
    leaf_size: usize,
}

impl Builder {
    /// Builds the part of these triangles, of which the first is the leaves' triangle number `first`.
    fn build(&self, triangles: &mut [Triangle], first: usize, level: u32, scratch: &mut Scratch) -> Part {
        let count = triangles.len();
        if count <= self.leaf_size {
            return Part::leaf(count);
        }
        if count <= SMALL && matches!(self.rule, Rule::Kinematic) {
            return scratch.analysis.partition_small(triangles, level, self.leaf_size);
        }
        let set = Set { triangles, first, is_deep: level >= DEEPEST_CHOICE };
        let Analysis { measure, split } = scratch.analysis.analyse(&set, self.rule, self.leaf_size);
        let left_count = split.apply(triangles, &mut scratch.split);
        let (left, right) = triangles.split_at_mut(left_count);
        let (level, middle) = (level + 1, first + left_count);
        let halves = if count >= PARALLEL_SIZE {
            let build = |half, first| self.build(half, first, level, &mut Scratch::default());
            <[Part; 2]>::from(rayon::join(|| build(left, first), || build(right, middle)))
        } else {
            [self.build(left, first, level, scratch), self.build(right, middle, level, scratch)]
        };
        Part::inner(measure, halves)
    }
}
