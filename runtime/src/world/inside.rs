//! Points inside of instances: winding numbers, places and signed distances.
//!
//! A walk along a half-line, to the nearest side of the world, comes to all instances that may hold a point: those of closed meshes
//! have surface along any half-line from there, and others a box around it, unless they are opened in the tree. Those of several
//! leaves are found by bisection, and their bounds looked at.

use core::ops::ControlFlow;

use super::filter::WorldFilter;
use super::overlap::around;
use super::point::WorldPoint;
use super::things::{Part, Seen, Things};
use super::walk::FirstLeaves;
use super::{World, bounds_of, solid_box};
use crate::bounds::Aabb;
use crate::query::{Found, InsideRule, Place, Winding};
use crate::similarity::Similarity;
use crate::triangle::crossing::HalfLine;

/// Where a point is in a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldPlace {
    /// In if the point is in any instance; else unsure, if it is so of any; else on, if it is on any.
    pub place: Place,
    /// The lowest instance of which that is true.
    pub instance: Option<u32>,
}

/// The distance of a point from the surfaces of a world, negative inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldSignedDistance {
    /// The distance from the closest point, in the world's units; negative if the point is in an instance, or unsure and most
    /// likely in. Outside it is how far it is to any instance. Inside it is how far it is to any surface, which may be that of another instance around or inside
    /// of this one: at most as far as it is out of all of them.
    pub distance: f32,
    /// Where the point is.
    pub place: WorldPlace,
    /// The closest point of any instance.
    pub nearest: WorldPoint,
}

/// Insides. A point is transformed into the space of each instance, in f64 and rounded once; what is said there is as exact as of
/// the mesh. Filters choose instances; the triangles of an instance belong together and are not asked for.
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

    /// Whether a point is in an instance by a rule, or on the surface of one, or outside of all.
    ///
    /// Each instance is asked by itself, as by [`Model::contains`](crate::Model::contains): numbers of several do not add up. One
    /// whose mesh is open holds no point beyond the bounds of its mesh, nor beyond its own ([`Instance::bounds`](crate::Instance::bounds),
    /// which may be smaller where it is turned, and are not in a thin world or for what moves); a model may yet say so there, if
    /// several open sheets surround a point by halves. A point that is not finite is outside. Does not allocate or panic. Cost: a walk through the boxes along a half-line, and that query for each closed
    /// instance there and each open one around the point; where a mesh is open, a look at the bounds of all instances that the
    /// tree has opened.
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
        self.things.held(point.into(), rule, filter).place()
    }

    /// The distance of a point from the nearest surface, negative where it is in an instance by a rule.
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
        let held = self.things.held(point, rule, filter);
        let distance = if held.is_in() { -nearest.distance } else { nearest.distance };
        Some(WorldSignedDistance { distance, place: held.place(), nearest })
    }
}

/// Many points at once: `answers[i]` is of `points[i]`, as of that point alone. If the slices differ in length, the rest of the longer
/// one is ignored. Nothing allocates.
impl World<'_> {
    /// The [`winding`](Self::winding) number around each point.
    pub fn windings(&self, points: &[[f32; 3]], answers: &mut [Option<Winding>]) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.winding(*point);
        }
    }

    /// Where each point is, as [`contains`](Self::contains) says.
    pub fn contains_each(&self, points: &[[f32; 3]], rule: InsideRule, answers: &mut [WorldPlace]) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.contains(*point, rule);
        }
    }

    /// The [`signed_distance`](Self::signed_distance) of each point.
    pub fn signed_distances(
        &self,
        points: &[[f32; 3]],
        rule: InsideRule,
        answers: &mut [Option<WorldSignedDistance>],
    ) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.signed_distance(*point, rule);
        }
    }
}

/// The lowest instances that hold a point.
#[derive(Clone, Copy, Default)]
pub(super) struct Held {
    within: Option<u32>,
    unsure: Option<u32>,
    on: Option<u32>,
    /// Whether it is in one, or most likely so.
    is_in: bool,
}

impl Held {
    fn add(&mut self, instance: u32, found: Found) {
        let held = match found.place {
            Place::In => &mut self.within,
            Place::Unsure => &mut self.unsure,
            Place::On => &mut self.on,
            Place::Out => return,
        };
        *held = Some(held.map_or(instance, |held| held.min(instance)));
        self.is_in |= found.is_in;
    }

    pub(super) fn place(&self) -> WorldPlace {
        let (place, instance) = match (self.within, self.unsure, self.on) {
            (Some(instance), _, _) => (Place::In, Some(instance)),
            (_, Some(instance), _) => (Place::Unsure, Some(instance)),
            (_, _, Some(instance)) => (Place::On, Some(instance)),
            _ => (Place::Out, None),
        };
        WorldPlace { place, instance }
    }

    pub(super) fn is_in(&self) -> bool {
        self.is_in
    }
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
                Seen::Mesh(part) => part.model.winding(local(&part.similarity(), point)),
                Seen::Box(bounds) => solid_box::winding(bounds, point),
            };
            own.map_or(ControlFlow::Break(()), |own| {
                total = sum(total, own);
                ControlFlow::Continue(())
            })
        };
        let ended = if self.are_closed() {
            self.along_half_line(point, filter, &mut |_, seen| add(&seen))
        } else {
            // Sums of other numbers are rounded, so that their order matters.
            (0..self.records.len() as u32).try_for_each(|instance| {
                self.whole(instance, filter).map_or(ControlFlow::Continue(()), |it| add(&it))
            })
        };
        ended.is_continue().then_some(total)
    }

    pub(super) fn held(&self, point: [f32; 3], rule: InsideRule, filter: &mut dyn WorldFilter) -> Held {
        let mut held = Held::default();
        let _ = self.along_half_line(point, filter, &mut |instance, seen| {
            match seen {
                Seen::Mesh(part) => held.add(instance, part.found(point, rule)),
                Seen::Box(bounds) => held.add(instance, Found::certain(solid_box::place(&bounds, point))),
            }
            ControlFlow::Continue(())
        });
        if !self.are_closed() {
            // As the walk does by their leaves: beyond its bounds, an open mesh holds nothing.
            let is_near = |instance: u32| {
                let bounds = self.bounds(instance);
                bounds.is_some_and(|bounds| solid_box::place(&bounds, point) != Place::Out)
            };
            for instance in self.opened().filter(|instance| is_near(*instance)) {
                if let Some(Seen::Mesh(part)) = self.whole(instance, filter)
                    && !part.model.is_closed()
                {
                    held.add(instance, part.found(point, rule));
                }
            }
        }
        held
    }

    fn are_closed(&self) -> bool {
        self.models.iter().flatten().all(|model| model.is_closed())
    }

    /// Calls `visit` once with each seen instance or box that may hold the point, but those of open meshes that are opened.
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
        self.in_box(&query, &mut |leaf| {
            let Some(seen) = self.seen(leaf, filter) else { return ControlFlow::Continue(()) };
            let is_open = matches!(&seen, Seen::Mesh(part) if !part.model.is_closed());
            let may_hold = if is_open {
                // As of those that are opened: what is beyond an instance's bounds is not in it, whatever the tree's boxes are.
                !self.is_opened(leaf) && solid_box::place(&bounds_of(leaf.bounds), point) != Place::Out
            } else {
                first.has(leaf, &query)
            };
            if may_hold { visit(leaf.instance, seen) } else { ControlFlow::Continue(()) }
        })
    }
}

impl Part<'_> {
    /// Where a point of the world is in the whole instance.
    fn found(&self, point: [f32; 3], rule: InsideRule) -> Found {
        let (model, point) = (self.model, local(&self.similarity(), point));
        let bounds = model.bounds();
        if (0..3).any(|axis| point[axis] < bounds.min[axis] || point[axis] > bounds.max[axis]) {
            return Found::certain(Place::Out);
        }
        model.found(point, rule)
    }
}

/// A point in the space of an instance.
fn local(at: &Similarity, point: [f32; 3]) -> [f32; 3] {
    at.inverse_apply(point.map(f64::from)).map(|x| x as f32)
}
