//! The command line: parses arguments, runs a command and returns the exit code. Each command is one source file.
//!
//! Only requested output goes to standard output; reports and errors go to standard error.

mod allocator;
mod args;
mod cache;
mod compile;
mod depfile;
mod error;
mod export;
mod file;
mod inspect;
mod key;
mod manual;
mod output;
mod progress;
mod query;
mod report;
mod response;
mod row;
mod shape;
mod text;
mod verify;
mod world;

#[cfg(target_os = "linux")]
pub use allocator::LargePages;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use serde_json::json;

use crate::compile::OUTPUT_REVISION;
use args::{Args, Command};
use error::{Action, CliError, UsageError};

/// Runs the program on the arguments of this process.
pub fn run() -> ExitCode {
    allocator::give_back_large_blocks();
    #[cfg(target_os = "linux")]
    if let Some(code) = output::unnamed::helper() {
        return code;
    }
    let words = match response::expand(std::env::args_os()) {
        Ok(words) => words,
        Err(error) => return fail(&error),
    };
    let args = match Args::try_parse_from(&words) {
        Ok(args) => args,
        Err(error) => return explain(&error, &words),
    };
    end(dispatch(args))
}

fn dispatch(args: Args) -> Result<(), CliError> {
    match args.command {
        Some(Command::Compile { compile, recipe }) => compile::run(&compile, &recipe),
        Some(Command::Key { key, recipe }) => key::run(&key, &recipe),
        Some(Command::World { world, recipe }) => world::run(&world, &recipe),
        Some(Command::Inspect(args)) => inspect::run(&args),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Query(args)) => query::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Completions { shell }) => manual::completions(shell),
        Some(Command::Man { folder }) => manual::pages(&folder),
        None => match args.compile {
            Some(compile) => compile::run(&compile, &args.recipe),
            None => Err(UsageError::NoModel.into()),
        },
    }
}

/// Prints help or the version, or a one-line message about what is wrong with the arguments.
fn explain(error: &clap::Error, words: &[OsString]) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayVersion if words.iter().any(|word| word == "--json") => {
            end(output::print(&version()))
        }
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            end(error.print().map_err(|error| CliError::io(output::STANDARD_OUTPUT, Action::Write, error)))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(error::USAGE)
        }
        kind => {
            let mut message = text::first_paragraph(&error.to_string());
            if kind == ErrorKind::MissingRequiredArgument
                && let Some(word) = words.get(1).and_then(|word| word.to_str())
                && is_perhaps_command(word)
            {
                message = format!("`{word}` is neither a command nor a file: {message}");
            }
            fail(&UsageError::Arguments(message).into())
        }
    }
}

/// Whether a word that was taken for a model was perhaps meant as a command.
fn is_perhaps_command(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_lowercase()) && !Path::new(word).exists()
}

/// What a build system asks of a compiler: which version this is, what it writes, and whether that has changed.
fn version() -> String {
    let version = json!({
        "name": "bvhc",
        "version": env!("CARGO_PKG_VERSION"),
        "format": format!("{}.{}", bvhc_format::VERSION_MAJOR, bvhc_format::VERSION_MINOR),
        "output_revision": OUTPUT_REVISION,
    });
    format!("{version:#}\n")
}

fn end(done: Result<(), CliError>) -> ExitCode {
    done.map_or_else(|error| fail(&error), |()| ExitCode::SUCCESS)
}

fn fail(error: &CliError) -> ExitCode {
    error.tell();
    ExitCode::from(error.exit_code())
}
