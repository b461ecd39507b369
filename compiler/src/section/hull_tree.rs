//! Section hull-tree: around each part of a tree of oriented boxes, the convex hull of a few vertices, grown by a radius.

mod fit;
mod polytope;
mod rules;

use bvhc_format::hulls::{HULL_VERTICES, HullNode};
use bvhc_format::kdop::Directions;
use bvhc_format::obb::{PAIR_WIDTH, PairRef};
use bvhc_format::section::{self, SectionKind};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::{Clock, Stage};
use crate::file::Section;
use crate::layout::{self, LeafTable};
use crate::math::vector::{Vector, dot, length, round_up, subtract};
use crate::mesh::Mesh;
use crate::pair::obb::{Child, Tree};
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use fit::fit;

pub(super) struct HullTree;

impl Output for HullTree {
    fn kind(&self) -> SectionKind {
        SectionKind::HullTree
    }

    fn stage(&self) -> Stage {
        Stage::of_section("hulls")
    }

    fn tree_names(&self) -> &'static [(&'static str, &'static str)] {
        &[("hulls", "Convex hulls around the parts of the oriented boxes, with `--volume hulls`")]
    }

    fn request(&self, _name: &str, options: &mut Options) {
        options.hulls = true;
    }

    fn tree_name(&self, options: &Options) -> Option<&'static str> {
        options.hulls.then_some("hulls")
    }

    fn prepare(&self, job: &Job<'_>, clock: &mut Clock<'_>) {
        job.prepare_oriented(clock);
    }

    fn is_of_pairs(&self) -> bool {
        true
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        job.options.hulls
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let tree = &job.oriented().0;
        let (origin, nodes) = lay_out(tree, job.mesh, &mut *job.leaves()?);
        let radius = round_up(slots(&nodes).map(|slot| slot.radius_from_origin()).fold(0.0, f64::max));
        let root = section::HullTree { origin, radius, depth: tree.depth, reserved: 0, nodes: &nodes };
        let counts = [nodes.len(), tree.leaf_count(), tree.order.len()];
        let cost = cost(&nodes) as f32;
        let statistics = layout::pair_statistics(SectionKind::HullTree, tree.depth, counts, cost);
        Ok(Some(Made::tree(Section::new(&root), statistics)))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        rules::check(checked)
    }
}

/// Fits a hull around each child of a tree's nodes. Returns the origin of their vertices, and the nodes.
fn lay_out(tree: &Tree, mesh: &Mesh, leaves: &mut LeafTable) -> ([f32; 3], Vec<HullNode>) {
    let bounds = layout::used_bounds(mesh);
    let origin = bounds.centre();
    // Bounds the f64 rounding error of differences from the origin and of distances from a hull.
    let slack = bounds.extents() / (1u64 << 48) as f64;
    let corners = |child: &Child| -> Vec<Vector> {
        let corners = tree.triangles(child).iter().flat_map(|triangle| mesh.corners(*triangle));
        corners.map(|corner| subtract(corner.map(f64::from), origin.map(f64::from))).collect()
    };
    let references = leaves.references_of(tree);
    let node = |(node, children): (&crate::pair::obb::Node, [u32; PAIR_WIDTH])| {
        let mut record = HullNode { children, ..HullNode::EMPTY };
        let fits: Vec<_> = tree.children(node).par_iter().map(|child| fit(corners(child), slack)).collect();
        for (slot, (vertices, radius)) in fits.into_iter().enumerate() {
            record.radius[slot] = radius;
            for (rows, vertex) in record.vertices.iter_mut().zip(vertices) {
                for (row, along) in rows.iter_mut().zip(vertex) {
                    row[slot] = along;
                }
            }
        }
        record
    };
    (origin, tree.nodes.par_iter().zip(references).map(node).collect())
}

/// The volume of a used slot.
struct Slot {
    vertices: [Vector; HULL_VERTICES],
    radius: f64,
}

impl Slot {
    fn of(node: &HullNode, slot: usize) -> Self {
        let vertices = node.vertices.map(|rows| rows.map(|row| f64::from(row[slot])));
        Self { vertices, radius: f64::from(node.radius[slot]) }
    }

    /// How far it reaches from the tree's origin.
    fn radius_from_origin(&self) -> f64 {
        self.vertices.iter().map(|vertex| length(*vertex)).fold(0.0, f64::max) + self.radius
    }

    /// The cube of its mean width along the directions of a 26-DOP.
    fn measure(&self) -> f64 {
        let Some(directions) = Directions::of(26) else { return 0.0 };
        let units = &directions.units()[..directions.slabs()];
        let width = |unit: &Vector| {
            let along = self.vertices.iter().map(|vertex| dot(*vertex, *unit));
            let (least, most) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), along| {
                (least.min(along), most.max(along))
            });
            most - least + 2.0 * self.radius
        };
        (units.iter().map(width).sum::<f64>() / units.len() as f64).powi(3)
    }
}

/// The used slots of nodes.
fn slots(nodes: &[HullNode]) -> impl Iterator<Item = Slot> {
    nodes.iter().flat_map(|node| {
        let used = (0..PAIR_WIDTH).filter(|slot| node.children[*slot] != PairRef::EMPTY.0);
        used.map(|slot| Slot::of(node, slot))
    })
}

/// The sum of the measures of all slots, relative to that over the root's.
fn cost(nodes: &[HullNode]) -> f64 {
    let sum = |nodes: &[HullNode]| slots(nodes).map(|slot| slot.measure()).sum::<f64>();
    sum(nodes) / sum(&nodes[..1]).max(f64::MIN_POSITIVE)
}
