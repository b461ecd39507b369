//! Every triangle, grown as T10 requires, is inside the boxes above it.

use bvhc_format::record::{Block, Child, NODE_WIDTH, WideNode};
use bvhc_runtime::Model;
use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::block::corners;
use super::blocks::BlockTable;
use super::checked::Checked;
use super::coverage;
use super::exact::grown;
use super::node::NodeFault;
use super::splits::slots;
use super::tree::TreeFault;
use crate::tree::aabb::Aabb;

/// T10 and T13, on nodes that precede their children, and on valid blocks and split triangles.
pub(crate) fn check(checked: &Checked<'_>) -> Result<(), TreeFault> {
    let (model, table) = (checked.model, checked.table);
    check_whole(model, table)?;
    if model.sections().splits().is_some() {
        check_nested(model.sections().nodes())?;
        check_split(model, table)?;
    }
    Ok(())
}

/// T10 for the triangles that one block holds.
fn check_whole(model: &Model<'_>, table: &BlockTable<'_>) -> Result<(), TreeFault> {
    let nodes = model.sections().nodes();
    let blocks: Vec<Aabb> = table.blocks.par_iter().map(block_box).collect();
    let mut needed = vec![Aabb::EMPTY; nodes.len()];
    // Children first, so that the bounds below a node are known when its parent is checked.
    for (index, node) in nodes.iter().enumerate().rev() {
        for slot in 0..NODE_WIDTH {
            let below = match node.child(slot) {
                Child::Empty => continue,
                Child::Node(child) => needed[child as usize],
                Child::Block(reference) => blocks[table.number_of(reference)],
            };
            if let Some((plane, found, limit)) = beyond(node, slot, &below) {
                let fault = NodeFault::Outside { slot, plane, found, limit };
                return Err(TreeFault::Node { node: index, fault });
            }
            needed[index] = needed[index].union(below);
        }
    }
    Ok(())
}

/// The box required by those of a block's triangles that no other block holds.
fn block_box(block: &Block) -> Aabb {
    (0..usize::from(block.triangles))
        .filter(|lane| block.split >> lane & 1 == 0)
        .map(|lane| grown(&Aabb::around(corners(block, lane))))
        .fold(Aabb::EMPTY, Aabb::union)
}

/// The first plane of a slot's box that `below` extends beyond: the plane, its position, and the position it needs.
fn beyond(node: &WideNode, slot: usize, below: &Aabb) -> Option<(usize, f32, f32)> {
    (0..6).find_map(|plane| {
        let (found, axis) = (node.planes[plane][slot], plane / 2);
        let (limit, holds) = if plane % 2 == 0 {
            (below.lower[axis], found <= below.lower[axis])
        } else {
            (below.upper[axis], found >= below.upper[axis])
        };
        (!holds).then_some((plane, found, limit))
    })
}

/// T13
fn check_nested(nodes: &[WideNode]) -> Result<(), TreeFault> {
    for (index, node) in nodes.iter().enumerate() {
        for slot in 0..NODE_WIDTH {
            let Child::Node(child) = node.child(slot) else { continue };
            if let Some((plane, found, limit)) = beyond(node, slot, &around(&nodes[child as usize])) {
                let fault = NodeFault::NotNested { slot, plane, found, limit };
                return Err(TreeFault::Node { node: index, fault });
            }
        }
    }
    Ok(())
}

/// The box around the boxes of all used slots.
fn around(node: &WideNode) -> Aabb {
    let used = (0..NODE_WIDTH).filter(|slot| node.child(*slot) != Child::Empty);
    used.map(|slot| slot_box(node, slot)).fold(Aabb::EMPTY, Aabb::union)
}

fn slot_box(node: &WideNode, slot: usize) -> Aabb {
    let planes = node.planes.map(|planes| planes[slot]);
    Aabb { lower: [planes[0], planes[2], planes[4]], upper: [planes[1], planes[3], planes[5]] }
}

/// T10 for the triangles that several blocks hold.
fn check_split(model: &Model<'_>, table: &BlockTable<'_>) -> Result<(), TreeFault> {
    let numbers = model.sections().geometry().triangles.get();
    let mut pieces: Vec<Piece> = slots(model)
        .flat_map(|(slot_address, reference)| {
            let block = &table.blocks[table.number_of(reference)];
            let node = &model.sections().nodes()[slot_address as usize / NODE_WIDTH];
            let bounds = slot_box(node, slot_address as usize % NODE_WIDTH);
            let lanes = (0..usize::from(block.triangles)).filter(|lane| block.split >> lane & 1 != 0);
            lanes.map(move |lane| Piece {
                triangle: numbers[block.first as usize + lane].to_native(),
                corners: corners(block, lane),
                bounds,
            })
        })
        .collect();
    pieces.sort_by_key(|piece| piece.triangle);
    let triangles: Vec<&[Piece]> = pieces.chunk_by(|a, b| a.triangle == b.triangle).collect();
    let faults = triangles.into_par_iter().filter_map(|pieces| {
        let boxes: Vec<Aabb> = pieces.iter().map(|piece| piece.bounds).collect();
        let point = coverage::uncovered(pieces[0].corners, &boxes)?;
        Some((pieces[0].triangle, point))
    });
    match faults.min_by_key(|(triangle, _)| *triangle) {
        Some((triangle, point)) => Err(TreeFault::Uncovered { triangle, point }),
        None => Ok(()),
    }
}

/// A block that holds a split triangle: the triangle, and the box of the block's slot.
struct Piece {
    triangle: u32,
    corners: [[f32; 3]; 3],
    bounds: Aabb,
}
