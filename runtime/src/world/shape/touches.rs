//! The contacts of a shape with the instances near it.

use core::cmp::Ordering;
use core::ops::ControlFlow;

use bvhc_format::NONE;

use super::solid;
use crate::query::{Contact, Listed, Neighbourhood, TooManyContacts, Touches, list, reduce};
use crate::shape::Shape;
use crate::world::World;
use crate::world::filter::{WorldFilter, with_probe};
use crate::world::things::{Seen, Things};

/// A point where a shape touches an instance, or nearly does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldContact {
    /// The instance.
    pub instance: u32,
    /// The contact with its mesh. Everything is the world's. Fronts of mirrored meshes stay fronts.
    pub contact: Contact,
}

impl WorldContact {
    /// What a slice for contacts is filled with at first.
    pub const NONE: Self = Self { instance: NONE, contact: Contact::NONE };
}

impl Listed for WorldContact {
    fn contact(&self) -> &Contact {
        &self.contact
    }

    fn by_number(&self, other: &Self) -> Ordering {
        self.instance.cmp(&other.instance).then(self.contact.by_number(&other.contact))
    }
}

/// Contacts of shapes, in the world's space, as overlaps are decided. Margins and gaps are in its units.
/// [`Touches::without_seams`] knows the edges of each mesh, not those where instances meet.
impl World<'_> {
    /// Calls `visit` with each contact of a shape, in no particular order, until it returns `Break`, which is then returned, as
    /// [`Model::touches`](crate::Model::touches).
    pub fn touches<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        visit: impl FnMut(&WorldContact) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.touches_with(touches, &mut (), visit)
    }

    /// As [`touches`](Self::touches), among what `filter` accepts.
    pub fn touches_with<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        filter: &mut dyn WorldFilter,
        mut visit: impl FnMut(&WorldContact) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.things.touches(&touches.erased(), filter, &mut visit)
    }

    /// Writes all contacts of a shape to a slice, ascending by gap, then point, then instance, then triangle, and returns how many
    /// there are.
    ///
    /// # Errors
    /// [`TooManyContacts`] if the slice is too short; what it holds then has no meaning.
    pub fn contacts<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        contacts: &mut [WorldContact],
    ) -> Result<usize, TooManyContacts> {
        list(contacts, |visit| self.touches(touches, visit))
    }

    /// The same, reduced to at most four contacts of each normal, as by [`Model::manifold`](crate::Model::manifold): of all
    /// instances together, as of one body.
    ///
    /// # Errors
    /// [`TooManyContacts`] if the slice is too short for all contacts, before they are reduced.
    pub fn manifold<T: Shape>(
        &self,
        touches: &Touches<'_, T>,
        contacts: &mut [WorldContact],
    ) -> Result<usize, TooManyContacts> {
        let count = self.contacts(touches, contacts)?;
        Ok(reduce(&mut contacts[..count]))
    }
}

/// The walk.
impl Things<'_> {
    pub(in crate::world) fn touches(
        &self,
        touches: &Touches<'_, dyn Shape + '_>,
        filter: &mut dyn WorldFilter,
        visit: &mut dyn FnMut(&WorldContact) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(near) = Neighbourhood::of(touches) else { return ControlFlow::Continue(()) };
        self.in_box(&near.query_box, &mut |leaf| {
            let instance = leaf.instance;
            let mut report = |contact: &Contact| visit(&WorldContact { instance, contact: *contact });
            match self.seen(leaf, filter) {
                Some(Seen::Mesh(part)) => with_probe(filter, instance, |probe| {
                    let at = &part.similarity();
                    part.model.touches_below(part.child, at, touches, &near, probe, &mut report)
                }),
                Some(Seen::Box(bounds)) => solid::contacts(&bounds, touches, &near, &mut report),
                None => ControlFlow::Continue(()),
            }
        })
    }
}
