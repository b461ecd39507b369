//! The opened model: a borrowed view of a file's bytes.

use core::fmt;

use bvhc_format::kdop::KdopLayout;
use bvhc_format::obb::{MAX_OBB_DEPTH, SampleNode};
use bvhc_format::record::{AttributeRun, FaceCorners, WideNode};
use bvhc_format::section::{
    ArchivedAabbTree, ArchivedGeometry, ArchivedHull, ArchivedKdopTree, ArchivedMetadata, ArchivedNames,
    ArchivedObbTree, ArchivedPackedBlocks, ArchivedSamples, ArchivedSplits, ArchivedSweptTree, Root,
    SectionKind,
};
use bvhc_format::swept::SweptLayout;
use bvhc_format::{MAX_COORDINATE, MAX_DEPTH, MAX_PLACES, NONE};
use rkyv::api::low::{LowValidator, access};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Failure;
use rkyv::rend::u32_le;

use crate::blocks::{Blocks, PackedBlocks};
use crate::bounds::Aabb;
use crate::directory::Directory;
use crate::error::OpenError;
use crate::hull::Hull;
use crate::level::Level;
use crate::prefetch::Records;
use crate::ray::Extent;

mod records;

/// Nodes and blocks of more bytes keep walks waiting for memory. (Measured with caches of 2 MiB a core. Incoherent rays by
/// turns: at 43 MB twice as fast as one by one and nowhere slower, at 16 MB between as fast and a quarter faster, at 12 and
/// 2 MB up to a third slower. Points that bring all near that may be visited: at 43 MB a quarter faster near the surface, at
/// 11 MB between a tenth faster and a tenth slower.)
const LARGE: usize = 24 << 20;

/// A compiled model, opened in place. Copying it copies a few pointers.
///
/// Answers to queries are defined for files that `bvhc verify` accepts; on any others they are
/// unspecified, but every query still ends, without a panic and within the file's bytes. What queries find names triangles by
/// numbers, which count the source's triangles from 0.
#[derive(Clone, Copy)]
pub struct Model<'a> {
    directory: Directory<'a>,
    metadata: &'a ArchivedMetadata<'static>,
    geometry: &'a ArchivedGeometry<'static>,
    splits: Option<&'a ArchivedSplits<'static>>,
    hull: Option<Hull<'a>>,
    nodes: &'a [WideNode],
    obb_tree: Option<&'a ArchivedObbTree<'static>>,
    samples: Option<&'a [SampleNode]>,
    kdop_tree: Option<(&'a ArchivedKdopTree<'static>, KdopLayout)>,
    swept_tree: Option<(&'a ArchivedSweptTree<'static>, SweptLayout)>,
    blocks: Blocks<'a>,
    /// Nodes and blocks, for prefetching.
    records: (Records, Records),
    bounds: Aabb,
    reach: Extent,
    depth: u32,
    level: Level,
}

impl<'a> Model<'a> {
    /// Opens the first mesh of a file's bytes, which must start at a multiple of 64 in memory.
    ///
    /// Checks header, directory and the sizes of every section in time that does not grow with the
    /// file; `bvhc verify` checks hashes and the structure of the trees. [`include_aligned!`](crate::include_aligned) embeds a
    /// file at such an address, and `LoadedModel::from_bytes` copies bytes there.
    ///
    /// # Errors
    /// [`OpenError`] says which rule of FORMAT.md the bytes break.
    pub fn from_bytes(bytes: &'a [u8]) -> Result<Self, OpenError> {
        Self::from_bytes_mesh(bytes, 0)
    }

    /// How many meshes a file's bytes hold. Checks what opening checks of header and directory, and nothing else.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes).
    pub fn mesh_count(bytes: &[u8]) -> Result<u32, OpenError> {
        Directory::read(bytes).map(|directory| directory.mesh_count())
    }

    /// Opens one mesh of a file of several, counted from 0; its triangles, faces and names are its own.
    ///
    /// # Errors
    /// As [`from_bytes`](Self::from_bytes), and [`OpenError::NoSuchMesh`].
    pub fn from_bytes_mesh(bytes: &'a [u8], mesh: u32) -> Result<Self, OpenError> {
        let directory = Directory::read(bytes)?.of_mesh(mesh)?;
        let metadata = open_section::<ArchivedMetadata<'static>>(&directory)?;
        let geometry = open_section::<ArchivedGeometry<'static>>(&directory)?;
        let tree = open_section::<ArchivedAabbTree<'static>>(&directory)?;
        let depth = tree.depth.to_native();
        if depth > MAX_DEPTH {
            return Err(OpenError::TooDeep { kind: SectionKind::AabbTree, found: depth, most: MAX_DEPTH });
        }
        let bounds = read_bounds(tree)?;
        let obb_tree = open_obb_tree(&directory)?;
        let packed = open_optional::<ArchivedPackedBlocks<'static>>(&directory)?;
        let nodes: &[WideNode] = tree.nodes.get();
        let blocks = match packed {
            Some(packed) => Blocks::Packed(PackedBlocks::of(packed)?),
            None => Blocks::Plain(geometry.blocks.get()),
        };
        Ok(Self {
            directory,
            metadata,
            geometry,
            splits: open_optional(&directory)?,
            hull: open_hull(&directory)?,
            nodes,
            obb_tree,
            samples: open_samples(&directory, obb_tree)?,
            kdop_tree: open_kdop_tree(&directory)?,
            swept_tree: open_swept_tree(&directory)?,
            records: (Records::at(nodes.as_ptr().cast(), size_of::<WideNode>()), blocks.records()),
            blocks,
            bounds,
            reach: Extent::of(&bounds),
            depth,
            level: Level::detect().ok_or(OpenError::Cpu)?,
        })
    }

    /// The same model, queried with the instructions of `level`.
    pub fn with_level(self, level: Level) -> Self {
        Self { level, ..self }
    }

    /// The instructions that queries use.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The smallest box around all triangles.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// Triangles of the model.
    pub fn triangle_count(&self) -> u64 {
        self.metadata.triangles.to_native()
    }

    /// Where the triangle with this number comes from in the source; `None` where there is no such number.
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
        let faces = self.geometry.faces.get();
        let face = if faces.is_empty() { triangle } else { faces.get(triangle as usize)?.to_native() };
        if u64::from(triangle) >= self.triangle_count() {
            return None;
        }
        let runs: &[AttributeRun] = self.geometry.runs.get();
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

    /// Which corners of its face a triangle has; `None` only in a corrupt file.
    fn face_corners(&self, triangle: u32) -> Option<[u32; 3]> {
        let packed = self.geometry.corners.get();
        if packed.is_empty() {
            return Some([0, 1, 2]);
        }
        let packed = packed.get(triangle as usize)?.to_native();
        if packed != FaceCorners::LISTED {
            return Some(FaceCorners::unpack(packed));
        }
        let listed: &[FaceCorners] = self.geometry.wide_corners.get();
        let index = listed.binary_search_by_key(&triangle, |it| it.triangle).ok()?;
        Some(listed[index].corners)
    }

    /// What the user has added to the file, a pair of key and value each, ascending by key. Pairs that are not UTF-8, as
    /// only corrupt files have them, are left out.
    pub fn user_metadata(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let metadata = self.metadata;
        (0..metadata.keys.len())
            .filter_map(|index| Some((metadata.keys.get(index)?, metadata.values.get(index)?)))
    }

    /// The name of a material (`usemtl`), by the index that [`Source`] gives.
    pub fn material_name(&self, index: u32) -> Option<&'a str> {
        name(&self.metadata.materials, index)
    }

    /// The name of a group (`g`), by the index that [`Source`] gives.
    pub fn group_name(&self, index: u32) -> Option<&'a str> {
        name(&self.metadata.groups, index)
    }

    /// The name of an object (`o`), by the index that [`Source`] gives.
    pub fn object_name(&self, index: u32) -> Option<&'a str> {
        name(&self.metadata.objects, index)
    }

    /// The names of all materials, in the order of their indices. Names that a corrupt file garbles are empty.
    ///
    /// ```
    /// use bvhc_runtime::{Model, include_aligned};
    ///
    /// let model = Model::from_bytes(include_aligned!("../../tests/golden/quad.bvh"))?;
    /// assert_eq!(model.materials().collect::<Vec<_>>(), ["paint"]);
    /// # Ok::<(), bvhc_runtime::OpenError>(())
    /// ```
    pub fn materials(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        names(&self.metadata.materials)
    }

    /// The names of all groups, likewise.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        names(&self.metadata.groups)
    }

    /// Which mesh of its file the model is, counted from 0.
    pub fn mesh(&self) -> u32 {
        self.directory.mesh()
    }

    /// The names of all objects, likewise.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        names(&self.metadata.objects)
    }

    /// The whole file.
    #[cfg(feature = "hashes")]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.directory.bytes()
    }

    /// Nodes and blocks, for prefetching.
    #[inline(always)]
    pub(crate) fn records(&self) -> (Records, Records) {
        self.records
    }

    /// Whether walks mostly wait for memory.
    pub(crate) fn is_large(&self) -> bool {
        size_of_val(self.nodes()) + self.blocks().bytes() > LARGE
    }

    /// How far from the origin the model reaches.
    pub(crate) fn reach(&self) -> &Extent {
        &self.reach
    }

    /// The number of the triangle in a lane of the block whose numbers begin at `first`; `None` in a corrupt file.
    #[inline(always)]
    pub(crate) fn triangle_at(&self, first: u32, lane: usize) -> Option<u32> {
        let index = (first as usize).checked_add(lane)?;
        self.geometry.triangles.get().get(index).map(|number| number.to_native())
    }

    /// Has that number brought near.
    #[inline(always)]
    pub(crate) fn prefetch_triangle_at(&self, first: u32, lane: usize) {
        let numbers = self.geometry.triangles.get().as_ptr();
        crate::prefetch::line_at(numbers.wrapping_add((first as usize).wrapping_add(lane)).cast());
    }

    /// Where the tree refers to the blocks that hold a triangle, if there are several. What a corrupt file lists beyond
    /// [`MAX_PLACES`] is left out, lest looking places up take as long as the file and its lanes are many, multiplied.
    pub(crate) fn places_of(&self, triangle: u32) -> &'a [u32_le] {
        let places = |splits: &'a ArchivedSplits<'static>| {
            let index = splits.triangles.get().binary_search_by_key(&triangle, |it| it.to_native()).ok()?;
            let ends = splits.ends.get();
            let start = index.checked_sub(1).map_or(Some(0), |before| Some(ends.get(before)?.to_native()))?;
            let places = splits.places.get().get(start as usize..ends.get(index)?.to_native() as usize)?;
            Some(&places[..places.len().min(MAX_PLACES)])
        };
        self.splits.and_then(places).unwrap_or_default()
    }
}

/// Where a triangle comes from, as the artist knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The face of the source, counted from 0 in its order.
    pub face: u32,
    /// Which corners of that face the triangle's three corners are, counted from 0 in the face's order: by these, a hit's
    /// weights interpolate what the source says of corners, such as texture coordinates and normals.
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
    // A name ends where four bytes of the file say so: there are fewer than 2^32.
    (0..names.len() as u32).map(|index| name(names, index).unwrap_or_default())
}

impl fmt::Debug for Model<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("bytes", &self.header().length)
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

/// The root of a section that a file need not have.
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

fn open_obb_tree<'a>(directory: &Directory<'a>) -> Result<Option<&'a ArchivedObbTree<'static>>, OpenError> {
    let tree: Option<&ArchivedObbTree<'static>> = open_optional(directory)?;
    check_depth(SectionKind::ObbTree, tree.map_or(0, |tree| tree.depth.to_native()))?;
    Ok(tree)
}

fn open_samples<'a>(
    directory: &Directory<'a>,
    tree: Option<&ArchivedObbTree<'_>>,
) -> Result<Option<&'a [SampleNode]>, OpenError> {
    let Some(section) = open_optional::<ArchivedSamples<'static>>(directory)? else { return Ok(None) };
    let (found, expected) = (section.nodes.len(), tree.map(ArchivedObbTree::node_count));
    if tree.is_none() && directory.has(SectionKind::ObbTree) {
        return Ok(None); // The tree is of a newer version, and skipped.
    }
    if expected == Some(found) {
        return Ok(Some(section.nodes.get()));
    }
    Err(OpenError::Samples { found: found as u64, expected: expected.unwrap_or(0) as u64 })
}

fn open_kdop_tree<'a>(
    directory: &Directory<'a>,
) -> Result<Option<(&'a ArchivedKdopTree<'static>, KdopLayout)>, OpenError> {
    let Some(tree) = open_optional::<ArchivedKdopTree<'static>>(directory)? else { return Ok(None) };
    check_depth(SectionKind::KdopTree, tree.depth.to_native())?;
    let (k, tables, rows) = (tree.k.to_native(), tree.tables.to_native(), tree.rows.len());
    let layout = KdopLayout::of(k, tables).filter(|layout| rows.is_multiple_of(layout.rows()));
    let wrong = OpenError::KdopTree { k, tables, rows: rows as u64 };
    layout.map(|layout| Some((tree, layout))).ok_or(wrong)
}

fn open_swept_tree<'a>(
    directory: &Directory<'a>,
) -> Result<Option<(&'a ArchivedSweptTree<'static>, SweptLayout)>, OpenError> {
    let Some(tree) = open_optional::<ArchivedSweptTree<'static>>(directory)? else { return Ok(None) };
    check_depth(SectionKind::SweptTree, tree.depth.to_native())?;
    let (core, rows) = (tree.core.to_native(), tree.rows.len());
    let wrong = OpenError::SweptTree { core, rows: rows as u64 };
    SweptLayout::of(core, rows).map(|layout| Some((tree, layout))).ok_or(wrong)
}

/// Of a tree with nodes of four children.
fn check_depth(kind: SectionKind, found: u32) -> Result<(), OpenError> {
    let most = MAX_OBB_DEPTH;
    if found > most { Err(OpenError::TooDeep { kind, found, most }) } else { Ok(()) }
}

fn read_bounds(tree: &ArchivedAabbTree<'_>) -> Result<Aabb, OpenError> {
    let number = |index: usize| tree.bounds[index].to_native();
    let bounds = Aabb { min: [0, 1, 2].map(number), max: [3, 4, 5].map(number) };
    let valid = (0..3).all(|axis| {
        -MAX_COORDINATE <= bounds.min[axis]
            && bounds.min[axis] <= bounds.max[axis]
            && bounds.max[axis] <= MAX_COORDINATE
    });
    if valid { Ok(bounds) } else { Err(OpenError::Bounds) }
}
