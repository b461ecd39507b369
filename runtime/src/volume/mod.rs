//! The bounding volumes of pair queries: they prune, and are conservative whatever the rounding.

pub(crate) mod aabb;
pub(crate) mod convex;
pub(crate) mod gap;
pub(crate) mod kdop;
pub(crate) mod obb;
pub(crate) mod sampled;
pub(crate) mod swept;

use crate::pair_tree::PairTree;
use crate::simd::Kernel;
use gap::LowerBounds;
use obb::{Motion, Overlaps};

/// The volumes that the nodes of two trees have.
pub(crate) trait Volume {
    /// A node: four children in a volume each.
    type Node<'a>: Copy;
    /// Where a node is made that is not in the file.
    type Room;

    fn room() -> Self::Room;

    fn node<'b>(tree: &PairTree<'b>, id: u32, room: &'b mut Self::Room) -> Option<Self::Node<'b>>;

    /// The child reference in a slot, below four, of a node of this tree.
    fn child(tree: &PairTree<'_>, node: Self::Node<'_>, slot: usize) -> u32;

    /// Which of these pairs of the children of A's and B's nodes may have a common point; a bit each, as in [`Overlaps`].
    fn overlaps<S: Kernel>(
        &self,
        simd: S,
        a: Self::Node<'_>,
        b: Self::Node<'_>,
        motion: &Motion,
        pairs: u32,
    ) -> Overlaps;
}

/// Volumes that bound distances from below.
pub(crate) trait DistanceBound: Volume {
    /// How far apart these pairs of the children of A's and B's nodes are, at least, and which may be within the root of
    /// `reach2`.
    fn gaps<S: Kernel>(
        &self,
        simd: S,
        a: Self::Node<'_>,
        b: Self::Node<'_>,
        motion: &Motion,
        pairs: u32,
        reach2: f32,
    ) -> LowerBounds;

    /// Two triangles below these pairs of the nodes' children that are nearer to each other than `limit`, if the volume knows
    /// any of which that is proven.
    #[inline(always)]
    fn proof<S: Kernel>(
        &self,
        _simd: S,
        _nodes: [Self::Node<'_>; 2],
        _motion: &Motion,
        _pairs: u32,
        _limit: f64,
    ) -> Option<WitnessBound> {
        None
    }
}

/// Two triangles, and how far they are apart at most.
pub(crate) struct WitnessBound {
    /// Where A's and B's leaves hold them.
    pub(crate) places: [u32; 2],
    pub(crate) upper: f64,
}
