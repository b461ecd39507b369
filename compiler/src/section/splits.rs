//! Section splits.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::file::Section;
use crate::layout::SplitTable;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::{boxes, splits};

pub(super) struct Splits;

impl Output for Splits {
    fn kind(&self) -> SectionKind {
        SectionKind::Splits
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let SplitTable { triangles, ends, slots } = &job.laid_out.wide.splits;
        let section = || Made::plain(Section::new(&section::Splits { triangles, ends, slots }));
        Ok((!triangles.is_empty()).then(section))
    }

    /// Also checks the boxes of the AABB tree, which depend on which triangles are split.
    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        splits::check(checked)?;
        boxes::check(checked)?;
        Ok(None)
    }
}
