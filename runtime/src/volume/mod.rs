//! The bounding volumes of pair queries: they prune, and are conservative whatever the rounding.

pub(crate) mod aabb;
pub(crate) mod convex;
pub(crate) mod gap;
pub(crate) mod kdop;
pub(crate) mod obb;
pub(crate) mod swept;

use crate::pair_tree::PairTree;
use crate::simd::Kernel;
use gap::Gaps;
use obb::{Motion, Overlaps};

/// The volumes that the nodes of two trees have.
pub(crate) trait Volume {
    /// A node: four children in a volume each.
    type Node: ?Sized;
    /// Where a node is made that is not in the file.
    type Room;

    fn room() -> Self::Room;

    fn node<'b>(tree: &PairTree<'b>, id: u32, room: &'b mut Self::Room) -> Option<&'b Self::Node>;

    /// The child reference in a slot, below four, of a node of this tree.
    fn child(tree: &PairTree<'_>, node: &Self::Node, slot: usize) -> u32;

    /// Which of these pairs of the children of A's and B's nodes may have a common point; a bit each, as in [`Overlaps`].
    fn overlaps<S: Kernel>(
        &self,
        simd: S,
        a: &Self::Node,
        b: &Self::Node,
        motion: &Motion,
        pairs: u32,
    ) -> Overlaps;
}

/// Volumes that bound distances from below.
pub(crate) trait Distant: Volume {
    /// How far apart these pairs of the children of A's and B's nodes are, at least, and which may be within the root of
    /// `reach2`.
    fn gaps<S: Kernel>(
        &self,
        simd: S,
        a: &Self::Node,
        b: &Self::Node,
        motion: &Motion,
        pairs: u32,
        reach2: f32,
    ) -> Gaps;
}
