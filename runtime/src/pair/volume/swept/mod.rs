//! Swept spheres, four against four at a time: all points within a radius of a core, which is a point, a line or a
//! rectangle.
//!
//! Based on: Larsen, Gottschalk, Lin, Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999. Departures:
//! sixteen pairs at once, one per lane; distances of cores are not computed, but bounded from below by separations
//! along directions. For points and lines that is the direction between the nearest points. For rectangles there are
//! three: the direction between two points that a few alternating projections have brought close to the nearest ones,
//! and both normals.
//!
//! # Why no bound is too great
//!
//! Along any direction d, the separation of two cores is |t d| / |d|, t being the offset of their centres, minus the
//! sum of |h d| / |d| over their half axes h; the cores are at least that far apart, however d was found. What is
//! computed is less exact. u is 2^-24, M the sum of the trees' radii and of the distance of their origins (the sum of
//! its coordinates' magnitudes). By R5, |t|, the lengths of all half axes and both spheres' radii sum to at most M.
//!
//! - A transformed centre is wrong by 14 u M at most on each axis (`obb.rs`), and the difference of centres by u M: t
//!   by 26 u M. A rotated half axis is wrong by 4 u of its length on each axis: by 7 u of it.
//! - A product with d takes three products and two sums and is wrong by 4 u |d| times the vector's length, and the sum
//!   of the five by 4 u |d| M more: together with the above, by 41 u |d| M.
//! - The square of |d| is wrong by 4 u of it, so that dividing by it, multiplying and taking the square root add 5 u M.
//!   Subtracting the sum of the radii and the slack adds 3 u M.
//!
//! That is 49 u M, of which [`RelativePose::slack`] has 128. Where d is so short that its square has lost bits to
//! underflow, a greater divisor replaces it, which lowers the bound.

#[cfg(test)]
mod tests;

use bvhc_format::kdop::LaneRow;
use bvhc_format::obb::{PAIR_WIDTH, PairRef};
use bvhc_format::swept::{Core, Cores, SweptLayout};
use fearless_simd::{SimdBase, SimdFloat, SimdMask};

use crate::model::Model;
use crate::pair::lanes::{Vector, cross, dot, lanes, sub, transform};
use crate::pair::relative_pose::RelativePose;
use crate::pair::sets::PAIRS;
use crate::pair::tree::PairTree;
use crate::pair::volumes::{LowerBounds, NoWalk, Opened, Overlaps, ROUNDED, Volumes, Walkable};
use crate::pose::Pose;
use crate::simd::Kernel;

/// Alternating projections between two rectangles. (Measured on rectangles of any orientation, about their size apart:
/// with the normals, bounds are on average 0.97 of the distance; after one round 0.92, after four 0.98.)
const ROUNDS: usize = 3;

/// Minimum of a direction's squared length.
const LEAST: f32 = 1.0 / (1u128 << 100) as f32;

/// The swept spheres of two trees; a node's row count gives the kind of its cores.
pub(super) struct Swept<'a> {
    rows: [(&'a [LaneRow], SweptLayout); 2],
}

/// `None` unless the model has a tree with such cores.
fn tree<'a>(model: &'a Model<'a>, cores: Cores) -> Option<(PairTree<'a>, (&'a [LaneRow], SweptLayout))> {
    let (tree, layout) = model.sections().swept_tree().filter(|(_, layout)| layout.cores == cores)?;
    let rows = tree.rows.get();
    let nodes = layout.most_nodes(rows.len());
    Some((PairTree::stored(model, (&tree.origin, tree.radius), layout.root(), nodes), (rows, layout)))
}

pub(super) fn open<'a, S: Kernel>(
    simd: S,
    [a, b]: [&'a Model<'a>; 2],
    pose: &Pose,
    cores: Cores,
) -> Result<Walkable<'a, Swept<'a>>, NoWalk> {
    let (Some((a, of_a)), Some((b, of_b))) = (tree(a, cores), tree(b, cores)) else {
        return Err(NoWalk::Missing);
    };
    let pose = RelativePose::new(simd, pose, a.frame(), b.frame());
    Ok(Walkable { trees: [a, b], volumes: Swept { rows: [of_a, of_b] }, pose })
}

impl<'a> Swept<'a> {
    #[inline(always)]
    fn open(&self, nodes: [u32; 2]) -> Option<[&'a [LaneRow]; 2]> {
        let [(of_a, layout_a), (of_b, layout_b)] = self.rows;
        Some([layout_a.node(of_a, nodes[0])?, layout_b.node(of_b, nodes[1])?])
    }
}

#[inline(always)]
fn children(node: &[LaneRow]) -> [u32; PAIR_WIDTH] {
    match node.get(Core::CHILDREN) {
        Some(row) => row.lanes.map(f32::to_bits),
        None => [PairRef::EMPTY.0; PAIR_WIDTH],
    }
}

/// The swept spheres of one side, one per lane, for as many pairs as a level tests at once.
struct Side<S: Kernel> {
    core: Core,
    centre: Vector<S>,
    radius: S::Pairs,
    /// Half axes; zero where the core has none.
    axes: [Vector<S>; 2],
}

/// Results for as many pairs.
struct Found<S: Kernel> {
    /// The squared separation of the cores.
    free2: S::Pairs,
    /// The squared distance of the centres.
    centres: S::Pairs,
}

impl<S: Kernel> Side<S> {
    /// B's slots repeated, transformed by the pose. `None` if the node lacks the rows, which does not happen.
    #[inline(always)]
    fn of_b(simd: S, b: &[LaneRow], pose: &RelativePose) -> Option<Self> {
        let core = Core::of_rows(b.len())?;
        let tile = |row: &LaneRow| simd.tile(&row.lanes);
        let [x, y, z] = vector(b, 0)?;
        let centre = [tile(x), tile(y), tile(z)];
        let mut side = Self {
            core,
            centre: transform(simd, &centre, pose.rotation(), pose.translation()),
            radius: tile(b.get(Core::RADIUS)?),
            axes: nothing(simd),
        };
        for (index, axis) in side.axes.iter_mut().enumerate().take(core.axes()) {
            let [x, y, z] = vector(b, Core::AXES + 3 * index)?;
            *axis = transform(simd, &[tile(x), tile(y), tile(z)], pose.rotation(), &[0.0; 3]);
        }
        Some(side)
    }

    /// A's slots from `row` on.
    #[inline(always)]
    fn of_a(simd: S, a: &[LaneRow], row: usize) -> Option<Self> {
        let core = Core::of_rows(a.len())?;
        let spread = |of: &LaneRow| simd.spread(&of.lanes, row);
        let [x, y, z] = vector(a, 0)?;
        let mut side = Self {
            core,
            centre: [spread(x), spread(y), spread(z)],
            radius: spread(a.get(Core::RADIUS)?),
            axes: nothing(simd),
        };
        for (index, axis) in side.axes.iter_mut().enumerate().take(core.axes()) {
            let [x, y, z] = vector(a, Core::AXES + 3 * index)?;
            *axis = [spread(x), spread(y), spread(z)];
        }
        Some(side)
    }

    /// Two kinds of cores are compared as the higher-dimensional one: the other has half axes of zero.
    #[inline(always)]
    fn compare(simd: S, a: &Self, b: &Self) -> Found<S> {
        let t = sub::<S>(&b.centre, &a.centre);
        let centres = dot::<S>(&t, &t);
        let ([u, v], [p, q]) = (&a.axes, &b.axes);
        let free2 = match a.core.max(b.core) {
            Core::Point => centres,
            Core::Line => free2(simd, &between_lines(simd, &t, u, p), &t, [u, p]),
            Core::Rectangle => {
                let axes = [u, v, p, q];
                let near = free2(simd, &between_rectangles(simd, &t, axes), &t, axes);
                let of_a = free2(simd, &cross::<S>(u, v), &t, axes);
                near.max(of_a.max(free2(simd, &cross::<S>(p, q), &t, axes)))
            }
        };
        Found { free2, centres }
    }
}

impl<S: Kernel> Volumes<S> for Swept<'_> {
    #[inline(always)]
    fn overlaps(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
    ) -> Option<Opened<Overlaps>> {
        let [a, b] = self.open(nodes)?;
        Some(Opened { children: [children(a), children(b)], found: overlaps(simd, a, b, pose, pairs) })
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
        Some(Opened { children: [children(a), children(b)], found })
    }
}

#[inline(always)]
fn overlaps<S: Kernel>(simd: S, a: &[LaneRow], b: &[LaneRow], pose: &RelativePose, pairs: u32) -> Overlaps {
    let mut found = Overlaps::NONE;
    let Some(b) = Side::of_b(simd, b, pose) else { return found };
    let slack = S::Pairs::splat(simd, pose.slack());
    let size_b = size(&b);
    for first in (0..PAIRS).step_by(lanes::<S>()) {
        let of_step = pairs >> first & ((1u32 << lanes::<S>()) - 1);
        if of_step == 0 {
            continue;
        }
        let Some(a) = Side::of_a(simd, a, first / PAIR_WIDTH) else { return found };
        let apart = Side::compare(simd, &a, &b).free2.sqrt() - (a.radius + b.radius);
        let depths = apart * size(&a).min(size_b).approximate_recip();
        depths.store_slice(&mut found.depths[first..first + lanes::<S>()]);
        // NaN counts as near.
        let beyond = apart.simd_gt(slack).to_bitmask() as u32;
        found.pairs |= (!beyond & of_step) << first;
    }
    found
}

#[inline(always)]
fn lower_bounds<S: Kernel>(
    simd: S,
    a: &[LaneRow],
    b: &[LaneRow],
    pose: &RelativePose,
    pairs: u32,
    limit2: f32,
) -> LowerBounds {
    let mut found = LowerBounds::NONE;
    let Some(b) = Side::of_b(simd, b, pose) else { return found };
    let radius_b = b.radius + S::Pairs::splat(simd, pose.slack());
    for first in (0..PAIRS).step_by(lanes::<S>()) {
        let of_step = pairs >> first & ((1u32 << lanes::<S>()) - 1);
        if of_step == 0 {
            continue;
        }
        let Some(a) = Side::of_a(simd, a, first / PAIR_WIDTH) else { return found };
        let Found { free2, centres } = Side::compare(simd, &a, &b);
        let bound = (free2.sqrt() - (a.radius + radius_b)).max(S::Pairs::splat(simd, 0.0));
        let square = bound * bound * S::Pairs::splat(simd, ROUNDED);
        // NaN counts as near.
        let beyond = square.simd_gt(S::Pairs::splat(simd, limit2)).to_bitmask() as u32;
        found.pairs |= (!beyond & of_step) << first;
        square.store_slice(&mut found.squares[first..first + lanes::<S>()]);
        centres.store_slice(&mut found.centres[first..first + lanes::<S>()]);
    }
    found
}

/// The rows of a vector.
#[inline(always)]
fn vector(node: &[LaneRow], first: usize) -> Option<[&LaneRow; 3]> {
    Some([node.get(first)?, node.get(first + 1)?, node.get(first + 2)?])
}

#[inline(always)]
fn nothing<S: Kernel>(simd: S) -> [Vector<S>; 2] {
    [[S::Pairs::splat(simd, 0.0); 3]; 2]
}

/// Approximate size of a swept sphere, to order the walk.
#[inline(always)]
fn size<S: Kernel>(of: &Side<S>) -> S::Pairs {
    let [[a, b, c], _] = of.axes;
    of.radius + a.abs().max(b.abs().max(c.abs()))
}

/// The squared separation along `d` of cores with these half axes, whose centres are `t` apart.
#[inline(always)]
fn free2<S: Kernel, const AXES: usize>(
    simd: S,
    d: &Vector<S>,
    t: &Vector<S>,
    axes: [&Vector<S>; AXES],
) -> S::Pairs {
    let mut free = dot::<S>(d, t).abs();
    for axis in axes {
        free -= dot::<S>(d, axis).abs();
    }
    let free = free.max(S::Pairs::splat(simd, 0.0));
    // The quotient comes first: it cannot overflow.
    free / dot::<S>(d, d).max(S::Pairs::splat(simd, LEAST)) * free
}

/// Approximate reciprocal of a squared length.
#[inline(always)]
fn inverse<S: Kernel>(simd: S, square: S::Pairs) -> S::Pairs {
    square.max(S::Pairs::splat(simd, LEAST)).approximate_recip()
}

#[inline(always)]
fn clamped<S: Kernel>(simd: S, x: S::Pairs) -> S::Pairs {
    x.max(S::Pairs::splat(simd, -1.0)).min(S::Pairs::splat(simd, 1.0))
}

/// The vector between the nearest points of the line u and of the line p, which is `t` away.
///
/// Based on: Ericson, "Real-Time Collision Detection", 2005, section 5.1.9.
#[inline(always)]
fn between_lines<S: Kernel>(simd: S, t: &Vector<S>, u: &Vector<S>, p: &Vector<S>) -> Vector<S> {
    let (uu, pp, up) = (dot::<S>(u, u), dot::<S>(p, p), dot::<S>(u, p));
    let (ut, pt) = (dot::<S>(u, t), dot::<S>(p, t));
    // Any starting point will do where a line is a point, or both are parallel.
    let x = clamped(simd, (ut * pp - pt * up) * inverse(simd, uu * pp - up * up));
    let y = clamped(simd, (up * x - pt) * inverse(simd, pp));
    let x = clamped(simd, (up * y + ut) * inverse(simd, uu));
    along::<S>(&along::<S>(t, p, y), u, -x)
}

/// The vector between points of the rectangle with the half axes u and v and of that with p and q, `t` away: close to
/// the nearest points, found by projecting alternately to either rectangle.
#[inline(always)]
fn between_rectangles<S: Kernel>(simd: S, t: &Vector<S>, [u, v, p, q]: [&Vector<S>; 4]) -> Vector<S> {
    let (ut, vt, pt, qt) = (dot::<S>(u, t), dot::<S>(v, t), dot::<S>(p, t), dot::<S>(q, t));
    let (up, uq) = (dot::<S>(u, p), dot::<S>(u, q));
    let (vp, vq) = (dot::<S>(v, p), dot::<S>(v, q));
    let (uu, vv) = (inverse(simd, dot::<S>(u, u)), inverse(simd, dot::<S>(v, v)));
    let (pp, qq) = (inverse(simd, dot::<S>(p, p)), inverse(simd, dot::<S>(q, q)));
    let nowhere = S::Pairs::splat(simd, 0.0);
    let (mut x, mut y, mut z, mut w) = (nowhere, nowhere, nowhere, nowhere);
    for _ in 0..ROUNDS {
        x = clamped(simd, up.mul_add(z, uq.mul_add(w, ut)) * uu);
        y = clamped(simd, vp.mul_add(z, vq.mul_add(w, vt)) * vv);
        z = clamped(simd, up.mul_add(x, vp.mul_sub(y, pt)) * pp);
        w = clamped(simd, uq.mul_add(x, vq.mul_sub(y, qt)) * qq);
    }
    let of_b = along::<S>(&along::<S>(t, p, z), q, w);
    along::<S>(&along::<S>(&of_b, u, -x), v, -y)
}

/// `from + by * v`
#[inline(always)]
fn along<S: Kernel>(from: &Vector<S>, v: &Vector<S>, by: S::Pairs) -> Vector<S> {
    [by.mul_add(v[0], from[0]), by.mul_add(v[1], from[1]), by.mul_add(v[2], from[2])]
}
