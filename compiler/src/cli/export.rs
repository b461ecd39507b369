//! `bvhc export FORMAT FILE -o OUT`

use super::args::{ExportArgs, ExportFormat};
use super::error::CliError;
use super::file::Compiled;
use super::output::Output;
use crate::field::nanovdb;

pub(super) fn run(args: &ExportArgs) -> Result<(), CliError> {
    let file = Compiled::read(&args.file)?;
    let output = Output::new(&args.output, &args.file)?;
    let model = file.model.model();
    let (Some(field), Some(section)) = (model.field(), model.sections().field()) else {
        return Err(CliError::NoField { file: file.name });
    };
    match args.format {
        ExportFormat::Nanovdb => output.write(&nanovdb::grid(&field, section)),
    }
}
