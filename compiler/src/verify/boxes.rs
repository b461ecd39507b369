//! Every triangle inside the boxes above it, grown as T10 asks.

use bvhc_format::record::{Block, Child, NODE_WIDTH, WideNode};
use bvhc_runtime::Model;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::block::corners;
use super::exact::grown;
use super::node::NodeFault;
use super::tree::TreeFault;
use crate::tree::aabb::Aabb;

/// T10, on nodes whose children stand after them and on blocks within the rules.
pub(super) fn check(model: &Model<'_>) -> Result<(), TreeFault> {
    let nodes = model.nodes();
    let blocks: Vec<Aabb> = model.blocks().par_iter().map(block_box).collect();
    let mut needed = vec![Aabb::EMPTY; nodes.len()];
    // Children first, so that what is below a node is known when its parent asks.
    for (index, node) in nodes.iter().enumerate().rev() {
        for slot in 0..NODE_WIDTH {
            let below = match node.child(slot) {
                Child::Empty => continue,
                Child::Node(child) => needed[child as usize],
                Child::Block(block) => blocks[block as usize],
            };
            check_slot(node, slot, &below).map_err(|fault| TreeFault::Node { node: index, fault })?;
            needed[index] = needed[index].union(below);
        }
    }
    Ok(())
}

fn block_box(block: &Block) -> Aabb {
    (0..usize::from(block.triangles))
        .map(|lane| grown(&Aabb::around(corners(block, lane))))
        .fold(Aabb::EMPTY, Aabb::union)
}

fn check_slot(node: &WideNode, slot: usize, below: &Aabb) -> Result<(), NodeFault> {
    for plane in 0..6 {
        let (found, axis) = (node.planes[plane][slot], plane / 2);
        let (limit, holds) = if plane % 2 == 0 {
            (below.lower[axis], found <= below.lower[axis])
        } else {
            (below.upper[axis], found >= below.upper[axis])
        };
        if !holds {
            return Err(NodeFault::Outside { slot, plane, found, limit });
        }
    }
    Ok(())
}
