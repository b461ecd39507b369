//! How far two models are from each other.

use core::ops::ControlFlow;

use super::pairs::{Exhausted, WorkBudget};
use super::volumes::{Trees, Volume, VolumeError};
use crate::level::Level;
use crate::model::Model;
use crate::pair_tree::PairTree;
use crate::pose::Pose;
use crate::simd::dispatch;
use crate::volume::obb::{Motion, Oriented};
use crate::volume::sampled::Sampled;
use crate::volume::swept::Swept;
use crate::walk::distance::{Aim, Best, Spot, Walk};

/// Two triangles and how far they are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Their distance in the models' units, within 1e-12 of its value; 0 if and only if the triangles meet.
    pub distance: f64,
    /// The point of A's triangle that is nearest to B's, in A's space; where the triangles meet, a point of both, which
    /// is known less well where they cross at a small angle.
    pub on_a: [f64; 3],
    /// The point of B's triangle that is nearest to A's, in A's space.
    pub on_b: [f64; 3],
    /// From the one to the other, a unit vector in A's space; zero where the triangles meet.
    pub direction: [f64; 3],
    /// The triangle's number in A.
    pub a: u32,
    /// The triangle's number in B.
    pub b: u32,
}

impl Distance {
    /// Whether it is less, or the triangles' numbers are the lower ones.
    pub(crate) fn precedes(&self, other: &Self) -> bool {
        (self.distance, self.a, self.b) < (other.distance, other.a, other.b)
    }
}

/// How much greater than the least distance an approximate one may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// By no more than this, in the models' units. Anything but a positive number allows nothing.
    Absolute(f64),
    /// By no more than this share of the least distance. Anything but a positive number allows nothing.
    Relative(f64),
}

impl Tolerance {
    /// The least distance itself.
    pub const NONE: Self = Self::Absolute(0.0);

    /// What is allowed where this is the least distance.
    pub(crate) fn beyond(&self, distance: f64) -> f64 {
        match *self {
            Self::Absolute(by) => distance + by.max(0.0),
            Self::Relative(share) => distance + distance * share.max(0.0),
        }
    }

    /// The least distance for which this is allowed.
    pub(crate) fn before(&self, distance: f64) -> f64 {
        match *self {
            Self::Absolute(by) => (distance - by.max(0.0)).max(0.0),
            Self::Relative(share) => distance / (1.0 + share.max(0.0)),
        }
    }
}

/// Where the nearest triangles were, for the next query on the same models at a similar pose. Whatever a warm_start says, exact
/// answers are the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmStart(Option<[Spot; 2]>);

impl WarmStart {
    /// Keeps where the nearest triangles are, if any were found, and tells of them.
    fn keep(&mut self, best: Option<Best>) -> Option<Distance> {
        self.0 = best.map(|best| best.spots).or(self.0);
        best.map(|best| best.found)
    }
}

/// Distances of meshes. `self` is A, `other` is B, and `pose` is B's in A's space; either may be the same model.
///
/// Distances are those of the surfaces: a mesh inside another one is as far from it as its surface is, and where triangles
/// meet, the distance is 0. B's vertices are where [`Pose::apply`] puts them, in f64, and from there on distances are right
/// within 1e-12 of their value, as long as that is more than 2^-90 of the triangles' size. Nothing allocates or panics. Of
/// closed meshes of 5,000 to a million triangles that are not far apart, a query takes some 10 to 50 microseconds; longer
/// where they are equally near in many places, and where models are smaller than 2^-50, of which boxes tell nothing. For
/// trees and files from strangers see [`collides`](Self::collides).
///
/// Based on: Larsen, Gottschalk, Lin, Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999.
impl Model<'_> {
    /// The least distance of two triangles. Of pairs that are equally near, computed in f64, the one with the lowest number
    /// in A, then in B, is named; where several pairs meet, any of them. The same on every CPU, but for which pair meets.
    /// `None` only where a corrupt file has no triangles.
    pub fn distance(&self, other: &Model<'_>, pose: &Pose) -> Option<Distance> {
        self.distance_within(other, pose, f64::INFINITY)
    }

    /// As [`distance`](Self::distance), `None` where that is more than `limit`: the less there is to go, the faster.
    pub fn distance_within(&self, other: &Model<'_>, pose: &Pose, limit: f64) -> Option<Distance> {
        let mut budget = WorkBudget::unlimited();
        // Without a limit, only a corrupt file can exhaust it.
        self.distance_with(other, pose, limit, Tolerance::NONE, &mut WarmStart::default(), &mut budget)
            .unwrap_or(None)
    }

    /// The distance of two triangles that is greater than the least one by no more than allowed. Which one may
    /// differ between CPUs. The more there is between the models, measured in triangles, the more time this saves.
    pub fn approximate_distance(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        allowance: Tolerance,
    ) -> Option<Distance> {
        let mut budget = WorkBudget::unlimited();
        self.distance_with(other, pose, f64::INFINITY, allowance, &mut WarmStart::default(), &mut budget)
            .unwrap_or(None)
    }

    /// The least distance, or one that is greater by no more than allowed; `None` where the least one is more than `limit`.
    /// Starts from the nearest triangles of the last query, and keeps those of this one.
    ///
    /// # Errors
    /// [`Exhausted`], where the limit on the work is reached before the answer is known.
    pub fn distance_with(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        limit: f64,
        allowance: Tolerance,
        warm_start: &mut WarmStart,
        budget: &mut WorkBudget,
    ) -> Result<Option<Distance>, Exhausted> {
        let trees = [PairTree::of(self), PairTree::of(other)];
        let (_, best) =
            search(trees, self.level(), pose, limit, Aim::Nearest(allowance), warm_start.0, budget)?;
        Ok(warm_start.keep(best))
    }

    /// As [`distance_with`](Self::distance_with), by the volumes given.
    ///
    /// # Errors
    /// [`VolumeError`], where the limit on the work is reached or the files do not have such volumes.
    #[allow(clippy::too_many_arguments)]
    pub fn distance_by(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        volume: Volume,
        limit: f64,
        allowance: Tolerance,
        warm_start: &mut WarmStart,
        budget: &mut WorkBudget,
    ) -> Result<Option<Distance>, VolumeError> {
        let aim = Aim::Nearest(allowance);
        let (_, best) = search_by([self, other], volume, pose, limit, aim, warm_start.0, budget)?;
        Ok(warm_start.keep(best))
    }

    /// Whether [`distance`](Self::distance) is at most `tolerance`. Stops at the first proof.
    pub fn within(&self, other: &Model<'_>, pose: &Pose, tolerance: f64) -> bool {
        self.within_with(other, pose, tolerance, &mut WorkBudget::unlimited()).unwrap_or(false)
    }

    /// As [`within`](Self::within), with a limit on the work.
    ///
    /// # Errors
    /// [`Exhausted`], where the limit is reached before the answer is known.
    pub fn within_with(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        tolerance: f64,
        budget: &mut WorkBudget,
    ) -> Result<bool, Exhausted> {
        let trees = [PairTree::of(self), PairTree::of(other)];
        let (_, best) = search(trees, self.level(), pose, tolerance, Aim::Any, None, budget)?;
        Ok(best.is_some())
    }

    /// As [`within_with`](Self::within_with), by the volumes given.
    ///
    /// # Errors
    /// [`VolumeError`], where the limit is reached or the files do not have such volumes.
    pub fn within_by(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        volume: Volume,
        tolerance: f64,
        budget: &mut WorkBudget,
    ) -> Result<bool, VolumeError> {
        let (_, best) = search_by([self, other], volume, pose, tolerance, Aim::Any, None, budget)?;
        Ok(best.is_some())
    }

    /// Calls `visit` with every two triangles that are at most `tolerance` apart, each pair once, in no particular order,
    /// until it says `Break`, which is then returned.
    pub fn pairs_within(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        tolerance: f64,
        visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut budget = WorkBudget::unlimited();
        self.pairs_within_with(other, pose, tolerance, &mut budget, visit)
            .unwrap_or(ControlFlow::Continue(()))
    }

    /// As [`pairs_within`](Self::pairs_within), with a limit on the work.
    ///
    /// # Errors
    /// [`Exhausted`], where the limit is reached before all pairs are found; some may have been visited.
    pub fn pairs_within_with(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        tolerance: f64,
        budget: &mut WorkBudget,
        mut visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Exhausted> {
        let trees = [PairTree::of(self), PairTree::of(other)];
        let aim = Aim::All(&mut visit);
        let (end, _) = search(trees, self.level(), pose, tolerance, aim, None, budget)?;
        Ok(end)
    }

    /// As [`pairs_within_with`](Self::pairs_within_with), by the volumes given.
    ///
    /// # Errors
    /// [`VolumeError`], where the limit is reached, some pairs may have been visited then, or the files do not have such
    /// volumes.
    pub fn pairs_within_by(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        volume: Volume,
        tolerance: f64,
        budget: &mut WorkBudget,
        mut visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, VolumeError> {
        let aim = Aim::All(&mut visit);
        let (end, _) = search_by([self, other], volume, pose, tolerance, aim, None, budget)?;
        Ok(end)
    }

    /// Calls `visit` with pairs of triangles on the way to the nearest one, until it says `Break`, which is then returned:
    /// none is farther apart than the nearest one before it by more than allowed, and the nearest of all is among them.
    ///
    /// So is every other pair within the allowance of the least distance. Which more there are may differ between CPUs.
    ///
    /// Based on: Fünzig, Fellner, "Easy Realignment of k-DOP Bounding Volumes", section 5, the weak approximate minimum
    /// distance.
    ///
    /// # Errors
    /// [`Exhausted`], where the limit on the work is reached first; some pairs may have been visited.
    pub fn decreasing_distances(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        allowance: Tolerance,
        budget: &mut WorkBudget,
        mut visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Exhausted> {
        let trees = [PairTree::of(self), PairTree::of(other)];
        let aim = Aim::Decreasing(allowance, &mut visit);
        let (end, _) = search(trees, self.level(), pose, f64::INFINITY, aim, None, budget)?;
        Ok(end)
    }

    /// As [`decreasing_distances`](Self::decreasing_distances), by the volumes given.
    ///
    /// # Errors
    /// [`VolumeError`], where a file has no such volumes, or the limit on the work is reached.
    pub fn decreasing_distances_by(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        volume: Volume,
        allowance: Tolerance,
        budget: &mut WorkBudget,
        mut visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, VolumeError> {
        let aim = Aim::Decreasing(allowance, &mut visit);
        let (end, _) = search_by([self, other], volume, pose, f64::INFINITY, aim, None, budget)?;
        Ok(end)
    }
}

/// What a search ends with.
type End = (ControlFlow<()>, Option<Best>);

/// What it ends with where there is nothing to find.
const NOTHING: End = (ControlFlow::Continue(()), None);

/// Nothing is within what is negative or no number.
fn is_nothing(limit: f64) -> bool {
    limit.is_nan() || limit < 0.0
}

fn search_by<'v>(
    [a, b]: [&Model<'_>; 2],
    volume: Volume,
    pose: &Pose,
    limit: f64,
    aim: Aim<'v>,
    warm_start: Option<[Spot; 2]>,
    budget: &'v mut WorkBudget,
) -> Result<End, VolumeError> {
    let (trees, level) = (Trees::of([a, b], volume)?, a.level());
    if is_nothing(limit) {
        return Ok(NOTHING);
    }
    let end = match trees {
        Trees::Boxes(trees) => search(trees, level, pose, limit, aim, warm_start, budget),
        Trees::Kdops(kdops) => dispatch!(level.inner(), simd => {
            let motion = kdops.motion(simd, pose);
            if kdops.are_apart(&motion, limit) {
                return Ok(NOTHING);
            }
            let volume = kdops.volume(simd, &motion, false);
            Walk::new(simd, kdops.trees, motion, aim, limit, budget).run(&volume, warm_start)
        }),
        Trees::Swept(trees) => dispatch!(level.inner(), simd => {
            let motion = Motion::new(simd, pose, trees[0].place(), trees[1].place());
            Walk::new(simd, trees, motion, aim, limit, budget).run(&Swept, warm_start)
        }),
        Trees::Samples(trees) => dispatch!(level.inner(), simd => {
            let motion = Motion::new(simd, pose, trees[0].place(), trees[1].place());
            Walk::new(simd, trees, motion, aim, limit, budget).run(&Sampled, warm_start)
        }),
    };
    Ok(end?)
}

/// By oriented boxes, or by axis-aligned ones that are read as such.
fn search<'v>(
    trees: [PairTree<'_>; 2],
    level: Level,
    pose: &Pose,
    limit: f64,
    aim: Aim<'v>,
    warm_start: Option<[Spot; 2]>,
    budget: &'v mut WorkBudget,
) -> Result<End, Exhausted> {
    if is_nothing(limit) {
        return Ok(NOTHING);
    }
    dispatch!(level.inner(), simd => {
        let motion = Motion::new(simd, pose, trees[0].place(), trees[1].place());
        Walk::new(simd, trees, motion, aim, limit, budget).run(&Oriented { ranks: false }, warm_start)
    })
}
