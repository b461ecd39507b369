//! Section kdop-tree.

use bvhc_format::kdop::KdopLayout;
use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::flags::Flags;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::Stage;
use crate::file::Section;
use crate::layout::{self, KdopRecords};
use crate::pair::kdop;
use crate::verify;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;

pub(super) struct KdopTree;

impl Output for KdopTree {
    fn kind(&self) -> SectionKind {
        SectionKind::KdopTree
    }

    fn stage(&self) -> Stage {
        Stage::of_section("kdop")
    }

    fn tree_names(&self) -> &'static [(&'static str, &'static str)] {
        &[("kdop", "k-DOPs: for mesh against mesh, with `--volume kdop`")]
    }

    fn request(&self, _name: &str, options: &mut Options) {
        options.kdop = Some(kdop::Options::default());
    }

    fn tree_name(&self, options: &Options) -> Option<&'static str> {
        options.kdop.map(|_| "kdop")
    }

    fn flags(&self, options: &Options, flags: &mut Flags<'_>) {
        let default = kdop::Options::default();
        if let Some(options) = &options.kdop {
            flags.flag("kdop-k", options.k, default.k);
            flags.flag("kdop-tables", options.tables.name(), default.tables.name());
            flags.flag("kdop-split", options.split.name(), default.split.name());
        }
    }

    fn is_of_pairs(&self) -> bool {
        true
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        job.options.kdop.is_some()
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let Some(options) = &job.options.kdop else { return Ok(None) };
        let layout = KdopLayout::of(options.k, options.tables as u32);
        let layout = layout.ok_or(CompileError::NoSuchKdop { k: options.k })?;
        let tree = kdop::build(&job.corners(), layout.directions, options.split);
        let KdopRecords { origin, radius, depth, rows, statistics, .. } =
            &layout::lay_out_kdops(&tree, job.mesh, &mut *job.leaves()?, layout);
        let (k, tables) = (layout.directions.count() as u32, layout.tables as u32);
        let (origin, radius, depth) = (*origin, *radius, *depth);
        let root = section::KdopTree { origin, radius, depth, k, tables, reserved: 0, rows };
        Ok(Some(Made::tree(Section::new(&root), *statistics)))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        Ok(verify::kdop::check(checked)?)
    }
}
