//! Oriented boxes with a sample vertex of the surface below each: the distance of two vertices is an upper bound of
//! that of the surfaces.
//!
//! Pairs of boxes are still ordered by the boxes' centres. (Tried: ordering by samples takes up to a tenth more steps
//! to a distance, and up to a third more until models are found to be within a limit. The choice of vertex hardly
//! matters: those nearest to the mean of all corners, or to the surface's centroid, save as much as those nearest to
//! the box's centre.)
//!
//! # Why no bound is too small
//!
//! u is 2^-24, M the sum of the trees' radii and of the distance of their origins (the sum of its coordinates'
//! magnitudes). Vertices lie in boxes, so each is no farther from its tree's origin than the tree's radius (B9, B10).
//!
//! - A stored position is wrong by u of its coordinates (N3): by u M in length, for A and B together.
//! - A transformed point is wrong by 14 u M at most, on each axis (`obb.rs`): by 25 u M. The difference adds 2 u M.
//! - The sum of three squares is wrong by 4 u of its value, so its square root by 2 u of a length that is M at most.
//!
//! That is 31 u M, of which [`RelativePose::slack`] has 128, plus the error of the pose's own arithmetic. A square that
//! has lost bits to underflow is less than [`LEAST`], which replaces it.

use bvhc_format::obb::{PAIR_WIDTH, SampleNode};
use fearless_simd::{SimdBase, SimdMask};

use super::obb::Obb;
use crate::model::Model;
use crate::pair::lanes::{dot, lanes, spread, sub, tile, transform};
use crate::pair::relative_pose::RelativePose;
use crate::pair::sets::PAIRS;
use crate::pair::tree::PairTree;
use crate::pair::tree::obb::ObbNodes;
use crate::pair::volumes::{LowerBounds, NoWalk, Opened, Overlaps, Volumes, Walkable, WitnessBound};
use crate::pose::Pose;
use crate::simd::{Kernel, square_root};

/// Minimum of a squared distance.
const LEAST: f32 = 1.0 / (1u128 << 100) as f32;

/// The oriented boxes of two trees, with samples beside their nodes.
pub(super) struct Samples<'a> {
    boxes: Obb<'a>,
    nodes: [&'a [SampleNode]; 2],
}

pub(super) fn open<'a, S: Kernel>(
    simd: S,
    [a, b]: [&'a Model<'a>; 2],
    pose: &Pose,
    ranks: bool,
) -> Result<Walkable<'a, Samples<'a>>, NoWalk> {
    let (Some(of_a), Some(of_b)) = (a.sections().samples(), b.sections().samples()) else {
        return Err(NoWalk::Missing);
    };
    let trees = [PairTree::of_obbs(a), PairTree::of_obbs(b)];
    let boxes = Obb::new([ObbNodes::of(a), ObbNodes::of(b)], ranks);
    let pose = RelativePose::new(simd, pose, trees[0].frame(), trees[1].frame());
    Ok(Walkable { trees, volumes: Samples { boxes, nodes: [of_a, of_b] }, pose })
}

impl<S: Kernel> Volumes<S> for Samples<'_> {
    /// Samples do not help to test overlap.
    #[inline(always)]
    fn overlaps(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
    ) -> Option<Opened<Overlaps>> {
        self.boxes.overlaps(simd, nodes, pose, pairs)
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
        self.boxes.lower_bounds(simd, nodes, pose, pairs, limit2)
    }

    #[inline(always)]
    fn witness(
        &mut self,
        simd: S,
        [a, b]: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
        limit: f64,
    ) -> Option<WitnessBound> {
        let nodes = [self.nodes[0].get(a as usize)?, self.nodes[1].get(b as usize)?];
        witness(simd, nodes, pose, pairs, limit)
    }
}

#[inline(always)]
fn witness<S: Kernel>(
    simd: S,
    [a, b]: [&SampleNode; 2],
    pose: &RelativePose,
    pairs: u32,
    limit: f64,
) -> Option<WitnessBound> {
    let (square, pair) = nearest(simd, a, b, pose, pairs, (limit * limit) as f32)?;
    let upper = square_root(simd, f64::from(square).max(f64::from(LEAST))) + f64::from(pose.slack());
    let addresses = [a.triangles[pair / PAIR_WIDTH], b.triangles[pair % PAIR_WIDTH]];
    (upper < limit).then_some(WitnessBound { addresses, upper })
}

/// The squared distance of the nearest of these sample pairs, and its index, if it is less than `bound2`.
#[inline(always)]
fn nearest<S: Kernel>(
    simd: S,
    a: &SampleNode,
    b: &SampleNode,
    pose: &RelativePose,
    pairs: u32,
    bound2: f32,
) -> Option<(f32, usize)> {
    let all = (1u32 << lanes::<S>()) - 1;
    let (mut least, mut nearest) = (bound2, None);
    let of_b = transform(simd, &tile(simd, &b.position), pose.rotation(), pose.translation());
    for first in (0..PAIRS).step_by(lanes::<S>()) {
        let between = sub::<S>(&of_b, &spread(simd, &a.position, first / PAIR_WIDTH));
        let square = dot::<S>(&between, &between);
        let nearer = square.simd_lt(S::Pairs::splat(simd, least)).to_bitmask() as u32;
        let mut nearer = nearer & pairs >> first & all;
        if nearer == 0 {
            continue;
        }
        let mut squares = [0.0; PAIRS];
        square.store_slice(&mut squares[..lanes::<S>()]);
        while nearer != 0 {
            let lane = nearer.trailing_zeros() as usize % PAIRS;
            if squares[lane] < least {
                (least, nearest) = (squares[lane], Some(first + lane));
            }
            nearer &= nearer - 1;
        }
    }
    nearest.map(
        #[inline(always)]
        |pair| (least, pair),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::pair::relative_pose::TreeFrame;
    use crate::simd::dispatch;
    use crate::triangle::testing::Random;

    type Point = [f32; 3];

    /// Four points around a tree's origin, their sample node, and their radius.
    fn samples(random: &mut Random, origin: Point, size: f64) -> ([Point; 4], SampleNode, f32) {
        let points = [(); 4].map(|()| {
            let offset = random.offset(1);
            [0, 1, 2].map(|axis| (f64::from(origin[axis]) + size * offset[axis]) as f32)
        });
        let mut node = SampleNode { position: [[0.0; PAIR_WIDTH]; 3], triangles: [10, 11, 12, 13] };
        let mut radius = 0.0f64;
        for (slot, point) in points.iter().enumerate() {
            let along = [0, 1, 2].map(|axis| f64::from(point[axis]) - f64::from(origin[axis]));
            radius = radius.max(along.iter().map(|x| x * x).sum::<f64>().sqrt());
            for (lanes, along) in node.position.iter_mut().zip(along) {
                lanes[slot] = along as f32;
            }
        }
        (points, node, (radius as f32).next_up())
    }

    /// Also where squared distances are subnormal or zero.
    #[test]
    fn no_bound_is_less_than_the_distance() {
        let mut random = Random(51);
        for round in 0..2000 {
            let size = 2f64.powi([-80, -64, -20, 0, 10, 50][round % 6]);
            let origins = [(); 2].map(|()| random.offset(2).map(|x| (size * x) as f32));
            let translation = random.offset(round as i128 % 4).map(|x| size * x);
            let pose = random.pose(translation);
            let [(of_a, a, radius_a), (of_b, b, radius_b)] =
                origins.map(|origin| samples(&mut random, origin, size));
            let frames = [(origins[0], radius_a), (origins[1], radius_b)]
                .map(|(origin, radius)| TreeFrame { origin, radius });
            let distances: [f64; PAIRS] = core::array::from_fn(|pair| {
                let transformed = pose.apply(of_b[pair % PAIR_WIDTH].map(f64::from));
                let point = of_a[pair / PAIR_WIDTH].map(f64::from);
                (0..3).map(|axis| (transformed[axis] - point[axis]).powi(2)).sum::<f64>().sqrt()
            });
            let pairs = if round % 3 == 0 { 0xffff } else { random.below(0x10000) as u32 };
            for level in Level::available() {
                let (bound, slack) = dispatch!(level.inner(), simd => {
                    let relative = RelativePose::new(simd, &pose, &frames[0], &frames[1]);
                    (witness(simd, [&a, &b], &relative, pairs, f64::INFINITY), relative.slack())
                });
                let least = (0..PAIRS).filter(|pair| pairs & 1 << pair != 0).map(|pair| distances[pair]);
                let least = least.fold(f64::INFINITY, f64::min);
                let Some(WitnessBound { addresses: [of_a, of_b], upper }) = bound else {
                    assert_eq!(pairs, 0);
                    continue;
                };
                let pair = (of_a - 10) as usize * PAIR_WIDTH + (of_b - 10) as usize;
                assert!(pairs & 1 << pair != 0 && distances[pair] <= upper, "{level:?} {pose:?} {upper}");
                let most = least.max(f64::from(LEAST).sqrt()) + 3.0 * f64::from(slack);
                assert!(upper <= most, "{level:?} {pose:?}: {upper} {least} {slack}");
            }
        }
    }

    #[test]
    fn nothing_is_proven_beyond_the_limit() {
        let mut random = Random(52);
        let (_, node, radius) = samples(&mut random, [0.0; 3], 1.0);
        let frame = TreeFrame { origin: [0.0; 3], radius };
        let pose = random.pose([5.0, 0.0, 0.0]);
        let upper = |limit: f64| {
            dispatch!(Level::detect().expect("a level").inner(), simd => {
                witness(simd, [&node, &node], &RelativePose::new(simd, &pose, &frame, &frame), 0xffff, limit)
            })
            .map(|bound| bound.upper)
        };
        let least = upper(f64::INFINITY).expect("samples");
        assert_eq!([upper(1.01 * least), upper(least), upper(0.0)], [Some(least), None, None]);
    }
}
