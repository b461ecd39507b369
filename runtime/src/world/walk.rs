//! The walks through the tree of a world: along a ray, through a box, and from the nearest box on.
//!
//! # Why no box hides an answer
//!
//! Let T be an instance's position, s its scale, M the largest coordinate of its mesh in magnitude, and u = 2^-24. FORMAT.md
//! (W9) has each leaf's box grown by G = 2^-17 (s M + |T_x| + |T_y| + |T_z|) beyond the images of the mesh's own grown boxes: at
//! least of those of its blocks, in one of which each hit, nearest point and part of a triangle is.
//!
//! *Rays.* The origin o and the direction d are transformed in f64 and rounded once. With K = |o - T|, this moves the origin
//! by at most 1.01 u K, and a point at t, which is within K + 2 s M of the origin if it is a hit, by 1.01 u (K + 2 s M)
//! more, both measured in the world. The mesh's own walk meets a box that the transformed ray passes at up to
//! 25 u (|o'| + M) on each axis (see [`Frame`]), which is 44 u (K + s M) in the world. All this is at most
//! 47 u K + 47 u s M, and K is at most sqrt(3) times the largest |o| plus |T_x| + |T_y| + |T_z|: so less than 82 u |o| + G,
//! as G is 128 u (s M + ...). The walk here uses a frame that is wider by 128 u times the largest |o|.
//!
//! *Points, spheres and boxes* have their centres and radii rounded once, which moves them by less than 2 u (|p| + r) in the
//! world, beside what G covers: boxes of queries are grown by 16 u times that.
//!
//! *Shapes* are asked in the world, about images of triangles in f64, which lie within G of the boxes' images: neither the
//! boxes of shapes nor their sweeps need to be grown.

use core::ops::ControlFlow;

use bvhc_format::NONE;
use bvhc_format::record::{NODE_WIDTH, WideNode};
use bvhc_format::world::InstanceLeaf;

use super::ahead::Ahead;
use super::things::Things;
use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::math::{UNIT_ROUNDOFF, larger};
use crate::prefetch::Records;
#[cfg(feature = "shapes")]
use crate::query::Sweep;
use crate::ray::{Class, Frame, Ray};
use crate::simd::sixteen::Sixteen;
use crate::simd::{Kernel, dispatch};
use crate::stack::{NodeGroupScratch, NodeGroupStack, Stack};
use crate::triangle::point::SMALLEST_LIMIT;
#[cfg(feature = "shapes")]
use crate::walk::ray::NearestFirst;
use crate::walk::ray::{Order, SlabTest, descend};
use crate::walk::{Budget, ROOT, all, as_block, prefetch_record};

/// How much wider slabs are for a ray, relative to its origin's largest coordinate.
const RAY_MARGIN: f32 = 128.0 * UNIT_ROUNDOFF;

/// How much larger boxes of queries are, relative to their largest coordinate.
pub(super) const BOX_MARGIN: f32 = 16.0 * UNIT_ROUNDOFF;

/// The squared distance to a box has an error of at most 8 units; bounds are lowered by that much.
const ROUNDING: f32 = 1.0 - 8.0 * f32::EPSILON;

impl<'a> Things<'a> {
    /// Shows `visitor` each leaf whose box the ray may meet up to the limit that it returns, in its order. `None` if the ray has
    /// no class.
    pub(super) fn along_ray(&self, ray: &Ray, visitor: &mut impl LeafVisitor<'a>) -> Option<()> {
        dispatch!(self.level.inner(), simd => along_ray(simd, self, ray, visitor))
    }

    /// Calls `visit` with each leaf whose box the moving shape may touch up to a limit, nearer boxes first. It is a time at first,
    /// then what `visit` returns, in units of the sweep.
    #[cfg(feature = "shapes")]
    pub(super) fn along_sweep(
        &self,
        sweep: &Sweep<'_>,
        limit: f64,
        visit: &mut dyn FnMut(&'a InstanceLeaf) -> ControlFlow<(), f32>,
    ) {
        dispatch!(self.level.inner(), simd => {
            if let Some(frame) = sweep.frame(simd, &self.extent, limit) {
                along_frame::<_, NearestFirst>(simd, self, &frame, visit);
            }
        });
    }

    /// Calls `visit` with each leaf whose box touches `query`.
    pub(super) fn in_box(
        &self,
        query: &Aabb,
        visit: &mut dyn FnMut(&'a InstanceLeaf) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let leaves = self.leaves;
        self.places_in_box(query, &mut |leaf| {
            leaves.get(leaf as usize).map_or(ControlFlow::Continue(()), &mut *visit)
        })
    }

    /// Calls `visit` with the place of each leaf whose box touches `query`.
    pub(super) fn places_in_box(
        &self,
        query: &Aabb,
        visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        dispatch!(self.level.inner(), simd => in_box(simd, self, query, visit))
    }

    /// Calls `visit` with each leaf whose box may be within a squared distance of `query`, nearer boxes first. The distance
    /// is at first `limit`, then what `visit` returns.
    pub(super) fn around_box(
        &self,
        query: &Aabb,
        limit: f64,
        visit: &mut dyn FnMut(&'a InstanceLeaf) -> ControlFlow<(), f64>,
    ) {
        if let [leaf] = self.leaves {
            let _ = visit(leaf);
            return;
        }
        dispatch!(self.level.inner(), simd => around_box(simd, self, query, limit, visit));
    }

    /// As many visits as a walk through a valid tree may make.
    fn budget(&self) -> Budget {
        Budget::of_visits(self.nodes.len() as u64 + self.leaves.len() as u64)
    }

    /// Where nodes and leaves are, for prefetches.
    fn tree_records(&self) -> (Records, Records) {
        let nodes = Records::at(self.nodes.as_ptr().cast(), size_of::<WideNode>());
        (nodes, Records::at(self.leaves.as_ptr().cast(), size_of::<InstanceLeaf>()))
    }

    /// A node, if an instance below it is in the layers that the world sees.
    #[inline(always)]
    pub(super) fn node(&self, index: u32) -> Option<&'a WideNode> {
        let layers = self.node_layers.get(index as usize)?.to_native();
        self.nodes.get(index as usize).filter(|_| layers & self.layers != 0)
    }
}

impl<'a> Things<'a> {
    /// Whether a leaf is one of several of its instance's.
    pub(super) fn is_opened(&self, leaf: &InstanceLeaf) -> bool {
        let of_same = |other: &&InstanceLeaf| other.instance == leaf.instance;
        let first = || self.leaves.partition_point(|other| other.instance < leaf.instance);
        leaf.slot != NONE && self.leaves[first()..].iter().take_while(of_same).nth(1).is_some()
    }

    /// The instances of several leaves, ascending. Cost: for each the logarithm of how many others are before it.
    pub(super) fn opened(&self) -> impl Iterator<Item = u32> + use<'a> {
        let mut rest = self.leaves;
        core::iter::from_fn(move || {
            let first = rest.first()?.instance;
            // Each leaf is of the next instance, up to the second one of the same.
            let is_single = |index: usize| rest[index].instance.wrapping_sub(first) as usize >= index;
            let mut end = 1;
            while end < rest.len() && is_single(end) {
                end *= 2;
            }
            let (mut single, mut end) = (end / 2 + 1, end.min(rest.len()));
            while single < end {
                let middle = single.midpoint(end);
                (single, end) = if is_single(middle) { (middle + 1, end) } else { (single, middle) };
            }
            let opened = rest.get(single)?.instance;
            let others = rest[single..].iter().take_while(|leaf| leaf.instance == opened).count();
            rest = &rest[single + others..];
            Some(opened)
        })
    }
}

/// Decides which leaf of an instance answers a query, so that an instance of several leaves is met once by a walk through a
/// box: the first one whose box touches it.
///
/// From a leaf, those before it are tested in descending order until one touches the box: that one answers, or one before
/// it. So a walk tests each leaf at most once, from the next one that touches the box.
pub(super) struct FirstLeaves<'w> {
    leaves: &'w [InstanceLeaf],
    /// How many leaves may still be tested. More than twice as many as there are is a sign of a corrupt file.
    tests: usize,
}

impl<'w> FirstLeaves<'w> {
    /// For one walk.
    pub(super) fn of(things: &Things<'w>) -> Self {
        Self { leaves: things.leaves, tests: 2 * things.leaves.len() }
    }

    /// For so many walks.
    pub(super) fn of_walks(things: &Things<'w>, count: usize) -> Self {
        Self { tests: (2 * things.leaves.len()).saturating_mul(count), ..Self::of(things) }
    }

    /// Whether a leaf that touches `query` is the first of its instance's that does.
    pub(super) fn has(&mut self, leaf: &InstanceLeaf, query: &Aabb) -> bool {
        let key = |leaf: &InstanceLeaf| (leaf.instance, leaf.slot);
        self.has_at(self.leaves.partition_point(|other| key(other) < key(leaf)), query)
    }

    /// The same, of the leaf at a place.
    pub(super) fn has_at(&mut self, own: usize, query: &Aabb) -> bool {
        let Some(leaf) = self.leaves.get(own) else { return false };
        for other in self.leaves[..own].iter().rev().take_while(|other| other.instance == leaf.instance) {
            let Some(tests) = self.tests.checked_sub(1) else { return false };
            self.tests = tests;
            if touch(&other.bounds, query) {
                return false;
            }
        }
        true
    }
}

/// What a walk along a ray shows its leaves. Compiled for the level, as the walk is, so that it need not choose the level again.
pub(super) trait LeafVisitor<'a> {
    /// The order in which boxes are visited.
    type Order: Order;

    /// Returns the limit up to which the walk continues.
    fn visit<S: Kernel>(&mut self, simd: S, leaf: &'a InstanceLeaf) -> ControlFlow<(), f32>;
}

/// Whether two boxes share a point. One branch in the end is predicted better than one for each plane.
pub(super) fn touch([a, b, c, d, e, f]: &[f32; 6], query: &Aabb) -> bool {
    let ([ax, ay, az], [bx, by, bz]) = (query.min, query.max);
    (*a <= bx) & (ax <= *d) & (*b <= by) & (ay <= *e) & (*c <= bz) & (az <= *f)
}

#[inline(always)]
fn along_ray<'a, S: Kernel, V: LeafVisitor<'a>>(
    simd: S,
    things: &Things<'a>,
    ray: &Ray,
    visitor: &mut V,
) -> Option<()> {
    let class = Class::of(ray)?;
    if let [leaf] = things.leaves {
        let _ = visitor.visit(simd, leaf);
        return Some(());
    }
    let [x, y, z] = ray.origin.map3(f32::abs);
    let by = larger(larger(x, y), z) * RAY_MARGIN;
    let frame = Frame::widened(simd, ray, class, &things.extent, [by; 4]);
    along_frame::<S, V::Order>(
        simd,
        things,
        &frame,
        #[inline(always)]
        |leaf| visitor.visit(simd, leaf),
    );
    Some(())
}

#[inline(always)]
fn along_frame<'a, S: Kernel, O: Order>(
    simd: S,
    things: &Things<'a>,
    frame: &Frame,
    mut visit: impl FnMut(&'a InstanceLeaf) -> ControlFlow<(), f32>,
) {
    let mut waiting = NodeGroupScratch::new();
    let mut stack = NodeGroupStack::new(&mut waiting);
    let boxes = SlabTest::<S>::new(simd, frame);
    let mut limit = boxes.limit(frame.t_max);
    let (mut budget, tree, ahead) = (things.budget(), things.tree_records(), Ahead::of(things));
    let mut child = ROOT;
    while budget.spend() {
        if let Some(leaf) = as_block(child) {
            if let Some(leaf) = things.leaves.get(leaf as usize) {
                if let Some(ahead) = ahead
                    && let Some([next, second]) = stack.peek::<S>()
                {
                    ahead.prefetch(next);
                    ahead.prefetch_by_place(second);
                    prefetch_record(tree, second);
                }
                match visit(leaf) {
                    ControlFlow::Continue(closer) => limit = boxes.limit(closer),
                    ControlFlow::Break(()) => return,
                }
            }
        } else if let Some(node) = things.node(child)
            && let Some(next) = descend::<S, O>(simd, &boxes, node, limit, &mut stack)
        {
            prefetch_record(tree, next.second);
            if let Some(ahead) = ahead {
                ahead.prefetch_by_place(next.child);
                ahead.prefetch_by_place(next.second);
            }
            child = next.child;
            continue;
        }
        match stack.take(simd, limit.to_bits() as i32) {
            Some(next) => child = next,
            None => return,
        }
    }
}

#[inline(always)]
fn in_box<S: Kernel>(
    simd: S,
    things: &Things<'_>,
    query: &Aabb,
    visit: &mut dyn FnMut(u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut stack: Stack = Stack::new();
    let mut budget = things.budget();
    stack.push(ROOT, 0.0);
    while let Some((child, _)) = stack.pop() {
        if !budget.spend() {
            break;
        }
        if let Some(leaf) = as_block(child) {
            if (leaf as usize) < things.leaves.len() {
                visit(leaf)?;
            }
            continue;
        }
        let Some(node) = things.node(child) else { continue };
        all::push_touched(simd, node, query, &mut stack);
    }
    ControlFlow::Continue(())
}

#[inline(always)]
fn around_box<'a, S: Kernel>(
    simd: S,
    things: &Things<'a>,
    query: &Aabb,
    limit: f64,
    visit: &mut dyn FnMut(&'a InstanceLeaf) -> ControlFlow<(), f64>,
) {
    let mut stack: Stack = Stack::new();
    stack.reset_to_sentinels();
    let mut budget = things.budget();
    let mut limit = finite(limit);
    let mut next = Some((ROOT, 0.0));
    while let Some((child, bound)) = next
        && budget.spend()
    {
        if bound > limit {
            // A visit has lowered the limit since this was chosen.
        } else if let Some(leaf) = as_block(child) {
            if let Some(leaf) = things.leaves.get(leaf as usize) {
                match visit(leaf) {
                    ControlFlow::Continue(closer) => limit = finite(closer),
                    ControlFlow::Break(()) => return,
                }
            }
        } else if let Some(node) = things.node(child)
            && let Some(nearest) = nearest_child(simd, node, query, limit, &mut stack)
        {
            next = Some(nearest);
            continue;
        }
        next = stack.pop_up_to(simd, limit);
    }
}

/// A squared distance rounded up to a finite f32 that is not too small for squares in f32.
fn finite(square: f64) -> f32 {
    (square as f32).next_up().clamp(SMALLEST_LIMIT, f32::MAX)
}

/// A child with about the nearest box, if any may be within the limit, and the bound of its squared distance. Other children
/// that may be are stacked.
#[inline(always)]
fn nearest_child<S: Kernel>(
    simd: S,
    node: &WideNode,
    query: &Aabb,
    limit: f32,
    stack: &mut Stack,
) -> Option<(u32, f32)> {
    let (x, y, z) = (gap(simd, node, query, 0), gap(simd, node, query, 1), gap(simd, node, query, 2));
    let bounds = (x * x + y * y + z * z) * ROUNDING;
    let within = bounds.at_most(S::Sixteen::splat(simd, limit));
    if within == 0 {
        return None;
    }
    let nearest = simd.least(bounds) % NODE_WIDTH;
    simd.push_some(stack, node, bounds, within & !(1 << nearest));
    Some((node.children[nearest], bounds.to_array()[nearest]))
}

/// The distances of the boxes from the query's along an axis.
#[inline(always)]
fn gap<S: Kernel>(simd: S, node: &WideNode, query: &Aabb, axis: usize) -> S::Sixteen {
    let lower = S::Sixteen::load(simd, &node.planes[2 * axis]) - query.max[axis];
    let upper = S::Sixteen::splat(simd, query.min[axis]) - S::Sixteen::load(simd, &node.planes[2 * axis + 1]);
    lower.max(upper).max(S::Sixteen::splat(simd, 0.0))
}

/// A box grown by a margin on every side, rounded outward.
pub(super) fn grown(own: &Aabb, margin: f64) -> Aabb {
    let lower = |x: f32| ((f64::from(x) - margin) as f32).next_down();
    let upper = |x: f32| ((f64::from(x) + margin) as f32).next_up();
    Aabb { min: own.min.map(lower), max: own.max.map(upper) }
}
