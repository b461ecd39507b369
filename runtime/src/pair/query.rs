//! Queries of two models.

use core::ops::ControlFlow;

use super::answers::{Distance, Exhausted, Pair, Tolerance, WarmStart, WorkBudget};
use super::question::Question;
use super::relative_pose::RelativePose;
use super::scaled_pose::ScaledPose;
use super::tree::PairTree;
use super::volume::{PairError, Volume, aabb, ask, ask_scaled};
use super::volumes::Volumes;
use super::walk::{collide, distance};
use crate::model::Model;
use crate::pose::Pose;
use crate::simd::{Kernel, dispatch};

/// Mesh against mesh. `self` is A, `other` is B, and `pose` places B in A's space. Both may be the same model.
///
/// Triangles are closed, and touching counts as meeting. Meshes are surfaces: a mesh inside another one meets nothing.
/// B's vertices are transformed by [`Pose::apply`] in f64; from there on answers are exact, and the same on every CPU.
/// OBB trees are used where the files have them, else the AABB trees, which takes several times as long. Nothing
/// allocates or panics.
///
/// A query ends with [`PairError::Exhausted`] after the steps of [`WorkBudget::of_models`], many times what models of their
/// size usually take; [`Against::budget`] sets another limit or none.
impl Model<'_> {
    /// A query of this model and another one, with options.
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
            placed: Placed::Rigid(pose),
            volume: Volume::default(),
            limit: f64::INFINITY,
            tolerance: Tolerance::NONE,
            budget: None,
            warm_start: None,
        }
    }

    /// A query of this model and a smaller image of another one, by oriented boxes or, without them, axis-aligned ones. For
    /// answers of [`Against::first_pair`], [`Against::all_pairs`], [`Against::distance`] and [`Against::within`]: the others
    /// find split triangles' parts by the inverse of a rigid pose.
    pub(crate) fn against_scaled<'q>(&'q self, other: &'q Model<'q>, pose: &'q ScaledPose) -> Against<'q> {
        Against { placed: Placed::Scaled(pose), ..self.against(other, &Pose::IDENTITY) }
    }

    /// Whether any two triangles meet. Stops at the first pair found.
    ///
    /// # Errors
    /// [`PairError::Exhausted`].
    pub fn collides(&self, other: &Model<'_>, pose: &Pose) -> Result<bool, PairError> {
        Ok(self.first_pair(other, pose)?.is_some())
    }

    /// A pair of triangles that meet, if any do. Which pair is unspecified, and may differ between CPUs.
    ///
    /// # Errors
    /// [`PairError::Exhausted`].
    pub fn first_pair(&self, other: &Model<'_>, pose: &Pose) -> Result<Option<Pair>, PairError> {
        self.against(other, pose).first_pair()
    }

    /// Calls `visit` with every pair of triangles that meet, each once, in no particular order, until it returns
    /// `Break`, which is then returned.
    ///
    /// # Errors
    /// [`PairError::Exhausted`]: more pairs may meet than were visited.
    pub fn all_pairs(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, PairError> {
        self.against(other, pose).all_pairs(visit)
    }

    /// Writes the pairs of triangles that meet into a slice, as many as fit, in no particular order. Returns how many
    /// there are in total.
    ///
    /// # Errors
    /// [`PairError::Exhausted`].
    pub fn pairs_into(&self, other: &Model<'_>, pose: &Pose, into: &mut [Pair]) -> Result<usize, PairError> {
        let mut count = 0;
        let _ = self.all_pairs(other, pose, |pair| {
            if let Some(entry) = into.get_mut(count) {
                *entry = pair;
            }
            count += 1;
            ControlFlow::Continue(())
        })?;
        Ok(count)
    }

    /// The least distance between triangles of the two models: see [`Against::distance`]. `None` only where a corrupt
    /// file has no triangles.
    ///
    /// # Errors
    /// [`PairError::Exhausted`].
    pub fn distance(&self, other: &Model<'_>, pose: &Pose) -> Result<Option<Distance>, PairError> {
        self.against(other, pose).distance()
    }

    /// Whether [`distance`](Self::distance) is at most `limit`. Stops as soon as that is proven.
    ///
    /// # Errors
    /// [`PairError::Exhausted`].
    pub fn within(&self, other: &Model<'_>, pose: &Pose, limit: f64) -> Result<bool, PairError> {
        self.against(other, pose).within(limit)
    }

    /// Calls `visit` with every pair of triangles that are at most `limit` apart, each once, in no particular order,
    /// until it returns `Break`, which is then returned.
    ///
    /// # Errors
    /// [`PairError::Exhausted`]: where most triangles are within the limit of each other, give it a larger
    /// [`budget`](Against::budget).
    pub fn pairs_within(
        &self,
        other: &Model<'_>,
        pose: &Pose,
        limit: f64,
        visit: impl FnMut(&Distance) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, PairError> {
        self.against(other, pose).pairs_within(limit, visit)
    }
}

/// A query of two models, from [`Model::against`]: set options, each of which has a default, then make one of the calls
/// that return an answer.
///
/// They fail with [`PairError`]: the work limit was reached before the answer was known (some pairs may have been
/// visited by then), or a file does not have the volumes.
#[must_use = "nothing is asked before the last call"]
pub struct Against<'q> {
    models: [&'q Model<'q>; 2],
    placed: Placed<'q>,
    volume: Volume,
    limit: f64,
    tolerance: Tolerance,
    budget: Option<&'q mut WorkBudget>,
    warm_start: Option<&'q mut WarmStart>,
}

/// Where B is in A's space.
#[derive(Clone, Copy)]
enum Placed<'q> {
    Rigid(&'q Pose),
    Scaled(&'q ScaledPose),
}

/// How a search ended: whether a visitor ended it, and the nearest pair found.
type End = (ControlFlow<()>, Option<distance::BestPair>);

impl<'q> Against<'q> {
    /// The volumes that prune; oriented boxes by default. They determine how long a query takes, not what it finds.
    pub fn volume(self, volume: Volume) -> Self {
        Self { volume, ..self }
    }

    /// Limits the work and counts it; by default it is limited to the steps of [`WorkBudget::of_models`].
    pub fn budget(self, budget: &'q mut WorkBudget) -> Self {
        Self { budget: Some(budget), ..self }
    }

    /// How far an approximate distance may exceed the least one, for [`distance`](Self::distance) and
    /// [`decreasing_distances`](Self::decreasing_distances); exact by default. The farther apart the models are, in
    /// triangle sizes, the more time it saves.
    pub fn tolerance(self, tolerance: Tolerance) -> Self {
        Self { tolerance, ..self }
    }

    /// [`distance`](Self::distance) ignores distances beyond this limit: the smaller, the faster.
    pub fn limit(self, limit: f64) -> Self {
        Self { limit, ..self }
    }

    /// Starts [`distance`](Self::distance) from the nearest triangles of the last query, and stores those of this one.
    pub fn warm_start(self, warm_start: &'q mut WarmStart) -> Self {
        Self { warm_start: Some(warm_start), ..self }
    }

    /// A pair of triangles that meet, if any do: see [`Model::first_pair`].
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

    /// Calls `visit` with every pair of triangles that meet: see [`Model::all_pairs`].
    ///
    /// # Errors
    /// [`PairError`].
    pub fn all_pairs(
        self,
        mut visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, PairError> {
        self.collide(collide::Aim::All, &mut visit)
    }

    /// The least distance between triangles of the two models, or one that exceeds it by no more than the tolerance.
    /// `None` where the least distance is beyond the limit.
    ///
    /// Distances are between surfaces: a mesh inside another one is as far from it as its surface is. Where triangles
    /// meet, the distance is 0. Distances are accurate to 1e-12 of their value, provided that is more than 2^-58 of the
    /// triangles' size; smaller ones are those of numbers of twice the precision, of which slivers can lose much. Among pairs that are equally near, as computed in f64, the answer is the one with the lowest
    /// number in A, then in B; where several pairs meet, it is any of them, which may differ between CPUs. For closed meshes of 5,000 to a million
    /// triangles that are not far apart, it takes about 10 to 50 microseconds; longer where they are equally near in
    /// many places, and for models smaller than 2^-50, where boxes do not prune.
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

    /// Whether the least distance is at most `limit`. Stops as soon as that is proven.
    ///
    /// # Errors
    /// [`PairError`].
    pub fn within(self, limit: f64) -> Result<bool, PairError> {
        Ok(self.search(limit, distance::Aim::Any, None)?.1.is_some())
    }

    /// Calls `visit` with every pair of triangles that are at most `limit` apart: see [`Model::pairs_within`].
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

    /// Calls `visit` with the pairs of triangles found on the way to the nearest pair, until it returns `Break`, which
    /// is then returned. No pair exceeds the least distance so far by more than the tolerance, and the nearest pair is
    /// among them.
    ///
    /// So is every other pair within the tolerance of the least distance. Which further pairs are visited may differ
    /// between CPUs.
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
        let mut of_models = WorkBudget::of_models(self.models);
        let budget = match self.budget {
            Some(budget) => &mut *budget,
            None => &mut of_models,
        };
        // Missing volumes are an error at any pose, so this is not decided here.
        let may_touch = match self.placed {
            Placed::Rigid(pose) => aabb::touch(&a.bounds(), &b.bounds(), pose),
            Placed::Scaled(_) => true,
        };
        let question = Collide { aim, may_touch, budget, visit };
        self.placed.ask(self.models, self.volume, question)
    }

    fn search(
        self,
        limit: f64,
        aim: distance::Aim<'_>,
        start: Option<[distance::Spot; 2]>,
    ) -> Result<End, PairError> {
        let mut of_models = WorkBudget::of_models(self.models);
        let budget = match self.budget {
            Some(budget) => &mut *budget,
            None => &mut of_models,
        };
        let question = Search { limit, aim, start, budget };
        self.placed.ask(self.models, self.volume, question)
    }
}

impl Placed<'_> {
    #[inline(always)]
    fn ask<Q: Question>(
        self,
        models: [&Model<'_>; 2],
        volume: Volume,
        question: Q,
    ) -> Result<Q::Answer, PairError> {
        let level = models[0].level().inner();
        match self {
            Self::Rigid(pose) => dispatch!(level, simd => ask(simd, models, pose, volume, question)),
            Self::Scaled(pose) => dispatch!(level, simd => ask_scaled(simd, models, pose, question)),
        }
    }
}

/// The question which triangles meet.
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

/// The question how far apart the models are.
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

    /// Nothing is within a limit that is negative or NaN.
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
