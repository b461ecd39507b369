//! The sections: each payload is one rkyv archive of one of these types.
//!
//! A section is declared once, in [`sections!`]: number, name, need, root and fields. Verifier, dump, inspection and the C
//! header read that declaration.

use core::ops::RangeInclusive;

use rkyv::with::{Identity as Value, InlineAsBox as Slice};
use rkyv::{Archive, Portable, Serialize};

use crate::describe::{Described, Field, Shape, Type, type_of};
use crate::hull::HullVertex;
use crate::kdop::LaneRow;
use crate::obb::{ObbNode, PackedObbNode, PairLeaf, SampleNode};
use crate::record::{AttributeRun, Block, FaceCorners, TreeStatistics, WideNode};

/// The version of each section's layout that this crate describes.
pub const SECTION_VERSION: u16 = 1;

/// The kinds of sections that are trees, now and in later minor versions.
pub const TREE_KINDS: RangeInclusive<u32> = 16..=31;

/// The kinds of sections that vendors may use for whatever they like.
pub const VENDOR_KINDS: RangeInclusive<u32> = 0x8000_0000..=0xffff_ffff;

/// Whether a mesh has a section of a kind, and whether a reader may skip it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Each mesh has exactly one, which is marked as required.
    Always,
    /// A mesh may have one, which is marked as required.
    Required,
    /// A mesh may have one, which readers may skip.
    Optional,
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
        /// What a section holds. Kinds are open: a reader skips an optional section it does not know.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum SectionKind {
            $(#[doc = concat!("[`", stringify!($root), "`].")] $root = $kind,)*
        }

        impl SectionKind {
            /// The kinds that this version knows, ascending. A mesh has one section of each at most.
            pub const ALL: [Self; [$($kind),*].len()] = [$(Self::$root),*];

            /// The name in FORMAT.md.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$root => $name,)*
                }
            }

            /// Whether a mesh has such a section.
            pub const fn need(self) -> Need {
                match self {
                    $(Self::$root => Need::$need,)*
                }
            }

            /// The root of the section, as it stands in the file.
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

            // Cargo unifies rkyv's features over a whole build: should another crate ask for another layout, this fails.
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

    /// Whether the section is a tree, of which the metadata section has statistics.
    pub fn is_tree(self) -> bool {
        TREE_KINDS.contains(&(self as u32))
    }
}

/// How messages call a section of a kind: its name, or its number where this version does not know it.
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
    /// All names, one after the other, without separators.
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

sections! {
    /// What the model is and how the file was made. Nothing here is needed to answer a query but the names.
    Metadata as ArchivedMetadata = 1, "metadata", Always, 320 {
        /// BLAKE3 of the source's bytes.
        source_hash: Value([u8; 32]),
        /// Length of the source in bytes.
        source_length: Value(u64),
        /// Faces of the source, of any number of corners.
        source_faces: Value(u64),
        /// Vertices of the source.
        source_vertices: Value(u64),
        /// Triangles of the model: what is left of the triangulated faces after cleaning.
        triangles: Value(u64),
        /// Distinct positions that the triangles use.
        vertices: Value(u64),
        /// Triangles dropped because their three corners lie on one line.
        dropped_triangles: Value(u64),
        /// Faces dropped because they have fewer than three corners.
        dropped_faces: Value(u64),
        /// Smallest box around all triangles: lower x, y, z, upper x, y, z, in the model's units.
        bounds: Value([f32; 6]),
        /// The compiler's version, for example `bvhc 0.1.0`.
        compiler: Slice(&'a [u8]),
        /// The options that decide the file's bytes, as command-line text.
        options: Slice(&'a [u8]),
        /// Material names (`usemtl`).
        materials: Value(Names<'a>),
        /// Group names (`g`).
        groups: Value(Names<'a>),
        /// Object names (`o`).
        objects: Value(Names<'a>),
        /// One record a tree, in the order of the tree sections.
        trees: Slice(&'a [TreeStatistics]),
        /// The keys of what the user adds, ascending.
        keys: Value(Names<'a>),
        /// The text of each key.
        values: Value(Names<'a>),
    }

    /// The triangles, in blocks that all trees share.
    Geometry as ArchivedGeometry = 2, "geometry", Always, 96 {
        /// The blocks, in the order in which the AABB tree reaches them depth first; none where they are packed.
        blocks: Slice(&'a [Block]),
        /// Triangle numbers: lane `l` of a block holds triangle `triangles[first + l]`.
        triangles: Slice(&'a [u32]),
        /// The source face of each triangle number; empty where each triangle's face has its own number.
        faces: Slice(&'a [u32]),
        /// Materials, groups and objects, ascending by `first_triangle`, which is 0 in the first run.
        runs: Slice(&'a [AttributeRun]),
        /// Which corners of its face each triangle has, as [`FaceCorners::pack`] says; empty where each has corners 0, 1, 2.
        corners: Slice(&'a [u16]),
        /// Those of the triangles for which `corners` has no bits enough, ascending by triangle.
        wide_corners: Slice(&'a [FaceCorners]),
    }

    /// The triangles that several blocks hold, and where the AABB tree refers to those blocks.
    ///
    /// Place `16 * node + slot` is the slot of a node. The places of triangle `triangles[i]` are
    /// `places[ends[i - 1]..ends[i]]` (from 0 for the first), ascending.
    Splits as ArchivedSplits = 3, "splits", Required, 48 {
        /// The numbers of the triangles, ascending.
        triangles: Slice(&'a [u32]),
        /// Where each triangle's places end.
        ends: Slice(&'a [u32]),
        /// The places.
        places: Slice(&'a [u32]),
    }

    /// The blocks in packed form, laid out as [`packed`](crate::packed) says: child references count units of 8 bytes in `bytes`.
    PackedBlocks as ArchivedPackedBlocks = 4, "packed-blocks", Required, 24 {
        /// The blocks, in the order in which the AABB tree reaches them depth first, and
        /// [`WINDOW`](crate::packed::WINDOW) zero bytes.
        bytes: Slice(&'a [u8]),
        /// How many blocks there are.
        count: Value(u32),
        /// How far at most a coordinate is from the source's, in the model's units.
        position_error: Value(f32),
    }

    /// The convex hull of all triangles' corners, by its vertices and edges.
    Hull as ArchivedHull = 5, "hull", Optional, 48 {
        /// The vertices, ascending by x, then y, then z.
        vertices: Slice(&'a [HullVertex]),
        /// The vertices at the other ends of each vertex's edges, ascending.
        neighbours: Slice(&'a [u32]),
        /// The vertex that is farthest along the middle of each of some [`Cells`](crate::hull::Cells).
        starts: Slice(&'a [u32]),
    }

    /// Vertices of the surface below each child of each node of the [`ObbTree`].
    Samples as ArchivedSamples = 6, "samples", Optional, 16 {
        /// Beside each node, by index, packed or not.
        nodes: Slice(&'a [SampleNode]),
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

    /// The four-wide tree of oriented boxes, for two meshes at a time. Node 0 is the root.
    ObbTree as ArchivedObbTree = 17, "obb-tree", Optional, 72 {
        /// The point of the model's space that the nodes' centres are relative to.
        origin: Value([f32; 3]),
        /// No point of any box is farther from the origin, in the model's units.
        radius: Value(f32),
        /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
        depth: Value(u32),
        /// Zero.
        reserved: Value(u32),
        /// The nodes, parents before children.
        nodes: Slice(&'a [ObbNode]),
        /// The nodes in packed form; then there are no `nodes`.
        packed_nodes: Slice(&'a [PackedObbNode]),
        /// The leaves, in the order in which nodes, by index, and their slots refer to them.
        leaves: Slice(&'a [PairLeaf]),
    }

    /// The four-wide tree of k-DOPs, for two meshes at a time. Node 0 is the root.
    KdopTree as ArchivedKdopTree = 18, "kdop-tree", Optional, 64 {
        /// The point of the model's space that the nodes' bounds or centres are relative to.
        origin: Value([f32; 3]),
        /// At least twice any bound, or the length of any centre plus any of its extents, in the model's units.
        radius: Value(f32),
        /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
        depth: Value(u32),
        /// How many directions k-DOPs have: one of [`Directions::COUNTS`](crate::kdop::Directions::COUNTS).
        k: Value(u32),
        /// A number of [`Tables`](crate::kdop::Tables).
        tables: Value(u32),
        /// Zero.
        reserved: Value(u32),
        /// The nodes, parents before children, [`KdopLayout::rows`](crate::kdop::KdopLayout::rows) rows each.
        rows: Slice(&'a [LaneRow]),
        /// The leaves, in the order in which nodes, by index, and their slots refer to them.
        leaves: Slice(&'a [PairLeaf]),
    }

    /// The four-wide tree of swept spheres, for two meshes at a time. Node 0 is the root.
    SweptTree as ArchivedSweptTree = 19, "swept-tree", Optional, 56 {
        /// The point of the model's space that the nodes' centres are relative to.
        origin: Value([f32; 3]),
        /// At least the lengths of any centre and its half axes plus the radius, in the model's units.
        radius: Value(f32),
        /// Levels of nodes, at most [`MAX_OBB_DEPTH`](crate::obb::MAX_OBB_DEPTH).
        depth: Value(u32),
        /// The number of a [`SweptLayout`](crate::swept::SweptLayout).
        core: Value(u32),
        /// The leaves, in the order in which nodes, by index, and their slots refer to them.
        leaves: Slice(&'a [PairLeaf]),
        /// The nodes, parents before children, where [`SweptLayout`](crate::swept::SweptLayout) says.
        rows: Slice(&'a [LaneRow]),
    }
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
    };
}

impl ArchivedObbTree<'_> {
    /// Bytes of all nodes and leaves.
    pub fn record_bytes(&self) -> usize {
        size_of_val(self.nodes.get()) + size_of_val(self.leaves.get()) + size_of_val(self.packed_nodes.get())
    }

    /// How many nodes there are, in whichever form.
    pub fn node_count(&self) -> usize {
        self.nodes.len() + self.packed_nodes.len()
    }
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

/// A section root to be archived, with the kind of section that will hold it.
pub trait RootOf {
    /// The kind of section whose payload ends with this root.
    const KIND: SectionKind;
}

const _: () = {
    assert!(size_of::<rkyv::rend::u32_le>() == size_of::<rkyv::Archived<u32>>());
    assert!(align_of::<rkyv::Archived<u64>>() == 8);
    assert!(size_of::<rkyv::Archived<usize>>() == 8);
    assert!(size_of::<ArchivedNames<'_>>() == 32);
};

// Little-endian archived numbers: the type itself proves it.
const _: fn(rkyv::Archived<u32>) -> rkyv::rend::u32_le = |number| number;
