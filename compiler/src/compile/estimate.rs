//! How much memory a compilation takes.

use super::error::CompileError;
use super::options::{Options, Quality};
use crate::mesh::Mesh;

/// The program, the stacks of its threads and what does not grow with the model.
const BASE: u64 = 16 << 20;

/// While a source is read: its faces twice, beside the source itself.
const IMPORT: u64 = 115;

/// The tree of axis-aligned boxes and the file, for each triangle and each vertex. (These and others were measured on a sphere of
/// 1.3 million triangles and on 200,000 triangles that share no vertices, and rounded up.)
const FAST: [u64; 2] = [40, 160];

/// More for the neighbours of edges.
const EDGES: [u64; 2] = [190, 180];

/// More for the triangles that intersect others: a file of its own to look for them in, and their corners.
const INTERSECTIONS: u64 = 130;

/// More for the partition of trees for pairs of models, and the boxes of one.
const PARTITION: u64 = 100;

/// More for each further tree for pairs of models.
const TREE: u64 = 60;

/// More for the split triangles and the optimiser of the best quality; measured on the bunny.
const BEST: u64 = 600;

/// More of all for each doubling of the threads, which have heaps of their own: that share. (Measured on 1.3, 10 and 100 million
/// triangles, up to 16 threads.)
const DOUBLING: f64 = 0.1;

/// Refuses what would take more memory than it may. `source` is the length of the source. A distance field is not in the estimate: how
/// much of its lattice is near the surface shows only when it is made.
pub(super) fn check(name: &str, source: u64, mesh: &Mesh, options: &Options) -> Result<(), CompileError> {
    let triangles = mesh.triangles.len() as u64;
    let of_vertices = mesh.positions.len() as u64 * bytes_per_vertex(options);
    let trees = triangles * bytes_per_triangle(options) + of_vertices;
    let doublings = f64::from(rayon::current_num_threads() as u32).log2();
    let needed = (source + triangles * IMPORT).max(trees) as f64 * (1.0 + DOUBLING * doublings);
    let needed = BASE + needed as u64;
    match options.memory_limit {
        Some(limit) if needed > limit => {
            Err(CompileError::Memory { file: name.to_owned(), triangles, needed, limit })
        }
        _ => Ok(()),
    }
}

/// The peak for each triangle while trees are built.
fn bytes_per_triangle(options: &Options) -> u64 {
    let trees = [options.obb.is_some(), options.kdop.is_some(), options.swept.is_some(), options.hulls];
    let pairs = match trees.into_iter().filter(|is_asked| *is_asked).count() as u64 {
        0 => 0,
        trees => PARTITION + (trees - 1) * TREE,
    };
    let edges = if options.edges { EDGES[0] } else { 0 };
    let intersections = if options.intersections { INTERSECTIONS } else { 0 };
    FAST[0] + edges + intersections + pairs + if options.quality == Quality::Best { BEST } else { 0 }
}

/// The same for each vertex.
fn bytes_per_vertex(options: &Options) -> u64 {
    FAST[1] + if options.edges { EDGES[1] } else { 0 }
}
