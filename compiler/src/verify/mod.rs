//! Every rule of FORMAT.md, checked on a whole file.
//!
//! The runtime's open checks the rules marked O; here are those marked V, in the order in which later ones may
//! rely on earlier ones. Messages end with the rule's id.

mod archive;
mod block;
mod blocks;
mod boxes;
mod coverage;
mod exact;
mod frame;
mod geometry;
mod hull;
mod kdop;
mod metadata;
mod node;
mod obb;
mod packed;
pub mod source;
mod splits;
mod statistics;
mod swept;
mod tree;

use bvhc_format::section::SectionKind;
use bvhc_runtime::{Model, OpenError};

pub use archive::ArchiveFault;
pub use block::BlockFault;
pub use frame::FrameFault;
pub use geometry::{GeometryFault, RunFault};
pub use hull::HullFault;
pub use kdop::{KdopFault, KdopNumber};
pub use metadata::{MetadataFault, NameFault, NameList, TextField};
pub use node::NodeFault;
pub use obb::{ObbFault, ObbLeafFault, ObbNodeFault, SampleFault};
pub use packed::PackedFault;
pub use splits::SplitFault;
pub use statistics::{Count, Figure, StatisticsFault};
pub use swept::count_cores;
pub use swept::{SweptFault, SweptNumber};
pub use tree::TreeFault;

use blocks::BlockTable;

/// Which rule a file breaks first, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The file cannot even be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A hash is wrong, or something stands between the sections.
    #[error(transparent)]
    Frame(#[from] FrameFault),
    /// A payload is not packed as it must be.
    #[error("{} section: {fault}", kind.name())]
    Archive {
        /// The section.
        kind: SectionKind,
        /// What is wrong.
        fault: ArchiveFault,
    },
    /// The geometry section breaks a rule.
    #[error("geometry: {0}")]
    Geometry(#[from] GeometryFault),
    /// The packed blocks break a rule.
    #[error("packed-blocks: {0}")]
    Packed(#[from] PackedFault),
    /// The list of split triangles breaks a rule.
    #[error("splits: {0}")]
    Splits(#[from] SplitFault),
    /// The hull breaks a rule.
    #[error("hull: {0}")]
    Hull(#[from] HullFault),
    /// The AABB tree breaks a rule.
    #[error("aabb-tree: {0}")]
    Tree(#[from] TreeFault),
    /// The tree of oriented boxes breaks a rule.
    #[error("obb-tree: {0}")]
    Obb(#[from] ObbFault),
    /// The samples beside the tree of oriented boxes break a rule.
    #[error("samples: {0}")]
    Samples(#[from] SampleFault),
    /// The tree of k-DOPs breaks a rule.
    #[error("kdop-tree: {0}")]
    Kdop(#[from] KdopFault),
    /// The tree of swept spheres breaks a rule.
    #[error("swept-tree: {0}")]
    Swept(#[from] SweptFault),
    /// The metadata section breaks a rule.
    #[error("metadata: {0}")]
    Metadata(#[from] MetadataFault),
    /// The statistics of a tree are not those of the tree.
    #[error("metadata, statistics of tree {tree}: {fault}")]
    Statistics {
        /// Place in the list of trees, from 0.
        tree: usize,
        /// What is wrong.
        fault: StatisticsFault,
    },
}

/// Checks a whole file, which must start at a multiple of 64 in memory.
///
/// Cost: a few passes over the file, and one sort of its vertices.
///
/// # Errors
/// The first rule that is broken.
pub fn verify(bytes: &[u8]) -> Result<(), VerifyError> {
    let model = Model::from_bytes(bytes)?;
    frame::check(bytes, &model)?;
    archive::check(&model)?;
    packed::check(&model)?;
    let table = BlockTable::of(&model);
    let triangles = geometry::check(&model, &table)?;
    let shape = tree::check(&model, &table)?;
    splits::check(&model, &table, triangles.count)?;
    boxes::check(&model, &table)?;
    let obb_shape = obb::check(&model, &table, triangles.count)?;
    obb::check_samples(&model, &table)?;
    let kdop_shape = kdop::check(&model, &table, triangles.count)?;
    hull::check(&model, &table)?;
    let swept_shape = swept::check(&model, &table, triangles.count)?;
    metadata::check(&model, &table.blocks, &triangles)?;
    let shapes = statistics::Shapes {
        aabb: &shape,
        obb: obb_shape.as_ref(),
        kdop: kdop_shape.as_ref(),
        swept: swept_shape.as_ref(),
    };
    statistics::check(&model, &shapes)
}
