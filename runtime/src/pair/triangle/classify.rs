//! Classifies the sixteen pairs of four triangles and four others: meet, do not meet, or undecided in f32.
//!
//! Two triangles meet where an edge of one meets the other. An edge meets a triangle that is not in its plane if its
//! ends are on different sides of the plane and its line passes the triangle's three edges on the same side, both
//! inclusive. The former takes six signed volumes per pair (a corner and the other's plane), the latter nine (an edge
//! of each).
//!
//! # Why decisions in f32 are right
//!
//! u is 2^-24. Corners are relative to the origin of A's leaf; m bounds their coordinates, and e is u m plus the error
//! of the pose's f64 arithmetic. A's corners are off by e, from rounding relative to the leaf's origin; B's by 8 e, from
//! that, the rotation, the offset and six roundings. With edges of A no longer than k and of B no longer than l on each axis,
//! and all differences of corners at most 2 m:
//!
//! - The edges of A are off by 4 e and its normals by 28 k e, and the difference of two corners by 9 e. So before it is rounded, the
//!   volume over A's plane is off by 3 (28 k e) (2 m) + 3 (2 k^2) (9 e), at most 276 e m k. Rounding adds five times 6 u k^2 m for
//!   the plane's offset and six times 12 u k^2 m for the height over it, at most 204 e m k: 480 e m k. The same for B, whose
//!   edges are off by 18 e and normals by 84 l e: 504 + 108 + 204 = 816 e m l.
//! - The cross product of two edges is off by 42 e (k + l), the volume they span by 354 e m (k + l).
//!
//! Products of two errors are not counted: where l is as small as e, an offset, which is one f32 for all of B's corners, moves
//! each by no more than its own coordinate, so that the errors of B's edges vanish with l.
//!
//! An edge is at most twice its leaf's radius long on each axis. Volumes whose sign the bounds do not prove leave a pair undecided.

use bvhc_format::obb::PAIR_WIDTH;
use fearless_simd::{SimdBase, SimdFloat, SimdMask};

use crate::math::{UNIT_ROUNDOFF, larger};
use crate::pair::lanes::{Vector, add, cross, dot, for_each_vector, lanes, spread, sub, tile};
use crate::pair::leaf::Triangles;
use crate::pair::relative_pose::RelativePose;
use crate::simd::Kernel;

type Mask<S> = <<S as Kernel>::Pairs as SimdBase<S>>::Mask;

/// Sets of sixteen pairs; pair `4 * i + j` is A's triangle i and B's triangle j.
#[derive(Clone, Copy)]
pub(crate) struct Classification {
    /// Pairs that certainly meet.
    pub(crate) meet: u32,
    /// Pairs that f32 cannot decide.
    pub(crate) unsure: u32,
}

/// Edges are at most 2 times the radius: 2 * 480, rounded up.
const PLANE_OF_A: f32 = 1024.0;

/// 2 * 816, rounded up.
const PLANE_OF_B: f32 = 1664.0;

/// 2 * 354, rounded up.
const EDGES: f32 = 768.0;

/// Between these sizes no volume overflows, and underflow is below the error bounds.
pub(crate) const SIZES: core::ops::Range<f32> = 1.0 / (1u64 << 36) as f32..(1u64 << 40) as f32;

/// Classifies the pairs of A's and B's triangles.
#[inline(always)]
pub(crate) fn classify<S: Kernel>(
    simd: S,
    a: &Triangles,
    b: &Triangles,
    pose: &RelativePose,
) -> Classification {
    let (t, m) = between(a, b);
    if !SIZES.contains(&m) {
        return Classification { meet: 0, unsure: 0xffff };
    }
    let bound = (m * UNIT_ROUNDOFF + pose.noise()) * m;
    let errors = Errors {
        plane_of_a: bound * PLANE_OF_A * a.radius,
        plane_of_b: bound * PLANE_OF_B * b.radius,
        edges: bound * EDGES * (a.radius + b.radius),
    };
    let pb = corners_of_b(simd, b, &t);
    let plane_of_b = Plane::<S>::of(&pb);
    let mut classification = Classification { meet: 0, unsure: 0 };
    for_each_vector::<S>(
        #[inline(always)]
        |first| {
            let pa = corners_of_a(simd, a, first);
            let heights = [Plane::<S>::of(&pa).heights(&pb), plane_of_b.heights(&pa)];
            let [of_b, of_a] = &heights;
            let apart = are_same(simd, of_b, errors.plane_of_a) | are_same(simd, of_a, errors.plane_of_b);
            let apart = apart.to_bitmask() as u32;
            if apart != (1 << lanes::<S>()) - 1 {
                let part = by_edges(simd, [&pa, &pb], &heights, &errors, apart);
                classification.meet |= part.meet << first;
                classification.unsure |= part.unsure << first;
            }
        },
    );
    classification
}

/// Error bounds of the volumes.
struct Errors {
    plane_of_a: f32,
    plane_of_b: f32,
    edges: f32,
}

/// Classifies one pair per lane, given those that are apart by the heights of their corners.
#[inline(always)]
fn by_edges<S: Kernel>(
    simd: S,
    [pa, pb]: [&[Vector<S>; 3]; 2],
    [heights_b, heights_a]: &[Heights<S>; 2],
    errors: &Errors,
    apart: u32,
) -> Classification {
    let (ea, eb) = (edges::<S>(pa), edges::<S>(pb));
    let sides_of_b = Sides::of(simd, heights_b, errors.plane_of_a);
    let sides_of_a = Sides::of(simd, heights_a, errors.plane_of_b);
    let error = S::Pairs::splat(simd, errors.edges);
    let v = [
        volumes::<S>(&ea[0], &pa[0], &eb, pb),
        volumes::<S>(&ea[1], &pa[1], &eb, pb),
        volumes::<S>(&ea[2], &pa[2], &eb, pb),
    ];
    let passes = [
        Passes::<S>::of(&v[0], error),
        Passes::<S>::of(&v[1], error),
        Passes::<S>::of(&v[2], error),
        Passes::<S>::of(&[v[0][0], v[1][0], v[2][0]], error),
        Passes::<S>::of(&[v[0][1], v[1][1], v[2][1]], error),
        Passes::<S>::of(&[v[0][2], v[1][2], v[2][2]], error),
    ];
    let meet = (passes[0].inside & sides_of_a.crosses[0])
        | (passes[1].inside & sides_of_a.crosses[1])
        | (passes[2].inside & sides_of_a.crosses[2])
        | (passes[3].inside & sides_of_b.crosses[0])
        | (passes[4].inside & sides_of_b.crosses[1])
        | (passes[5].inside & sides_of_b.crosses[2]);
    let miss = (passes[0].outside | sides_of_a.stays[0])
        & (passes[1].outside | sides_of_a.stays[1])
        & (passes[2].outside | sides_of_a.stays[2])
        & (passes[3].outside | sides_of_b.stays[0])
        & (passes[4].outside | sides_of_b.stays[1])
        & (passes[5].outside | sides_of_b.stays[2]);
    let meet = meet.to_bitmask() as u32;
    let decided = apart | miss.to_bitmask() as u32 | meet;
    let all = (1 << lanes::<S>()) - 1;
    Classification { meet, unsure: !decided & all }
}

#[inline(always)]
pub(crate) fn edges<S: Kernel>(corners: &[Vector<S>; 3]) -> [Vector<S>; 3] {
    [
        sub::<S>(&corners[1], &corners[0]),
        sub::<S>(&corners[2], &corners[1]),
        sub::<S>(&corners[0], &corners[2]),
    ]
}

/// The vector between the origins of two leaves, and a bound of all coordinates relative to A's. It also bounds the distances of B's
/// corners from their own origin, at most sqrt(3) times the largest coordinate, to which the errors of turning are relative.
#[inline(always)]
pub(crate) fn between(a: &Triangles, b: &Triangles) -> ([f32; 3], f32) {
    let along = |axis: usize| (b.origin[axis] - a.origin[axis]) as f32;
    let t = [along(0), along(1), along(2)];
    let farthest = larger(larger(t[0].abs(), t[1].abs()), t[2].abs());
    (t, larger(a.radius, farthest + 1.7321 * b.radius) * 1.0001)
}

/// A's corners of as many pairs as there are lanes, from this one on.
#[inline(always)]
pub(crate) fn corners_of_a<S: Kernel>(simd: S, leaf: &Triangles, first: usize) -> [Vector<S>; 3] {
    let [a, b, c] = &leaf.corners;
    let row = first / PAIR_WIDTH;
    [spread(simd, a, row), spread(simd, b, row), spread(simd, c, row)]
}

/// B's corners, relative to the origin of A's leaf.
#[inline(always)]
pub(crate) fn corners_of_b<S: Kernel>(simd: S, leaf: &Triangles, t: &[f32; 3]) -> [Vector<S>; 3] {
    let [a, b, c] = &leaf.corners;
    let t = [S::Pairs::splat(simd, t[0]), S::Pairs::splat(simd, t[1]), S::Pairs::splat(simd, t[2])];
    [add::<S>(&tile(simd, a), &t), add::<S>(&tile(simd, b), &t), add::<S>(&tile(simd, c), &t)]
}

/// The planes of triangles: normals, not of unit length, and where the origin is along them.
struct Plane<S: Kernel> {
    normal: Vector<S>,
    offset: S::Pairs,
}

/// How far a triangle's corners are above the other's plane, in lengths of its normal.
type Heights<S> = [<S as Kernel>::Pairs; 3];

impl<S: Kernel> Plane<S> {
    #[inline(always)]
    fn of(corners: &[Vector<S>; 3]) -> Self {
        let normal = cross::<S>(&sub::<S>(&corners[1], &corners[0]), &sub::<S>(&corners[2], &corners[1]));
        Self { normal, offset: dot::<S>(&normal, &corners[0]) }
    }

    #[inline(always)]
    fn heights(&self, corners: &[Vector<S>; 3]) -> Heights<S> {
        [self.height(&corners[0]), self.height(&corners[1]), self.height(&corners[2])]
    }

    #[inline(always)]
    fn height(&self, [x, y, z]: &Vector<S>) -> S::Pairs {
        let [nx, ny, nz] = self.normal;
        nx.mul_add(*x, ny.mul_add(*y, nz.mul_sub(*z, self.offset)))
    }
}

/// Whether all three corners are certainly on one side.
#[inline(always)]
fn are_same<S: Kernel>(simd: S, heights: &Heights<S>, error: f32) -> Mask<S> {
    let error = S::Pairs::splat(simd, error);
    let (least, most) =
        (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]));
    least.simd_gt(error) | most.simd_lt(-error)
}

/// On which sides of the other triangle's plane the corners are.
struct Sides<S: Kernel> {
    /// The ends of edge k are certainly on different sides.
    crosses: [Mask<S>; 3],
    /// The ends of edge k are certainly on the same side.
    stays: [Mask<S>; 3],
}

impl<S: Kernel> Sides<S> {
    #[inline(always)]
    fn of(simd: S, h: &Heights<S>, error: f32) -> Self {
        let error = S::Pairs::splat(simd, error);
        let above = [h[0].simd_gt(error), h[1].simd_gt(error), h[2].simd_gt(error)];
        let below = [h[0].simd_lt(-error), h[1].simd_lt(-error), h[2].simd_lt(-error)];
        let stays = [
            (above[0] & above[1]) | (below[0] & below[1]),
            (above[1] & above[2]) | (below[1] & below[2]),
            (above[2] & above[0]) | (below[2] & below[0]),
        ];
        let crosses = [
            (above[0] & below[1]) | (below[0] & above[1]),
            (above[1] & below[2]) | (below[1] & above[2]),
            (above[2] & below[0]) | (below[2] & above[0]),
        ];
        Self { crosses, stays }
    }
}

/// How the line of an edge passes the three edges of a triangle.
struct Passes<S: Kernel> {
    /// Certainly all on the same side.
    inside: Mask<S>,
    /// Certainly two on different sides.
    outside: Mask<S>,
}

impl<S: Kernel> Passes<S> {
    #[inline(always)]
    fn of(v: &[S::Pairs; 3], error: S::Pairs) -> Self {
        let (least, most) = (v[0].min(v[1]).min(v[2]), v[0].max(v[1]).max(v[2]));
        Self {
            inside: least.simd_gt(error) | most.simd_lt(-error),
            outside: most.simd_gt(error) & least.simd_lt(-error),
        }
    }
}

/// The signed volumes that an edge spans with each of three others.
#[inline(always)]
fn volumes<S: Kernel>(
    edge: &Vector<S>,
    start: &Vector<S>,
    others: &[Vector<S>; 3],
    starts: &[Vector<S>; 3],
) -> [S::Pairs; 3] {
    [
        dot::<S>(&cross::<S>(edge, &others[0]), &sub::<S>(&starts[0], start)),
        dot::<S>(&cross::<S>(edge, &others[1]), &sub::<S>(&starts[1], start)),
        dot::<S>(&cross::<S>(edge, &others[2]), &sub::<S>(&starts[2], start)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::pair::relative_pose::TreeFrame;
    use crate::pair::scaled_pose::ScaledPose;
    use crate::pair::triangle::meet::meet;
    use crate::simd::dispatch;
    use crate::triangle::testing::Random;

    type Leaf = [[[f32; 3]; 3]; PAIR_WIDTH];

    /// Four triangles near a point, of any shape.
    fn leaf(random: &mut Random, centre: [f64; 3], size: f64) -> Leaf {
        let corner = |random: &mut Random| {
            let offset = random.offset(2);
            [0, 1, 2].map(|axis| (centre[axis] + size * offset[axis]) as f32)
        };
        [0; PAIR_WIDTH].map(|_| [0; 3].map(|_| corner(random)))
    }

    /// How many pairs meet, and how many are undecided.
    fn check<S: Kernel>(simd: S, a: &Leaf, b: &Leaf, pose: &ScaledPose) -> [u32; 2] {
        let frame = TreeFrame { origin: [0.0; 3], radius: 1e3 };
        let relative = RelativePose::scaled(simd, pose, &frame, &frame);
        let leaves = [Triangles::of(simd, a, None), Triangles::of(simd, b, Some(&relative))];
        let found = classify(simd, &leaves[0], &leaves[1], &relative);
        let (mut meeting, mut unsure) = (0, 0);
        for pair in 0..PAIR_WIDTH * PAIR_WIDTH {
            let a = a[pair / PAIR_WIDTH].map(|corner| corner.map(f64::from));
            let b = b[pair % PAIR_WIDTH].map(|corner| pose.image.apply(corner.map(f64::from)));
            let (does_meet, is_unsure) = (meet(&a, &b), found.unsure >> pair & 1 == 1);
            assert!(is_unsure || does_meet == (found.meet >> pair & 1 == 1), "{a:?} {b:?}");
            meeting += u32::from(does_meet);
            unsure += u32::from(is_unsure);
        }
        [meeting, unsure]
    }

    /// Leaves of the same and of very different sizes; B as it is, scaled, or mirrored.
    #[test]
    fn decisions_are_exact() {
        let mut random = Random(13);
        let mut sum = [0, 0];
        let rounds = 6000;
        for round in 0..rounds {
            let scale = [1.0, 1.0, 0.3, 1e-3][round % 4];
            let smaller = [1.0, 1.0, 1e-2, 1e-4, 1e-7][round % 5];
            let centre = random.offset(0).map(|x| [0.0, 3.0, 300.0][round % 3] * x);
            let translation = random.offset(2).map(|x| 5.0 * x);
            let pose = ScaledPose::new(&random.pose(translation), scale, round % 7 == 0);
            let a = leaf(&mut random, centre, 1.0);
            // A point of A's first triangle, in B's space.
            let target =
                [0, 1, 2].map(|axis| a[0].iter().map(|corner| f64::from(corner[axis])).sum::<f64>() / 3.0);
            let away = [0, 1, 2].map(|axis| target[axis] - translation[axis]);
            let turned = [0, 1, 2].map(|axis| (0..3).map(|k| pose.rotation[k][axis] * away[k]).sum::<f64>());
            let mut at = turned.map(|x| x / scale);
            at[0] *= if pose.mirrors { -1.0 } else { 1.0 };
            let b = leaf(&mut random, at, smaller / scale);
            for level in Level::available() {
                let found = dispatch!(level.inner(), simd => check(simd, &a, &b, &pose));
                sum = [sum[0] + found[0], sum[1] + found[1]];
            }
        }
        let all = (rounds * PAIR_WIDTH * PAIR_WIDTH * Level::available().count()) as u32;
        assert!(sum[0] > all / 20 && sum[1] < all / 3, "{sum:?} of {all}");
    }
}
