//! The opened model: a borrowed view of a file's bytes.

use core::fmt;

use bvhc_format::record::{AttributeRun, FaceCorners, WideNode};
use bvhc_format::section::{
    ArchivedAabbTree, ArchivedHull, ArchivedNames, ArchivedSplits, Root, SectionKind,
};
use bvhc_format::{MAX_SPLIT_SLOTS, NONE};
use rkyv::api::low::{LowValidator, access};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Failure;
use rkyv::rend::u32_le;

use crate::bounds::Aabb;
use crate::directory::Directory;
use crate::error::OpenError;
use crate::hull::Hull;
use crate::level::Level;
use crate::prefetch::Records;
use crate::ray::Extent;

mod sections;
mod trees;

pub use sections::Sections;

/// Walks over models whose nodes and blocks take more bytes than this mostly wait for memory. Measured with 2 MiB of
/// cache per core. Incoherent rays, interleaved against one by one: at 43 MB twice as fast and nowhere slower, at 16 MB
/// equal to a quarter faster, at 12 and 2 MB up to a third slower. Closest points, prefetching all children that may be
/// visited: at 43 MB a quarter faster near the surface, at 11 MB from a tenth faster to a tenth slower.
const LARGE: usize = 24 << 20;

/// A compiled model, opened in place. Copying it copies a few pointers.
///
/// Answers are defined for files that `bvhc verify` accepts. For other files they are unspecified, but every query
/// still ends, does not panic, and reads only the file's bytes. Queries name triangles by their number, the index in
/// the source, from 0.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    sections: Sections<'a>,
    /// Nodes and blocks, for prefetching.
    records: (Records, Records),
    bounds: Aabb,
    extent: Extent,
    level: Level,
}

impl<'a> Model<'a> {
    /// Opens the first mesh of a file's bytes, which must start at a multiple of 64 in memory. Of a file with a world that is one of
    /// its meshes: [`World`](crate::World) opens all of it, and [`World::is_in`](crate::World::is_in) says whether there is one.
    ///
    /// Checks the header, the directory and the size of every section, in time that does not depend on the file's size.
    /// `bvhc verify` also checks hashes and the structure of the trees. [`include_aligned!`](crate::include_aligned)
    /// embeds a file at such an address; `LoadedModel::from_bytes` copies bytes to one.
    ///
    /// # Errors
    /// [`OpenError`] says which rule of FORMAT.md the bytes break.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, OpenError> {
        Self::from_bytes_mesh(bytes, 0)
    }

    /// The number of meshes in a file. Checks only the header and the directory.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn mesh_count(bytes: &[u8]) -> Result<u32, OpenError> {
        Directory::read(bytes).map(|directory| directory.mesh_count())
    }

    /// Opens one mesh of a file that holds several, counted from 0. Its triangles, faces and names are separate from
    /// those of other meshes.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and [`OpenError::NoSuchMesh`].
    pub fn from_bytes_mesh(bytes: &'a [u8], mesh: u32) -> Result<Self, OpenError> {
        let level = Level::detect().ok_or(OpenError::Cpu)?;
        let directory = Directory::read(bytes)?;
        if directory.section_of_file(SectionKind::LinkedMeshes).is_some() {
            return Err(OpenError::Thin);
        }
        Self::open(directory.of_mesh(mesh)?, level)
    }

    /// Opens the mesh that is selected in a directory.
    pub(crate) fn open(directory: Directory<'a>, level: Level) -> Result<Self, OpenError> {
        let tree = open_section::<ArchivedAabbTree<'static>>(&directory)?;
        let sections = Sections::open(directory, tree)?;
        let (nodes, bounds) = (sections.nodes(), read_bounds(tree)?);
        let nodes = Records::at(nodes.as_ptr().cast(), size_of::<WideNode>());
        Ok(Self {
            sections,
            records: (nodes, sections.blocks().records()),
            bounds,
            extent: Extent::of(&bounds),
            level,
        })
    }

    /// The file's records, for tools that inspect files or draw trees. Queries do not need them.
    #[inline(always)]
    pub fn sections(&self) -> &Sections<'a> {
        &self.sections
    }

    /// The same model, with queries running at this SIMD level.
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// The SIMD level of queries.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The smallest box around all triangles.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// The number of triangles.
    pub fn triangle_count(&self) -> u64 {
        self.sections.metadata().triangles.to_native()
    }

    /// The source face, material, group and object of a triangle; `None` if there is no triangle of this number.
    ///
    /// ```
    /// use bvhc_runtime::{Model, Ray, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad.bvh"))?;
    /// let hit = model.closest_hit(&Ray::new([0.75, 0.25, 1.0], [0.0, 0.0, -1.0])).expect("it meets the quad");
    /// let source = model.source_of(hit.triangle).expect("every hit has a source");
    /// assert_eq!(source.face, 0);
    /// assert_eq!(source.material.and_then(|index| model.material_name(index)), Some("paint"));
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn source_of(&self, triangle: u32) -> Option<Source> {
        let faces = self.sections.geometry().faces.get();
        let face = if faces.is_empty() { triangle } else { faces.get(triangle as usize)?.to_native() };
        if u64::from(triangle) >= self.triangle_count() {
            return None;
        }
        let runs: &[AttributeRun] = self.sections.geometry().runs.get();
        let after = runs.partition_point(|run| run.first_triangle <= triangle);
        let run = runs.get(after.wrapping_sub(1));
        let field = |field: fn(&AttributeRun) -> u32| run.map(field).filter(|index| *index != NONE);
        Some(Source {
            face,
            corners: self.face_corners(triangle)?,
            material: field(|run| run.material),
            group: field(|run| run.group),
            object: field(|run| run.object),
        })
    }

    /// The corners of its face that a triangle has; `None` only in a corrupt file.
    fn face_corners(&self, triangle: u32) -> Option<[u32; 3]> {
        let packed = self.sections.geometry().corners.get();
        if packed.is_empty() {
            return Some([0, 1, 2]);
        }
        let packed = packed.get(triangle as usize)?.to_native();
        if packed != FaceCorners::LISTED {
            return Some(FaceCorners::unpack(packed));
        }
        let listed: &[FaceCorners] = self.sections.geometry().wide_corners.get();
        let index = listed.binary_search_by_key(&triangle, |it| it.triangle).ok()?;
        Some(listed[index].corners)
    }

    /// The key-value pairs that the user added to the file, ascending by key. Pairs that are not UTF-8, which only
    /// corrupt files have, are skipped.
    pub fn user_metadata(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let metadata = self.sections.metadata();
        (0..metadata.keys.len())
            .filter_map(|index| Some((metadata.keys.get(index)?, metadata.values.get(index)?)))
    }

    /// The name of a material (`usemtl`), by the index in [`Source`].
    pub fn material_name(&self, index: u32) -> Option<&'a str> {
        name(&self.sections.metadata().materials, index)
    }

    /// The name of a group (`g`), by the index in [`Source`].
    pub fn group_name(&self, index: u32) -> Option<&'a str> {
        name(&self.sections.metadata().groups, index)
    }

    /// The name of an object (`o`), by the index in [`Source`].
    pub fn object_name(&self, index: u32) -> Option<&'a str> {
        name(&self.sections.metadata().objects, index)
    }

    /// The names of all materials, by index. Names that are invalid in a corrupt file come out empty.
    ///
    /// ```
    /// use bvhc_runtime::{Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad.bvh"))?;
    /// assert_eq!(model.materials().collect::<Vec<_>>(), ["paint"]);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn materials(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        names(&self.sections.metadata().materials)
    }

    /// The names of all groups, as in [`materials`](Self::materials).
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        names(&self.sections.metadata().groups)
    }

    /// The index of this mesh in its file, from 0.
    pub fn mesh(&self) -> u32 {
        self.sections.directory.mesh()
    }

    /// The number of meshes in its file.
    pub fn meshes(&self) -> u32 {
        self.sections.directory.mesh_count()
    }

    /// Another mesh of the same file, counted from 0, at the same SIMD level: `LoadedModel` and `MappedModel` open the
    /// first one.
    ///
    /// # Errors
    /// As [`from_bytes_mesh`](Self::from_bytes_mesh).
    pub fn open_mesh(&self, mesh: u32) -> Result<Self, OpenError> {
        Ok(Self::from_bytes_mesh(self.sections.bytes(), mesh)?.with_level(self.level))
    }

    /// The names of all objects, as in [`materials`](Self::materials).
    pub fn objects(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        names(&self.sections.metadata().objects)
    }

    /// How many triangles a query can report: all of them. A corrupt file may state any count; it has no more than it lists.
    pub(crate) fn most_reports(&self) -> u64 {
        self.triangle_count().min(self.sections.geometry().triangles.get().len() as u64)
    }

    /// Nodes and blocks, for prefetching.
    #[inline(always)]
    pub(crate) fn records(&self) -> (Records, Records) {
        self.records
    }

    /// Whether walks are bound by memory latency.
    pub(crate) fn is_large(&self) -> bool {
        size_of_val(self.sections.nodes()) + self.sections.blocks().bytes() > LARGE
    }

    /// The largest coordinates in magnitude, per axis.
    pub(crate) fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The number of the triangle in a lane of the block whose numbers start at `first`; `None` in a corrupt file.
    #[inline(always)]
    pub(crate) fn triangle_at(&self, first: u32, lane: usize) -> Option<u32> {
        let index = (first as usize).checked_add(lane)?;
        self.sections.geometry().triangles.get().get(index).map(|number| number.to_native())
    }

    /// Prefetches that number.
    #[inline(always)]
    pub(crate) fn prefetch_triangle_at(&self, first: u32, lane: usize) {
        let numbers = self.sections.geometry().triangles.get().as_ptr();
        crate::prefetch::line_at(numbers.wrapping_add((first as usize).wrapping_add(lane)).cast());
    }

    /// The references in the tree to the blocks that hold a triangle, if several do. Entries beyond [`MAX_SPLIT_SLOTS`],
    /// which only a corrupt file has, are ignored; otherwise a lookup could take the length of the file for each of its
    /// lanes.
    pub(crate) fn slots_of(&self, triangle: u32) -> &'a [u32_le] {
        let slots = |splits: &'a ArchivedSplits<'static>| {
            let index = splits.triangles.get().binary_search_by_key(&triangle, |it| it.to_native()).ok()?;
            let ends = splits.ends.get();
            let start = index.checked_sub(1).map_or(Some(0), |before| Some(ends.get(before)?.to_native()))?;
            let slots = splits.slots.get().get(start as usize..ends.get(index)?.to_native() as usize)?;
            Some(&slots[..slots.len().min(MAX_SPLIT_SLOTS)])
        };
        self.sections.splits().and_then(slots).unwrap_or_default()
    }
}

/// Where a triangle comes from in the source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The face of the source, from 0 in file order.
    pub face: u32,
    /// Which corners of that face the triangle's three corners are, from 0 in the face's order. With these and a hit's
    /// weights, per-corner data of the source such as texture coordinates and normals can be interpolated.
    pub corners: [u32; 3],
    /// The material's index; [`Model::material_name`] names it.
    pub material: Option<u32>,
    /// The group's index; [`Model::group_name`] names it.
    pub group: Option<u32>,
    /// The object's index; [`Model::object_name`] names it.
    pub object: Option<u32>,
}

fn name<'a>(names: &'a ArchivedNames<'_>, index: u32) -> Option<&'a str> {
    names.get(index as usize)
}

fn names<'a>(names: &'a ArchivedNames<'static>) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
    // Each name takes four bytes of the file for its end, so there are fewer than 2^32.
    (0..names.len() as u32).map(|index| name(names, index).unwrap_or_default())
}

impl fmt::Debug for Model<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("bytes", &self.sections.header().length)
            .field("triangles", &self.triangle_count())
            .field("bounds", &self.bounds)
            .field("level", &self.level)
            .finish_non_exhaustive()
    }
}

fn open_section<'a, T>(directory: &Directory<'a>) -> Result<&'a T, OpenError>
where
    T: Root + for<'b> CheckBytes<LowValidator<'b, Failure>>,
{
    open_optional(directory)?.ok_or(OpenError::Missing(T::KIND))
}

/// The root of an optional section.
fn open_optional<'a, T>(directory: &Directory<'a>) -> Result<Option<&'a T>, OpenError>
where
    T: Root + for<'b> CheckBytes<LowValidator<'b, Failure>>,
{
    let Some(payload) = directory.section(T::KIND) else { return Ok(None) };
    access::<T, Failure>(payload).map(Some).map_err(|Failure| OpenError::Archive(T::KIND))
}

fn open_hull<'a>(directory: &Directory<'a>) -> Result<Option<Hull<'a>>, OpenError> {
    let Some(section) = open_optional::<ArchivedHull<'static>>(directory)? else { return Ok(None) };
    let (vertices, starts) = (section.vertices.len() as u64, section.starts.len() as u64);
    Hull::of(section).map(Some).ok_or(OpenError::Hull { vertices, starts })
}

fn read_bounds(tree: &ArchivedAabbTree<'_>) -> Result<Aabb, OpenError> {
    let number = |index: usize| tree.bounds[index].to_native();
    let bounds = Aabb { min: [0, 1, 2].map(number), max: [3, 4, 5].map(number) };
    if bounds.is_within_limits() { Ok(bounds) } else { Err(OpenError::Bounds) }
}
