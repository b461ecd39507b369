//! Section geometry.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::file::Section;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::geometry;

pub(super) struct Geometry;

impl Output for Geometry {
    fn kind(&self) -> SectionKind {
        SectionKind::Geometry
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let (mesh, wide) = (job.mesh, &job.laid_out.wide);
        let pair_leaves = &job.take_leaves()?;
        let is_identity = mesh.faces.iter().copied().eq(0..mesh.triangles.len() as u32);
        let geometry = section::Geometry {
            blocks: if job.laid_out.packing.is_some() { &[] } else { &wide.blocks },
            triangles: &wide.triangles,
            faces: if is_identity { &[] } else { &mesh.faces },
            runs: &mesh.runs,
            corners: &mesh.face_corners.packed,
            wide_corners: &mesh.face_corners.listed,
            pair_leaves,
        };
        Ok(Some(Made::plain(Section::new(&geometry))))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        geometry::check(checked)?;
        Ok(None)
    }
}
