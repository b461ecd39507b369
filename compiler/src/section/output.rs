//! The interface of a section to the compiler and the verifier.

use bvhc_format::record::TreeStatistics;
use bvhc_format::section::SectionKind;

use crate::compile::error::CompileError;
use crate::compile::flags::Flags;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::{Clock, Stage};
use crate::file::Section;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;

/// A section of the output: how it is requested, made and checked. [`ALL`](super::ALL) lists them.
pub(crate) trait Output: Sync {
    /// The section's kind.
    fn kind(&self) -> SectionKind;

    /// The stage of the compilation that makes it.
    fn stage(&self) -> Stage {
        Stage::SERIALISE
    }

    /// Its names in `--trees`, each with a line of help. A file has it by one of them.
    #[cfg_attr(not(feature = "cli"), allow(dead_code))]
    fn tree_names(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Requests it by one of these names, with default options.
    #[cfg_attr(not(feature = "cli"), allow(dead_code))]
    fn request(&self, _name: &str, _options: &mut Options) {}

    /// Its name in `--trees`, if it has one and the options request it.
    fn tree_name(&self, _options: &Options) -> Option<&'static str> {
        None
    }

    /// Appends the flags of its options, if the options request it.
    fn flags(&self, _options: &Options, _flags: &mut Flags<'_>) {}

    /// Makes intermediate results that other sections may share, if the options request it.
    fn prepare(&self, _job: &Job<'_>, _clock: &mut Clock<'_>) {}

    /// Whether it is for pairs of models: made from the tree of oriented boxes, or of leaves of its own.
    fn is_of_pairs(&self) -> bool {
        false
    }

    /// Whether the options request it or the mesh needs it.
    fn is_asked(&self, _job: &Job<'_>) -> bool {
        true
    }

    /// Makes it, if it is requested; `None` if it would be empty.
    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError>;

    /// Updates the options recorded in the file with what making the section has determined.
    fn settle(&self, _job: &Job<'_>, _options: &mut Options) {}

    /// Checks the V rules of the section, on a file that keeps those of all sections before it in the list. For a tree
    /// that is present, returns what its statistics must be.
    fn check(&self, _checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        Ok(None)
    }
}

/// A section, with statistics if it is a tree.
pub(crate) struct Made {
    pub(crate) section: Section,
    pub(crate) statistics: Option<TreeStatistics>,
    /// What the user should know of it.
    pub(crate) warning: Option<String>,
}

impl Made {
    /// A section that is not a tree.
    pub(crate) fn plain(section: Section) -> Self {
        Self { section, statistics: None, warning: None }
    }

    /// A tree.
    pub(crate) fn tree(section: Section, statistics: TreeStatistics) -> Self {
        Self { section, statistics: Some(statistics), warning: None }
    }
}
