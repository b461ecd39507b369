//! Section hull.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::compile::stage::Stage;
use crate::file::Section;
use crate::layout::{self, HullRecords};
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::hull;

/// Written together with a tree of k-DOPs.
pub(super) struct Hull;

impl Output for Hull {
    fn kind(&self) -> SectionKind {
        SectionKind::Hull
    }

    fn stage(&self) -> Stage {
        Stage::of_section("hull")
    }

    fn is_of_pairs(&self) -> bool {
        true
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        job.options.kdop.is_some()
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let section = |records: HullRecords| {
            let HullRecords { vertices, neighbours, starts } = &records;
            Made::plain(Section::new(&section::Hull { vertices, neighbours, starts }))
        };
        Ok(layout::lay_out_hull(job.mesh).map(section))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        hull::check(checked)?;
        Ok(None)
    }
}
