//! Nodes with tables: one child per lane, and one slab at a time.
//!
//! # Why k-DOPs that touch are never separated
//!
//! u is 2^-24, c a slot's centre, e its largest extent. M is the sum of the trees' radii rA and rB (at least |c| + e,
//! by K5) and of the distance |T| of their origins (the sum of its coordinates' magnitudes). For a direction D of A and
//! a corner p in A's slot:
//!
//! - D p <= D c + extent. With D rounded to f32, the product with c is wrong by at most 5 u |c|, fused or not; adding
//!   the extent makes it 6 u rA at most.
//! - For a corner q of B's slot at R q + T, D (R q + T) <= D T + (R^T D) c + H, where H bounds (R^T D)(q - c).
//!   `realign` inflates the weights enough to cover the rounding of H (see there), and the f64 errors of the weights
//!   are below u M. The product with c is wrong by 5 u |c|, D T by 3 u |T|, and their sum by u (|c| + |T|) more. H is
//!   at most 2.8 rB, so adding it rounds by u (3.8 rB + |T|).
//! - The comparison rounds by u (rA + 3.8 rB + |T|).
//!
//! That is less than 16 u M in all; [`SLACK`](super::SLACK) times M is twice as much. A node without tables has bounds
//! from its tree's origin, of up to half its radius, instead of extents, and no centre: then nothing is rounded for A,
//! less than 3 u rB for B in the sum of products ([`lists`](super::lists)), and M includes its radius.

use bvhc_format::kdop::{KdopLayout, LaneRow, MAX_SLABS, REGIONS};
use bvhc_format::obb::PAIR_WIDTH;
use fearless_simd::{SimdBase, SimdFloat, SimdMask, f32x4};

use super::realign::{ROOM, Realign, Vectors, round_up};
use crate::pair::lanes::lanes;
use crate::pair::sets::PAIRS;
use crate::pair::volumes::{LowerBounds, Overlaps, ROUNDED};
use crate::simd::Kernel;

/// A slab of A's, and how B's extents along it are found.
#[derive(Clone, Copy)]
struct Slab {
    /// The direction.
    of_a: [f32; 3],
    /// The direction in B's space.
    of_b: [f32; 3],
    /// The dot product of the direction and the translation between the origins.
    along: f32,
    weights: [f32; 3],
    /// Directions of B, for the direction and for its opposite: three, or the nearest.
    stored: [[u8; 3]; 2],
}

impl Slab {
    const NONE: Self =
        Self { of_a: [0.0; 3], of_b: [0.0; 3], along: 0.0, weights: [0.0; 3], stored: [[0; 3]; 2] };
}

/// All slabs of A's.
pub(crate) struct Slabs {
    slabs: [Slab; MAX_SLABS],
    layouts: [KdopLayout; 2],
    realign: Realign,
    slack: f32,
}

impl Slabs {
    /// For A's directions rotated into B's space, and the offset of the origins along them.
    #[inline(always)]
    pub(super) fn new<S: Kernel>(
        simd: S,
        [of_a, of_b]: [&KdopLayout; 2],
        turned: &Vectors,
        along: &[f64; ROOM],
        slack: f32,
        realign: Realign,
    ) -> Self {
        let mut all = Self { slabs: [Slab::NONE; MAX_SLABS], layouts: [*of_a, *of_b], realign, slack };
        let of_three = realign.has_triples().then(|| realign.triples(simd, of_b.directions, turned));
        for (index, (slab, unit)) in
            all.slabs.iter_mut().zip(of_a.directions.units()).take(turned.count).enumerate()
        {
            let of_b = turned.get(index);
            (slab.weights, slab.stored) = match &of_three {
                Some(triples) => (round_up(triples.weights(index)), triples.directions(index)),
                None => {
                    let set = all.layouts[1].directions;
                    let (weights, nearest) = realign.shell(simd, set, of_b);
                    (weights, [[nearest as u8; 3], [set.opposite(nearest) as u8; 3]])
                }
            };
            slab.of_a = [unit[0] as f32, unit[1] as f32, unit[2] as f32];
            slab.of_b = [of_b[0] as f32, of_b[1] as f32, of_b[2] as f32];
            slab.along = along[index % ROOM] as f32;
        }
        all
    }

    /// Implements [`Realign::extents`].
    #[inline(always)]
    pub(super) fn extents<S: Kernel>(
        simd: S,
        realign: Realign,
        layout: &KdopLayout,
        node: &[LaneRow],
        turned: [f64; 3],
    ) -> Option<[[f32; PAIR_WIDTH]; 2]> {
        let mut along = [[0.0; ROOM]; 3];
        (0..3).for_each(|axis| along[axis][0] = turned[axis]);
        let slabs = Self::new(simd, [layout; 2], &Vectors { along, count: 1 }, &[0.0; ROOM], 0.0, realign);
        let slab = &slabs.slabs[0];
        Some([slabs.realigned(simd, slab, node, 0)?.into(), slabs.realigned(simd, slab, node, 1)?.into()])
    }

    /// Upper bounds of how far B's children extend along a slab's direction or along its opposite, from their centres
    /// or from the origin. `None` if B lacks the rows, which does not happen.
    #[inline(always)]
    fn realigned<S: Kernel>(&self, simd: S, slab: &Slab, b: &[LaneRow], side: usize) -> Option<f32x4<S>> {
        let [i, j, k] = slab.stored[side];
        let [v, w, u] = slab.weights;
        let (v, w, u) = (f32x4::splat(simd, v), f32x4::splat(simd, w), f32x4::splat(simd, u));
        let layout = &self.layouts[1];
        let first = extent(simd, layout, b, i)?;
        let shell = layout.shell(i.into(), 0).row;
        Some(match self.realign {
            Realign::Axes | Realign::Triples | Realign::Hull => {
                let (second, third) = (extent(simd, layout, b, j)?, extent(simd, layout, b, k)?);
                first.mul_add(v, second.mul_add(w, third * u))
            }
            Realign::Profile => first.mul_add(v, row(simd, b, shell)? * w),
            Realign::Occupancy => {
                let [p, q, r, s] = b.get(layout.rings(i.into(), 0).row)?.lanes;
                let tangents: &[f32; REGIONS] = &layout.directions.ring_tangents;
                let t = |bits: f32| tangents[(bits.to_bits() | 1).ilog2() as usize % REGIONS];
                let rings = f32x4::from_slice(simd, &[t(p), t(q), t(r), t(s)]);
                let factor = rings.mul_add(w, v).max(f32x4::splat(simd, 1.0));
                (first * factor).max(row(simd, b, shell)? * u)
            }
        })
    }

    /// Which child pairs no slab separates, and their depths: the largest separation over the lesser of the two
    /// children's sums of widths.
    #[inline(always)]
    pub(super) fn overlaps<S: Kernel>(
        &self,
        simd: S,
        a: &[LaneRow],
        b: &[LaneRow],
        pairs: u32,
    ) -> Option<Overlaps> {
        let Comparison { apart, sizes: [size_a, size_b] } = self.compare(simd, a, b)?;
        let size_b = simd.tile(&size_b);
        let slack = S::Pairs::splat(simd, self.slack);
        let mut found = Overlaps::NONE;
        for first in (0..PAIRS).step_by(lanes::<S>()) {
            let (apart, size_a) = (apart[first / lanes::<S>()], simd.spread(&size_a, first / PAIR_WIDTH));
            let depths = apart * size_a.min(size_b).approximate_recip();
            depths.store_slice(&mut found.depths[first..first + lanes::<S>()]);
            found.pairs |= (apart.simd_le(slack).to_bitmask() as u32) << first & pairs;
        }
        Some(found)
    }

    /// Lower bounds of the distances of child pairs: the largest separation along a slab, less the slack. See
    /// [`lists`](super::lists) for the proof, and [`LowerBounds`].
    #[inline(always)]
    pub(super) fn lower_bounds<S: Kernel>(
        &self,
        simd: S,
        a: &[LaneRow],
        b: &[LaneRow],
        pairs: u32,
        limit2: f32,
    ) -> Option<LowerBounds> {
        let Comparison { apart, sizes: [size_a, size_b] } = self.compare(simd, a, b)?;
        let size_b = simd.tile(&size_b);
        let mut found = LowerBounds::NONE;
        let nothing = S::Pairs::splat(simd, 0.0);
        for first in (0..PAIRS).step_by(lanes::<S>()) {
            let (apart, size_a) = (apart[first / lanes::<S>()], simd.spread(&size_a, first / PAIR_WIDTH));
            let free = (apart - S::Pairs::splat(simd, self.slack)).max(nothing);
            let squares = free * free * S::Pairs::splat(simd, ROUNDED);
            let between = (apart + size_a.min(size_b)).max(nothing);
            let range = first..first + lanes::<S>();
            // NaN counts as near.
            let beyond = squares.simd_gt(S::Pairs::splat(simd, limit2)).to_bitmask() as u32;
            found.pairs |= !(beyond << first) & pairs & ((1 << lanes::<S>()) - 1) << first;
            squares.store_slice(&mut found.squares[range.clone()]);
            (between * between).store_slice(&mut found.centres[range]);
        }
        Some(found)
    }

    /// The largest separation of each child pair along a direction; and the sums of the widths of A's and of B's
    /// children. A separate call, compiled for the level.
    #[inline(always)]
    fn compare<S: Kernel>(&self, simd: S, a: &[LaneRow], b: &[LaneRow]) -> Option<Comparison<S>> {
        simd.vectorize(
            #[inline(always)]
            || {
                let [of_a, of_b] = &self.layouts;
                let (centres_a, centres_b) = (centres(simd, of_a, a)?, centres(simd, of_b, b)?);
                let nothing = f32x4::splat(simd, 0.0);
                let (mut size_a, mut size_b) = (nothing, nothing);
                let mut apart = [S::Pairs::splat(simd, f32::NEG_INFINITY); PAIRS / PAIR_WIDTH];
                let count = of_a.directions.slabs();
                for (index, slab) in self.slabs[..count].iter().enumerate() {
                    let centre_a = along(simd, &slab.of_a, &centres_a, 0.0);
                    let high_a = centre_a + extent(simd, of_a, a, index as u8)?;
                    let low_a = centre_a - extent(simd, of_a, a, (index + count) as u8)?;
                    let centre_b = along(simd, &slab.of_b, &centres_b, slab.along);
                    let high_b = centre_b + self.realigned(simd, slab, b, 0)?;
                    let low_b = centre_b - self.realigned(simd, slab, b, 1)?;
                    size_a += high_a - low_a;
                    size_b += high_b - low_b;
                    let (high_a, low_a): ([f32; 4], [f32; 4]) = (high_a.into(), low_a.into());
                    let (high_b, low_b) = (simd.tile(&high_b.into()), simd.tile(&low_b.into()));
                    for first in (0..PAIRS).step_by(lanes::<S>()) {
                        let (row, apart) = (first / PAIR_WIDTH, &mut apart[first / lanes::<S>()]);
                        let above = low_b - simd.spread(&high_a, row);
                        let below = simd.spread(&low_a, row) - high_b;
                        *apart = apart.max(above.max(below));
                    }
                }
                Some(Comparison { apart, sizes: [size_a.into(), size_b.into()] })
            },
        )
    }
}

/// Result of comparing two nodes.
struct Comparison<S: Kernel> {
    /// One vector per step of the level, in order.
    apart: [S::Pairs; PAIRS / PAIR_WIDTH],
    sizes: [[f32; PAIR_WIDTH]; 2],
}

#[cfg(test)]
impl Slabs {
    /// Upper bounds of how far B's children extend along each of A's directions and its opposite, from their centres.
    pub(super) fn all_extents<S: Kernel>(
        &self,
        simd: S,
        b: &[LaneRow],
    ) -> Option<std::vec::Vec<[[f64; 4]; 2]>> {
        let of = |slab, side| {
            let extents: [f32; 4] = self.realigned(simd, slab, b, side)?.into();
            Some(extents.map(f64::from))
        };
        let slabs = self.slabs[..self.layouts[0].directions.slabs()].iter();
        slabs.map(|slab| Some([of(slab, 0)?, of(slab, 1)?])).collect()
    }
}

#[inline(always)]
fn row<S: Kernel>(simd: S, node: &[LaneRow], row: usize) -> Option<f32x4<S>> {
    Some(f32x4::from_slice(simd, &node.get(row)?.lanes))
}

/// The extents or the bounds of a node's children along a direction.
#[inline(always)]
fn extent<S: Kernel>(simd: S, layout: &KdopLayout, node: &[LaneRow], direction: u8) -> Option<f32x4<S>> {
    if layout.has_tables() {
        return row(simd, node, layout.extent(direction.into(), 0).row);
    }
    let of = |slot| layout.extent(direction.into(), slot).of(node);
    Some(f32x4::from_slice(simd, &[of(0)?, of(1)?, of(2)?, of(3)?]))
}

/// The points that the children's extents or bounds are measured from.
#[inline(always)]
fn centres<S: Kernel>(simd: S, layout: &KdopLayout, node: &[LaneRow]) -> Option<[f32x4<S>; 3]> {
    if layout.has_tables() {
        Some([row(simd, node, 0)?, row(simd, node, 1)?, row(simd, node, 2)?])
    } else {
        Some([f32x4::splat(simd, 0.0); 3])
    }
}

/// Dot products of a direction and the centres, plus `more`.
#[inline(always)]
fn along<S: Kernel>(simd: S, [x, y, z]: &[f32; 3], centres: &[f32x4<S>; 3], more: f32) -> f32x4<S> {
    let (x, y, z) = (f32x4::splat(simd, *x), f32x4::splat(simd, *y), f32x4::splat(simd, *z));
    let last = z.mul_add(centres[2], f32x4::splat(simd, more));
    x.mul_add(centres[0], y.mul_add(centres[1], last))
}
