//! The sections of a file, opened: its records, whose types change with the format.

use bvhc_format::MAX_DEPTH;
use bvhc_format::edges::TriangleEdges;
use bvhc_format::header::{Header, SectionEntry};
use bvhc_format::obb::PairLeaf;
use bvhc_format::record::WideNode;
use bvhc_format::section::{
    ArchivedAabbTree, ArchivedDistanceField, ArchivedEdges, ArchivedGeometry, ArchivedIntersections,
    ArchivedMetadata, ArchivedPackedBlocks, ArchivedSolid, ArchivedSplits, SectionKind,
};

use super::trees::PairTrees;
use super::{open_hull, open_optional, open_section};
use crate::blocks::{Blocks, PackedBlocks};
use crate::directory::Directory;
use crate::error::OpenError;
use crate::hull::Hull;

/// The records of one mesh of a file. Their types are those of [`format`](crate::format), which change with the format.
///
/// ```
/// use bvhc_runtime::{Model, include_aligned};
///
/// let model = Model::from_bytes(include_aligned!("../../../tests/golden/quad.bvh"))?;
/// assert_eq!((model.sections().depth(), model.sections().nodes().len()), (1, 1));
/// # Ok::<(), bvhc_runtime::OpenError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Sections<'a> {
    pub(super) directory: Directory<'a>,
    metadata: &'a ArchivedMetadata<'static>,
    geometry: &'a ArchivedGeometry<'static>,
    splits: Option<&'a ArchivedSplits<'static>>,
    hull: Option<Hull<'a>>,
    solid: Option<&'a ArchivedSolid<'static>>,
    edges: Option<&'a [TriangleEdges]>,
    intersections: Option<&'a ArchivedIntersections<'static>>,
    field: Option<&'a ArchivedDistanceField<'static>>,
    nodes: &'a [WideNode],
    pub(super) trees: PairTrees<'a>,
    blocks: Blocks<'a>,
    depth: u32,
}

impl<'a> Sections<'a> {
    /// Opens the sections beside the AABB tree, and checks their sizes.
    pub(super) fn open(
        directory: Directory<'a>,
        tree: &'a ArchivedAabbTree<'static>,
    ) -> Result<Self, OpenError> {
        let depth = tree.depth.to_native();
        if depth > MAX_DEPTH {
            return Err(OpenError::TooDeep { kind: SectionKind::AabbTree, found: depth, most: MAX_DEPTH });
        }
        let metadata = open_section::<ArchivedMetadata<'static>>(&directory)?;
        let geometry = open_section::<ArchivedGeometry<'static>>(&directory)?;
        let blocks = match open_optional::<ArchivedPackedBlocks<'static>>(&directory)? {
            Some(packed) => Blocks::Packed(PackedBlocks::of(packed)?),
            None => Blocks::Plain(geometry.blocks.get()),
        };
        Ok(Self {
            directory,
            metadata,
            geometry,
            splits: open_optional(&directory)?,
            hull: open_hull(&directory)?,
            solid: open_optional(&directory)?,
            edges: open_optional::<ArchivedEdges<'static>>(&directory)?.map(|edges| edges.triangles.get()),
            intersections: open_optional(&directory)?,
            field: open_optional(&directory)?,
            nodes: tree.nodes.get(),
            trees: PairTrees::open(&directory)?,
            blocks,
            depth,
        })
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

    /// The metadata section.
    pub fn metadata(&self) -> &'a ArchivedMetadata<'static> {
        self.metadata
    }

    /// The geometry section.
    pub fn geometry(&self) -> &'a ArchivedGeometry<'static> {
        self.geometry
    }

    /// The nodes of the AABB tree; node 0 is the root.
    pub fn nodes(&self) -> &'a [WideNode] {
        self.nodes
    }

    /// The leaves that all trees for pairs of models refer to.
    #[inline(always)]
    pub fn pair_leaves(&self) -> &'a [PairLeaf] {
        self.geometry.pair_leaves.get()
    }

    /// The convex hull, if the file has it.
    pub fn hull(&self) -> Option<Hull<'a>> {
        self.hull
    }

    /// How triangles share their edges, and the boundary of the surface, if the file has it.
    pub fn solid(&self) -> Option<&'a ArchivedSolid<'static>> {
        self.solid
    }

    /// What is across the edges of each triangle, by its number, if the file has it.
    pub fn edges(&self) -> Option<&'a [TriangleEdges]> {
        self.edges
    }

    /// The triangles that intersect others, if the file says it.
    pub fn intersections(&self) -> Option<&'a ArchivedIntersections<'static>> {
        self.intersections
    }

    /// The distance field, if the file has it.
    pub fn field(&self) -> Option<&'a ArchivedDistanceField<'static>> {
        self.field
    }

    /// The triangles that more than one block holds, if any.
    pub fn splits(&self) -> Option<&'a ArchivedSplits<'static>> {
        self.splits
    }

    /// The blocks of triangles.
    pub fn blocks(&self) -> Blocks<'a> {
        self.blocks
    }

    /// Levels of inner nodes of the AABB tree, as stored in the file.
    pub fn depth(&self) -> u32 {
        self.depth
    }
}
