//! Section intersections.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::flags::Flags;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::Stage;
use crate::file::Section;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::intersections;

/// Only on request: `--intersections`.
pub(super) struct Intersections;

impl Output for Intersections {
    fn kind(&self) -> SectionKind {
        SectionKind::Intersections
    }

    fn stage(&self) -> Stage {
        Stage::of_section("intersections")
    }

    fn flags(&self, options: &Options, flags: &mut Flags<'_>) {
        flags.switch("intersections", options.intersections);
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        job.options.intersections
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let triangles = job.intersecting()?;
        Ok(Some(Made::plain(Section::new(&section::Intersections { triangles }))))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        intersections::check(checked)?;
        Ok(None)
    }
}
