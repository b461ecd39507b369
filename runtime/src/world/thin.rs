//! Thin worlds: the meshes are in files of their own, which the caller hands over.

use core::fmt;

use bvhc_format::header::{Header, SectionEntry};
use bvhc_format::section::{ArchivedLinkedMeshes, ArchivedWorld, SectionKind};
use bvhc_format::world;
use rkyv::api::low::access;
use rkyv::rancor::Failure;

use super::error::WorldError;
use super::{Instance, World, bounds_of};
use crate::bounds::Aabb;
use crate::directory::Directory;
use crate::error::OpenError;
use crate::level::Level;
use crate::model::Model;

/// A world without its meshes, opened in place: it says which meshes it needs, and becomes a [`World`] once it has them. Copying
/// it copies a few pointers.
///
/// `bvhc world --thin` makes such files. They are small, and compiling a mesh again changes no other file.
///
/// ```
/// use bvhc_runtime::{Model, ThinWorld, include_aligned};
///
/// let thin = ThinWorld::from_bytes(include_aligned!("../../../tests/golden/thin.bvh"))?;
/// assert_eq!(thin.meshes().map(|mesh| mesh.name()).collect::<Vec<_>>(), ["board"]);
///
/// // A place for each mesh, in the order in which the world lists them.
/// let mut meshes = [Some(Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?)];
/// let world = thin.link(&mut meshes)?;
/// assert_eq!(world.find_name("board.1"), Some(1));
/// # Ok::<(), bvhc_runtime::WorldError>(())
/// ```
#[derive(Clone, Copy)]
pub struct ThinWorld<'a> {
    directory: Directory<'a>,
    section: &'a ArchivedWorld<'static>,
    meshes: &'a ArchivedLinkedMeshes<'static>,
    bounds: Aabb,
}

impl<'a> ThinWorld<'a> {
    /// Opens a thin world's bytes, which must start at a multiple of 64 in memory, in time that does not depend on their number.
    ///
    /// # Errors
    /// [`WorldError::NotThin`] if the file has a world with its meshes, [`WorldError::NoWorld`] if it has meshes alone.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, WorldError> {
        let directory = Directory::read(bytes)?;
        let section = super::open_section(&directory)?;
        let meshes = linked_meshes(&directory)?.ok_or(WorldError::NotThin)?;
        Ok(Self { directory, section, meshes, bounds: super::read_bounds(section)? })
    }

    /// Whether a file has a thin world. Checks only the header and the directory.
    ///
    /// # Errors
    /// As [`Model::mesh_count`].
    pub fn is_in(bytes: &[u8]) -> Result<bool, OpenError> {
        Ok(Directory::read(bytes)?.section_of_file(SectionKind::LinkedMeshes).is_some())
    }

    /// The world with its meshes: for each of [`meshes`](Self::meshes), in their order, the mesh of the file with its hash. They
    /// get the SIMD level of this CPU.
    ///
    /// Takes time for each mesh, and reads nothing of it but the hash in its file's header. Queries of the world are those of one
    /// that has the same meshes in its own file, with the same answers, but for what depends on the bounds of instances, which
    /// are larger here: [`bounds`](World::bounds), [`Instance::bounds`](crate::Instance::bounds), points in instances of open meshes
    /// ([`World::contains`]), and which boxes of moving things are near instances
    /// ([`Snapshot::near_pairs`](crate::Snapshot::near_pairs)).
    ///
    /// # Errors
    /// [`WorldError::Memory`] for too few places, [`WorldError::MeshMissing`] for an empty one, [`WorldError::MeshDiffers`] for
    /// another mesh, [`WorldError::SeveralMeshes`].
    pub fn link<'m: 'w, 'w>(self, meshes: &'w mut [Option<Model<'m>>]) -> Result<World<'w>, WorldError>
    where
        'a: 'w,
    {
        let level = Level::detect().ok_or(OpenError::Cpu)?;
        self.link_with_level(level, meshes)
    }

    /// As [`link`](Self::link), with queries running at this SIMD level.
    ///
    /// # Errors
    /// As [`link`](Self::link).
    pub fn link_with_level<'m: 'w, 'w>(
        self,
        level: Level,
        meshes: &'w mut [Option<Model<'m>>],
    ) -> Result<World<'w>, WorldError>
    where
        'a: 'w,
    {
        let (needed, found) = (self.mesh_count(), meshes.len());
        let meshes = meshes.get_mut(..needed as usize).ok_or(WorldError::Memory { needed, found })?;
        for (wanted, place) in self.meshes().zip(&mut *meshes) {
            let model = place.as_mut();
            let model =
                model.ok_or(WorldError::MeshMissing { mesh: wanted.number, expected: *wanted.hash() })?;
            wanted.check(model)?;
            *model = model.with_level(level);
        }
        World::of(self.section, meshes, level)
    }

    /// The number of meshes.
    pub fn mesh_count(&self) -> u32 {
        self.meshes.meshes.len() as u32
    }

    /// The meshes that the world needs, by number.
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = LinkedMesh<'a>> + use<'a> {
        let names = &self.meshes.names;
        let mesh = move |(number, record): (usize, &'a world::LinkedMesh)| {
            let name = names.get(number).unwrap_or_default();
            LinkedMesh { number: number as u32, name, record }
        };
        self.meshes.meshes.get().iter().enumerate().map(mesh)
    }

    /// All instances, by number.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = Instance<'a>> + use<'a> {
        super::instances(self.section)
    }

    /// A box around all instances, as [`World::bounds`] has it.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The records of the world, for tools that inspect files.
    pub fn section(&self) -> &'a ArchivedWorld<'static> {
        self.section
    }

    /// The records of the meshes, for tools that inspect files.
    pub fn mesh_section(&self) -> &'a ArchivedLinkedMeshes<'static> {
        self.meshes
    }

    /// The header's fields.
    pub fn header(&self) -> &Header {
        self.directory.header()
    }

    /// The whole file.
    pub fn bytes(&self) -> &'a [u8] {
        self.directory.bytes()
    }

    /// The directory, with the payload of each section.
    pub fn entries(&self) -> impl Iterator<Item = (SectionEntry, &'a [u8])> + use<'a> {
        let directory = self.directory;
        directory.entries().map(move |entry| (entry, directory.payload(&entry)))
    }
}

/// A mesh that a thin world needs.
#[derive(Clone, Copy, Debug)]
pub struct LinkedMesh<'a> {
    number: u32,
    name: &'a str,
    record: &'a world::LinkedMesh,
}

impl<'a> LinkedMesh<'a> {
    /// Its number, from 0.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Its name in the source of the world.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The hash in the header of its file, which covers all of that file.
    pub fn hash(&self) -> &'a [u8; 32] {
        &self.record.hash
    }

    /// The length of its file in bytes.
    pub fn file_length(&self) -> u64 {
        self.record.length
    }

    /// The number of its triangles.
    pub fn triangle_count(&self) -> u64 {
        self.record.triangles
    }

    /// A box around it, in its own units: larger than the smallest by up to 2^-17 of its size.
    pub fn bounds(&self) -> Aabb {
        bounds_of(self.record.bounds)
    }

    /// Whether a model is this mesh, by the hash in the header of its file.
    ///
    /// # Errors
    /// [`WorldError::MeshDiffers`], [`WorldError::SeveralMeshes`] or [`WorldError::MeshBounds`].
    pub fn check(&self, model: &Model<'_>) -> Result<(), WorldError> {
        let (mesh, found, expected) = (self.number, model.sections().header().hash, *self.hash());
        if found != expected {
            return Err(WorldError::MeshDiffers { mesh, found, expected });
        }
        match model.meshes() {
            1 => {}
            found => return Err(WorldError::SeveralMeshes { mesh, found }),
        }
        // Boxes around instances are made of these bounds: larger meshes would be missed.
        let (known, needed) = (self.bounds(), model.bounds());
        let holds = |axis: usize| known.min[axis] <= needed.min[axis] && needed.max[axis] <= known.max[axis];
        if (0..3).all(holds) { Ok(()) } else { Err(WorldError::MeshBounds { mesh }) }
    }
}

/// The meshes of a thin world; `None` if a file has no thin world. FORMAT.md, X1 and X2.
pub(super) fn linked_meshes<'a>(
    directory: &Directory<'a>,
) -> Result<Option<&'a ArchivedLinkedMeshes<'static>>, WorldError> {
    let Some(payload) = directory.section_of_file(SectionKind::LinkedMeshes) else { return Ok(None) };
    if directory.section_of_file(SectionKind::World).is_none() {
        return Err(WorldError::NoWorld);
    }
    let section = access::<ArchivedLinkedMeshes<'static>, Failure>(payload)
        .map_err(|Failure| OpenError::Archive(SectionKind::LinkedMeshes))?;
    let (meshes, names, own) = (section.meshes.len(), section.names.len(), directory.stored_meshes());
    if meshes == 0 || names != meshes || own != 0 || u32::try_from(meshes).is_err() {
        return Err(WorldError::LinkedMeshes { meshes: meshes as u64, names: names as u64, own });
    }
    Ok(Some(section))
}

impl fmt::Debug for ThinWorld<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThinWorld")
            .field("instances", &self.section.instances.len())
            .field("meshes", &self.mesh_count())
            .field("bounds", &self.bounds)
            .finish_non_exhaustive()
    }
}
