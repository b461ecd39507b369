//! The narrow phase: whether two things meet, which of their triangles do, and how far apart they are.

use core::ops::ControlFlow;

use super::snapshot::Snapshot;
use super::{Thing, ThingPair};
use crate::pair::{Distance, Pair, PairError, WarmStart};
use crate::pose::PoseError;
use crate::world::things::{Part, Seen};
use crate::world::two_meshes::TwoMeshes;

/// Why two things cannot be asked about each other, or have no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BetweenError {
    /// The thing is a box of the caller's. Meshes are asked about their surfaces; what a box is to a mesh, the caller decides:
    /// [`Snapshot::overlap_box`] finds the triangles that touch one.
    #[error("{thing} is a box, without a mesh")]
    NoMesh {
        /// The box.
        thing: Thing,
    },
    /// The thing was removed or disabled, or is not in the layers that the snapshot sees.
    #[error("{thing} is not seen: it was removed, is disabled, or is in other layers")]
    NotSeen {
        /// The thing.
        thing: Thing,
    },
    /// One thing's pose, seen from the space of the other one's mesh, is beyond what poses may be.
    #[error("{a} and {b}: {error}")]
    Pose {
        /// One thing.
        a: Thing,
        /// The other one.
        b: Thing,
        /// What is wrong with it.
        error: PoseError,
    },
    /// The query of the two meshes failed.
    #[error("{a} and {b}: {error}")]
    Pair {
        /// One thing.
        a: Thing,
        /// The other one.
        b: Thing,
        /// Why it failed.
        error: PairError,
    },
}

/// How far two things are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Separation {
    /// Triangles of the two meet. Which ones, [`Between::all_pairs`] says.
    Meeting,
    /// None meet, and these are the nearest. Numbers of triangles and points are of the pair's a and b; distance, points and
    /// direction are the world's.
    Apart(Distance),
    /// They are farther apart than the limit.
    Beyond,
}

/// Two things of a [`Snapshot`], from [`Snapshot::between`], whose meshes are asked about each other.
///
/// Meshes are surfaces, triangles are closed, and touching counts as meeting. One of the two meshes stays as it is: that of the
/// thing of the larger scale, of equal scales that of the pair's a. The vertices of the other one are transformed into its
/// space in f64 (a matrix of the relative rotation, mirror and scale, applied as [`Pose::apply`](crate::Pose::apply) does); from
/// there on answers are exact, and the same bits on every CPU. Things of any scales and mirrors can be asked. Meshes are asked by
/// their trees of oriented boxes; those compiled without them by their trees of axis-aligned boxes, which takes several times as
/// long. Each query has the work limit of [`WorkBudget::of_models`](crate::WorkBudget::of_models). Does not allocate or panic.
#[derive(Clone, Copy, Debug)]
pub struct Between<'w> {
    pair: ThingPair,
    meshes: TwoMeshes<'w>,
}

impl<'w> Snapshot<'w> {
    /// Two things to be asked about each other: a pair that [`near_pairs`](Self::near_pairs) has found, or any other two.
    ///
    /// # Errors
    /// [`BetweenError`]: a thing is a box, or is not seen.
    pub fn between(&self, pair: ThingPair) -> Result<Between<'w>, BetweenError> {
        let (a, b) = (self.part_of(pair.a)?, self.part_of(pair.b)?);
        let meshes = TwoMeshes::new((a.model, a.similarity()), (b.model, b.similarity()));
        let meshes = meshes.map_err(|error| BetweenError::Pose { a: pair.a, b: pair.b, error })?;
        Ok(Between { pair, meshes })
    }

    fn part_of(&self, thing: Thing) -> Result<Part<'w>, BetweenError> {
        let seen = match thing {
            Thing::Still(number) => self.still.whole(number, &mut ()),
            Thing::Moving(handle) if self.moving(handle.number) != thing => None,
            Thing::Moving(handle) => self.moving.whole(handle.number, &mut ()),
        };
        match seen {
            Some(Seen::Mesh(part)) => Ok(part),
            Some(Seen::Box(_)) => Err(BetweenError::NoMesh { thing }),
            None => Err(BetweenError::NotSeen { thing }),
        }
    }
}

impl Between<'_> {
    /// The two things.
    pub fn pair(&self) -> ThingPair {
        self.pair
    }

    /// Whether any of their triangles meet. Stops at the first ones found.
    ///
    /// # Errors
    /// [`BetweenError::Pair`].
    pub fn collides(&self) -> Result<bool, BetweenError> {
        Ok(self.meshes.ask().first_pair().map_err(|error| self.failed(error))?.is_some())
    }

    /// Calls `visit` with every pair of triangles that meet, of the pair's a and b, each once, in no particular order, until it
    /// returns `Break`, which is then returned.
    ///
    /// # Errors
    /// [`BetweenError::Pair`]: more pairs may meet than were visited.
    pub fn all_pairs(
        &self,
        mut visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, BetweenError> {
        let found = self.meshes.ask().all_pairs(|pair| visit(self.meshes.pair(pair)));
        found.map_err(|error| self.failed(error))
    }

    /// How far apart they are, up to a limit in the world's units, which may be infinite; as
    /// [`Against::distance`](crate::Against::distance) computes it. Nothing is within a limit that is negative or NaN.
    ///
    /// Among triangles that are equally near, the answer has the lowest number of the mesh that stays as it is, then of the other.
    ///
    /// # Errors
    /// [`BetweenError::Pair`].
    pub fn separation(&self, limit: f64) -> Result<Separation, BetweenError> {
        self.separation_from(limit, &mut WarmStart::default())
    }

    /// As [`separation`](Self::separation), from the nearest triangles of the last query of the same two things; stores those
    /// of this one. The answer does not depend on where it starts; only whether the work limit is reached may.
    ///
    /// # Errors
    /// [`BetweenError::Pair`].
    pub fn separation_from(&self, limit: f64, start: &mut WarmStart) -> Result<Separation, BetweenError> {
        let found = self.meshes.distance_from(limit, start);
        let Some(found) = found.map_err(|error| self.failed(error))? else { return Ok(Separation::Beyond) };
        if found.distance == 0.0 {
            return Ok(Separation::Meeting);
        }
        let found = self.meshes.in_world(&found);
        Ok(if found.distance <= limit { Separation::Apart(found) } else { Separation::Beyond })
    }

    fn failed(&self, error: PairError) -> BetweenError {
        BetweenError::Pair { a: self.pair.a, b: self.pair.b, error }
    }
}
