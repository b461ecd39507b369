//! Asking two models.

use core::ops::ControlFlow;

use super::answers::{Distance, Exhausted, Pair, Tolerance, WarmStart, WorkBudget};
use super::relative_pose::RelativePose;
use super::select::{PairError, Question, Volume, ask};
use super::tree::PairTree;
use super::volume::{Volumes, aabb};
use super::walk::{collide, distance};
use crate::model::Model;
use crate::pose::Pose;
use crate::simd::{Kernel, dispatch};

/// Mesh against mesh. `self` is A, `other` is B, and `pose` is B's in A's space; either may be the same model.
///
/// Triangles are closed surfaces: touching counts, a mesh inside another one meets nothing. B's vertices are where
/// [`Pose::apply`] puts them, in f64, and from there on answers are exact; they are the same on every CPU. The trees of
/// oriented boxes are used where the files have them, else the AABB trees, which takes several times as long. Nothing
/// allocates or panics. In files from strangers a walk through two corrupt trees can take as many steps as their nodes,
/// multiplied: there, ask [`against`](Model::against) with a [`WorkBudget`].
impl Model<'_> {
    /// What is to be asked of this model and another one, with options.
    ///
    /// ```
    /// # use bvhc_runtime::{Model, PairError, Pose, Tolerance, WorkBudget};
    /// # fn ask(a: &Model<'_>, b: &Model<'_>, pose: &Pose) -> Result<(), PairError> {
    /// let mut budget = WorkBudget::of_steps(10_000);
    /// let nearest = a.against(b, pose).tolerance(Tolerance::Relative(0.05)).budget(&mut budget).distance()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn against<'q>(&'q self, other: &'q Model<'q>, pose: &'q Pose) -> Against<'q> {
        Against {
            models: [self, other],
            pose,
            volume: Volume::default(),
            limit: f64::INFINITY,
            tolerance: Tolerance::NONE,
            budget: None,
            warm_start: None,
        }
    }

    /// Whether any two triangles meet. Stops at the first pair found.
    pub fn collides(&self, other: &Model<'_>, pose: &Pose) -> bool {
        self.first_pair(other, pose).is_some()
    }

    /// Two triangles that meet, if any do. Which ones is not specified, and may differ between CPUs.
    pub fn first_pair(&self, other: &Model<'_>, pose: &Pose) -> Option<Pair> {
        self.against(other, pose).first_pair().unwrap_or(None)
    }

    /// Calls `visit` with every two triangles that meet, each pair once, in no particular order, until it says `Break`,
    /// which is then returned.
    pub fn all_pairs(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.against(other, pose).all_pairs(visit).unwrap_or(ControlFlow::Continue(()))
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

    /// The least distance of two triangles: see [`Against::distance`]. `None` only where a corrupt file has no triangles.
    pub fn distance(&self, other: &Model<'_>, pose: &Pose) -> Option<Distance> {
        self.against(other, pose).distance().unwrap_or(None)
    }

    /// Whether [`distance`](Self::distance) is at most `limit`. Stops at the first proof.
    pub fn within(&self, other: &Model<'_>, pose: &Pose, limit: f64) -> bool {
        self.against(other, pose).within(limit).unwrap_or(false)
    }

    /// Calls `visit` with every two triangles that are at most `limit` apart, each pair once, in no particular order,
    /// until it says `Break`, which is then returned.
    pub fn pairs_within(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        limit: f64,
        visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.against(other, pose).pairs_within(limit, visit).unwrap_or(ControlFlow::Continue(()))
    }
}

/// Two models and how they are asked: [`Model::against`]. Every option has a default; the last call asks.
///
/// Errors of all of them are those of [`PairError`]: the limit on the work is reached before the answer is known, some pairs
/// may have been visited then; or the files do not have the volumes.
#[must_use = "nothing is asked before the last call"]
pub struct Against<'q> {
    models: [&'q Model<'q>; 2],
    pose: &'q Pose,
    volume: Volume,
    limit: f64,
    tolerance: Tolerance,
    budget: Option<&'q mut WorkBudget>,
    warm_start: Option<&'q mut WarmStart>,
}

/// A search that ended: whether a visitor ended it, and the nearest pair found.
type End = (ControlFlow<()>, Option<distance::BestPair>);

impl<'q> Against<'q> {
    /// The volumes that prune; oriented boxes by default. They decide how long it takes, but not what is found.
    pub fn volume(self, volume: Volume) -> Self {
        Self { volume, ..self }
    }

    /// A limit on the work, and counts of it; without a limit by default.
    pub fn budget(self, budget: &'q mut WorkBudget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// How much greater than the least distance an approximate one may be, for [`distance`](Self::distance) and
    /// [`decreasing_distances`](Self::decreasing_distances); by nothing by default. The more there is between the models,
    /// measured in triangles, the more time this saves.
    pub fn tolerance(self, tolerance: Tolerance) -> Self {
        Self { tolerance, ..self }
    }

    /// Distances beyond this are of no interest to [`distance`](Self::distance): the less there is to go, the faster.
    pub fn limit(self, limit: f64) -> Self {
        Self { limit, ..self }
    }

    /// Starts [`distance`](Self::distance) from the nearest triangles of the last query, and keeps those of this one.
    pub fn warm_start(self, warm_start: &'q mut WarmStart) -> Self {
        Self { warm_start: Some(warm_start), ..self }
    }

    /// Two triangles that meet, if any do: see [`Model::first_pair`].
    ///
    /// # Errors
    /// [`PairError`].
    pub fn first_pair(self) -> Result<Option<Pair>, PairError> {
        let mut first = None;
        let _ = self.collide(collide::Aim::Any, &mut |pair| {
            first = Some(pair);
            ControlFlow::Break(())
        })?;
        Ok(first)
    }

    /// Calls `visit` with every two triangles that meet: see [`Model::all_pairs`].
    ///
    /// # Errors
    /// [`PairError`].
    pub fn all_pairs(
        self,
        mut visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, PairError> {
        self.collide(collide::Aim::All, &mut visit)
    }

    /// The least distance of two triangles, or one that is greater by no more than the tolerance; `None` where the least one
    /// is beyond the limit.
    ///
    /// Distances are those of the surfaces: a mesh inside another one is as far from it as its surface is, and where triangles
    /// meet, the distance is 0. They are right within 1e-12 of their value, as long as that is more than 2^-90 of the
    /// triangles' size. Of pairs that are equally near, computed in f64, the one with the lowest number in A, then in B, is
    /// named; where several pairs meet, any of them. Of closed meshes of 5,000 to a million triangles that are not far apart,
    /// it takes some 10 to 50 microseconds; longer where they are equally near in many places, and where models are smaller
    /// than 2^-50, of which boxes tell nothing.
    ///
    /// Based on: Larsen, Gottschalk, Lin, Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999.
    ///
    /// # Errors
    /// [`PairError`].
    pub fn distance(mut self) -> Result<Option<Distance>, PairError> {
        let (limit, tolerance) = (self.limit, self.tolerance);
        let warm_start = self.warm_start.take();
        let start = warm_start.as_ref().and_then(|warm_start| warm_start.0);
        let (_, best) = self.search(limit, distance::Aim::Nearest(tolerance), start)?;
        if let Some(warm_start) = warm_start {
            warm_start.keep(best);
        }
        Ok(best.map(|best| best.found))
    }

    /// Whether the least distance is at most `limit`. Stops at the first proof.
    ///
    /// # Errors
    /// [`PairError`].
    pub fn within(self, limit: f64) -> Result<bool, PairError> {
        Ok(self.search(limit, distance::Aim::Any, None)?.1.is_some())
    }

    /// Calls `visit` with every two triangles that are at most `limit` apart: see [`Model::pairs_within`].
    ///
    /// # Errors
    /// [`PairError`].
    pub fn pairs_within(
        self,
        limit: f64,
        mut visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, PairError> {
        Ok(self.search(limit, distance::Aim::All(&mut visit), None)?.0)
    }

    /// Calls `visit` with pairs of triangles on the way to the nearest one, until it says `Break`, which is then returned:
    /// none is farther apart than the nearest one before it by more than the tolerance, and the nearest of all is among them.
    ///
    /// So is every other pair within the tolerance of the least distance. Which more there are may differ between CPUs.
    ///
    /// Based on: Fünzig, Fellner, "Easy Realignment of k-DOP Bounding Volumes", section 5, the weak approximate minimum
    /// distance.
    ///
    /// # Errors
    /// [`PairError`].
    pub fn decreasing_distances(
        self,
        mut visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, PairError> {
        let aim = distance::Aim::Decreasing(self.tolerance, &mut visit);
        Ok(self.search(f64::INFINITY, aim, None)?.0)
    }

    fn collide(
        self,
        aim: collide::Aim,
        visit: &mut dyn FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, PairError> {
        let [a, b] = self.models;
        let mut unlimited = WorkBudget::unlimited();
        let budget = match self.budget {
            Some(budget) => &mut *budget,
            None => &mut unlimited,
        };
        // What has no such volumes is an error at any pose.
        let may_touch = aabb::touch(&a.bounds(), &b.bounds(), self.pose);
        let question = Collide { aim, may_touch, budget, visit };
        dispatch!(a.level().inner(), simd => ask(simd, self.models, self.pose, self.volume, question))
    }

    fn search(
        self,
        limit: f64,
        aim: distance::Aim<'_>,
        start: Option<[distance::Spot; 2]>,
    ) -> Result<End, PairError> {
        let mut unlimited = WorkBudget::unlimited();
        let budget = match self.budget {
            Some(budget) => &mut *budget,
            None => &mut unlimited,
        };
        let question = Search { limit, aim, start, budget };
        let level = self.models[0].level().inner();
        dispatch!(level, simd => ask(simd, self.models, self.pose, self.volume, question))
    }
}

/// Which triangles meet.
struct Collide<'v, 'w> {
    aim: collide::Aim,
    may_touch: bool,
    budget: &'w mut WorkBudget,
    visit: &'v mut dyn FnMut(Pair) -> ControlFlow<()>,
}

impl Question for Collide<'_, '_> {
    type Answer = ControlFlow<()>;

    fn ranks(&self) -> bool {
        self.aim == collide::Aim::Any
    }

    fn is_answered(&self) -> bool {
        !self.may_touch
    }

    fn limit(&self) -> f64 {
        0.0
    }

    fn nothing(self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[inline(always)]
    fn walk<S: Kernel>(
        self,
        simd: S,
        trees: [PairTree<'_>; 2],
        volumes: &mut (impl Volumes<S> + ?Sized),
        pose: RelativePose,
    ) -> Result<ControlFlow<()>, Exhausted> {
        collide::walk(simd, trees, volumes, pose, self.aim, self.budget, self.visit)
    }
}

/// How far the models are apart.
struct Search<'v, 'w> {
    limit: f64,
    aim: distance::Aim<'v>,
    start: Option<[distance::Spot; 2]>,
    budget: &'w mut WorkBudget,
}

impl Question for Search<'_, '_> {
    type Answer = End;

    fn ranks(&self) -> bool {
        false
    }

    /// Nothing is within what is negative or NaN.
    fn is_answered(&self) -> bool {
        self.limit.is_nan() || self.limit < 0.0
    }

    fn limit(&self) -> f64 {
        self.limit
    }

    fn nothing(self) -> End {
        (ControlFlow::Continue(()), None)
    }

    #[inline(always)]
    fn walk<S: Kernel>(
        self,
        simd: S,
        trees: [PairTree<'_>; 2],
        volumes: &mut (impl Volumes<S> + ?Sized),
        pose: RelativePose,
    ) -> Result<End, Exhausted> {
        distance::Walk::new(simd, trees, pose, self.aim, self.limit, self.budget).run(volumes, self.start)
    }
}
