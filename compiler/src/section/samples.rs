//! Section samples.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::{Clock, Stage};
use crate::file::Section;
use crate::layout;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::obb;

/// Written only together with a tree of oriented boxes.
pub(super) struct Samples;

impl Output for Samples {
    fn kind(&self) -> SectionKind {
        SectionKind::Samples
    }

    fn stage(&self) -> Stage {
        Stage::of_section("samples")
    }

    fn tree_names(&self) -> &'static [(&'static str, &'static str)] {
        &[("samples", "Sample vertices beside the oriented boxes: for distances, with `--volume samples`")]
    }

    fn request(&self, _name: &str, options: &mut Options) {
        options.samples = true;
    }

    fn tree_name(&self, options: &Options) -> Option<&'static str> {
        options.obb.filter(|_| options.samples).map(|_| "samples")
    }

    fn prepare(&self, job: &Job<'_>, clock: &mut Clock<'_>) {
        job.prepare_oriented(clock);
    }

    fn is_of_pairs(&self) -> bool {
        true
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        self.tree_name(job.options).is_some()
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let nodes = &layout::lay_out_samples(&job.oriented().0, job.mesh);
        Ok(Some(Made::plain(Section::new(&section::Samples { nodes }))))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        obb::check_samples(checked)?;
        Ok(None)
    }
}
