//! The leaves of a world, and the tree over them.
//!
//! Based on: Benthin, Woop, Wald, Áfra, "Improved Two-Level BVHs using Partial Re-Braiding", 2017 (leaves that open a mesh at
//! an inner node, largest boxes first). Departures: only instances whose boxes overlap others' are opened, before anything is
//! built, and only where that lowers the sum of the leaves' surfaces; meshes with split triangles are not, as queries report those by
//! the first block they meet in the whole mesh. Before that, the boxes of instances that overlap others' are made to fit the
//! images of their blocks' boxes: those of turned meshes are far larger around the image of the whole mesh's box.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use bvhc_format::NONE;
use bvhc_format::record::{Child, ChildRef, NODE_WIDTH, WideNode};
use bvhc_format::world::{Instance, InstanceLeaf};
use rayon::prelude::*;

use super::error::WorldCompileError;
use super::place::{self, Box64, Part};
use crate::layout::visiting_order;
use crate::math::vector::{round_down, round_up};
use crate::tree::aabb::Aabb;
use crate::tree::binary::{BinaryTree, Node};
use crate::tree::build::{self, Builder, Leaves};
use crate::tree::wide::{Collapse, Role, Weighed};

/// How many more leaves there may be for each instance that overlaps another: a bound of the file's size.
const LEAVES_PER_INSTANCE: usize = 8;

/// The records of the tree.
#[derive(Default)]
pub(super) struct WorldTree {
    pub(super) leaves: Vec<InstanceLeaf>,
    pub(super) nodes: Vec<WideNode>,
    pub(super) node_layers: Vec<u32>,
    pub(super) depth: u32,
    pub(super) bounds: [f32; 6],
}

/// What the tree needs of a mesh.
pub(super) struct MeshBoxes<'a> {
    /// The box around the used slots of node 0 of its tree.
    pub(super) root: Box64,
    /// Whether the nodes of its tree can be had.
    pub(super) has_nodes: bool,
    /// Whether leaves may open it.
    pub(super) may_open: bool,
    /// The nodes; the first one alone until others are needed, and none if they cannot be had.
    pub(super) nodes: Cow<'a, [WideNode]>,
}

/// Fills in the nodes of a mesh.
pub(super) type LoadNodes<'l, 'a> =
    dyn Fn(usize, &mut MeshBoxes<'a>) -> Result<(), WorldCompileError> + Sync + 'l;

/// Builds the tree over instances of these meshes. Fills in the bounds of the instances, which must be places that the file can
/// hold: `check` is asked before anything depends on it.
pub(super) fn build<'a>(
    instances: &mut [Instance],
    meshes: &mut [MeshBoxes<'a>],
    check: &(dyn Fn(&[Instance]) -> Result<(), WorldCompileError> + Sync),
    load: &LoadNodes<'_, 'a>,
) -> Result<WorldTree, WorldCompileError> {
    let whole = |(number, instance): (usize, &Instance)| {
        let mesh = &meshes[instance.mesh as usize];
        // The same boxes for meshes of which there is more in memory.
        let first = &mesh.nodes[..mesh.nodes.len().min(1)];
        leaf(number as u32, instance, NONE, &Part::whole(mesh.root), (&mesh.root, first))
    };
    let mut leaves: Vec<InstanceLeaf> = instances.iter().enumerate().map(whole).collect();
    for (instance, leaf) in instances.iter_mut().zip(&leaves) {
        instance.bounds = leaf.bounds;
    }
    check(instances)?;
    let near = overlapping(&leaves);
    load_nodes(instances, &near, meshes, load)?;
    tighten(&mut leaves, &near, instances, meshes);
    let overlapping = overlapping(&leaves);
    let mut leaves = opened(leaves, &overlapping, instances, meshes);
    leaves.sort_by_key(|leaf| (leaf.instance, leaf.slot));
    let boxes: Vec<Aabb> = leaves.iter().map(box_of).collect();
    let weighed = Weighed::by_area(build::build(&boxes, Builder::Sweep, Leaves::Single, &|_| {}));
    let fits: Vec<bool> = weighed.tree.nodes.iter().map(Node::is_leaf).collect();
    let collapse = Collapse::new(&weighed, &fits);
    let bounds = weighed.tree.nodes[0].bounds.planes();
    let tree = WorldTree { leaves, bounds, ..WorldTree::default() };
    let mut writer = Writer { instances, binary: &weighed.tree, collapse, tree };
    writer.node(0, 1);
    Ok(writer.tree)
}

/// Makes the boxes of those leaves smaller that overlap others, as far as these do hold the mesh.
fn tighten(
    leaves: &mut [InstanceLeaf],
    are_near: &[bool],
    instances: &mut [Instance],
    meshes: &[MeshBoxes<'_>],
) {
    leaves.par_iter_mut().zip(instances).zip(are_near).filter(|(_, is_near)| **is_near).for_each(
        |((own, instance), _)| {
            let mesh = &meshes[instance.mesh as usize];
            *own = leaf(own.instance, instance, NONE, &Part::whole(mesh.root), (&mesh.root, &mesh.nodes));
            instance.bounds = own.bounds;
        },
    );
}

/// Loads the nodes of the meshes that have instances that overlap others.
fn load_nodes<'a>(
    instances: &[Instance],
    overlapping: &[bool],
    meshes: &mut [MeshBoxes<'a>],
    load: &LoadNodes<'_, 'a>,
) -> Result<(), WorldCompileError> {
    let mut are_needed = vec![false; meshes.len()];
    for (instance, overlaps) in instances.iter().zip(overlapping) {
        are_needed[instance.mesh as usize] |= overlaps;
    }
    for (number, mesh) in meshes.iter_mut().enumerate().filter(|(number, _)| are_needed[*number]) {
        if mesh.has_nodes {
            load(number, mesh)?;
        }
    }
    Ok(())
}

/// The box of a leaf.
fn box_of(leaf: &InstanceLeaf) -> Aabb {
    let [a, b, c, d, e, f] = leaf.bounds;
    Aabb { lower: [a, b, c], upper: [d, e, f] }
}

/// A leaf of a part of an instance, of whose mesh the nodes are these; `root` is the box around the mesh.
fn leaf(
    number: u32,
    instance: &Instance,
    slot: u32,
    part: &Part,
    (root, nodes): (&Box64, &[WideNode]),
) -> InstanceLeaf {
    let [lower, upper] = part.image(instance, nodes);
    let by = place::growth(instance, root);
    let ([a, b, c], [d, e, f]) =
        (lower.map(|x| round_down((x - by).next_down())), upper.map(|x| round_up((x + by).next_up())));
    InstanceLeaf { bounds: [a, b, c, d, e, f], instance: number, slot }
}

/// The leaves, with the largest of those that overlap others opened.
fn opened(
    leaves: Vec<InstanceLeaf>,
    overlapping: &[bool],
    instances: &[Instance],
    meshes: &[MeshBoxes<'_>],
) -> Vec<InstanceLeaf> {
    let most = leaves.len() + LEAVES_PER_INSTANCE * overlapping.iter().filter(|is| **is).count();
    let may_open = |leaf: &InstanceLeaf| {
        let mesh = &meshes[instances[leaf.instance as usize].mesh as usize];
        overlapping[leaf.instance as usize] && mesh.may_open
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

/// The parts of a leaf, one a child of its node; none where it is a block or opening it does not pay: unless their boxes together
/// have less surface than its own.
fn parts(leaf: &InstanceLeaf, instance: &Instance, mesh: &MeshBoxes<'_>) -> Vec<InstanceLeaf> {
    let index = match leaf.slot {
        NONE => 0,
        slot => match mesh.nodes[slot as usize / NODE_WIDTH].child(slot as usize % NODE_WIDTH) {
            Child::Node(node) => node as usize,
            _ => return Vec::new(),
        },
    };
    // A compiled file that is linked may be corrupt.
    let Some(node) = mesh.nodes.get(index) else { return Vec::new() };
    let parts: Vec<(usize, Part)> =
        place::used_slots(node).map(|slot| (slot, Part::of_slot(node, slot))).collect();
    if !parts.iter().all(|(_, part)| place::holds(&mesh.root, &part.bounds)) {
        return Vec::new();
    }
    let part = |(slot, part): &(usize, Part)| {
        let slot = (NODE_WIDTH * index + slot) as u32;
        self::leaf(leaf.instance, instance, slot, part, (&mesh.root, &mesh.nodes))
    };
    let parts: Vec<InstanceLeaf> = parts.iter().map(part).collect();
    // Then a ray that meets the leaf's box meets fewer than one of theirs, and where none is met, no ray is transformed. Spheres
    // have parts of twice their surface: those opened, rays took 1.15 to 1.25 of the time. Turned rods took 0.77.
    let surface: f64 = parts.iter().map(|part| box_of(part).half_area()).sum();
    let is_worth = surface < box_of(leaf).half_area();
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
    let tree = build::build(&boxes, Builder::Binned, Leaves::Single, &|_| {});
    let overlaps = |one: usize| {
        let mut pending = vec![0];
        while let Some(node) = pending.pop() {
            if tree.nodes[node].bounds.intersection(boxes[one]).is_empty() {
                continue;
            }
            if !tree.nodes[node].is_leaf() {
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
