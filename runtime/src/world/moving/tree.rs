//! The tree over moving things: always correct, as changes widen the nodes above them at once, and made tight by updates.
//!
//! Nodes are those of files. A node's number is greater than its parent's, so one pass from the last to the first is
//! bottom-up.
//!
//! Based on: Wald, Boulos, Shirley, "Ray Tracing Deformable Scenes Using Dynamic Bounding Volume Hierarchies", 2007
//! (refitting); Lauterbach et al., "RT-DEFORM: Interactive Ray Tracing of Dynamic Scenes using BVHs", 2006 (rebuilding where
//! the cost has grown by a factor).

use bvhc_format::record::{Child, ChildRef, EMPTY_PLANE, NODE_WIDTH, WideNode};
use bvhc_format::{MAX_DEPTH, NONE};

use super::build;
use super::memory::Memory;

/// A box: lower x, y, z, upper x, y, z.
pub(super) type Bounds = [f32; 6];

/// The box of nothing.
const NOTHING: Bounds = [EMPTY_PLANE, EMPTY_PLANE, EMPTY_PLANE, -EMPTY_PLANE, -EMPTY_PLANE, -EMPTY_PLANE];

/// Rays visit the slots one after the other, whatever their direction, until the builder finds a better order.
const IN_ORDER: [u32; NODE_WIDTH] = {
    let mut order = [0; NODE_WIDTH];
    let mut rank = 0;
    while rank < NODE_WIDTH {
        order[rank] = 0x1111_1111 * rank as u32;
        rank += 1;
    }
    order
};

/// The deepest node to which things are added without a new tree: what the builder makes has less than half of it.
const DEEPEST: u32 = MAX_DEPTH - 8;

/// The tree in the caller's memory.
pub(super) struct Tree<'m> {
    pub(super) memory: Memory<'m>,
    pub(super) node_count: usize,
    /// The things in it.
    pub(super) len: usize,
    /// The numbers of things that were ever given away are below this.
    pub(super) used: usize,
    /// The cost for each thing when the tree was built.
    pub(super) built_cost: f64,
}

impl<'m> Tree<'m> {
    /// Without things: an empty root.
    pub(super) fn new(memory: Memory<'m>) -> Self {
        let mut tree = Self { memory, node_count: 0, len: 0, used: 0, built_cost: 0.0 };
        tree.clear();
        tree
    }

    pub(super) fn clear(&mut self) {
        self.node_count = 0;
        self.add_node(NONE);
    }

    /// Appends an empty node, if there is memory for it.
    pub(super) fn add_node(&mut self, parent: u32) -> Option<usize> {
        let node = self.node_count;
        *self.memory.nodes.get_mut(node)? = WideNode { order: IN_ORDER, ..WideNode::EMPTY };
        self.memory.node_bounds[node] = NOTHING;
        self.memory.node_layers[node] = 0.into();
        self.memory.parents[node] = parent;
        self.memory.loose[node] = 0;
        self.node_count += 1;
        Some(node)
    }

    /// Adds a thing whose leaf is there.
    pub(super) fn insert(&mut self, thing: usize) {
        self.len += 1;
        if !self.try_insert(thing) {
            self.rebuild();
        }
    }

    /// Adds a thing next to the children that grow least; whether there is memory and depth for it.
    fn try_insert(&mut self, thing: usize) -> bool {
        let bounds = self.memory.held.leaves()[thing].bounds;
        let mut node = 0;
        for _ in 0..DEEPEST {
            let record = &self.memory.nodes[node];
            let empty = (0..NODE_WIDTH).find(|slot| record.child(*slot) == Child::Empty);
            match (least_growing(record, &bounds), empty) {
                (Some((_, Child::Node(below))), _) => node = below as usize,
                (_, Some(slot)) => {
                    self.put(node, slot, thing);
                    return true;
                }
                (Some((slot, Child::Block(other))), None) => {
                    let Some(below) = self.add_node((NODE_WIDTH * node + slot) as u32) else { return false };
                    self.memory.nodes[node].children[slot] = ChildRef::node(below as u32).0;
                    self.put(below, 0, other as usize);
                    self.put(below, 1, thing);
                    return true;
                }
                (_, None) => return false,
            }
        }
        false
    }

    /// Makes a thing the child of a slot.
    fn put(&mut self, node: usize, slot: usize, thing: usize) {
        self.memory.nodes[node].children[slot] = ChildRef::block(thing as u32).0;
        self.memory.addresses[thing] = (NODE_WIDTH * node + slot) as u32;
        self.set_leaf(thing);
    }

    /// Writes a thing's box and layers into its slot and widens all above.
    pub(super) fn set_leaf(&mut self, thing: usize) {
        let (bounds, layers) = (self.memory.held.leaves()[thing].bounds, self.memory.layers[thing]);
        let mut address = self.memory.addresses[thing];
        set_planes(
            &mut self.memory.nodes[address as usize / NODE_WIDTH],
            address as usize % NODE_WIDTH,
            &bounds,
        );
        self.memory.loose[address as usize / NODE_WIDTH] = 1;
        loop {
            let node = address as usize / NODE_WIDTH;
            let all = &mut self.memory.node_bounds[node];
            let own_layers = &mut self.memory.node_layers[node];
            if contains(all, &bounds) && own_layers.to_native() & layers == layers {
                return;
            }
            *all = union(all, &bounds);
            *own_layers = (own_layers.to_native() | layers).into();
            address = self.memory.parents[node];
            if address == NONE {
                return;
            }
            let all = *all;
            set_planes(
                &mut self.memory.nodes[address as usize / NODE_WIDTH],
                address as usize % NODE_WIDTH,
                &all,
            );
        }
    }

    /// Takes a thing out.
    pub(super) fn remove(&mut self, thing: usize) {
        let address = self.memory.addresses[thing] as usize;
        let (node, slot) = (address / NODE_WIDTH, address % NODE_WIDTH);
        self.memory.nodes[node].children[slot] = ChildRef::EMPTY.0;
        set_planes(&mut self.memory.nodes[node], slot, &NOTHING);
        self.memory.loose[node] = 1;
        self.memory.addresses[thing] = NONE;
        self.len -= 1;
    }

    /// Makes loose nodes, and those above them, as small as their children. Returns how many nodes were visited.
    pub(super) fn refit(&mut self) -> u32 {
        let mut visited = 0;
        for node in (0..self.node_count).rev() {
            if self.memory.loose[node] == 0 {
                continue;
            }
            visited += 1;
            self.memory.loose[node] = 0;
            let bounds = node_bounds(&self.memory.nodes[node]);
            let layers = self.layers_below(node);
            let has_changed = bounds != self.memory.node_bounds[node]
                || layers != self.memory.node_layers[node].to_native();
            self.memory.node_bounds[node] = bounds;
            self.memory.node_layers[node] = layers.into();
            let parent = self.memory.parents[node];
            if has_changed && parent != NONE {
                let (above, slot) = (parent as usize / NODE_WIDTH, parent as usize % NODE_WIDTH);
                set_planes(&mut self.memory.nodes[above], slot, &bounds);
                self.memory.loose[above] = 1;
            }
        }
        visited
    }

    fn layers_below(&self, node: usize) -> u32 {
        let record = &self.memory.nodes[node];
        (0..NODE_WIDTH).fold(0, |layers, slot| match record.child(slot) {
            Child::Empty => layers,
            Child::Node(below) => layers | self.memory.node_layers[below as usize].to_native(),
            Child::Block(thing) => layers | self.memory.layers[thing as usize],
        })
    }

    /// A new tree over all things that are in it.
    pub(super) fn rebuild(&mut self) {
        build::build(self);
        self.built_cost = self.cost();
    }

    /// The half areas of all nodes but the root, for each thing: what a walk pays by the surface-area heuristic.
    pub(super) fn cost(&self) -> f64 {
        let areas = self.memory.node_bounds[..self.node_count].iter().skip(1).map(half_area);
        areas.sum::<f64>() / self.len.max(1) as f64
    }
}

/// The child whose box grows least, of equal ones the first; with a place where there is none.
fn least_growing(node: &WideNode, bounds: &Bounds) -> Option<(usize, Child)> {
    let mut best: Option<(f64, usize, Child)> = None;
    for slot in 0..NODE_WIDTH {
        let child = node.child(slot);
        if child == Child::Empty {
            continue;
        }
        let own = planes(node, slot);
        let growth = half_area(&union(&own, bounds)) - half_area(&own);
        if best.is_none_or(|(least, ..)| growth < least) {
            best = Some((growth, slot, child));
        }
    }
    best.map(|(_, slot, child)| (slot, child))
}

fn planes(node: &WideNode, slot: usize) -> Bounds {
    [0, 2, 4, 1, 3, 5].map(|plane: usize| node.planes[plane][slot])
}

pub(super) fn set_planes(node: &mut WideNode, slot: usize, bounds: &Bounds) {
    for axis in 0..3 {
        node.planes[2 * axis][slot] = bounds[axis];
        node.planes[2 * axis + 1][slot] = bounds[axis + 3];
    }
}

/// The box around a node's children. Planes of empty slots change nothing.
pub(super) fn node_bounds(node: &WideNode) -> Bounds {
    let lower = |plane: usize| extreme(&node.planes[plane], EMPTY_PLANE, |x, least| x < least);
    let upper = |plane: usize| extreme(&node.planes[plane], -EMPTY_PLANE, |x, most| x > most);
    [lower(0), lower(2), lower(4), upper(1), upper(3), upper(5)]
}

/// The number that is beyond all others, and this one. By four lanes, as comparisons one after the other wait for each other.
fn extreme(numbers: &[f32; NODE_WIDTH], from: f32, is_beyond: impl Fn(f32, f32) -> bool) -> f32 {
    let choose = |best: f32, x: f32| if is_beyond(x, best) { x } else { best };
    let mut best = [from; 4];
    for quarter in numbers.as_chunks::<4>().0 {
        for (best, x) in best.iter_mut().zip(quarter) {
            *best = choose(*best, *x);
        }
    }
    choose(choose(best[0], best[1]), choose(best[2], best[3]))
}

pub(super) fn union(a: &Bounds, b: &Bounds) -> Bounds {
    let mut all = *a;
    for axis in 0..3 {
        all[axis] = a[axis].min(b[axis]);
        all[axis + 3] = a[axis + 3].max(b[axis + 3]);
    }
    all
}

fn contains(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|axis| a[axis] <= b[axis] && b[axis + 3] <= a[axis + 3])
}

/// Half the surface of a box; 0 of nothing.
pub(super) fn half_area(bounds: &Bounds) -> f64 {
    let [x, y, z] = [0, 1, 2].map(|axis| f64::from(bounds[axis + 3]) - f64::from(bounds[axis]));
    if x < 0.0 { 0.0 } else { x * y + y * z + z * x }
}
