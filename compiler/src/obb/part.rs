//! The binary tree of parts, grown from the top down.

use super::analysis::{self, Analysis, Rule};
use super::collapse::Costs;
use super::cut::{self, Triangle};

/// Levels after which sets are halved by number, so that no input makes this tree deeper than 75 levels: 2^32
/// triangles need 32 more.
const DEEPEST_CHOICE: u32 = 43;

/// Sets of at least this many triangles are cut by a thread of their own if one is free.
const PARALLEL_SIZE: usize = 1024;

/// A set of triangles, and the two it is cut into if it has more of them than a leaf holds.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) count: usize,
    pub(crate) halves: Option<Box<[Part; 2]>>,
    /// Levels below.
    pub(super) height: u32,
    pub(super) costs: Costs,
}

/// The memory of cutting.
#[derive(Default)]
struct Memory {
    analysis: analysis::Memory,
    cut: cut::Memory,
}

/// Cuts a set again and again, and puts its triangles into the order of the leaves.
pub(crate) fn part(triangles: &mut [Triangle], rule: Rule, leaf_size: usize) -> Part {
    Cutter { rule, leaf_size }.part(triangles, 0, &mut Memory::default())
}

struct Cutter {
    rule: Rule,
    leaf_size: usize,
}

impl Cutter {
    fn part(&self, triangles: &mut [Triangle], level: u32, memory: &mut Memory) -> Part {
        let count = triangles.len();
        if count <= self.leaf_size {
            return Part { count, halves: None, height: 0, costs: Costs::LEAF };
        }
        let is_deep = level >= DEEPEST_CHOICE;
        let Analysis { measure, cut } =
            memory.analysis.analyse(triangles, self.rule, self.leaf_size, is_deep);
        let left_count = cut.apply(triangles, &mut memory.cut);
        let (left, right) = triangles.split_at_mut(left_count);
        let halves = if count >= PARALLEL_SIZE {
            let cut = |half| self.part(half, level + 1, &mut Memory::default());
            <[Part; 2]>::from(rayon::join(|| cut(left), || cut(right)))
        } else {
            [self.part(left, level + 1, memory), self.part(right, level + 1, memory)]
        };
        let costs = Costs::of(measure, &halves);
        let height = 1 + halves[0].height.max(halves[1].height);
        Part { count, halves: Some(Box::new(halves)), height, costs }
    }
}
