//! The sections of a file, from what the stages made.

use std::iter;

use bvhc_format::obb::SampleNode;
use bvhc_format::record::TreeStatistics;
use bvhc_format::section::{
    AabbTree, Geometry, Hull, KdopTree, Metadata, Names, ObbTree, PackedBlocks, Samples, SectionKind, Splits,
    SweptTree,
};

use super::Options;
use crate::file::{self, Bytes, Section};
use crate::layout::{
    HullRecords, KdopRecords, ObbForm, ObbRecords, Packing, SplitTable, SweptRecords, WideTree,
};
use crate::mesh::Mesh;
use crate::tree::aabb::Aabb;

/// Where a file comes from.
pub(super) struct Origin {
    pub(super) hash: blake3::Hash,
    pub(super) length: u64,
    pub(super) options: Options,
    /// Of the optimiser.
    pub(super) steps: Option<u32>,
}

/// What the stages made of a mesh.
pub(super) struct Parts<'a> {
    pub(super) wide: &'a WideTree,
    pub(super) packing: Option<&'a Packing>,
    pub(super) obbs: Option<&'a ObbRecords>,
    pub(super) samples: Option<&'a [SampleNode]>,
    pub(super) kdops: Option<&'a KdopRecords>,
    pub(super) hull: Option<&'a HullRecords>,
    pub(super) swept: Option<&'a SweptRecords>,
    /// Distinct positions.
    pub(super) vertices: u32,
}

impl Parts<'_> {
    /// Figures of each tree.
    pub(super) fn statistics(&self) -> Vec<TreeStatistics> {
        let of_obbs = self.obbs.map(|obbs| obbs.statistics);
        let of_kdops = self.kdops.map(|kdops| kdops.statistics);
        let of_swept = self.swept.map(|swept| swept.statistics);
        iter::once(self.wide.statistics).chain(of_obbs).chain(of_kdops).chain(of_swept).collect()
    }

    /// Bytes of each tree.
    pub(super) fn tree_bytes(&self) -> Vec<u64> {
        let blocks = self.packing.map_or(size_of_val(&*self.wide.blocks), |packing| packing.bytes.len());
        let of_aabbs = size_of_val(&*self.wide.nodes) + blocks;
        let of_obbs = self.obbs.map(|obbs| obbs.records.bytes());
        let of_kdops = self.kdops.map(|kdops| size_of_val(&*kdops.rows) + size_of_val(&*kdops.leaves));
        let of_swept = self.swept.map(SweptRecords::bytes);
        let all = iter::once(of_aabbs).chain(of_obbs).chain(of_kdops).chain(of_swept);
        all.map(|bytes| bytes as u64).collect()
    }
}

pub(super) fn serialise(mesh: &Mesh, parts: &Parts<'_>, origin: &Origin) -> Bytes {
    let Parts { wide, packing, obbs, samples, kdops, hull, swept, vertices } = *parts;
    let bounds = Aabb::around(mesh.triangles.iter().flatten().map(|v| mesh.positions[*v as usize]));
    let [lx, ly, lz] = bounds.lower;
    let [ux, uy, uz] = bounds.upper;
    let bounds = [lx, ly, lz, ux, uy, uz];
    let options = origin.options.text(origin.steps);
    let [materials, groups, objects] =
        [&mesh.names.materials, &mesh.names.groups, &mesh.names.objects].map(|names| NameTable::new(names));
    let metadata = Metadata {
        source_hash: *origin.hash.as_bytes(),
        source_length: origin.length,
        source_faces: mesh.source_faces,
        source_vertices: mesh.source_vertices,
        triangles: mesh.triangles.len() as u64,
        vertices: u64::from(vertices),
        dropped_triangles: mesh.dropped.triangles,
        dropped_faces: mesh.dropped.faces,
        bounds,
        compiler: concat!("bvhc ", env!("CARGO_PKG_VERSION")).as_bytes(),
        options: options.as_bytes(),
        materials: materials.names(),
        groups: groups.names(),
        objects: objects.names(),
        trees: &parts.statistics(),
    };
    let identity = mesh.faces.iter().copied().eq(0..mesh.triangles.len() as u32);
    let geometry = Geometry {
        blocks: if packing.is_some() { &[] } else { &wide.blocks },
        triangles: &wide.triangles,
        faces: if identity { &[] } else { &mesh.faces },
        runs: &mesh.runs,
    };
    let tree = AabbTree { bounds, depth: wide.depth, reserved: 0, nodes: &wide.nodes };
    let mut sections =
        vec![Section::new(SectionKind::Metadata, &metadata), Section::new(SectionKind::Geometry, &geometry)];
    if !wide.splits.triangles.is_empty() {
        let SplitTable { triangles, ends, places } = &wide.splits;
        sections.push(Section::new(SectionKind::Splits, &Splits { triangles, ends, places }));
    }
    if let Some(Packing { bytes, count, position_error, .. }) = packing {
        let packed = PackedBlocks { bytes, count: *count, position_error: *position_error };
        sections.push(Section::new(SectionKind::PackedBlocks, &packed));
    }
    sections.push(Section::new(SectionKind::AabbTree, &tree));
    if let Some(ObbRecords { origin, radius, depth, records, .. }) = obbs {
        let mut tree = ObbTree { origin: *origin, radius: *radius, depth: *depth, ..ObbTree::EMPTY };
        match records {
            ObbForm::Plain(nodes, leaves) => (tree.nodes, tree.leaves) = (nodes, leaves),
            ObbForm::Packed(nodes, leaves) => (tree.packed_nodes, tree.packed_leaves) = (nodes, leaves),
        }
        sections.push(Section::optional(SectionKind::ObbTree, &tree));
    }
    if let Some(nodes) = samples {
        sections.push(Section::optional(SectionKind::Samples, &Samples { nodes }));
    }
    if let Some(KdopRecords { layout, origin, radius, depth, rows, leaves, .. }) = kdops {
        let (k, tables) = (layout.directions.count() as u32, layout.tables as u32);
        let (origin, radius, depth) = (*origin, *radius, *depth);
        let tree = KdopTree { origin, radius, depth, k, tables, reserved: 0, rows, leaves };
        sections.push(Section::optional(SectionKind::KdopTree, &tree));
    }
    if let Some(HullRecords { vertices, neighbours, starts }) = hull {
        sections.push(Section::optional(SectionKind::Hull, &Hull { vertices, neighbours, starts }));
    }
    if let Some(SweptRecords { layout, origin, radius, depth, rows, leaves, .. }) = swept {
        let (origin, radius, depth, core) = (*origin, *radius, *depth, layout.number());
        let tree = SweptTree { origin, radius, depth, core, rows, leaves };
        sections.push(Section::optional(SectionKind::SweptTree, &tree));
    }
    file::assemble(&sections)
}

/// Names as the file holds them.
struct NameTable {
    text: String,
    ends: Vec<u32>,
}

impl NameTable {
    fn new(names: &[String]) -> Self {
        let mut table = Self { text: String::new(), ends: Vec::new() };
        for name in names {
            table.text.push_str(name);
            table.ends.push(table.text.len() as u32);
        }
        table
    }

    fn names(&self) -> Names<'_> {
        Names { text: self.text.as_bytes(), ends: &self.ends }
    }
}
