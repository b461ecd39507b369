//! Convex hulls of a few vertices, each grown by a radius, four against four at a time.
//!
//! Based on: Gilbert, "An iterative procedure for computing the minimum of a quadratic form on a convex set", 1966, the
//! algorithm that Gilbert, Johnson, Keerthi, "A fast procedure for computing the distance between complex objects in
//! three-dimensional space", 1988, improve for one pair: each step looks for the vertices farthest along the
//! direction between the nearest points known so far. Departures: sixteen pairs at once, one per lane; a few steps
//! only, since each direction gives a lower bound of the distance and no other result is needed.
//!
//! # Why no bound is too great
//!
//! Along any direction d, two hulls are at least (min d q - max d p) / |d| apart, over the vertices p of A's and q of
//! B's, however d was found. What is computed is less exact. u is 2^-24, M the sum of the trees' radii and of the
//! distance of their origins (the sum of its coordinates' magnitudes). By E4, all vertices are within M of A's origin,
//! with their radii.
//!
//! - A transformed vertex is wrong by 14 u M at most on each axis (`obb.rs`): by 25 u M.
//! - A product with d takes three products and two sums and is wrong by 4 u |d| M; their difference, for both sides
//!   and with the rounding of the subtraction, by 10 u |d| M. The minima and maxima do not round.
//! - |d| is wrong by 3 u of it, and the quotient by one more u: 8 u M at most, as neither bound exceeds 2 M.
//! - Subtracting the sum of the radii and the slack adds 3 u M.
//!
//! That is less than 50 u M, of which [`RelativePose::slack`] has 128. Where d is so short that its square has lost
//! bits to underflow, a greater divisor replaces it, which moves the bound towards zero; below zero none separates.

use bvhc_format::hulls::{HULL_VERTICES, HullNode};
use bvhc_format::obb::PAIR_WIDTH;
use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask};

use crate::model::Model;
use crate::pair::lanes::{Vector, dot, lanes, spread, sub, tile, transform};
use crate::pair::relative_pose::RelativePose;
use crate::pair::sets::PAIRS;
use crate::pair::tree::PairTree;
use crate::pair::volumes::{LowerBounds, NoWalk, Opened, Overlaps, ROUNDED, Volumes, Walkable};
use crate::pose::Pose;
use crate::simd::Kernel;

/// Directions tried for whether hulls overlap.
const OVERLAP_STEPS: usize = 3;

/// Directions tried for lower bounds of distances.
const BOUND_STEPS: usize = 3;

/// Minimum of a direction's squared length.
const LEAST: f32 = 1.0 / (1u128 << 100) as f32;

/// The convex hulls of two trees.
pub(super) struct Hulls<'a> {
    nodes: [&'a [HullNode]; 2],
}

fn tree<'a>(model: &'a Model<'a>) -> Option<(PairTree<'a>, &'a [HullNode])> {
    let tree = model.sections().hull_tree()?;
    let nodes = tree.nodes.get();
    Some((PairTree::stored(model, (&tree.origin, tree.radius), 0, nodes.len()), nodes))
}

pub(super) fn open<'a, S: Kernel>(
    simd: S,
    [a, b]: [&'a Model<'a>; 2],
    pose: &Pose,
) -> Result<Walkable<'a, Hulls<'a>>, NoWalk> {
    let (Some((a, of_a)), Some((b, of_b))) = (tree(a), tree(b)) else { return Err(NoWalk::Missing) };
    let pose = RelativePose::new(simd, pose, a.frame(), b.frame());
    Ok(Walkable { trees: [a, b], volumes: Hulls { nodes: [of_a, of_b] }, pose })
}

impl<'a> Hulls<'a> {
    #[inline(always)]
    fn open(&self, [a, b]: [u32; 2]) -> Option<[&'a HullNode; 2]> {
        Some([self.nodes[0].get(a as usize)?, self.nodes[1].get(b as usize)?])
    }
}

impl<S: Kernel> Volumes<S> for Hulls<'_> {
    #[inline(always)]
    fn overlaps(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
    ) -> Option<Opened<Overlaps>> {
        let [a, b] = self.open(nodes)?;
        Some(Opened { children: [a.children, b.children], found: overlaps(simd, a, b, pose, pairs) })
    }

    #[inline(always)]
    fn lower_bounds(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
        limit2: f32,
    ) -> Option<Opened<LowerBounds>> {
        let [a, b] = self.open(nodes)?;
        let found = lower_bounds(simd, a, b, pose, pairs, limit2);
        Some(Opened { children: [a.children, b.children], found })
    }
}

/// The hulls of one side, one per lane, for as many pairs as a level tests at once.
struct Side<S: Kernel> {
    vertices: [Vector<S>; HULL_VERTICES],
    radius: S::Pairs,
}

impl<S: Kernel> Side<S> {
    /// B's slots repeated, transformed by the pose.
    #[inline(always)]
    fn of_b(simd: S, b: &HullNode, pose: &RelativePose) -> Self {
        let mut side = Self::nothing(simd, simd.tile(&b.radius));
        for (to, vertex) in side.vertices.iter_mut().zip(&b.vertices) {
            *to = transform(simd, &tile(simd, vertex), pose.rotation(), pose.translation());
        }
        side
    }

    /// A's slots from `row` on.
    #[inline(always)]
    fn of_a(simd: S, a: &HullNode, row: usize) -> Self {
        let mut side = Self::nothing(simd, simd.spread(&a.radius, row));
        for (to, vertex) in side.vertices.iter_mut().zip(&a.vertices) {
            *to = spread(simd, vertex, row);
        }
        side
    }

    #[inline(always)]
    fn nothing(simd: S, radius: S::Pairs) -> Self {
        Self { vertices: [[S::Pairs::splat(simd, 0.0); 3]; HULL_VERTICES], radius }
    }

    /// Half the sum of the first two vertices.
    #[inline(always)]
    fn middle(&self, simd: S) -> Vector<S> {
        let half = S::Pairs::splat(simd, 0.5);
        let [p, q] = [&self.vertices[0], &self.vertices[1]];
        [(p[0] + q[0]) * half, (p[1] + q[1]) * half, (p[2] + q[2]) * half]
    }

    /// The vertex that is least along a direction, and its product with the direction.
    #[inline(always)]
    fn least(&self, d: &Vector<S>) -> (S::Pairs, Vector<S>) {
        let mut vertex = self.vertices[0];
        let mut least = dot::<S>(&vertex, d);
        for other in &self.vertices[1..] {
            let along = dot::<S>(other, d);
            let less = along.simd_lt(least);
            least = less.select(along, least);
            vertex = [
                less.select(other[0], vertex[0]),
                less.select(other[1], vertex[1]),
                less.select(other[2], vertex[2]),
            ];
        }
        (least, vertex)
    }
}

/// Lower bounds of the distances of as many pairs of hulls, without their radii; negative where no direction tried
/// separates them. `decided` says whether bounds are good enough to stop at. Starts along `between`, from A to B.
#[inline(always)]
fn bounds<S: Kernel>(
    simd: S,
    a: &Side<S>,
    b: &Side<S>,
    between: &Vector<S>,
    steps: usize,
    decided: impl Fn(S::Pairs) -> bool,
) -> S::Pairs {
    let (zero, one) = (S::Pairs::splat(simd, 0.0), S::Pairs::splat(simd, 1.0));
    let mut nearest = *between;
    let mut best = S::Pairs::splat(simd, f32::MIN);
    for step in 1.. {
        let (of_b, q) = b.least(&nearest);
        let (of_a, p) = a.least(&[-nearest[0], -nearest[1], -nearest[2]]);
        let square = dot::<S>(&nearest, &nearest).max(S::Pairs::splat(simd, LEAST));
        best = best.max((of_b + of_a) / square.sqrt());
        if step == steps || decided(best) {
            break;
        }
        // The point of the segment from `nearest` to `q - p` that is nearest to zero.
        let back = sub::<S>(&nearest, &sub::<S>(&q, &p));
        let length2 = dot::<S>(&back, &back).max(S::Pairs::splat(simd, LEAST));
        let share = (dot::<S>(&nearest, &back) * length2.approximate_recip()).max(zero).min(one);
        let share = -share;
        nearest = [
            share.mul_add(back[0], nearest[0]),
            share.mul_add(back[1], nearest[1]),
            share.mul_add(back[2], nearest[2]),
        ];
    }
    best
}

#[inline(always)]
fn overlaps<S: Kernel>(simd: S, a: &HullNode, b: &HullNode, pose: &RelativePose, pairs: u32) -> Overlaps {
    let mut found = Overlaps::NONE;
    let b = Side::of_b(simd, b, pose);
    let middle_b = b.middle(simd);
    let slack = S::Pairs::splat(simd, pose.slack());
    for first in (0..PAIRS).step_by(lanes::<S>()) {
        let of_step = pairs >> first & ((1u32 << lanes::<S>()) - 1);
        if of_step == 0 {
            continue;
        }
        let a = Side::of_a(simd, a, first / PAIR_WIDTH);
        let between = sub::<S>(&middle_b, &a.middle(simd));
        let least = a.radius + b.radius + slack;
        // NaN counts as near.
        let near = |bound: S::Pairs| !(bound.simd_gt(least).to_bitmask() as u32) & of_step;
        let bound = bounds(simd, &a, &b, &between, OVERLAP_STEPS, |bound| near(bound) == 0);
        found.pairs |= near(bound) << first;
        let size = dot::<S>(&between, &between).max(S::Pairs::splat(simd, LEAST)).sqrt();
        let depths = (bound - least) * size.approximate_recip();
        depths.store_slice(&mut found.depths[first..first + lanes::<S>()]);
    }
    found
}

#[inline(always)]
fn lower_bounds<S: Kernel>(
    simd: S,
    a: &HullNode,
    b: &HullNode,
    pose: &RelativePose,
    pairs: u32,
    limit2: f32,
) -> LowerBounds {
    let mut found = LowerBounds::NONE;
    let b = Side::of_b(simd, b, pose);
    let middle_b = b.middle(simd);
    let radius_b = b.radius + S::Pairs::splat(simd, pose.slack());
    let (limit2, zero) = (S::Pairs::splat(simd, limit2), S::Pairs::splat(simd, 0.0));
    for first in (0..PAIRS).step_by(lanes::<S>()) {
        let of_step = pairs >> first & ((1u32 << lanes::<S>()) - 1);
        if of_step == 0 {
            continue;
        }
        let a = Side::of_a(simd, a, first / PAIR_WIDTH);
        let between = sub::<S>(&middle_b, &a.middle(simd));
        let square = |bound: S::Pairs| {
            let bound = (bound - (a.radius + radius_b)).max(zero);
            bound * bound * S::Pairs::splat(simd, ROUNDED)
        };
        // NaN counts as near.
        let near = |bound: S::Pairs| !(square(bound).simd_gt(limit2).to_bitmask() as u32) & of_step;
        let bound = bounds(simd, &a, &b, &between, BOUND_STEPS, |bound| near(bound) == 0);
        found.pairs |= near(bound) << first;
        square(bound).store_slice(&mut found.squares[first..first + lanes::<S>()]);
        dot::<S>(&between, &between).store_slice(&mut found.centres[first..first + lanes::<S>()]);
    }
    found
}
