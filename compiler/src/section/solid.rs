//! Section solid.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::compile::stage::Stage;
use crate::file::Section;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::solid;

pub(super) struct Solid;

impl Output for Solid {
    fn kind(&self) -> SectionKind {
        SectionKind::Solid
    }

    fn stage(&self) -> Stage {
        Stage::of_section("solid")
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let solid = &job.laid_out.solid;
        let counts = &solid.counts;
        Ok(Some(Made::plain(Section::new(&section::Solid {
            edges: counts.edges,
            open_edges: counts.open,
            flipped_edges: counts.flipped,
            branching_edges: counts.branching,
            boundary_edges: counts.boundary,
            boundary: &solid.boundary,
        }))))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        solid::check(checked)?;
        Ok(None)
    }
}
