//! Builds the tree over moving things, from the top down, in the part of its memory that new trees leave free.
//!
//! Boxes are copied there and sorted between two lists, so that all passes read and write consecutive memory.
//!
//! Based on: Wald, "On fast Construction of SAH-based Bounding Volume Hierarchies", 2007 (planes on a fixed grid along one
//! axis). Departures: only the longest axis of the centres is tried; sets are split at multiples of eight things, so that
//! nodes are at least half full, and neither part has less than an eighth, so that the tree's depth is bounded: fifteen
//! splits of the largest set leave none with more than (7/8)^4 of the things, which from 2^24 on takes 29 levels.

use core::ops::Range;

use bvhc_format::record::{ChildRef, EMPTY_PLANE, NODE_WIDTH, WideNode};
use bvhc_format::{NONE, bytes_of_records, split_records};
use rkyv::rend::u32_le;

use super::memory::{ENABLED, LEAVES_OF_NODE, built_nodes};
use super::order::visiting_order;
use super::tree::{Bounds, Tree};

/// The sets between which a split is chosen.
const BINS: usize = 16;

/// Smaller sets are halved.
const SMALL: usize = 32;

/// A thing's box: lower x, y, z, the thing's number as bits, negated upper x, y, z, and zero. So a union of boxes is one minimum.
type Entry = [f32; 8];

/// The entry of nothing.
const NOTHING: Entry = [EMPTY_PLANE; 8];

/// Builds the tree over all things that are enabled, whether or not they are in the old one.
pub(super) fn build(tree: &mut Tree<'_>) {
    tree.clear();
    let memory = &mut tree.memory;
    let capacity = memory.held.leaves().len();
    let (nodes, free) = memory.nodes.split_at_mut(built_nodes(capacity));
    // There is memory for two lists: 64 bytes a thing.
    let Some((own, rest)) = split_records(bytes_of_records(free), capacity) else { return };
    let Some((other, _)) = split_records(rest, capacity) else { return };
    let mut count = 0;
    for thing in 0..tree.used {
        memory.addresses[thing] = NONE;
        if memory.states[thing] == ENABLED {
            own[count] = entry(thing as u32, &memory.held.leaves()[thing].bounds);
            count += 1;
        }
    }
    tree.len = count;
    let mut builder = Builder {
        nodes,
        node_bounds: memory.node_bounds,
        node_layers: memory.node_layers,
        parents: memory.parents,
        loose: memory.loose,
        addresses: memory.addresses,
        layers: memory.layers,
        node_count: 1,
    };
    builder.divide(0, &mut own[..count], &mut other[..count]);
    tree.node_count = builder.node_count;
}

/// The memory of a tree that is being built.
struct Builder<'t> {
    nodes: &'t mut [WideNode],
    node_bounds: &'t mut [Bounds],
    node_layers: &'t mut [u32_le],
    parents: &'t mut [u32],
    loose: &'t mut [u32],
    addresses: &'t mut [u32],
    layers: &'t [u32],
    node_count: usize,
}

/// Consecutive entries of one of the two lists.
#[derive(Clone)]
struct Set {
    range: Range<usize>,
    is_in_other: bool,
}

impl Builder<'_> {
    /// Makes a node, and all below it, of the entries in `own`; `other` is as long, for sorting. Returns its bounds and layers.
    /// Calls itself for each level of the tree.
    fn divide(&mut self, node: usize, own: &mut [Entry], other: &mut [Entry]) -> (Entry, u32) {
        if own.len() <= NODE_WIDTH {
            return self.fill(node, own);
        }
        let mut sets = [const { Set { range: 0..0, is_in_other: false } }; NODE_WIDTH];
        sets[0].range = 0..own.len();
        let mut count = 1;
        while count < NODE_WIDTH {
            let largest = (0..count).rev().max_by_key(|set| sets[*set].range.len()).unwrap_or(0);
            let Set { range, is_in_other } = sets[largest].clone();
            if range.len() <= NODE_WIDTH {
                break;
            }
            let (from, to) = (&mut own[range.clone()], &mut other[range.clone()]);
            let middle = range.start + if is_in_other { split(to, from) } else { split(from, to) };
            sets[largest] = Set { range: range.start..middle, is_in_other: !is_in_other };
            sets[count] = Set { range: middle..range.end, is_in_other: !is_in_other };
            count += 1;
        }
        self.nodes[node] = WideNode::EMPTY;
        let first = self.node_count;
        self.node_count += count;
        let (mut all, mut layers) = (NOTHING, 0);
        for (slot, Set { range, is_in_other }) in sets.into_iter().take(count).enumerate() {
            let child = first + slot;
            self.nodes[node].children[slot] = ChildRef::node(child as u32).0;
            self.parents[child] = (NODE_WIDTH * node + slot) as u32;
            let (from, to) = (&mut own[range.clone()], &mut other[range]);
            let below = if is_in_other { self.divide(child, to, from) } else { self.divide(child, from, to) };
            set_slot(&mut self.nodes[node], slot, &below.0);
            all = union(&all, &below.0);
            layers |= below.1;
        }
        self.finish(node, &all, layers);
        (all, layers)
    }

    /// Makes things the children of a node. Returns its bounds and layers.
    fn fill(&mut self, node: usize, entries: &[Entry]) -> (Entry, u32) {
        let record = &mut self.nodes[node];
        *record = WideNode::EMPTY;
        let (mut all, mut layers) = (NOTHING, 0);
        for (slot, entry) in entries.iter().enumerate() {
            let thing = entry[3].to_bits();
            self.addresses[thing as usize] = (NODE_WIDTH * node + slot) as u32;
            record.children[slot] = ChildRef::block(thing).0;
            set_slot(record, slot, entry);
            all = union(&all, entry);
            layers |= self.layers[thing as usize];
        }
        self.finish(node, &all, layers);
        (all, layers)
    }

    /// Writes what is known of a node once its children are.
    fn finish(&mut self, node: usize, all: &Entry, layers: u32) {
        let record = &mut self.nodes[node];
        record.order = visiting_order(&record.planes);
        self.node_bounds[node] = bounds(all);
        self.node_layers[node] = layers.into();
        self.loose[node] = 0;
    }
}

fn set_slot(node: &mut WideNode, slot: usize, entry: &Entry) {
    for axis in 0..3 {
        node.planes[2 * axis][slot] = entry[axis];
        node.planes[2 * axis + 1][slot] = -entry[axis + 4];
    }
}

fn entry(thing: u32, bounds: &Bounds) -> Entry {
    let [a, b, c, d, e, f] = *bounds;
    [a, b, c, f32::from_bits(thing), -d, -e, -f, 0.0]
}

fn bounds(entry: &Entry) -> Bounds {
    let [a, b, c, _, d, e, f, _] = *entry;
    [a, b, c, -d, -e, -f]
}

/// The box around two. What is not of the boxes has no meaning.
#[inline(always)]
fn union(a: &Entry, b: &Entry) -> Entry {
    let mut all = *a;
    for (own, other) in all.iter_mut().zip(b) {
        *own = if *other < *own { *other } else { *own };
    }
    all
}

/// Half the surface of a box.
fn half_area(all: &Entry) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|axis| -f64::from(all[axis + 4]) - f64::from(all[axis]));
    x * y + y * z + z * x
}

/// Twice the centre of a box on an axis.
#[inline(always)]
fn centre(entry: &Entry, axis: usize) -> f32 {
    entry[axis] - entry[axis + 4]
}

/// Copies entries into two sets, one after the other; returns the size of the first.
fn split(from: &[Entry], to: &mut [Entry]) -> usize {
    let (axis, lower, extent) = longest_axis(from);
    if from.len() <= SMALL {
        return halve(from, to, axis);
    }
    if extent <= 0.0 {
        to.copy_from_slice(from);
        return rounded(from.len() / 2, from.len());
    }
    let grid = Grid { axis: axis % 4, lower, scale: BINS as f32 / extent };
    let (wanted, counts) = best_plane(from, &grid);
    let middle = rounded(wanted, from.len());
    let mut places = [0; BINS];
    let mut between = 0..0;
    let mut start = 0;
    for (place, count) in places.iter_mut().zip(counts) {
        *place = start;
        start += count as usize;
        if *place <= middle && middle < start {
            between = *place..start;
        }
    }
    for entry in from {
        let place = &mut places[grid.bin(entry)];
        to[*place] = *entry;
        *place += 1;
    }
    if between.start < middle {
        let nth = middle - between.start;
        to[between].select_nth_unstable_by(nth, |a, b| key(a, axis).cmp(&key(b, axis)));
    }
    middle
}

/// The axis on which centres extend farthest, the least of them (twice), and how far they extend.
fn longest_axis(entries: &[Entry]) -> (usize, f32, f32) {
    let mut all = NOTHING;
    for entry in entries {
        let mut both = [0.0; 8];
        for lane in 0..4 {
            both[lane] = entry[lane] - entry[lane + 4];
            both[lane + 4] = entry[lane + 4] - entry[lane];
        }
        all = union(&all, &both);
    }
    let extent = [0, 1, 2].map(|axis| -all[axis + 4] - all[axis]);
    let axis = (0..3).fold(0, |longest, axis| if extent[axis] > extent[longest] { axis } else { longest });
    (axis, all[axis], extent[axis])
}

/// What orders entries along an axis: all keys differ.
fn key(entry: &Entry, axis: usize) -> u64 {
    let bits = centre(entry, axis).to_bits();
    let ordered = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(ordered) << 32 | u64::from(entry[3].to_bits())
}

/// Splits a small set at the middle.
fn halve(from: &[Entry], to: &mut [Entry], axis: usize) -> usize {
    let middle = rounded(from.len() / 2, from.len());
    let mut keys = [0; SMALL];
    for (own, entry) in keys.iter_mut().zip(from) {
        *own = key(entry, axis);
    }
    let mut sorted = keys;
    let (_, nth, _) = sorted[..from.len()].select_nth_unstable(middle);
    let mut places = [0, middle];
    for (entry, own) in from.iter().zip(keys) {
        let place = &mut places[usize::from(own >= *nth)];
        to[*place] = *entry;
        *place += 1;
    }
    middle
}

/// A multiple of eight that leaves an eighth of the things, and eight, on either side.
fn rounded(wanted: usize, count: usize) -> usize {
    let least = (count / 8).next_multiple_of(LEAVES_OF_NODE).max(LEAVES_OF_NODE);
    let most = (count - least) / LEAVES_OF_NODE * LEAVES_OF_NODE;
    ((wanted + LEAVES_OF_NODE / 2) / LEAVES_OF_NODE * LEAVES_OF_NODE).clamp(least.min(most), most)
}

/// Planes at equal distances along an axis.
struct Grid {
    axis: usize,
    lower: f32,
    scale: f32,
}

impl Grid {
    #[inline(always)]
    fn bin(&self, entry: &Entry) -> usize {
        (((centre(entry, self.axis) - self.lower) * self.scale) as i32 as usize).min(BINS - 1)
    }
}

/// How many things are before the cheapest plane of the grid, and how many between its planes.
fn best_plane(entries: &[Entry], grid: &Grid) -> (usize, [u32; BINS]) {
    let mut counts = [0; BINS];
    let mut bins = [NOTHING; BINS];
    for entry in entries {
        let bin = grid.bin(entry);
        counts[bin] += 1;
        bins[bin] = union(&bins[bin], entry);
    }
    // The cost of what is from each bin on.
    let (mut costs, mut all, mut count) = ([0.0; BINS], NOTHING, 0);
    for bin in (1..BINS).rev() {
        all = union(&all, &bins[bin]);
        count += counts[bin];
        costs[bin] = if count == 0 { 0.0 } else { half_area(&all) * f64::from(count) };
    }
    let (mut best, mut all, mut count) = ((f64::INFINITY, entries.len() / 2), NOTHING, 0);
    for bin in 1..BINS {
        all = union(&all, &bins[bin - 1]);
        count += counts[bin - 1];
        let own = if count == 0 { 0.0 } else { half_area(&all) * f64::from(count) };
        if own + costs[bin] < best.0 {
            best = (own + costs[bin], count as usize);
        }
    }
    (best.1, counts)
}
