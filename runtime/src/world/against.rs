//! A mesh at a pose against a world: which triangles meet, and how far apart they are.

use core::ops::ControlFlow;

use super::World;
use super::error::WorldPairError;
use super::filter::WorldFilter;
use super::things::{Part, Things};
use super::two_meshes::TwoMeshes;
use super::walk::{BOX_MARGIN, FirstLeaves};
use crate::bounds::Aabb;
use crate::math::vector::Map3;
use crate::model::Model;
use crate::pair::{Distance, Pair, WarmStart};
use crate::pose::Pose;
use crate::similarity::Similarity;

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

/// Asks an instance about a mesh.
type VisitInstance<'v> =
    dyn FnMut(u32, &TwoMeshes<'_>, &mut dyn WorldFilter) -> Result<ControlFlow<()>, WorldPairError> + 'v;

/// Mesh against world. `pose` places the mesh in the world. Each instance that may be near is asked as by
/// [`Model::against`]. Instances may be scaled and mirrored. Of the two meshes, that of the larger scale stays as it is, of equal
/// scales the instance's: the other one's vertices are transformed into its space, in f64; from there on answers are exact. Meshes
/// are asked by their trees of oriented boxes, those without by their trees of axis-aligned ones, which takes several times as long.
/// Each query of two meshes has the work limit of [`WorkBudget::of_models`](crate::WorkBudget::of_models).
///
/// A filter chooses instances and, of pairs, the instances' triangles; distances do not ask it for triangles.
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
    /// that of the lowest instance, then of the lowest triangle of the instance, then of the mesh; of the mesh first where the
    /// instance's scale is less than 1. Of several pairs of an instance that meet it is any, which may differ between CPUs. The filter may be asked about an
    /// instance several times.
    ///
    /// # Errors
    /// [`WorldPairError`].
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
        if !filter.filters_triangles() {
            return self.any_pair(mesh, pose, filter);
        }
        let mut first = None;
        let ended = self.all_pairs(mesh, pose, filter, &mut |pair| {
            first = Some(pair);
            ControlFlow::Break(())
        });
        // A pair that meets is an answer, whatever else there is.
        if first.is_some() { Ok(first) } else { ended.map(|_| None) }
    }

    /// Two triangles that meet; the filter is asked about instances only.
    fn any_pair(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn WorldFilter,
    ) -> Result<Option<WorldPair>, WorldPairError> {
        let mut first = None;
        let _ = self.visit_pairs(mesh, pose, filter, &mut |instance, meshes, _| {
            let found = meshes.ask().first_pair().map_err(|error| failed(instance, error))?;
            first = found.map(|pair| WorldPair { instance, pair: meshes.pair(pair) });
            Ok(if first.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(first)
    }

    pub(super) fn all_pairs(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(WorldPair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, WorldPairError> {
        self.visit_pairs(mesh, pose, filter, &mut |instance, meshes, filter| {
            let asks = filter.filters_triangles();
            let found = meshes.ask().all_pairs(|pair| {
                let pair = meshes.pair(pair);
                if asks && !filter.accepts_triangle(instance, pair.a) {
                    return ControlFlow::Continue(());
                }
                visit(WorldPair { instance, pair })
            });
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
        if limit.is_nan() || limit < 0.0 {
            return Ok(None);
        }
        // Where the mesh meets an instance, others matter only if it meets them, too: no distance has to be searched for. To find
        // that out takes a small part of such a search.
        let meets = matches!(self.any_pair(mesh, pose, filter), Ok(Some(_)));
        let limit = if meets { 0.0 } else { limit };
        let mut search = Search { limit, best: None, failure: None };
        self.around_box(&bounds, search.square(), &mut |leaf| {
            if let Some(part) = self.seen_mesh(leaf, filter) {
                search.visit(&part, mesh, pose);
            }
            if search.failure.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(search.square())
            }
        });
        search.failure.map_or(Ok(search.best), Err)
    }

    /// Visits each instance whose boxes the mesh's box touches.
    fn visit_pairs(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn WorldFilter,
        visit: &mut VisitInstance<'_>,
    ) -> Result<ControlFlow<()>, WorldPairError> {
        let bounds = world_box(mesh, pose);
        let mut failure = None;
        let mut first = FirstLeaves::of(self);
        let ended = self.in_box(&bounds, &mut |leaf| {
            if !first.has(leaf, &bounds) {
                return ControlFlow::Continue(());
            }
            let Some(part) = self.seen_mesh(leaf, filter) else { return ControlFlow::Continue(()) };
            let done = two_meshes(&part, mesh, pose).and_then(|meshes| visit(part.instance, &meshes, filter));
            done.unwrap_or_else(|error| {
                failure = Some(error);
                ControlFlow::Break(())
            })
        });
        failure.map_or(Ok(ended), Err)
    }
}

/// The search for the least distance.
struct Search {
    limit: f64,
    best: Option<WorldDistance>,
    failure: Option<WorldPairError>,
}

impl Search {
    /// The square of the distance beyond which nothing matters.
    fn square(&self) -> f64 {
        self.limit * self.limit * (1.0 + f64::EPSILON * 4.0)
    }

    fn visit(&mut self, part: &Part<'_>, mesh: &Model<'_>, pose: &Pose) {
        let instance = part.instance;
        // An instance of several leaves is met several times; the last answer stands for all. None is nearer than one that meets.
        let has_met = |best: &WorldDistance| best.distance.distance == 0.0 && best.instance < instance;
        if self.best.is_some_and(|best| best.instance == instance || has_met(&best)) {
            return;
        }
        let asked = two_meshes(part, mesh, pose).and_then(|meshes| {
            let found = meshes.distance_from(self.limit, &mut WarmStart::default());
            Ok(found.map_err(|error| failed(instance, error))?.map(|found| meshes.in_world(&found)))
        });
        match asked {
            Err(error) => self.failure = Some(error),
            Ok(Some(distance)) if distance.distance <= self.limit => {
                self.offer(WorldDistance { instance, distance });
            }
            Ok(_) => {}
        }
    }

    fn offer(&mut self, found: WorldDistance) {
        let key = |it: &WorldDistance| (it.distance.distance, it.instance, it.distance.a, it.distance.b);
        if self.best.as_ref().is_none_or(|best| key(&found) < key(best)) {
            self.limit = found.distance.distance;
            self.best = Some(found);
        }
    }
}

/// An instance's mesh (A) and the mesh at a pose (B).
fn two_meshes<'q>(
    part: &Part<'q>,
    mesh: &'q Model<'q>,
    pose: &Pose,
) -> Result<TwoMeshes<'q>, WorldPairError> {
    let placed = Similarity::rigid(pose);
    let meshes = TwoMeshes::new((part.model, part.similarity()), (mesh, placed));
    meshes.map_err(|error| WorldPairError::Pose { instance: part.instance, error })
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
