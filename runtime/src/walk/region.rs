//! The walk of an overlap query: every block whose box meets a region, first what is nearest to its middle.
//!
//! The child that is nearest is visited at once, so that a query that asks for any triangle ends soon. The others wait in a stack of
//! nodes, a bit each, in any order: a region does not shrink, so they need no keys.

use core::ops::ControlFlow;

use bvhc_format::MAX_COORDINATE;
use bvhc_format::record::{Block, NODE_WIDTH, WideNode};

use super::nearest::gap;
use super::probe::Sink;
use super::{Budget, Visit, as_block, prefetch_child, prefetch_children};
use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::math::{larger, smaller};
use crate::model::Model;
use crate::simd::Kernel;
use crate::simd::sixteen::Sixteen;
use crate::stack::{NodeGroupScratch, NodeGroupStack};

/// Beyond every coordinate of a model, which is at most 2^60.
pub(crate) const BEYOND_MODELS: f32 = 2.0 * MAX_COORDINATE;

/// Covers the roundings of squared distances, of boxes and of the reach: relative to these.
const OF_SQUARES: f32 = 1.0 / (1u32 << 19) as f32;

/// Where an overlap query looks: in a box, within a distance of its middle.
///
/// A box of a node is compared by its gap from the middle along each axis. Gaps are rounded to nearest, which is monotonic, and `half` is so
/// or upwards: a box that meets the region has no gap beyond it. Nor has a box a larger gap than a box inside it.
pub(crate) struct Region {
    centre: [f32; 3],
    /// How far the box is from there along each axis.
    half: [f32; 3],
    /// The squared distance from the centre beyond which nothing touches; finite.
    limit: f32,
}

impl Region {
    /// Everything in a box that is not empty.
    pub(crate) fn of_box(query_box: Aabb) -> Self {
        let within = |x: f32| x.clamp(-BEYOND_MODELS, BEYOND_MODELS);
        let query_box = Aabb { min: query_box.min.map3(within), max: query_box.max.map3(within) };
        let centre = [0, 1, 2].map3(|axis| 0.5 * (query_box.min[axis] + query_box.max[axis]));
        let half = [0, 1, 2]
            .map3(|axis| larger(centre[axis] - query_box.min[axis], query_box.max[axis] - centre[axis]));
        Self { centre, half, limit: f32::MAX }
    }

    /// What is within `half` of a point along each axis, and within `reach` of it.
    pub(crate) fn around(centre: [f32; 3], half: [f32; 3], reach: f32) -> Self {
        let [x, y, z] = centre.map3(f32::abs);
        if !(x <= BEYOND_MODELS && y <= BEYOND_MODELS && z <= BEYOND_MODELS) {
            let end = |sign: f32| [0, 1, 2].map3(|axis| centre[axis] + sign * half[axis]);
            let (min, max) = (end(-1.0).map3(f32::next_down), end(1.0).map3(f32::next_up));
            return Self::of_box(Aabb { min, max });
        }
        // Squares of small distances lose digits: each of three is off by less than the least normal number.
        let limit = smaller(reach * reach * (1.0 + OF_SQUARES) + 4.0 * f32::MIN_POSITIVE, f32::MAX);
        Self { centre, half, limit }
    }

    /// The slots of a node whose boxes are met. A separate call, compiled for the level.
    pub(crate) fn meets<S: Kernel>(&self, simd: S, node: &WideNode) -> u32 {
        simd.vectorize(
            #[inline(always)]
            || self.look_at(simd, node).0,
        )
    }

    /// The slots of a node whose boxes are met, and the squared distances of all boxes from the middle. Empty slots are infinitely
    /// far away.
    #[inline(always)]
    fn look_at<S: Kernel>(&self, simd: S, node: &WideNode) -> (u32, S::Sixteen) {
        let at = self.centre;
        let (x, y, z) = (gap(simd, node, at, 0), gap(simd, node, at, 1), gap(simd, node, at, 2));
        let square = x * x + y * y + z * z;
        let half = |axis: usize| S::Sixteen::splat(simd, self.half[axis]);
        let limit = S::Sixteen::splat(simd, self.limit);
        (S::Sixteen::all_at_most([[x, half(0)], [y, half(1)], [z, half(2)], [square, limit]]), square)
    }
}

/// Calls `visit` with each block below a child reference whose box meets the region.
///
/// In a large model all children that are met are prefetched when they are stacked. This pays off if the model is in no cache.
#[inline(always)]
pub(crate) fn walk<S: Kernel, P: Sink>(
    simd: S,
    model: &Model<'_>,
    mut child: u32,
    region: &Region,
    sink: &mut P,
    mut visit: impl FnMut(Visit<'_>, &mut P) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut waiting = NodeGroupScratch::new();
    let mut stack = NodeGroupStack::<&WideNode>::new(&mut waiting);
    let mut scratch = Block::EMPTY;
    let mut budget = Budget::of(model);
    let ahead = model.is_large();
    while budget.spend() {
        let mut next = None;
        if let Some(reference) = as_block(child) {
            next = stack.take(simd, 0);
            if let Some(next) = next {
                prefetch_child(model, next);
            }
            if let Some(block) = model.sections().blocks().fetch(simd, reference, &mut scratch) {
                visit(Visit::new(model, reference, block, sink), sink)?;
            }
        } else if let Some(node) = model.sections().nodes().get(child as usize) {
            sink.visits_node();
            let (met, squares) = region.look_at(simd, node);
            if met != 0 {
                let least = simd.least(squares) % NODE_WIDTH;
                // The nearest of all boxes may lie beyond the region, which is a box around the middle.
                let first =
                    if met & 1 << least != 0 { least } else { met.trailing_zeros() as usize % NODE_WIDTH };
                let others = met & !(1 << first);
                if ahead {
                    prefetch_children(model, node, others);
                }
                if stack.push(node, others).is_some() {
                    child = node.children[first];
                    continue;
                }
            }
            next = stack.take(simd, 0);
        }
        let Some(next) = next else { break };
        child = next;
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use std::prelude::v1::*;

    use super::*;
    use crate::level::Level;
    use crate::math::vector::Map3;
    use crate::simd::dispatch;
    use crate::triangle::testing::Random;

    /// A node with boxes of all sizes in its first fifteen slots.
    fn node(random: &mut Random, size: f32) -> WideNode {
        let mut node = WideNode::EMPTY;
        for slot in 0..15 {
            for axis in 0..3 {
                let ends = [
                    size * random.centred() as f32,
                    size * random.centred() as f32 * random.centred() as f32,
                ];
                let [a, b] = [ends[0], ends[0] + ends[1]];
                (node.planes[2 * axis][slot], node.planes[2 * axis + 1][slot]) = (a.min(b), a.max(b));
            }
        }
        node
    }

    fn met(region: &Region, node: &WideNode) -> u32 {
        let mut levels =
            Level::available().map(|level| dispatch!(level.inner(), simd => region.meets(simd, node)));
        let met = levels.next().expect("a level");
        assert!(levels.all(|other| other == met));
        met
    }

    /// How far a slot's box is from another box along each axis; 0 where they overlap.
    fn gaps(node: &WideNode, slot: usize, [from, to]: [[f32; 3]; 2]) -> [f64; 3] {
        [0, 1, 2].map3(|axis| {
            let [lower, upper] = [0, 1].map(|side| f64::from(node.planes[2 * axis + side][slot]));
            (lower - f64::from(to[axis])).max(f64::from(from[axis]) - upper).max(0.0)
        })
    }

    #[test]
    fn no_box_is_lost_and_few_are_met_for_nothing() {
        let mut random = Random(43);
        let (mut meeting, mut met_for_nothing) = (0, 0);
        for round in 0..20_000 {
            let size = [1.0, 1e-30, 3e4, (1u64 << 60) as f32][round % 4];
            let node = node(&mut random, size);
            let centre = [0; 3].map3(|_| size * random.centred() as f32);
            let half = [0; 3].map3(|_| {
                size * (random.centred() * random.centred()).abs() as f32 * [0.0, 0.1, 1.0][round / 4 % 3]
            });
            let [min, max] =
                [-1.0, 1.0].map(|sign: f32| [0, 1, 2].map3(|axis| centre[axis] + sign * half[axis]));
            let radius = half[0];
            let (of_box, of_ball) =
                (Region::of_box(Aabb { min, max }), Region::around(centre, [radius; 3], radius));
            let (by_box, by_ball) = (met(&of_box, &node), met(&of_ball, &node));
            for slot in 0..15 {
                let gaps_of_box = gaps(&node, slot, [min, max]);
                let gaps_of_ball = gaps(&node, slot, [centre; 2]);
                let square: f64 = gaps_of_ball.iter().map(|gap| gap * gap).sum();
                let (in_box, in_ball) =
                    (gaps_of_box == [0.0; 3], square <= f64::from(radius) * f64::from(radius));
                assert!(!in_box || by_box >> slot & 1 != 0, "{min:?} {max:?} {node:?} {slot}");
                assert!(!in_ball || by_ball >> slot & 1 != 0, "{centre:?} {radius} {node:?} {slot}");
                meeting += u32::from(in_box) + u32::from(in_ball);
                met_for_nothing += u32::from(!in_box && by_box >> slot & 1 != 0);
                met_for_nothing += u32::from(!in_ball && by_ball >> slot & 1 != 0);
            }
            assert_eq!((by_box | by_ball) >> 15, 0, "an empty slot");
        }
        assert!(meeting > 5_000 && met_for_nothing < meeting / 10, "{met_for_nothing} for {meeting}");
    }

    #[test]
    fn regions_without_end_and_beyond_models() {
        let node = node(&mut Random(44), 1.0);
        let (most, everything) = (f32::MAX, f32::INFINITY);
        let all = (1 << 15) - 1;
        assert_eq!(met(&Region::around([0.0; 3], [everything; 3], everything), &node), all);
        assert_eq!(met(&Region::around([most, 0.0, 0.0], [everything; 3], everything), &node), all);
        assert_eq!(met(&Region::around([most, 0.0, 0.0], [1e30; 3], 1e30), &node), 0);
        assert_eq!(met(&Region::of_box(Aabb { min: [-everything; 3], max: [everything; 3] }), &node), all);
        assert_eq!(met(&Region::of_box(Aabb { min: [1e20; 3], max: [most; 3] }), &node), 0);
    }
}
