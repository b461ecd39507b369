//! Bounding volumes: the only place that knows all kinds.

pub(super) mod aabb;
#[cfg(feature = "volumes")]
mod hulls;
#[cfg(feature = "volumes")]
mod kdop;
mod obb;
mod obb_bounds;
#[cfg(feature = "volumes")]
mod samples;
mod scaled;
#[cfg(feature = "volumes")]
mod swept;

use core::fmt;

#[cfg(feature = "volumes")]
use bvhc_format::swept::{Core, Cores};

#[cfg(feature = "volumes")]
pub use kdop::Realign;

use super::answers::Exhausted;
use super::question::Question;
use super::relative_pose::RelativePose;
use super::scaled_pose::ScaledPose;
use super::tree::PairTree;
use super::tree::obb::ObbNodes;
#[cfg(feature = "volumes")]
use super::volumes::{NoWalk, Walkable};
use super::volumes::{Outlined, Volumes};
use crate::model::Model;
use crate::pose::Pose;
use crate::simd::Kernel;
use obb::Obb;
use scaled::ScaledObb;

/// The bounding volumes that prune a query of two models. They determine how long it takes, not what it finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Volume {
    /// Oriented boxes; axis-aligned ones for a model whose file has no others.
    #[default]
    Obb,
    /// Axis-aligned boxes.
    Aabb,
    /// k-DOPs; B's are realigned to A's directions in this way.
    #[cfg(feature = "volumes")]
    Kdop(Realign),
    /// Spheres swept along cores of this kind.
    #[cfg(feature = "volumes")]
    Swept(Cores),
    /// Oriented boxes with a sample vertex beside each, which gives upper bounds of distances. Samples do not help
    /// collision queries.
    #[cfg(feature = "volumes")]
    Samples,
    /// Convex hulls of a few vertices, grown by a radius.
    #[cfg(feature = "volumes")]
    Hulls,
}

impl Volume {
    /// All kinds; k-DOPs with the default realignment.
    pub const ALL: &[Self] = &[
        Self::Obb,
        Self::Aabb,
        #[cfg(feature = "volumes")]
        Self::Kdop(Realign::Triples),
        #[cfg(feature = "volumes")]
        Self::Swept(Cores::Same(Core::Rectangle)),
        #[cfg(feature = "volumes")]
        Self::Swept(Cores::Same(Core::Line)),
        #[cfg(feature = "volumes")]
        Self::Swept(Cores::Same(Core::Point)),
        #[cfg(feature = "volumes")]
        Self::Swept(Cores::Hybrid),
        #[cfg(feature = "volumes")]
        Self::Samples,
        #[cfg(feature = "volumes")]
        Self::Hulls,
    ];

    /// The name on the command line: in `--volume`, and in `--trees` for the files that have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Obb => "obb",
            Self::Aabb => "aabb",
            #[cfg(feature = "volumes")]
            Self::Kdop(_) => "kdop",
            #[cfg(feature = "volumes")]
            Self::Swept(cores) => cores.name(),
            #[cfg(feature = "volumes")]
            Self::Samples => "samples",
            #[cfg(feature = "volumes")]
            Self::Hulls => "hulls",
        }
    }

    /// What it is, in a few words.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Obb => "Oriented boxes",
            Self::Aabb => "Axis-aligned boxes",
            #[cfg(feature = "volumes")]
            Self::Kdop(_) => "k-DOPs",
            #[cfg(feature = "volumes")]
            Self::Swept(cores) => match cores {
                Cores::Same(Core::Point) => "Spheres",
                Cores::Same(Core::Line) => "Line-swept spheres",
                Cores::Same(Core::Rectangle) => "Rectangle-swept spheres",
                Cores::Hybrid => "In each node one of the three kinds of swept spheres",
            },
            #[cfg(feature = "volumes")]
            Self::Samples => "Oriented boxes with sample vertices, for distances",
            #[cfg(feature = "volumes")]
            Self::Hulls => "Convex hulls",
        }
    }
}

/// Why a query of two models has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairError {
    /// The limit on work was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
    /// A file does not have these volumes, or B's lacks the tables, directions or hull that a realignment needs.
    #[error("{}", Missing(*.0))]
    NoVolumes(Volume),
}

/// That files do not have a volume, in words.
struct Missing(Volume);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, description) = (self.0.name(), self.0.description());
        write!(
            f,
            "the files do not both have the volume {name} ({description}), which `--trees {name}` adds"
        )?;
        match self.0 {
            #[cfg(feature = "volumes")]
            Volume::Kdop(realign) => write!(f, ", for realignment by {}", realign.name()),
            _ => Ok(()),
        }
    }
}

/// Answers a question with these volumes. The caller compiles this for the level.
#[inline(always)]
pub(crate) fn ask<S: Kernel, Q: Question>(
    simd: S,
    models: [&Model<'_>; 2],
    pose: &Pose,
    volume: Volume,
    question: Q,
) -> Result<Q::Answer, PairError> {
    match volume {
        // One call for both: it contains the walk.
        Volume::Obb | Volume::Aabb => by_boxes(simd, models, volume == Volume::Aabb, pose, question),
        #[cfg(feature = "volumes")]
        Volume::Kdop(realign) => {
            let (limit, ranks) = (question.limit(), question.ranks());
            by_others(simd, kdop::open(simd, models, pose, realign, limit, ranks), volume, question)
        }
        #[cfg(feature = "volumes")]
        Volume::Swept(cores) => by_others(simd, swept::open(simd, models, pose, cores), volume, question),
        #[cfg(feature = "volumes")]
        Volume::Samples => {
            by_others(simd, samples::open(simd, models, pose, question.ranks()), volume, question)
        }
        #[cfg(feature = "volumes")]
        Volume::Hulls => by_others(simd, hulls::open(simd, models, pose), volume, question),
    }
}

/// With oriented boxes, or axis-aligned ones read as such: has its own copy of the walk, since it is used most.
#[inline(always)]
fn by_boxes<S: Kernel, Q: Question>(
    simd: S,
    [a, b]: [&Model<'_>; 2],
    are_axis_aligned: bool,
    pose: &Pose,
    question: Q,
) -> Result<Q::Answer, PairError> {
    if question.is_answered() {
        return Ok(question.nothing());
    }
    // Without `map`, which is not inlined here: the trees would be copied through memory.
    let (trees, nodes) = if are_axis_aligned {
        ([PairTree::of_aabbs(a), PairTree::of_aabbs(b)], [ObbNodes::of_aabbs(a), ObbNodes::of_aabbs(b)])
    } else {
        ([PairTree::of_obbs(a), PairTree::of_obbs(b)], [ObbNodes::of(a), ObbNodes::of(b)])
    };
    let pose = RelativePose::new(simd, pose, trees[0].frame(), trees[1].frame());
    let mut volumes = Obb::new(nodes, question.ranks());
    Ok(question.walk(simd, trees, &mut volumes, pose)?)
}

/// Answers a question where B shrinks, with oriented boxes, or axis-aligned ones read as such. The caller compiles this for the
/// level. Shares the walks of volumes other than boxes.
#[inline(always)]
pub(crate) fn ask_scaled<S: Kernel, Q: Question>(
    simd: S,
    [a, b]: [&Model<'_>; 2],
    pose: &ScaledPose,
    question: Q,
) -> Result<Q::Answer, PairError> {
    if question.is_answered() {
        return Ok(question.nothing());
    }
    let trees = [PairTree::of_obbs(a), PairTree::of_obbs(b)];
    let relative = RelativePose::scaled(simd, pose, trees[0].frame(), trees[1].frame());
    let boxes = Obb::new([ObbNodes::of(a), ObbNodes::of(b)], question.ranks());
    Ok(walk(simd, trees, &mut Outlined(ScaledObb::new(boxes, pose)), relative, question)?)
}

/// With volumes other than boxes, which share one copy of each walk.
#[cfg(feature = "volumes")]
#[inline(always)]
fn by_others<'a, S: Kernel, Q: Question, V: Volumes<S> + 'a>(
    simd: S,
    walkable: Result<Walkable<'a, V>, NoWalk>,
    volume: Volume,
    question: Q,
) -> Result<Q::Answer, PairError> {
    match walkable {
        Err(NoWalk::Missing) => Err(PairError::NoVolumes(volume)),
        Err(NoWalk::Apart) => Ok(question.nothing()),
        Ok(_) if question.is_answered() => Ok(question.nothing()),
        Ok(Walkable { trees, volumes, pose }) => {
            Ok(walk(simd, trees, &mut Outlined(volumes), pose, question)?)
        }
    }
}

fn walk<S: Kernel, Q: Question>(
    simd: S,
    trees: [PairTree<'_>; 2],
    volumes: &mut dyn Volumes<S>,
    pose: RelativePose,
    question: Q,
) -> Result<Q::Answer, Exhausted> {
    simd.vectorize(
        #[inline(always)]
        || question.walk(simd, trees, volumes, pose),
    )
}
