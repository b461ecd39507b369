//! Convex shapes in a world with moving things.

use core::cmp::Ordering;
use core::ops::ControlFlow;

use bvhc_format::NONE;

use super::Thing;
use super::snapshot::{Found, Snapshot, Still, ThingFilter, still_overlap};
use crate::query::{
    CastHit, Contact, Listed, Overlap, ShapeCast, TooManyContacts, Touches, by_contact, list, reduce,
};
use crate::shape::Shape;

impl Found<Contact> {
    /// What a slice for contacts is filled with at first.
    pub const NONE: Self = Self { thing: Thing::Still(NONE), answer: Contact::NONE };
}

impl Listed for Found<Contact> {
    fn contact(&self) -> &Contact {
        &self.answer
    }

    fn by_number(&self, other: &Self) -> Ordering {
        self.thing.cmp(&other.thing).then(self.answer.by_number(&other.answer))
    }
}

/// Shapes, as of [`World`](crate::World). Boxes are solid: a shape wholly inside touches them, and depths are ways out of the box.
/// They have no sides, and of their features only the kind has a meaning.
impl Snapshot<'_> {
    /// Whether the shape touches anything, as [`World::overlaps`](crate::World::overlaps).
    pub fn overlaps(&self, shape: &impl Shape, filter: &mut dyn ThingFilter) -> bool {
        self.overlap(shape, filter, |_| ControlFlow::Break(())).is_break()
    }

    /// Calls `visit` once with every triangle and every box that shares a point with the shape, in no particular order, until it
    /// returns `Break`, which is then returned, as [`World::overlap`](crate::World::overlap).
    pub fn overlap(
        &self,
        shape: &impl Shape,
        filter: &mut dyn ThingFilter,
        mut visit: impl FnMut(Found<Overlap>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.still.overlap(shape, &mut Still(filter), &mut |found| visit(still_overlap(&found)))?;
        self.moving.overlap(shape, &mut self.filter_of_moving(filter), &mut |found| {
            visit(Found { thing: self.moving(found.instance), answer: found.overlap })
        })
    }

    /// What the moving shape touches first, as [`World::cast`](crate::World::cast).
    pub fn cast<T: Shape>(
        &self,
        cast: &ShapeCast<'_, T>,
        filter: &mut dyn ThingFilter,
    ) -> Option<Found<CastHit>> {
        let cast = cast.erased();
        let still = self.still.cast(&cast, f64::INFINITY, &mut Still(filter));
        let limit = still.map_or(f64::INFINITY, |found| found.hit.t);
        let moving = self.moving.cast(&cast, limit, &mut self.filter_of_moving(filter));
        let is_first =
            |hit: &CastHit| still.is_none_or(|still| by_contact(hit, &still.hit) == Ordering::Less);
        match moving.filter(|found| is_first(&found.hit)) {
            Some(found) => Some(Found { thing: self.moving(found.instance), answer: found.hit }),
            None => still.map(|found| Found { thing: Thing::Still(found.instance), answer: found.hit }),
        }
    }

    /// Whether the moving shape touches anything, as [`World::cast_any`](crate::World::cast_any).
    pub fn cast_any<T: Shape>(&self, cast: &ShapeCast<'_, T>, filter: &mut dyn ThingFilter) -> bool {
        let cast = cast.erased();
        self.still.cast_any(&cast, &mut Still(filter))
            || self.moving.cast_any(&cast, &mut self.filter_of_moving(filter))
    }

    /// Calls `visit` once with the first contact of each triangle and of each box that the moving shape touches, in no particular
    /// order, until it returns `Break`, which is then returned.
    pub fn all_casts<T: Shape>(
        &self,
        cast: &ShapeCast<'_, T>,
        filter: &mut dyn ThingFilter,
        mut visit: impl FnMut(&Found<CastHit>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let cast = cast.erased();
        self.still.all_casts(&cast, &mut Still(filter), &mut |found| {
            visit(&Found { thing: Thing::Still(found.instance), answer: found.hit })
        })?;
        self.moving.all_casts(&cast, &mut self.filter_of_moving(filter), &mut |found| {
            visit(&Found { thing: self.moving(found.instance), answer: found.hit })
        })
    }

    /// Calls `visit` with each contact of a shape, in no particular order, until it returns `Break`, which is then returned, as
    /// [`World::touches`](crate::World::touches).
    pub fn touches<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        filter: &mut dyn ThingFilter,
        mut visit: impl FnMut(&Found<Contact>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let touches = touches.erased();
        self.still.touches(&touches, &mut Still(filter), &mut |found| {
            visit(&Found { thing: Thing::Still(found.instance), answer: found.contact })
        })?;
        self.moving.touches(&touches, &mut self.filter_of_moving(filter), &mut |found| {
            visit(&Found { thing: self.moving(found.instance), answer: found.contact })
        })
    }

    /// Writes all contacts of a shape to a slice, ascending by gap, then point, then thing, then triangle, and returns how many
    /// there are.
    ///
    /// # Errors
    /// [`TooManyContacts`] if the slice is too short; what it holds then has no meaning.
    pub fn contacts<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        filter: &mut dyn ThingFilter,
        contacts: &mut [Found<Contact>],
    ) -> Result<usize, TooManyContacts> {
        list(contacts, |visit| self.touches(touches, filter, visit))
    }

    /// The same, reduced to at most four contacts of each normal, as [`World::manifold`](crate::World::manifold): of all things
    /// together, as of one body. A filter leaves those of one thing.
    ///
    /// # Errors
    /// [`TooManyContacts`] if the slice is too short for all contacts, before they are reduced.
    pub fn manifold<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        filter: &mut dyn ThingFilter,
        contacts: &mut [Found<Contact>],
    ) -> Result<usize, TooManyContacts> {
        let count = self.contacts(touches, filter, contacts)?;
        Ok(reduce(&mut contacts[..count]))
    }
}
