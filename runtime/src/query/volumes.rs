//! The volumes that the caller names, and the trees that have them.

use bvhc_format::kdop::KdopLayout;
use bvhc_format::swept::Cores;

use super::pairs::Exhausted;
use crate::hull::Hull;
use crate::model::Model;
use crate::pair_tree::PairTree;
use crate::pose::Pose;
use crate::simd::Kernel;
use crate::volume::kdop::{self, Kdops, Realign};
use crate::volume::obb::Motion;

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

/// Why a query by given volumes has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeError {
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

/// The trees that a query asks.
pub(super) enum Trees<'a> {
    /// Of oriented boxes, or of axis-aligned ones that are read as such.
    Boxes([PairTree<'a>; 2]),
    Kdops(KdopTrees<'a>),
    Swept([PairTree<'a>; 2]),
    /// Of oriented boxes with samples beside them.
    Samples([PairTree<'a>; 2]),
}

impl<'a> Trees<'a> {
    /// Those of two models that have these volumes.
    pub(super) fn of([a, b]: [&'a Model<'a>; 2], volume: Volume) -> Result<Self, VolumeError> {
        match volume {
            Volume::Obb => Ok(Self::Boxes([PairTree::of(a), PairTree::of(b)])),
            Volume::Aabb => Ok(Self::Boxes([PairTree::of_aabbs(a), PairTree::of_aabbs(b)])),
            Volume::Kdop(realign) => KdopTrees::of([a, b], realign).map(Self::Kdops),
            Volume::Swept(cores) => match (PairTree::of_swept(a, cores), PairTree::of_swept(b, cores)) {
                (Some(a), Some(b)) => Ok(Self::Swept([a, b])),
                _ => Err(VolumeError::NoSwept(cores)),
            },
            Volume::Samples => match (PairTree::of_samples(a), PairTree::of_samples(b)) {
                (Some(a), Some(b)) => Ok(Self::Samples([a, b])),
                _ => Err(VolumeError::NoSamples),
            },
        }
    }
}

/// Two trees of k-DOPs, and how B's are realigned.
pub(super) struct KdopTrees<'a> {
    pub(super) trees: [PairTree<'a>; 2],
    layouts: [KdopLayout; 2],
    realign: Realign,
    /// B's, where the realignment is by it.
    hull: Option<Hull<'a>>,
}

impl<'a> KdopTrees<'a> {
    /// Those of two models, if they have such as can be realigned in this way.
    fn of([a, b]: [&'a Model<'a>; 2], realign: Realign) -> Result<Self, VolumeError> {
        let trees = || {
            let trees = [PairTree::of_kdops(a)?, PairTree::of_kdops(b)?];
            let layouts = [trees[0].kdop_layout()?, trees[1].kdop_layout()?];
            let hull = if realign == Realign::Hull { Some(b.hull()?) } else { None };
            realign.can_use(&layouts[1]).then_some(Self { trees, layouts, realign, hull })
        };
        trees().ok_or(VolumeError::NoKdops(realign))
    }

    /// B's pose between the trees.
    #[inline(always)]
    pub(super) fn motion<S: Kernel>(&self, simd: S, pose: &Pose) -> Motion {
        Motion::new(simd, pose, self.trees[0].place(), self.trees[1].place())
    }

    /// Whether the hull tells that the models are farther from each other than this.
    pub(super) fn are_apart(&self, motion: &Motion, limit: f64) -> bool {
        let [a, b] = &self.trees;
        let root = self.hull.as_ref().zip(a.kdop_node(0));
        root.is_some_and(|(hull, node)| {
            kdop::are_apart(&self.layouts[0], node, hull, [a.place(), b.place()], motion, limit)
        })
    }

    /// The volumes at that pose; `ranks` asks for the depths of overlaps.
    #[inline(always)]
    pub(super) fn volume<S: Kernel>(&self, simd: S, motion: &Motion, ranks: bool) -> Kdops {
        let ([a, b], [of_a, of_b]) = (&self.trees, &self.layouts);
        let radii = [a.place().radius, b.place().radius];
        Kdops::new(simd, [of_a, of_b], radii, motion, self.realign, ranks)
    }
}
