//! Why a file is not valid.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use bvhc_format::section::SectionKind;
use bvhc_runtime::OpenError;

use super::archive::ArchiveFault;
use super::frame::FrameFault;
use super::metadata::MetadataFault;
use super::statistics::StatisticsFault;

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
    /// A section breaks a rule.
    #[error("{}: {fault}", kind.name())]
    Section {
        /// The section.
        kind: SectionKind,
        /// What is wrong: a fault of that section, for example [`GeometryFault`](super::GeometryFault).
        fault: SectionFault,
    },
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

/// A fault of a section. Its text names the place, the reason and the rule.
pub(crate) trait Fault: Error + Send + Sync + 'static {
    /// The section.
    const SECTION: SectionKind;
}

impl<F: Fault> From<F> for VerifyError {
    fn from(fault: F) -> Self {
        Self::Section { kind: F::SECTION, fault: SectionFault(Arc::new(fault)) }
    }
}

/// A value in a message, if there is one.
pub(super) fn or_none<T: fmt::Debug>(value: &Option<T>) -> String {
    value.as_ref().map_or_else(|| "none".to_owned(), |value| format!("{value:?}"))
}

/// Any fault of a section. Two are equal if their texts are.
#[derive(Clone, Debug)]
pub struct SectionFault(Arc<dyn Error + Send + Sync>);

impl SectionFault {
    /// The fault, if it is of this type.
    pub fn downcast_ref<F: Error + 'static>(&self) -> Option<&F> {
        self.0.downcast_ref()
    }
}

impl fmt::Display for SectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for SectionFault {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}
