//! Files with split triangles, by the simplest splitting builder: the boxes of triangles are divided into slabs.
//!
//! It uses the compiler's parts, so that a test decides which triangles are split, and how often.

use bvhc::compile::Layout;
use bvhc::file::{self, Bytes, Section};
use bvhc::layout::weld::weld;
use bvhc::layout::{self, Packing, SplitTable, WideTree};
use bvhc::mesh::Mesh;
use bvhc::tree::aabb::Aabb;
use bvhc::tree::build::{Builder, Leaves, build};
use bvhc::tree::wide::Weighed;
use bvhc::{clean, import};
use bvhc_format::section::{AabbTree, Geometry, Metadata, Names, PackedBlocks, Solid, Splits};

/// How much slabs are enlarged, relative to the triangle's largest extent: slightly more than T10 requires, as `verify`
/// rounds.
const GROWTH: f64 = 1.125 / (1 << 17) as f64;

/// The file of a source without names, whose triangles are split at each multiple of `slab` on their longest axis.
pub fn split(source: &[u8], slab: f32, layout: Layout) -> Bytes {
    let polygons = import::read(source, "split.obj").expect("the source is good");
    let mesh = clean::mesh(polygons, "split.obj").expect("the source has triangles");
    file_of(mesh, source, slab, layout)
}

/// The same for a mesh, clean or not, recorded as made from a source.
pub fn file_of(mut mesh: Mesh, source: &[u8], slab: f32, layout: Layout) -> Bytes {
    let mut wide = wide_tree(&mesh, slab);
    let packing = (layout == Layout::Small).then(|| pack(&mut wide, &mut mesh));
    assemble(source, &mesh, &wide, packing.as_ref())
}

fn wide_tree(mesh: &Mesh, slab: f32) -> WideTree {
    let (mut boxes, mut owners) = (Vec::new(), Vec::new());
    for triangle in 0..mesh.triangles.len() as u32 {
        boxes.extend(slabs(&Aabb::around(mesh.corners(triangle)), slab));
        owners.resize(boxes.len(), triangle);
    }
    let mut tree = build(&boxes, Builder::Sweep, Leaves::Single, &|_| ());
    tree.order.iter_mut().for_each(|reference| *reference = owners[*reference as usize]);
    let weld = weld(&mesh.positions, &mesh.triangles);
    let fits = layout::fits(&tree, mesh, &weld);
    layout::lay_out(&Weighed::by_area(tree), &fits, mesh, &weld)
}

/// A box divided at each multiple of `slab` on its longest axis, each part enlarged.
fn slabs(bounds: &Aabb, slab: f32) -> Vec<Aabb> {
    let extent = |axis: &usize| bounds.upper[*axis] - bounds.lower[*axis];
    let axis = (0..3).max_by(|a, b| extent(a).total_cmp(&extent(b))).expect("three axes");
    let mut parts = Vec::new();
    let mut rest = *bounds;
    let mut plane = (bounds.lower[axis] / slab).floor() * slab + slab;
    while plane < bounds.upper[axis] {
        let mut part = rest;
        (part.upper[axis], rest.lower[axis]) = (plane, plane);
        parts.push(part);
        plane += slab;
    }
    parts.push(rest);
    parts.into_iter().map(|part| part.grown(bounds.largest_extent() * GROWTH)).collect()
}

fn pack(wide: &mut WideTree, mesh: &mut Mesh) -> Packing {
    let weld = weld(&mesh.positions, &mesh.triangles);
    let packing = layout::pack(wide, mesh, &weld).expect("a test's model is small");
    mesh.positions.clone_from(&packing.positions);
    packing
}

fn assemble(source: &[u8], mesh: &Mesh, wide: &WideTree, packing: Option<&Packing>) -> Bytes {
    let bounds = Aabb::around((0..mesh.triangles.len() as u32).flat_map(|triangle| mesh.corners(triangle)));
    let bounds = [bounds.lower, bounds.upper].concat().try_into().expect("six planes");
    let blocks: &[_] = if packing.is_some() { &[] } else { &wide.blocks };
    let geometry = Geometry {
        blocks,
        triangles: &wide.triangles,
        faces: &mesh.faces,
        runs: &mesh.runs,
        corners: &mesh.face_corners.packed,
        wide_corners: &mesh.face_corners.listed,
        pair_leaves: &[],
    };
    let mut sections = vec![metadata(source, mesh, wide, bounds), Section::new(&geometry)];
    let SplitTable { triangles, ends, slots } = &wide.splits;
    if !triangles.is_empty() {
        sections.push(Section::new(&Splits { triangles, ends, slots }));
    }
    if let Some(Packing { bytes, count, position_error, .. }) = packing {
        let packed = PackedBlocks { bytes, count: *count, position_error: *position_error };
        sections.push(Section::new(&packed));
    }
    let solid = layout::lay_out_solid(mesh, &weld(&mesh.positions, &mesh.triangles));
    sections.push(Section::new(&Solid {
        edges: solid.counts.edges,
        open_edges: solid.counts.open,
        flipped_edges: solid.counts.flipped,
        branching_edges: solid.counts.branching,
        boundary_edges: solid.counts.boundary,
        boundary: &solid.boundary,
    }));
    let tree = AabbTree { bounds, depth: wide.depth, reserved: 0, nodes: &wide.nodes };
    sections.push(Section::new(&tree));
    file::assemble(sections)
}

fn metadata(source: &[u8], mesh: &Mesh, wide: &WideTree, bounds: [f32; 6]) -> Section {
    let none = Names { text: &[], ends: &[] };
    let metadata = Metadata {
        source_hash: *file::hash(source).as_bytes(),
        source_length: source.len() as u64,
        source_faces: mesh.source_faces,
        source_vertices: mesh.source_vertices,
        triangles: mesh.triangles.len() as u64,
        vertices: weld(&mesh.positions, &mesh.triangles).count.into(),
        dropped_triangles: mesh.dropped.triangles,
        dropped_faces: mesh.dropped.faces,
        bounds,
        compiler: b"tests",
        options: b"",
        materials: none,
        groups: none,
        objects: none,
        trees: &[wide.statistics],
        keys: none,
        values: none,
        input_names: none,
        inputs: &[],
    };
    Section::new(&metadata)
}
