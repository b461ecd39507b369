//! `bvhc export FORMAT FILE -o OUT`

use bvhc_runtime::CompiledFile;

use super::args::{ExportArgs, ExportFormat};
use super::error::CliError;
use super::file;
use super::output::Output;
use crate::field::nanovdb;
use crate::verify::field::check_tree;

pub(super) fn run(args: &ExportArgs) -> Result<(), CliError> {
    let (name, file) = (file::input_name(&args.file), file::read_any(&args.file)?);
    let output = Output::new(&args.output, &args.file)?;
    let CompiledFile::Model(file) = file else { return Err(CliError::NoField { file: name }) };
    let model = file.model();
    let (Some(field), Some(section)) = (model.field(), model.sections().field()) else {
        return Err(CliError::NoField { file: name });
    };
    check_tree(section).map_err(|fault| CliError::Verify { file: name, error: fault.into() })?;
    match args.format {
        ExportFormat::Nanovdb => output.write(&nanovdb::grid(&field, section)),
    }
}
