//! Checks the tree over the leaves of a world.

use bvhc_format::record::Child;

use super::{Checked, WorldFault};
use crate::verify::node;
use crate::verify::tree::children;
use crate::world::place::{self, Box64, holds};

impl Checked<'_> {
    /// W2, W11 and W12
    pub(super) fn check_tree(&self) -> Result<(), WorldFault> {
        let section = self.section;
        let (nodes, leaves) = (section.nodes.get(), self.leaves());
        if nodes.is_empty() {
            return Err(WorldFault::References { what: "node", index: 0, found: 0 });
        }
        let is_leaf = |leaf: u32| (leaf as usize) < leaves.len();
        for (index, node) in nodes.iter().enumerate() {
            node::check(node, index, nodes.len(), (leaves.len(), &is_leaf))
                .map_err(|fault| WorldFault::Node { node: index, fault })?;
        }
        self.check_references()?;
        let mut levels = vec![1u32; nodes.len()];
        // From the last node to the first, children come before their parents.
        let mut layers = vec![0u32; nodes.len()];
        for index in (0..nodes.len()).rev() {
            for (slot, child) in children(&nodes[index]).enumerate() {
                let (below, its_layers, its_levels) = match child {
                    Child::Node(child) => {
                        let child = child as usize;
                        (place::node_box(&nodes[child]), layers[child], levels[child])
                    }
                    Child::Block(leaf) => {
                        let leaf = &leaves[leaf as usize];
                        (box64(&leaf.bounds), self.instances()[leaf.instance as usize].layers, 0)
                    }
                    Child::Empty => continue,
                };
                if !holds(&place::slot_box(&nodes[index], slot), &below) {
                    return Err(WorldFault::NotNested { node: index, slot });
                }
                layers[index] |= its_layers;
                levels[index] = levels[index].max(its_levels + 1);
            }
            let (found, expected) = (section.node_layers.get()[index].to_native(), layers[index]);
            if found != expected {
                return Err(WorldFault::Layers { node: index, found, expected });
            }
        }
        let (found, expected) = (section.depth.to_native(), levels[0]);
        if found != expected {
            return Err(WorldFault::Depth { found, expected });
        }
        let bounds = box64(&section.bounds.map(|x| x.to_native()));
        if holds(&bounds, &place::node_box(&nodes[0])) { Ok(()) } else { Err(WorldFault::Bounds) }
    }

    fn check_references(&self) -> Result<(), WorldFault> {
        let nodes = self.section.nodes.get();
        let (mut to_nodes, mut to_leaves) = (vec![0u32; nodes.len()], vec![0u32; self.leaves().len()]);
        // As if node 0 were referenced once, too.
        to_nodes[0] = 1;
        for child in nodes.iter().flat_map(children) {
            match child {
                Child::Node(node) => to_nodes[node as usize] += 1,
                Child::Block(leaf) => to_leaves[leaf as usize] += 1,
                Child::Empty => {}
            }
        }
        for (what, counts) in [("node", to_nodes), ("leaf", to_leaves)] {
            if let Some(index) = counts.iter().position(|found| *found != 1) {
                return Err(WorldFault::References { what, index, found: counts[index] });
            }
        }
        Ok(())
    }
}

fn box64([a, b, c, d, e, f]: &[f32; 6]) -> Box64 {
    [[*a, *b, *c].map(f64::from), [*d, *e, *f].map(f64::from)]
}
