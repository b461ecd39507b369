//! Questions about two trees, which each volume can prune.

use super::answers::Exhausted;
use super::relative_pose::RelativePose;
use super::tree::PairTree;
use super::volumes::Volumes;
use crate::simd::Kernel;

/// A question about two trees.
pub(crate) trait Question {
    /// The answer.
    type Answer;

    /// Whether overlap depths are needed, to order the walk.
    fn ranks(&self) -> bool;

    /// Whether the answer is [`nothing`](Self::nothing), whatever the trees are.
    fn is_answered(&self) -> bool;

    /// Models farther apart than this have the answer [`nothing`](Self::nothing).
    #[cfg_attr(not(feature = "volumes"), allow(dead_code))]
    fn limit(&self) -> f64;

    /// The answer if nothing is found.
    fn nothing(self) -> Self::Answer;

    /// The answer of a walk.
    fn walk<S: Kernel>(
        self,
        simd: S,
        trees: [PairTree<'_>; 2],
        volumes: &mut (impl Volumes<S> + ?Sized),
        pose: RelativePose,
    ) -> Result<Self::Answer, Exhausted>;
}
