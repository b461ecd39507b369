//! `bvhc verify FILE [--against MODEL]`

use std::path::Path;

use bvhc_runtime::{Model, World};

use super::args::VerifyArgs;
use super::error::{CliError, UsageError};
use super::file::{self, Compiled};
use super::text::{counted, one_line, tell};
use crate::import::{Folder, Input};
use crate::verify::source::{self, SourceError};
use crate::verify::verify;

pub(super) fn run(args: &VerifyArgs) -> Result<(), CliError> {
    let file = Compiled::read(&args.file)?;
    let model = file.model.model();
    let fail = |error| CliError::Verify { file: file.name.clone(), error };
    verify(file.model.bytes()).map_err(fail)?;
    if let Some(source) = &args.against {
        if World::is_in(file.model.bytes()) == Ok(true) {
            return Err(UsageError::NoEffect { flag: "--against", with: "models, not for worlds" }.into());
        }
        compare(&file.name, &model, source)?;
    }
    let triangles = counted(model.triangle_count(), "triangle");
    let instances = match World::is_in(file.model.bytes()) {
        Ok(true) => format!(" in the first of {} meshes of a world", model.meshes()),
        _ => String::new(),
    };
    tell(&format!("{}: perfect, {triangles}{instances}", one_line(&file.name)));
    Ok(())
}

fn compare(file: &str, model: &Model<'_>, path: &Path) -> Result<(), CliError> {
    let bytes = file::read_source(path)?;
    let (name, files) = (file::input_name(path), Folder::of(path));
    let source = Input { bytes: &bytes, name: &name, files: &files };
    source::compare(model, &source).map_err(|error| match error {
        SourceError::Compile(error) => CliError::Compile(error),
        error => CliError::Source { file: file.to_owned(), error },
    })
}
