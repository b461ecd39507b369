//! Lower bounds of the distances of oriented boxes, four against four at a time.
//!
//! The bound is the largest of three: the length of the vector of separations along the axes of A's box, the same for
//! B's, and the separation along the line through the centres. (Tried: the separations along those two vectors would
//! save one node in sixteen, and take longer than that.)
//!
//! # Why no bound is too great
//!
//! The axes of a box are perpendicular, so two boxes are at least as far apart as the vector of their separations along
//! them, and as their separation along any direction. Rounding affects those separations as in `obb.rs`, but with s +
//! |t| in place of s: the boxes need not touch, so the offset t of the centres may be longer. All errors there that are
//! relative to s are well below the slack; the largest, that of B's axes, is 400 u |t|. Along the line through the
//! centres, the separation is |t| minus the boxes' radii, each of which is off by no more than the sum of the errors on
//! the boxes' axes: 3 * 42 u M and 1200 u |t| + 250 u s, up to a factor of 1 and a few u. So three times the slack is
//! subtracted there. The squares and the quotient add less than 2^-20 of the bound.

use bvhc_format::obb::{ObbNode, PAIR_WIDTH};
use fearless_simd::{SimdBase, SimdFloat, SimdMask};

use super::obb::{ChildrenOfB, SLACK_SIZE};
use crate::pair::lanes::{
    Matrix, Vector, absolute, column, dot, for_each_vector, lanes, neg_mul_add, spread, sub_dot,
};
use crate::pair::relative_pose::RelativePose;
use crate::pair::volumes::{LowerBounds, ROUNDED};
use crate::simd::Kernel;

/// Lower bounds of the distances of these child pairs of A's and B's nodes, and which may be within the square root of
/// `limit2`.
#[inline(always)]
pub(super) fn lower_bounds<S: Kernel>(
    simd: S,
    a: &ObbNode,
    b: &ObbNode,
    pose: &RelativePose,
    pairs: u32,
    limit2: f32,
) -> LowerBounds {
    let mut found = LowerBounds::NONE;
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
            let (ha, hb) = (spread(simd, &a.half_extents, row), b.half_extents);
            let along_a = [t[0].abs(), t[1].abs(), t[2].abs()];
            let size = (ha[0] + ha[1] + ha[2] + b.size) + (along_a[0] + along_a[1] + along_a[2]);
            let slack = size.mul_add(S::Pairs::splat(simd, SLACK_SIZE), S::Pairs::splat(simd, pose.slack()));
            let square = dot::<S>(&t, &t);
            let bound = bounds(simd, &t, &along_a, square, &r, &ha, &hb, slack);
            let range = first..first + lanes::<S>();
            // NaN counts as near.
            let beyond = bound.simd_gt(S::Pairs::splat(simd, limit2)).to_bitmask() as u32;
            found.pairs |= (!beyond & pairs) << first;
            bound.store_slice(&mut found.squares[range.clone()]);
            square.store_slice(&mut found.centres[range]);
        },
    );
    found
}

/// The largest of the three bounds, squared.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn bounds<S: Kernel>(
    simd: S,
    t: &Vector<S>,
    along_a: &Vector<S>,
    square: S::Pairs,
    r: &Matrix<S>,
    ha: &Vector<S>,
    hb: &Vector<S>,
    slack: S::Pairs,
) -> S::Pairs {
    let zero = S::Pairs::splat(simd, 0.0);
    let s = absolute::<S>(r);
    let along_b = [
        dot::<S>(t, &column::<S>(r, 0)).abs(),
        dot::<S>(t, &column::<S>(r, 1)).abs(),
        dot::<S>(t, &column::<S>(r, 2)).abs(),
    ];
    let (near_a, near_b) =
        ([ha[0] + slack, ha[1] + slack, ha[2] + slack], [hb[0] + slack, hb[1] + slack, hb[2] + slack]);
    let of_a = [
        sub_dot::<S>(along_a[0] - near_a[0], &s[0], hb).max(zero),
        sub_dot::<S>(along_a[1] - near_a[1], &s[1], hb).max(zero),
        sub_dot::<S>(along_a[2] - near_a[2], &s[2], hb).max(zero),
    ];
    let of_b = [
        sub_dot::<S>(along_b[0] - near_b[0], &column::<S>(&s, 0), ha).max(zero),
        sub_dot::<S>(along_b[1] - near_b[1], &column::<S>(&s, 1), ha).max(zero),
        sub_dot::<S>(along_b[2] - near_b[2], &column::<S>(&s, 2), ha).max(zero),
    ];
    // Both dot products and the subtraction below include the slack times the sum of t's coordinates, which is at least
    // |t|: three times the slack in all.
    let radii = dot::<S>(along_a, &near_a) + dot::<S>(&along_b, &near_b);
    let length = along_a[0] + along_a[1] + along_a[2];
    let free = neg_mul_add::<S>(square - radii, slack, length).max(zero);
    // The quotient comes first: it is at most 1, so nothing overflows.
    let along_centres = free / square.max(S::Pairs::splat(simd, f32::MIN_POSITIVE)) * free;
    dot::<S>(&of_a, &of_a).max(dot::<S>(&of_b, &of_b)).max(along_centres) * S::Pairs::splat(simd, ROUNDED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::pair::relative_pose::TreeFrame;
    use crate::pair::sets::PAIRS;
    use crate::pair::triangle::distance::gap;
    use crate::pose::Pose;
    use crate::simd::dispatch;
    use crate::triangle::testing::{Random, rotation};

    type Point = [f64; 3];

    /// Four boxes of any shape and orientation around a point.
    fn node(random: &mut Random, centre: Point, size: f64) -> ObbNode {
        let mut node = ObbNode::EMPTY;
        for slot in 0..PAIR_WIDTH {
            let offset = random.offset(2);
            for (part, x) in random.quaternion().into_iter().enumerate() {
                node.rotation[part][slot] = x as f32;
            }
            for axis in 0..3 {
                node.centre[axis][slot] = (centre[axis] + size * offset[axis]) as f32;
                node.half_extents[axis][slot] = (size * random.offset(3)[0].abs()) as f32;
            }
        }
        node
    }

    /// The corners of a stored box.
    fn corners(node: &ObbNode, slot: usize) -> [Point; 8] {
        let q = [0, 1, 2, 3].map(|part| f64::from(node.rotation[part][slot]));
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let turn = rotation(q.map(|x| x / length));
        core::array::from_fn(|index| {
            let half = |axis: usize| {
                let half = f64::from(node.half_extents[axis][slot]);
                if index >> axis & 1 == 0 { half } else { -half }
            };
            [0, 1, 2].map(|row: usize| {
                f64::from(node.centre[row][slot])
                    + (0..3).map(|axis| turn[row][axis] * half(axis)).sum::<f64>()
            })
        })
    }

    /// The squared distance of two boxes whose surfaces do not meet: that of their faces.
    fn square(a: &[Point; 8], b: &[Point; 8]) -> f64 {
        const FACES: [[usize; 3]; 12] = [
            [0, 1, 2],
            [3, 1, 2],
            [4, 5, 6],
            [7, 5, 6],
            [0, 1, 4],
            [5, 1, 4],
            [2, 3, 6],
            [7, 3, 6],
            [0, 2, 4],
            [6, 2, 4],
            [1, 3, 5],
            [7, 3, 5],
        ];
        let of = |corners: &[Point; 8], face: [usize; 3]| face.map(|index| corners[index]);
        let pairs = FACES.iter().flat_map(|one| FACES.iter().map(move |other| (*one, *other)));
        pairs.map(|(one, other)| gap(&of(a, one), &of(b, other), &mut 0).square).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn no_bound_exceeds_the_distance() {
        let mut random = Random(21);
        let (mut sum, mut count) = (0.0, 0);
        for _ in 0..150 {
            let size = 10f64.powi(random.below(5) as i32 - 2);
            let centre = random.offset(1).map(|x| 3.0 * x);
            let translation = random.offset(1).map(|x| 4.0 * x);
            let pose = random.pose(translation);
            let a = node(&mut random, centre, size);
            let away = random.offset(2);
            let at = pose.inverse().apply([0, 1, 2].map(|axis| centre[axis] + 3.0 * away[axis]));
            let b = node(&mut random, at, size);
            // The boxes extend at most this far.
            let frame = TreeFrame { origin: [0.0; 3], radius: 400.0 };
            let mut expected = [0.0; PAIRS];
            for (pair, square_of) in expected.iter_mut().enumerate() {
                let transformed = corners(&b, pair % PAIR_WIDTH).map(|corner| pose.apply(corner));
                *square_of = square(&corners(&a, pair / PAIR_WIDTH), &transformed);
            }
            for level in Level::available() {
                let found = dispatch!(level.inner(), simd => {
                    lower_bounds(simd, &a, &b, &RelativePose::new(simd, &pose, &frame, &frame), u32::MAX, 1.0)
                });
                for (pair, (bound, square)) in found.squares.iter().zip(expected).enumerate() {
                    assert_eq!(found.pairs & 1 << pair != 0, *bound <= 1.0);
                    assert!(f64::from(*bound) <= square, "{level:?} {pose:?}: {bound} {square}");
                    if square > 1.0 {
                        sum += (f64::from(*bound) / square).sqrt();
                        count += 1;
                    }
                }
            }
        }
        assert!(count > 300 && sum / f64::from(count) > 0.7, "{sum} {count}");
    }

    #[test]
    fn empty_slots_are_beyond_everything() {
        let found = dispatch!(Level::detect().expect("a level").inner(), simd => {
            let frame = TreeFrame { origin: [0.0; 3], radius: 1.0 };
            lower_bounds(simd, &ObbNode::EMPTY, &ObbNode::EMPTY, &RelativePose::new(simd, &Pose::IDENTITY, &frame, &frame), u32::MAX, 1.0)
        });
        assert!(
            found.squares.iter().all(|square| !square.is_finite() || *square > 1e30),
            "{:?}",
            found.squares
        );
    }
}
