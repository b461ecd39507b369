//! Checks one node of the tree of oriented boxes: slots, references, and the range of numbers.

use bvhc_format::obb::{ObbNode, PAIR_WIDTH, PairChild};

use crate::verify::plan::{Links, slots};

/// What is wrong with a node of the tree of oriented boxes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObbNodeFault {
    /// A node without children.
    #[error("it has no child (B6)")]
    NoChild,
    /// An empty slot precedes a used one.
    #[error("slot {slot} is used, but an empty one stands before it (B6)")]
    Hole {
        /// The used slot.
        slot: usize,
    },
    /// An empty slot does not hold the empty box, which collides with nothing.
    #[error("slot {slot} is empty, but its number {number} is {found:e} instead of {expected:e} (B7)")]
    Empty {
        /// The slot.
        slot: usize,
        /// Which number: 0 to 3 are the quaternion, 4 to 6 the centre, 7 to 9 the half extents.
        number: usize,
        /// What it is.
        found: f32,
        /// What it must be.
        expected: f32,
    },
    /// An empty slot of a packed node has a number that is not zero.
    #[error("slot {slot} is empty, but not all its numbers are zero (B17)")]
    PackedEmpty {
        /// The slot.
        slot: usize,
    },
    /// A child does not exist.
    #[error("slot {slot}: it refers to {kind} {found}, but there are {count} (B5)", kind = kind_name(*.leaf))]
    OutOfRange {
        /// The slot.
        slot: usize,
        /// Whether the child is a leaf.
        leaf: bool,
        /// Its index.
        found: u32,
        /// How many there are.
        count: usize,
    },
    /// A child does not follow its parent.
    #[error("slot {slot}: it refers to node {found}, which does not stand after it (B4)")]
    Backward {
        /// The slot.
        slot: usize,
        /// The child.
        found: u32,
    },
    /// A quaternion does not have unit length.
    #[error("slot {slot}: its quaternion is {found} long instead of 1 (B8)")]
    Quaternion {
        /// The slot.
        slot: usize,
        /// Its length.
        found: f64,
    },
    /// A centre is not finite, or a half extent is negative or not finite.
    #[error("slot {slot}: its number {number} is {found}, which no box has (B9)")]
    Number {
        /// The slot.
        slot: usize,
        /// The number, as above.
        number: usize,
        /// What it is.
        found: f32,
    },
    /// A triangle below a box is not inside it.
    #[error(
        "slot {slot}: triangle {triangle} reaches {found:e} along axis {axis} of its box, whose half extent is {limit:e} (B9)"
    )]
    Outside {
        /// The slot.
        slot: usize,
        /// The triangle.
        triangle: u32,
        /// The axis of the box, 0 to 2.
        axis: usize,
        /// The largest distance of the triangle from the centre along the axis.
        found: f64,
        /// The half extent.
        limit: f32,
    },
    /// A reserved word is not zero.
    #[error("its reserved words are {found:?} instead of zero (B16)")]
    Reserved {
        /// What they are.
        found: [u32; 4],
    },
}

fn kind_name(leaf: bool) -> &'static str {
    if leaf { "leaf" } else { "node" }
}

/// How far the length of a quaternion may be from 1 (B8).
const LENGTH_TOLERANCE: f64 = 1.0 / (1 << 22) as f64;

/// B7, B8, B16, and that the numbers of boxes are finite.
pub(super) fn check(node: &ObbNode, used: usize) -> Result<(), ObbNodeFault> {
    (0..used).try_for_each(|slot| check_box(node, slot))?;
    (used..PAIR_WIDTH).try_for_each(|slot| check_empty(node, slot))?;
    if node.reserved == [0; 4] { Ok(()) } else { Err(ObbNodeFault::Reserved { found: node.reserved }) }
}

/// B4 to B6; returns how many slots are used.
pub(in crate::verify) fn check_children(
    links: &Links,
    index: usize,
    nodes: usize,
    leaves: usize,
) -> Result<usize, ObbNodeFault> {
    let mut used = 0;
    for (slot, child) in slots(links).filter(|(_, child)| *child != PairChild::Empty) {
        if slot != used {
            return Err(ObbNodeFault::Hole { slot });
        }
        used += 1;
        check_child(child, slot, index, (nodes, leaves))?;
    }
    if used == 0 { Err(ObbNodeFault::NoChild) } else { Ok(used) }
}

fn check_child(
    child: PairChild,
    slot: usize,
    index: usize,
    (nodes, leaves): (usize, usize),
) -> Result<(), ObbNodeFault> {
    match child {
        PairChild::Node(found) if found as usize >= nodes => {
            Err(ObbNodeFault::OutOfRange { slot, leaf: false, found, count: nodes })
        }
        PairChild::Node(found) if found as usize <= index => Err(ObbNodeFault::Backward { slot, found }),
        PairChild::Leaf(found, _) if found as usize >= leaves => {
            Err(ObbNodeFault::OutOfRange { slot, leaf: true, found, count: leaves })
        }
        PairChild::Node(_) | PairChild::Leaf(..) | PairChild::Empty => Ok(()),
    }
}

/// The quaternion, the centre and the half extents of a slot.
fn numbers(node: &ObbNode, slot: usize) -> [f32; 10] {
    let mut rows = node.rotation.iter().chain(&node.centre).chain(&node.half_extents);
    std::array::from_fn(|_| rows.next().map_or(0.0, |row: &[f32; PAIR_WIDTH]| row[slot]))
}

fn check_empty(node: &ObbNode, slot: usize) -> Result<(), ObbNodeFault> {
    let pairs = numbers(node, slot).into_iter().zip(numbers(&ObbNode::EMPTY, slot)).enumerate();
    match pairs.into_iter().find(|(_, (found, expected))| found.to_bits() != expected.to_bits()) {
        Some((number, (found, expected))) => Err(ObbNodeFault::Empty { slot, number, found, expected }),
        None => Ok(()),
    }
}

fn check_box(node: &ObbNode, slot: usize) -> Result<(), ObbNodeFault> {
    let numbers = numbers(node, slot);
    let found = numbers[..4].iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    let is_unit = (found - 1.0).abs() <= LENGTH_TOLERANCE;
    if !is_unit {
        return Err(ObbNodeFault::Quaternion { slot, found });
    }
    let is_wrong = |number: &usize| !numbers[*number].is_finite() || *number >= 7 && numbers[*number] < 0.0;
    match (4..10).find(is_wrong) {
        Some(number) => Err(ObbNodeFault::Number { slot, number, found: numbers[number] }),
        None => Ok(()),
    }
}
