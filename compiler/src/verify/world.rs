//! Checks the section of the world: instances, leaves, and the tree over them.

use bvhc_format::header::SectionEntry;
use bvhc_format::record::{Child, NODE_WIDTH, WideNode};
use bvhc_format::section::{ArchivedWorld, SectionKind};
use bvhc_format::world::{Instance, InstanceLeaf, instance_id};
use bvhc_format::{MAX_COORDINATE, NONE};
use bvhc_runtime::{Model, ThinWorld, World, WorldError};

use super::archive;
use super::error::{Fault, VerifyError};
use super::metadata::{self, NameFault};
use super::node::{self, NodeFault};
use super::tree::children;
use crate::world::place::{self, Box64, Part, holds};

/// What is wrong with the world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldFault {
    /// It cannot be opened.
    #[error("{0}")]
    Open(WorldError),
    /// A section is of the file that has to be of a mesh, or the world is of a mesh.
    #[error("section {kind} is of the {}; it must be of the {} (W4)", file_or_mesh(*.of_file), file_or_mesh(!.of_file))]
    Scope {
        /// The name of its kind.
        kind: &'static str,
        /// Whether it is of the file.
        of_file: bool,
    },
    /// A text is not UTF-8.
    #[error("its {field} text is not UTF-8 (W13)")]
    NotUtf8 {
        /// The text.
        field: &'static str,
    },
    /// A list of names breaks a rule.
    #[error("{list}: {fault}")]
    Names {
        /// The list.
        list: &'static str,
        /// What is wrong with it.
        fault: NameFault,
    },
    /// A file that was read is without a name, or a name without a file.
    #[error("there are {names} names for {inputs} inputs (W13)")]
    Inputs {
        /// How many names there are.
        names: usize,
        /// How many inputs there are.
        inputs: usize,
    },
    /// There is no instance.
    #[error("it has no instance (W5)")]
    NoInstance,
    /// An instance breaks a rule.
    #[error("instance {instance}: {fault}")]
    Instance {
        /// Its number.
        instance: usize,
        /// What is wrong with it.
        fault: InstanceFault,
    },
    /// The list of instances by id is not all of them, ascending.
    #[error("entry {entry} of the instances by id is not the next one (W5)")]
    ById {
        /// The entry.
        entry: usize,
    },
    /// The leaves do not ascend.
    #[error("leaf {leaf} is not after the one before (W8)")]
    LeafOrder {
        /// The leaf.
        leaf: usize,
    },
    /// The leaves of an instance do not divide its mesh.
    #[error(
        "the leaves of instance {instance} are not its whole mesh, or parts that have each block once (W8)"
    )]
    Division {
        /// The instance.
        instance: usize,
    },
    /// A leaf opens a mesh that is in another file.
    #[error("leaf {leaf} is a part of a mesh of a thin world, not a whole one (X6)")]
    Opened {
        /// The leaf.
        leaf: usize,
    },
    /// A leaf's box does not hold what it has to.
    #[error("leaf {leaf}: plane {plane} is {found:e}; it must hold {limit:e} (W9)")]
    LeafBox {
        /// The leaf.
        leaf: usize,
        /// The plane: lower x, y, z, upper x, y, z.
        plane: usize,
        /// What it is.
        found: f32,
        /// The innermost position allowed.
        limit: f64,
    },
    /// A node breaks a rule.
    #[error("node {node}: {fault}")]
    Node {
        /// The node.
        node: usize,
        /// What is wrong with it.
        fault: NodeFault,
    },
    /// A node or a leaf is not referenced once.
    #[error("{what} {index} is referenced {found} times (W11)")]
    References {
        /// `node` or `leaf`.
        what: &'static str,
        /// Its number.
        index: usize,
        /// How often it is referenced.
        found: u32,
    },
    /// The box of a slot does not hold what is below it.
    #[error("node {node}, slot {slot}: its box does not hold the boxes below it (W11)")]
    NotNested {
        /// The node.
        node: usize,
        /// The slot.
        slot: usize,
    },
    /// The bounds do not hold the boxes of the root.
    #[error("its bounds do not hold the boxes of node 0 (W11)")]
    Bounds,
    /// The depth is wrong.
    #[error("its depth is given as {found}, but it has {expected} levels (W2)")]
    Depth {
        /// The depth in the file.
        found: u32,
        /// How many levels there are.
        expected: u32,
    },
    /// The layers of a node are not those of the instances below it.
    #[error("node {node} has the layers {found:#x}; those below it have {expected:#x} (W12)")]
    Layers {
        /// The node.
        node: usize,
        /// What it has.
        found: u32,
        /// What it must have.
        expected: u32,
    },
    /// The reserved field is not zero.
    #[error("its reserved field is not zero (W7)")]
    Reserved,
}

/// What is wrong with an instance.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InstanceFault {
    /// There is no such mesh.
    #[error("there is no mesh {0} (W5)")]
    Mesh(u32),
    /// The name is empty.
    #[error("its name is empty (W5)")]
    NoName,
    /// The id is not that of the name.
    #[error("its id is {found:#x}; that of its name is {expected:#x} (W5)")]
    Id {
        /// What it is.
        found: u64,
        /// What it must be.
        expected: u64,
    },
    /// The position, the rotation or the scale is out of range.
    #[error("its {0} is not what it must be (W6)")]
    Transform(&'static str),
    /// A reserved bit or field is not zero.
    #[error("a reserved bit or field is not zero (W7)")]
    Reserved,
    /// The box does not hold the instance, or is too large.
    #[error("its bounds do not hold it, or reach beyond 2^60 (W10)")]
    Bounds,
}

impl Fault for WorldFault {
    const SECTION: SectionKind = SectionKind::World;
}

fn file_or_mesh(of_file: bool) -> &'static str {
    if of_file { "file" } else { "meshes" }
}

/// How far R times its transpose may be from the identity: 2^-40.
const ROTATION_ERROR: f64 = 1.0 / (1u64 << 40) as f64;

/// Of what leaves have to be grown by, how much a verifier that rounds asks for.
const ENOUGH: f64 = 15.0 / 16.0;

/// Checks the world of a file whose meshes are valid, if it has one.
pub(super) fn check(bytes: &[u8], first: &Model<'_>) -> Result<(), VerifyError> {
    let entries = || first.sections().entries();
    entries().try_for_each(|(entry, _)| check_scope(&entry))?;
    if !World::is_in(bytes)? {
        return Ok(());
    }
    let mut meshes = vec![None; first.meshes() as usize];
    let world = World::from_bytes(bytes, &mut meshes).map_err(WorldFault::Open)?;
    archive::check_file(entries())?;
    let meshes = world.meshes().iter().flatten().map(boxes_of).collect();
    Ok(Checked { section: world.section(), meshes }.check()?)
}

/// Checks the world of a file whose meshes are in other files and have these boxes.
pub(super) fn check_thin(
    world: &ThinWorld<'_>,
    roots: impl Iterator<Item = Box64>,
) -> Result<(), WorldFault> {
    world.entries().try_for_each(|(entry, _)| check_scope(&entry))?;
    let section = world.section();
    if let Some(leaf) = section.leaves.get().iter().position(|leaf| leaf.slot != NONE) {
        return Err(WorldFault::Opened { leaf });
    }
    let meshes = roots.map(|root| MeshBoxes { root, nodes: &[], may_open: false }).collect();
    Checked { section, meshes }.check()
}

/// W4
fn check_scope(entry: &SectionEntry) -> Result<(), WorldFault> {
    let Some(kind) = entry.known_kind() else { return Ok(()) };
    let of_file = entry.mesh == NONE;
    if of_file == kind.is_of_file() {
        return Ok(());
    }
    Err(WorldFault::Scope { kind: kind.name(), of_file })
}

/// What leaves depend on of a mesh.
struct MeshBoxes<'a> {
    /// The box around the used slots of node 0.
    root: Box64,
    /// The nodes; none in a thin world.
    nodes: &'a [WideNode],
    /// Whether leaves may be parts of instances.
    may_open: bool,
}

fn boxes_of<'a>(model: &Model<'a>) -> MeshBoxes<'a> {
    let nodes = model.sections().nodes();
    let may_open = model.sections().splits().is_none();
    MeshBoxes { root: place::node_box(&nodes[0]), nodes, may_open }
}

/// A world that can be opened.
struct Checked<'a> {
    section: &'a ArchivedWorld<'static>,
    meshes: Vec<MeshBoxes<'a>>,
}

impl Checked<'_> {
    fn instances(&self) -> &[Instance] {
        self.section.instances.get()
    }

    fn leaves(&self) -> &[InstanceLeaf] {
        self.section.leaves.get()
    }

    /// The mesh of an instance, after W5 was checked.
    fn mesh(&self, instance: &Instance) -> &MeshBoxes<'_> {
        &self.meshes[instance.mesh as usize]
    }

    fn check(&self) -> Result<(), WorldFault> {
        self.check_texts()?;
        if self.instances().is_empty() {
            return Err(WorldFault::NoInstance);
        }
        for (number, instance) in self.instances().iter().enumerate() {
            self.check_instance(number as u32, instance)
                .map_err(|fault| WorldFault::Instance { instance: number, fault })?;
        }
        self.check_ids()?;
        self.check_leaves()?;
        self.check_tree()
    }

    /// W7 of the root, and W13
    fn check_texts(&self) -> Result<(), WorldFault> {
        let section = self.section;
        if section.reserved.to_native() != 0 {
            return Err(WorldFault::Reserved);
        }
        for (field, text) in [("compiler", section.compiler.get()), ("options", section.options.get())] {
            std::str::from_utf8(text).map_err(|_| WorldFault::NotUtf8 { field })?;
        }
        for (list, names) in [("names", &section.names), ("names of inputs", &section.input_names)] {
            metadata::check_names(names).map_err(|fault| WorldFault::Names { list, fault })?;
        }
        let (names, inputs) = (section.input_names.len(), section.inputs.len());
        if names == inputs { Ok(()) } else { Err(WorldFault::Inputs { names, inputs }) }
    }

    /// W5 to W7 and W10
    fn check_instance(&self, number: u32, instance: &Instance) -> Result<(), InstanceFault> {
        if instance.mesh as usize >= self.meshes.len() {
            return Err(InstanceFault::Mesh(instance.mesh));
        }
        let name = self.section.names.get(number as usize).unwrap_or_default();
        if name.is_empty() {
            return Err(InstanceFault::NoName);
        }
        let (found, expected) = (instance.id, instance_id(name));
        if found != expected {
            return Err(InstanceFault::Id { found, expected });
        }
        check_transform(instance)?;
        if instance.flags & !(Instance::MIRROR | Instance::MOVABLE) != 0 || instance.reserved != 0 {
            return Err(InstanceFault::Reserved);
        }
        let mesh = self.mesh(instance);
        let is_within = instance.bounds.iter().all(|x| x.abs() <= MAX_COORDINATE);
        match outside(&instance.bounds, instance, &Part::whole(mesh.root), mesh) {
            None if is_within => Ok(()),
            _ => Err(InstanceFault::Bounds),
        }
    }

    /// W5
    fn check_ids(&self) -> Result<(), WorldFault> {
        let by_id = self.section.by_id.get();
        let mut before = None;
        for (entry, number) in by_id.iter().enumerate() {
            let id = self.instances().get(number.to_native() as usize).map(|instance| instance.id);
            if id.is_none() || before.is_some_and(|before| id <= before) {
                return Err(WorldFault::ById { entry });
            }
            before = Some(id);
        }
        Ok(())
    }

    /// W8 and W9
    fn check_leaves(&self) -> Result<(), WorldFault> {
        let leaves = self.leaves();
        let key = |leaf: &InstanceLeaf| (leaf.instance, leaf.slot);
        if let Some(before) = leaves.array_windows().position(|[one, next]| key(one) >= key(next)) {
            return Err(WorldFault::LeafOrder { leaf: before + 1 });
        }
        let mut start = 0;
        for (number, instance) in self.instances().iter().enumerate() {
            let of_instance =
                leaves[start..].iter().take_while(|leaf| leaf.instance as usize == number).count();
            let own = &leaves[start..start + of_instance];
            if !self.divide(own, self.mesh(instance)) {
                return Err(WorldFault::Division { instance: number });
            }
            for (index, leaf) in own.iter().enumerate() {
                self.check_leaf_box(start + index, leaf, instance)?;
            }
            start += of_instance;
        }
        if start == leaves.len() { Ok(()) } else { Err(WorldFault::LeafOrder { leaf: start }) }
    }

    /// Whether leaves are a whole mesh, or parts in which each block is once.
    fn divide(&self, leaves: &[InstanceLeaf], mesh: &MeshBoxes<'_>) -> bool {
        if let [InstanceLeaf { slot: NONE, .. }] = leaves {
            return true;
        }
        let nodes = mesh.nodes;
        let slots: Vec<usize> = leaves.iter().map(|leaf| leaf.slot as usize).collect();
        let are_used = slots.iter().all(|slot| {
            let node = nodes.get(slot / NODE_WIDTH);
            node.is_some_and(|node| node.child(slot % NODE_WIDTH) != Child::Empty)
        });
        if leaves.is_empty() || !are_used || !mesh.may_open {
            return false;
        }
        // A walk from the root that ends at the leaves' slots must meet all of them, and no block elsewhere.
        let (mut met, mut pending) = (0, vec![0u32]);
        while let Some(node) = pending.pop() {
            for slot in 0..NODE_WIDTH {
                match nodes[node as usize].child(slot) {
                    Child::Empty => {}
                    _ if slots.binary_search(&(NODE_WIDTH * node as usize + slot)).is_ok() => met += 1,
                    Child::Node(child) => pending.push(child),
                    Child::Block(_) => return false,
                }
            }
        }
        met == slots.len()
    }

    fn check_leaf_box(
        &self,
        number: usize,
        leaf: &InstanceLeaf,
        instance: &Instance,
    ) -> Result<(), WorldFault> {
        let mesh = self.mesh(instance);
        let part = match leaf.slot {
            NONE => Part::whole(mesh.root),
            slot => Part::of_slot(&mesh.nodes[slot as usize / NODE_WIDTH], slot as usize % NODE_WIDTH),
        };
        match outside(&leaf.bounds, instance, &part, mesh) {
            Some((plane, limit)) => {
                Err(WorldFault::LeafBox { leaf: number, plane, found: leaf.bounds[plane], limit })
            }
            None => Ok(()),
        }
    }

    /// W2, W11 and W12
    fn check_tree(&self) -> Result<(), WorldFault> {
        let section = self.section;
        let (nodes, leaves) = (section.nodes.get(), self.leaves());
        if nodes.is_empty() {
            return Err(WorldFault::References { what: "node", index: 0, found: 0 });
        }
        let is_leaf = |leaf: u32| (leaf as usize) < leaves.len();
        for (index, node) in nodes.iter().enumerate() {
            node::check(node, index, nodes.len(), (leaves.len(), &is_leaf))
                .map_err(|fault| WorldFault::Node { node: index, fault })?;
        }
        self.check_references()?;
        let mut levels = vec![1u32; nodes.len()];
        // From the last node to the first, children come before their parents.
        let mut layers = vec![0u32; nodes.len()];
        for index in (0..nodes.len()).rev() {
            for (slot, child) in children(&nodes[index]).enumerate() {
                let (below, its_layers, its_levels) = match child {
                    Child::Node(child) => {
                        let child = child as usize;
                        (place::node_box(&nodes[child]), layers[child], levels[child])
                    }
                    Child::Block(leaf) => {
                        let leaf = &leaves[leaf as usize];
                        (box64(&leaf.bounds), self.instances()[leaf.instance as usize].layers, 0)
                    }
                    Child::Empty => continue,
                };
                if !holds(&place::slot_box(&nodes[index], slot), &below) {
                    return Err(WorldFault::NotNested { node: index, slot });
                }
                layers[index] |= its_layers;
                levels[index] = levels[index].max(its_levels + 1);
            }
            let (found, expected) = (section.node_layers.get()[index].to_native(), layers[index]);
            if found != expected {
                return Err(WorldFault::Layers { node: index, found, expected });
            }
        }
        let (found, expected) = (section.depth.to_native(), levels[0]);
        if found != expected {
            return Err(WorldFault::Depth { found, expected });
        }
        let bounds = box64(&section.bounds.map(|x| x.to_native()));
        if holds(&bounds, &place::node_box(&nodes[0])) { Ok(()) } else { Err(WorldFault::Bounds) }
    }

    fn check_references(&self) -> Result<(), WorldFault> {
        let nodes = self.section.nodes.get();
        let (mut to_nodes, mut to_leaves) = (vec![0u32; nodes.len()], vec![0u32; self.leaves().len()]);
        // As if node 0 were referenced once, too.
        to_nodes[0] = 1;
        for child in nodes.iter().flat_map(children) {
            match child {
                Child::Node(node) => to_nodes[node as usize] += 1,
                Child::Block(leaf) => to_leaves[leaf as usize] += 1,
                Child::Empty => {}
            }
        }
        for (what, counts) in [("node", to_nodes), ("leaf", to_leaves)] {
            if let Some(index) = counts.iter().position(|found| *found != 1) {
                return Err(WorldFault::References { what, index, found: counts[index] });
            }
        }
        Ok(())
    }
}

/// W6
fn check_transform(instance: &Instance) -> Result<(), InstanceFault> {
    let is_plain = |x: &f64| x.is_finite() && !(*x == 0.0 && x.is_sign_negative());
    if !instance.position.iter().all(is_plain) {
        return Err(InstanceFault::Transform("position"));
    }
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let rows = instance.rotation;
    let is_rotation = (0..3).all(|i| {
        (0..3).all(|j| (dot(rows[i], rows[j]) - f64::from(u8::from(i == j))).abs() <= ROTATION_ERROR)
    });
    let [a, b, c] = rows;
    let cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    if !(rows.as_flattened().iter().all(is_plain) && is_rotation && dot(cross, c) > 0.0) {
        return Err(InstanceFault::Transform("rotation"));
    }
    let largest = (1u64 << 40) as f64;
    let is_in_range = (1.0 / largest..=largest).contains(&instance.scale);
    if is_in_range { Ok(()) } else { Err(InstanceFault::Transform("scale")) }
}

/// The first plane of a box that does not hold the images of a part of a mesh, grown, and a position that it would have to hold.
fn outside(
    bounds: &[f32; 6],
    instance: &Instance,
    part: &Part,
    mesh: &MeshBoxes<'_>,
) -> Option<(usize, f64)> {
    let by = place::growth(instance, &mesh.root) * ENOUGH;
    (0..6).find_map(|plane| {
        let (end, axis, by) = (plane / 3, plane % 3, if plane < 3 { by } else { -by });
        let beyond = part.beyond(instance, mesh.nodes, (end, axis), f64::from(bounds[plane]) + by)?;
        Some((plane, beyond - by))
    })
}

fn box64([a, b, c, d, e, f]: &[f32; 6]) -> Box64 {
    [[*a, *b, *c].map(f64::from), [*d, *e, *f].map(f64::from)]
}
