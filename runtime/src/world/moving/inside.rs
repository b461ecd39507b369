//! Points inside of things that move, and of those that do not.

use super::Thing;
use super::snapshot::{Found, NearPoint, Snapshot, Still, ThingFilter};
use crate::query::{InsideRule, Place, Winding};
use crate::world::inside::{WorldPlace, signed, sum};
use crate::world::solid_box;

/// Where a point is in a world with moving things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThingPlace {
    /// In, on or out; never unsure.
    pub place: Place,
    /// The lowest thing that the point is in, or that it is on if it is in none.
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
        let point = point.into();
        let still = self.still.place(point, rule, &mut Still(filter));
        if still.place == Place::In {
            return ThingPlace { place: Place::In, thing: still.instance.map(Thing::Still) };
        }
        let WorldPlace { place, instance } =
            self.moving.place(point, rule, &mut self.filter_of_moving(filter));
        match (place, still.place) {
            (Place::Out, _) | (Place::On, Place::On) => {
                ThingPlace { place: still.place, thing: still.instance.map(Thing::Still) }
            }
            _ => ThingPlace { place, thing: instance.map(|number| self.moving(number)) },
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
        let place = self.contains(point, rule, filter);
        let distance = signed(nearest.answer.distance, place.place);
        Some(ThingSignedDistance { distance, place, nearest })
    }
}
