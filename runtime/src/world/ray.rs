//! Rays in worlds: the closest hit, any hit and all hits.

use core::ops::ControlFlow;

use bvhc_format::world::{Instance, InstanceLeaf};

use super::filter::{MaybeFilter, WorldFilter, accepts_instance, with_probe, with_probe_if_any};
use super::things::{Seen, Things};
use super::walk::LeafVisitor;
use super::{World, solid_box};
use crate::model::Model;
use crate::query::VisitControl;
use crate::ray::{Hit, Ray, Scaled};
use crate::simd::Kernel;
use crate::similarity::{Similarity, ray_in_instance};
use crate::walk::ray::{LeavesFirst, NearestFirst};

/// Where a ray meets an instance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldHit {
    /// The instance.
    pub instance: u32,
    /// The hit on its mesh. The normal is the world's; the mesh's [`source_of`](crate::Model::source_of) gives the
    /// triangle's face.
    pub hit: Hit,
}

/// Rays. A ray is transformed into the space of each instance that it may meet, in f64 and rounded once, and meets there
/// what it would meet in the mesh alone. `t` is that of the world's ray. Sides of mirrored meshes are not swapped: what is
/// their front in the source is their front in the world.
impl World<'_> {
    /// The hit with the smallest `t`; among equals, that on the lowest instance, then the lowest triangle. A miss is `None`.
    ///
    /// The same bits on every CPU. Does not allocate or panic.
    pub fn closest_hit(&self, ray: &Ray) -> Option<WorldHit> {
        self.things.closest_hit(ray, None)
    }

    /// As [`closest_hit`](Self::closest_hit), among what `filter` accepts.
    pub fn closest_hit_with(&self, ray: &Ray, filter: &mut dyn WorldFilter) -> Option<WorldHit> {
        self.things.closest_hit(ray, Some(filter))
    }

    /// The closest hit of each ray, bit-identical to [`closest_hit`](Self::closest_hit).
    ///
    /// `hits[i]` answers `rays[i]`; if the slices differ in length, the rest of the longer one is ignored.
    pub fn closest_hits(&self, rays: &[Ray], hits: &mut [Option<WorldHit>]) {
        for (ray, hit) in rays.iter().zip(hits) {
            *hit = self.closest_hit(ray);
        }
    }

    /// Whether the ray hits anything in its range.
    pub fn any_hit(&self, ray: &Ray) -> bool {
        self.things.any_hit(ray, None)
    }

    /// As [`any_hit`](Self::any_hit), among what `filter` accepts.
    pub fn any_hit_with(&self, ray: &Ray, filter: &mut dyn WorldFilter) -> bool {
        self.things.any_hit(ray, Some(filter))
    }

    /// Whether each ray hits anything, as [`any_hit`](Self::any_hit); otherwise as [`closest_hits`](Self::closest_hits).
    pub fn any_hits(&self, rays: &[Ray], hits: &mut [bool]) {
        for (ray, hit) in rays.iter().zip(hits) {
            *hit = self.any_hit(ray);
        }
    }

    /// Calls `visit` with every hit, once per instance and triangle, in no particular order.
    ///
    /// The visitor may stop the search or shrink the ray's range.
    pub fn all_hits(&self, ray: &Ray, mut visit: impl FnMut(&WorldHit) -> VisitControl) {
        self.things.all_hits(ray, &mut (), &mut visit);
    }

    /// As [`all_hits`](Self::all_hits), among what `filter` accepts.
    pub fn all_hits_with(
        &self,
        ray: &Ray,
        filter: &mut dyn WorldFilter,
        mut visit: impl FnMut(&WorldHit) -> VisitControl,
    ) {
        self.things.all_hits(ray, filter, &mut visit);
    }
}

/// The walks.
impl<'a> Things<'a> {
    pub(super) fn closest_hit(&self, ray: &Ray, mut filter: MaybeFilter<'_>) -> Option<WorldHit> {
        if let Some((instance, model)) = self.mesh_in_place(&mut filter) {
            return Some(WorldHit { instance, hit: model?.closest_hit(ray)? });
        }
        let mut search = Closest { things: self, ray: *ray, filter, best: None };
        if self.along_ray(ray, &mut search).is_none() {
            let scaled = Scaled::of(ray)?;
            let found = self.closest_hit(&scaled.ray, search.filter)?;
            return Some(WorldHit { hit: scaled.unscale(found.hit), ..found });
        }
        search.best.map(|(found, record)| record.map_or(found, |record| found.in_world(record)))
    }

    pub(super) fn any_hit(&self, ray: &Ray, mut filter: MaybeFilter<'_>) -> bool {
        if let Some((_, model)) = self.mesh_in_place(&mut filter) {
            return model.is_some_and(|model| model.any_hit(ray));
        }
        let mut search = Any { things: self, ray, filter, found: false };
        if self.along_ray(ray, &mut search).is_none() {
            return Scaled::of(ray).is_some_and(|scaled| self.any_hit(&scaled.ray, search.filter));
        }
        search.found
    }

    pub(super) fn all_hits(
        &self,
        ray: &Ray,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(&WorldHit) -> VisitControl,
    ) {
        let mut search = All { things: self, ray: *ray, filter, report: visit, stopped: false };
        if self.along_ray(ray, &mut search).is_none() {
            let Some(scaled) = Scaled::of(ray) else { return };
            let mut visit = |found: &WorldHit| {
                let found = WorldHit { hit: scaled.unscale(found.hit), ..*found };
                match visit(&found) {
                    VisitControl::UpTo(closer) => VisitControl::UpTo(scaled.scale(closer)),
                    other => other,
                }
            };
            self.all_hits(&scaled.ray, filter, &mut visit);
        }
    }

    /// If rays are asked of a mesh that is where it is: the instance, and the mesh if the filter sees it.
    #[inline(always)]
    fn mesh_in_place(&self, filter: &mut MaybeFilter<'_>) -> Option<(u32, Option<&'a Model<'a>>)> {
        let leaf = self.in_place?;
        let filter: &mut dyn WorldFilter = match filter {
            Some(filter) if filter.filters_triangles() => return None,
            Some(filter) => *filter,
            None => &mut (),
        };
        Some((leaf.instance, self.seen_mesh(leaf, filter).map(|part| part.model)))
    }
}

/// The search for the closest hit.
struct Closest<'s, 'f, 'a> {
    things: &'s Things<'a>,
    /// Ends at the closest hit so far.
    ray: Ray,
    filter: MaybeFilter<'f>,
    /// The hit, and the instance's record where that is of a mesh.
    best: Option<(WorldHit, Option<&'a Instance>)>,
}

impl<'a> LeafVisitor<'a> for Closest<'_, '_, 'a> {
    type Order = NearestFirst;

    #[inline(always)]
    fn visit<S: Kernel>(&mut self, simd: S, leaf: &'a InstanceLeaf) -> ControlFlow<(), f32> {
        let accepts = |instance| accepts_instance(&mut self.filter, instance);
        let (hit, record) = match self.things.seen_if(leaf, accepts) {
            Some(Seen::Mesh(part)) => {
                let local = ray_in_instance(simd, part.record, &self.ray);
                let hit = with_probe_if_any(
                    &mut self.filter,
                    leaf.instance,
                    #[inline(always)]
                    |probe| part.model.closest_hit_below(simd, part.child, &local, probe),
                );
                (hit, Some(part.record))
            }
            Some(Seen::Box(bounds)) => (solid_box::hit(&bounds, &self.ray), None),
            None => (None, None),
        };
        if let Some(hit) = hit {
            let found = WorldHit { instance: leaf.instance, hit };
            if self.best.as_ref().is_none_or(|(held, _)| found.precedes(held)) {
                self.ray.t_max = hit.t;
                self.best = Some((found, record));
            }
        }
        ControlFlow::Continue(self.ray.t_max)
    }
}

/// The search for any hit.
struct Any<'s, 'f, 'a> {
    things: &'s Things<'a>,
    ray: &'s Ray,
    filter: MaybeFilter<'f>,
    found: bool,
}

impl<'a> LeafVisitor<'a> for Any<'_, '_, 'a> {
    type Order = LeavesFirst;

    #[inline(always)]
    fn visit<S: Kernel>(&mut self, simd: S, leaf: &'a InstanceLeaf) -> ControlFlow<(), f32> {
        let accepts = |instance| accepts_instance(&mut self.filter, instance);
        self.found = match self.things.seen_if(leaf, accepts) {
            Some(Seen::Mesh(part)) => {
                let local = ray_in_instance(simd, part.record, self.ray);
                with_probe_if_any(
                    &mut self.filter,
                    leaf.instance,
                    #[inline(always)]
                    |probe| part.model.any_hit_below(simd, part.child, &local, probe),
                )
            }
            Some(Seen::Box(bounds)) => solid_box::hit(&bounds, self.ray).is_some(),
            None => false,
        };
        if self.found { ControlFlow::Break(()) } else { ControlFlow::Continue(self.ray.t_max) }
    }
}

/// The search for all hits.
struct All<'s, 'a> {
    things: &'s Things<'a>,
    /// Ends where the caller wants.
    ray: Ray,
    filter: &'s mut dyn WorldFilter,
    report: &'s mut dyn FnMut(&WorldHit) -> VisitControl,
    stopped: bool,
}

impl<'a> LeafVisitor<'a> for All<'_, 'a> {
    type Order = NearestFirst;

    #[inline(always)]
    fn visit<S: Kernel>(&mut self, simd: S, leaf: &'a InstanceLeaf) -> ControlFlow<(), f32> {
        let (ray, instance) = (self.ray, leaf.instance);
        let Some(seen) = self.things.seen(leaf, self.filter) else { return ControlFlow::Continue(ray.t_max) };
        let Self { filter, report, stopped, ray: Ray { t_max: limit, .. }, .. } = self;
        let mut report = |found: WorldHit| {
            let control = report(&found);
            match control {
                VisitControl::Continue => {}
                VisitControl::UpTo(closer) => *limit = limit.min(closer),
                VisitControl::Stop => *stopped = true,
            }
            control
        };
        match seen {
            Seen::Mesh(part) => {
                let local = ray_in_instance(simd, part.record, &ray);
                with_probe(*filter, instance, |probe| {
                    part.model.all_hits_below(part.child, &local, probe, &mut |hit| {
                        report(WorldHit { instance, hit: *hit }.in_world(part.record))
                    });
                });
            }
            Seen::Box(bounds) => {
                if let Some(hit) = solid_box::hit(&bounds, &ray) {
                    report(WorldHit { instance, hit });
                }
            }
        }
        if self.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(self.ray.t_max) }
    }
}

impl WorldHit {
    pub(super) fn precedes(&self, other: &Self) -> bool {
        (self.hit.t, self.instance, self.hit.triangle) < (other.hit.t, other.instance, other.hit.triangle)
    }

    /// The hit with its normal turned into the world.
    fn in_world(self, record: &Instance) -> Self {
        let normal = Similarity::of(record).transform_normal(self.hit.normal);
        Self { hit: Hit { normal, ..self.hit }, ..self }
    }
}
