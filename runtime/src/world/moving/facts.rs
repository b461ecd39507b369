//! What is known of single things, and the layers that they are in.

use bvhc_format::NONE;
use bvhc_format::world::Instance;

use super::memory::{DISABLED, ENABLED};
use super::{Handle, MovingError, MovingWorld, Snapshot, Thing};
use crate::bounds::Aabb;
use crate::model::Model;
use crate::similarity::Similarity;
use crate::world::bounds_of;

impl<'a> MovingWorld<'a> {
    /// Whether a thing is still there, enabled or not.
    pub fn contains(&self, handle: Handle) -> bool {
        self.number_of(handle).is_ok()
    }

    /// Whether queries see a thing, which [`set_enabled`](Self::set_enabled) decides.
    pub fn is_enabled(&self, handle: Handle) -> bool {
        self.number_of(handle).is_ok_and(|number| self.tree.memory.states[number] == ENABLED)
    }

    /// What the caller gave with a thing.
    pub fn user(&self, handle: Handle) -> Option<u64> {
        Some(self.held(handle)?.user)
    }

    /// The layers that a thing is in, a bit each.
    pub fn layers(&self, handle: Handle) -> Option<u32> {
        Some(self.tree.memory.layers[self.number_of(handle).ok()?])
    }

    /// Puts a thing in other layers. Cost: a few nodes.
    ///
    /// # Errors
    /// [`MovingError::NoSuchThing`].
    pub fn set_layers(&mut self, handle: Handle, layers: u32) -> Result<(), MovingError> {
        let number = self.number_of(handle)?;
        self.tree.memory.layers[number] = layers;
        if self.tree.memory.states[number] == ENABLED {
            self.tree.remove(number);
            self.tree.memory.held.change(number).0.layers = layers;
            self.tree.insert(number);
        }
        Ok(())
    }

    /// A box around a thing: that which the caller gave, or one around an instance.
    pub fn bounds(&self, handle: Handle) -> Option<Aabb> {
        Some(bounds_of(self.held(handle)?.bounds))
    }

    /// The number of an instance's mesh; `None` for a box.
    pub fn mesh(&self, handle: Handle) -> Option<u32> {
        Some(self.held(handle)?.mesh).filter(|mesh| *mesh != NONE)
    }

    /// Where an instance is: from its mesh's space into the world's. `None` for a box.
    pub fn similarity(&self, handle: Handle) -> Option<Similarity> {
        self.held(handle).filter(|record| record.mesh != NONE).map(Similarity::of)
    }

    fn held(&self, handle: Handle) -> Option<&Instance> {
        self.tree.memory.held.records().get(self.number_of(handle).ok()?)
    }

    pub(super) fn number_of(&self, handle: Handle) -> Result<usize, MovingError> {
        let number = handle.number as usize;
        let is_there = number < self.tree.used
            && self.tree.memory.generations[number] == handle.generation
            && matches!(self.tree.memory.states[number], ENABLED | DISABLED);
        if is_there { Ok(number) } else { Err(MovingError::NoSuchThing) }
    }
}

impl<'w> Snapshot<'w> {
    /// The mesh of a thing that a query found: its [`source_of`](Model::source_of) gives the face and the material of a triangle.
    /// `None` for a box, and for a thing whose number has been given to another; one that was removed before the snapshot still has
    /// its mesh until then.
    ///
    /// ```
    /// use bvhc_runtime::{MovingWorld, Ray, World, include_aligned};
    ///
    /// let mut meshes = [None; 2];
    /// let level = World::from_bytes(include_aligned!("../../../../tests/golden/world.bvh"), &mut meshes)?;
    /// let mut memory = vec![0; MovingWorld::bytes_needed(10)];
    /// let world = MovingWorld::new(level, 10, &mut memory)?;
    /// let snapshot = world.snapshot();
    /// let found = snapshot.closest_hit(&Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0])).expect("it meets a board");
    /// let mesh = snapshot.mesh(found.thing).expect("it has a mesh");
    /// assert_eq!(mesh.source_of(found.answer.triangle).map(|source| source.face), Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn mesh(&self, thing: Thing) -> Option<&'w Model<'w>> {
        let mesh = self.record(thing)?.mesh;
        match thing {
            Thing::Still(_) => self.still.mesh(mesh),
            Thing::Moving(_) => self.moving.mesh(mesh),
        }
    }

    /// Where a thing is that a query found: from its mesh's space into the world's. `None` as of [`mesh`](Self::mesh).
    pub fn similarity(&self, thing: Thing) -> Option<Similarity> {
        self.record(thing).filter(|record| record.mesh != NONE).map(Similarity::of)
    }

    fn record(&self, thing: Thing) -> Option<&'w Instance> {
        match thing {
            Thing::Still(number) => self.still.record(number),
            Thing::Moving(Handle { number, generation }) => {
                let is_it = self.generations.get(number as usize) == Some(&generation);
                self.moving.record(number).filter(|_| is_it)
            }
        }
    }
}
