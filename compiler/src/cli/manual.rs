//! Manual pages and completions for shells, made from the arguments' own descriptions.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use super::args::Args;
use super::error::{Action, CliError};
use super::output;

/// Prints the script that completes command lines.
pub(super) fn completions(shell: Shell) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "bvhc", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Writes `bvhc.1`, `bvhc-compile.1` and so on.
pub(super) fn pages(folder: &Path) -> Result<(), CliError> {
    output::make_folder(folder)?;
    clap_mangen::generate_to(Args::command(), folder)
        .map_err(|error| CliError::io(&folder.display().to_string(), Action::Write, error))
}
