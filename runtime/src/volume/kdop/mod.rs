//! k-DOPs, four against four at a time: B's are realigned once a node, and sixteen pairs compared slab by slab.
//!
//! Based on: Klosowski, Held, Mitchell, Sowizral, Zikan, "Efficient collision detection using bounding volume hierarchies
//! of k-DOPs", 1998, and Fünzig, Fellner, "Easy realignment of k-DOP bounding volumes", 2003. Departures: sixteen pairs
//! at once, a lane each; the bounds of [`realign`], where the printed ones are wrong; A and B may have different sets of
//! directions, of which A's are tested.
//!
//! # Why no pair of k-DOPs that touch is told apart
//!
//! u is 2^-24, c a slot's centre, e its largest extent. M is the sum of the trees' radii rA and rB (at least |c| + e, by
//! K5) and of the distance |T| of their origins (the sum of its coordinates' magnitudes). For a direction D of A and a
//! corner p in A's slot:
//!
//! - D p <= D c + extent. With D rounded to f32, the product with c is wrong by at most 5 u |c|, fused or not; adding the
//!   extent makes it 6 u rA at most.
//! - For a corner q of B's slot at R q + T, D (R q + T) <= D T + (R^T D) c + H, where H bounds (R^T D)(q - c). `realign`
//!   has weights so much too large that the rounding of H is covered (see there) and the f64 errors of the weights are
//!   below u M. The product with c is wrong by 5 u |c|, D T by 3 u |T|, and their sum by u (|c| + |T|) more. H is at most
//!   2.8 rB, so adding it rounds by u (3.8 rB + |T|).
//! - The comparison rounds by u (rA + 3.8 rB + |T|).
//!
//! That is less than 16 u M in all. [`SLACK`] times M is twice as much. The pose itself moves corners in f64, which is
//! [`Motion::noise`] away from exact arithmetic at most.

mod realign;
#[cfg(test)]
mod tests;

use bvhc_format::kdop::{KdopLayout, KdopRow, MAX_SLABS, REGIONS};
use bvhc_format::obb::{OBB_WIDTH, ObbRef};
use fearless_simd::{SimdBase, SimdFloat, SimdMask, f32x4};

use super::Volume;
use super::obb::{Motion, Overlaps, PAIRS, lanes};
use crate::level::Level;
use crate::pair_tree::PairTree;
use crate::simd::{Kernel, dispatch};
pub use realign::Realign;

/// Slack of every direction, relative to M: 32 u.
const SLACK: f32 = 1.0 / (1 << 19) as f32;

/// A slab of A's, and how B's extents along it are found.
#[derive(Clone, Copy)]
struct Slab {
    /// The direction.
    of_a: [f32; 3],
    /// The same in B's space.
    of_b: [f32; 3],
    /// The direction times the translation between the origins.
    along: f32,
    weights: [f32; 3],
    /// Rows of B's nodes, for the direction and for the opposite one.
    rows: [[u32; 3]; 2],
}

impl Slab {
    const NONE: Self =
        Self { of_a: [0.0; 3], of_b: [0.0; 3], along: 0.0, weights: [0.0; 3], rows: [[0; 3]; 2] };
}

/// What turns bounds along B's directions to bounds along A's, and compares them.
pub(crate) struct Kdops {
    slabs: [Slab; MAX_SLABS],
    /// Slabs of A.
    count: usize,
    /// Of occupancy tables.
    tangents: Option<&'static [f32; REGIONS]>,
    slack: f32,
}

impl Kdops {
    /// For trees whose nodes are laid out and which reach so far, B at the pose of the motion between them, and a way to
    /// realign that can use B's nodes.
    #[inline(always)]
    pub(crate) fn new<S: Kernel>(
        simd: S,
        [of_a, of_b]: [&KdopLayout; 2],
        [radius_a, radius_b]: [f32; 2],
        motion: &Motion,
        realign: Realign,
    ) -> Self {
        let t = motion.translation();
        let reach = t[0].abs() + t[1].abs() + t[2].abs() + radius_a + radius_b;
        let mut kdops = Self {
            slabs: [Slab::NONE; MAX_SLABS],
            count: of_a.directions.slabs(),
            tangents: realign.tangents(of_b),
            slack: reach * SLACK + motion.noise(),
        };
        let rotation = motion.pose().rotation();
        for (slab, unit) in kdops.slabs.iter_mut().zip(&of_a.directions.units()[..kdops.count]) {
            let turned = |axis: usize| {
                rotation[0][axis] * unit[0] + rotation[1][axis] * unit[1] + rotation[2][axis] * unit[2]
            };
            let turned = [turned(0), turned(1), turned(2)];
            let (weights, rows) = realign.weigh(simd, of_b, turned);
            let along = unit[0] * f64::from(t[0]) + unit[1] * f64::from(t[1]) + unit[2] * f64::from(t[2]);
            *slab = Slab {
                of_a: [unit[0] as f32, unit[1] as f32, unit[2] as f32],
                of_b: [turned[0] as f32, turned[1] as f32, turned[2] as f32],
                along: along as f32,
                weights,
                rows,
            };
        }
        kdops
    }

    /// How far B's children reach along a slab's direction and along the opposite one, from their centres. `None` where B
    /// does not have the rows, which is nowhere.
    #[inline(always)]
    fn realigned<S: Kernel>(&self, simd: S, slab: &Slab, b: &[KdopRow], side: usize) -> Option<f32x4<S>> {
        let [i, j, k] = slab.rows[side];
        let (x, y, z) = (b.get(i as usize)?, b.get(j as usize)?, b.get(k as usize)?);
        let [v, w, u] = slab.weights;
        let (v, w, u) = (f32x4::splat(simd, v), f32x4::splat(simd, w), f32x4::splat(simd, u));
        let (x, y) = (lanes_of(simd, x), lanes_of(simd, y));
        Some(match self.tangents {
            None => x.mul_add(v, y.mul_add(w, lanes_of(simd, z) * u)),
            Some(tangents) => {
                let [p, q, r, s] = z.lanes;
                let t = |bits: f32| tangents[(bits.to_bits() | 1).ilog2() as usize % REGIONS];
                let rings = f32x4::from_slice(simd, &[t(p), t(q), t(r), t(s)]);
                let factor = rings.mul_add(w, v).max(f32x4::splat(simd, 1.0));
                (x * factor).max(y * u)
            }
        })
    }

    /// Of each pair of children, the largest separation along a direction; and the sums of the widths of A's and of B's.
    #[inline(always)]
    fn compare<S: Kernel>(&self, simd: S, a: &[KdopRow], b: &[KdopRow]) -> Option<Comparison<S>> {
        let (centres_a, extents) = (centres(simd, a)?, a.get(KdopLayout::EXTENTS..)?);
        let (centres_b, opposite) = (centres(simd, b)?, extents.get(self.count..)?);
        let nothing = f32x4::splat(simd, 0.0);
        let (mut size_a, mut size_b) = (nothing, nothing);
        let mut apart = [S::Pairs::splat(simd, f32::NEG_INFINITY); PAIRS / OBB_WIDTH];
        let extents = extents.get(..self.count)?.iter().zip(opposite);
        for (slab, (extent, opposite)) in self.slabs.iter().zip(extents) {
            let of_a = along(simd, &slab.of_a, &centres_a, 0.0);
            let (high_a, low_a) = (of_a + lanes_of(simd, extent), of_a - lanes_of(simd, opposite));
            let of_b = along(simd, &slab.of_b, &centres_b, slab.along);
            let high_b = of_b + self.realigned(simd, slab, b, 0)?;
            let low_b = of_b - self.realigned(simd, slab, b, 1)?;
            size_a += high_a - low_a;
            size_b += high_b - low_b;
            let (high_a, low_a): ([f32; 4], [f32; 4]) = (high_a.into(), low_a.into());
            let (high_b, low_b) = (simd.tile(&high_b.into()), simd.tile(&low_b.into()));
            for first in (0..PAIRS).step_by(lanes::<S>()) {
                let (row, apart) = (first / OBB_WIDTH, &mut apart[first / lanes::<S>()]);
                let above = low_b - simd.spread(&high_a, row);
                let below = simd.spread(&low_a, row) - high_b;
                *apart = apart.max(above.max(below));
            }
        }
        Some(Comparison { apart, sizes: [size_a.into(), size_b.into()] })
    }
}

impl Realign {
    /// How far the corners in a node's slots reach from their centres along `turned`, a unit vector, and along the opposite
    /// one, at most: what walks take them to, to be compared with what they do. `None` where the node does not have what
    /// it takes.
    #[doc(hidden)]
    pub fn reaches(
        self,
        level: Level,
        layout: &KdopLayout,
        node: &[KdopRow],
        turned: [f64; 3],
    ) -> Option<[[f32; OBB_WIDTH]; 2]> {
        self.can_use(layout)
            .then(|| dispatch!(level.inner(), simd => self.reaches_in(simd, layout, node, turned)))?
    }

    #[inline(always)]
    fn reaches_in<S: Kernel>(
        self,
        simd: S,
        layout: &KdopLayout,
        node: &[KdopRow],
        turned: [f64; 3],
    ) -> Option<[[f32; OBB_WIDTH]; 2]> {
        let (weights, rows) = self.weigh(simd, layout, turned);
        let slab = Slab { weights, rows, ..Slab::NONE };
        let kdops =
            Kdops { slabs: [Slab::NONE; MAX_SLABS], count: 0, tangents: self.tangents(layout), slack: 0.0 };
        Some([kdops.realigned(simd, &slab, node, 0)?.into(), kdops.realigned(simd, &slab, node, 1)?.into()])
    }
}

/// What is found of two nodes.
struct Comparison<S: Kernel> {
    /// As many as a step of the level tests, one after the other.
    apart: [S::Pairs; PAIRS / OBB_WIDTH],
    sizes: [[f32; OBB_WIDTH]; 2],
}

#[inline(always)]
fn lanes_of<S: Kernel>(simd: S, row: &KdopRow) -> f32x4<S> {
    f32x4::from_slice(simd, &row.lanes)
}

#[inline(always)]
fn centres<S: Kernel>(simd: S, node: &[KdopRow]) -> Option<[f32x4<S>; 3]> {
    let [x, y, z, ..] = node else { return None };
    Some([lanes_of(simd, x), lanes_of(simd, y), lanes_of(simd, z)])
}

/// A direction times the centres, and more.
#[inline(always)]
fn along<S: Kernel>(simd: S, [x, y, z]: &[f32; 3], centres: &[f32x4<S>; 3], more: f32) -> f32x4<S> {
    let (x, y, z) = (f32x4::splat(simd, *x), f32x4::splat(simd, *y), f32x4::splat(simd, *z));
    let last = z.mul_add(centres[2], f32x4::splat(simd, more));
    x.mul_add(centres[0], y.mul_add(centres[1], last))
}

impl Volume for Kdops {
    type Node = [KdopRow];
    type Room = ();

    #[inline(always)]
    fn room() {}

    #[inline(always)]
    fn node<'b>(tree: &PairTree<'b>, id: u32, _: &'b mut ()) -> Option<&'b [KdopRow]> {
        tree.kdop_node(id)
    }

    #[inline(always)]
    fn child(node: &[KdopRow], slot: usize) -> u32 {
        match node.get(KdopLayout::CHILDREN) {
            Some(row) => row.lanes[slot % OBB_WIDTH].to_bits(),
            None => ObbRef::EMPTY.0,
        }
    }

    #[inline(always)]
    fn overlaps<S: Kernel>(&self, simd: S, a: &[KdopRow], b: &[KdopRow], _: &Motion, pairs: u32) -> Overlaps {
        let mut found = Overlaps { pairs: 0, depths: [0.0; PAIRS] };
        let Some(Comparison { apart, sizes: [size_a, size_b] }) = self.compare(simd, a, b) else {
            return found;
        };
        let (slack, size_b) = (S::Pairs::splat(simd, self.slack), simd.tile(&size_b));
        for first in (0..PAIRS).step_by(lanes::<S>()) {
            let (apart, size_a) = (apart[first / lanes::<S>()], simd.spread(&size_a, first / OBB_WIDTH));
            let depths = apart * size_a.min(size_b).approximate_recip();
            depths.store_slice(&mut found.depths[first..first + lanes::<S>()]);
            found.pairs |= (apart.simd_le(slack).to_bitmask() as u32) << first & pairs;
        }
        found
    }
}
