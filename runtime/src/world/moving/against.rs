//! A mesh at a pose against a world with moving things.

use core::ops::ControlFlow;

use super::Thing;
use super::snapshot::{Found, Snapshot, Still, ThingFilter};
use crate::model::Model;
use crate::pair::{Distance, Pair};
use crate::pose::Pose;
use crate::world::WorldPairError;

/// Why a query of a mesh against a world with moving things has no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{thing}: {error}")]
pub struct ThingPairError {
    /// The instance at fault; [`error`](Self::error) has its number, too.
    pub thing: Thing,
    /// What is wrong.
    pub error: WorldPairError,
}

impl Snapshot<'_> {
    /// Two triangles that meet, of an instance (A) and of a mesh at a pose (B), as
    /// [`World::first_pair`](crate::World::first_pair).
    ///
    /// # Errors
    /// [`ThingPairError`].
    pub fn first_pair(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn ThingFilter,
    ) -> Result<Option<Found<Pair>>, ThingPairError> {
        let still = self.still.first_pair(mesh, pose, &mut Still(filter));
        if let Ok(Some(found)) = still {
            return Ok(Some(Found { thing: Thing::Still(found.instance), answer: found.pair }));
        }
        let moving = self.moving.first_pair(mesh, pose, &mut self.filter_of_moving(filter));
        if let Ok(Some(found)) = moving {
            return Ok(Some(Found { thing: self.moving(found.instance), answer: found.pair }));
        }
        still.map_err(of_still)?;
        moving.map_err(|error| self.of_moving(error))?;
        Ok(None)
    }

    /// Calls `visit` with every pair of triangles that meet, each once, in no particular order, until it returns `Break`, as
    /// [`World::all_pairs`](crate::World::all_pairs).
    ///
    /// # Errors
    /// [`ThingPairError`]: more pairs may meet than were visited.
    pub fn all_pairs(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        filter: &mut dyn ThingFilter,
        mut visit: impl FnMut(Found<Pair>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, ThingPairError> {
        let ended = self.still.all_pairs(mesh, pose, &mut Still(filter), &mut |found| {
            visit(Found { thing: Thing::Still(found.instance), answer: found.pair })
        });
        if ended.map_err(of_still)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let ended = self.moving.all_pairs(mesh, pose, &mut self.filter_of_moving(filter), &mut |found| {
            visit(Found { thing: self.moving(found.instance), answer: found.pair })
        });
        ended.map_err(|error| self.of_moving(error))
    }

    /// The least distance of the mesh and an instance, if it is at most `limit`, as
    /// [`World::distance`](crate::World::distance).
    ///
    /// # Errors
    /// [`ThingPairError`].
    pub fn distance(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        limit: f64,
        filter: &mut dyn ThingFilter,
    ) -> Result<Option<Found<Distance>>, ThingPairError> {
        let still = self.still.distance(mesh, pose, limit, &mut Still(filter)).map_err(of_still)?;
        let limit = still.as_ref().map_or(limit, |found| found.distance.distance);
        let moving = self.moving.distance(mesh, pose, limit, &mut self.filter_of_moving(filter));
        let moving = moving.map_err(|error| self.of_moving(error))?;
        let closer = moving.filter(|found| still.is_none() || found.distance.distance < limit);
        Ok(match closer {
            Some(found) => Some(Found { thing: self.moving(found.instance), answer: found.distance }),
            None => still.map(|found| Found { thing: Thing::Still(found.instance), answer: found.distance }),
        })
    }

    /// Whether the mesh and an instance are at most `limit` apart, as [`World::within`](crate::World::within).
    ///
    /// # Errors
    /// [`ThingPairError`].
    pub fn within(
        &self,
        mesh: &Model<'_>,
        pose: &Pose,
        limit: f64,
        filter: &mut dyn ThingFilter,
    ) -> Result<bool, ThingPairError> {
        Ok(self.distance(mesh, pose, limit, filter)?.is_some())
    }

    fn of_moving(&self, error: WorldPairError) -> ThingPairError {
        ThingPairError { thing: self.moving(error.instance()), error }
    }
}

fn of_still(error: WorldPairError) -> ThingPairError {
    ThingPairError { thing: Thing::Still(error.instance()), error }
}
