//! Builds the file's records from trees: wide nodes and blocks of triangles, and the trees for pairs of models.

mod block;
mod clip;
mod edges;
mod extremes;
mod hull;
mod intersections;
mod kdop;
mod lattice;
mod leaf;
mod obb;
mod order;
mod packed;
mod samples;
mod solid;
mod splits;
mod swept;
pub mod weld;
mod wide;

pub use block::{ALWAYS_FIT, fits};
pub use clip::Triangles;
pub use edges::lay_out_edges;
pub use hull::{HullRecords, lay_out_hull};
pub use intersections::intersecting_triangles;
pub use kdop::{KdopRecords, lay_out_kdops, put as put_kdop};
pub use leaf::LeafTable;
pub use obb::{ObbForm, ObbRecords, addresses, lay_out_obbs};
pub(crate) use order::visiting_order;
pub use packed::{Packing, pack};
pub use samples::lay_out_samples;
pub use solid::{EdgeCounts, SolidRecords, lay_out_solid};
pub use splits::SplitTable;
pub use swept::{SweptRecords, lay_out_swept};
pub use wide::{WideTree, lay_out};

use bvhc_format::obb::PAIR_WIDTH;
use bvhc_format::record::TreeStatistics;
use bvhc_format::section::SectionKind;
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use crate::mesh::Mesh;
use crate::simd::dispatch;
use crate::tree::aabb::Aabb;

/// A triangle's box is grown by this much, relative to its largest extent (FORMAT.md, "Section aabb-tree", T10).
const GROWTH: f64 = 1.0 / (1 << 17) as f64;

/// The same for the parts of split triangles: slightly more, so that a check in f64 that the parts cover a triangle can
/// tolerate its own rounding.
const PART_GROWTH: f64 = GROWTH * (1.0 + 1.0 / 16.0);

/// The box of a triangle as stored in trees: grown, so that hit points with rounded ray weights stay inside.
#[inline(always)]
pub fn triangle_box(mesh: &Mesh, triangle: u32) -> Aabb {
    grown_triangle(mesh.corners(triangle), GROWTH)
}

/// The boxes of all triangles.
pub fn triangle_boxes(mesh: &Mesh) -> Vec<Aabb> {
    // The same operations, and so the same bits, on every level.
    let of_triangle = |triangle| dispatch!(_ => triangle_box(mesh, triangle));
    (0..mesh.triangles.len() as u32).into_par_iter().map(of_triangle).collect()
}

/// The box around all triangles, not grown.
pub(crate) fn used_bounds(mesh: &Mesh) -> Aabb {
    let of_triangle =
        |triangle: &[u32; 3]| Aabb::around(triangle.map(|vertex| mesh.positions[vertex as usize]));
    mesh.triangles.par_iter().map(of_triangle).reduce(|| Aabb::EMPTY, Aabb::union)
}

/// The statistics of a tree for pairs of models (FORMAT.md, M6).
pub(crate) fn pair_statistics(
    kind: SectionKind,
    depth: u32,
    [nodes, leaves, triangles]: [usize; 3],
    cost: f32,
) -> TreeStatistics {
    let share = |used: usize, whole: usize| (used as f64 / whole as f64) as f32;
    TreeStatistics {
        kind: kind as u32,
        depth,
        nodes: nodes as u64,
        leaves: leaves as u64,
        references: triangles as u64,
        sah_cost: cost,
        node_fill: share(nodes - 1 + leaves, nodes * PAIR_WIDTH),
        block_fill: share(triangles, leaves * PAIR_WIDTH),
        reserved: 0,
    }
}

/// The box around a triangle, grown by this much relative to its largest extent.
#[inline(always)]
fn grown_triangle(corners: [[f32; 3]; 3], growth: f64) -> Aabb {
    let bounds = Aabb::around(corners);
    bounds.grown(bounds.largest_extent() * growth)
}
