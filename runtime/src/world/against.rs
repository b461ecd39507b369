//! A mesh at a pose against a world: which triangles meet, and how far apart they are.

use core::ops::ControlFlow;

use super::World;
use super::error::WorldPairError;
use super::filter::WorldFilter;
use super::things::{Part, Things};
use super::walk::{BOX_MARGIN, FirstLeaves};
use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::model::Model;
use crate::pair::{Distance, Pair};
use crate::pose::Pose;

/// Two triangles that have a point in common: of an instance, and of the mesh that the world was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorldPair {
    /// The instance.
    pub instance: u32,
    /// The triangles: A is the instance's mesh, B the other one.
    pub pair: Pair,
}

/// The distance of two triangles: of an instance, and of the mesh that the world was asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldDistance {
    /// The instance.
    pub instance: u32,
    /// The distance. A is the instance's mesh, B the other one; points and direction are the world's.
    pub distance: Distance,
}

/// Asks an instance about a mesh, whose pose is in the instance's space.
type VisitInstance<'v> = dyn FnMut(&Part<'_>, &Pose) -> Result<ControlFlow<()>, WorldPairError> + 'v;

/// Mesh against world. `pose` places the mesh in the world. Each instance that may be near is asked as by
/// [`Model::against`], at the pose of the mesh in the instance's space: vertices are transformed there, in f64; from there
/// on answers are exact.
///
/// Instances must not be scaled or mirrored, as exact tests of two meshes take rigid poses: where one is near enough to
/// matter, the answer is [`WorldPairError::NotRigid`], never a wrong one. Instances whose volumes a query need not look at
/// are not asked for any. Each query of two meshes has the work limit of [`WorkBudget::of_models`](crate::WorkBudget::of_models).
impl World<'_> {
    /// Two triangles that meet, if any do. Which ones is unspecified.
    ///
    /// # Errors
    /// [`WorldPairError`].
    pub fn first_pair(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn WorldFilter,
    ) -> Result<Option<WorldPair>, WorldPairError> {
        self.things.first_pair(mesh, pose, filter)
    }

    /// Calls `visit` with every pair of triangles that meet, each once, in no particular order, until it returns `Break`,
    /// which is then returned.
    ///
    /// # Errors
    /// [`WorldPairError`]: more pairs may meet than were visited.
    pub fn all_pairs(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn WorldFilter,
        mut visit: impl FnMut(WorldPair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, WorldPairError> {
        self.things.all_pairs(mesh, pose, filter, &mut visit)
    }

    /// The least distance of the mesh and an instance, if it is at most `limit`, which may be infinite. Of equal ones it is
    /// that of the lowest instance, then of the lowest triangle of the instance, then of the mesh.
    ///
    /// # Errors
    /// [`WorldPairError`]. A scaled or mirrored instance is one where its box is at most as far away as what else is found.
    pub fn distance(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        limit: f64,
        filter: &mut dyn WorldFilter,
    ) -> Result<Option<WorldDistance>, WorldPairError> {
        self.things.distance(mesh, pose, limit, filter)
    }

    /// Whether the mesh and an instance are at most `limit` apart.
    ///
    /// # Errors
    /// As [`distance`](Self::distance).
    pub fn within(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        limit: f64,
        filter: &mut dyn WorldFilter,
    ) -> Result<bool, WorldPairError> {
        Ok(self.distance(mesh, pose, limit, filter)?.is_some())
    }
}

/// The walks. Boxes without a mesh are not asked.
impl Things<'_> {
    pub(super) fn first_pair(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn WorldFilter,
    ) -> Result<Option<WorldPair>, WorldPairError> {
        let mut first = None;
        let ended = self.visit_pairs(mesh, pose, filter, &mut |part, relative| {
            let instance = part.instance;
            let found = part.model.first_pair(mesh, relative).map_err(|error| failed(instance, error))?;
            first = found.map(|pair| WorldPair { instance, pair });
            Ok(if first.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        });
        // A pair that meets is an answer, whatever else there is.
        if first.is_some() { Ok(first) } else { ended.map(|_| None) }
    }

    pub(super) fn all_pairs(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(WorldPair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, WorldPairError> {
        self.visit_pairs(mesh, pose, filter, &mut |part, relative| {
            let instance = part.instance;
            let found = part.model.all_pairs(mesh, relative, |pair| visit(WorldPair { instance, pair }));
            found.map_err(|error| failed(instance, error))
        })
    }

    pub(super) fn distance(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        limit: f64,
        filter: &mut dyn WorldFilter,
    ) -> Result<Option<WorldDistance>, WorldPairError> {
        let bounds = world_box(mesh, pose);
        let mut search = Search { limit, best: None, not_rigid: None, failure: None };
        if limit.is_nan() || limit < 0.0 {
            return Ok(None);
        }
        self.around_box(&bounds, search.square(), &mut |leaf| {
            if let Some(part) = self.seen_mesh(leaf, filter) {
                search.visit(self, &part, mesh, pose, &bounds);
            }
            if search.failure.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(search.square())
            }
        });
        search.finish()
    }

    /// Visits each instance whose boxes the mesh's box touches, with the mesh's pose in the instance's space.
    fn visit_pairs(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn WorldFilter,
        visit: &mut VisitInstance<'_>,
    ) -> Result<ControlFlow<()>, WorldPairError> {
        let bounds = world_box(mesh, pose);
        let (mut failure, mut not_rigid) = (None, None::<u32>);
        let mut first = FirstLeaves::of(self);
        let ended = self.in_box(&bounds, &mut |leaf| {
            if !first.has(leaf, &bounds) {
                return ControlFlow::Continue(());
            }
            let Some(part) = self.seen_mesh(leaf, filter) else { return ControlFlow::Continue(()) };
            let done = match relative(&part, pose) {
                Ok(Some(relative)) => visit(&part, &relative),
                Ok(None) => {
                    not_rigid = Some(not_rigid.map_or(part.instance, |other| other.min(part.instance)));
                    return ControlFlow::Continue(());
                }
                Err(error) => Err(error),
            };
            done.unwrap_or_else(|error| {
                failure = Some(error);
                ControlFlow::Break(())
            })
        });
        match (failure, not_rigid) {
            (Some(error), _) => Err(error),
            (None, Some(instance)) => Err(WorldPairError::NotRigid { instance }),
            (None, None) => Ok(ended),
        }
    }
}

/// The search for the least distance.
struct Search {
    limit: f64,
    best: Option<WorldDistance>,
    /// Of the instances that cannot be asked, the square of the distance of the nearest one's box, and its number.
    not_rigid: Option<(f64, u32)>,
    failure: Option<WorldPairError>,
}

impl Search {
    /// The square of the distance beyond which nothing matters.
    fn square(&self) -> f64 {
        self.limit * self.limit * (1.0 + f64::EPSILON * 4.0)
    }

    fn visit(&mut self, things: &Things<'_>, part: &Part<'_>, mesh: &Model<'_>, pose: &Pose, bounds: &Aabb) {
        let instance = part.instance;
        // An instance of several leaves is met several times; the last answer stands for all.
        if self.best.is_some_and(|best| best.instance == instance) {
            return;
        }
        match relative(part, pose) {
            Err(error) => self.failure = Some(error),
            Ok(None) => {
                let Some(its) = things.bounds(instance) else { return };
                let found = (square_between(&its, bounds), instance);
                self.not_rigid =
                    Some(self.not_rigid.map_or(found, |held| if found < held { found } else { held }));
            }
            Ok(Some(relative)) => {
                let asked = part.model.against(mesh, &relative).limit(self.limit).distance();
                match asked {
                    Err(error) => self.failure = Some(failed(instance, error)),
                    Ok(found) => self.offer(found.map(|found| in_world(part, found))),
                }
            }
        }
    }

    fn offer(&mut self, found: Option<WorldDistance>) {
        let Some(found) = found else { return };
        let key = |it: &WorldDistance| (it.distance.distance, it.instance, it.distance.a, it.distance.b);
        if self.best.as_ref().is_none_or(|best| key(&found) < key(best)) {
            self.limit = found.distance.distance;
            self.best = Some(found);
        }
    }

    fn finish(self) -> Result<Option<WorldDistance>, WorldPairError> {
        match (self.failure, self.not_rigid) {
            (Some(error), _) => Err(error),
            (None, Some((square, instance))) if square <= self.square() => {
                Err(WorldPairError::NotRigid { instance })
            }
            _ => Ok(self.best),
        }
    }
}

/// The mesh's pose in the space of an instance; `None` if that is scaled or mirrored.
pub(super) fn relative(part: &Part<'_>, pose: &Pose) -> Result<Option<Pose>, WorldPairError> {
    let (similarity, instance) = (part.similarity(), part.instance);
    if similarity.is_identity() {
        return Ok(Some(*pose));
    }
    if !similarity.is_rigid() {
        return Ok(None);
    }
    // A record that is no rotation, which only a corrupt file has, is an error here.
    let own = Pose::from_rows(similarity.pose().rotation(), similarity.pose().translation());
    let relative = own.and_then(|own| own.inverse().compose(pose));
    relative.map(Some).map_err(|error| WorldPairError::Pose { instance, error })
}

/// A distance in an instance's space, as the world has it.
fn in_world(part: &Part<'_>, found: Distance) -> WorldDistance {
    if part.similarity().is_identity() {
        return WorldDistance { instance: part.instance, distance: found };
    }
    let similarity = part.similarity();
    let pose = similarity.pose();
    let (on_a, on_b) = (pose.apply(found.on_a), pose.apply(found.on_b));
    let distance = Distance { on_a, on_b, direction: pose.rotate(found.direction), ..found };
    WorldDistance { instance: part.instance, distance }
}

fn failed(instance: u32, error: crate::pair::PairError) -> WorldPairError {
    WorldPairError::Pair { instance, error }
}

/// A box of the world around a mesh at a pose.
pub(super) fn world_box(mesh: &Model<'_>, pose: &Pose) -> Aabb {
    let bounds = mesh.bounds();
    let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for corner in 0..8 {
        let ends = [bounds.min, bounds.max];
        let point = pose.apply([0, 1, 2].map3(|axis| f64::from(ends[corner >> axis & 1][axis])));
        for axis in 0..3 {
            (min[axis], max[axis]) = (min[axis].min(point[axis]), max[axis].max(point[axis]));
        }
    }
    // Coordinates of the mesh and its translation may be larger than those of the sum.
    let magnitude = |point: &[f32; 3]| point.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    let own = f64::from(magnitude(&bounds.min).max(magnitude(&bounds.max)));
    let moved = pose.translation().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let margin = (own + moved) * f64::from(BOX_MARGIN);
    Aabb {
        min: min.map3(|x| ((x - margin) as f32).next_down()),
        max: max.map3(|x| ((x + margin) as f32).next_up()),
    }
}

/// The square of the distance of two boxes.
pub(super) fn square_between(a: &Aabb, b: &Aabb) -> f64 {
    let gap = |axis: usize| {
        let between = |upper: &Aabb, lower: &Aabb| f64::from(upper.min[axis]) - f64::from(lower.max[axis]);
        between(b, a).max(between(a, b)).max(0.0)
    };
    gap(0) * gap(0) + gap(1) * gap(1) + gap(2) * gap(2)
}
