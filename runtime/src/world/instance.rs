//! An instance, as the caller sees it.

use bvhc_format::world;

use super::bounds_of;
use crate::bounds::Aabb;
use crate::similarity::Similarity;

/// A mesh at a place in the world.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    pub(super) number: u32,
    pub(super) name: &'a str,
    pub(super) record: &'a world::Instance,
}

impl<'a> Instance<'a> {
    /// Its number, from 0 in the order of the source.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Its name, which no other instance has.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The id of its name: it stays the same when the world is compiled again.
    pub fn id(&self) -> u64 {
        self.record.id
    }

    /// Its mesh: [`World::mesh`](super::World::mesh) gives it.
    pub fn mesh(&self) -> u32 {
        self.record.mesh
    }

    /// The layers that it is in, a bit each.
    pub fn layers(&self) -> u32 {
        self.record.layers
    }

    /// The number that the user gave it.
    pub fn user(&self) -> u64 {
        self.record.user
    }

    /// Whether the source says that it may move. Queries of a compiled world do not.
    pub fn is_movable(&self) -> bool {
        self.record.flags & world::Instance::MOVABLE != 0
    }

    /// Where it is: from its mesh's space into the world's.
    pub fn similarity(&self) -> Similarity {
        Similarity::of(self.record)
    }

    /// A box around it, in the world's units.
    pub fn bounds(&self) -> Aabb {
        bounds_of(self.record.bounds)
    }
}
