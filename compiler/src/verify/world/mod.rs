//! Checks the section of the world: instances, leaves, and the tree over them.

mod fault;
mod instance;
mod leaves;
mod tree;

use bvhc_format::NONE;
use bvhc_format::header::SectionEntry;
use bvhc_format::record::WideNode;
use bvhc_format::section::ArchivedWorld;
use bvhc_format::world::{Instance, InstanceLeaf};
use bvhc_runtime::{Model, ThinWorld, World};

pub use fault::{InstanceFault, WorldFault};

use super::archive;
use super::error::VerifyError;
use super::metadata;
use crate::world::place::{self, Box64};

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
}
