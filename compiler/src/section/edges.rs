//! Section edges.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::flags::Flags;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::Stage;
use crate::file::Section;
use crate::layout;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::edges;
use crate::verify::error::VerifyError;

/// Only on request: `--edges`.
pub(super) struct Edges;

impl Output for Edges {
    fn kind(&self) -> SectionKind {
        SectionKind::Edges
    }

    fn stage(&self) -> Stage {
        Stage::of_section("edges")
    }

    fn flags(&self, options: &Options, flags: &mut Flags<'_>) {
        flags.switch("edges", options.edges);
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        job.options.edges
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let triangles = &layout::lay_out_edges(&job.corners());
        Ok(Some(Made::plain(Section::new(&section::Edges { triangles }))))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        edges::check(checked)?;
        Ok(None)
    }
}
