//! `bvhc key MODEL...`: digests of all that a compiled file depends on.

use std::path::Path;

use super::args::{KeyArgs, RecipeArgs};
use super::error::{CliError, UsageError};
use super::file;
use super::output;
use crate::compile::{self, Options, Source};
use crate::import::Folder;

pub(super) fn run(args: &KeyArgs, recipe: &RecipeArgs) -> Result<(), CliError> {
    if recipe.is_timed() {
        return Err(UsageError::TimedKey.into());
    }
    let options = recipe.options()?;
    let mut text = String::new();
    for model in &args.models {
        let key = of_file(model, &options)?.to_hex();
        match args.models.len() {
            1 => text += &format!("{key}\n"),
            _ => text += &format!("{key}  {}\n", model.display()),
        }
    }
    output::print(&text)
}

fn of_file(model: &Path, options: &Options) -> Result<blake3::Hash, CliError> {
    let (bytes, files) = (file::read_source(model)?, Folder::of(model));
    of(&Source::Files { bytes: &bytes, files: &files }, &file::input_name(model), options)
}

/// The key of what a source would be compiled to.
pub(super) fn of(source: &Source<'_>, name: &str, options: &Options) -> Result<blake3::Hash, CliError> {
    Ok(compile::key(source, name, options)?)
}
