//! From a tree of oriented boxes to its records: boxes rounded so that they still hold all, leaves in coordinates of
//! their own.

use bvhc_format::obb::{OBB_WIDTH, ObbLeaf, ObbNode, ObbRef};
use bvhc_format::record::{BLOCK_WIDTH, Block, TreeStatistics};
use bvhc_format::section::SectionKind;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::WideTree;
use crate::fit::{Frame, Obb};
use crate::mesh::Mesh;
use crate::obb::{Child, Link, Tree};
use crate::tree::aabb::Aabb;

/// What section obb-tree holds, and its statistics.
pub struct ObbRecords {
    /// The point that centres are relative to.
    pub origin: [f32; 3],
    /// How far boxes reach from there.
    pub radius: f32,
    /// Levels of nodes.
    pub depth: u32,
    /// The nodes.
    pub nodes: Vec<ObbNode>,
    /// The leaves.
    pub leaves: Vec<ObbLeaf>,
    /// The tree's figures.
    pub statistics: TreeStatistics,
}

/// Where each triangle is found in the blocks: 16 times the reference of a block that holds it, plus the lane. `None`
/// where that is beyond 32 bits.
///
/// `references` are those of the blocks, in order.
pub fn places(wide: &WideTree, references: impl Iterator<Item = u32>, triangles: usize) -> Option<Vec<u32>> {
    let mut places = vec![u32::MAX; triangles];
    let lanes = |block: &Block| 0..u32::from(block.triangles);
    for (block, reference) in wide.blocks.iter().zip(references) {
        let first = reference.checked_mul(BLOCK_WIDTH as u32)?;
        for lane in lanes(block) {
            places[wide.triangles[(block.first + lane) as usize] as usize] = first.checked_add(lane)?;
        }
    }
    Some(places)
}

/// Makes the records of a tree over a mesh.
pub fn lay_out_obbs(tree: &Tree, mesh: &Mesh, places: &[u32]) -> ObbRecords {
    let writer = Writer::new(tree, mesh, places);
    let leaf_numbers = leaf_numbers(tree);
    let nodes: Vec<ObbNode> =
        leaf_numbers.par_iter().map(|(index, first_leaf)| writer.node(*index, *first_leaf)).collect();
    let children = || tree.nodes.iter().flat_map(|node| &node.children);
    let of_leaves: Vec<&Child> = children().filter(|child| child.link == Link::Leaf).collect();
    let leaves: Vec<ObbLeaf> = of_leaves.par_iter().map(|child| writer.leaf(child)).collect();
    let reach =
        nodes.iter().flat_map(|node| (0..OBB_WIDTH).map(|slot| reach(node, slot))).fold(0.0, f64::max);
    let statistics = statistics(tree, &nodes, leaves.len(), mesh.triangles.len());
    let origin = writer.origin;
    ObbRecords { origin, radius: round_up(reach), depth: tree.depth, nodes, leaves, statistics }
}

/// Each node, with the number of its first leaf: leaves count in the order of the nodes.
fn leaf_numbers(tree: &Tree) -> Vec<(usize, u32)> {
    let mut next = 0;
    let number = |(index, node): (usize, &crate::obb::Node)| {
        let first = next;
        next += node.children.iter().filter(|child| child.link == Link::Leaf).count() as u32;
        (index, first)
    };
    tree.nodes.iter().enumerate().map(number).collect()
}

struct Writer<'a> {
    tree: &'a Tree,
    mesh: &'a Mesh,
    places: &'a [u32],
    origin: [f32; 3],
    /// Bounds what differences from the origin and from a centre lose in f64.
    rounding: f64,
}

impl<'a> Writer<'a> {
    fn new(tree: &'a Tree, mesh: &'a Mesh, places: &'a [u32]) -> Self {
        let corners = mesh.triangles.iter().flatten().map(|vertex| mesh.positions[*vertex as usize]);
        let bounds = Aabb::around(corners);
        let origin = [0, 1, 2].map(|axis| 0.5 * bounds.lower[axis] + 0.5 * bounds.upper[axis]);
        let size =
            (0..3).map(|axis| f64::from(bounds.upper[axis]) - f64::from(bounds.lower[axis])).sum::<f64>();
        Self { tree, mesh, places, origin, rounding: size / (1u64 << 50) as f64 }
    }

    fn node(&self, index: usize, mut next_leaf: u32) -> ObbNode {
        let mut record = ObbNode::EMPTY;
        for (slot, child) in self.tree.nodes[index].children.iter().enumerate() {
            self.put_box(&mut record, slot, child);
            let triangles = child.range.end - child.range.start;
            record.children[slot] = match child.link {
                Link::Node(node) => ObbRef::node(node).0,
                Link::Leaf => {
                    next_leaf += 1;
                    ObbRef::leaf(next_leaf - 1, triangles).0
                }
            };
        }
        record
    }

    /// The box of a child, fitted anew in the orientation and around the centre that the record can hold.
    fn put_box(&self, record: &mut ObbNode, slot: usize, child: &Child) {
        let quaternion = child.obb.frame.quaternion().map(|x| x as f32);
        let frame = Frame::from_quaternion(quaternion.map(f64::from));
        let centre = Obb::around(&frame, self.corners(child)).centre;
        let centre = [0, 1, 2].map(|axis| (centre[axis] - f64::from(self.origin[axis])) as f32);
        let from_centre = self.corners(child).map(|corner| {
            [0, 1, 2].map(|axis| (corner[axis] - f64::from(self.origin[axis])) - f64::from(centre[axis]))
        });
        let half_extents = frame.reach(from_centre).map(|half| round_up(half + self.rounding));
        for axis in 0..3 {
            record.centre[axis][slot] = centre[axis];
            record.half_extents[axis][slot] = half_extents[axis];
        }
        for (part, lanes) in quaternion.iter().zip(&mut record.rotation) {
            lanes[slot] = *part;
        }
    }

    fn triangles(&self, child: &Child) -> &[u32] {
        &self.tree.order[child.range.start as usize..child.range.end as usize]
    }

    fn corners(&self, child: &Child) -> impl Iterator<Item = [f64; 3]> + Clone {
        let of = |triangle: &u32| self.mesh.corners(*triangle);
        self.triangles(child).iter().flat_map(of).map(|corner| corner.map(f64::from))
    }

    fn leaf(&self, child: &Child) -> ObbLeaf {
        let triangles = self.triangles(child);
        let bounds = Aabb::around(triangles.iter().flat_map(|triangle| self.mesh.corners(*triangle)));
        let origin = [0, 1, 2].map(|axis| 0.5 * bounds.lower[axis] + 0.5 * bounds.upper[axis]);
        let mut record = ObbLeaf { origin, ..ObbLeaf::EMPTY };
        for lane in 0..OBB_WIDTH {
            let triangle = triangles[if lane < triangles.len() { lane } else { 0 }];
            record.triangles[lane] = triangle;
            record.places[lane] = self.places[triangle as usize];
            for (k, corner) in self.mesh.corners(triangle).iter().enumerate() {
                for axis in 0..3 {
                    let along = (f64::from(corner[axis]) - f64::from(origin[axis])) as f32;
                    record.corners[k][axis][lane] = along;
                    record.radius = record.radius.max(along.abs());
                }
            }
        }
        record
    }
}

/// How far at most a point of a slot's box is from the tree's origin.
fn reach(node: &ObbNode, slot: usize) -> f64 {
    if node.children[slot] == ObbRef::EMPTY.0 {
        return 0.0;
    }
    let length = |vector: &[[f32; OBB_WIDTH]; 3]| {
        vector.iter().map(|axis| f64::from(axis[slot]).powi(2)).sum::<f64>().sqrt()
    };
    length(&node.centre) + length(&node.half_extents)
}

fn round_up(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x { rounded.next_up() } else { rounded }
}

fn statistics(tree: &Tree, nodes: &[ObbNode], leaves: usize, triangles: usize) -> TreeStatistics {
    let share = |used: usize, whole: usize| (used as f64 / whole as f64) as f32;
    TreeStatistics {
        kind: SectionKind::ObbTree as u32,
        depth: tree.depth,
        nodes: nodes.len() as u64,
        leaves: leaves as u64,
        references: triangles as u64,
        sah_cost: collision_cost(nodes),
        node_fill: share(nodes.len() - 1 + leaves, nodes.len() * OBB_WIDTH),
        block_fill: share(triangles, leaves * OBB_WIDTH),
        reserved: 0,
    }
}

/// What a walk against a model like this one costs (FORMAT.md, M6): the collision measures of all boxes over that of
/// the root's children together.
fn collision_cost(nodes: &[ObbNode]) -> f32 {
    let measure = |node: &ObbNode, slot: usize| {
        let extents = node.half_extents.map(|axis| 2.0 * f64::from(axis[slot]));
        if node.children[slot] == ObbRef::EMPTY.0 {
            0.0
        } else {
            crate::fit::Objective::Collision.measure(extents)
        }
    };
    let of_node = |node: &ObbNode| (0..OBB_WIDTH).map(|slot| measure(node, slot)).sum::<f64>();
    let whole = of_node(&nodes[0]);
    (nodes.iter().map(of_node).sum::<f64>() / whole.max(f64::MIN_POSITIVE)) as f32
}

#[cfg(test)]
mod tests;
