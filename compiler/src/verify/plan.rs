//! The structure of a tree for pairs of models: every node is referenced once, every leaf at most once and in order, and
//! every triangle is in one leaf.

use bvhc_format::obb::{PAIR_WIDTH, PairChild, PairRef};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::checked::Checked;
use super::leaves::{Leaf, exact_corners};
use super::obb::{ObbFault, check_children};
use crate::math::vector::{Vector, subtract};

/// The child references of a node.
pub(crate) type Links = [u32; PAIR_WIDTH];

/// A slot of a node.
#[derive(Clone, Copy)]
pub(crate) struct SlotAddress {
    pub(crate) node: usize,
    pub(crate) slot: usize,
}

/// The parents of a tree's nodes and leaves.
pub(crate) struct Plan<'a> {
    links: &'a [Links],
    /// The slot that refers to each node, except node 0.
    parents: Vec<Option<SlotAddress>>,
    /// The slot that refers to each leaf, if one of this tree does.
    leaves: Vec<Option<SlotAddress>>,
    pub(crate) depth: u32,
    /// How many slots of each node are used.
    used: Vec<usize>,
}

/// The slots of a node, with what they refer to.
pub(crate) fn slots(links: &Links) -> impl Iterator<Item = (usize, PairChild)> + '_ {
    links.iter().map(|reference| PairRef(*reference).get()).enumerate()
}

impl<'a> Plan<'a> {
    /// B2 to B6. Trees must be checked in the order of their kinds.
    pub(crate) fn of(links: &'a [Links], checked: &Checked<'_>, depth: u32) -> Result<Self, ObbFault> {
        if links.is_empty() {
            return Err(ObbFault::NoRoot);
        }
        let used = links.iter().enumerate().map(|(node, of_node)| {
            check_children(of_node, node, links.len(), checked.leaves().len())
                .map_err(|fault| ObbFault::Node { node, fault })
        });
        let used = used.collect::<Result<_, _>>()?;
        let parents = parents(links)?;
        let leaves = leaf_slots(links, checked)?;
        let depth = check_depth(depth, &parents)?;
        Ok(Self { links, parents, leaves, depth, used })
    }

    /// How many slots of a node are used, which are the first ones.
    pub(crate) fn used(&self, node: usize) -> usize {
        self.used[node]
    }

    /// How many leaves the tree has.
    pub(crate) fn leaf_count(&self) -> usize {
        self.leaves.iter().flatten().count()
    }

    /// How many lanes of a leaf hold triangles, according to the slot that refers to it.
    fn used_lanes(&self, address: SlotAddress) -> usize {
        match PairRef(self.links[address.node][address.slot]).get() {
            PairChild::Leaf(_, triangles) => triangles as usize,
            PairChild::Node(_) | PairChild::Empty => 0,
        }
    }

    /// Whether a slot, or one below it, refers to this leaf, and the lane is used.
    pub(crate) fn holds(&self, above: SlotAddress, leaf: usize, lane: usize) -> bool {
        let address = self.leaves.get(leaf).copied().flatten();
        let mut address = address.filter(|address| lane < self.used_lanes(*address));
        while let Some(SlotAddress { node, slot }) = address {
            if (node, slot) == (above.node, above.slot) {
                return true;
            }
            address = self.parents[node];
        }
        false
    }

    /// B14 and B15
    pub(crate) fn check_leaves(&self, checked: &Checked<'_>) -> Result<(), ObbFault> {
        let leaves = checked.leaves();
        let check =
            |_, leaf: &Leaf, used| (used..PAIR_WIDTH).find(|lane| leaf.addresses[*lane] != leaf.addresses[0]);
        if let Some((leaf, lane)) = self.first_fault(leaves, check) {
            return Err(ObbFault::UnusedLane { leaf, lane });
        }
        self.check_numbers(leaves, checked.triangles())
    }

    /// The first fault of a slot above a triangle, in the order of leaves and from the leaf's slot upward. `check` gets the
    /// slot, the triangle's number and its corners, relative to `origin`.
    pub(crate) fn first_outside<F: Send>(
        &self,
        checked: &Checked<'_>,
        origin: Vector,
        check: impl Fn(SlotAddress, u32, &[Vector; 3]) -> Option<F> + Sync,
    ) -> Option<F> {
        let above_lane = |address: SlotAddress, leaf: &Leaf, lane: usize| {
            let corners = exact_corners(leaf, lane, checked.table)
                .map(|corner| subtract(corner.map(f64::from), origin));
            let mut above = std::iter::successors(Some(address), |address| self.parents[address.node]);
            above.find_map(|address| check(address, leaf.triangles[lane], &corners))
        };
        let check = |address, leaf: &Leaf, used| (0..used).find_map(|lane| above_lane(address, leaf, lane));
        self.first_fault(checked.leaves(), check).map(|(_, fault)| fault)
    }

    /// The fault of the first leaf that has one, in the order of leaves, regardless of threads. `check` gets a leaf's
    /// slot, its record and the number of its used lanes.
    fn first_fault<F: Send>(
        &self,
        leaves: &[Leaf],
        check: impl Fn(SlotAddress, &Leaf, usize) -> Option<F> + Sync,
    ) -> Option<(usize, F)> {
        let checked = leaves.par_iter().zip(&self.leaves).enumerate();
        let faults = checked.filter_map(|(index, (leaf, address))| {
            let address = (*address)?;
            Some((index, check(address, leaf, self.used_lanes(address))?))
        });
        faults.min_by_key(|(index, _)| *index)
    }

    /// B15, on valid triangle numbers.
    fn check_numbers(&self, leaves: &[Leaf], triangles: u64) -> Result<(), ObbFault> {
        let mut seen = vec![false; triangles as usize];
        for (leaf, (record, address)) in leaves.iter().zip(&self.leaves).enumerate() {
            let used = address.map_or(0, |address| self.used_lanes(address));
            for &triangle in &record.triangles[..used] {
                if std::mem::replace(&mut seen[triangle as usize], true) {
                    return Err(ObbFault::Repeated { leaf, triangle });
                }
            }
        }
        seen.iter().position(|seen| !seen).map_or(Ok(()), |triangle| Err(ObbFault::Missing { triangle }))
    }
}

/// B3 for nodes.
fn parents(links: &[Links]) -> Result<Vec<Option<SlotAddress>>, ObbFault> {
    let (mut parents, mut counts) = (vec![None; links.len()], vec![0u32; links.len()]);
    for (index, node) in links.iter().enumerate() {
        for (slot, child) in slots(node) {
            if let PairChild::Node(child) = child {
                parents[child as usize] = Some(SlotAddress { node: index, slot });
                counts[child as usize] += 1;
            }
        }
    }
    let wrong = |(node, found): (usize, u32)| {
        let expected = u32::from(node != 0);
        (found != expected).then_some(ObbFault::NodeReferences { node, found, expected })
    };
    counts.into_iter().enumerate().find_map(wrong).map_or(Ok(parents), Err)
}

/// B3 for leaves.
fn leaf_slots(links: &[Links], checked: &Checked<'_>) -> Result<Vec<Option<SlotAddress>>, ObbFault> {
    let mut found_at = vec![None; checked.leaves().len()];
    let mut next = checked.referenced_leaves.get();
    for (node, record) in links.iter().enumerate() {
        for (slot, child) in slots(record) {
            if let PairChild::Leaf(found, _) = child {
                if found as usize > next && !checked.skips_trees {
                    return Err(ObbFault::LeafOrder { node, slot, found, expected: next });
                }
                if found_at[found as usize].replace(SlotAddress { node, slot }).is_some() {
                    return Err(ObbFault::LeafTwice { node, slot, leaf: found });
                }
                next = next.max(found as usize + 1);
            }
        }
    }
    checked.referenced_leaves.set(next);
    Ok(found_at)
}

/// B2. Relies on parents preceding their children.
fn check_depth(found: u32, parents: &[Option<SlotAddress>]) -> Result<u32, ObbFault> {
    let mut levels = vec![1u32; parents.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            levels[node] = levels[parent.node] + 1;
        }
    }
    let expected = levels.into_iter().max().unwrap_or(0);
    if found == expected { Ok(expected) } else { Err(ObbFault::Depth { found, expected }) }
}
