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
//! of the pose's f64 arithmetic. A's corners are off by e, from rounding in the file; B's by 8 e, from the file, the
//! rotation, the offset and six roundings. With edges of A no longer than k and of B no longer than l on each axis, and
//! all differences of corners at most 2 m:
//!
//! - The edges of A are off by 4 e and its normals by 28 k e; a corner's difference by 11 e. The volume over A's plane
//!   is off by 372 e m k. The same for B, whose edges are off by 18 e and normals by 84 l e: 708 e m l.
//! - The cross product of two edges is off by 42 e (k + l), the volume they span by 354 e m (k + l).
//!
//! An edge is at most twice its leaf's radius long. Volumes whose sign the bounds do not prove leave a pair undecided.

use bvhc_format::obb::PAIR_WIDTH;
use fearless_simd::{SimdBase, SimdMask};

use crate::math::{UNIT_ROUNDOFF, larger};
use crate::pair::lanes::{Vector, cross, dot, lanes, spread, sub, transform};
use crate::pair::leaf::Triangles;
use crate::pair::relative_pose::RelativePose;
use crate::pair::sets::PAIRS;
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

/// Edges are at most 2 times the radius: 2 * 372, rounded up.
const PLANE_OF_A: f32 = 768.0;

/// 2 * 708, rounded up.
const PLANE_OF_B: f32 = 1536.0;

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
    let t = pose.between(a.origin, b.origin);
    // Rotation makes a coordinate at most sqrt(3) times the largest one.
    let farthest = larger(larger(t[0].abs(), t[1].abs()), t[2].abs());
    let m = larger(a.radius, farthest + 1.7321 * b.radius) * 1.0001;
    if !SIZES.contains(&m) {
        return Classification { meet: 0, unsure: 0xffff };
    }
    let bound = (m * UNIT_ROUNDOFF + pose.noise()) * m;
    let errors = Errors {
        plane_of_a: bound * PLANE_OF_A * a.radius,
        plane_of_b: bound * PLANE_OF_B * b.radius,
        edges: bound * EDGES * (a.radius + b.radius),
    };
    let pb = [
        corner_of_b(simd, b, 0, pose, &t),
        corner_of_b(simd, b, 1, pose, &t),
        corner_of_b(simd, b, 2, pose, &t),
    ];
    let eb = edges::<S>(&pb);
    let mut classification = Classification { meet: 0, unsure: 0 };
    for first in (0..PAIRS).step_by(lanes::<S>()) {
        let row = first / PAIR_WIDTH;
        let pa = [
            spread(simd, &a.corners[0], row),
            spread(simd, &a.corners[1], row),
            spread(simd, &a.corners[2], row),
        ];
        let part = classify_lanes(simd, &pa, &pb, &eb, &errors);
        classification.meet |= part.meet << first;
        classification.unsure |= part.unsure << first;
    }
    classification
}

/// Error bounds of the volumes.
struct Errors {
    plane_of_a: f32,
    plane_of_b: f32,
    edges: f32,
}

/// Classifies one pair per lane.
#[inline(always)]
fn classify_lanes<S: Kernel>(
    simd: S,
    pa: &[Vector<S>; 3],
    pb: &[Vector<S>; 3],
    eb: &[Vector<S>; 3],
    errors: &Errors,
) -> Classification {
    let all = (1 << lanes::<S>()) - 1;
    let ea = edges::<S>(pa);
    let sides_of_b = Sides::of(simd, &plane::<S>(&ea), &pa[0], pb, errors.plane_of_a);
    let sides_of_a = Sides::of(simd, &plane::<S>(eb), &pb[0], pa, errors.plane_of_b);
    let apart = (sides_of_a.same | sides_of_b.same).to_bitmask() as u32;
    if apart == all {
        return Classification { meet: 0, unsure: 0 };
    }
    let error = S::Pairs::splat(simd, errors.edges);
    let v = [
        volumes::<S>(&ea[0], &pa[0], eb, pb),
        volumes::<S>(&ea[1], &pa[1], eb, pb),
        volumes::<S>(&ea[2], &pa[2], eb, pb),
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

#[inline(always)]
pub(crate) fn corner_of_b<S: Kernel>(
    simd: S,
    leaf: &Triangles,
    k: usize,
    pose: &RelativePose,
    t: &[f32; 3],
) -> Vector<S> {
    let [x, y, z] = &leaf.corners[k];
    transform(simd, &[simd.tile(x), simd.tile(y), simd.tile(z)], pose.rotation(), t)
}

/// On which sides of the other triangle's plane the corners are.
struct Sides<S: Kernel> {
    /// All three are certainly on one side.
    same: Mask<S>,
    /// The ends of edge k are certainly on different sides.
    crosses: [Mask<S>; 3],
    /// The ends of edge k are certainly on the same side.
    stays: [Mask<S>; 3],
}

impl<S: Kernel> Sides<S> {
    #[inline(always)]
    fn of(simd: S, normal: &Vector<S>, on: &Vector<S>, corners: &[Vector<S>; 3], error: f32) -> Self {
        let error = S::Pairs::splat(simd, error);
        let h = [
            dot::<S>(normal, &sub::<S>(&corners[0], on)),
            dot::<S>(normal, &sub::<S>(&corners[1], on)),
            dot::<S>(normal, &sub::<S>(&corners[2], on)),
        ];
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
        Self { same: stays[0] & stays[1], crosses, stays }
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

/// The normals of triangles with these edges.
#[inline(always)]
fn plane<S: Kernel>(edges: &[Vector<S>; 3]) -> Vector<S> {
    cross::<S>(&edges[0], &edges[1])
}
