//! Arguments in files: `@FILE` on the command line stands for the words in the file.

use std::ffi::OsString;
use std::fs;

use super::error::{Action, CliError, UsageError};

/// The arguments, with those from files in the places of the files' names. Words are separated by blanks and lines, and quoted
/// as in a shell; they do not stand for files in turn.
pub(super) fn expand(args: impl Iterator<Item = OsString>) -> Result<Vec<OsString>, CliError> {
    let mut words = Vec::new();
    for arg in args {
        match arg.to_str().and_then(|arg| arg.strip_prefix('@')) {
            Some(path) if !path.is_empty() => {
                let text =
                    fs::read_to_string(path).map_err(|error| CliError::io(path, Action::Read, error))?;
                let of_file = shlex::split(&text);
                let of_file = of_file.ok_or_else(|| UsageError::OpenQuote { file: path.to_owned() })?;
                words.extend(of_file.into_iter().map(OsString::from));
            }
            _ => words.push(arg),
        }
    }
    Ok(words)
}
