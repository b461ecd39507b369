//! Queries of a world with moving things: those of the compiled world and of the tree over what moves, joined.

use core::ops::ControlFlow;

use super::changes::{Changes, Identity};
use super::{Handle, Thing};
use crate::bounds::Aabb;
use crate::query::{ClosestPoint, Overlap, VisitControl};
use crate::ray::{Hit, Ray};
use crate::world::filter::WorldFilter;
use crate::world::overlap::WorldOverlap;
use crate::world::point::OfBox;
use crate::world::solid_box;
use crate::world::things::Things;

/// Decides which things and triangles a query sees, beside their layers. `()` sees everything; so does a function of a
/// [`Thing`] for which it returns true.
pub trait ThingFilter {
    /// Whether the query sees the thing. Asked at each leaf that the query reaches.
    fn accepts(&mut self, thing: Thing) -> bool {
        let _ = thing;
        true
    }

    /// Whether [`accepts_triangle`](Self::accepts_triangle) may ever return false; queries are faster if not.
    fn filters_triangles(&self) -> bool {
        false
    }

    /// Whether the query sees the triangle of this thing. Not asked of boxes.
    fn accepts_triangle(&mut self, thing: Thing, triangle: u32) -> bool {
        let _ = (thing, triangle);
        true
    }
}

impl ThingFilter for () {}

impl<F: FnMut(Thing) -> bool> ThingFilter for F {
    fn accepts(&mut self, thing: Thing) -> bool {
        self(thing)
    }
}

/// What a query found, and on which thing. Where the thing is a box, triangles are
/// [`NONE`](crate::format::NONE).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<T> {
    /// The thing.
    pub thing: Thing,
    /// What there is to say.
    pub answer: T,
}

/// The closest point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPoint {
    /// Distance from the query point in the world, rounded from f64. 0 inside a box.
    pub distance: f32,
    /// The closest point in the world, rounded from f64.
    pub point: [f32; 3],
    /// The answer of the instance's mesh, in the mesh's space. Of a box, in the world's, without a triangle.
    pub local: ClosestPoint,
}

/// A [`MovingWorld`](super::MovingWorld) as it is now. Copying it copies a few pointers.
///
/// Answers are those of [`World`](crate::World), of all instances and boxes; where several are equal, that of the compiled
/// world's lowest instance, then that of the lowest number of moving things, then that of the lowest triangle. Boxes are solid:
/// a ray that starts in one hits it at `t_min`, with a normal of zero and on the back; a point in one is its own closest point;
/// their answers are computed in f64. A shape touches the triangles around one, exactly, or is wholly inside. They are not asked for
/// meshes at poses, which meet surfaces.
///
/// The same bits on every CPU, whatever the shape of the tree, but for which of several pairs that meet is named. Does not allocate or panic. Cost: a walk through the tree of the
/// compiled world and one through the tree of what moves, each as of [`World`](crate::World).
#[derive(Clone, Copy)]
pub struct Snapshot<'w> {
    pub(super) still: Things<'w>,
    pub(super) moving: Things<'w>,
    pub(super) generations: &'w [u32],
    /// That of the world, whose copies have the same.
    pub(super) origin: Identity,
    pub(super) changes: Changes<'w>,
}

impl<'w> Snapshot<'w> {
    /// The same, of which queries see only things that are in one of these layers, a bit each. Subtrees without such things
    /// are skipped.
    pub fn with_layers(self, layers: u32) -> Self {
        let (still, moving) = (Things { layers, ..self.still }, Things { layers, ..self.moving });
        Self { still, moving, ..self }
    }

    /// The hit with the smallest `t`, as [`World::closest_hit`](crate::World::closest_hit).
    pub fn closest_hit(&self, ray: &Ray) -> Option<Found<Hit>> {
        self.closest_hit_with(ray, &mut ())
    }

    /// As [`closest_hit`](Self::closest_hit), among what `filter` accepts.
    pub fn closest_hit_with(&self, ray: &Ray, filter: &mut dyn ThingFilter) -> Option<Found<Hit>> {
        let still = self.still.closest_hit(ray, Some(&mut Still(filter)));
        let limit = still.map_or(ray.t_max, |found| found.hit.t);
        let moving = self
            .moving
            .closest_hit(&ray.with_range(ray.t_min, limit), Some(&mut self.filter_of_moving(filter)));
        match moving.filter(|moving| still.is_none_or(|still| moving.hit.t < still.hit.t)) {
            Some(found) => Some(Found { thing: self.moving(found.instance), answer: found.hit }),
            None => still.map(|found| Found { thing: Thing::Still(found.instance), answer: found.hit }),
        }
    }

    /// Whether the ray hits anything in its range.
    pub fn any_hit(&self, ray: &Ray) -> bool {
        self.any_hit_with(ray, &mut ())
    }

    /// As [`any_hit`](Self::any_hit), among what `filter` accepts.
    pub fn any_hit_with(&self, ray: &Ray, filter: &mut dyn ThingFilter) -> bool {
        self.still.any_hit(ray, Some(&mut Still(filter)))
            || self.moving.any_hit(ray, Some(&mut self.filter_of_moving(filter)))
    }

    /// Calls `visit` with every hit, once per thing and triangle, in no particular order. The visitor may stop the search or
    /// shrink the ray's range.
    pub fn all_hits(
        &self,
        ray: &Ray,
        filter: &mut dyn ThingFilter,
        mut visit: impl FnMut(&Found<Hit>) -> VisitControl,
    ) {
        let (mut limit, mut stopped) = (ray.t_max, false);
        let mut report = |thing: Thing, hit: Hit| {
            let control = visit(&Found { thing, answer: hit });
            match control {
                VisitControl::Continue => {}
                VisitControl::UpTo(closer) => limit = limit.min(closer),
                VisitControl::Stop => stopped = true,
            }
            control
        };
        self.still
            .all_hits(ray, &mut Still(filter), &mut |found| report(Thing::Still(found.instance), found.hit));
        if stopped {
            return;
        }
        let ray = ray.with_range(ray.t_min, limit);
        self.moving.all_hits(&ray, &mut self.filter_of_moving(filter), &mut |found| {
            visit(&Found { thing: self.moving(found.instance), answer: found.hit })
        });
    }

    /// The closest point within `max_distance`, as [`World::closest_point`](crate::World::closest_point).
    pub fn closest_point(
        &self,
        point: impl Into<[f32; 3]>,
        max_distance: f32,
        filter: &mut dyn ThingFilter,
    ) -> Option<Found<NearPoint>> {
        self.nearest(point.into(), max_distance, filter, solid_box::closest_point)
    }

    /// The closest point, where `of_box` finds those of boxes.
    pub(super) fn nearest(
        &self,
        point: [f32; 3],
        max_distance: f32,
        filter: &mut dyn ThingFilter,
        of_box: OfBox,
    ) -> Option<Found<NearPoint>> {
        let still = self.still.closest_point(point, max_distance, &mut Still(filter), of_box);
        // The distance is rounded; squares decide.
        let limit =
            still.as_ref().map_or(max_distance, |(_, found)| found.distance.next_up().min(max_distance));
        let moving = self.moving.closest_point(point, limit, &mut self.filter_of_moving(filter), of_box);
        let is_still = match (&still, &moving) {
            (Some((still, _)), Some((moving, _))) => still <= moving,
            (still, _) => still.is_some(),
        };
        let (_, found) = if is_still { still } else { moving }?;
        let thing = if is_still { Thing::Still(found.instance) } else { self.moving(found.instance) };
        let answer = NearPoint { distance: found.distance, point: found.point, local: found.local };
        Some(Found { thing, answer })
    }

    /// Calls `visit` with every triangle and every box that shares a point with the closed box, once, in no particular order,
    /// until it returns `Break`, as [`World::overlap_box`](crate::World::overlap_box).
    pub fn overlap_box(
        &self,
        query_box: &Aabb,
        filter: &mut dyn ThingFilter,
        mut visit: impl FnMut(Found<Overlap>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.still.overlap_box(query_box, &mut Still(filter), &mut |found| visit(still_overlap(&found)))?;
        self.moving.overlap_box(query_box, &mut self.filter_of_moving(filter), &mut |found| {
            visit(Found { thing: self.moving(found.instance), answer: found.overlap })
        })
    }

    /// Calls `visit` with every triangle and every box within `radius` of `centre`, as
    /// [`World::overlap_sphere`](crate::World::overlap_sphere).
    pub fn overlap_sphere(
        &self,
        centre: impl Into<[f32; 3]>,
        radius: f32,
        filter: &mut dyn ThingFilter,
        mut visit: impl FnMut(Found<Overlap>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let centre = centre.into();
        self.still
            .overlap_sphere(centre, radius, &mut Still(filter), &mut |found| visit(still_overlap(&found)))?;
        self.moving.overlap_sphere(centre, radius, &mut self.filter_of_moving(filter), &mut |found| {
            visit(Found { thing: self.moving(found.instance), answer: found.overlap })
        })
    }

    #[inline(always)]
    pub(super) fn moving(&self, number: u32) -> Thing {
        moving_thing(self.generations, number)
    }

    pub(super) fn filter_of_moving<'f>(&self, filter: &'f mut dyn ThingFilter) -> Moving<'f, 'w> {
        Moving { filter, generations: self.generations }
    }
}

pub(super) fn still_overlap(found: &WorldOverlap) -> Found<Overlap> {
    Found { thing: Thing::Still(found.instance), answer: found.overlap }
}

#[inline(always)]
fn moving_thing(generations: &[u32], number: u32) -> Thing {
    let generation = generations.get(number as usize).copied().unwrap_or_default();
    Thing::Moving(Handle { number, generation })
}

/// A filter of the compiled world's instances.
pub(super) struct Still<'f>(pub(super) &'f mut dyn ThingFilter);

impl WorldFilter for Still<'_> {
    fn accepts_instance(&mut self, instance: u32) -> bool {
        self.0.accepts(Thing::Still(instance))
    }

    fn filters_triangles(&self) -> bool {
        self.0.filters_triangles()
    }

    fn accepts_triangle(&mut self, instance: u32, triangle: u32) -> bool {
        self.0.accepts_triangle(Thing::Still(instance), triangle)
    }
}

/// A filter of moving things.
pub(super) struct Moving<'f, 'w> {
    filter: &'f mut dyn ThingFilter,
    generations: &'w [u32],
}

impl WorldFilter for Moving<'_, '_> {
    fn accepts_instance(&mut self, instance: u32) -> bool {
        self.filter.accepts(moving_thing(self.generations, instance))
    }

    fn filters_triangles(&self) -> bool {
        self.filter.filters_triangles()
    }

    fn accepts_triangle(&mut self, instance: u32, triangle: u32) -> bool {
        self.filter.accepts_triangle(moving_thing(self.generations, instance), triangle)
    }
}
