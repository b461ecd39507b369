//! What a section of the output is to the compiler and to the verifier.

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

/// A section of the output: how it is asked for, made and checked. [`ALL`](super::ALL) lists them.
pub(crate) trait Output: Sync {
    /// What the section is.
    fn kind(&self) -> SectionKind;

    /// The stage of the compilation that makes it.
    fn stage(&self) -> Stage {
        Stage::SERIALISE
    }

    /// Its name in `--trees`, where that names it and the options ask for it.
    fn tree_name(&self, _options: &Options) -> Option<&'static str> {
        None
    }

    /// Appends the flags of its options, where the options ask for it.
    fn flags(&self, _options: &Options, _flags: &mut Flags<'_>) {}

    /// Makes what it needs and other sections may share, where the options ask for it.
    fn prepare(&self, _job: &Job<'_>, _clock: &mut Clock<'_>) {}

    /// Whether the options ask for it, or the mesh needs it.
    fn is_asked(&self, _job: &Job<'_>) -> bool {
        true
    }

    /// Makes it, where it is asked for; `None` where there is nothing to hold.
    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError>;

    /// Writes what making it has found into the options that the file tells.
    fn settle(&self, _job: &Job<'_>, _options: &mut Options) {}

    /// Checks the V rules of the section, on a file that keeps those of all sections before it in the list; of a tree
    /// that is there, returns what its statistics must be.
    fn check(&self, _checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        Ok(None)
    }
}

/// A section, and the statistics of a tree.
pub(crate) struct Made {
    pub(crate) section: Section,
    pub(crate) statistics: Option<TreeStatistics>,
}

impl Made {
    /// A section that is no tree.
    pub(crate) fn plain(section: Section) -> Self {
        Self { section, statistics: None }
    }

    /// A tree.
    pub(crate) fn tree(section: Section, statistics: TreeStatistics) -> Self {
        Self { section, statistics: Some(statistics) }
    }
}
