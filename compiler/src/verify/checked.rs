//! The input of the checks of sections, and the results of those of trees.

use std::cell::{Cell, OnceCell};

use bvhc_format::obb::PAIR_WIDTH;
use bvhc_format::section::TREE_KINDS;
use bvhc_runtime::Model;

use super::block::corners;
use super::blocks::BlockTable;
use super::geometry::GeometryFault;
use super::leaves::{self, Leaf};
use super::plan::Plan;
use super::sections_of;

/// A mesh with correctly packed payloads, and its blocks unpacked.
pub(crate) struct Checked<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) table: &'a BlockTable<'a>,
    triangles: OnceCell<u64>,
    leaves: OnceCell<Vec<Leaf>>,
    /// How many leaves the trees checked so far refer to: those with the lowest numbers.
    pub(super) referenced_leaves: Cell<usize>,
    /// Whether there is a tree of an unknown kind or version, which may refer to leaves, too.
    pub(super) skips_trees: bool,
}

impl<'a> Checked<'a> {
    pub(super) fn new(model: &'a Model<'a>, table: &'a BlockTable<'a>) -> Self {
        let skips_trees = sections_of(model)
            .any(|(entry, _)| TREE_KINDS.contains(&entry.kind) && entry.known_kind().is_none());
        Self {
            model,
            table,
            triangles: OnceCell::new(),
            leaves: OnceCell::new(),
            referenced_leaves: Cell::new(0),
            skips_trees,
        }
    }

    /// T: one more than the greatest number of a triangle in a block.
    pub(crate) fn triangles(&self) -> u64 {
        *self.triangles.get_or_init(|| {
            let numbers = self.model.sections().geometry().triangles.get();
            numbers.iter().map(|number| u64::from(number.to_native()) + 1).max().unwrap_or(0)
        })
    }

    /// The corners of all triangles, by number, on valid blocks and triangle numbers.
    pub(super) fn all_corners(&self) -> Vec<[[f32; 3]; 3]> {
        let numbers = self.model.sections().geometry().triangles.get();
        let mut all = vec![[[0.0; 3]; 3]; self.triangles() as usize];
        for block in self.table.blocks.iter() {
            for lane in 0..usize::from(block.triangles) {
                all[numbers[block.first as usize + lane].to_native() as usize] = corners(block, lane);
            }
        }
        all
    }

    /// Reads the leaves of all trees for pairs of models. Checks G15, on valid blocks.
    pub(super) fn read_leaves(&self) -> Result<(), GeometryFault> {
        let numbers = self.model.sections().geometry().triangles.get();
        let leaves = leaves::read(self.model.sections().pair_leaves(), self.table, numbers)?;
        self.leaves.get_or_init(|| leaves);
        Ok(())
    }

    /// These leaves. Panics before they have been read.
    pub(crate) fn leaves(&self) -> &[Leaf] {
        self.leaves.get().expect("section geometry is checked first")
    }
}

/// The statistics that a tree must have.
pub(crate) struct TreeFacts {
    pub(super) depth: u32,
    pub(super) nodes: u64,
    pub(super) leaves: u64,
    pub(super) references: u64,
    /// Slots of a node, and lanes of a block or a leaf.
    pub(super) widths: [usize; 2],
    pub(super) cost: f64,
}

impl TreeFacts {
    /// For a tree for pairs of models, where each triangle is in one leaf.
    pub(crate) fn of_pairs(plan: &Plan<'_>, checked: &Checked<'_>, nodes: usize, cost: f64) -> Self {
        Self {
            depth: plan.depth,
            nodes: nodes as u64,
            leaves: plan.leaf_count() as u64,
            references: checked.triangles(),
            widths: [PAIR_WIDTH; 2],
            cost,
        }
    }
}
