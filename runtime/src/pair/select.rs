//! Dispatches on the volume that the caller names, to the trees that store it: the only place that knows all kinds.

use bvhc_format::swept::Cores;

use super::answers::Exhausted;
use super::relative_pose::RelativePose;
use super::tree::obb::ObbNodes;
use super::tree::{Leaves, PairTree};
use super::volume::kdop::{self, KdopVolumes, Kdops, Realign};
use super::volume::obb::Obb;
use super::volume::samples::Samples;
use super::volume::swept::Swept;
use super::volume::{Outlined, Volumes};
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
    Kdop(Realign),
    /// Axis-aligned boxes.
    Aabb,
    /// Spheres swept along cores of this kind.
    Swept(Cores),
    /// Oriented boxes with a sample vertex beside each, which gives upper bounds of distances. Samples do not help
    /// collision queries.
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
    #[error("the files have no trees of k-DOPs that can be realigned by {}", .0.name())]
    NoKdops(Realign),
    /// A file has no tree of swept spheres with such cores.
    #[error("the files have no trees of swept spheres of the kind {}", .0.name())]
    NoSwept(Cores),
    /// A file has no sample vertices for its tree of oriented boxes.
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
        Volume::Kdop(realign) => by_kdops(simd, models, pose, realign, question),
        Volume::Swept(cores) => by_swept(simd, models, pose, cores, question),
        Volume::Samples => by_samples(simd, models, pose, question),
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

/// With any other volumes, which share one copy of the walk.
#[inline(always)]
fn by_others<S: Kernel, Q: Question>(
    simd: S,
    trees: [PairTree<'_>; 2],
    volumes: &mut dyn Volumes<S>,
    pose: RelativePose,
    question: Q,
) -> Result<Q::Answer, PairError> {
    if question.is_answered() {
        return Ok(question.nothing());
    }
    let answer = simd.vectorize(
        #[inline(always)]
        || question.walk(simd, trees, volumes, pose),
    );
    Ok(answer?)
}

fn by_kdops<S: Kernel, Q: Question>(
    simd: S,
    [a, b]: [&Model<'_>; 2],
    pose: &Pose,
    realign: Realign,
    question: Q,
) -> Result<Q::Answer, PairError> {
    let (Some(tree_a), Some(tree_b), Some(layout_a), Some(layout_b)) =
        (a.kdop_tree(), b.kdop_tree(), a.kdop_layout(), b.kdop_layout())
    else {
        return Err(PairError::NoKdops(realign));
    };
    let hull = if realign == Realign::Hull { b.hull() } else { None };
    if !realign.can_use(&layout_b) || realign == Realign::Hull && hull.is_none() {
        return Err(PairError::NoKdops(realign));
    }
    let (rows, layouts) = ([tree_a.rows.get(), tree_b.rows.get()], [layout_a, layout_b]);
    let nodes = [rows[0].len() / layout_a.rows(), rows[1].len() / layout_b.rows()];
    let leaves = [Leaves::Stored(tree_a.leaves.get()), Leaves::Stored(tree_b.leaves.get())];
    let trees = [
        PairTree::stored(a, (&tree_a.origin, tree_a.radius), leaves[0], 0, nodes[0]),
        PairTree::stored(b, (&tree_b.origin, tree_b.radius), leaves[1], 0, nodes[1]),
    ];
    let frames = [trees[0].frame(), trees[1].frame()];
    let pose = RelativePose::new(simd, pose, frames[0], frames[1]);
    let root = hull.as_ref().zip(kdop::node(rows[0], &layout_a, 0));
    if root
        .is_some_and(|(hull, node)| kdop::are_apart(&layout_a, node, hull, frames, &pose, question.limit()))
    {
        return Ok(question.nothing());
    }
    let radii = frames.map(|frame| frame.radius);
    let test = Kdops::new(simd, [&layout_a, &layout_b], radii, &pose, realign, question.ranks());
    by_others(simd, trees, &mut Outlined(KdopVolumes { rows, layouts, test }), pose, question)
}

fn by_swept<S: Kernel, Q: Question>(
    simd: S,
    models: [&Model<'_>; 2],
    pose: &Pose,
    cores: Cores,
    question: Q,
) -> Result<Q::Answer, PairError> {
    let [a, b] = models;
    let (Some((tree_a, layout_a)), Some((tree_b, layout_b))) = (a.swept_tree(), b.swept_tree()) else {
        return Err(PairError::NoSwept(cores));
    };
    if layout_a.cores != cores || layout_b.cores != cores {
        return Err(PairError::NoSwept(cores));
    }
    let rows = [(tree_a.rows.get(), layout_a), (tree_b.rows.get(), layout_b)];
    let nodes = rows.map(|(rows, layout)| layout.most_nodes(rows.len()));
    let leaves = [Leaves::Stored(tree_a.leaves.get()), Leaves::Stored(tree_b.leaves.get())];
    let trees = [
        PairTree::stored(a, (&tree_a.origin, tree_a.radius), leaves[0], layout_a.root(), nodes[0]),
        PairTree::stored(b, (&tree_b.origin, tree_b.radius), leaves[1], layout_b.root(), nodes[1]),
    ];
    let pose = RelativePose::new(simd, pose, trees[0].frame(), trees[1].frame());
    by_others(simd, trees, &mut Outlined(Swept::new(rows)), pose, question)
}

fn by_samples<S: Kernel, Q: Question>(
    simd: S,
    models: [&Model<'_>; 2],
    pose: &Pose,
    question: Q,
) -> Result<Q::Answer, PairError> {
    let (Some(of_a), Some(of_b)) = (models[0].samples(), models[1].samples()) else {
        return Err(PairError::NoSamples);
    };
    let trees = models.map(PairTree::of_obbs);
    let boxes = Obb::new(models.map(ObbNodes::of), question.ranks());
    let pose = RelativePose::new(simd, pose, trees[0].frame(), trees[1].frame());
    by_others(simd, trees, &mut Outlined(Samples::new(boxes, [of_a, of_b])), pose, question)
}
