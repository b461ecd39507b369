//! Nodes of oriented boxes where B is scaled or mirrored: B's boxes are made as large as they are in A's space.
//!
//! # Why boxes that touch are never separated
//!
//! Centres are transformed by the pose's matrix, which scales and mirrors. A box with the rotation R and the half extents h is
//! mirrored in x, by M, to the points M c + M R y = M c + (M R M) (M y): as |y| <= h is symmetric, that is the box with the
//! rotation M R M, whose quaternion has y and z negated, and the same extents. Scaled ones are rounded up. All else is as of a
//! rigid pose: errors are relative to extents and to coordinates that are no larger than B's own.

use bvhc_format::obb::ObbNode;

use super::obb::ObbNodes;
use crate::pair::scaled_pose::ScaledPose;

/// The nodes of a tree, whose boxes shrink.
#[derive(Clone, Copy)]
pub(crate) struct ScaledNodes<'a> {
    nodes: &'a ObbNodes<'a>,
    scale: f32,
    mirrors: bool,
}

impl<'a> ScaledNodes<'a> {
    pub(crate) fn new(nodes: &'a ObbNodes<'a>, pose: &ScaledPose) -> Self {
        Self { nodes, scale: (pose.scale as f32).next_up(), mirrors: pose.mirrors }
    }

    /// A node, as it is in A's space, built in `scratch`.
    #[inline(never)]
    pub(super) fn make<'n>(&self, id: u32, scratch: &'n mut Option<ObbNode>) -> Option<&'n ObbNode> {
        let mut node = *self.nodes.get(id, &mut None)?;
        for half in node.half_extents.as_flattened_mut() {
            // Those of empty slots are negative.
            if *half >= 0.0 {
                *half = (*half * self.scale).next_up();
            }
        }
        if self.mirrors {
            for part in node.rotation[1..3].as_flattened_mut() {
                *part = -*part;
            }
        }
        Some(scratch.insert(node))
    }
}
