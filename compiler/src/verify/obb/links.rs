//! The structure of a tree for pairs of models: every node is referenced once, every leaf at most once and in order, and
//! every triangle is in one leaf.

use bvhc_format::obb::{PAIR_WIDTH, PairChild, PairRef};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::ObbFault;
use crate::verify::checked::Checked;
use crate::verify::leaves::Leaf;

/// The child references of a node.
pub(in crate::verify) type Links = [u32; PAIR_WIDTH];

/// A slot of a node.
#[derive(Clone, Copy)]
pub(in crate::verify) struct Place {
    pub(in crate::verify) node: usize,
    pub(in crate::verify) slot: usize,
}

/// The parents of a tree's nodes and leaves.
pub(in crate::verify) struct Plan<'a> {
    links: &'a [Links],
    /// The slot that refers to each node, except node 0.
    pub(in crate::verify) parents: Vec<Option<Place>>,
    /// The slot that refers to each leaf, if one of this tree does.
    leaves: Vec<Option<Place>>,
    pub(in crate::verify) depth: u32,
}

/// The slots of a node, with what they refer to.
pub(super) fn slots(links: &Links) -> impl Iterator<Item = (usize, PairChild)> + '_ {
    links.iter().map(|reference| PairRef(*reference).get()).enumerate()
}

impl<'a> Plan<'a> {
    /// B2 and B3, on valid references. Trees must be checked in the order of their kinds.
    pub(in crate::verify) fn of(
        links: &'a [Links],
        checked: &Checked<'_>,
        depth: u32,
    ) -> Result<Self, ObbFault> {
        if links.is_empty() {
            return Err(ObbFault::NoRoot);
        }
        let parents = parents(links)?;
        let leaves = leaf_places(links, checked)?;
        let depth = check_depth(depth, &parents)?;
        Ok(Self { links, parents, leaves, depth })
    }

    /// How many leaves the tree has.
    pub(in crate::verify) fn leaf_count(&self) -> usize {
        self.leaves.iter().flatten().count()
    }

    /// How many lanes of a leaf hold triangles, according to the slot that refers to it.
    fn used_lanes(&self, place: Place) -> usize {
        match PairRef(self.links[place.node][place.slot]).get() {
            PairChild::Leaf(_, triangles) => triangles as usize,
            PairChild::Node(_) | PairChild::Empty => 0,
        }
    }

    /// Whether a slot, or one below it, refers to this leaf, and the lane is used.
    pub(super) fn holds(&self, above: Place, leaf: usize, lane: usize) -> bool {
        let place = self.leaves.get(leaf).copied().flatten();
        let mut place = place.filter(|place| lane < self.used_lanes(*place));
        while let Some(Place { node, slot }) = place {
            if (node, slot) == (above.node, above.slot) {
                return true;
            }
            place = self.parents[node];
        }
        false
    }

    /// B14 and B15
    pub(in crate::verify) fn check_leaves(&self, leaves: &[Leaf], triangles: u64) -> Result<(), ObbFault> {
        let check =
            |_, leaf: &Leaf, used| (used..PAIR_WIDTH).find(|lane| leaf.addresses[*lane] != leaf.addresses[0]);
        if let Some((leaf, lane)) = self.first_fault(leaves, check) {
            return Err(ObbFault::UnusedLane { leaf, lane });
        }
        self.check_numbers(leaves, triangles)
    }

    /// The fault of the first leaf that has one, in the order of leaves, regardless of threads. `check` gets a leaf's
    /// slot, its record and the number of its used lanes.
    pub(in crate::verify) fn first_fault<F: Send>(
        &self,
        leaves: &[Leaf],
        check: impl Fn(Place, &Leaf, usize) -> Option<F> + Sync,
    ) -> Option<(usize, F)> {
        let checked = leaves.par_iter().zip(&self.leaves).enumerate();
        let faults = checked.filter_map(|(index, (leaf, place))| {
            let place = (*place)?;
            Some((index, check(place, leaf, self.used_lanes(place))?))
        });
        faults.min_by_key(|(index, _)| *index)
    }

    /// B15, on valid triangle numbers.
    fn check_numbers(&self, leaves: &[Leaf], triangles: u64) -> Result<(), ObbFault> {
        let mut seen = vec![false; triangles as usize];
        for (leaf, (record, place)) in leaves.iter().zip(&self.leaves).enumerate() {
            let used = place.map_or(0, |place| self.used_lanes(place));
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
fn parents(links: &[Links]) -> Result<Vec<Option<Place>>, ObbFault> {
    let (mut parents, mut counts) = (vec![None; links.len()], vec![0u32; links.len()]);
    for (index, node) in links.iter().enumerate() {
        for (slot, child) in slots(node) {
            if let PairChild::Node(child) = child {
                parents[child as usize] = Some(Place { node: index, slot });
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
fn leaf_places(links: &[Links], checked: &Checked<'_>) -> Result<Vec<Option<Place>>, ObbFault> {
    let mut places = vec![None; checked.leaves().len()];
    let mut next = checked.referenced_leaves.get();
    for (node, record) in links.iter().enumerate() {
        for (slot, child) in slots(record) {
            if let PairChild::Leaf(found, _) = child {
                if found as usize > next && !checked.skips_trees {
                    return Err(ObbFault::LeafOrder { node, slot, found, expected: next });
                }
                if places[found as usize].replace(Place { node, slot }).is_some() {
                    return Err(ObbFault::LeafTwice { node, slot, leaf: found });
                }
                next = next.max(found as usize + 1);
            }
        }
    }
    checked.referenced_leaves.set(next);
    Ok(places)
}

/// B2. Relies on parents preceding their children.
fn check_depth(found: u32, parents: &[Option<Place>]) -> Result<u32, ObbFault> {
    let mut levels = vec![1u32; parents.len()];
    for (node, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            levels[node] = levels[parent.node] + 1;
        }
    }
    let expected = levels.into_iter().max().unwrap_or(0);
    if found == expected { Ok(expected) } else { Err(ObbFault::Depth { found, expected }) }
}
