//! Points inside of things that move, and of those that do not.

use super::Thing;
use super::snapshot::{Found, NearPoint, Snapshot, Still, ThingFilter};
use crate::query::{InsideRule, Place, Winding};
use crate::world::inside::{Held, sum};
use crate::world::solid_box;

/// Where a point is in a world with moving things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThingPlace {
    /// In if the point is in any thing; else unsure, if it is so of any; else on, if it is on any.
    pub place: Place,
    /// The lowest thing of which that is true.
    pub thing: Option<Thing>,
}

/// The distance of a point from the surfaces of a world with moving things, negative inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThingSignedDistance {
    /// The distance from the closest point, as [`WorldSignedDistance::distance`](crate::WorldSignedDistance::distance).
    pub distance: f32,
    /// Where the point is.
    pub place: ThingPlace,
    /// The closest point of any surface, which a box has, too.
    pub nearest: Found<NearPoint>,
}

/// Insides, as of [`World`](crate::World). Boxes are solids, too.
impl Snapshot<'_> {
    /// The sum of the winding numbers of all things around a point, as [`World::winding`](crate::World::winding); 1 in a box.
    pub fn winding(&self, point: impl Into<[f32; 3]>, filter: &mut dyn ThingFilter) -> Option<Winding> {
        let point = point.into();
        let still = self.still.winding(point, &mut Still(filter))?;
        Some(sum(still, self.moving.winding(point, &mut self.filter_of_moving(filter))?))
    }

    /// Whether a point is in a thing, on the surface of one, or outside of all, as [`World::contains`](crate::World::contains).
    pub fn contains(
        &self,
        point: impl Into<[f32; 3]>,
        rule: InsideRule,
        filter: &mut dyn ThingFilter,
    ) -> ThingPlace {
        self.place(&self.held(point.into(), rule, filter))
    }

    /// What holds a point, of what does not move and of what does.
    fn held(&self, point: [f32; 3], rule: InsideRule, filter: &mut dyn ThingFilter) -> [Held; 2] {
        let still = self.still.held(point, rule, &mut Still(filter));
        [still, self.moving.held(point, rule, &mut self.filter_of_moving(filter))]
    }

    fn place(&self, held: &[Held; 2]) -> ThingPlace {
        let [still, moving] = held.each_ref().map(Held::place);
        let rank = |place: Place| match place {
            Place::In => 0,
            Place::Unsure => 1,
            Place::On => 2,
            Place::Out => 3,
        };
        if rank(still.place) <= rank(moving.place) {
            ThingPlace { place: still.place, thing: still.instance.map(Thing::Still) }
        } else {
            ThingPlace { place: moving.place, thing: moving.instance.map(|number| self.moving(number)) }
        }
    }

    /// The distance of a point from the nearest surface, negative where it is in a thing, as
    /// [`World::signed_distance`](crate::World::signed_distance).
    pub fn signed_distance(
        &self,
        point: impl Into<[f32; 3]>,
        rule: InsideRule,
        filter: &mut dyn ThingFilter,
    ) -> Option<ThingSignedDistance> {
        let point = point.into();
        let nearest = self.nearest(point, f32::INFINITY, filter, solid_box::closest_on_surface)?;
        let held = self.held(point, rule, filter);
        let distance = nearest.answer.distance;
        let distance = if held.iter().any(Held::is_in) { -distance } else { distance };
        Some(ThingSignedDistance { distance, place: self.place(&held), nearest })
    }
}

/// Many points at once: `answers[i]` is of `points[i]`, as of that point alone. If the slices differ in length, the rest of the longer
/// one is ignored. Nothing allocates.
impl Snapshot<'_> {
    /// The [`winding`](Self::winding) number around each point.
    pub fn windings(
        &self,
        points: &[[f32; 3]],
        filter: &mut dyn ThingFilter,
        answers: &mut [Option<Winding>],
    ) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.winding(*point, filter);
        }
    }

    /// Where each point is, as [`contains`](Self::contains) says.
    pub fn contains_each(
        &self,
        points: &[[f32; 3]],
        rule: InsideRule,
        filter: &mut dyn ThingFilter,
        answers: &mut [ThingPlace],
    ) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.contains(*point, rule, filter);
        }
    }

    /// The [`signed_distance`](Self::signed_distance) of each point.
    pub fn signed_distances(
        &self,
        points: &[[f32; 3]],
        rule: InsideRule,
        filter: &mut dyn ThingFilter,
        answers: &mut [Option<ThingSignedDistance>],
    ) {
        for (point, answer) in points.iter().zip(answers) {
            *answer = self.signed_distance(*point, rule, filter);
        }
    }
}
