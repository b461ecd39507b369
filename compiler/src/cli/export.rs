//! `bvhc export FORMAT FILE -o OUT`

use super::args::{ExportArgs, ExportFormat};
use super::error::CliError;
use super::file::Compiled;
use super::output::Output;
use crate::field::nanovdb;
use crate::verify::field::check_tree;

pub(super) fn run(args: &ExportArgs) -> Result<(), CliError> {
    let file = Compiled::read(&args.file)?;
    let output = Output::new(&args.output, &args.file)?;
    let model = file.model.model();
    let (Some(field), Some(section)) = (model.field(), model.sections().field()) else {
        return Err(CliError::NoField { file: file.name });
    };
    check_tree(section).map_err(|fault| CliError::Verify { file: file.name.clone(), error: fault.into() })?;
    match args.format {
        ExportFormat::Nanovdb => output.write(&nanovdb::grid(&field, section)),
    }
}
