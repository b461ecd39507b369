//! Builds the tree over moving things, from the top down, without memory beside the tree's.
//!
//! Based on: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007 (planes on a fixed grid along one
//! axis). Departures: only the longest axis of the centres is tried; sets are split at multiples of eight things, so that
//! nodes are at least half full, and neither part has less than an eighth, so that the tree's depth is bounded: fifteen
//! splits of the largest set leave none with more than (7/8)^4 of the things, which from 2^24 on takes 29 levels.

use core::ops::Range;

use bvhc_format::NONE;
use bvhc_format::record::{ChildRef, NODE_WIDTH};
use bvhc_format::world::InstanceLeaf;

use super::memory::LEAVES_OF_NODE;
use super::tree::{Bounds, Tree, half_area, set_planes, union};

/// The sets between which a split is chosen.
const BINS: usize = 16;

/// Smaller sets are halved.
const SMALL: usize = 32;

/// Builds the tree over all things that are enabled, whether or not they are in the old one.
pub(super) fn build(tree: &mut Tree<'_>) {
    let mut count = 0;
    for thing in 0..tree.used {
        tree.memory.addresses[thing] = NONE;
        if tree.memory.states[thing] == super::memory::ENABLED {
            tree.memory.order[count] = thing as u32;
            count += 1;
        }
    }
    tree.len = count;
    tree.clear();
    // Until a node is divided, its set is in these two lists, which are not used otherwise meanwhile.
    set_range(tree, 0, 0..count);
    let mut node = 0;
    while node < tree.node_count {
        divide(tree, node);
        node += 1;
    }
    for node in 0..tree.node_count {
        tree.memory.loose[node] = 1;
    }
    tree.refit();
    for node in 0..tree.node_count {
        tree.memory.nodes[node].order = visiting_order(&tree.memory.nodes[node].planes);
    }
}

fn set_range(tree: &mut Tree<'_>, node: usize, range: Range<usize>) {
    tree.memory.loose[node] = range.start as u32;
    tree.memory.node_layers[node] = (range.end as u32).into();
}

/// Makes the children of a node.
fn divide(tree: &mut Tree<'_>, node: usize) {
    let range = tree.memory.loose[node] as usize..tree.memory.node_layers[node].to_native() as usize;
    if range.len() <= NODE_WIDTH {
        for (slot, at) in range.enumerate() {
            let thing = tree.memory.order[at];
            let address = (NODE_WIDTH * node + slot) as u32;
            tree.memory.addresses[thing as usize] = address;
            let bounds = tree.memory.leaves[thing as usize].bounds;
            set_planes(&mut tree.memory.nodes[node], slot, &bounds);
            tree.memory.nodes[node].children[slot] = ChildRef::block(thing).0;
        }
        return;
    }
    let mut sets = [const { 0..0 }; NODE_WIDTH];
    let mut count = 1;
    sets[0] = range;
    while count < NODE_WIDTH {
        let largest = (0..count).rev().max_by_key(|set| sets[*set].len()).unwrap_or(0);
        let set = sets[largest].clone();
        if set.len() <= NODE_WIDTH {
            break;
        }
        let middle = set.start + split(tree.memory.leaves, &mut tree.memory.order[set.clone()]);
        sets[largest] = set.start..middle;
        sets[count] = middle..set.end;
        count += 1;
    }
    for (slot, set) in sets.into_iter().take(count).enumerate() {
        // There is memory for all that the builder makes.
        let Some(child) = tree.add_node((NODE_WIDTH * node + slot) as u32) else { return };
        tree.memory.nodes[node].children[slot] = ChildRef::node(child as u32).0;
        set_range(tree, child, set);
    }
}

/// Sorts things into two sets; returns the size of the first.
fn split(leaves: &[InstanceLeaf], things: &mut [u32]) -> usize {
    let bounds = |thing: u32| &leaves[thing as usize].bounds;
    let (mut lower, mut upper) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for thing in &*things {
        for axis in 0..3 {
            let centre = centre(bounds(*thing), axis);
            (lower[axis], upper[axis]) = (lower[axis].min(centre), upper[axis].max(centre));
        }
    }
    let extent = [0, 1, 2].map(|axis| upper[axis] - lower[axis]);
    let axis = (0..3).fold(0, |longest, axis| if extent[axis] > extent[longest] { axis } else { longest });
    let wanted = if things.len() <= SMALL || extent[axis] <= 0.0 {
        things.len() / 2
    } else {
        best_plane(leaves, things, axis, lower[axis], extent[axis])
    };
    let middle = rounded(wanted, things.len());
    things.select_nth_unstable_by(middle, |a, b| {
        let key = |thing: u32| centre(bounds(thing), axis);
        key(*a).total_cmp(&key(*b)).then(a.cmp(b))
    });
    middle
}

/// A multiple of eight that leaves an eighth of the things, and eight, on either side.
fn rounded(wanted: usize, count: usize) -> usize {
    let least = (count / 8).next_multiple_of(LEAVES_OF_NODE).max(LEAVES_OF_NODE);
    let most = (count - least) / LEAVES_OF_NODE * LEAVES_OF_NODE;
    ((wanted + LEAVES_OF_NODE / 2) / LEAVES_OF_NODE * LEAVES_OF_NODE).clamp(least.min(most), most)
}

/// How many things are before the cheapest plane of the grid.
fn best_plane(leaves: &[InstanceLeaf], things: &[u32], axis: usize, lower: f32, extent: f32) -> usize {
    let mut bins: [(usize, Option<Bounds>); BINS] = [(0, None); BINS];
    let scale = BINS as f32 / extent;
    for thing in things {
        let bounds = &leaves[*thing as usize].bounds;
        let bin = (((centre(bounds, axis) - lower) * scale) as usize).min(BINS - 1);
        let (count, all) = &mut bins[bin];
        *count += 1;
        *all = joined(all.as_ref(), Some(bounds));
    }
    // The cost of what is from each bin on.
    let (mut costs, mut all, mut count) = ([0.0; BINS], None, 0);
    for bin in (1..BINS).rev() {
        all = joined(all.as_ref(), bins[bin].1.as_ref());
        count += bins[bin].0;
        costs[bin] = all.as_ref().map_or(0.0, half_area) * count as f64;
    }
    let (mut best, mut all, mut count) = ((f64::INFINITY, things.len() / 2), None, 0);
    for bin in 1..BINS {
        all = joined(all.as_ref(), bins[bin - 1].1.as_ref());
        count += bins[bin - 1].0;
        let cost = costs[bin] + all.as_ref().map_or(0.0, half_area) * count as f64;
        if cost < best.0 {
            best = (cost, count);
        }
    }
    best.1
}

fn joined(a: Option<&Bounds>, b: Option<&Bounds>) -> Option<Bounds> {
    match (a, b) {
        (Some(a), Some(b)) => Some(union(a, b)),
        (one, other) => one.or(other).copied(),
    }
}

/// Twice the centre of a box on an axis.
fn centre(bounds: &Bounds, axis: usize) -> f32 {
    bounds[axis] + bounds[axis + 3]
}

/// The order words of a node: its slots by their centres along each octant's diagonal, as the compiler orders them.
/// Empty slots are last, or first.
fn visiting_order(planes: &[[f32; NODE_WIDTH]; 6]) -> [u32; NODE_WIDTH] {
    let mut words = [0; NODE_WIDTH];
    for octant in 0..4u32 {
        let mut keys = [0.0f32; NODE_WIDTH];
        for axis in 0..3 {
            let sign = if octant >> axis & 1 != 0 { -1.0 } else { 1.0 };
            for (slot, key) in keys.iter_mut().enumerate() {
                *key += sign * (planes[2 * axis][slot] + planes[2 * axis + 1][slot]);
            }
        }
        for slot in 0..NODE_WIDTH {
            let mut rank = 0;
            for other in 0..NODE_WIDTH {
                let is_before = keys[other] < keys[slot] || (keys[other] == keys[slot] && other < slot);
                rank += usize::from(is_before);
            }
            words[rank % NODE_WIDTH] |= (slot as u32) << (4 * octant);
            words[NODE_WIDTH - 1 - rank % NODE_WIDTH] |= (slot as u32) << (4 * (7 - octant));
        }
    }
    words
}
