//! Oriented boxes, four against four at a time.
//!
//! Based on: Gottschalk, Lin, Manocha, "OBBTree: A Hierarchical Structure for Rapid Interference Detection", 1996, section
//! 5, the fifteen axes. Departures: sixteen pairs at once, a lane each; orientations are quaternions; a slack that is
//! proven to cover the rounding takes the place of the constant added to the rotation's entries.
//!
//! # Why no pair of boxes that touch is told apart
//!
//! u is 2^-24. Let two boxes with half extents hA and hB have a common point, s be the sum of all six half extents, and
//! M bound the distances of boxes from their trees' origins and of the origins from each other, added up. Then:
//!
//! - The centres are at most s apart, so that what a rotation's rounding does to their offset t is relative to s.
//! - A moved centre is R c + T, from numbers rounded once, in six roundings: wrong by 14 u M at most, on each axis.
//! - Quaternions are unit vectors within 4 u (FORMAT.md). Of two products and the matrix of the result, entries are
//!   wrong by at most 200 u. Turning t by a quaternion costs 28 u s.
//! - On a face axis of A, |t| is therefore wrong by 24 u M + 28 u s; on one of B by 42 u M + 400 u s; on an axis along
//!   two edges by 48 u M + 456 u s. The boxes' radii are wrong by less than 250 u s, and taking them off piece by piece
//!   adds 8 u s.
//!
//! So [`SLACK_SIZE`] times s and [`SLACK_REACH`] times M together cover all of it, and as much again of M for the
//! rounding of the comparison.

use bvhc_format::obb::{ObbNode, PAIR_WIDTH};
use fearless_simd::{SimdBase, SimdFloat, SimdMask};

use super::gap::{LowerBounds, gaps};
use super::{DistanceBound, Volume};
use crate::pair_tree::PairTree;
use crate::pose::Pose;
use crate::simd::{Kernel, square_root};

/// How many pairs a step tests.
pub(crate) const PAIRS: usize = PAIR_WIDTH * PAIR_WIDTH;

/// Slack of every axis, relative to the sum of the half extents: 1024 u.
pub(crate) const SLACK_SIZE: f32 = 1.0 / (1 << 14) as f32;

/// Slack of every axis, relative to [`Motion::reach`]: 128 u.
const SLACK_REACH: f32 = 1.0 / (1 << 17) as f32;

/// How much of the centres' offset goes into depths. (Measured by the steps to a pair that meets: 6 % fewer than without it
/// in the mean; twice as much does no better.)
const CENTRES: f32 = 0.05;

/// B's pose in A's space, between the origins of their trees.
#[derive(Clone, Copy)]
pub(crate) struct Motion {
    pose: Pose,
    /// x, y, z and w.
    quaternion: [f32; 4],
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    /// Slack of every axis that comes from the distances between boxes and origins, and from the pose's arithmetic.
    slack: f32,
    /// Bounds how far the pose's own arithmetic, in f64, can misplace a point, relative to exact arithmetic.
    noise: f32,
}

/// A tree's frame: the point its boxes are relative to, and how far they reach from there.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) origin: [f32; 3],
    pub(crate) radius: f32,
}

impl Motion {
    #[inline(always)]
    pub(crate) fn new<S: Kernel>(simd: S, pose: &Pose, a: &Place, b: &Place) -> Self {
        let moved = pose.apply(b.origin.map(f64::from));
        let between = |axis: usize| moved[axis] - f64::from(a.origin[axis]);
        let translation = [between(0), between(1), between(2)];
        let size = |point: [f64; 3]| point[0].abs() + point[1].abs() + point[2].abs();
        let reach = size(translation) + f64::from(a.radius) + f64::from(b.radius);
        let whole = size(pose.translation()) + size(a.origin.map(f64::from)) + size(b.origin.map(f64::from));
        let [x, y, z] = pose.rotation();
        let noise = (whole + reach) as f32 / (1u64 << 47) as f32;
        Self {
            pose: *pose,
            quaternion: quaternion(simd, &pose.rotation()).map(|x| x as f32),
            rotation: [x.map(|x| x as f32), y.map(|x| x as f32), z.map(|x| x as f32)],
            translation: translation.map(|x| x as f32),
            slack: reach as f32 * SLACK_REACH + noise,
            noise,
        }
    }

    /// The pose itself, between the models' spaces.
    pub(crate) fn pose(&self) -> &Pose {
        &self.pose
    }

    pub(crate) fn translation(&self) -> &[f32; 3] {
        &self.translation
    }

    pub(crate) fn rotation(&self) -> &[[f32; 3]; 3] {
        &self.rotation
    }

    pub(crate) fn slack(&self) -> f32 {
        self.slack
    }

    pub(crate) fn noise(&self) -> f32 {
        self.noise
    }

    /// From a point of A's space to a moved one of B's.
    #[inline(always)]
    pub(crate) fn between(&self, a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
        let moved = self.pose.apply(b.map(f64::from));
        let along = |axis: usize| (moved[axis] - f64::from(a[axis])) as f32;
        [along(0), along(1), along(2)]
    }
}

/// x, y, z and w of a rotation. Based on: Shepperd, "Quaternion from rotation matrix", 1978: the largest of the four is
/// found from the diagonal, the others from it.
#[inline(always)]
fn quaternion<S: Kernel>(simd: S, [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]]: &[[f64; 3]; 3]) -> [f64; 4] {
    let squares = [1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz];
    let mut largest = 0;
    for index in 1..4 {
        if squares[index] > squares[largest] {
            largest = index;
        }
    }
    let [x, y, z, w] = match largest {
        0 => [squares[0], yx + xy, zx + xz, zy - yz],
        1 => [yx + xy, squares[1], zy + yz, xz - zx],
        2 => [zx + xz, zy + yz, squares[2], yx - xy],
        _ => [zy - yz, xz - zx, yx - xy, squares[3]],
    };
    let scale = 0.5 / square_root(simd, squares[largest]);
    [x * scale, y * scale, z * scale, w * scale]
}

/// Of the sixteen pairs of children of two nodes, number `4 * i + j` for A's child i and B's child j.
pub(crate) struct Overlaps {
    /// A bit for each pair that the axes do not tell apart.
    pub(crate) pairs: u32,
    /// How far the boxes of a pair are into each other: the largest separation on a face axis, which is negative or
    /// within the slack, and a little of how far the centres are apart, over the smaller box's size. The least is the
    /// deepest.
    pub(crate) depths: [f32; PAIRS],
}

/// Oriented boxes.
pub(crate) struct Oriented {
    /// Whether the depths of overlaps are asked for.
    pub(crate) ranks: bool,
}

impl Volume for Oriented {
    type Node<'a> = &'a ObbNode;
    type Room = Option<ObbNode>;

    #[inline(always)]
    fn room() -> Option<ObbNode> {
        None
    }

    #[inline(always)]
    fn node<'b>(tree: &PairTree<'b>, id: u32, room: &'b mut Option<ObbNode>) -> Option<&'b ObbNode> {
        tree.node(id, room)
    }

    #[inline(always)]
    fn child(_: &PairTree<'_>, node: &ObbNode, slot: usize) -> u32 {
        node.children[slot]
    }

    #[inline(always)]
    fn overlaps<S: Kernel>(
        &self,
        simd: S,
        a: &ObbNode,
        b: &ObbNode,
        motion: &Motion,
        pairs: u32,
    ) -> Overlaps {
        overlaps(simd, a, b, motion, pairs, self.ranks)
    }
}

impl DistanceBound for Oriented {
    #[inline(always)]
    fn gaps<S: Kernel>(
        &self,
        simd: S,
        a: &ObbNode,
        b: &ObbNode,
        motion: &Motion,
        pairs: u32,
        reach2: f32,
    ) -> LowerBounds {
        gaps(simd, a, b, motion, pairs, reach2)
    }
}

/// A vector a pair.
pub(crate) type Vector<S> = [<S as Kernel>::Pairs; 3];
pub(crate) type Matrix<S> = [Vector<S>; 3];
pub(crate) type Quaternion<S> = [<S as Kernel>::Pairs; 4];

/// How many pairs level `S` tests at once.
pub(crate) const fn lanes<S: Kernel>() -> usize {
    size_of::<S::Pairs>() / size_of::<f32>()
}

/// Which of these pairs of the children of A's and B's nodes may have a common point.
#[inline(always)]
fn overlaps<S: Kernel>(
    simd: S,
    a: &ObbNode,
    b: &ObbNode,
    motion: &Motion,
    pairs: u32,
    ranks: bool,
) -> Overlaps {
    let mut found = Overlaps { pairs: 0, depths: [0.0; PAIRS] };
    let all = (1u32 << lanes::<S>()) - 1;
    let q = rotation_of_b(simd, b, motion);
    let centres = [simd.tile(&b.centre[0]), simd.tile(&b.centre[1]), simd.tile(&b.centre[2])];
    let centres = moved(simd, &centres, &motion.rotation, &motion.translation);
    let hb = [simd.tile(&b.half_extents[0]), simd.tile(&b.half_extents[1]), simd.tile(&b.half_extents[2])];
    let size_b = hb[0] + hb[1] + hb[2];
    for first in (0..PAIRS).step_by(lanes::<S>()) {
        let (row, pairs) = (first / PAIR_WIDTH, pairs >> first & all);
        if pairs == 0 {
            continue;
        }
        let p = quaternion_of_a(simd, a, row);
        let t = rotate_inverse::<S>(&p, &sub::<S>(&centres, &spread(simd, &a.centre, row)));
        let r = matrix(simd, &relative::<S>(&p, &q));
        let s = absolute::<S>(&r);
        let ha = spread(simd, &a.half_extents, row);
        let size_a = ha[0] + ha[1] + ha[2];
        let slack =
            (size_a + size_b).mul_add(S::Pairs::splat(simd, SLACK_SIZE), S::Pairs::splat(simd, motion.slack));
        let apart = faces_of_a::<S>(&t, &s, &ha, &hb).max(faces_of_b::<S>(&t, &r, &s, &ha, &hb));
        let pairs = pairs & apart.simd_le(slack).to_bitmask() as u32;
        if pairs == 0 {
            continue;
        }
        let pairs = pairs & edges::<S>(&t, &r, &s, &ha, &hb).simd_le(slack).to_bitmask() as u32;
        found.pairs |= pairs << first;
        // One alone is the deepest.
        if ranks && (lanes::<S>() < PAIRS || pairs & pairs.wrapping_sub(1) != 0) {
            let off_centre = t[0].abs() + t[1].abs() + t[2].abs();
            let depth = off_centre.mul_add(S::Pairs::splat(simd, CENTRES), apart);
            let depths = depth * size_a.min(size_b).approximate_recip();
            depths.store_slice(&mut found.depths[first..first + lanes::<S>()]);
        }
    }
    found
}

#[inline(always)]
pub(crate) fn quaternion_of_a<S: Kernel>(simd: S, a: &ObbNode, row: usize) -> Quaternion<S> {
    let [x, y, z, w] = &a.rotation;
    [simd.spread(x, row), simd.spread(y, row), simd.spread(z, row), simd.spread(w, row)]
}

#[inline(always)]
pub(crate) fn spread<S: Kernel>(simd: S, [x, y, z]: &[[f32; PAIR_WIDTH]; 3], row: usize) -> Vector<S> {
    [simd.spread(x, row), simd.spread(y, row), simd.spread(z, row)]
}

#[inline(always)]
pub(crate) fn sub<S: Kernel>(a: &Vector<S>, b: &Vector<S>) -> Vector<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
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

/// The largest separation on the nine axes at right angles to an edge of each box, which are not unit vectors.
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

/// The separation on the axis at right angles to A's axis i and B's axis j.
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

/// The orientations of B's children in A's space.
#[inline(always)]
pub(crate) fn rotation_of_b<S: Kernel>(simd: S, b: &ObbNode, motion: &Motion) -> Quaternion<S> {
    let [x, y, z, w] = motion.quaternion;
    let (x, y) = (S::Pairs::splat(simd, x), S::Pairs::splat(simd, y));
    let (z, w) = (S::Pairs::splat(simd, z), S::Pairs::splat(simd, w));
    let q = [
        simd.tile(&b.rotation[0]),
        simd.tile(&b.rotation[1]),
        simd.tile(&b.rotation[2]),
        simd.tile(&b.rotation[3]),
    ];
    product::<S>(&[x, y, z, w], &q)
}

/// R p + t
#[inline(always)]
pub(crate) fn moved<S: Kernel>(
    simd: S,
    p: &Vector<S>,
    rotation: &[[f32; 3]; 3],
    translation: &[f32; 3],
) -> Vector<S> {
    [
        moved_along(simd, p, &rotation[0], translation[0]),
        moved_along(simd, p, &rotation[1], translation[1]),
        moved_along(simd, p, &rotation[2], translation[2]),
    ]
}

#[inline(always)]
fn moved_along<S: Kernel>(simd: S, p: &Vector<S>, row: &[f32; 3], start: f32) -> S::Pairs {
    let [x, y, z] = *row;
    let (x, y, z) = (S::Pairs::splat(simd, x), S::Pairs::splat(simd, y), S::Pairs::splat(simd, z));
    x.mul_add(p[0], y.mul_add(p[1], z.mul_add(p[2], S::Pairs::splat(simd, start))))
}

/// p q
#[inline(always)]
fn product<S: Kernel>(p: &Quaternion<S>, q: &Quaternion<S>) -> Quaternion<S> {
    let [px, py, pz, pw] = *p;
    let [qx, qy, qz, qw] = *q;
    [
        pw.mul_add(qx, px.mul_add(qw, py.mul_sub(qz, pz * qy))),
        pw.mul_add(qy, py.mul_add(qw, pz.mul_sub(qx, px * qz))),
        pw.mul_add(qz, pz.mul_add(qw, px.mul_sub(qy, py * qx))),
        pw.mul_sub(qw, px.mul_add(qx, py.mul_add(qy, pz * qz))),
    ]
}

/// The inverse of p, times q.
#[inline(always)]
pub(crate) fn relative<S: Kernel>(p: &Quaternion<S>, q: &Quaternion<S>) -> Quaternion<S> {
    let [px, py, pz, pw] = *p;
    let [qx, qy, qz, qw] = *q;
    [
        pw.mul_sub(qx, px.mul_add(qw, py.mul_sub(qz, pz * qy))),
        pw.mul_sub(qy, py.mul_add(qw, pz.mul_sub(qx, px * qz))),
        pw.mul_sub(qz, pz.mul_add(qw, px.mul_sub(qy, py * qx))),
        pw.mul_add(qw, px.mul_add(qx, py.mul_add(qy, pz * qz))),
    ]
}

/// v, turned by the inverse of p.
#[inline(always)]
pub(crate) fn rotate_inverse<S: Kernel>(p: &Quaternion<S>, v: &Vector<S>) -> Vector<S> {
    let [x, y, z, w] = *p;
    // v x p, twice.
    let c = [v[1].mul_sub(z, v[2] * y), v[2].mul_sub(x, v[0] * z), v[0].mul_sub(y, v[1] * x)];
    let c = [c[0] + c[0], c[1] + c[1], c[2] + c[2]];
    [
        w.mul_add(c[0], c[1].mul_add(z, neg_mul_add::<S>(v[0], c[2], y))),
        w.mul_add(c[1], c[2].mul_add(x, neg_mul_add::<S>(v[1], c[0], z))),
        w.mul_add(c[2], c[0].mul_add(y, neg_mul_add::<S>(v[2], c[1], x))),
    ]
}

/// The rows of a rotation's matrix.
#[inline(always)]
pub(crate) fn matrix<S: Kernel>(simd: S, q: &Quaternion<S>) -> Matrix<S> {
    let [x, y, z, w] = *q;
    let one = S::Pairs::splat(simd, 1.0);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let (of_x, of_y) = (neg_mul_add::<S>(one, x, x2), neg_mul_add::<S>(one, y, y2));
    [
        [neg_mul_add::<S>(of_y, z, z2), x.mul_sub(y2, wz), x.mul_add(z2, wy)],
        [x.mul_add(y2, wz), neg_mul_add::<S>(of_x, z, z2), y.mul_sub(z2, wx)],
        [x.mul_sub(z2, wy), y.mul_add(z2, wx), neg_mul_add::<S>(of_x, y, y2)],
    ]
}

#[inline(always)]
pub(crate) fn absolute<S: Kernel>(m: &Matrix<S>) -> Matrix<S> {
    [
        [m[0][0].abs(), m[0][1].abs(), m[0][2].abs()],
        [m[1][0].abs(), m[1][1].abs(), m[1][2].abs()],
        [m[2][0].abs(), m[2][1].abs(), m[2][2].abs()],
    ]
}

#[inline(always)]
pub(crate) fn column<S: Kernel>(m: &Matrix<S>, j: usize) -> Vector<S> {
    [m[0][j], m[1][j], m[2][j]]
}

/// c - a b
#[inline(always)]
pub(crate) fn neg_mul_add<S: Kernel>(c: S::Pairs, a: S::Pairs, b: S::Pairs) -> S::Pairs {
    (-a).mul_add(b, c)
}

/// What is left of a number without the products of two vectors' coordinates.
#[inline(always)]
pub(crate) fn sub_dot<S: Kernel>(from: S::Pairs, a: &Vector<S>, b: &Vector<S>) -> S::Pairs {
    neg_mul_add::<S>(neg_mul_add::<S>(neg_mul_add::<S>(from, a[2], b[2]), a[1], b[1]), a[0], b[0])
}

#[inline(always)]
pub(crate) fn dot<S: Kernel>(a: &Vector<S>, b: &Vector<S>) -> S::Pairs {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}
