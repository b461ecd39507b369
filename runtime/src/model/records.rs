//! Access to the file's records.

use bvhc_format::header::{Header, SectionEntry};
use bvhc_format::obb::PairLeaf;
use bvhc_format::record::WideNode;
use bvhc_format::section::{ArchivedGeometry, ArchivedMetadata, ArchivedSplits};

use super::Model;
use crate::blocks::Blocks;
use crate::hull::Hull;

/// The file's records, for tools that inspect files or draw trees. Their types are those of [`format`](crate::format),
/// which change with the format. Queries do not need them.
impl<'a> Model<'a> {
    /// The header's fields.
    pub fn header(&self) -> &Header {
        self.directory.header()
    }

    /// The directory, with the payload of each section.
    pub fn sections(&self) -> impl Iterator<Item = (SectionEntry, &'a [u8])> + use<'a> {
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
