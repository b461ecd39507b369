//! `bvhc verify FILE [--against MODEL]`

use std::path::Path;

use bvhc_runtime::{CompiledFile, Model, ThinWorldFile, World};

use super::args::{MeshesArgs, VerifyArgs};
use super::error::{CliError, UsageError};
use super::file;
use super::text::{one_line, tell};
use crate::count::counted;
use crate::import::{Folder, Input};
use crate::verify::source::{self, SourceError};
use crate::verify::{verify, verify_linked};

pub(super) fn run(args: &VerifyArgs) -> Result<(), CliError> {
    let (name, file) = match file::read_any(&args.file)? {
        CompiledFile::Thin(file) => return check_thin(args, &file),
        CompiledFile::Model(_) if args.meshes.is_given() => return Err(MeshesArgs::NO_EFFECT.into()),
        CompiledFile::Model(file) => (file::input_name(&args.file), file),
    };
    let model = file.model();
    verify(file.bytes()).map_err(|error| CliError::Verify { file: name.clone(), error })?;
    if let Some(source) = &args.against {
        if World::is_in(file.bytes()) == Ok(true) {
            return Err(UsageError::NoEffect { flag: "--against", with: "models, not for worlds" }.into());
        }
        compare(&name, &model, source)?;
    }
    let triangles = counted(model.triangle_count(), "triangle");
    let instances = match World::is_in(file.bytes()) {
        Ok(true) => format!(" in the first of {} of a world", counted(model.meshes().into(), "mesh")),
        _ => String::new(),
    };
    tell(&format!("{}: perfect, {triangles}{instances}", one_line(&name)));
    Ok(())
}

/// Checks a thin world, and if folders of meshes are given, all its meshes.
fn check_thin(args: &VerifyArgs, file: &ThinWorldFile) -> Result<(), CliError> {
    if args.against.is_some() {
        return Err(UsageError::NoEffect { flag: "--against", with: "models, not for worlds" }.into());
    }
    let name = file::input_name(&args.file);
    let fail = |file: &str, error| CliError::Verify { file: file.to_owned(), error };
    verify(file.bytes()).map_err(|error| fail(&name, error))?;
    let meshes = file.thin().meshes();
    let checked = if args.meshes.is_given() { "" } else { "; its meshes were not checked (--meshes DIR)" };
    let count = meshes.len();
    if args.meshes.is_given() {
        let folders = args.meshes.folders(&args.file)?;
        for mesh in meshes {
            let model = folders.open(&name, &mesh)?;
            verify(model.model.bytes()).map_err(|error| fail(&model.name, error))?;
            verify_linked(&mesh, &model.model.model()).map_err(|error| fail(&name, error))?;
        }
    }
    let meshes = counted(count as u64, "mesh");
    tell(&format!("{}: perfect, a thin world of {meshes}{checked}", one_line(&name)));
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
