//! Files with one broken rule and valid hashes, so that only the check of that rule can fail.

use std::mem::offset_of;
use std::ops::Range;
use std::sync::LazyLock;

use bvhc::compile::{Layout, Options, Quality, compile};
use bvhc::file::{Bytes, header_hash};
use bvhc::optimise::Stop;
use bvhc::pair::kdop;
use bvhc::verify::{VerifyError, verify};
use bvhc_format::header::SectionEntry;
use bvhc_format::kdop::Tables;
use bvhc_format::record::{Block, NODE_WIDTH, WideNode};
use bvhc_format::section::SectionKind;
use bvhc_format::swept::Cores;

use crate::split::split;

/// Quads along a side of the sheet: their triangles fill more blocks than a node has slots, and do not divide evenly
/// into leaves of four.
pub(crate) const SIDE: usize = 13;

/// A bumpy sheet of [`SIDE`] by [`SIDE`] quads, two materials, a group, an object, and names of odd lengths.
pub(crate) fn source() -> String {
    let mut text = String::from("o sheet\nusemtl red\n");
    for y in 0..=SIDE {
        for x in 0..=SIDE {
            let z = (x * 7 + y * 5) % 4;
            text += &format!("v {x}.25 {y}.5 {z}\n");
        }
    }
    for y in 0..SIDE {
        for x in 0..SIDE {
            if (x, y) == (0, 4) {
                text += "usemtl green\ng half\n";
            }
            let corner = y * (SIDE + 1) + x + 1;
            text += &format!("f {corner} {} {} {}\n", corner + 1, corner + SIDE + 2, corner + SIDE + 1);
        }
    }
    text
}

/// The sheet with coordinates that are not on a lattice, and one more triangle, so that a block has an odd number.
pub(crate) fn packed_source() -> String {
    source().replace(".25 ", ".3 ").replace(".5 ", ".7 ") + &format!("f 1 2 {}\n", SIDE + 3)
}

/// Long blades whose boxes overlap each other.
pub(crate) fn blades() -> String {
    let blade = |i: u32| {
        let (x, y) = (i % 5, i / 5);
        format!("v {x} {y} 0\nv {x}.5 {y}.25 0.25\nv {}.5 {}.5 8\nf -3 -2 -1\n", x + 1, y % 3)
    };
    (0..24).map(blade).collect()
}

/// A single triangle.
pub(crate) const ONE_TRIANGLE: &str = "v 1 2 3\nv 2 2 3\nv 1 3 5\nf 1 2 3\n";

/// Kinds of sections.
pub(crate) const METADATA: u32 = SectionKind::Metadata as u32;
pub(crate) const GEOMETRY: u32 = SectionKind::Geometry as u32;
pub(crate) const SPLITS: u32 = SectionKind::Splits as u32;
pub(crate) const PACKED: u32 = SectionKind::PackedBlocks as u32;
pub(crate) const HULL: u32 = SectionKind::Hull as u32;
pub(crate) const SAMPLES: u32 = SectionKind::Samples as u32;
pub(crate) const SOLID: u32 = SectionKind::Solid as u32;
pub(crate) const EDGES: u32 = SectionKind::Edges as u32;
pub(crate) const INTERSECTIONS: u32 = SectionKind::Intersections as u32;
pub(crate) const FIELD: u32 = SectionKind::DistanceField as u32;
pub(crate) const TREE: u32 = SectionKind::AabbTree as u32;
pub(crate) const OBB: u32 = SectionKind::ObbTree as u32;
pub(crate) const KDOP: u32 = SectionKind::KdopTree as u32;
pub(crate) const SWEPT: u32 = SectionKind::SweptTree as u32;
pub(crate) const HULLS: u32 = SectionKind::HullTree as u32;

/// A file's bytes, with methods to locate and change parts of them.
#[derive(Clone)]
pub(crate) struct Forge {
    pub(crate) bytes: Vec<u8>,
}

impl Forge {
    /// The sheet of [`source`]: many blocks, and so more than one node.
    pub(crate) fn new() -> Self {
        static FILE: LazyLock<Forge> = LazyLock::new(|| Forge::of(&source()));
        FILE.clone()
    }

    /// One triangle: 15 slots of the node, 15 lanes and 13 vertices are unused in any case.
    pub(crate) fn of_one_triangle() -> Self {
        Self::of(ONE_TRIANGLE)
    }

    /// The sheet of [`packed_source`] with packed blocks.
    pub(crate) fn packed() -> Self {
        Self::compiled(&packed_source(), Layout::Small)
    }

    /// Triangles of which most are in several blocks, and several levels of nodes.
    pub(crate) fn of_splits(layout: Layout) -> Self {
        Self { bytes: split(blades().as_bytes(), 1.0, layout).to_vec() }
    }

    /// The sheet below two long blades, which the compiler splits, with a tree of oriented boxes.
    pub(crate) fn of_splits_and_obbs() -> Self {
        let blades = format!(
            "v 0 0 4\nv {SIDE} {SIDE} 4.5\nv {SIDE}.5 {SIDE} 4\nf -3 -2 -1\n\
             v 0 {SIDE} 4\nv {SIDE} 0 4.5\nv {SIDE}.5 0 4\nf -3 -2 -1\n"
        );
        let options = Options { quality: Quality::Best, stop: Stop::Steps(0), ..Options::default() };
        let source = source() + &blades;
        Self { bytes: compile(source.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
    }

    /// The sheet of [`source`], or one triangle, with a tree of k-DOPs of 14 directions and with these tables.
    pub(crate) fn of_kdops(source: &str, tables: Tables) -> Self {
        let kdop = Some(kdop::Options { k: 14, tables, ..kdop::Options::default() });
        let options = Options { obb: None, kdop, ..Options::default() };
        Self { bytes: compile(source.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
    }

    /// The same with a tree of swept spheres, and none of oriented boxes.
    pub(crate) fn of_swept(source: &str, cores: Cores) -> Self {
        let options = Options { obb: None, swept: Some(cores), ..Options::default() };
        Self { bytes: compile(source.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
    }

    /// The sheet of [`source`], or one triangle, with samples beside the tree of oriented boxes.
    pub(crate) fn of_samples(source: &str, layout: Layout) -> Self {
        let options = Options { layout, samples: true, ..Options::default() };
        Self { bytes: compile(source.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
    }

    /// The same with section edges, and no tree of oriented boxes.
    pub(crate) fn of_edges(source: &str) -> Self {
        let options = Options { obb: None, edges: true, ..Options::default() };
        Self { bytes: compile(source.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
    }

    /// The same with section intersections, if it is asked.
    pub(crate) fn of_intersections(source: &str, intersections: bool) -> Self {
        let options = Options { obb: None, intersections, ..Options::default() };
        Self { bytes: compile(source.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
    }

    fn of(source: &str) -> Self {
        Self::compiled(source, Layout::Fast)
    }

    fn compiled(source: &str, layout: Layout) -> Self {
        let options = Options { layout, ..Options::default() };
        Self { bytes: compile(source.as_bytes(), "source", &options, &()).unwrap().bytes.to_vec() }
    }

    pub(crate) fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.bytes[at..at + 4].try_into().unwrap())
    }

    pub(crate) fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().unwrap())
    }

    pub(crate) fn f32(&self, at: usize) -> f32 {
        f32::from_bits(self.u32(at))
    }

    pub(crate) fn put(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn put_u32(&mut self, at: usize, number: u32) {
        self.put(at, &number.to_le_bytes());
    }

    pub(crate) fn put_f32(&mut self, at: usize, number: f32) {
        self.put_u32(at, number.to_bits());
    }

    /// Adds to a little-endian number of 4 bytes.
    pub(crate) fn add(&mut self, at: usize, by: i32) {
        self.put_u32(at, self.u32(at).wrapping_add_signed(by));
    }

    fn sections(&self) -> usize {
        self.u32(28) as usize
    }

    /// The offset of the first section.
    pub(crate) fn directory_end(&self) -> usize {
        64 + 64 * self.sections()
    }

    pub(crate) fn has(&self, kind: u32) -> bool {
        (0..self.sections()).any(|index| self.u32(64 + 64 * index) == kind)
    }

    /// The offset of the directory's entry of a section.
    pub(crate) fn entry(&self, kind: u32) -> usize {
        (0..self.sections()).map(|index| 64 + 64 * index).find(|at| self.u32(*at) == kind).unwrap()
    }

    /// The same of one of several meshes.
    pub(crate) fn entry_of(&self, kind: u32, mesh: u32) -> usize {
        let mut entries = (0..self.sections()).map(|index| 64 + 64 * index);
        entries.find(|at| self.u32(*at) == kind && self.u32(at + 28) == mesh).unwrap()
    }

    pub(crate) fn payload(&self, kind: u32) -> Range<usize> {
        let entry = self.entry(kind);
        let start = self.u64(entry + 8) as usize;
        start..start + self.u64(entry + 16) as usize
    }

    /// The offset of the root record of a section.
    pub(crate) fn root(&self, kind: u32) -> usize {
        let size = SectionKind::from_number(kind).unwrap().root().size;
        self.payload(kind).end - size
    }

    /// The offset of the first element, and the count, of the slice whose field is at this offset of the root.
    pub(crate) fn slice(&self, kind: u32, field: usize) -> (usize, usize) {
        let at = self.root(kind) + field;
        (at.wrapping_add(self.u64(at) as usize), self.u64(at + 8) as usize)
    }

    pub(crate) fn block(&self, index: usize) -> usize {
        self.slice(GEOMETRY, 0).0 + size_of::<Block>() * index
    }

    pub(crate) fn blocks(&self) -> usize {
        self.slice(GEOMETRY, 0).1
    }

    pub(crate) fn number(&self, index: usize) -> usize {
        self.slice(GEOMETRY, 16).0 + 4 * index
    }

    pub(crate) fn run(&self, index: usize) -> usize {
        self.slice(GEOMETRY, 48).0 + 16 * index
    }

    /// A leaf of the trees for pairs of models.
    pub(crate) fn pair_leaf(&self, index: usize) -> usize {
        self.slice(GEOMETRY, 96).0 + 16 * index
    }

    pub(crate) fn pair_leaves(&self) -> usize {
        self.slice(GEOMETRY, 96).1
    }

    pub(crate) fn node(&self, index: usize) -> usize {
        self.slice(TREE, 32).0 + size_of::<WideNode>() * index
    }

    pub(crate) fn nodes(&self) -> usize {
        self.slice(TREE, 32).1
    }

    /// The offset of a plane of a slot of a node: lower x, upper x, lower y and so on.
    pub(crate) fn plane(&self, node: usize, plane: usize, slot: usize) -> usize {
        self.node(node) + 4 * (NODE_WIDTH * plane + slot)
    }

    /// The offset of a node's word of visiting orders for a rank.
    pub(crate) fn order(&self, node: usize, rank: usize) -> usize {
        self.node(node) + offset_of!(WideNode, order) + 4 * rank
    }

    /// The offset of the reference in a slot of a node.
    pub(crate) fn child(&self, node: usize, slot: usize) -> usize {
        self.node(node) + offset_of!(WideNode, children) + 4 * slot
    }

    /// The offsets of all references, with their values.
    pub(crate) fn children(&self) -> Vec<(usize, u32)> {
        let slots = (0..self.nodes()).flat_map(|node| (0..NODE_WIDTH).map(move |slot| (node, slot)));
        slots.map(|(node, slot)| self.child(node, slot)).map(|at| (at, self.u32(at))).collect()
    }

    /// Adds a section with its payload in another file, at its position in the order of sections.
    pub(crate) fn adopt(&mut self, kind: u32, other: &Self) {
        let entry = other.entry(kind);
        let header = SectionEntry::read(other.bytes[entry..][..64].first_chunk().unwrap());
        self.add_section(header, &other.bytes[other.payload(kind)]);
    }

    /// Adds a section with this entry; its offset and length are replaced.
    pub(crate) fn add_section(&mut self, entry: SectionEntry, payload: &[u8]) {
        let sections = self.sections();
        let order = |at: usize| (self.u32(at + 28), self.u32(at));
        let key = (entry.mesh, entry.kind);
        let index = (0..sections).position(|index| order(64 + 64 * index) > key).unwrap_or(sections);
        let start = match index {
            _ if index == sections => self.bytes.len(),
            _ => self.u64(64 + 64 * index + 8) as usize,
        };
        let mut padded = payload.to_vec();
        padded.resize(payload.len().next_multiple_of(64), 0);
        for later in 0..sections {
            self.add(64 + 64 * later + 8, 64 + if later < index { 0 } else { padded.len() as i32 });
        }
        let entry = SectionEntry { offset: start as u64 + 64, length: payload.len() as u64, ..entry };
        self.bytes.splice(start..start, padded);
        self.bytes.splice(64 + 64 * index..64 + 64 * index, entry.write());
        self.put_u32(28, sections as u32 + 1);
        self.put_u32(16, self.bytes.len() as u32);
    }

    /// Removes a section.
    pub(crate) fn drop_section(&mut self, kind: u32) {
        let (entry, payload) = (self.entry(kind), self.payload(kind));
        let gone = payload.start..payload.end.next_multiple_of(64);
        let behind = (0..self.sections()).map(|index| 64 + 64 * index + 8);
        for at in behind {
            let by = if self.u64(at) as usize > gone.start { 64 + gone.len() } else { 64 };
            self.add(at, -(by as i32));
        }
        self.bytes.drain(gone);
        self.bytes.drain(entry..entry + 64);
        self.add(28, -1);
        self.put_u32(16, self.bytes.len() as u32);
    }

    /// Recomputes all hashes.
    pub(crate) fn seal(&mut self) {
        for index in 0..self.sections() {
            let entry = 64 + 64 * index;
            let start = self.u64(entry + 8) as usize;
            let hash = blake3::hash(&self.bytes[start..start + self.u64(entry + 16) as usize]);
            self.put(entry + 32, hash.as_bytes());
        }
        let hash = header_hash(&self.bytes[..64 + 64 * self.sections()]);
        self.put(32, hash.as_bytes());
    }

    /// The bytes with the alignment required in memory.
    pub(crate) fn aligned(&self) -> Bytes {
        let mut bytes = Bytes::new();
        bytes.extend_from_slice(&self.bytes);
        bytes
    }

    pub(crate) fn verify(&self) -> Result<(), VerifyError> {
        verify(&self.aligned())
    }
}
