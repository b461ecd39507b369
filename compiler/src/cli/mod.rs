//! The command line: arguments in, exit code out. A command is a file.
//!
//! Standard output carries what was asked for and nothing else; reports and errors go to standard error.

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

use clap::Parser;
use clap::error::ErrorKind;

use args::{Args, Command};
use error::{CliError, UsageError};

/// Runs the program on the arguments of this process.
pub fn run() -> ExitCode {
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

/// Prints help or the version, or says in one line what is wrong with the arguments.
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
        _ => fail(&UsageError::Arguments(text::first_paragraph(&error.to_string())).into()),
    }
}

fn fail(error: &CliError) -> ExitCode {
    if !error.is_broken_pipe() {
        text::tell(&format!("bvhc: error: {}", text::one_line(&error.to_string())));
    }
    ExitCode::from(error.exit_code())
}
