//! Section packed-blocks.

use bvhc_format::section::{self, SectionKind};

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::job::Job;
use crate::file::Section;
use crate::layout::Packing;

/// Its rules are checked before all others, which rely on the unpacked blocks.
pub(super) struct PackedBlocks;

impl Output for PackedBlocks {
    fn kind(&self) -> SectionKind {
        SectionKind::PackedBlocks
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let packed = |packing: &Packing| {
            let Packing { bytes, count, position_error, .. } = packing;
            let packed = section::PackedBlocks { bytes, count: *count, position_error: *position_error };
            Made::plain(Section::new(&packed))
        };
        Ok(job.laid_out.packing.as_ref().map(packed))
    }
}
