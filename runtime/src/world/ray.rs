//! Rays in worlds: the closest hit, any hit and all hits.

use core::ops::ControlFlow;

use super::filter::{WorldFilter, with_probe};
use super::things::{Part, Seen, Things};
use super::{World, solid_box};
use crate::query::VisitControl;
use crate::ray::{Class, Hit, Ray, Scaled};

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
        self.closest_hit_with(ray, &mut ())
    }

    /// As [`closest_hit`](Self::closest_hit), among what `filter` accepts.
    pub fn closest_hit_with(&self, ray: &Ray, filter: &mut dyn WorldFilter) -> Option<WorldHit> {
        self.things.closest_hit(ray, filter)
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
        self.any_hit_with(ray, &mut ())
    }

    /// As [`any_hit`](Self::any_hit), among what `filter` accepts.
    pub fn any_hit_with(&self, ray: &Ray, filter: &mut dyn WorldFilter) -> bool {
        self.things.any_hit(ray, filter)
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
impl Things<'_> {
    pub(super) fn closest_hit(&self, ray: &Ray, filter: &mut dyn WorldFilter) -> Option<WorldHit> {
        let Some(class) = Class::of(ray) else {
            let scaled = Scaled::of(ray)?;
            let found = self.closest_hit(&scaled.ray, filter)?;
            return Some(WorldHit { hit: scaled.unscale(found.hit), ..found });
        };
        let mut best: Option<(WorldHit, Option<Part<'_>>)> = None;
        let mut limit = ray.t_max;
        self.along_ray(ray, class, &mut |leaf| {
            let Some(seen) = self.seen(leaf, filter) else { return ControlFlow::Continue(limit) };
            let ray = ray.with_range(ray.t_min, limit);
            let (hit, part) = match seen {
                Seen::Mesh(part) => {
                    let local = part.similarity.inverse_transform_ray(&ray);
                    let hit = with_probe(filter, leaf.instance, |probe| {
                        part.model.closest_hit_below(part.child, &local, probe)
                    });
                    (hit, Some(part))
                }
                Seen::Box(bounds) => (solid_box::hit(&bounds, &ray), None),
            };
            let Some(hit) = hit else { return ControlFlow::Continue(limit) };
            let found = WorldHit { instance: leaf.instance, hit };
            if best.as_ref().is_none_or(|(held, _)| found.precedes(held)) {
                limit = hit.t;
                best = Some((found, part));
            }
            ControlFlow::Continue(limit)
        });
        best.map(|(found, part)| part.map_or(found, |part| found.in_world(&part)))
    }

    pub(super) fn any_hit(&self, ray: &Ray, filter: &mut dyn WorldFilter) -> bool {
        let Some(class) = Class::of(ray) else {
            return Scaled::of(ray).is_some_and(|scaled| self.any_hit(&scaled.ray, filter));
        };
        let mut found = false;
        self.along_ray(ray, class, &mut |leaf| {
            found = match self.seen(leaf, filter) {
                Some(Seen::Mesh(part)) => {
                    let local = part.similarity.inverse_transform_ray(ray);
                    with_probe(filter, leaf.instance, |probe| {
                        part.model.any_hit_below(part.child, &local, probe)
                    })
                }
                Some(Seen::Box(bounds)) => solid_box::hit(&bounds, ray).is_some(),
                None => false,
            };
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(ray.t_max) }
        });
        found
    }

    pub(super) fn all_hits(
        &self,
        ray: &Ray,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(&WorldHit) -> VisitControl,
    ) {
        let Some(class) = Class::of(ray) else {
            let Some(scaled) = Scaled::of(ray) else { return };
            let mut visit = |found: &WorldHit| {
                let found = WorldHit { hit: scaled.unscale(found.hit), ..*found };
                match visit(&found) {
                    VisitControl::UpTo(closer) => VisitControl::UpTo(scaled.scale(closer)),
                    other => other,
                }
            };
            return self.all_hits(&scaled.ray, filter, &mut visit);
        };
        let (mut limit, mut stopped) = (ray.t_max, false);
        self.along_ray(ray, class, &mut |leaf| {
            let Some(seen) = self.seen(leaf, filter) else { return ControlFlow::Continue(limit) };
            let ray = ray.with_range(ray.t_min, limit);
            let mut report = |found: WorldHit| {
                let control = visit(&found);
                match control {
                    VisitControl::Continue => {}
                    VisitControl::UpTo(closer) => limit = limit.min(closer),
                    VisitControl::Stop => stopped = true,
                }
                control
            };
            let instance = leaf.instance;
            match seen {
                Seen::Mesh(part) => with_probe(filter, instance, |probe| {
                    let local = part.similarity.inverse_transform_ray(&ray);
                    part.model.all_hits_below(part.child, &local, probe, &mut |hit| {
                        report(WorldHit { instance, hit: *hit }.in_world(&part))
                    });
                }),
                Seen::Box(bounds) => {
                    if let Some(hit) = solid_box::hit(&bounds, &ray) {
                        report(WorldHit { instance, hit });
                    }
                }
            }
            if stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(limit) }
        });
    }
}

impl WorldHit {
    pub(super) fn precedes(&self, other: &Self) -> bool {
        (self.hit.t, self.instance, self.hit.triangle) < (other.hit.t, other.instance, other.hit.triangle)
    }

    /// The hit with its normal turned into the world.
    fn in_world(self, part: &Part<'_>) -> Self {
        let normal = part.similarity.transform_normal(self.hit.normal);
        Self { hit: Hit { normal, ..self.hit }, ..self }
    }
}
