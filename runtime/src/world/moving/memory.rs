//! The caller's memory, divided into the records of moving things.

use bvhc_format::record::WideNode;
use bvhc_format::world::{Instance, InstanceLeaf};
use bvhc_format::{ALIGNMENT, split_records};
use rkyv::rend::u32_le;

use super::changes::Held;
use super::error::MovingError;

/// The most things that one memory may hold: 2^24, so that addresses of slots fit into 32 bits.
pub(super) const MAX_CAPACITY: u32 = 1 << 24;

/// A builder makes nodes of at least this many leaves, where there are as many.
pub(super) const LEAVES_OF_NODE: usize = 8;

/// The records of moving things. Those of a thing are at its number.
pub(super) struct Memory<'m> {
    pub(super) nodes: &'m mut [WideNode],
    /// A box around each node: no smaller than its children's.
    pub(super) node_bounds: &'m mut [[f32; 6]],
    pub(super) node_layers: &'m mut [u32_le],
    /// The slot address of each node in its parent, which has a lower number; `NONE` of the root.
    pub(super) parents: &'m mut [u32],
    /// Whether a node may be larger than its children.
    pub(super) loose: &'m mut [u32],
    pub(super) held: Held<'m>,
    /// How often the number was given away.
    pub(super) generations: &'m mut [u32],
    /// The slot address of each thing's leaf; `NONE` if it is not in the tree.
    pub(super) addresses: &'m mut [u32],
    /// Of a number that is free, the next free one, or `NONE`; or one of [`ENABLED`] and [`DISABLED`].
    pub(super) states: &'m mut [u32],
    /// The layers of each thing, also while it is disabled.
    pub(super) layers: &'m mut [u32],
}

/// The state of a thing that queries see.
pub(super) const ENABLED: u32 = u32::MAX - 1;

/// The state of a thing that queries do not see.
pub(super) const DISABLED: u32 = u32::MAX - 2;

/// The most nodes that the builder makes: one for eight things, whose children are leaves, and fewer than that above them.
pub(super) fn built_nodes(capacity: usize) -> usize {
    2 * capacity.div_ceil(LEAVES_OF_NODE) + 1
}

/// How many nodes there may be. Those beside what the builder makes are for things that are added to full nodes; while it works,
/// it has its lists there, in 64 bytes a thing.
fn nodes_of(capacity: usize) -> usize {
    built_nodes(capacity) + capacity.div_ceil(LEAVES_OF_NODE)
}

/// The bytes of all records, with enough to start at any address.
pub(super) fn bytes_needed(capacity: u32) -> usize {
    let (capacity, nodes) =
        (capacity.min(MAX_CAPACITY) as usize, nodes_of(capacity.min(MAX_CAPACITY) as usize));
    let of_node = size_of::<WideNode>() + size_of::<[f32; 6]>() + 3 * size_of::<u32>();
    let of_thing =
        size_of::<Instance>() + size_of::<InstanceLeaf>() + size_of::<u64>() + 4 * size_of::<u32>();
    // On 32-bit targets the most things take more bytes than there are addresses.
    nodes
        .saturating_mul(of_node)
        .saturating_add(capacity.saturating_mul(of_thing))
        .saturating_add(ALIGNMENT - 1)
}

impl<'m> Memory<'m> {
    pub(super) fn of(bytes: &'m mut [u8], capacity: u32) -> Result<Self, MovingError> {
        if capacity > MAX_CAPACITY {
            return Err(MovingError::Capacity { found: capacity, most: MAX_CAPACITY });
        }
        let (needed, found) = (bytes_needed(capacity), bytes.len());
        Self::divide(bytes, capacity as usize).ok_or(MovingError::Memory { needed, found })
    }

    /// By falling alignment, so that there is no gap.
    fn divide(bytes: &'m mut [u8], things: usize) -> Option<Self> {
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        let (nodes_many, rest) = (nodes_of(things), bytes.get_mut(start..)?);
        let (nodes, rest) = split_records(rest, nodes_many)?;
        let (records, rest) = split_records(rest, things)?;
        let (leaves, rest) = split_records(rest, things)?;
        let (changed, rest) = split_records(rest, things)?;
        let (node_bounds, rest) = split_records(rest, nodes_many)?;
        let (node_layers, rest) = split_records(rest, nodes_many)?;
        let (parents, rest) = split_records(rest, nodes_many)?;
        let (loose, rest) = split_records(rest, nodes_many)?;
        let (generations, rest) = split_records(rest, things)?;
        let (addresses, rest) = split_records(rest, things)?;
        let (states, rest) = split_records(rest, things)?;
        let (layers, _) = split_records(rest, things)?;
        Some(Self {
            nodes,
            node_bounds,
            node_layers,
            parents,
            loose,
            held: Held::of(records, leaves, changed),
            generations,
            addresses,
            states,
            layers,
        })
    }

    /// Takes over so many nodes and things of other memory.
    pub(super) fn copy_from(&mut self, other: &Memory<'_>, nodes: usize, things: usize) {
        self.nodes[..nodes].copy_from_slice(&other.nodes[..nodes]);
        self.node_bounds[..nodes].copy_from_slice(&other.node_bounds[..nodes]);
        self.node_layers[..nodes].copy_from_slice(&other.node_layers[..nodes]);
        self.parents[..nodes].copy_from_slice(&other.parents[..nodes]);
        self.loose[..nodes].copy_from_slice(&other.loose[..nodes]);
        self.held.copy_from(&other.held, things);
        self.generations[..things].copy_from_slice(&other.generations[..things]);
        self.addresses[..things].copy_from_slice(&other.addresses[..things]);
        self.states[..things].copy_from_slice(&other.states[..things]);
        self.layers[..things].copy_from_slice(&other.layers[..things]);
    }
}
