//! Builds the records of section kdop-tree from a tree of k-DOPs.

use bvhc_format::kdop::{KdopLayout, KdopNumber, LaneRow, Spot};
use bvhc_format::obb::{PAIR_WIDTH, PairRef};
use bvhc_format::record::TreeStatistics;
use bvhc_format::section::SectionKind;
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::leaf::LeafTable;
use super::{pair_statistics, used_bounds};
use crate::math::vector::round_up;
use crate::mesh::Mesh;
use crate::pair::kdop::{Child, Kdop, Tree};

/// The contents of section kdop-tree, and its statistics.
pub struct KdopRecords {
    /// The meaning of the rows.
    pub layout: KdopLayout,
    /// The point that bounds or centres are relative to.
    pub origin: [f32; 3],
    /// An upper bound for the distance of k-DOPs from `origin` (FORMAT.md, K5).
    pub radius: f32,
    /// Levels of nodes.
    pub depth: u32,
    /// The rows of the nodes.
    pub rows: Vec<LaneRow>,
    /// The tree's statistics.
    pub statistics: TreeStatistics,
}

/// Builds the records of a tree over a mesh, and adds its leaves to those of other trees.
pub fn lay_out_kdops(tree: &Tree, mesh: &Mesh, leaves: &mut LeafTable, layout: KdopLayout) -> KdopRecords {
    let bounds = used_bounds(mesh);
    let (origin, size) = (bounds.centre(), bounds.extents());
    let writer = Writer { tree, mesh, layout, origin, slack: size / (1u64 << 48) as f64 };
    let mut rows = vec![LaneRow { lanes: [0.0; PAIR_WIDTH] }; tree.nodes.len() * layout.rows()];
    let child = |child: &Child| (child.link, tree.triangles(child));
    let references: Vec<_> =
        tree.nodes.iter().map(|node| leaves.references(node.iter().map(child))).collect();
    let nodes = rows.par_chunks_mut(layout.rows()).zip(&tree.nodes).zip(&references);
    nodes.for_each(|((rows, children), references)| writer.node(rows, children, references));
    let slots = |node| (0..PAIR_WIDTH).map(move |slot| (node, slot));
    let radii = rows.chunks(layout.rows()).flat_map(slots).map(|(node, slot)| radius(&layout, node, slot));
    let radius = round_up(radii.fold(0.0, f64::max));
    let counts = [tree.nodes.len(), tree.leaf_count(), tree.order.len()];
    let cost = collision_cost(&layout, &rows);
    let statistics = pair_statistics(SectionKind::KdopTree, tree.depth, counts, cost);
    KdopRecords { layout, origin, radius, depth: tree.depth, rows, statistics }
}

struct Writer<'a> {
    tree: &'a Tree,
    mesh: &'a Mesh,
    layout: KdopLayout,
    origin: [f32; 3],
    /// Bounds the f64 rounding error of differences from the origin and a centre, and of products with a unit vector.
    slack: f64,
}

impl Writer<'_> {
    fn node(&self, rows: &mut [LaneRow], children: &[Child], references: &[u32; PAIR_WIDTH]) {
        let layout = &self.layout;
        for (index, row) in rows.iter_mut().enumerate() {
            let empty = |lane| layout.number(Spot { row: index, lane }).1.empty();
            row.lanes = [0, 1, 2, 3].map(empty);
        }
        for (slot, (child, reference)) in children.iter().zip(references).enumerate() {
            put(&Kdop::around(self.corners(child), layout, self.slack), layout, rows, slot);
            write(rows, layout.child(slot), f32::from_bits(*reference));
        }
    }

    /// The corners of a child's triangles, relative to the tree's origin.
    fn corners(&self, child: &Child) -> impl Iterator<Item = [f64; 3]> + Clone {
        let of = |triangle: &u32| self.mesh.corners(*triangle);
        self.tree
            .triangles(child)
            .iter()
            .flat_map(of)
            .map(|corner| [0, 1, 2].map(|axis| f64::from(corner[axis]) - f64::from(self.origin[axis])))
    }
}

/// Writes a k-DOP, with the tables of a layout, into a slot of a node. The slot's reference is kept.
///
/// # Panics
/// If the node does not have the layout's rows, or the slot is not one of its four.
pub fn put(kdop: &Kdop, layout: &KdopLayout, node: &mut [LaneRow], slot: usize) {
    for (row, lane) in (0..layout.rows()).flat_map(|row| (0..PAIR_WIDTH).map(move |lane| (row, lane))) {
        let spot = Spot { row, lane };
        let number = match layout.number(spot) {
            (of, _) if of != slot => continue,
            (_, KdopNumber::Centre(axis)) => kdop.centre[axis],
            (_, KdopNumber::Extent(direction)) => kdop.extents[direction],
            (_, KdopNumber::Shell(direction)) => kdop.shells[direction],
            (_, KdopNumber::Rings(direction)) => f32::from_bits(kdop.rings[direction]),
            (_, KdopNumber::Child | KdopNumber::Filling) => continue,
        };
        write(node, spot, number);
    }
}

fn write(node: &mut [LaneRow], spot: Spot, number: f32) {
    node[spot.row].lanes[spot.lane] = number;
}

fn is_used(layout: &KdopLayout, node: &[LaneRow], slot: usize) -> bool {
    layout.child(slot).of(node).is_some_and(|child| child.to_bits() != PairRef::EMPTY.0)
}

/// The extents or bounds of a slot.
fn extents(layout: &KdopLayout, node: &[LaneRow], slot: usize) -> impl Iterator<Item = f64> {
    let of = move |direction| layout.extent(direction, slot).of(node);
    (0..layout.directions.count()).filter_map(of).map(f64::from)
}

/// The least tree radius that a slot allows (FORMAT.md, K5).
fn radius(layout: &KdopLayout, node: &[LaneRow], slot: usize) -> f64 {
    if !is_used(layout, node, slot) {
        return 0.0;
    }
    if !layout.has_tables() {
        return extents(layout, node, slot).map(|bound| 2.0 * bound.abs()).fold(0.0, f64::max);
    }
    let of = |axis| layout.centre(axis, slot).of(node).map_or(0.0, f64::from).powi(2);
    (0..3).map(of).sum::<f64>().sqrt() + extents(layout, node, slot).fold(0.0, f64::max)
}

/// The sum of the cubes of all mean widths, divided by the sum over the root's children (FORMAT.md, M6).
fn collision_cost(layout: &KdopLayout, rows: &[LaneRow]) -> f32 {
    let width = |node: &[LaneRow], slot: usize| {
        extents(layout, node, slot).sum::<f64>() * 2.0 / layout.directions.count() as f64
    };
    let of_node = |node: &[LaneRow]| {
        (0..PAIR_WIDTH)
            .filter(|slot| is_used(layout, node, *slot))
            .map(|slot| width(node, slot).powi(3))
            .sum::<f64>()
    };
    let whole = of_node(&rows[..layout.rows()]);
    (rows.chunks(layout.rows()).map(of_node).sum::<f64>() / whole.max(f64::MIN_POSITIVE)) as f32
}
