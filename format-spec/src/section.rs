//! The sections: each payload is one rkyv archive of one of these types.
//!
//! A section is declared once, in `sections!`: kind number, name, need, root and fields. The verifier, the dump,
//! `inspect` and the C header use that declaration.

use core::ops::RangeInclusive;

use rkyv::with::{Identity as Value, InlineAsBox as Slice};
use rkyv::{Archive, Portable, Serialize};

use crate::describe::{Described, Field, Shape, Type, type_of};
use crate::edges::TriangleEdges;
use crate::field::FieldNode;
use crate::hull::HullVertex;
use crate::hulls::HullNode;
use crate::kdop::LaneRow;
use crate::obb::{ObbNode, PackedObbNode, PairLeaf, SampleNode};
use crate::record::{AttributeRun, Block, FaceCorners, InputFile, TreeStatistics, WideNode};
use crate::solid::BoundaryEdges;
use crate::world::{Instance, InstanceLeaf, LinkedMesh};

/// The version of each section's layout that this crate describes.
pub const SECTION_VERSION: u16 = 1;

/// The kinds reserved for trees, including those of later minor versions.
pub const TREE_KINDS: RangeInclusive<u32> = 16..=31;

/// The kinds that vendors may use freely.
pub const VENDOR_KINDS: RangeInclusive<u32> = 0x8000_0000..=0xffff_ffff;

/// Whether a mesh must have a section of a kind, and whether a reader may skip it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Each mesh has exactly one; it is marked as required.
    Always,
    /// A mesh, or the file, may have one; it is marked as required.
    Required,
    /// A mesh, or the file, may have one; readers may skip it.
    Optional,
}

/// The bytes behind a field.
macro_rules! slice_bytes {
    (Value, $field:expr) => {
        0
    };
    (Slice, $field:expr) => {
        size_of_val($field)
    };
}

/// Declares the sections: `Root as ArchivedRoot = kind, "name", need, bytes of the root { fields }`. A field is a
/// `Value`, archived as it is, or a `Slice`, archived as distance and count.
macro_rules! sections {
    ($(
        $(#[$doc:meta])*
        $root:ident as $archived:ident = $kind:literal, $name:literal, $need:ident, $size:literal {
            $($(#[$field_doc:meta])* $field:ident: $form:ident($ty:ty),)*
        }
    )*) => {
        /// The kind of a section. The set is open: a reader skips optional sections of unknown kinds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum SectionKind {
            $(#[doc = concat!("[`", stringify!($root), "`].")] $root = $kind,)*
        }

        impl SectionKind {
            /// The kinds that this version knows, ascending. A mesh, or the file, has at most one section of each.
            pub const ALL: [Self; [$($kind),*].len()] = [$(Self::$root),*];

            /// The name in FORMAT.md.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$root => $name,)*
                }
            }

            /// Whether a mesh must have such a section.
            pub const fn need(self) -> Need {
                match self {
                    $(Self::$root => Need::$need,)*
                }
            }

            /// The layout of the section's root.
            pub const fn root(self) -> &'static Type {
                match self {
                    $(Self::$root => <$archived<'static> as Described>::TYPE,)*
                }
            }
        }

        $(
            $(#[$doc])*
            #[derive(Archive, Serialize, Clone, Copy, Debug)]
            pub struct $root<'a> {
                $($(#[$field_doc])* #[rkyv(with = $form)] pub $field: $ty,)*
            }

            impl Root for $archived<'_> {
                const KIND: SectionKind = SectionKind::$root;
            }

            impl RootOf for $root<'_> {
                const KIND: SectionKind = SectionKind::$root;

                fn slice_bytes(&self) -> usize {
                    0 $(+ slice_bytes!($form, self.$field))*
                }
            }

            impl Described for $archived<'_> {
                const TYPE: &'static Type = &Type {
                    name: stringify!($root),
                    size: size_of::<$archived<'static>>(),
                    alignment: align_of::<$archived<'static>>(),
                    shape: Shape::Record {
                        fields: &[$(Field {
                            name: stringify!($field),
                            offset: core::mem::offset_of!($archived<'static>, $field),
                            ty: type_of(|root: &$root<'static>| &root.$field),
                        }),*],
                    },
                };
            }

            // Cargo unifies rkyv's features over a build; if another crate selects another layout, this fails to
            // compile.
            const _: () = {
                assert!(size_of::<$archived<'static>>() == $size);
                assert!(<$archived<'static> as Described>::TYPE.is_gapless());
            };
        )*
    };
}

impl SectionKind {
    /// The kind with this number, if this version knows it.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u32 == number)
    }

    /// Whether the section is of the file as a whole, not of a mesh.
    pub fn is_of_file(self) -> bool {
        matches!(self, Self::World | Self::LinkedMeshes)
    }

    /// Whether the section is a tree, for which the metadata section has statistics.
    pub fn is_tree(self) -> bool {
        TREE_KINDS.contains(&(self as u32))
    }
}

/// The name of a kind in messages: that of the section, or the number if this version does not know it.
#[derive(Clone, Copy, Debug)]
pub struct KindName(pub u32);

impl core::fmt::Display for KindName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match SectionKind::from_number(self.0) {
            Some(kind) => f.pad(kind.name()),
            None if VENDOR_KINDS.contains(&self.0) => write!(f, "vendor-{:08x}", self.0),
            None => write!(f, "kind-{}", self.0),
        }
    }
}

/// A list of names: name `i` is the UTF-8 text from `ends[i - 1]` (0 for the first) to `ends[i]`.
#[derive(Archive, Serialize, Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The text of all names, without separators.
    #[rkyv(with = Slice)]
    pub text: &'a [u8],
    /// Where each name ends in `text`, ascending.
    #[rkyv(with = Slice)]
    pub ends: &'a [u32],
}

impl Described for Names<'_> {
    const TYPE: &'static Type = &Type {
        name: "Names",
        size: size_of::<ArchivedNames<'static>>(),
        alignment: align_of::<ArchivedNames<'static>>(),
        shape: Shape::Record {
            fields: &[
                Field { name: "text", offset: 0, ty: <&[u8]>::TYPE },
                Field { name: "ends", offset: 16, ty: <&[u32]>::TYPE },
            ],
        },
    };
}

impl ArchivedNames<'_> {
    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Name `index`; `None` past the end or if the file's text or ends are corrupt.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = self.ends.get().get(index)?.to_native() as usize;
        let start = match index {
            0 => 0,
            _ => self.ends.get().get(index - 1)?.to_native() as usize,
        };
        core::str::from_utf8(self.text.get().get(start..end)?).ok()
    }
}

sections! {
    /// Facts about the model and how the file was made. Apart from names, queries do not need it.
    Metadata as ArchivedMetadata = 1, "metadata", Always, 368 {
        /// BLAKE3 of the source's bytes.
        source_hash: Value([u8; 32]),
        /// Length of the source in bytes.
        source_length: Value(u64),
        /// Faces of the source, of any number of corners.
        source_faces: Value(u64),
        /// Vertices of the source.
        source_vertices: Value(u64),
        /// Triangles of the model: those of the triangulated faces that remain after cleaning.
        triangles: Value(u64),
        /// Distinct positions that the triangles use.
        vertices: Value(u64),
        /// Triangles dropped because their three corners are collinear.
        dropped_triangles: Value(u64),
        /// Faces dropped because they have fewer than three corners.
        dropped_faces: Value(u64),
        /// Smallest box around all triangles: lower x, y, z, upper x, y, z, in the model's units.
        bounds: Value([f32; 6]),
        /// The compiler's version, for example `bvhc 0.1.0`.
        compiler: Slice(&'a [u8]),
        /// The options that determine the file's bytes, as command-line text.
        options: Slice(&'a [u8]),
        /// Material names (`usemtl`).
        materials: Value(Names<'a>),
        /// Group names (`g`).
        groups: Value(Names<'a>),
        /// Object names (`o`).
        objects: Value(Names<'a>),
        /// One record per tree, in the order of the tree sections.
        trees: Slice(&'a [TreeStatistics]),
        /// The keys of the user's metadata, ascending.
        keys: Value(Names<'a>),
        /// The value of each key.
        values: Value(Names<'a>),
        /// The names of the files that the source refers to and that were read, too, as it writes them.
        input_names: Value(Names<'a>),
        /// The contents of each of these files.
        inputs: Slice(&'a [InputFile]),
    }

    /// The triangles, in blocks that all trees share.
    Geometry as ArchivedGeometry = 2, "geometry", Always, 112 {
        /// The blocks, in the depth-first order of the AABB tree; empty if they are packed.
        blocks: Slice(&'a [Block]),
        /// Triangle numbers: lane `l` of a block holds triangle `triangles[first + l]`.
        triangles: Slice(&'a [u32]),
        /// The source face of each triangle; empty if each triangle's face has the triangle's number.
        faces: Slice(&'a [u32]),
        /// Materials, groups and objects, ascending by `first_triangle`, which is 0 in the first run.
        runs: Slice(&'a [AttributeRun]),
        /// The corners of its face that each triangle has, packed by [`FaceCorners::pack`]; empty if they are 0, 1, 2
        /// everywhere.
        corners: Slice(&'a [u16]),
        /// The records of triangles whose corners do not fit into `corners`, ascending by triangle.
        wide_corners: Slice(&'a [FaceCorners]),
        /// The leaves of all trees for pairs of models, in the order in which these trees, by kind, with their nodes, by
        /// index, and slots first refer to them.
        pair_leaves: Slice(&'a [PairLeaf]),
    }

    /// The triangles that several blocks hold, and the references of the AABB tree to those blocks.
    ///
    /// Slot address `16 * node + slot` is a slot of a node. The slots of triangle `triangles[i]` are
    /// `slots[ends[i - 1]..ends[i]]` (from 0 for the first), ascending.
    Splits as ArchivedSplits = 3, "splits", Required, 48 {
        /// The triangle numbers, ascending.
        triangles: Slice(&'a [u32]),
        /// The end of each triangle's slots.
        ends: Slice(&'a [u32]),
        /// The slots.
        slots: Slice(&'a [u32]),
    }

    /// The blocks in packed form, as described in [`packed`](crate::packed): child references count units of 8 bytes in
    /// `bytes`.
    PackedBlocks as ArchivedPackedBlocks = 4, "packed-blocks", Required, 24 {
        /// The blocks, in the depth-first order of the AABB tree, then [`WINDOW`](crate::packed::WINDOW) zero bytes.
        bytes: Slice(&'a [u8]),
        /// The number of blocks.
        count: Value(u32),
        /// The largest error of a coordinate relative to the source, in the model's units.
        position_error: Value(f32),
    }

    /// The convex hull of all triangles' corners, as vertices and edges.
    Hull as ArchivedHull = 5, "hull", Optional, 48 {
        /// The vertices, ascending by x, then y, then z.
        vertices: Slice(&'a [HullVertex]),
        /// The vertices at the other ends of each vertex's edges, ascending.
        neighbours: Slice(&'a [u32]),
        /// For each cell of some [`Cells`](crate::hull::Cells), the vertex that is farthest in the direction of its
        /// centre.
        starts: Slice(&'a [u32]),
    }

    /// Vertices of the surface below each child of each node of the [`ObbTree`].
    Samples as ArchivedSamples = 6, "samples", Optional, 16 {
        /// One record per node of that tree, packed or not, by index.
        nodes: Slice(&'a [SampleNode]),
    }

    /// How triangles share their edges, and the boundary of the surface: for winding numbers. Vertices at equal positions
    /// are one.
    Solid as ArchivedSolid = 7, "solid", Optional, 56 {
        /// Edges, each counted once.
        edges: Value(u64),
        /// Edges of a single triangle.
        open_edges: Value(u64),
        /// Edges of two triangles that go along it in the same direction.
        flipped_edges: Value(u64),
        /// Edges of more than two triangles.
        branching_edges: Value(u64),
        /// Edges of the boundary.
        boundary_edges: Value(u64),
        /// The boundary: an edge for each triangle that goes along it in one direction more than go in the other.
        boundary: Slice(&'a [BoundaryEdges]),
    }

    /// What is across the edges of each triangle. Vertices at equal positions are one.
    Edges as ArchivedEdges = 8, "edges", Optional, 16 {
        /// One record a triangle, by its number.
        triangles: Slice(&'a [TriangleEdges]),
    }

    /// The triangles that intersect others of the mesh.
    Intersections as ArchivedIntersections = 10, "intersections", Optional, 16 {
        /// Their numbers, ascending.
        triangles: Slice(&'a [u32]),
    }

    /// Distances from the surface at the points of a lattice. Point i of an axis is at `origin + i * voxel`.
    DistanceField as ArchivedDistanceField = 9, "field", Optional, 128 {
        /// The lattice's first point, in the model's units.
        origin: Value([f64; 3]),
        /// The distance between neighbouring points along an axis, in the model's units.
        voxel: Value(f64),
        /// The distance that a value of 1 stands for, in the model's units.
        step: Value(f64),
        /// The number of tiles along each axis.
        tile_counts: Value([u32; 3]),
        /// Bits of a value: 8 or 16.
        bits: Value(u32),
        /// 0 where the surface is closed, so that signs are exact; 1 where they are those of rounded winding numbers.
        signs: Value(u32),
        /// A bound of the error of samples in cells with corners that are not within the band, in the model's units.
        edge_error: Value(f32),
        /// A bound of the error of values at points of the lattice, in the model's units.
        point_error: Value(f64),
        /// How many points are within the band.
        active: Value(u64),
        /// The tiles: x changes first, then y, then z.
        tiles: Slice(&'a [FieldNode]),
        /// The bricks that are stored, in the order of their tiles.
        bricks: Slice(&'a [FieldNode]),
        /// The values of the leaves that are stored, in the order of their bricks: two's complement, little-endian.
        values: Slice(&'a [u8]),
    }

    /// The sixteen-wide tree of axis-aligned boxes. Node 0 is the root.
    AabbTree as ArchivedAabbTree = 16, "aabb-tree", Always, 48 {
        /// The box around all triangles: lower x, y, z, upper x, y, z.
        bounds: Value([f32; 6]),
        /// Levels of inner nodes, at most [`MAX_DEPTH`](crate::MAX_DEPTH).
        depth: Value(u32),
        /// Zero.
        reserved: Value(u32),
        /// The nodes, parents before children.
        nodes: Slice(&'a [WideNode]),
    }

    /// The four-wide tree of oriented boxes, for queries on two meshes. Node 0 is the root.
    ObbTree as ArchivedObbTree = 17, "obb-tree", Optional, 56 {
        /// The point of the model's space that the nodes' centres are relative to.
        origin: Value([f32; 3]),
        /// An upper bound of the distance of any box's points from the origin, in the model's units.
        radius: Value(f32),
        /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
        depth: Value(u32),
        /// Zero.
        reserved: Value(u32),
        /// The nodes, parents before children.
        nodes: Slice(&'a [ObbNode]),
        /// The nodes in packed form; `nodes` is then empty.
        packed_nodes: Slice(&'a [PackedObbNode]),
    }

    /// The four-wide tree of k-DOPs, for queries on two meshes. Node 0 is the root.
    KdopTree as ArchivedKdopTree = 18, "kdop-tree", Optional, 48 {
        /// The point of the model's space that the nodes' bounds or centres are relative to.
        origin: Value([f32; 3]),
        /// At least twice any bound, or the length of any centre plus any of its extents, in the model's units.
        radius: Value(f32),
        /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
        depth: Value(u32),
        /// The number of directions: one of [`Directions::COUNTS`](crate::kdop::Directions::COUNTS).
        k: Value(u32),
        /// The number of a [`Tables`](crate::kdop::Tables).
        tables: Value(u32),
        /// Zero.
        reserved: Value(u32),
        /// The nodes, parents before children, [`KdopLayout::rows`](crate::kdop::KdopLayout::rows) rows each.
        rows: Slice(&'a [LaneRow]),
    }

    /// The four-wide tree of swept spheres, for queries on two meshes. Node 0 is the root.
    SweptTree as ArchivedSweptTree = 19, "swept-tree", Optional, 40 {
        /// The point of the model's space that the nodes' centres are relative to.
        origin: Value([f32; 3]),
        /// An upper bound of the lengths of any centre and its half axes plus the radius, in the model's units.
        radius: Value(f32),
        /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
        depth: Value(u32),
        /// The number of a [`SweptLayout`](crate::swept::SweptLayout).
        core: Value(u32),
        /// The nodes, parents before children, as [`SweptLayout`](crate::swept::SweptLayout) lays them out.
        rows: Slice(&'a [LaneRow]),
    }

    /// The four-wide tree of convex hulls, for queries on two meshes. Node 0 is the root.
    HullTree as ArchivedHullTree = 20, "hull-tree", Optional, 40 {
        /// The point of the model's space that the nodes' vertices are relative to.
        origin: Value([f32; 3]),
        /// An upper bound of the length of any vertex plus its slot's radius, in the model's units.
        radius: Value(f32),
        /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
        depth: Value(u32),
        /// Zero.
        reserved: Value(u32),
        /// The nodes, parents before children.
        nodes: Slice(&'a [HullNode]),
    }

    /// The world: where instances of the file's meshes are, and a tree over them. Of the file as a whole.
    World as ArchivedWorld = 32, "world", Optional, 264 {
        /// BLAKE3 of the source's bytes.
        source_hash: Value([u8; 32]),
        /// Length of the source in bytes.
        source_length: Value(u64),
        /// A box around the boxes of all leaves: lower x, y, z, upper x, y, z, in the world's units.
        bounds: Value([f32; 6]),
        /// Levels of inner nodes, at most [`MAX_DEPTH`](crate::MAX_DEPTH).
        depth: Value(u32),
        /// Zero.
        reserved: Value(u32),
        /// The nodes, parents before children. A reference to a block is one to a leaf.
        nodes: Slice(&'a [WideNode]),
        /// The instances.
        instances: Slice(&'a [Instance]),
        /// The leaves, ascending by instance, then by slot.
        leaves: Slice(&'a [InstanceLeaf]),
        /// The contents of each of the files that the source refers to and that were read, too.
        inputs: Slice(&'a [InputFile]),
        /// The numbers of all instances, ascending by their ids.
        by_id: Slice(&'a [u32]),
        /// For each node, the layers of all instances below it.
        node_layers: Slice(&'a [u32]),
        /// The name of each instance.
        names: Value(Names<'a>),
        /// The names of the files in `inputs`, as the source writes them.
        input_names: Value(Names<'a>),
        /// The compiler's version, for example `bvhc 0.1.0`.
        compiler: Slice(&'a [u8]),
        /// The options that determine the file's bytes, as command-line text.
        options: Slice(&'a [u8]),
    }

    /// The meshes of a thin world, each in a file of its own. Of the file as a whole, which has no meshes then.
    LinkedMeshes as ArchivedLinkedMeshes = 33, "linked-meshes", Required, 48 {
        /// The meshes; their numbers are their indices.
        meshes: Slice(&'a [LinkedMesh]),
        /// The name of each mesh.
        names: Value(Names<'a>),
    }
}

impl ObbTree<'_> {
    /// An empty tree, which files must not contain.
    pub const EMPTY: Self =
        Self { origin: [0.0; 3], radius: 0.0, depth: 0, reserved: 0, nodes: &[], packed_nodes: &[] };
}

impl ArchivedObbTree<'_> {
    /// The size of all nodes in bytes.
    pub fn record_bytes(&self) -> usize {
        size_of_val(self.nodes.get()) + size_of_val(self.packed_nodes.get())
    }

    /// The number of nodes, in either form.
    pub fn node_count(&self) -> usize {
        self.nodes.len() + self.packed_nodes.len()
    }
}

impl ArchivedSweptTree<'_> {
    /// The size of all nodes in bytes.
    pub fn record_bytes(&self) -> usize {
        size_of_val(self.rows.get())
    }
}

/// An archived section root, with its kind of section.
pub trait Root: Portable {
    /// The kind of section whose payload ends with this root.
    const KIND: SectionKind;
}

/// A section root to be archived, with its kind of section.
pub trait RootOf {
    /// The kind of section whose payload ends with this root.
    const KIND: SectionKind;

    /// The bytes of all slices: about the size of the payload.
    fn slice_bytes(&self) -> usize;
}

const _: () = {
    assert!(size_of::<rkyv::rend::u32_le>() == size_of::<rkyv::Archived<u32>>());
    assert!(align_of::<rkyv::Archived<u64>>() == 8);
    assert!(size_of::<rkyv::Archived<usize>>() == 8);
    assert!(size_of::<ArchivedNames<'_>>() == 32);
};

// Checks at compile time that archived numbers are little-endian.
const _: fn(rkyv::Archived<u32>) -> rkyv::rend::u32_le = |number| number;
