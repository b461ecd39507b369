//! Worlds with moving things that own their files and their memory.

use alloc::vec::Vec;
use core::fmt;

use super::WorldFile;
use crate::bounds::Aabb;
use crate::similarity::Similarity;
use crate::world::{Handle, MovingError, MovingWorld, Snapshot, Updated};

/// A [`MovingWorld`] that owns its file and the memory of its moving things, which grows as things are added. It is `Send`, `Sync`
/// and `'static`, so it can be kept in a resource of an entity component system: one thread changes it, then many query its
/// snapshot.
///
/// ```
/// use bvhc_runtime::{Aabb, LoadedModel, MovingWorldFile, Ray, Thing, WorldFile};
///
/// let file = LoadedModel::from_bytes(include_bytes!("../../../tests/golden/world.bvh"))?;
/// let mut level = MovingWorldFile::new(WorldFile::loaded(file)?, 100)?;
/// let player = level.add_box(&Aabb::new([10.0, 0.0, 1.0], [11.0, 1.0, 2.0]), u32::MAX, 0)?;
/// level.update();
/// let found = level.snapshot().closest_hit(&Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0]));
/// assert_eq!(found.map(|found| found.thing), Some(Thing::Moving(player)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MovingWorldFile {
    world: MovingWorld<'static>,
    _memory: Vec<u8>,
    file: WorldFile,
}

/// The things that memory is for once the first one is added.
const FIRST_CAPACITY: u32 = 16;

impl MovingWorldFile {
    /// A compiled world, and no moving things yet; nothing more is allocated until there are `capacity` of them. About 420 bytes
    /// a thing.
    ///
    /// # Errors
    /// [`MovingError::Capacity`] for more than 2^24 things, [`MovingError::Memory`] if there is no memory for so many.
    pub fn new(file: WorldFile, capacity: u32) -> Result<Self, MovingError> {
        let (memory, bytes) = allocate(capacity)?;
        // SAFETY: the world is dropped before the file. `world` and `snapshot` shorten the lifetime before they return anything,
        // and nothing else leads to a reference with it.
        let still = unsafe { file.world_of_owner() };
        Ok(Self { world: MovingWorld::new(still, capacity, bytes)?, _memory: memory, file })
    }

    /// The file, whose compiled world and meshes it has.
    pub fn file(&self) -> &WorldFile {
        &self.file
    }

    /// What moves, to be asked for numbers, boxes and user data.
    pub fn world(&self) -> &MovingWorld<'_> {
        &self.world
    }

    /// All as it is now, to query.
    pub fn snapshot(&self) -> Snapshot<'_> {
        self.world.snapshot()
    }

    /// Allocates memory for `capacity` things in total, so that adding as many allocates nothing. Handles remain valid.
    ///
    /// # Errors
    /// As [`new`](Self::new); then nothing was changed.
    pub fn reserve(&mut self, capacity: u32) -> Result<(), MovingError> {
        if capacity > self.world.capacity() {
            let (memory, bytes) = allocate(capacity)?;
            // The world before is dropped with this assignment, ahead of its memory.
            self.world = self.world.copy_into(capacity, bytes)?;
            self._memory = memory;
        }
        Ok(())
    }

    /// As [`MovingWorld::add_instance`]; memory for twice as many things is allocated where it is full.
    ///
    /// # Errors
    /// As there; [`MovingError::Full`] only beyond 2^24 things, [`MovingError::Memory`] if there is no memory for more.
    pub fn add_instance(
        &mut self,
        mesh: u32,
        place: &Similarity,
        layers: u32,
        user: u64,
    ) -> Result<Handle, MovingError> {
        self.add(|world| world.add_instance(mesh, place, layers, user))
    }

    /// As [`MovingWorld::add_box`]; memory for twice as many things is allocated where it is full.
    ///
    /// # Errors
    /// As [`add_instance`](Self::add_instance).
    pub fn add_box(&mut self, bounds: &Aabb, layers: u32, user: u64) -> Result<Handle, MovingError> {
        self.add(|world| world.add_box(bounds, layers, user))
    }

    fn add(
        &mut self,
        add: impl Fn(&mut MovingWorld<'static>) -> Result<Handle, MovingError>,
    ) -> Result<Handle, MovingError> {
        let full = match add(&mut self.world) {
            Err(full @ MovingError::Full { .. }) => full,
            done => return done,
        };
        let capacity = self.world.capacity();
        let more = capacity.saturating_mul(2).clamp(FIRST_CAPACITY, MovingWorld::MAX_CAPACITY);
        if more == capacity {
            return Err(full);
        }
        self.reserve(more)?;
        add(&mut self.world)
    }

    /// As [`MovingWorld::remove`].
    ///
    /// # Errors
    /// As there.
    pub fn remove(&mut self, handle: Handle) -> Result<(), MovingError> {
        self.world.remove(handle)
    }

    /// As [`MovingWorld::set_enabled`].
    ///
    /// # Errors
    /// As there.
    pub fn set_enabled(&mut self, handle: Handle, is_enabled: bool) -> Result<(), MovingError> {
        self.world.set_enabled(handle, is_enabled)
    }

    /// As [`MovingWorld::set_layers`].
    ///
    /// # Errors
    /// As there.
    pub fn set_layers(&mut self, handle: Handle, layers: u32) -> Result<(), MovingError> {
        self.world.set_layers(handle, layers)
    }

    /// As [`MovingWorld::move_instance`].
    ///
    /// # Errors
    /// As there.
    pub fn move_instance(&mut self, handle: Handle, place: &Similarity) -> Result<(), MovingError> {
        self.world.move_instance(handle, place)
    }

    /// As [`MovingWorld::move_box`].
    ///
    /// # Errors
    /// As there.
    pub fn move_box(&mut self, handle: Handle, bounds: &Aabb) -> Result<(), MovingError> {
        self.world.move_box(handle, bounds)
    }

    /// As [`MovingWorld::fatten`].
    ///
    /// # Errors
    /// As there.
    pub fn fatten(&mut self, by: f32) -> Result<(), MovingError> {
        self.world.fatten(by)
    }

    /// As [`MovingWorld::update`].
    pub fn update(&mut self) -> Updated {
        self.world.update()
    }

    /// As [`MovingWorld::rebuild`].
    pub fn rebuild(&mut self) {
        self.world.rebuild();
    }
}

/// Memory for so many things, and its bytes for a world that is dropped before it.
fn allocate(capacity: u32) -> Result<(Vec<u8>, &'static mut [u8]), MovingError> {
    if capacity > MovingWorld::MAX_CAPACITY {
        return Err(MovingError::Capacity { found: capacity, most: MovingWorld::MAX_CAPACITY });
    }
    let needed = MovingWorld::bytes_needed(capacity);
    let mut memory = Vec::new();
    memory.try_reserve_exact(needed).map_err(|_| MovingError::Memory { needed, found: 0 })?;
    memory.resize(needed, 0);
    // SAFETY: the bytes do not move when the `Vec` does, nothing else reads or writes them, and the callers keep the `Vec` as long
    // as the world that gets them.
    let bytes = unsafe { core::slice::from_raw_parts_mut(memory.as_mut_ptr(), memory.len()) };
    Ok((memory, bytes))
}

impl fmt::Debug for MovingWorldFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MovingWorldFile").field(&self.world).finish()
    }
}
