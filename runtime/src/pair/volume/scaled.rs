//! Oriented boxes where B is scaled or mirrored: B's boxes are made as large as they are in A's space.
//!
//! # Why boxes that touch are never separated
//!
//! Centres are transformed by the pose's matrix, which scales and mirrors. A box with the rotation R and the half extents h is
//! mirrored in x, by M, to the points M c + M R y = M c + (M R M) (M y): as |y| <= h is symmetric, that is the box with the
//! rotation M R M, whose quaternion has y and z negated, and the same extents. Scaled ones are rounded up. All else is as of a
//! rigid pose: errors are relative to extents and to coordinates that are no larger than B's own.

use bvhc_format::obb::ObbNode;

use super::obb::{Obb, lower_bounds_of, overlaps_of};
use crate::pair::relative_pose::RelativePose;
use crate::pair::scaled_pose::ScaledPose;
use crate::pair::volumes::{LowerBounds, Opened, Overlaps, Volumes};
use crate::simd::Kernel;

/// The oriented boxes of two trees, of which B's shrink.
pub(super) struct ScaledObb<'a> {
    boxes: Obb<'a>,
    scale: f32,
    mirrors: bool,
}

impl<'a> ScaledObb<'a> {
    pub(super) fn new(boxes: Obb<'a>, pose: &ScaledPose) -> Self {
        Self { boxes, scale: (pose.scale as f32).next_up(), mirrors: pose.mirrors }
    }

    /// A's node, and B's as it is in A's space.
    #[inline(always)]
    fn open(&mut self, nodes: [u32; 2]) -> Option<(&ObbNode, ObbNode)> {
        let (scale, mirrors) = (self.scale, self.mirrors);
        let [a, b] = self.boxes.open(nodes)?;
        let mut b = *b;
        for half in b.half_extents.as_flattened_mut() {
            // Those of empty slots are negative.
            if *half >= 0.0 {
                *half = (*half * scale).next_up();
            }
        }
        if mirrors {
            for part in b.rotation[1..3].as_flattened_mut() {
                *part = -*part;
            }
        }
        Some((a, b))
    }
}

impl<S: Kernel> Volumes<S> for ScaledObb<'_> {
    #[inline(always)]
    fn overlaps(
        &mut self,
        simd: S,
        nodes: [u32; 2],
        pose: &RelativePose,
        pairs: u32,
    ) -> Option<Opened<Overlaps>> {
        let ranks = self.boxes.ranks();
        let (a, b) = self.open(nodes)?;
        Some(overlaps_of(simd, a, &b, pose, pairs, ranks))
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
        let (a, b) = self.open(nodes)?;
        Some(lower_bounds_of(simd, a, &b, pose, pairs, limit2))
    }
}
