//! Builds the records of section swept-tree: swept spheres around the parts of a tree of oriented boxes.

use bvhc_format::kdop::LaneRow;
use bvhc_format::obb::{PAIR_WIDTH, PairLeaf};
use bvhc_format::record::TreeStatistics;
use bvhc_format::section::SectionKind;
use bvhc_format::swept::{Core, Cores, SweptLayout};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::leaf::leaf;
use super::obb::{leaf_numbers, references};
use super::used_bounds;
use crate::math::vector::round_up;
use crate::mesh::Mesh;
use crate::pair::obb::{Child, Link, Tree};
use crate::pair::swept::{self, Enclosed, Swept};

/// The contents of section swept-tree, and its statistics.
pub struct SweptRecords {
    /// The layout of the nodes in the rows.
    pub layout: SweptLayout,
    /// The point that centres are relative to.
    pub origin: [f32; 3],
    /// An upper bound for the distance of swept spheres from `origin`.
    pub radius: f32,
    /// Levels of nodes.
    pub depth: u32,
    /// The rows of the nodes.
    pub rows: Vec<LaneRow>,
    /// The leaves.
    pub leaves: Vec<PairLeaf>,
    /// The tree's statistics.
    pub statistics: TreeStatistics,
}

impl SweptRecords {
    /// Bytes of all records.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + size_of_val(&*self.leaves)
    }
}

/// Fits swept spheres around the parts of a tree of oriented boxes over a mesh, and builds their records, given the
/// addresses of all triangles in the blocks. `None` if a hybrid has more rows than references can address.
pub fn lay_out_swept(tree: &Tree, mesh: &Mesh, places: &[u32], cores: Cores) -> Option<SweptRecords> {
    let bounds = used_bounds(mesh);
    let (origin, size) = (bounds.centre(), bounds.extents());
    let triangles: Vec<_> = (0..mesh.triangles.len() as u32).map(|triangle| mesh.corners(triangle)).collect();
    // Bounds the f64 rounding error of differences from the origin and from a core.
    let enclosed = swept::enclose(tree, &triangles, cores, origin, size / (1u64 << 48) as f64);
    let links = links(cores, &enclosed)?;
    let mut rows = Vec::new();
    for ((index, first_leaf), enclosed) in leaf_numbers(tree).into_iter().zip(&enclosed) {
        let children = &tree.nodes[index].children;
        let mut references = references(children, first_leaf);
        for (reference, child) in references.iter_mut().zip(children) {
            if let Link::Node(node) = child.link {
                *reference = links[node as usize];
            }
        }
        rows.extend(node(enclosed, references));
    }
    let children = tree.nodes.iter().flat_map(|node| &node.children);
    let of_leaves: Vec<&Child> = children.filter(|child| child.link == Link::Leaf).collect();
    let of = |child: &Child| &tree.order[child.range.start as usize..child.range.end as usize];
    let leaves: Vec<PairLeaf> = of_leaves.par_iter().map(|child| leaf(of(child), places)).collect();
    let reaches = enclosed.iter().flat_map(|node| &node.children).map(Swept::reach);
    let radius = round_up(reaches.fold(0.0, f64::max));
    let statistics = statistics(tree, &enclosed, leaves.len());
    let layout = SweptLayout { cores, first: enclosed[0].core };
    Some(SweptRecords { layout, origin, radius, depth: tree.depth, rows, leaves, statistics })
}

/// The references to all nodes; `None` if they overflow.
fn links(cores: Cores, enclosed: &[Enclosed]) -> Option<Vec<u32>> {
    let mut row = 0;
    let link = |(index, node): (usize, &Enclosed)| {
        let first = row;
        row += node.core.rows() as u64;
        match cores {
            Cores::Same(_) => Some(index as u32),
            Cores::Hybrid if first < SweptLayout::MAX_ROWS.into() => {
                Some(SweptLayout::link(first as u32, node.core))
            }
            Cores::Hybrid => None,
        }
    };
    enclosed.iter().enumerate().map(link).collect()
}

/// The rows of a node.
fn node(Enclosed { core, children }: &Enclosed, references: [u32; PAIR_WIDTH]) -> Vec<LaneRow> {
    let mut rows: Vec<_> =
        (0..core.rows()).map(|row| LaneRow { lanes: [Core::empty(row); PAIR_WIDTH] }).collect();
    rows[Core::CHILDREN].lanes = references.map(f32::from_bits);
    for (slot, swept) in children.iter().enumerate() {
        let mut write = |first: usize, numbers: &[f32]| {
            for (row, number) in rows[first..].iter_mut().zip(numbers) {
                row.lanes[slot] = *number;
            }
        };
        write(0, &swept.centre);
        write(Core::RADIUS, &[swept.radius]);
        write(Core::AXES, &swept.axes.as_flattened()[..3 * core.axes()]);
    }
    rows
}

fn statistics(tree: &Tree, enclosed: &[Enclosed], leaves: usize) -> TreeStatistics {
    let (nodes, triangles) = (tree.nodes.len(), tree.order.len());
    let share = |used: usize, whole: usize| (used as f64 / whole as f64) as f32;
    let of_node = |node: &Enclosed| node.children.iter().map(Swept::measure).sum::<f64>();
    let whole = of_node(&enclosed[0]).max(f64::MIN_POSITIVE);
    TreeStatistics {
        kind: SectionKind::SweptTree as u32,
        depth: tree.depth,
        nodes: nodes as u64,
        leaves: leaves as u64,
        references: triangles as u64,
        sah_cost: (enclosed.iter().map(of_node).sum::<f64>() / whole) as f32,
        node_fill: share(nodes - 1 + leaves, nodes * PAIR_WIDTH),
        block_fill: share(triangles, leaves * PAIR_WIDTH),
        reserved: 0,
    }
}
