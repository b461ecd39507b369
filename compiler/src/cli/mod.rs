//! The command line: parses arguments, runs a command and returns the exit code. Each command is one source file.
//!
//! Only requested output goes to standard output; reports and errors go to standard error.

mod args;
mod compile;
mod error;
mod file;
mod inspect;
mod output;
mod progress;
mod query;
mod report;
mod row;
mod text;
mod verify;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};

use args::{Args, Command};
use error::{CliError, UsageError};

/// Runs the program on the arguments of this process.
pub fn run() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(code) = output::unnamed::helper() {
        return code;
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return explain(&error),
    };
    match dispatch(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn dispatch(args: Args) -> Result<(), CliError> {
    match args.command {
        Some(Command::Compile { compile, obb, kdop }) => compile::run(&compile, &obb, &kdop),
        Some(Command::Inspect(args)) => inspect::run(&args),
        Some(Command::Verify(args)) => verify::run(&args),
        Some(Command::Query(args)) => query::run(&args),
        None => match args.compile {
            Some(compile) => compile::run(&compile, &args.obb, &args.kdop),
            None => Err(UsageError::NoModel.into()),
        },
    }
}

/// Prints help or the version, or a one-line message about what is wrong with the arguments.
fn explain(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(error::USAGE)
        }
        _ => {
            let several = second_model(error).map(|second| UsageError::SeveralModels { second });
            let refused = || UsageError::Arguments(text::first_paragraph(&error.to_string()));
            fail(&several.unwrap_or_else(refused).into())
        }
    }
}

/// The second of two models to compile, which clap mistakes for a command after a model.
fn second_model(error: &clap::Error) -> Option<String> {
    let second = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::ArgumentConflict, Some(ContextValue::String(second))) => second,
        _ => return None,
    };
    let is_command = Args::command().find_subcommand(second).is_some();
    (!is_command).then(|| second.clone())
}

fn fail(error: &CliError) -> ExitCode {
    if !error.is_broken_pipe() {
        text::tell(&format!("bvhc: error: {}", text::one_line(&error.to_string())));
    }
    ExitCode::from(error.exit_code())
}
