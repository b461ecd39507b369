//! Builds the records of section swept-tree: swept spheres around the parts of a tree of oriented boxes.

use bvhc_format::kdop::LaneRow;
use bvhc_format::obb::{PAIR_WIDTH, PairChild, PairRef};
use bvhc_format::record::TreeStatistics;
use bvhc_format::section::SectionKind;
use bvhc_format::swept::{Core, Cores, SweptLayout};

use super::leaf::LeafTable;
use super::{pair_statistics, used_bounds};
use crate::math::vector::round_up;
use crate::mesh::Mesh;
use crate::pair::obb::Tree;
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
    /// The tree's statistics.
    pub statistics: TreeStatistics,
}

impl SweptRecords {
    /// Bytes of all records.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.rows)
    }
}

/// Fits swept spheres around the parts of a tree of oriented boxes over a mesh, and builds their records. Adds
/// the leaves to those of other trees. `None` if a hybrid has more rows than references can address.
pub fn lay_out_swept(tree: &Tree, mesh: &Mesh, leaves: &mut LeafTable, cores: Cores) -> Option<SweptRecords> {
    let bounds = used_bounds(mesh);
    let (origin, size) = (bounds.centre(), bounds.extents());
    let triangles: Vec<_> = (0..mesh.triangles.len() as u32).map(|triangle| mesh.corners(triangle)).collect();
    // Bounds the f64 rounding error of differences from the origin and from a core.
    let enclosed = swept::enclose(tree, &triangles, cores, origin, size / (1u64 << 48) as f64);
    let links = links(cores, &enclosed)?;
    let mut rows = Vec::new();
    for (references, enclosed) in leaves.references_of(tree).into_iter().zip(&enclosed) {
        let link = |reference| match PairRef(reference).get() {
            PairChild::Node(index) => links[index as usize],
            PairChild::Leaf(..) | PairChild::Empty => reference,
        };
        rows.extend(node(enclosed, references.map(link)));
    }
    let radii = enclosed.iter().flat_map(|node| &node.children).map(Swept::radius_from_origin);
    let radius = round_up(radii.fold(0.0, f64::max));
    let counts = [tree.nodes.len(), tree.leaf_count(), tree.order.len()];
    let cost = collision_cost(&enclosed);
    let statistics = pair_statistics(SectionKind::SweptTree, tree.depth, counts, cost);
    let layout = SweptLayout { cores, first: enclosed[0].core };
    Some(SweptRecords { layout, origin, radius, depth: tree.depth, rows, statistics })
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

/// The sum of the collision measures of all swept spheres, divided by the sum over the root's children (FORMAT.md, M6).
fn collision_cost(enclosed: &[Enclosed]) -> f32 {
    let of_node = |node: &Enclosed| node.children.iter().map(Swept::measure).sum::<f64>();
    let whole = of_node(&enclosed[0]).max(f64::MIN_POSITIVE);
    (enclosed.iter().map(of_node).sum::<f64>() / whole) as f32
}
