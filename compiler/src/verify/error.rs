//! Why a file is not valid.

use bvhc_format::section::SectionKind;
use bvhc_runtime::OpenError;

use super::archive::ArchiveFault;
use super::frame::FrameFault;
use super::geometry::GeometryFault;
use super::hull::HullFault;
use super::kdop::KdopFault;
use super::metadata::MetadataFault;
use super::obb::{ObbFault, SampleFault};
use super::packed::PackedFault;
use super::splits::SplitFault;
use super::statistics::StatisticsFault;
use super::swept::SweptFault;
use super::tree::TreeFault;

/// The first rule that a file breaks, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// The file cannot even be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A hash is wrong, or a byte between sections is not zero.
    #[error(transparent)]
    Frame(#[from] FrameFault),
    /// The slices of a payload are not packed as required.
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
    /// The statistics of a tree do not match the tree.
    #[error("metadata, statistics of tree {tree}: {fault}")]
    Statistics {
        /// Index in the list of trees, from 0.
        tree: usize,
        /// What is wrong.
        fault: StatisticsFault,
    },
    /// A mesh other than the first breaks a rule.
    #[error("mesh {mesh}: {fault}")]
    Mesh {
        /// The index of the mesh, from 0.
        mesh: u32,
        /// What is wrong with it.
        fault: Box<VerifyError>,
    },
}
