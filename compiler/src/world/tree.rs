//! The leaves of a world, and the tree over them.
//!
//! Based on: Benthin, Woop, Wald, Áfra, "Improved Two-Level BVHs using Partial Re-Braiding", 2017 (leaves that open a mesh at
//! an inner node, largest boxes first). Departures: only instances whose boxes overlap others' are opened, by the surface-area
//! heuristic over all leaves and before anything is built; meshes with split triangles are not, as queries report those by
//! the first block they meet in the whole mesh.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use bvhc_format::NONE;
use bvhc_format::record::{Child, ChildRef, NODE_WIDTH, WideNode};
use bvhc_format::world::{Instance, InstanceLeaf};
use bvhc_runtime::Model;

use super::place::{self, Box64};
use crate::layout::visiting_order;
use crate::math::vector::{round_down, round_up};
use crate::tree::aabb::Aabb;
use crate::tree::binary::BinaryTree;
use crate::tree::build::{self, Builder};
use crate::tree::wide::{Collapse, Role, Weighed};

/// How many more leaves there may be for each instance that overlaps another. Closest hits in 200 instances of which most are
/// near others, and in 60 that overlap each other: 1.9 and 3.7 us with 1, 1.3 and 2.8 us with 8, 1.2 and 3.4 us with 32.
const LEAVES_PER_INSTANCE: usize = 8;

/// A leaf is opened only if none of its parts has a larger share of its surface: else little is gained.
const LARGEST_PART: f64 = 0.75;

/// The records of the tree.
#[derive(Default)]
pub(super) struct WorldTree {
    pub(super) leaves: Vec<InstanceLeaf>,
    pub(super) nodes: Vec<WideNode>,
    pub(super) node_layers: Vec<u32>,
    pub(super) depth: u32,
    pub(super) bounds: [f32; 6],
}

/// Builds the tree over instances of these meshes. Fills in the bounds of the instances.
pub(super) fn build(instances: &mut [Instance], meshes: &[Model<'_>]) -> WorldTree {
    let whole = |(number, instance): (usize, &Instance)| {
        let root = place::node_box(&meshes[instance.mesh as usize].sections().nodes()[0]);
        leaf(number as u32, instance, NONE, &root, &root)
    };
    let leaves: Vec<InstanceLeaf> = instances.iter().enumerate().map(whole).collect();
    for (instance, leaf) in instances.iter_mut().zip(&leaves) {
        instance.bounds = leaf.bounds;
    }
    let mut leaves = opened(leaves, instances, meshes);
    leaves.sort_by_key(|leaf| (leaf.instance, leaf.slot));
    let boxes: Vec<Aabb> = leaves.iter().map(box_of).collect();
    let weighed = Weighed::by_area(build::build(&boxes, Builder::Sweep, &|_| {}));
    let fits: Vec<bool> = weighed.tree.nodes.iter().map(|node| node.count == 1).collect();
    let collapse = Collapse::new(&weighed, &fits);
    let bounds = weighed.tree.nodes[0].bounds.planes();
    let tree = WorldTree { leaves, bounds, ..WorldTree::default() };
    let mut writer = Writer { instances, binary: &weighed.tree, collapse, tree };
    writer.node(0, 1);
    writer.tree
}

/// The box of a leaf.
fn box_of(leaf: &InstanceLeaf) -> Aabb {
    let [a, b, c, d, e, f] = leaf.bounds;
    Aabb { lower: [a, b, c], upper: [d, e, f] }
}

/// A leaf of the part of an instance that is in a box of its mesh; `root` is the box around the mesh.
fn leaf(number: u32, instance: &Instance, slot: u32, part: &Box64, root: &Box64) -> InstanceLeaf {
    let [lower, upper] = place::image_of_box(instance, part);
    let by = place::growth(instance, root);
    let ([a, b, c], [d, e, f]) =
        (lower.map(|x| round_down((x - by).next_down())), upper.map(|x| round_up((x + by).next_up())));
    InstanceLeaf { bounds: [a, b, c, d, e, f], instance: number, slot }
}

/// The leaves, with the largest of those that overlap others opened.
fn opened(leaves: Vec<InstanceLeaf>, instances: &[Instance], meshes: &[Model<'_>]) -> Vec<InstanceLeaf> {
    let overlapping = overlapping(&leaves);
    let most = leaves.len() + LEAVES_PER_INSTANCE * overlapping.iter().filter(|is| **is).count();
    let may_open = |leaf: &InstanceLeaf| {
        let mesh = &meshes[instances[leaf.instance as usize].mesh as usize];
        overlapping[leaf.instance as usize] && mesh.sections().splits().is_none()
    };
    let (open, mut kept): (Vec<_>, Vec<_>) = leaves.into_iter().partition(may_open);
    let mut waiting: BinaryHeap<Largest> = open.into_iter().map(Largest).collect();
    while let Some(Largest(leaf)) = waiting.pop() {
        let instance = &instances[leaf.instance as usize];
        let parts = parts(&leaf, instance, &meshes[instance.mesh as usize]);
        if parts.is_empty() || kept.len() + waiting.len() + parts.len() > most {
            kept.push(leaf);
        } else {
            waiting.extend(parts.into_iter().map(Largest));
        }
    }
    kept
}

/// The parts of a leaf, one a child of its node; none where it is a block or opening it gains too little.
fn parts(leaf: &InstanceLeaf, instance: &Instance, mesh: &Model<'_>) -> Vec<InstanceLeaf> {
    let nodes = mesh.sections().nodes();
    let node = match leaf.slot {
        NONE => 0,
        slot => match nodes[slot as usize / NODE_WIDTH].child(slot as usize % NODE_WIDTH) {
            Child::Node(node) => node as usize,
            _ => return Vec::new(),
        },
    };
    let root = place::node_box(&nodes[0]);
    let slots = (0..NODE_WIDTH).filter(|slot| nodes[node].child(*slot) != Child::Empty);
    let parts: Vec<InstanceLeaf> = slots
        .map(|slot| {
            let part = place::slot_box(&nodes[node], slot);
            self::leaf(leaf.instance, instance, (NODE_WIDTH * node + slot) as u32, &part, &root)
        })
        .collect();
    let limit = box_of(leaf).half_area() * LARGEST_PART;
    let is_worth = parts.len() > 1 && parts.iter().all(|part| box_of(part).half_area() <= limit);
    if is_worth { parts } else { Vec::new() }
}

/// A leaf, ordered by the surface of its box.
struct Largest(InstanceLeaf);

impl Largest {
    fn key(&self) -> (f64, u32, u32) {
        (box_of(&self.0).half_area(), self.0.instance, self.0.slot)
    }
}

impl Ord for Largest {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((area, instance, slot), (its_area, its_instance, its_slot)) = (self.key(), other.key());
        area.total_cmp(&its_area).then((its_instance, its_slot).cmp(&(instance, slot)))
    }
}

impl PartialOrd for Largest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Largest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Largest {}

/// Whether the box of each leaf overlaps another's.
fn overlapping(leaves: &[InstanceLeaf]) -> Vec<bool> {
    let boxes: Vec<Aabb> = leaves.iter().map(box_of).collect();
    let tree = build::build(&boxes, Builder::Binned, &|_| {});
    let overlaps = |one: usize| {
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            if tree.nodes[node].bounds.intersection(boxes[one]).is_empty() {
                continue;
            }
            if tree.nodes[node].count > 1 {
                pending.extend(tree.children(node));
            } else if tree.primitives(node) != [one as u32] {
                return true;
            }
        }
        false
    };
    (0..leaves.len()).map(overlaps).collect()
}

/// Writes a binary tree over leaves as wide nodes.
struct Writer<'a> {
    instances: &'a [Instance],
    binary: &'a BinaryTree,
    collapse: Collapse<'a>,
    tree: WorldTree,
}

impl Writer<'_> {
    /// Writes the wide node that represents a binary one, and all below it; returns its number and its layers.
    fn node(&mut self, binary: usize, depth: u32) -> (u32, u32) {
        let index = self.tree.nodes.len();
        self.tree.nodes.push(WideNode::EMPTY);
        self.tree.node_layers.push(0);
        self.tree.depth = self.tree.depth.max(depth);
        let children = self.collapse.children(binary);
        let boxes: Vec<Aabb> = children.iter().map(|child| self.binary.nodes[*child].bounds).collect();
        let mut node = WideNode { order: visiting_order(&boxes), ..WideNode::EMPTY };
        let mut layers = 0;
        for (slot, (child, bounds)) in children.iter().zip(&boxes).enumerate() {
            for axis in 0..3 {
                node.planes[2 * axis][slot] = bounds.lower[axis];
                node.planes[2 * axis + 1][slot] = bounds.upper[axis];
            }
            let (reference, its_layers) = self.child(*child, depth);
            node.children[slot] = reference.0;
            layers |= its_layers;
        }
        self.tree.nodes[index] = node;
        self.tree.node_layers[index] = layers;
        (index as u32, layers)
    }

    fn child(&mut self, binary: usize, depth: u32) -> (ChildRef, u32) {
        match self.collapse.role(binary) {
            Role::Node => {
                let (node, layers) = self.node(binary, depth + 1);
                (ChildRef::node(node), layers)
            }
            Role::Leaf => {
                let leaf = self.binary.primitives(binary)[0];
                let instance = self.tree.leaves[leaf as usize].instance;
                (ChildRef::block(leaf), self.instances[instance as usize].layers)
            }
        }
    }
}
