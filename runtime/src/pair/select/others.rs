//! Volumes other than boxes, which share one copy of each walk.

use bvhc_format::swept::Cores;

use super::{PairError, Question};
use crate::model::Model;
use crate::pair::relative_pose::RelativePose;
use crate::pair::tree::PairTree;
use crate::pair::tree::obb::ObbNodes;
use crate::pair::volume::kdop::{self, KdopVolumes, Kdops, Realign};
use crate::pair::volume::obb::Obb;
use crate::pair::volume::samples::Samples;
use crate::pair::volume::swept::Swept;
use crate::pair::volume::{Outlined, Volumes};
use crate::pose::Pose;
use crate::simd::Kernel;

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

pub(super) fn by_kdops<S: Kernel, Q: Question>(
    simd: S,
    models: [&Model<'_>; 2],
    pose: &Pose,
    realign: Realign,
    question: Q,
) -> Result<Q::Answer, PairError> {
    match open_kdops(simd, models, pose, realign, (question.limit(), question.ranks()))? {
        None => Ok(question.nothing()),
        Some((trees, mut volumes, pose)) => by_others(simd, trees, &mut volumes, pose, question),
    }
}

/// What a walk needs.
type Walkable<'a, V> = ([PairTree<'a>; 2], Outlined<V>, RelativePose);

/// `None` if the roots are farther apart than the limit. Compiled once for all questions.
#[inline(never)]
fn open_kdops<'a, S: Kernel>(
    simd: S,
    [a, b]: [&'a Model<'a>; 2],
    pose: &Pose,
    realign: Realign,
    (limit, ranks): (f64, bool),
) -> Result<Option<Walkable<'a, KdopVolumes<'a>>>, PairError> {
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
    let trees = [
        PairTree::stored(a, (&tree_a.origin, tree_a.radius), 0, nodes[0]),
        PairTree::stored(b, (&tree_b.origin, tree_b.radius), 0, nodes[1]),
    ];
    let frames = [trees[0].frame(), trees[1].frame()];
    let pose = RelativePose::new(simd, pose, frames[0], frames[1]);
    let root = hull.as_ref().zip(kdop::node(rows[0], &layout_a, 0));
    if root.is_some_and(|(hull, node)| kdop::are_apart(&layout_a, node, hull, frames, &pose, limit)) {
        return Ok(None);
    }
    let radii = frames.map(|frame| frame.radius);
    let test = Kdops::new(simd, [&layout_a, &layout_b], radii, &pose, realign, ranks);
    Ok(Some((trees, Outlined(KdopVolumes { rows, layouts, test }), pose)))
}

pub(super) fn by_swept<S: Kernel, Q: Question>(
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
    let trees = [
        PairTree::stored(a, (&tree_a.origin, tree_a.radius), layout_a.root(), nodes[0]),
        PairTree::stored(b, (&tree_b.origin, tree_b.radius), layout_b.root(), nodes[1]),
    ];
    let pose = RelativePose::new(simd, pose, trees[0].frame(), trees[1].frame());
    by_others(simd, trees, &mut Outlined(Swept::new(rows)), pose, question)
}

pub(super) fn by_samples<S: Kernel, Q: Question>(
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
