//! The volumes that the caller names, and the trees that have them: the one place that knows all kinds.

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

/// The volumes that prune a query on two models: whether they meet, or how far they are apart. They decide how long it
/// takes, but not what it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Volume {
    /// Oriented boxes, and axis-aligned ones of a model whose file has no other.
    #[default]
    Obb,
    /// k-DOPs, B's realigned to A's directions in this way.
    Kdop(Realign),
    /// Axis-aligned boxes.
    Aabb,
    /// Spheres swept along such cores.
    Swept(Cores),
    /// Oriented boxes, with the stored vertices beside them: these bound distances from above. Of whether models meet, they
    /// tell nothing.
    Samples,
}

/// Why a query of two models has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The limit on work was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// A file has no tree of k-DOPs, or B's does not have the tables, directions or hull that the realignment needs.
    #[error("the files have no trees of k-DOPs that can be realigned by {}", .0.name())]
    NoKdops(Realign),
    /// A file has no tree of swept spheres with such cores.
    #[error("the files have no trees of swept spheres of the kind {}", .0.name())]
    NoSwept(Cores),
    /// A file has no vertices beside its tree of oriented boxes.
    #[error("the files have no samples beside their trees of oriented boxes")]
    NoSamples,
}

/// What is asked of two trees.
pub(super) trait Question {
    /// The answer.
    type Answer;

    /// Whether it matters how deep volumes are in each other.
    fn ranks(&self) -> bool;

    /// Whether there is nothing to find, whatever the trees are.
    fn is_answered(&self) -> bool;

    /// Of models that are farther apart than this there is nothing to find.
    fn limit(&self) -> f64;

    /// The answer where they are.
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

/// Asks two models by these volumes, compiled for the level by the caller.
#[inline(always)]
pub(super) fn ask<S: Kernel, Q: Question>(
    simd: S,
    models: [&Model<'_>; 2],
    pose: &Pose,
    volume: Volume,
    question: Q,
) -> Result<Q::Answer, PairError> {
    match volume {
        Volume::Obb => {
            by_boxes(simd, models.map(PairTree::of_obbs), models.map(ObbNodes::of), pose, question)
        }
        Volume::Aabb => {
            by_boxes(simd, models.map(PairTree::of_aabbs), models.map(ObbNodes::of_aabbs), pose, question)
        }
        Volume::Kdop(realign) => by_kdops(simd, models, pose, realign, question),
        Volume::Swept(cores) => by_swept(simd, models, pose, cores, question),
        Volume::Samples => by_samples(simd, models, pose, question),
    }
}

/// By oriented boxes, or by axis-aligned ones that are read as such: a walk of its own, since it is what most ask by.
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

/// By any other volumes: one walk for all.
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
