//! Oriented boxes, four against four at a time.
//!
//! Based on: Gottschalk, Lin, Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection", 1996,
//! section 5, the fifteen axes. Departures: sixteen pairs at once, one per lane; orientations are quaternions; a slack
//! proven to cover the rounding replaces the constant added to the rotation's entries.
//!
//! # Why boxes that touch are never separated
//!
//! u is 2^-24. Let two boxes with half extents hA and hB have a point in common, s be the sum of all six half extents,
//! and M the sum of a bound on the distances of boxes from their trees' origins and of the distance of the origins.
//! Then:
//!
//! - The centres are at most s apart, so that the rounding of rotations changes their offset t by an amount relative to
//!   s.
//! - A transformed centre is R c + T, from numbers rounded once, in six roundings: wrong by 14 u M at most, on each
//!   axis.
//! - Quaternions are unit vectors within 4 u (FORMAT.md). After two products and the conversion to a matrix, entries
//!   are wrong by at most 200 u. Rotating t by a quaternion adds 28 u s.
//! - On a face axis of A, |t| is therefore wrong by 24 u M + 28 u s; on one of B by 42 u M + 400 u s; on an axis along
//!   two edges by 48 u M + 456 u s. The boxes' radii are wrong by less than 250 u s, and subtracting them term by term
//!   adds 8 u s.
//!
//! So [`SLACK_SIZE`] times s and `SLACK_MAGNITUDE` times M together cover all of it, with as much again of M left for the
//! rounding of the comparison.

use bvhc_format::obb::{ObbNode, PAIR_WIDTH};
use fearless_simd::{SimdBase, SimdFloat, SimdMask};

use super::obb_bounds::lower_bounds;
use crate::pair::lanes::{
    Matrix, Quaternion, Vector, absolute, column, dot, for_each_vector, lanes, matrix, neg_mul_add, product,
    relative, rotate_inverse, spread, sub, sub_dot, tile, transform,
};
use crate::pair::relative_pose::RelativePose;
use crate::pair::sets::PAIRS;
use crate::pair::tree::obb::ObbNodes;
use crate::pair::volumes::{LowerBounds, Opened, Overlaps, Side, Volumes};
use crate::simd::Kernel;

/// Slack of every axis, relative to the sum of the half extents: 1024 u.
pub(crate) const SLACK_SIZE: f32 = 1.0 / (1 << 14) as f32;

/// Weight of the centres' offset in depths. (Measured in steps to a pair that meets: on average 6 % fewer than without
/// it; twice the weight is no better.)
const CENTRES: f32 = 0.05;

/// How many times as large the largest child of one node has to be as that of the other for the walk to open only the former. If it always
/// opens both, it arrives at the leaves of a small mesh while the boxes of a large one are still larger than the whole small one: a rock
/// against districts of a town took 4.6 us instead of 3.1.
const MUCH_LARGER: f32 = 3.0;

/// The oriented boxes of two trees.
pub(crate) struct Obb<'a> {
    nodes: [ObbNodes<'a>; 2],
    scratch: [Option<ObbNode>; 2],
    /// Whether overlap depths are wanted.
    ranks: bool,
}

impl<'a> Obb<'a> {
    #[inline(always)]
    pub(crate) fn new(nodes: [ObbNodes<'a>; 2], ranks: bool) -> Self {
        Self { nodes, scratch: [None, None], ranks }
    }

    /// Whether overlap depths are wanted.
    pub(super) fn ranks(&self) -> bool {
        self.ranks
    }

    #[inline(always)]
    pub(super) fn open(&mut self, [a, b]: [u32; 2]) -> Option<[&ObbNode; 2]> {
        let [scratch_a, scratch_b] = &mut self.scratch;
        Some([self.nodes[0].get(a, scratch_a)?, self.nodes[1].get(b, scratch_b)?])
    }
}

impl<S: Kernel> Volumes<S> for Obb<'_> {
    #[inline(always)]
    fn overlaps(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
    ) -> Option<Opened<Overlaps>> {
        let ranks = self.ranks;
        let [a, b] = self.open(nodes)?;
        Some(overlaps_of(simd, a, b, pose, pairs, ranks))
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
        Some(lower_bounds_of(simd, a, b, pose, pairs, limit2))
    }
}

/// What [`Volumes::overlaps`] returns for these nodes.
#[inline(always)]
pub(super) fn overlaps_of<S: Kernel>(
    simd: S,
    a: &ObbNode,
    b: &ObbNode,
    pose: &RelativePose,
    pairs: u32,
    ranks: bool,
) -> Opened<Overlaps> {
    let mut found = overlaps(simd, a, b, pose, pairs, ranks);
    if found.pairs != 0 {
        found.larger = larger(a, b);
    }
    Opened { children: [a.children, b.children], found }
}

/// Whose largest child is much larger.
#[inline(always)]
fn larger(a: &ObbNode, b: &ObbNode) -> Option<Side> {
    let [of_a, of_b] = [largest(a), largest(b)];
    if of_a > MUCH_LARGER * of_b {
        Some(Side::A)
    } else if of_b > MUCH_LARGER * of_a {
        Some(Side::B)
    } else {
        None
    }
}

/// The largest sum of a child's half extents. Empty slots have negative ones.
#[inline(always)]
fn largest(node: &ObbNode) -> f32 {
    let [x, y, z] = &node.half_extents;
    let of = [0, 1, 2, 3].map(|slot: usize| x[slot] + y[slot] + z[slot]);
    of[0].max(of[1]).max(of[2].max(of[3]))
}

/// What [`Volumes::lower_bounds`] returns for these nodes.
#[inline(always)]
pub(super) fn lower_bounds_of<S: Kernel>(
    simd: S,
    a: &ObbNode,
    b: &ObbNode,
    pose: &RelativePose,
    pairs: u32,
    limit2: f32,
) -> Opened<LowerBounds> {
    let found = lower_bounds(simd, a, b, pose, pairs, limit2);
    Opened { children: [a.children, b.children], found }
}

/// Which of these child pairs of A's and B's nodes may overlap.
#[inline(always)]
fn overlaps<S: Kernel>(
    simd: S,
    a: &ObbNode,
    b: &ObbNode,
    pose: &RelativePose,
    pairs: u32,
    ranks: bool,
) -> Overlaps {
    let mut found = Overlaps::NONE;
    let all = (1u32 << lanes::<S>()) - 1;
    let b = ChildrenOfB::new(simd, b, pose);
    for_each_vector::<S>(
        #[inline(always)]
        |first| {
            let (row, pairs) = (first / PAIR_WIDTH, pairs >> first & all);
            if pairs == 0 {
                return;
            }
            let (t, r) = b.seen_from(simd, a, row);
            let s = absolute::<S>(&r);
            let (ha, hb) = (spread(simd, &a.half_extents, row), b.half_extents);
            let (size_a, size_b) = (ha[0] + ha[1] + ha[2], b.size);
            let slack = (size_a + size_b)
                .mul_add(S::Pairs::splat(simd, SLACK_SIZE), S::Pairs::splat(simd, pose.slack()));
            let apart = faces_of_a::<S>(&t, &s, &ha, &hb).max(faces_of_b::<S>(&t, &r, &s, &ha, &hb));
            let pairs = pairs & apart.simd_le(slack).to_bitmask() as u32;
            if pairs == 0 {
                return;
            }
            let pairs = pairs & edges::<S>(&t, &r, &s, &ha, &hb).simd_le(slack).to_bitmask() as u32;
            found.pairs |= pairs << first;
            // A single pair needs no depth.
            if ranks && (lanes::<S>() < PAIRS || pairs & pairs.wrapping_sub(1) != 0) {
                let off_centre = t[0].abs() + t[1].abs() + t[2].abs();
                let depth = off_centre.mul_add(S::Pairs::splat(simd, CENTRES), apart);
                let depths = depth * size_a.min(size_b).approximate_recip();
                depths.store_slice(&mut found.depths[first..first + lanes::<S>()]);
            }
        },
    );
    found
}

/// The largest separation on the three axes of A's box.
#[inline(always)]
fn faces_of_a<S: Kernel>(t: &Vector<S>, s: &Matrix<S>, ha: &Vector<S>, hb: &Vector<S>) -> S::Pairs {
    let x = sub_dot::<S>(t[0].abs() - ha[0], &s[0], hb);
    let y = sub_dot::<S>(t[1].abs() - ha[1], &s[1], hb);
    let z = sub_dot::<S>(t[2].abs() - ha[2], &s[2], hb);
    x.max(y).max(z)
}

/// The largest separation on the three axes of B's box.
#[inline(always)]
fn faces_of_b<S: Kernel>(
    t: &Vector<S>,
    r: &Matrix<S>,
    s: &Matrix<S>,
    ha: &Vector<S>,
    hb: &Vector<S>,
) -> S::Pairs {
    let x = sub_dot::<S>(dot::<S>(t, &column::<S>(r, 0)).abs() - hb[0], &column::<S>(s, 0), ha);
    let y = sub_dot::<S>(dot::<S>(t, &column::<S>(r, 1)).abs() - hb[1], &column::<S>(s, 1), ha);
    let z = sub_dot::<S>(dot::<S>(t, &column::<S>(r, 2)).abs() - hb[2], &column::<S>(s, 2), ha);
    x.max(y).max(z)
}

/// The largest separation on the nine axes perpendicular to an edge of each box, which are not unit vectors.
#[inline(always)]
fn edges<S: Kernel>(t: &Vector<S>, r: &Matrix<S>, s: &Matrix<S>, ha: &Vector<S>, hb: &Vector<S>) -> S::Pairs {
    let x = edge::<S>(t, r, s, ha, hb, [0, 0]).max(edge::<S>(t, r, s, ha, hb, [0, 1])).max(edge::<S>(
        t,
        r,
        s,
        ha,
        hb,
        [0, 2],
    ));
    let y = edge::<S>(t, r, s, ha, hb, [1, 0]).max(edge::<S>(t, r, s, ha, hb, [1, 1])).max(edge::<S>(
        t,
        r,
        s,
        ha,
        hb,
        [1, 2],
    ));
    let z = edge::<S>(t, r, s, ha, hb, [2, 0]).max(edge::<S>(t, r, s, ha, hb, [2, 1])).max(edge::<S>(
        t,
        r,
        s,
        ha,
        hb,
        [2, 2],
    ));
    x.max(y).max(z)
}

/// The separation on the axis perpendicular to A's axis i and B's axis j.
#[inline(always)]
fn edge<S: Kernel>(
    t: &Vector<S>,
    r: &Matrix<S>,
    s: &Matrix<S>,
    ha: &Vector<S>,
    hb: &Vector<S>,
    [i, j]: [usize; 2],
) -> S::Pairs {
    let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
    let distance = t[i2].mul_sub(r[i1][j], t[i1] * r[i2][j]).abs();
    let of_a = neg_mul_add::<S>(neg_mul_add::<S>(distance, ha[i1], s[i2][j]), ha[i2], s[i1][j]);
    neg_mul_add::<S>(neg_mul_add::<S>(of_a, hb[j1], s[i][j2]), hb[j2], s[i][j1])
}

/// The boxes of B's children in A's space, one after another in four lanes, repeated.
pub(super) struct ChildrenOfB<S: Kernel> {
    rotations: Quaternion<S>,
    centres: Vector<S>,
    pub(super) half_extents: Vector<S>,
    /// The sums of the half extents.
    pub(super) size: S::Pairs,
}

impl<S: Kernel> ChildrenOfB<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, b: &ObbNode, pose: &RelativePose) -> Self {
        let [x, y, z, w] = pose.quaternion();
        let (x, y) = (S::Pairs::splat(simd, x), S::Pairs::splat(simd, y));
        let (z, w) = (S::Pairs::splat(simd, z), S::Pairs::splat(simd, w));
        let q = [
            simd.tile(&b.rotation[0]),
            simd.tile(&b.rotation[1]),
            simd.tile(&b.rotation[2]),
            simd.tile(&b.rotation[3]),
        ];
        let half_extents = tile(simd, &b.half_extents);
        Self {
            rotations: product::<S>(&[x, y, z, w], &q),
            centres: transform(simd, &tile(simd, &b.centre), pose.rotation(), pose.translation()),
            half_extents,
            size: half_extents[0] + half_extents[1] + half_extents[2],
        }
    }

    /// Along the axes of the boxes of A's children from `row` on, each against all of B's: the offset of B's centre, and B's axes
    /// as columns.
    #[inline(always)]
    pub(super) fn seen_from(&self, simd: S, a: &ObbNode, row: usize) -> (Vector<S>, Matrix<S>) {
        let [x, y, z, w] = &a.rotation;
        let p = [simd.spread(x, row), simd.spread(y, row), simd.spread(z, row), simd.spread(w, row)];
        let t = rotate_inverse::<S>(&p, &sub::<S>(&self.centres, &spread(simd, &a.centre, row)));
        (t, matrix(simd, &relative::<S>(&p, &self.rotations)))
    }
}
