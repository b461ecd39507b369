//! Checks thin worlds: the list of their meshes, and each mesh.

use std::collections::HashSet;

use bvhc_format::section::SectionKind;
use bvhc_format::world::LinkedMesh as Record;
use bvhc_runtime::{LinkedMesh, Model, ThinWorld, WorldError};

use super::error::{Fault, VerifyError};
use super::metadata::{self, NameFault};
use super::world::WorldFault;
use super::{archive, frame, world};
use crate::world::place::{self, Box64};

/// What is wrong with the meshes of a thin world.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkedFault {
    /// The names are not a list of texts.
    #[error("names: {0} (X5)")]
    Names(NameFault),
    /// A name is empty, or that of another mesh.
    #[error("mesh {mesh}: its name is empty, or that of another mesh (X5)")]
    Name {
        /// The mesh.
        mesh: usize,
    },
    /// A hash is that of another mesh.
    #[error("mesh {mesh}: its hash is that of another mesh (X5)")]
    HashTwice {
        /// The mesh.
        mesh: usize,
    },
    /// The box is none.
    #[error("mesh {mesh}: its bounds are not a box of numbers within 2^61 (X4)")]
    Bounds {
        /// The mesh.
        mesh: usize,
    },
    /// What was handed over is another mesh.
    #[error("{0} (X3)")]
    Other(WorldError),
    /// The mesh is not what is said of it.
    #[error("mesh {mesh}: its {what} differ from those of its file (X3)")]
    Differs {
        /// The mesh.
        mesh: u32,
        /// What differs.
        what: &'static str,
    },
}

impl Fault for LinkedFault {
    const SECTION: SectionKind = SectionKind::LinkedMeshes;
}

/// Checks the file of a thin world.
pub(super) fn check(bytes: &[u8]) -> Result<(), VerifyError> {
    let world = ThinWorld::from_bytes(bytes).map_err(|error| match error {
        WorldError::Open(error) => VerifyError::Open(error),
        error => WorldFault::Open(error).into(),
    })?;
    frame::check(bytes, world.header(), world.entries())?;
    archive::check_file(world.entries())?;
    check_meshes(&world)?;
    Ok(world::check_thin(&world, world.mesh_section().meshes.get().iter().map(root_box))?)
}

/// X4 and X5
fn check_meshes(world: &ThinWorld<'_>) -> Result<(), LinkedFault> {
    let section = world.mesh_section();
    metadata::check_names(&section.names).map_err(LinkedFault::Names)?;
    let (mut names, mut hashes) = (HashSet::new(), HashSet::new());
    for (mesh, record) in section.meshes.get().iter().enumerate() {
        let name = section.names.get(mesh).unwrap_or_default();
        if name.is_empty() || !names.insert(name) {
            return Err(LinkedFault::Name { mesh });
        }
        if !hashes.insert(record.hash) {
            return Err(LinkedFault::HashTwice { mesh });
        }
        if !place::is_root(&root_box(record)) {
            return Err(LinkedFault::Bounds { mesh });
        }
    }
    Ok(())
}

fn root_box(record: &Record) -> Box64 {
    let [a, b, c, d, e, f] = record.bounds.map(f64::from);
    [[a, b, c], [d, e, f]]
}

/// X3, of the model of a valid file.
pub(super) fn check_mesh(mesh: &LinkedMesh<'_>, model: &Model<'_>) -> Result<(), LinkedFault> {
    mesh.check(model).map_err(LinkedFault::Other)?;
    let bounds = mesh.bounds();
    let root = place::node_box(&model.sections().nodes()[0]);
    let facts = [
        ("bytes", mesh.file_length() == model.sections().header().length),
        ("triangles", mesh.triangle_count() == model.triangle_count()),
        ("bounds", root == [bounds.min, bounds.max].map(|corner| corner.map(f64::from))),
    ];
    match facts.iter().find(|(_, is_so)| !is_so) {
        Some((what, _)) => Err(LinkedFault::Differs { mesh: mesh.number(), what }),
        None => Ok(()),
    }
}
