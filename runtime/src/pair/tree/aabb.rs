//! The AABB tree read as an OBB tree, for models without one: a node of sixteen becomes five of at most four, and a
//! block becomes a node of up to four leaves, rebuilt at each visit. That is slow, but one walk serves both.

use bvhc_format::obb::{EMPTY_EXTENT, ObbNode, PAIR_WIDTH, PairRef};
use bvhc_format::record::{BLOCK_WIDTH, Block, Child, NODE_WIDTH, WideNode};

use crate::math::vector::Map3;
use crate::model::Model;
use crate::pair::leaf::Leaf;
use crate::pair::relative_pose::TreeFrame;
use crate::triangle::corners;

/// Marks the node ids that stand for a block. (Bit 31 marks leaves. So trees of more than 2^30 / 5 nodes, which take
/// more than 100 GiB, are not read to their end.)
const BLOCK_BIT: u32 = 1 << 30;

/// Node c of the AABB tree is read as node 5 c, whose children are its quarters 5 c + 1 to 5 c + 4.
const PARTS: u32 = 1 + (NODE_WIDTH / PAIR_WIDTH) as u32;

/// The nodes of an AABB tree.
#[derive(Clone, Copy)]
pub(crate) struct AabbNodes<'a> {
    model: &'a Model<'a>,
    /// What the boxes are made relative to.
    origin: [f32; 3],
}

impl<'a> AabbNodes<'a> {
    pub(super) fn of(model: &'a Model<'a>) -> Self {
        Self { model, origin: frame(model).origin }
    }

    #[cold]
    pub(super) fn make<'n>(&self, id: u32, scratch: &'n mut Option<ObbNode>) -> Option<&'n ObbNode> {
        let node = scratch.insert(ObbNode::EMPTY);
        if id & BLOCK_BIT != 0 {
            let block = self.model.sections().blocks().get(id & !BLOCK_BIT)?;
            let lanes = usize::from(block.triangles).min(BLOCK_WIDTH);
            for quad in 0..lanes.div_ceil(PAIR_WIDTH) {
                let count = (lanes - PAIR_WIDTH * quad).min(PAIR_WIDTH);
                let bounds = quad_bounds(&block, quad, count);
                self.put(node, quad, bounds, PairRef::leaf(quad as u32, count as u32).0);
            }
            return Some(node);
        }
        let (wide, part) = (self.model.sections().nodes().get((id / PARTS) as usize)?, id % PARTS);
        for slot in 0..PAIR_WIDTH {
            match part {
                0 => {
                    let slots = slot * PAIR_WIDTH..(slot + 1) * PAIR_WIDTH;
                    let boxes =
                        slots.filter(|slot| wide.child(*slot) != Child::Empty).map(|slot| planes(wide, slot));
                    if let Some(bounds) = boxes.reduce(union) {
                        self.put(node, slot, bounds, id + 1 + slot as u32);
                    }
                }
                _ => {
                    let of = (part as usize - 1) * PAIR_WIDTH + slot;
                    let reference = match wide.child(of % NODE_WIDTH) {
                        Child::Empty => continue,
                        Child::Node(index) if index <= id / PARTS => continue,
                        Child::Node(index) if index >= BLOCK_BIT / PARTS => continue,
                        Child::Node(index) => index * PARTS,
                        Child::Block(reference) if reference >= BLOCK_BIT => continue,
                        Child::Block(reference) => reference | BLOCK_BIT,
                    };
                    self.put(node, slot, planes(wide, of), reference);
                }
            }
        }
        Some(node)
    }

    /// Fills a slot of a node with an axis-aligned box.
    fn put(&self, node: &mut ObbNode, slot: usize, [lower, upper]: [[f32; 3]; 2], reference: u32) {
        for axis in 0..3 {
            let origin = f64::from(self.origin[axis]);
            let (lower, upper) = (f64::from(lower[axis]) - origin, f64::from(upper[axis]) - origin);
            let centre = (0.5 * (lower + upper)) as f32;
            let half = (upper - f64::from(centre)).max(f64::from(centre) - lower) as f32;
            node.centre[axis][slot] = centre;
            node.half_extents[axis][slot] = half.next_up().max(EMPTY_EXTENT);
        }
        node.children[slot] = reference;
    }
}

/// Upper bound of the node visits of a walk through this tree alone.
pub(super) fn size(model: &Model<'_>) -> u64 {
    u64::from(PARTS) * model.sections().nodes().len() as u64 + model.sections().blocks().count() as u64
}

/// The leaf in slot `part` of the node that stands for a block.
#[inline(always)]
pub(super) fn leaf(parent: u32, part: u32, triangles: u32) -> Leaf {
    Leaf { id: u64::from(parent & !BLOCK_BIT) * PAIR_WIDTH as u64 + u64::from(part), triangles }
}

/// The addresses of the triangles in a leaf.
pub(super) fn addresses(leaf: Leaf) -> [u64; PAIR_WIDTH] {
    let first = leaf.id * PAIR_WIDTH as u64;
    [0, 1, 2, 3].map(|lane| first + if lane < leaf.triangles { u64::from(lane) } else { 0 })
}

/// The reference of the block that a leaf is part of.
pub(super) fn block_of(leaf: Leaf) -> u32 {
    (leaf.id / PAIR_WIDTH as u64) as u32
}

/// Whether the leaf exists.
pub(super) fn has_leaf(model: &Model<'_>, leaf: Leaf) -> bool {
    let first = leaf.id as usize % PAIR_WIDTH * PAIR_WIDTH;
    let most = |block: Block| usize::from(block.triangles).min(BLOCK_WIDTH);
    model
        .sections()
        .blocks()
        .get(block_of(leaf))
        .is_some_and(|block| first + leaf.triangles as usize <= most(block))
}

pub(super) fn frame(model: &Model<'_>) -> TreeFrame {
    let bounds = model.bounds();
    let origin = [0, 1, 2].map3(|axis| 0.5 * bounds.min[axis] + 0.5 * bounds.max[axis]);
    let far = |axis: usize| (bounds.max[axis] - origin[axis]).max(origin[axis] - bounds.min[axis]);
    // Boxes are enlarged slightly beyond the bounds; the sum is an upper bound of the Euclidean length.
    TreeFrame { origin, radius: (far(0) + far(1) + far(2)) * 1.001 }
}

pub(super) fn planes(node: &WideNode, slot: usize) -> [[f32; 3]; 2] {
    let plane = |index: usize| node.planes[index][slot % NODE_WIDTH];
    [[plane(0), plane(2), plane(4)], [plane(1), plane(3), plane(5)]]
}

fn union([a, b]: [[f32; 3]; 2], [c, d]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
    [[0, 1, 2].map3(|axis| a[axis].min(c[axis])), [0, 1, 2].map3(|axis| b[axis].max(d[axis]))]
}

fn quad_bounds(block: &Block, quad: usize, count: usize) -> [[f32; 3]; 2] {
    let lanes = PAIR_WIDTH * quad..PAIR_WIDTH * quad + count;
    around(lanes.flat_map(|lane| corners(block, lane)))
}

/// The box around points.
pub(super) fn around(points: impl IntoIterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    points.into_iter().map(|point| [point; 2]).fold([[f32::MAX; 3], [f32::MIN; 3]], union)
}

/// What two boxes have in common.
pub(super) fn common([a, b]: [[f32; 3]; 2], [c, d]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
    [core::array::from_fn(|axis| a[axis].max(c[axis])), core::array::from_fn(|axis| b[axis].min(d[axis]))]
}
