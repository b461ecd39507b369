//! Dispatches on the volume that the caller names, to the trees that store it: the only place that knows all kinds.

#[cfg(feature = "volumes")]
mod others;

#[cfg(feature = "volumes")]
use bvhc_format::swept::Cores;

use super::answers::Exhausted;
use super::relative_pose::RelativePose;
use super::tree::PairTree;
use super::tree::obb::ObbNodes;
use super::volume::Volumes;
#[cfg(feature = "volumes")]
use super::volume::kdop::Realign;
use super::volume::obb::Obb;
use crate::model::Model;
use crate::pose::Pose;
use crate::simd::Kernel;

/// The bounding volumes that prune a query of two models. They determine how long it takes, not what it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Volume {
    /// Oriented boxes; axis-aligned ones for a model whose file has no others.
    #[default]
    Obb,
    /// k-DOPs; B's are realigned to A's directions in this way.
    #[cfg(feature = "volumes")]
    Kdop(Realign),
    /// Axis-aligned boxes.
    Aabb,
    /// Spheres swept along cores of this kind.
    #[cfg(feature = "volumes")]
    Swept(Cores),
    /// Oriented boxes with a sample vertex beside each, which gives upper bounds of distances. Samples do not help
    /// collision queries.
    #[cfg(feature = "volumes")]
    Samples,
}

/// Why a query of two models has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The limit on work was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// A file has no tree of k-DOPs, or B's lacks the tables, directions or hull that the realignment needs.
    #[cfg(feature = "volumes")]
    #[error("the files have no trees of k-DOPs that can be realigned by {}", .0.name())]
    NoKdops(Realign),
    /// A file has no tree of swept spheres with such cores.
    #[cfg(feature = "volumes")]
    #[error("the files have no trees of swept spheres of the kind {}", .0.name())]
    NoSwept(Cores),
    /// A file has no sample vertices for its tree of oriented boxes.
    #[cfg(feature = "volumes")]
    #[error("the files have no samples beside their trees of oriented boxes")]
    NoSamples,
}

/// A question about two trees.
pub(super) trait Question {
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

/// Answers a question with these volumes. The caller compiles this for the level.
#[inline(always)]
pub(super) fn ask<S: Kernel, Q: Question>(
    simd: S,
    models: [&Model<'_>; 2],
    pose: &Pose,
    volume: Volume,
    question: Q,
) -> Result<Q::Answer, PairError> {
    // Without `map`, which is not inlined here: the trees would be copied through memory.
    let [a, b] = models;
    match volume {
        Volume::Obb => {
            let trees = [PairTree::of_obbs(a), PairTree::of_obbs(b)];
            by_boxes(simd, trees, [ObbNodes::of(a), ObbNodes::of(b)], pose, question)
        }
        Volume::Aabb => {
            let trees = [PairTree::of_aabbs(a), PairTree::of_aabbs(b)];
            by_boxes(simd, trees, [ObbNodes::of_aabbs(a), ObbNodes::of_aabbs(b)], pose, question)
        }
        #[cfg(feature = "volumes")]
        Volume::Kdop(realign) => others::by_kdops(simd, models, pose, realign, question),
        #[cfg(feature = "volumes")]
        Volume::Swept(cores) => others::by_swept(simd, models, pose, cores, question),
        #[cfg(feature = "volumes")]
        Volume::Samples => others::by_samples(simd, models, pose, question),
    }
}

/// With oriented boxes, or axis-aligned ones read as such: has its own copy of the walk, since it is used most.
#[inline(always)]
fn by_boxes<S: Kernel, Q: Question>(
    simd: S,
    trees: [PairTree<'_>; 2],
    nodes: [ObbNodes<'_>; 2],
    pose: &Pose,
    question: Q,
) -> Result<Q::Answer, PairError> {
    if question.is_answered() {
        return Ok(question.nothing());
    }
    let pose = RelativePose::new(simd, pose, trees[0].frame(), trees[1].frame());
    let mut volumes = Obb::new(nodes, question.ranks());
    Ok(question.walk(simd, trees, &mut volumes, pose)?)
}
