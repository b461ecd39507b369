//! Worlds: many instances of a few meshes, in one file, with a tree over them.
//!
//! A query walks the tree of the world, transforms the question into the space of each instance that it reaches, and asks
//! that instance's mesh. Boxes of the tree are grown by more than the transformation can round ([`walk`]), so the tree
//! hides no answer.

#[cfg(feature = "pairs")]
mod against;
mod ahead;
mod error;
mod filter;
mod inside;
mod instance;
mod moving;
#[cfg(feature = "pairs")]
mod near;
mod overlap;
mod point;
mod ray;
#[cfg(feature = "shapes")]
mod shape;
mod solid_box;
mod thin;
mod things;
#[cfg(feature = "pairs")]
mod two_meshes;
mod walk;

#[cfg(feature = "pairs")]
pub use against::{WorldDistance, WorldPair};
pub use error::WorldError;
#[cfg(feature = "pairs")]
pub use error::WorldPairError;
pub use filter::{InstanceFilter, TriangleFilter, WorldFilter};
pub use inside::{WorldPlace, WorldSignedDistance};
pub use instance::Instance;
#[cfg(feature = "pairs")]
pub use moving::{
    Between, BetweenError, ContactSchedule, KeptStart, MotionBound, ScheduledPair, Separation,
    ThingPairError, WarmStarts,
};
pub use moving::{
    Change, Found, Handle, KeptPairs, MovingError, MovingWorld, NearPoint, Snapshot, SweepAndPrune, Swept,
    Thing, ThingFilter, ThingPair, ThingPlace, ThingSignedDistance, Updated,
};
#[cfg(feature = "pairs")]
pub use near::NearInstances;
pub use overlap::WorldOverlap;
pub use point::WorldPoint;
pub use ray::WorldHit;
#[cfg(feature = "shapes")]
pub use shape::{WorldCast, WorldContact};
pub use thin::{LinkedMesh, ThinWorld};

use core::fmt;

use bvhc_format::MAX_DEPTH;
use bvhc_format::section::{ArchivedWorld, SectionKind};
use bvhc_format::world;
use rkyv::api::low::access;
use rkyv::rancor::Failure;

use crate::bounds::Aabb;
use crate::directory::Directory;
use crate::error::OpenError;
use crate::level::Level;
use crate::model::Model;
use crate::ray::Extent;
use things::Things;

/// A world, opened in place: instances of meshes, each at a position, with a rotation, a scale and perhaps mirrored.
/// Copying it copies a few pointers.
///
/// Its queries are those of a [`Model`], and each answer names the instance, too. Ties go to the lowest instance, then to
/// the lowest triangle. A world of one instance that is not moved answers as its mesh does, bit for bit (but that an open mesh
/// holds no point beyond its bounds: [`contains`](Self::contains)). Instances are
/// numbered from 0, in the order of the source. As of models, answers are defined for files that `bvhc verify` accepts; for
/// others they are unspecified, but every query ends, does not panic, and reads only the file's bytes.
///
/// What a query asks is transformed to the units of each mesh, where coordinates are at most 2^60: of an instance of scale s, rays that
/// begin and points that are farther away than s times 2^60 find nothing.
///
/// ```
/// use bvhc_runtime::{Ray, World, include_aligned};
///
/// // A place for each mesh of the file; `WorldFile` holds them itself.
/// let mut meshes = [None; 2];
/// let world = World::from_bytes(include_aligned!("../../../tests/golden/world.bvh"), &mut meshes)?;
/// let found = world.closest_hit(&Ray::new([10.5, 0.25, 5.0], [0.0, 0.0, -1.0])).expect("it meets a board");
/// assert_eq!(world.instance(found.instance).map(|instance| instance.name()), Some("board.1"));
/// assert_eq!((found.hit.t, found.hit.triangle), (5.0, 0));
/// # Ok::<(), bvhc_runtime::WorldError>(())
/// ```
#[derive(Clone, Copy)]
pub struct World<'a> {
    section: &'a ArchivedWorld<'static>,
    bounds: Aabb,
    things: Things<'a>,
}

impl<'a> World<'a> {
    /// Opens the world in a file's bytes, which must start at a multiple of 64 in memory. `memory` gets the opened meshes.
    ///
    /// Takes time for each section of the file, not for each instance or triangle. `bvhc verify` checks everything else.
    ///
    /// # Errors
    /// [`WorldError::NoWorld`] if the file has meshes alone, [`WorldError::Memory`] if it has more than fit into `memory`,
    /// [`WorldError::Thin`] if they are in other files: [`ThinWorld`].
    pub fn from_bytes<'f: 'a>(
        bytes: &'f [u8],
        memory: &'a mut [Option<Model<'f>>],
    ) -> Result<Self, WorldError> {
        let level = Level::detect().ok_or(OpenError::Cpu)?;
        Self::from_bytes_with_level(bytes, level, memory)
    }

    /// As [`from_bytes`](Self::from_bytes), with queries running at this SIMD level.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_with_level<'f: 'a>(
        bytes: &'f [u8],
        level: Level,
        memory: &'a mut [Option<Model<'f>>],
    ) -> Result<Self, WorldError> {
        let directory = Directory::read(bytes)?;
        if let Some(meshes) = thin::linked_meshes(&directory)? {
            return Err(WorldError::Thin { meshes: meshes.meshes.len() as u32 });
        }
        let section = open_section(&directory)?;
        let (needed, found) = (directory.mesh_count(), memory.len());
        let meshes = memory.get_mut(..needed as usize).ok_or(WorldError::Memory { needed, found })?;
        for (mesh, place) in (0..needed).zip(&mut *meshes) {
            *place = Some(Model::open(directory.of_mesh(mesh)?, level)?);
        }
        Self::of(section, meshes, level)
    }

    /// The world of a section, with these meshes.
    fn of<'f: 'a>(
        section: &'f ArchivedWorld<'static>,
        meshes: &'a [Option<Model<'f>>],
        level: Level,
    ) -> Result<Self, WorldError> {
        let bounds = read_bounds(section)?;
        let things = Things {
            nodes: section.nodes.get(),
            node_layers: section.node_layers.get(),
            leaves: section.leaves.get(),
            records: section.instances.get(),
            models: meshes,
            in_place: things::in_place(section.leaves.get(), section.instances.get()),
            extent: Extent::of(&bounds),
            layers: u32::MAX,
            level,
        };
        Ok(Self { section, bounds, things })
    }

    /// Whether a file has a world. Checks only the header and the directory.
    ///
    /// # Errors
    /// As [`Model::mesh_count`].
    pub fn is_in(bytes: &[u8]) -> Result<bool, OpenError> {
        Ok(Directory::read(bytes)?.section_of_file(SectionKind::World).is_some())
    }

    /// The same world, of which queries see only instances that are in one of these layers, a bit each.
    ///
    /// Whole subtrees without such instances are skipped.
    pub fn with_layers(self, layers: u32) -> Self {
        Self { things: Things { layers, ..self.things }, ..self }
    }

    /// The layers that queries see.
    pub fn layers(&self) -> u32 {
        self.things.layers
    }

    /// The SIMD level of queries.
    pub fn level(&self) -> Level {
        self.things.level
    }

    /// A box around all instances, in the world's units. It is larger than the smallest one where instances are turned, as it is around
    /// boxes that are turned with them: those of a mesh's blocks, or of the whole mesh in a thin world (FORMAT.md, W9).
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The number of meshes.
    pub fn mesh_count(&self) -> u32 {
        self.things.models.len() as u32
    }

    /// A mesh, in its own space.
    pub fn mesh(&self, mesh: u32) -> Option<&'a Model<'a>> {
        self.things.mesh(mesh)
    }

    /// The meshes: instances that move may be of them, too.
    pub fn meshes(&self) -> &'a [Option<Model<'a>>] {
        self.things.models
    }

    /// The file's records, for tools that inspect files.
    pub fn section(&self) -> &'a ArchivedWorld<'static> {
        self.section
    }

    /// The number of instances.
    pub fn instance_count(&self) -> u32 {
        self.records().len() as u32
    }

    /// An instance by its number.
    pub fn instance(&self, number: u32) -> Option<Instance<'a>> {
        let name = self.section.names.get(number as usize).unwrap_or_default();
        Some(Instance { number, name, record: self.record(number)? })
    }

    /// All instances, by number.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = Instance<'a>> + use<'a> {
        instances(self.section)
    }

    /// The number of the instance with this id: that of its name, [`instance_id`](bvhc_format::world::instance_id). Ids stay
    /// the same when a world is compiled again. Cost: a bisection.
    pub fn find(&self, id: u64) -> Option<u32> {
        let by_id = self.section.by_id.get();
        let id_of = |number: u32| self.record(number).map_or(u64::MAX, |record| record.id);
        let at = by_id.binary_search_by_key(&id, |number| id_of(number.to_native())).ok()?;
        Some(by_id[at].to_native())
    }

    /// The number of the instance of this name.
    ///
    /// ```
    /// # use bvhc_runtime::{World, include_aligned};
    /// # let mut meshes = [None; 2];
    /// let world = World::from_bytes(include_aligned!("../../../tests/golden/world.bvh"), &mut meshes)?;
    /// assert_eq!(world.find_name("board.1"), Some(1));
    /// assert_eq!(world.find_name("nobody"), None);
    /// # Ok::<(), bvhc_runtime::WorldError>(())
    /// ```
    pub fn find_name(&self, name: &str) -> Option<u32> {
        let found = self.find(world::instance_id(name))?;
        self.section.names.get(found as usize).filter(|its| *its == name).map(|_| found)
    }

    fn records(&self) -> &'a [world::Instance] {
        self.things.records
    }

    fn record(&self, number: u32) -> Option<&'a world::Instance> {
        self.records().get(number as usize)
    }
}

/// All instances, by number.
fn instances<'a>(
    section: &'a ArchivedWorld<'static>,
) -> impl ExactSizeIterator<Item = Instance<'a>> + use<'a> {
    let record = |(number, record): (usize, &'a world::Instance)| {
        let name = section.names.get(number).unwrap_or_default();
        Instance { number: number as u32, name, record }
    };
    section.instances.get().iter().enumerate().map(record)
}

fn open_section<'a>(directory: &Directory<'a>) -> Result<&'a ArchivedWorld<'static>, WorldError> {
    let payload = directory.section_of_file(SectionKind::World).ok_or(WorldError::NoWorld)?;
    let section = access::<ArchivedWorld<'static>, Failure>(payload)
        .map_err(|Failure| OpenError::Archive(SectionKind::World))?;
    let (found, most) = (section.depth.to_native(), MAX_DEPTH);
    if found > most {
        return Err(OpenError::TooDeep { kind: SectionKind::World, found, most }.into());
    }
    let (instances, names, ids) = (section.instances.len(), section.names.len(), section.by_id.len());
    let (nodes, layers) = (section.nodes.len(), section.node_layers.len());
    if (names, ids, layers) != (instances, instances, nodes) {
        let [instances, names, ids, nodes, layers] = [instances, names, ids, nodes, layers].map(|n| n as u64);
        return Err(WorldError::Counts { instances, names, ids, nodes, layers });
    }
    Ok(section)
}

fn read_bounds(section: &ArchivedWorld<'_>) -> Result<Aabb, WorldError> {
    let bounds = bounds_of(section.bounds.map(|x| x.to_native()));
    if bounds.is_within_limits() { Ok(bounds) } else { Err(WorldError::Bounds) }
}

/// The box of six numbers: lower x, y, z, upper x, y, z.
fn bounds_of([a, b, c, d, e, f]: [f32; 6]) -> Aabb {
    Aabb { min: [a, b, c], max: [d, e, f] }
}

impl fmt::Debug for World<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("instances", &self.instance_count())
            .field("meshes", &self.mesh_count())
            .field("bounds", &self.bounds)
            .field("layers", &self.layers())
            .field("level", &self.level())
            .finish_non_exhaustive()
    }
}
