//! Points inside of instances: winding numbers, places and signed distances.
//!
//! An instance of a closed mesh that holds a point has surface along any half-line from there, so a walk along one, to the nearest
//! side of the world, comes to all of these. That of an instance that is opened in the tree may have no box around the point.

use core::ops::ControlFlow;

use super::filter::WorldFilter;
use super::overlap::around;
use super::point::WorldPoint;
use super::things::{Seen, Things};
use super::walk::FirstLeaves;
use super::{World, solid_box};
use crate::bounds::Aabb;
use crate::query::{InsideRule, Place, Winding};
use crate::similarity::Similarity;
use crate::triangle::crossing::HalfLine;

/// Where a point is in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldPlace {
    /// In, on or out; never unsure.
    pub place: Place,
    /// The lowest instance that the point is in, or that it is on if it is in none.
    pub instance: Option<u32>,
}

/// The distance of a point from the surfaces of a world, negative inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldSignedDistance {
    /// The distance from the closest point, in the world's units; negative if the point is in an instance. Outside it is how far
    /// it is to any instance. Inside it is how far it is to any surface, which may be that of another instance around or inside
    /// of this one: at most as far as it is out of all of them.
    pub distance: f32,
    /// Where the point is.
    pub place: WorldPlace,
    /// The closest point of any instance.
    pub nearest: WorldPoint,
}

/// Insides. Instances of closed meshes are solids: meshes along each of whose edges as many triangles go one way as the other
/// ([`Sections::solid`](crate::Sections::solid) has no boundary). Others are surfaces, which hold no point; their winding numbers
/// count, and their distances.
///
/// A point is transformed into the space of each instance, in f64 and rounded once; what is said there is exact. Filters choose
/// instances; the triangles of an instance belong together and are not asked for.
impl World<'_> {
    /// The sum of the winding numbers of all instances around a point, open ones, too; `None` on a surface, where it has none.
    ///
    /// Exact, an integer, if all meshes of the world are closed. Otherwise as of [`Model::winding`](crate::Model::winding), with
    /// the sum of the errors. Does not allocate or panic. Cost: that of [`contains`](Self::contains) if all meshes are closed,
    /// otherwise a look at each instance, and at the boundary of each that is open.
    pub fn winding(&self, point: impl Into<[f32; 3]>) -> Option<Winding> {
        self.winding_with(point, &mut ())
    }

    /// As [`winding`](Self::winding), of the instances that `filter` accepts.
    pub fn winding_with(&self, point: impl Into<[f32; 3]>, filter: &mut dyn WorldFilter) -> Option<Winding> {
        self.things.winding(point.into(), filter)
    }

    /// Whether a point is in an instance of a closed mesh by a rule, or on the surface of one, or outside of all.
    ///
    /// Each instance is asked by itself, as by [`Model::contains`](crate::Model::contains): numbers of several do not add up. A
    /// point that is not finite is outside. Does not allocate or panic. Cost: a walk through the boxes along a half-line, and
    /// that query for each closed instance there.
    ///
    /// ```
    /// use bvhc_runtime::{InsideRule, Place, World, include_aligned};
    ///
    /// let mut meshes = [None; 2];
    /// let world = World::from_bytes(include_aligned!("../../../tests/golden/world.bvh"), &mut meshes)?;
    /// assert_eq!(world.contains([0.0, 0.0, 500.0], InsideRule::NonZero).place, Place::Out);
    /// # Ok::<(), bvhc_runtime::WorldError>(())
    /// ```
    pub fn contains(&self, point: impl Into<[f32; 3]>, rule: InsideRule) -> WorldPlace {
        self.contains_with(point, rule, &mut ())
    }

    /// As [`contains`](Self::contains), of the instances that `filter` accepts.
    pub fn contains_with(
        &self,
        point: impl Into<[f32; 3]>,
        rule: InsideRule,
        filter: &mut dyn WorldFilter,
    ) -> WorldPlace {
        self.things.place(point.into(), rule, filter)
    }

    /// The distance of a point from the nearest surface, negative where it is in an instance of a closed mesh by a rule.
    ///
    /// The distance is that of [`closest_point`](Self::closest_point), the sign that of [`contains`](Self::contains). `None` if
    /// the point is not finite or beyond 2^60, or there is no instance. Does not allocate or panic. Cost: both queries.
    pub fn signed_distance(
        &self,
        point: impl Into<[f32; 3]>,
        rule: InsideRule,
    ) -> Option<WorldSignedDistance> {
        self.signed_distance_with(point, rule, &mut ())
    }

    /// As [`signed_distance`](Self::signed_distance), of the instances that `filter` accepts. Triangles that it does not accept
    /// count for the sign only.
    pub fn signed_distance_with(
        &self,
        point: impl Into<[f32; 3]>,
        rule: InsideRule,
        filter: &mut dyn WorldFilter,
    ) -> Option<WorldSignedDistance> {
        let point = point.into();
        let nearest = self.closest_point_with(point, f32::INFINITY, filter)?;
        let place = self.things.place(point, rule, filter);
        Some(WorldSignedDistance { distance: signed(nearest.distance, place.place), place, nearest })
    }
}

/// A distance, negative inside.
pub(super) fn signed(distance: f32, place: Place) -> f32 {
    if place == Place::In { -distance } else { distance }
}

/// The sum of two winding numbers.
pub(super) fn sum(a: Winding, b: Winding) -> Winding {
    let value = a.value + b.value;
    // Integers are added exactly, and so is nothing.
    let is_rounded = a.error + b.error > 0.0 && a.value != 0.0 && b.value != 0.0;
    let rounding = if is_rounded { f64::EPSILON * value.abs() } else { 0.0 };
    Winding { value, error: a.error + b.error + rounding }
}

/// The walks.
impl Things<'_> {
    pub(super) fn winding(&self, point: [f32; 3], filter: &mut dyn WorldFilter) -> Option<Winding> {
        let mut total = Winding { value: 0.0, error: 0.0 };
        if !point.iter().all(|x| x.is_finite()) {
            return Some(total);
        }
        let mut add = |seen: &Seen<'_>| {
            let own = match seen {
                Seen::Mesh(part) => part.model.winding(local(&part.similarity, point)),
                Seen::Box(bounds) => solid_box::winding(bounds, point),
            };
            own.map_or(ControlFlow::Break(()), |own| {
                total = sum(total, own);
                ControlFlow::Continue(())
            })
        };
        let are_closed = self.models.iter().flatten().all(|model| model.is_closed());
        let ended = if are_closed {
            self.along_half_line(point, filter, &mut |_, seen| add(&seen))
        } else {
            // Sums of other numbers are rounded, so that their order matters.
            (0..self.records.len() as u32).try_for_each(|instance| {
                self.whole(instance, filter).map_or(ControlFlow::Continue(()), |it| add(&it))
            })
        };
        ended.is_continue().then_some(total)
    }

    pub(super) fn place(
        &self,
        point: [f32; 3],
        rule: InsideRule,
        filter: &mut dyn WorldFilter,
    ) -> WorldPlace {
        // The lowest that the point is in, and the lowest that it is on.
        let (mut within, mut on): (Option<u32>, Option<u32>) = (None, None);
        let lower = |held: Option<u32>, instance: u32| Some(held.map_or(instance, |held| held.min(instance)));
        let _ = self.along_half_line(point, filter, &mut |instance, seen| {
            let place = match seen {
                Seen::Mesh(part) => part.model.contains(local(&part.similarity, point), rule),
                Seen::Box(bounds) => solid_box::place(&bounds, point),
            };
            match place {
                Place::In => within = lower(within, instance),
                Place::On => on = lower(on, instance),
                Place::Out | Place::Unsure => {}
            }
            ControlFlow::Continue(())
        });
        let place = match (within, on) {
            (Some(_), _) => Place::In,
            (None, Some(_)) => Place::On,
            (None, None) => Place::Out,
        };
        WorldPlace { place, instance: within.or(on) }
    }

    /// Calls `visit` once with each seen solid that may hold the point.
    fn along_half_line(
        &self,
        point: [f32; 3],
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(u32, Seen<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !point.iter().all(|x| x.is_finite()) {
            return ControlFlow::Continue(());
        }
        let [x, y, z, _] = self.extent.axes;
        let line = HalfLine::leaving(&Aabb { min: [-x, -y, -z], max: [x, y, z] }, point).as_box();
        let (near, mut query) = (around(point, 0.0), line);
        for axis in 0..3 {
            query.min[axis] = query.min[axis].min(near.min[axis]);
            query.max[axis] = query.max[axis].max(near.max[axis]);
        }
        let mut first = FirstLeaves::of(self);
        self.in_box(&query, &mut |leaf| match self.seen(leaf, filter) {
            Some(Seen::Mesh(part)) if !part.model.is_closed() => ControlFlow::Continue(()),
            Some(seen) if first.has(leaf, &query) => visit(leaf.instance, seen),
            _ => ControlFlow::Continue(()),
        })
    }
}

/// A point in the space of an instance.
fn local(at: &Similarity, point: [f32; 3]) -> [f32; 3] {
    at.inverse_apply(point.map(f64::from)).map(|x| x as f32)
}
