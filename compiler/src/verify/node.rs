//! Checks one node: slots, references, visiting orders.

use bvhc_format::record::{Child, EMPTY_PLANE, NODE_WIDTH, WideNode};

/// What is wrong with a node.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeFault {
    /// A node without children.
    #[error("it has no child (T8)")]
    NoChild,
    /// An empty slot precedes a used one.
    #[error("slot {slot} is used, but an empty one stands before it (T8)")]
    Hole {
        /// The used slot.
        slot: usize,
    },
    /// An empty slot does not hold the planes of the empty box, which no query hits.
    #[error("slot {slot} is empty, but its plane {plane} is {found:e} instead of {expected:e} (T9)")]
    EmptyPlane {
        /// The slot.
        slot: usize,
        /// The plane: 0 to 5 are lower x, upper x, lower y, upper y, lower z, upper z.
        plane: usize,
        /// What it is.
        found: f32,
        /// What it must be.
        expected: f32,
    },
    /// A plane is NaN or infinite.
    #[error("slot {slot}: plane {plane} is {found}, which is not finite (T10)")]
    Plane {
        /// The slot.
        slot: usize,
        /// The plane, as above.
        plane: usize,
        /// What it is.
        found: f32,
    },
    /// A child does not exist.
    #[error("slot {slot}: it refers to {kind} {found}, but there are {count} (T7)", kind = kind_name(*.block))]
    OutOfRange {
        /// The slot.
        slot: usize,
        /// Whether the child is a block.
        block: bool,
        /// Its index.
        found: u32,
        /// How many there are.
        count: usize,
    },
    /// A child does not follow its parent.
    #[error("slot {slot}: it refers to node {found}, which does not stand after it (T6)")]
    Backward {
        /// The slot.
        slot: usize,
        /// The child.
        found: u32,
    },
    /// An octant's order contains a slot twice.
    #[error("the order of octant {octant} is {found:?}, which is not a permutation of the slots (T11)")]
    Order {
        /// The octant.
        octant: usize,
        /// The slots in their order.
        found: [u8; NODE_WIDTH],
    },
    /// An octant's order is not the reverse of the opposite octant's.
    #[error("the orders of octant {octant} and of the opposite one are not reversed (T11)")]
    NotReversed {
        /// The lower of the octants.
        octant: usize,
    },
    /// A child's box does not contain all triangles below it, grown.
    #[error(
        "slot {slot}: plane {plane} is {found:e}; the triangles below need it at {limit:e} or farther out (T10)"
    )]
    Outside {
        /// The slot.
        slot: usize,
        /// The plane, as above.
        plane: usize,
        /// What it is.
        found: f32,
        /// The innermost position allowed.
        limit: f32,
    },
    /// The box of a child node does not contain the boxes in that node.
    #[error("slot {slot}: plane {plane} is {found:e}; the boxes of the node below reach to {limit:e} (T13)")]
    NotNested {
        /// The slot.
        slot: usize,
        /// The plane, as above.
        plane: usize,
        /// What it is.
        found: f32,
        /// The innermost position allowed.
        limit: f32,
    },
}

fn kind_name(block: bool) -> &'static str {
    if block { "block" } else { "node" }
}

/// What references to blocks may refer to: how many blocks there are, and whether there is one of a reference.
pub(super) type Blocks<'a> = (usize, &'a dyn Fn(u32) -> bool);

/// T6 to T9 and T11, and that planes are finite.
pub(super) fn check(
    node: &WideNode,
    index: usize,
    nodes: usize,
    blocks: Blocks<'_>,
) -> Result<(), NodeFault> {
    let mut used = 0;
    for slot in 0..NODE_WIDTH {
        let child = node.child(slot);
        if child == Child::Empty {
            check_empty(node, slot)?;
            continue;
        }
        if slot != used {
            return Err(NodeFault::Hole { slot });
        }
        used += 1;
        check_child(child, slot, index, nodes, blocks)?;
        let planes = || node.planes.iter().map(|planes| planes[slot]).enumerate();
        if let Some((plane, found)) = planes().find(|(_, found)| !found.is_finite()) {
            return Err(NodeFault::Plane { slot, plane, found });
        }
    }
    if used == 0 {
        return Err(NodeFault::NoChild);
    }
    check_order(&node.order)
}

fn check_child(
    child: Child,
    slot: usize,
    index: usize,
    nodes: usize,
    (count, is_block): Blocks<'_>,
) -> Result<(), NodeFault> {
    match child {
        Child::Node(found) if found as usize >= nodes => {
            Err(NodeFault::OutOfRange { slot, block: false, found, count: nodes })
        }
        Child::Node(found) if found as usize <= index => Err(NodeFault::Backward { slot, found }),
        Child::Block(found) if !is_block(found) => {
            Err(NodeFault::OutOfRange { slot, block: true, found, count })
        }
        Child::Node(_) | Child::Block(_) | Child::Empty => Ok(()),
    }
}

fn check_empty(node: &WideNode, slot: usize) -> Result<(), NodeFault> {
    for (plane, planes) in node.planes.iter().enumerate() {
        let (found, expected) = (planes[slot], if plane % 2 == 0 { EMPTY_PLANE } else { -EMPTY_PLANE });
        if found.to_bits() != expected.to_bits() {
            return Err(NodeFault::EmptyPlane { slot, plane, found, expected });
        }
    }
    Ok(())
}

fn check_order(words: &[u32; NODE_WIDTH]) -> Result<(), NodeFault> {
    let slots = |octant: usize| words.map(|word| (word >> (4 * octant) & 15) as u8);
    for octant in 0..8 {
        let found = slots(octant);
        if found.iter().fold(0u16, |seen, slot| seen | 1 << slot) != u16::MAX {
            return Err(NodeFault::Order { octant, found });
        }
    }
    let is_reversed = |octant: &usize| slots(*octant).iter().rev().eq(&slots(7 - *octant));
    match (0..4).find(|octant| !is_reversed(octant)) {
        Some(octant) => Err(NodeFault::NotReversed { octant }),
        None => Ok(()),
    }
}
