//! Section field.

use bvhc_format::section::SectionKind;
use bvhc_runtime::Model;

use super::{Made, Output};
use crate::compile::error::CompileError;
use crate::compile::flags::Flags;
use crate::compile::job::Job;
use crate::compile::options::Options;
use crate::compile::stage::Stage;
use crate::field::{Bits, LEAST_EXTENT, Options as FieldOptions, lay_out_field, rounding_of};
use crate::file::Section;
use crate::verify::checked::{Checked, TreeFacts};
use crate::verify::error::VerifyError;
use crate::verify::field;

/// How many voxels the rounding of points to f32 may take without a warning.
const MUCH: f64 = 0.125;

/// Only on request: `--field`.
pub(super) struct Field;

impl Output for Field {
    fn kind(&self) -> SectionKind {
        SectionKind::DistanceField
    }

    fn stage(&self) -> Stage {
        Stage::of_section("field")
    }

    fn flags(&self, options: &Options, flags: &mut Flags<'_>) {
        let Some(field) = options.field else { return };
        let defaults = FieldOptions::new(field.resolution);
        flags.flag("field", field.resolution, 0);
        flags.flag("band", field.band, defaults.band);
        flags.flag("field-bits", field.bits.count(), Bits::default().count());
    }

    fn is_asked(&self, job: &Job<'_>) -> bool {
        job.options.field.is_some()
    }

    fn make(&self, job: &Job<'_>) -> Result<Option<Made>, CompileError> {
        let Some(options) = &job.options.field else { return Ok(None) };
        if !options.are_possible() {
            let FieldOptions { resolution, band, .. } = *options;
            return Err(CompileError::NoSuchField { resolution, band });
        }
        let bytes = job.bare_file()?;
        let model = Model::from_bytes(&bytes).expect("what the compiler makes can be opened");
        let bounds = model.bounds();
        if bounds.min == bounds.max {
            return Err(CompileError::FieldOfPoint);
        }
        let extent = (0..3).map(|axis| bounds.max[axis] - bounds.min[axis]).fold(0.0, f32::max);
        if extent < LEAST_EXTENT {
            return Err(CompileError::FieldTooSmall { extent });
        }
        let records = lay_out_field(&job.corners(), &model, options).ok_or(CompileError::FieldTooCostly)?;
        let rounding = rounding_of([bounds.min, bounds.max], options);
        let warning = (rounding > MUCH).then(|| {
            format!(
                "--field: points within {rounding:.2} voxels of the surface have the value 0: so far from the origin, f32 does not \
                 tell on which side of it they are; move the model nearer to it, or take fewer voxels"
            )
        });
        Ok(Some(Made { warning, ..Made::plain(Section::new(&records.root())) }))
    }

    fn check(&self, checked: &Checked<'_>) -> Result<Option<TreeFacts>, VerifyError> {
        field::check(checked)?;
        Ok(None)
    }
}
