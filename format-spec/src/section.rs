//! The sections: each payload is one rkyv archive of one of these types.

use rkyv::with::InlineAsBox;
use rkyv::{Archive, Portable, Serialize};

use crate::hull::HullVertex;
use crate::kdop::LaneRow;
use crate::obb::{ObbNode, PackedObbNode, PackedPairLeaf, PairLeaf, SampleNode};
use crate::record::{AttributeRun, Block, TreeStatistics, WideNode};

/// What a section holds. Kinds are open: a reader skips an optional section it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum SectionKind {
    /// [`Metadata`].
    Metadata = 1,
    /// [`Geometry`].
    Geometry = 2,
    /// [`Splits`].
    Splits = 3,
    /// [`PackedBlocks`].
    PackedBlocks = 4,
    /// [`Hull`].
    Hull = 5,
    /// [`Samples`].
    Samples = 6,
    /// [`AabbTree`].
    AabbTree = 16,
    /// [`ObbTree`].
    ObbTree = 17,
    /// [`KdopTree`].
    KdopTree = 18,
    /// [`SweptTree`].
    SweptTree = 19,
}

impl SectionKind {
    /// The kinds that this version knows. A file holds each once at most.
    pub const ALL: [Self; 10] = [
        Self::Metadata,
        Self::Geometry,
        Self::Splits,
        Self::PackedBlocks,
        Self::Hull,
        Self::Samples,
        Self::AabbTree,
        Self::ObbTree,
        Self::KdopTree,
        Self::SweptTree,
    ];

    /// The kind with this number, if this version knows it.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u32 == number)
    }

    /// The name `inspect` prints.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Metadata => "metadata",
            Self::Geometry => "geometry",
            Self::Splits => "splits",
            Self::PackedBlocks => "packed-blocks",
            Self::Hull => "hull",
            Self::Samples => "samples",
            Self::AabbTree => "aabb-tree",
            Self::ObbTree => "obb-tree",
            Self::KdopTree => "kdop-tree",
            Self::SweptTree => "swept-tree",
        }
    }
}

/// The version of each section's layout that this crate describes.
pub const SECTION_VERSION: u16 = 1;

/// A list of names: name `i` is the UTF-8 text from `ends[i - 1]` (0 for the first) to `ends[i]`.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct Names<'a> {
    /// All names, one after the other, without separators.
    #[rkyv(with = InlineAsBox)]
    pub text: &'a [u8],
    /// Where each name ends in `text`, ascending.
    #[rkyv(with = InlineAsBox)]
    pub ends: &'a [u32],
}

impl ArchivedNames<'_> {
    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Name `index`, or `None` past the end or where the file's text or ends are corrupt.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = self.ends.get().get(index)?.to_native() as usize;
        let start = match index {
            0 => 0,
            _ => self.ends.get().get(index - 1)?.to_native() as usize,
        };
        core::str::from_utf8(self.text.get().get(start..end)?).ok()
    }
}

/// What the model is and how the file was made. Nothing here is needed to answer a query but the names.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct Metadata<'a> {
    /// BLAKE3 of the source's bytes.
    pub source_hash: [u8; 32],
    /// Length of the source in bytes.
    pub source_length: u64,
    /// Faces of the source, of any number of corners.
    pub source_faces: u64,
    /// Vertices of the source.
    pub source_vertices: u64,
    /// Triangles of the model: what is left of the triangulated faces after cleaning.
    pub triangles: u64,
    /// Distinct positions that the triangles use.
    pub vertices: u64,
    /// Triangles dropped because their three corners lie on one line.
    pub dropped_triangles: u64,
    /// Faces dropped because they have fewer than three corners.
    pub dropped_faces: u64,
    /// Smallest box around all triangles: lower x, y, z, upper x, y, z, in the model's units.
    pub bounds: [f32; 6],
    /// The compiler's version, for example `bvhc 0.1.0`.
    #[rkyv(with = InlineAsBox)]
    pub compiler: &'a [u8],
    /// The options that decide the file's bytes, as command-line text.
    #[rkyv(with = InlineAsBox)]
    pub options: &'a [u8],
    /// Material names (`usemtl`).
    pub materials: Names<'a>,
    /// Group names (`g`).
    pub groups: Names<'a>,
    /// Object names (`o`).
    pub objects: Names<'a>,
    /// One record a tree, in the order of the tree sections.
    #[rkyv(with = InlineAsBox)]
    pub trees: &'a [TreeStatistics],
}

/// The triangles, in blocks that all trees share.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct Geometry<'a> {
    /// The blocks, in the order in which the AABB tree reaches them depth first; none where they are packed.
    #[rkyv(with = InlineAsBox)]
    pub blocks: &'a [Block],
    /// Triangle numbers: lane `l` of a block holds triangle `triangles[first + l]`.
    #[rkyv(with = InlineAsBox)]
    pub triangles: &'a [u32],
    /// The source face of each triangle number; empty where each triangle's face has its own number.
    #[rkyv(with = InlineAsBox)]
    pub faces: &'a [u32],
    /// Materials, groups and objects, ascending by `first_triangle`, which is 0 in the first run.
    #[rkyv(with = InlineAsBox)]
    pub runs: &'a [AttributeRun],
}

/// The triangles that several blocks hold, and where the AABB tree refers to those blocks.
///
/// Place `16 * node + slot` is the slot of a node. The places of triangle `triangles[i]` are
/// `places[ends[i - 1]..ends[i]]` (from 0 for the first), ascending.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct Splits<'a> {
    /// The numbers of the triangles, ascending.
    #[rkyv(with = InlineAsBox)]
    pub triangles: &'a [u32],
    /// Where each triangle's places end.
    #[rkyv(with = InlineAsBox)]
    pub ends: &'a [u32],
    /// The places.
    #[rkyv(with = InlineAsBox)]
    pub places: &'a [u32],
}

/// The blocks in packed form, laid out as [`packed`](crate::packed) says: child references count units of 8 bytes in `bytes`.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct PackedBlocks<'a> {
    /// The blocks, in the order in which the AABB tree reaches them depth first, and
    /// [`WINDOW`](crate::packed::WINDOW) zero bytes.
    #[rkyv(with = InlineAsBox)]
    pub bytes: &'a [u8],
    /// How many blocks there are.
    pub count: u32,
    /// How far at most a coordinate is from the source's, in the model's units.
    pub position_error: f32,
}

/// The convex hull of all triangles' corners, by its vertices and edges.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct Hull<'a> {
    /// The vertices, ascending by x, then y, then z.
    #[rkyv(with = InlineAsBox)]
    pub vertices: &'a [HullVertex],
    /// The vertices at the other ends of each vertex's edges, ascending.
    #[rkyv(with = InlineAsBox)]
    pub neighbours: &'a [u32],
    /// The vertex that is farthest along the middle of each of some [`Cells`](crate::hull::Cells).
    #[rkyv(with = InlineAsBox)]
    pub starts: &'a [u32],
}

/// Vertices of the surface below each child of each node of the [`ObbTree`].
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct Samples<'a> {
    /// Beside each node, by index, packed or not.
    #[rkyv(with = InlineAsBox)]
    pub nodes: &'a [SampleNode],
}

/// The sixteen-wide tree of axis-aligned boxes. Node 0 is the root.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct AabbTree<'a> {
    /// The box around all triangles: lower x, y, z, upper x, y, z.
    pub bounds: [f32; 6],
    /// Levels of inner nodes, at most [`MAX_DEPTH`](crate::MAX_DEPTH).
    pub depth: u32,
    /// Zero.
    pub reserved: u32,
    /// The nodes, parents before children.
    #[rkyv(with = InlineAsBox)]
    pub nodes: &'a [WideNode],
}

/// The four-wide tree of oriented boxes, for two meshes at a time. Node 0 is the root.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct ObbTree<'a> {
    /// The point of the model's space that the nodes' centres are relative to.
    pub origin: [f32; 3],
    /// No point of any box is farther from the origin, in the model's units.
    pub radius: f32,
    /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
    pub depth: u32,
    /// Zero.
    pub reserved: u32,
    /// The nodes, parents before children.
    #[rkyv(with = InlineAsBox)]
    pub nodes: &'a [ObbNode],
    /// The leaves, in the order in which nodes, by index, and their slots refer to them.
    #[rkyv(with = InlineAsBox)]
    pub leaves: &'a [PairLeaf],
    /// The nodes in packed form; then there are neither `nodes` nor `leaves`.
    #[rkyv(with = InlineAsBox)]
    pub packed_nodes: &'a [PackedObbNode],
    /// The leaves in packed form.
    #[rkyv(with = InlineAsBox)]
    pub packed_leaves: &'a [PackedPairLeaf],
}

impl ObbTree<'_> {
    /// A tree of nothing, which is not allowed.
    pub const EMPTY: Self = Self {
        origin: [0.0; 3],
        radius: 0.0,
        depth: 0,
        reserved: 0,
        nodes: &[],
        leaves: &[],
        packed_nodes: &[],
        packed_leaves: &[],
    };
}

impl ArchivedObbTree<'_> {
    /// Bytes of all nodes and leaves.
    pub fn record_bytes(&self) -> usize {
        size_of_val(self.nodes.get())
            + size_of_val(self.leaves.get())
            + size_of_val(self.packed_nodes.get())
            + size_of_val(self.packed_leaves.get())
    }

    /// How many nodes there are, in whichever form.
    pub fn node_count(&self) -> usize {
        self.nodes.len() + self.packed_nodes.len()
    }
}

/// The four-wide tree of k-DOPs, for two meshes at a time. Node 0 is the root.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct KdopTree<'a> {
    /// The point of the model's space that the nodes' bounds or centres are relative to.
    pub origin: [f32; 3],
    /// At least twice any bound, or the length of any centre plus any of its extents, in the model's units.
    pub radius: f32,
    /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
    pub depth: u32,
    /// How many directions k-DOPs have: one of [`Directions::COUNTS`](crate::kdop::Directions::COUNTS).
    pub k: u32,
    /// A number of [`Tables`](crate::kdop::Tables).
    pub tables: u32,
    /// Zero.
    pub reserved: u32,
    /// The nodes, parents before children, [`KdopLayout::rows`](crate::kdop::KdopLayout::rows) rows each.
    #[rkyv(with = InlineAsBox)]
    pub rows: &'a [LaneRow],
    /// The leaves, in the order in which nodes, by index, and their slots refer to them.
    #[rkyv(with = InlineAsBox)]
    pub leaves: &'a [PairLeaf],
}

/// The four-wide tree of swept spheres, for two meshes at a time. Node 0 is the root.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct SweptTree<'a> {
    /// The point of the model's space that the nodes' centres are relative to.
    pub origin: [f32; 3],
    /// At least the lengths of any centre and its half axes plus the radius, in the model's units.
    pub radius: f32,
    /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
    pub depth: u32,
    /// The number of a [`SweptLayout`](crate::swept::SweptLayout).
    pub core: u32,
    /// The leaves, in the order in which nodes, by index, and their slots refer to them.
    #[rkyv(with = InlineAsBox)]
    pub leaves: &'a [PairLeaf],
    /// The nodes, parents before children, where [`SweptLayout`](crate::swept::SweptLayout) says.
    #[rkyv(with = InlineAsBox)]
    pub rows: &'a [LaneRow],
}

impl ArchivedSweptTree<'_> {
    /// Bytes of all nodes and leaves.
    pub fn record_bytes(&self) -> usize {
        size_of_val(self.rows.get()) + size_of_val(self.leaves.get())
    }
}

/// An archived section root, with the kind of section that holds it.
pub trait Root: Portable {
    /// The kind of section whose payload ends with this root.
    const KIND: SectionKind;
}

impl Root for ArchivedMetadata<'_> {
    const KIND: SectionKind = SectionKind::Metadata;
}

impl Root for ArchivedGeometry<'_> {
    const KIND: SectionKind = SectionKind::Geometry;
}

impl Root for ArchivedSplits<'_> {
    const KIND: SectionKind = SectionKind::Splits;
}

impl Root for ArchivedPackedBlocks<'_> {
    const KIND: SectionKind = SectionKind::PackedBlocks;
}

impl Root for ArchivedHull<'_> {
    const KIND: SectionKind = SectionKind::Hull;
}

impl Root for ArchivedSamples<'_> {
    const KIND: SectionKind = SectionKind::Samples;
}

impl Root for ArchivedAabbTree<'_> {
    const KIND: SectionKind = SectionKind::AabbTree;
}

impl Root for ArchivedObbTree<'_> {
    const KIND: SectionKind = SectionKind::ObbTree;
}

impl Root for ArchivedKdopTree<'_> {
    const KIND: SectionKind = SectionKind::KdopTree;
}

impl Root for ArchivedSweptTree<'_> {
    const KIND: SectionKind = SectionKind::SweptTree;
}

// Cargo unifies rkyv's features over a whole build: should another crate ask for another layout, these fail.
const _: () = {
    assert!(size_of::<rkyv::rend::u32_le>() == size_of::<rkyv::Archived<u32>>());
    assert!(align_of::<rkyv::Archived<u64>>() == 8);
    assert!(size_of::<rkyv::Archived<usize>>() == 8);
    assert!(size_of::<ArchivedNames<'_>>() == 32);
    assert!(size_of::<ArchivedMetadata<'_>>() == 256);
    assert!(size_of::<ArchivedGeometry<'_>>() == 64);
    assert!(size_of::<ArchivedSplits<'_>>() == 48);
    assert!(size_of::<ArchivedPackedBlocks<'_>>() == 24);
    assert!(size_of::<ArchivedHull<'_>>() == 48);
    assert!(size_of::<ArchivedSamples<'_>>() == 16);
    assert!(size_of::<ArchivedAabbTree<'_>>() == 48);
    assert!(size_of::<ArchivedObbTree<'_>>() == 88);
    assert!(size_of::<ArchivedKdopTree<'_>>() == 64);
    assert!(size_of::<ArchivedSweptTree<'_>>() == 56);
};

// Little-endian archived numbers: the type itself proves it.
const _: fn(rkyv::Archived<u32>) -> rkyv::rend::u32_le = |number| number;
