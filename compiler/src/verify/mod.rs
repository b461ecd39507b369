//! Checks a whole file against every rule of FORMAT.md.
//!
//! Opening a file with the runtime checks the rules marked O. The rules marked V are checked here, in an order that
//! lets later checks rely on earlier ones. Messages end with the rule's id; ids such as G9 in comments are those of
//! FORMAT.md.

mod archive;
mod block;
mod blocks;
pub(crate) mod boxes;
pub(crate) mod checked;
mod coverage;
pub(crate) mod edges;
pub(crate) mod error;
mod exact;
pub(crate) mod field;
mod frame;
pub(crate) mod geometry;
pub(crate) mod hull;
pub(crate) mod intersections;
pub(crate) mod kdop;
mod leaves;
mod linked;
mod metadata;
mod names;
mod node;
pub(crate) mod obb;
mod packed;
pub(crate) mod plan;
pub(crate) mod solid;
pub mod source;
pub(crate) mod splits;
mod statistics;
pub(crate) mod swept;
pub(crate) mod tree;
mod world;

use bvhc_format::header::SectionEntry;
use bvhc_runtime::{LinkedMesh, Model, ThinWorld};

pub use archive::ArchiveFault;
pub use block::BlockFault;
pub use edges::EdgeFault;
pub use error::{SectionFault, VerifyError};
pub use field::FieldFault;
pub use frame::FrameFault;
pub use geometry::{GeometryFault, RunFault};
pub use hull::HullFault;
pub use intersections::IntersectionFault;
pub use kdop::{KdopFault, KdopNumber};
pub use leaves::LeafFault;
pub use linked::LinkedFault;
pub use metadata::{MetadataFault, NameFault, TextField, UserFault};
pub use names::NameList;
pub use node::NodeFault;
pub use obb::{ObbFault, ObbNodeFault, SampleFault};
pub use packed::PackedFault;
pub use solid::SolidFault;
pub use splits::SplitFault;
pub use statistics::{Count, Figure, StatisticsFault};
pub use swept::count_cores;
pub use swept::{SweptFault, SweptNumber};
pub use tree::TreeFault;
pub use world::{InstanceFault, WorldFault};

use crate::section;
use blocks::BlockTable;
use checked::Checked;

/// Checks a whole file with all its meshes, and its world. `bytes` must be aligned to 64 bytes. Of a thin world, this is all that
/// can be said without its meshes: [`verify_linked`] checks these.
///
/// Cost: a few passes over the file, and one sort of its vertices and one of its edges; for a distance field the closest points of the
/// points of its lattice, and winding numbers of some: in a forged file up to 4,096 visits of nodes and blocks for each byte, at most
/// 2^35 together, and 2^35 for winding numbers, or 50,000 of each node and block if that is more. For section intersections the triangles in
/// the box of each: at most 2^35 nodes, triangles and eighths of tests of pairs, or 2^14 for each triangle if that is more.
///
/// # Errors
/// The first rule that is broken.
pub fn verify(bytes: &[u8]) -> Result<(), VerifyError> {
    if ThinWorld::is_in(bytes)? {
        return linked::check(bytes);
    }
    let first = Model::from_bytes(bytes)?;
    frame::check(bytes, first.sections().header(), first.sections().entries())?;
    verify_mesh(&first)?;
    for mesh in 1..Model::mesh_count(bytes)? {
        let model = Model::from_bytes_mesh(bytes, mesh).map_err(VerifyError::Open);
        model
            .and_then(|model| verify_mesh(&model))
            .map_err(|fault| VerifyError::Mesh { mesh, fault: Box::new(fault) })?;
    }
    world::check(bytes, &first)
}

/// Checks that a model, the only one of a valid file, is the mesh that a thin world was linked with.
///
/// # Errors
/// The first rule that is broken.
pub fn verify_linked(mesh: &LinkedMesh<'_>, model: &Model<'_>) -> Result<(), VerifyError> {
    Ok(linked::check_mesh(mesh, model)?)
}

fn verify_mesh(model: &Model<'_>) -> Result<(), VerifyError> {
    archive::check(model)?;
    packed::check(model)?;
    let table = BlockTable::of(model);
    let checked = Checked::new(model, &table);
    let mut trees = Vec::new();
    for section in section::ALL {
        if let Some(facts) = section.check(&checked)? {
            trees.push((section.kind(), facts));
        }
    }
    metadata::check(&checked)?;
    statistics::check(model, &trees)?;
    Ok(leaves::check_all_used(&checked)?)
}

/// The sections of a model's mesh, with their payloads.
fn sections_of<'a>(model: &Model<'a>) -> impl Iterator<Item = (SectionEntry, &'a [u8])> + use<'a> {
    let mesh = model.mesh();
    model.sections().entries().filter(move |(entry, _)| entry.mesh == mesh)
}
