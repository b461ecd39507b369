//! What a moving shape touches first in a world.

use core::cmp::Ordering;
use core::ops::ControlFlow;

use super::solid;
use crate::query::{CastHit, Motion, ShapeCast, Sweep, by_contact};
use crate::shape::Shape;
use crate::similarity::Similarity;
use crate::world::World;
use crate::world::filter::{WorldFilter, with_probe};
use crate::world::things::{Seen, Things};

/// Where a moving shape touches an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldCast {
    /// The instance.
    pub instance: u32,
    /// The contact with its mesh. The point and the normals are the world's; the corners are the mesh's, in its space. Fronts
    /// of mirrored meshes stay fronts.
    pub hit: CastHit,
}

impl WorldCast {
    /// By time, then depth, then feature, then instance and triangle.
    fn order(&self, other: &Self) -> Ordering {
        let by_number = (self.instance, self.hit.triangle).cmp(&(other.instance, other.hit.triangle));
        by_contact(&self.hit, &other.hit).then(by_number)
    }
}

/// Casts of shapes. They are asked in the world's space, as overlaps are: at its `t` a shape does not touch the triangle, as
/// [`World::overlaps`] decides it, and is within 1e-6 of the instance's size of doing so, or within 2^-30 of the
/// largest coordinate of the two, if that is more.
impl World<'_> {
    /// What the moving shape touches first. Of contacts at the same time the deepest is returned, then one of a face before edges
    /// and corners, then the lowest instance's, then that of its lowest triangle.
    ///
    /// Otherwise as [`Model::cast`](crate::Model::cast): of each instance, the answer does not depend on what else there is.
    ///
    /// ```
    /// use bvhc_runtime::{Ball, ShapeCast, World, include_aligned};
    ///
    /// let mut meshes = [None; 2];
    /// let world = World::from_bytes(include_aligned!("../../../../tests/golden/world.bvh"), &mut meshes)?;
    /// let ball = Ball::new([10.5, 0.25, 3.0], 1.0);
    /// let found = world.cast(&ShapeCast::new(&ball, [0.0, 0.0, -4.0])).expect("it falls on a board");
    /// assert!(found.hit.t <= 0.5 && found.hit.t > 0.5 - 1e-6);
    /// assert_eq!(world.instance(found.instance).map(|instance| instance.name()), Some("board.1"));
    /// # Ok::<(), bvhc_runtime::WorldError>(())
    /// ```
    pub fn cast<T: Shape>(&self, cast: &ShapeCast<'_, T>) -> Option<WorldCast> {
        self.cast_with(cast, &mut ())
    }

    /// As [`cast`](Self::cast), among what `filter` accepts.
    pub fn cast_with<T: Shape>(
        &self,
        cast: &ShapeCast<'_, T>,
        filter: &mut dyn WorldFilter,
    ) -> Option<WorldCast> {
        self.things.cast(&cast.erased(), f64::INFINITY, filter)
    }

    /// Whether the moving shape touches anything. Faster than [`cast`](Self::cast).
    pub fn cast_any<T: Shape>(&self, cast: &ShapeCast<'_, T>) -> bool {
        self.cast_any_with(cast, &mut ())
    }

    /// As [`cast_any`](Self::cast_any), among what `filter` accepts.
    pub fn cast_any_with<T: Shape>(&self, cast: &ShapeCast<'_, T>, filter: &mut dyn WorldFilter) -> bool {
        self.things.cast_any(&cast.erased(), filter)
    }

    /// Calls `visit` once with the first contact of each triangle that the moving shape touches, in no particular order, until
    /// it returns `Break`, which is then returned.
    pub fn all_casts<T: Shape>(
        &self,
        cast: &ShapeCast<'_, T>,
        visit: impl FnMut(&WorldCast) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.all_casts_with(cast, &mut (), visit)
    }

    /// As [`all_casts`](Self::all_casts), among what `filter` accepts.
    pub fn all_casts_with<T: Shape>(
        &self,
        cast: &ShapeCast<'_, T>,
        filter: &mut dyn WorldFilter,
        mut visit: impl FnMut(&WorldCast) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.things.all_casts(&cast.erased(), filter, &mut visit)
    }
}

/// The walks.
impl Things<'_> {
    /// The first contact, if it is up to `limit`.
    pub(in crate::world) fn cast(
        &self,
        cast: &ShapeCast<'_, dyn Shape + '_>,
        limit: f64,
        filter: &mut dyn WorldFilter,
    ) -> Option<WorldCast> {
        let sweep = self.sweep(cast)?;
        let (mut first, mut limit): (Option<WorldCast>, f64) = (None, limit);
        self.along_sweep(&sweep, limit, &mut |leaf| {
            let instance = leaf.instance;
            let hit = match self.seen(leaf, filter) {
                Some(Seen::Mesh(part)) => with_probe(filter, instance, |probe| {
                    part.model.cast_below(part.child, &part.similarity(), cast, limit, probe)
                }),
                Some(Seen::Box(bounds)) => solid::cast(&bounds, cast, limit),
                None => None,
            };
            if let Some(found) = hit.map(|hit| WorldCast { instance, hit })
                && first.as_ref().is_none_or(|held| found.order(held).is_lt())
            {
                (limit, first) = (found.hit.t, Some(found));
            }
            ControlFlow::Continue(sweep.in_ray_units(limit))
        });
        first
    }

    pub(in crate::world) fn cast_any(
        &self,
        cast: &ShapeCast<'_, dyn Shape + '_>,
        filter: &mut dyn WorldFilter,
    ) -> bool {
        let Some(sweep) = self.sweep(cast) else { return false };
        let mut is_found = false;
        self.along_sweep(&sweep, f64::INFINITY, &mut |leaf| {
            is_found = match self.seen(leaf, filter) {
                Some(Seen::Mesh(part)) => with_probe(filter, leaf.instance, |probe| {
                    part.model.cast_any_below(part.child, &part.similarity(), cast, probe)
                }),
                Some(Seen::Box(bounds)) => solid::cast(&bounds, cast, f64::INFINITY).is_some(),
                None => false,
            };
            if is_found {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(sweep.in_ray_units(f64::INFINITY))
            }
        });
        is_found
    }

    pub(in crate::world) fn all_casts(
        &self,
        cast: &ShapeCast<'_, dyn Shape + '_>,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(&WorldCast) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(sweep) = self.sweep(cast) else { return ControlFlow::Continue(()) };
        let mut ended = ControlFlow::Continue(());
        self.along_sweep(&sweep, f64::INFINITY, &mut |leaf| {
            let instance = leaf.instance;
            let mut report = |hit: &CastHit| visit(&WorldCast { instance, hit: *hit });
            ended = match self.seen(leaf, filter) {
                Some(Seen::Mesh(part)) => with_probe(filter, instance, |probe| {
                    part.model.all_casts_below(part.child, &part.similarity(), cast, probe, &mut report)
                }),
                Some(Seen::Box(bounds)) => {
                    let hit = solid::cast(&bounds, cast, f64::INFINITY);
                    hit.as_ref().map_or(ControlFlow::Continue(()), &mut report)
                }
                None => ControlFlow::Continue(()),
            };
            ended?;
            ControlFlow::Continue(sweep.in_ray_units(f64::INFINITY))
        });
        ended
    }

    /// The cast's sweep through the tree: near a box around the world, whose tolerance is at least that of all within.
    fn sweep<'c>(&self, cast: &ShapeCast<'c, dyn Shape + 'c>) -> Option<Sweep<'c>> {
        let [x, y, z, _] = self.extent.axes.map(f64::from);
        let around = [[-x, -y, -z], [x, y, z]];
        Some(Motion::of(cast, around)?.sweep(&Similarity::IDENTITY, &self.extent))
    }
}
