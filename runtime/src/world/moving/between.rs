//! The narrow phase: whether two things meet, which of their triangles do, and how far apart they are.

use core::ops::ControlFlow;

use super::snapshot::Snapshot;
use super::{Thing, ThingPair};
use crate::model::Model;
use crate::pair::{Against, Distance, Pair, PairError, ScaledPose, WarmStart};
use crate::pose::{Pose, PoseError};
use crate::similarity::Similarity;
use crate::world::things::{Part, Seen};

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
/// space in f64 (a matrix of the relative rotation, mirror and scale, applied as [`Pose::apply`] does); from there on answers
/// are exact, and the same bits on every CPU. Things of any scales and mirrors can be asked. Meshes are asked by their trees of
/// oriented boxes; those compiled without them by their trees of axis-aligned boxes, which takes several times as long. Each
/// query has the work limit of [`WorkBudget::of_models`](crate::WorkBudget::of_models). Does not allocate or panic.
#[derive(Clone, Copy, Debug)]
pub struct Between<'w> {
    pair: ThingPair,
    /// The model that stays as it is, and the other one.
    models: [&'w Model<'w>; 2],
    /// Where the first one is in the world.
    outer: Similarity,
    /// Whether the first one is the pair's b.
    is_swapped: bool,
    placed: Placed,
}

/// Where the second model is in the space of the first one.
#[derive(Clone, Copy, Debug)]
enum Placed {
    Rigid(Pose),
    Scaled(ScaledPose),
}

impl<'w> Snapshot<'w> {
    /// Two things to be asked about each other: a pair that [`near_pairs`](Self::near_pairs) has found, or any other two.
    ///
    /// # Errors
    /// [`BetweenError`]: a thing is a box, or is not seen.
    pub fn between(&self, pair: ThingPair) -> Result<Between<'w>, BetweenError> {
        let (a, b) = (self.part_of(pair.a)?, self.part_of(pair.b)?);
        let is_swapped = a.similarity().scale() < b.similarity().scale();
        let [outer, inner] = if is_swapped { [&b, &a] } else { [&a, &b] };
        let placed = Placed::of(&outer.similarity(), &inner.similarity());
        let placed = placed.map_err(|error| BetweenError::Pose { a: pair.a, b: pair.b, error })?;
        let (models, outer) = ([outer.model, inner.model], outer.similarity());
        Ok(Between { pair, models, outer, is_swapped, placed })
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

impl Placed {
    /// Where what has the similarity `inner` is in the space of what has `outer`, whose scale is no smaller.
    fn of(outer: &Similarity, inner: &Similarity) -> Result<Self, PoseError> {
        if outer.is_identity() && inner.is_rigid() {
            return Ok(Self::Rigid(*inner.pose()));
        }
        // A record that is no rotation, which only a corrupt file has, is an error here.
        let own = Pose::from_rows(outer.pose().rotation(), outer.pose().translation())?;
        let relative = own.inverse().compose(inner.pose())?;
        let (mut rotation, mut translation) = (relative.rotation(), relative.translation());
        translation = translation.map(|x| x / outer.scale());
        // x_outer = M R (M' x), with the mirrors M and M'. Of both, what remains is a rotation; of one, a rotation R' and a
        // mirror before it: M R = (M R M) M.
        if outer.mirrors() {
            translation[0] = -translation[0];
            let [[_, xy, xz], [yx, ..], [zx, ..]] = &mut rotation;
            for number in [xy, xz, yx, zx] {
                *number = -*number;
            }
        }
        // Only the translation may be too large; the rotation is one up to signs.
        let pose = Pose::of_parts(rotation, Pose::from_translation(translation)?.translation());
        let (scale, mirrors) = (inner.scale() / outer.scale(), outer.mirrors() != inner.mirrors());
        if scale == 1.0 && !mirrors {
            return Ok(Self::Rigid(pose));
        }
        Ok(Self::Scaled(ScaledPose::new(&pose, scale, mirrors)))
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
    pub fn meets(&self) -> Result<bool, BetweenError> {
        Ok(self.ask().first_pair().map_err(|error| self.failed(error))?.is_some())
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
        let found = self.ask().all_pairs(|Pair { a, b }| {
            visit(if self.is_swapped { Pair { a: b, b: a } } else { Pair { a, b } })
        });
        found.map_err(|error| self.failed(error))
    }

    /// How far apart they are, up to a limit in the world's units, which may be infinite; as
    /// [`Against::distance`] computes it. Nothing is within a limit that is negative or NaN.
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
        let scale = self.outer.scale();
        // Rounded up by more than the division and the product below may round.
        let own_limit = if scale == 1.0 { limit } else { limit / scale * (1.0 + 4.0 * f64::EPSILON) };
        let found = self.ask().limit(own_limit).warm_start(start).distance();
        let Some(found) = found.map_err(|error| self.failed(error))? else { return Ok(Separation::Beyond) };
        if found.distance == 0.0 {
            return Ok(Separation::Meeting);
        }
        let distance = scale * found.distance;
        Ok(if distance <= limit { Separation::Apart(self.in_world(&found)) } else { Separation::Beyond })
    }

    fn ask(&self) -> Against<'_> {
        let [outer, inner] = self.models;
        match &self.placed {
            Placed::Rigid(pose) => outer.against(inner, pose),
            Placed::Scaled(pose) => outer.against_scaled(inner, pose),
        }
    }

    /// A distance in the space of the mesh that stays as it is, as the world and the pair have it.
    fn in_world(&self, found: &Distance) -> Distance {
        let distance = self.outer.scale() * found.distance;
        let (on_a, on_b) = (self.outer.apply(found.on_a), self.outer.apply(found.on_b));
        let direction = self.outer.direction(found.direction);
        if self.is_swapped {
            let direction = direction.map(|x| 0.0 - x);
            return Distance { distance, on_a: on_b, on_b: on_a, direction, a: found.b, b: found.a };
        }
        Distance { distance, on_a, on_b, direction, a: found.a, b: found.b }
    }

    fn failed(&self, error: PairError) -> BetweenError {
        BetweenError::Pair { a: self.pair.a, b: self.pair.b, error }
    }
}
