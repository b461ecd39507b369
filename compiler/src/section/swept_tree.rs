//! Section swept-tree.

use bvhc_format::section::{self, SectionKind};
use bvhc_format::swept::Cores;

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::{Clock, Stage};
use crate::file::Section;
use crate::layout::{self, SweptRecords};
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::swept;

pub(super) struct SweptTree;

impl Output for SweptTree {
    fn kind(&self) -> SectionKind {
        SectionKind::SweptTree
    }

    fn stage(&self) -> Stage {
        Stage::of_section("swept")
    }

    fn tree_names(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "rss",
                "Rectangle-swept spheres around the parts of the oriented boxes: for mesh against mesh, with `--volume rss`",
            ),
            (
                "lss",
                "Line-swept spheres, for `--volume lss`; a file may have only one of rss, lss, pss and hybrid",
            ),
            ("pss", "Spheres, for `--volume pss`"),
            (
                "hybrid",
                "In each node the cheapest of the three that prunes equally well, for `--volume hybrid`",
            ),
        ]
    }

    fn request(&self, name: &str, options: &mut Options) {
        options.swept = Cores::ALL.into_iter().find(|cores| cores.name() == name);
    }

    fn tree_name(&self, options: &Options) -> Option<&'static str> {
        options.swept.map(Cores::name)
    }

    fn prepare(&self, job: &Job<'_>, clock: &mut Clock<'_>) {
        job.prepare_oriented(clock);
    }

    fn is_of_pairs(&self) -> bool {
        true
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        job.options.swept.is_some()
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let Some(cores) = job.options.swept else { return Ok(None) };
        let records = layout::lay_out_swept(&job.oriented().0, job.mesh, &mut *job.leaves()?, cores);
        let SweptRecords { layout, origin, radius, depth, rows, statistics, .. } =
            &records.ok_or(CompileError::TooLargeForHybrid)?;
        let (origin, radius, depth, core) = (*origin, *radius, *depth, layout.number());
        let root = section::SweptTree { origin, radius, depth, core, rows };
        Ok(Some(Made::tree(Section::new(&root), *statistics)))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        Ok(swept::check(checked)?)
    }
}
