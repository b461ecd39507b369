//! Pairs of triangles of two models that meet.

use core::ops::ControlFlow;

use super::volumes::{KdopTrees, Trees, Volume, VolumeError};
use crate::level::Level;
use crate::model::Model;
use crate::pair_tree::PairTree;
use crate::pose::Pose;
use crate::simd::{Kernel, dispatch};
use crate::volume::obb::{Motion, Oriented};
use crate::volume::swept::Swept;
use crate::volume::{self, aabb};
use crate::walk::pairs::{Aim, walk};

/// Two triangles with a common point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The triangle's number in A.
    pub a: u32,
    /// The triangle's number in B.
    pub b: u32,
}

/// What pair queries may do and have done. The counts add up over queries, and the limit is for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkBudget {
    /// Steps left: visits of two nodes, or of two leaves.
    pub left: u64,
    /// Pairs of nodes visited; each is sixteen pairs of boxes.
    pub node_pairs: u64,
    /// Pairs of leaves visited; each is up to sixteen pairs of triangles.
    pub leaf_pairs: u64,
    /// Pairs of triangles that only exact arithmetic could decide.
    pub exact_tests: u64,
}

/// The limit on a query's work was reached before its answer was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the limit on work was reached before the answer was known")]
pub struct Exhausted;

impl WorkBudget {
    /// As much as it takes.
    pub const fn unlimited() -> Self {
        Self::of_steps(u64::MAX)
    }

    /// At most this many steps, each of which takes about 0.1 microseconds.
    pub const fn of_steps(steps: u64) -> Self {
        Self { left: steps, node_pairs: 0, leaf_pairs: 0, exact_tests: 0 }
    }

    #[inline(always)]
    pub(crate) fn spend(&mut self) -> Result<(), Exhausted> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Exhausted),
        }
    }
}

impl Default for WorkBudget {
    fn default() -> Self {
        Self::unlimited()
    }
}

/// Mesh against mesh. `self` is A, `other` is B, and `pose` is B's in A's space; either may be the same model.
///
/// Triangles are closed surfaces: touching counts, a mesh inside another one meets nothing. B's vertices are where
/// [`Pose::apply`] puts them, in f64, and from there on the answer is exact; it is the same on every CPU. The trees of
/// oriented boxes are used where the files have them, else the AABB trees, which takes several times as long. Nothing
/// allocates or panics. In files from strangers a walk through two corrupt trees can take as many steps as their nodes,
/// multiplied: there, limit the [`WorkBudget`].
impl Model<'_> {
    /// Whether any two triangles meet. Stops at the first pair found.
    pub fn collides(&self, other: &Model<'_>, pose: &Pose) -> bool {
        self.first_pair(other, pose).is_some()
    }

    /// Two triangles that meet, if any do. Which ones is not specified, and may differ between CPUs.
    pub fn first_pair(&self, other: &Model<'_>, pose: &Pose) -> Option<Pair> {
        // Without a limit, only a corrupt file can exhaust it.
        self.first_pair_with(other, pose, &mut WorkBudget::unlimited()).unwrap_or(None)
    }

    /// As [`first_pair`](Self::first_pair), with a limit on the work.
    ///
    /// # Errors
    /// [`Exhausted`], where the limit is reached before a pair is found or ruled out.
    pub fn first_pair_with(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        budget: &mut WorkBudget,
    ) -> Result<Option<Pair>, Exhausted> {
        let mut first = None;
        let mut keep = |pair| {
            first = Some(pair);
            ControlFlow::Break(())
        };
        let _ = find(self, other, pose, Aim::Any, budget, &mut keep)?;
        Ok(first)
    }

    /// As [`first_pair_with`](Self::first_pair_with), by the volumes given.
    ///
    /// # Errors
    /// [`VolumeError`], where the limit is reached or the files do not have such volumes.
    pub fn first_pair_by(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        volume: Volume,
        budget: &mut WorkBudget,
    ) -> Result<Option<Pair>, VolumeError> {
        let mut first = None;
        let mut keep = |pair| {
            first = Some(pair);
            ControlFlow::Break(())
        };
        let _ = find_by(self, other, pose, volume, Aim::Any, budget, &mut keep)?;
        Ok(first)
    }

    /// Calls `visit` with every two triangles that meet, each pair once, in no particular order, until it says `Break`,
    /// which is then returned.
    pub fn all_pairs(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut budget = WorkBudget::unlimited();
        self.all_pairs_with(other, pose, &mut budget, visit).unwrap_or(ControlFlow::Continue(()))
    }

    /// As [`all_pairs`](Self::all_pairs), with a limit on the work.
    ///
    /// # Errors
    /// [`Exhausted`], where the limit is reached before all pairs are found; some may have been visited.
    pub fn all_pairs_with(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        budget: &mut WorkBudget,
        mut visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Exhausted> {
        find(self, other, pose, Aim::All, budget, &mut visit)
    }

    /// As [`all_pairs_with`](Self::all_pairs_with), by the volumes given.
    ///
    /// # Errors
    /// [`VolumeError`], where the limit is reached, some pairs may have been visited then, or the files do not have such
    /// volumes.
    pub fn all_pairs_by(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        volume: Volume,
        budget: &mut WorkBudget,
        mut visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, VolumeError> {
        find_by(self, other, pose, volume, Aim::All, budget, &mut visit)
    }

    /// Writes the pairs of triangles that meet into a slice, as many as fit, in no particular order, and returns how
    /// many there are in all.
    pub fn pairs_into(&self, other: &Model<'_>, pose: &Pose, into: &mut [Pair]) -> usize {
        let mut count = 0;
        let _ = self.all_pairs(other, pose, |pair| {
            if let Some(place) = into.get_mut(count) {
                *place = pair;
            }
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }
}

fn find(
    a: &Model<'_>,
    b: &Model<'_>,
    pose: &Pose,
    aim: Aim,
    budget: &mut WorkBudget,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Exhausted> {
    if !aabb::touch(&a.bounds(), &b.bounds(), pose) {
        return Ok(ControlFlow::Continue(()));
    }
    search_boxes(a.level(), [PairTree::of(a), PairTree::of(b)], pose, aim, budget, visit)
}

fn find_by(
    a: &Model<'_>,
    b: &Model<'_>,
    pose: &Pose,
    volume: Volume,
    aim: Aim,
    budget: &mut WorkBudget,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, VolumeError> {
    let trees = Trees::of([a, b], volume)?;
    if !aabb::touch(&a.bounds(), &b.bounds(), pose) {
        return Ok(ControlFlow::Continue(()));
    }
    let level = a.level();
    let found = match trees {
        Trees::Boxes(trees) | Trees::Samples(trees) => search_boxes(level, trees, pose, aim, budget, visit),
        Trees::Kdops(kdops) => {
            dispatch!(level.inner(), simd => search_kdops(simd, &kdops, pose, aim, budget, visit))
        }
        Trees::Swept(trees) => {
            dispatch!(level.inner(), simd => search(simd, trees, &Swept, pose, aim, budget, visit))
        }
    };
    Ok(found?)
}

/// Compiled once, for boxes of either kind.
#[inline(never)]
fn search_boxes(
    level: Level,
    trees: [PairTree<'_>; 2],
    pose: &Pose,
    aim: Aim,
    budget: &mut WorkBudget,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Exhausted> {
    dispatch!(level.inner(), simd => search(simd, trees, &Oriented { ranks: aim == Aim::Any }, pose, aim, budget, visit))
}

#[inline(always)]
fn search<S: Kernel, V: volume::Volume>(
    simd: S,
    trees: [PairTree<'_>; 2],
    volume: &V,
    pose: &Pose,
    aim: Aim,
    budget: &mut WorkBudget,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Exhausted> {
    let motion = Motion::new(simd, pose, trees[0].place(), trees[1].place());
    walk(simd, trees, volume, motion, aim, budget, visit)
}

#[inline(always)]
fn search_kdops<S: Kernel>(
    simd: S,
    kdops: &KdopTrees<'_>,
    pose: &Pose,
    aim: Aim,
    budget: &mut WorkBudget,
    visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, Exhausted> {
    let motion = kdops.motion(simd, pose);
    if kdops.are_apart(&motion, 0.0) {
        return Ok(ControlFlow::Continue(()));
    }
    let volume = kdops.volume(simd, &motion, aim == Aim::Any);
    walk(simd, kdops.trees, &volume, motion, aim, budget, visit)
}
