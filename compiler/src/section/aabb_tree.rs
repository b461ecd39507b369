//! Section aabb-tree.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::file::Section;
use crate::layout;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::tree;

pub(super) struct AabbTree;

impl Output for AabbTree {
    fn kind(&self) -> SectionKind {
        SectionKind::AabbTree
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let wide = &job.laid_out.wide;
        let bounds = layout::used_bounds(job.mesh).planes();
        let tree = section::AabbTree { bounds, depth: wide.depth, reserved: 0, nodes: &wide.nodes };
        Ok(Some(Made::tree(Section::new(&tree), wide.statistics)))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        Ok(Some(tree::check(checked)?))
    }
}
